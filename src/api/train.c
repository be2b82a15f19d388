// Training and matches through the public API. See include/keiko.h.
#include "app/train.h"

#include "api/api.h"
#include "app/bench.h"
#include "base/clock.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct caller {
    const keiko_training *t;
    double begun;
} caller;

static keiko_progress progress_of(const train_state *s, double seconds)
{
    return (keiko_progress){.step = s->step,
                            .games = s->games,
                            .positions = s->positions,
                            .simulations = s->sims,
                            .seconds = seconds,
                            .loss = s->loss,
                            .rated = s->rated,
                            .elo = s->elo,
                            .elo_low = s->elo_low,
                            .elo_high = s->elo_high};
}

static bool each_round(void *ctx, const train_state *s)
{
    const caller *c = ctx;
    keiko_progress p = progress_of(s, clock_seconds() - c->begun);
    return c->t->each(c->t->ctx, &p) == 0;
}

// The struct's own members as a layer of options. A seed belongs to a new run.
static err options_text(const keiko_training *t, text_buf *to)
{
    char number[JSON_NUMBER_TEXT];
    if (t->minutes > 0) json_number_text(t->minutes, number), text_printf(to, "minutes = %s\n", number);
    if (t->steps > 0) text_printf(to, "steps = %" PRIu64 "\n", t->steps);
    if (t->games > 0) text_printf(to, "games = %" PRIu64 "\n", t->games);
    if (t->threads > 0) text_printf(to, "threads = %d\n", t->threads);
    if (t->backend != NULL) text_printf(to, "backend = \"%s\"\n", t->backend);
    if (!t->resume) text_printf(to, "seed = %" PRIu64 "\n", t->seed % 9000000000000000u);
    return text_check(to);
}

int keiko_train(const keiko_game *g, const keiko_training *t, keiko_progress *end)
{
    caller c = {t, clock_seconds()};
    text_buf own = {0};
    train_result r;
    if (t->size != sizeof *t)
        return (int)err_set(
            ERR_USAGE, "keiko_training has %zu bytes here and %zu in your program: compile it against this library",
            sizeof *t, t->size);
    err e = options_text(t, &own);
    const config_layer layers[] = {{"config", t->config}, {"options", text_str(&own)}};
    if (e == ERR_OK)
        e = train_run(&(train_request){.g = api_game(g),
                                       .preset = t->preset,
                                       .layers = layers,
                                       .n_layers = 2,
                                       .run = t->run,
                                       .resume = t->resume != 0,
                                       .version = keiko_version(),
                                       .model = t->model,
                                       .each = t->each == NULL ? NULL : each_round,
                                       .ctx = &c},
                      &r);
    if (e == ERR_OK && end != NULL) *end = progress_of(&r.s, clock_seconds() - c.begun);
    text_free(&own);
    return (int)e;
}

// --- matches

int keiko_match(const keiko_game *g, const char *first, const char *second, int pairs, uint64_t seed, int threads,
                keiko_score *out)
{
    bench_score s;
    err e = bench_pair(&s, api_game(g), first, second, pairs, seed, threads);
    if (e == ERR_OK)
        *out = (keiko_score){.games = s.games,
                             .wins = s.wins,
                             .draws = s.draws,
                             .losses = s.losses,
                             .score = s.score,
                             .low = s.in.low,
                             .high = s.in.high};
    return (int)e;
}
