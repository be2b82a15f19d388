// Training, matches and lists through the public API. See include/keiko.h.
#include "app/train.h"

#include "api/api.h"
#include "app/bench.h"
#include "app/catalogue.h"
#include "base/clock.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// The struct's own members as a layer of options, which refuses what is out of range; 0 is the default. A seed belongs to a new run.
static err options_text(const keiko_training *t, text_buf *to)
{
    char number[JSON_NUMBER_TEXT];
    if (isnan(t->minutes)) return err_set(ERR_USAGE, "minutes must be a number, not NaN");
    if (t->minutes != 0) json_number_text(t->minutes, number), text_printf(to, "minutes = %s\n", number);
    if (t->steps > 0) text_printf(to, "steps = %" PRIu64 "\n", t->steps);
    if (t->games > 0) text_printf(to, "games = %" PRIu64 "\n", t->games);
    if (t->threads > 0) text_printf(to, "threads = %d\n", t->threads);
    if (t->backend != NULL) text_printf(to, "backend = \"%s\"\n", t->backend);
    if (!t->resume) text_printf(to, "seed = %" PRIu64 "\n", t->seed % 9000000000000000u);
    return text_check(to);
}

int keiko_train(const keiko_game *g, const keiko_training *t, keiko_progress *end)
{
    keiko_training whole;
    text_buf own = {0};
    train_result r;
    err e = api_options(&whole, sizeof whole, t, "keiko_training");
    if (e != ERR_OK) return (int)e;
    t = &whole;
    caller c = {t, clock_seconds()};
    e = options_text(t, &own);
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

// As many as `keiko bench --parallel` takes.
static err check_threads(int n)
{
    return n >= 0 && n <= 1024 ? ERR_OK : err_set(ERR_USAGE, "0 to 1024 threads, not %d", n);
}

int keiko_match(const keiko_game *g, const char *first, const char *second, int pairs, uint64_t seed, int threads,
                keiko_score *out)
{
    bench_score s;
    err e = check_threads(threads);
    if (e == ERR_OK) e = bench_pair(&s, api_game(g), first, second, pairs, seed, threads);
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

int keiko_bench(const char *config, const char *folder, int threads, char **json)
{
    text_buf t = {0};
    bench_ask a = {0};
    bench_result r = {0};
    err e = check_threads(threads);
    if (e == ERR_OK) e = bench_ask_defaults(&a);
    a.build = keiko_build();
    if (e == ERR_OK) e = bench_ask_json(&a, config, strlen(config), "config");
    if (e == ERR_OK) e = bench_run(&r, &a, &(bench_run_options){.output = folder, .threads = threads, .json = &t});
    bench_result_free(&r);
    bench_ask_free(&a);
    return api_text(e, &t, json);
}

// --- lists

static err put_models(json_writer *w)
{
    catalogue_model *m = NULL;
    int n = 0;
    err e = catalogue_models(false, &m, &n);
    if (e == ERR_OK) catalogue_models_json(w, m, n);
    catalogue_models_free(m, n);
    return e;
}

int keiko_list(const char *what, const keiko_game *game_or_all, char **json)
{
    text_buf t = {0};
    err e = ERR_OK;
    const game *g = game_or_all == NULL ? NULL : api_game(game_or_all);
    json_writer w = json_begin(&t, true);
    if (strcmp(what, "models") == 0)
        e = put_models(&w);
    else if (!catalogue_list_json(&w, what, g))
        e = err_set(ERR_USAGE, "there is no list '%s'; there are: games, agents, levels, models", what);
    if (e == ERR_OK) e = json_finish(&w);
    return api_text(e, &t, json);
}
