// Training and matches through the public API. See include/keiko.h.
#include "api/api.h"
#include "app/bench.h"
#include "base/clock.h"
#include "learn/zero/az.h"

#include <stdlib.h>
#include <string.h>

// What config.txt keeps: the same names as `keiko train` has, so that either can go on with the other's run.
typedef struct settings {
    int64_t seed;
    az_config az;
} settings;

#define AT(f) offsetof(settings, az.f)
static const opt rows[] = {
    {.name = "seed",
     .kind = OPT_INT,
     .at = offsetof(settings, seed),
     .preset = "1",
     .low = 0,
     .high = 9e15,
     .help = "key"},
    AZ_OPTS(AT),
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct caller {
    const keiko_training *t;
    double begun;
} caller;

static keiko_progress progress_of(const az_state *z, double seconds)
{
    return (keiko_progress){.step = z->step,
                            .games = z->games,
                            .positions = z->positions,
                            .simulations = z->sims,
                            .seconds = seconds,
                            .loss = z->loss,
                            .rated = z->rated,
                            .elo = z->elo,
                            .elo_low = z->elo_low,
                            .elo_high = z->elo_high};
}

static bool each_round(void *ctx, const az_state *z)
{
    const caller *c = ctx;
    keiko_progress p = progress_of(z, clock_seconds() - c->begun);
    return c->t->each(c->t->ctx, &p) == 0;
}

static err settle(settings *s, const game *g, const keiko_training *t, opt_values *keep)
{
    const char *text;
    err e = opt_defaults(rows, ROWS, s);
    if (e == ERR_OK && t->resume) return run_config_load(t->run, rows, ROWS, s, keep);
    if (e == ERR_OK) s->seed = (int64_t)(t->seed % 9000000000000000u);
    if (e == ERR_OK) e = az_preset(g, t->preset == NULL ? "fast" : t->preset, &text);
    if (e == ERR_OK) e = opt_config_text(rows, ROWS, s, "preset", text, strlen(text), keep);
    if (e == ERR_OK && t->config != NULL)
        e = opt_config_text(rows, ROWS, s, "config", t->config, strlen(t->config), keep);
    return e;
}

static err train(const game *g, const keiko_training *t, const settings *s, keiko_progress *end)
{
    run_home *home = NULL;
    nn_net *net = NULL;
    az_state z;
    az_end how;
    caller c = {t, clock_seconds()};
    err e = ERR_OK;
    if (t->run != NULL)
        e = run_open(&home, &(run_options){.dir = t->run,
                                           .game = g->name,
                                           .algo = "zero",
                                           .version = keiko_version(),
                                           .resume = t->resume != 0,
                                           .opts = rows,
                                           .n_opts = ROWS,
                                           .values = s});
    if (e != ERR_OK) return e;
    az_options o = {.g = g,
                    .c = &s->az,
                    .home = home,
                    .seed = (uint64_t)s->seed,
                    .threads = t->threads,
                    .backend = t->backend == NULL ? "auto" : t->backend,
                    .minutes = t->minutes,
                    .steps = t->steps,
                    .games = t->games,
                    .each = t->each == NULL ? NULL : each_round,
                    .ctx = &c};
    e = az_train(&o, &z, &net, &how);
    if (e == ERR_OK && home != NULL)
        e = RUN_LOG(home, "done", (int64_t)z.step, RUN_T("why", how == AZ_STOPPED ? "stopped" : "limit"));
    run_close(home);
    if (e == ERR_OK && t->model != NULL) e = nn_net_save(net, t->model);
    if (e == ERR_OK && end != NULL) *end = progress_of(&z, clock_seconds() - c.begun);
    nn_net_free(net);
    return e;
}

int keiko_train(const keiko_game *g, const keiko_training *t, keiko_progress *end)
{
    settings s = {0};
    if (t->size != sizeof *t)
        return (int)err_set(
            ERR_USAGE, "keiko_training has %zu bytes here and %zu in your program: compile it against this library",
            sizeof *t, t->size);
    if (!(t->minutes > 0.0) && t->steps == 0 && t->games == 0)
        return (int)err_set(ERR_USAGE, "say how long to train: minutes, steps or games");
    if (t->resume && t->run == NULL) return (int)err_set(ERR_USAGE, "resume needs the run's folder");
    opt_values *keep = opt_keep();
    err e = keep == NULL ? err_set(ERR_MEMORY, "no memory for options") : settle(&s, api_game(g), t, keep);
    if (e == ERR_OK) e = train(api_game(g), t, &s, end);
    opt_free(keep);
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
