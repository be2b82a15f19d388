// Any bytes as a stored replay memory, as a list of players, as rewards, as runs to draw: taken or refused, never a crash,
// and what was taken is sound.
#include "learn/dqn/dqn_train.h"
#include "run/run_curves.h"
#include "search/puyo/puyo_reward.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
    if (!ok) abort();
}

static void as_memory(const uint8_t *data, size_t size, bool prioritized)
{
    per *r = NULL;
    per_options o = {{.planes = 1, .rows = 1, .cols = 2, .scalars = 1, .actions = 3, .seats = 1}, 4, prioritized, 0.6};
    if (per_new(&r, &o) != ERR_OK) return;
    if (per_from_bytes(r, data, size) == ERR_OK && per_count(r) > 0) {
        rng from = rng_at(1, 2, 3);
        per_draw d[8];
        float td[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        per_sample(r, &from, 8, 0.5, d);
        for (int i = 0; i < 8; i++) {
            transition t = per_get(r, d[i].slot);
            check(d[i].slot < per_count(r) && t.action >= 0 && t.action < 3);
        }
        per_update(r, 8, d, td);
    }
    per_free(r);
}

static void as_text(const char *text)
{
    dqn_mix m;
    puyo_reward_weights w, again;
    curves_group g;
    char buf[2048];
    if (dqn_mix_parse(text, "list", &m) == ERR_OK)
        for (int i = 0; i <= 10; i++) check(m.n == 0 || dqn_mix_at(&m, i / 10.0) < m.n);
    if (puyo_rewards_parse(text, &w) == ERR_OK) {
        puyo_rewards_print(&w, buf, sizeof buf);
        check(puyo_rewards_parse(buf, &again) == ERR_OK && memcmp(&w, &again, sizeof w) == 0);
    }
    if (curves_parse(text, &g) == ERR_OK) curves_free(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_memory(data, size, true);
    as_memory(data, size, false);
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    as_text(text);
    free(text);
    return 0;
}
