// Any bytes as the answers of an engine: the first byte chooses protocol and game, the second how many moves are played
// before it is asked. It fails with a sentence, or its move is legal.
#include "agents/engine.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 7, ASKED = 12 };

typedef struct talk {
    const uint8_t *data;
    size_t size;
} talk;

static talk waiting; // what the engine has still to say

static err take(void *ctx, double seconds, const char *line)
{
    (void)ctx, (void)seconds;
    return line[strcspn(line, "\n")] == 0 ? ERR_OK : (abort(), ERR_IO); // one line is one line
}

static err give(void *ctx, double seconds, char *line, size_t n)
{
    talk *t = ctx;
    (void)seconds;
    if (t->size == 0) return err_set(ERR_IO, "the program has ended");
    const uint8_t *end = memchr(t->data, '\n', t->size);
    size_t len = end != NULL ? (size_t)(end - t->data) : t->size, keep = len < n - 1 ? len : n - 1;
    memcpy(line, t->data, keep);
    line[keep] = 0;
    len += end != NULL;
    t->data += len;
    t->size -= len;
    return ERR_OK;
}

// Opened once: opening asks a shell whether the program is there.
static agent *engine(int kind)
{
    static const char *const kinds[KINDS][2] = {{"gtp", "othello"},        {"gtp", "contrast"},   {"gtp", "renju"},
                                                {"gtp", "puyo"},           {"nboard", "othello"}, {"gomocup", "renju"},
                                                {"gomocup", "freestyle20"}};
    static agent *open[KINDS];
    const game *g;
    char spec[64];
    if (open[kind] != NULL) return open[kind];
    snprintf(spec, sizeof spec, "engine:%s=true", kinds[kind][0]);
    if (game_find(kinds[kind][1], &g) != ERR_OK || agent_open(&open[kind], g, spec) != ERR_OK) abort();
    engine_lend(open[kind], (engine_link){take, give, &waiting});
    return open[kind];
}

static void play(agent *a, char *state, char *obs, move_t m)
{
    game_observe(a->g, state, a->seat, obs);
    agent_saw(a, obs, m);
    a->g->play(state, m, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    agent *a = engine(data[0] % KINDS);
    const game *g = a->g;
    char *state = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    rng r = rng_at(1, data[1], 0);
    if (state == NULL || obs == NULL || moves == NULL || g->init(state, "", (game_key){1, 1}) != ERR_OK) abort();
    int before = data[1] % 16;
    waiting = (talk){data + 2, size - 2};
    agent_begin(a, (game_key){1, data[1]}, before % 2);
    for (int i = 0; i < before + ASKED && !g->result(state).over; i++) {
        int n = g->legal(state, moves), at = (int)rng_below(&r, (uint32_t)n);
        move_t m = moves[at];
        if (i >= before && g->seat(state) == a->seat) {
            agent_choice c = {.move = MOVE_NONE};
            game_observe(g, state, a->seat, obs);
            err e = agent_choose(a, obs, &c);
            if (e != ERR_OK && err_text()[0] == 0) abort();
            if (e != ERR_OK) break;
            for (at = 0; at < n && moves[at] != c.move; at++) {}
            if (at == n) abort(); // an illegal move got through
            m = c.move;
        }
        play(a, state, obs, m);
    }
    free(moves);
    free(obs);
    free(state);
    return 0;
}
