// The usual way through the bench: begin or continue a run, play it with a progress bar, print and write what came of it.
#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 4, FITTED_MOST = 12 }; // players in the progress line; with more a fit several times a second would cost

typedef struct screen {
    progress *bar;
    double table_at; // when the table was last logged
} screen;

// Ratings so far, without the first-move term: the counts of a watcher do not know it.
static err live_fit(const play_live *now, rating_fit *f)
{
    tally t = {0};
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < now->setup->n_players; i++) {
        int at;
        e = roster_add(&t.who, now->setup->player[i].name, &at);
    }
    for (int i = 0; e == ERR_OK && i < now->plan->n_pairings; i++) {
        const play_cell *c = &now->cell[i];
        const uint16_t *p = now->plan->pairing[i];
        e = tally_add(&t, p[0], p[1], (double)c->wins[0], (double)c->draws, (double)c->wins[1]);
    }
    if (e == ERR_OK) e = rating_fit_tally(f, &t, &(rating_options){.no_advantage = true, .prior_draws = 1});
    tally_free(&t);
    return e;
}

static void show_table(screen *s, const play_live *now)
{
    rating_fit f;
    char line[160] = "";
    int n = now->setup->n_players, at = 0;
    if (n > FITTED_MOST || now->played == 0 || live_fit(now, &f) != ERR_OK) return;
    bool used[FITTED_MOST] = {false};
    for (int k = 0; k < n && k < SHOWN; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!used[i] && (best < 0 || f.rating[i] > f.rating[best])) best = i;
        used[best] = true;
        int room = (int)sizeof line - at;
        int len = snprintf(line + at, (size_t)room, "%s%.20s %.0f", k ? ", " : "", now->setup->player[best].name,
                           f.rating[best]);
        if (len >= room) break;
        at += len;
    }
    progress_extra(s->bar, "%s", line);
    if (log_on(LOG_INFO) && clock_seconds() - s->table_at > 30) {
        s->table_at = clock_seconds();
        for (int i = 0; i < n; i++)
            log_info("%-24s %7.0f ± %.0f", now->setup->player[i].name, f.rating[i],
                     1.96 * rating_se(&f, ERRORS_BEST, i));
    }
    rating_free(&f);
}

static void watch(void *ctx, const play_live *now)
{
    screen *s = ctx;
    progress_set(s->bar, now->played);
    if (now->setup->has_sprt)
        progress_extra(s->bar, "LLR %.2f (%.2f, %.2f), about %.0f games left", now->test.llr, now->test.lower,
                       now->test.upper, now->test.left);
    else
        show_table(s, now);
}

static err play_run(store *s, int run, const tour_setup *setup, const tour_state *state, const bench_options *o,
                    play_end *end)
{
    screen sc = {.table_at = clock_seconds()};
    uint64_t total = 0;
    schedule plan;
    err e = schedule_make(&plan, setup->schedule, setup->n_players, setup->games);
    if (e != ERR_OK) return e;
    total = setup->has_sprt ? 0 : plan.n; // a test ends long before the most games it may take
    schedule_free(&plan);
    sc.bar = progress_new(&(progress_options){.label = "bench",
                                              .unit = "games",
                                              .total = total,
                                              .start = state->played,
                                              .quiet = o->all.quiet,
                                              .verbose = o->all.verbose,
                                              .color = o->all.color});
    e = tour_play(s, run, setup,
                  &(play_options){.threads = (int)o->parallel, .no_clock = !o->timing, .watch = watch, .ctx = &sc},
                  end);
    progress_finish(sc.bar);
    if (!o->all.quiet && end->fresh > 0) {
        char took[CLOCK_TEXT], judged[100] = "";
        if (end->stop > 0 && end->played > end->stop)
            snprintf(judged, sizeof judged, "; %llu judged, %llu in flight not counted", (unsigned long long)end->stop,
                     (unsigned long long)(end->played - end->stop));
        fprintf(stderr, "%llu games in %s (%.0f a second)%s\n", (unsigned long long)end->fresh,
                clock_duration(end->seconds, took), (double)end->fresh / end->seconds, judged);
    }
    return e;
}

static err open_store(store **s, const bench_options *o, const bench_files *f)
{
    if (o->resume && (!o->store || !store_has_files()))
        return err_set(ERR_USAGE, o->store
                                      ? "--resume needs the store, and this keiko was built without SQLite (install "
                                        "libsqlite3-dev and build again)"
                                      : "--resume needs the store; leave --no-store out");
    if (o->store && store_has_files()) return store_open_file(s, f->store, true);
    if (o->store)
        log_warn("built without SQLite: the results are written at the end only, and the run cannot be resumed");
    return store_open_memory(s);
}

static err nothing_to_resume(const char *path)
{
    return err_set(ERR_MISSING, "%s holds no run to resume; leave --resume out to begin one", path);
}

// The last run of the store, if it is to be continued; `*run` stays 0 when a new one must be begun.
static err find_run(store *s, const bench_options *asked, tour_setup *setup, tour_state *state, int *run)
{
    *run = 0;
    if (!asked->resume) return ERR_OK;
    if (store_runs(s) == 0) return nothing_to_resume(store_path(s));
    err e = store_load(s, 0, setup, state);
    if (e != ERR_OK) return e;
    tour_setup now = {0};
    bench_options settled;
    if (bench_described(asked)) {
        e = bench_setup(&now, asked, &settled);
        if (e == ERR_OK) e = tour_setup_same(setup, &now);
        tour_setup_free(&now);
    }
    char build[TOUR_TEXT];
    snprintf(build, sizeof build, "%s", setup->build);
    if (e == ERR_OK && bench_setup(&now, asked, &settled) == ERR_OK) {
        if (strcmp(now.build, build) != 0)
            log_warn("the run began with another build (%s, now %s): its players may play differently", build,
                     now.build);
        tour_setup_free(&now);
    }
    if (e != ERR_OK)
        tour_setup_free(setup);
    else
        *run = state->run;
    return e;
}

typedef struct bench_once { // one run, from the options to its numbers
    tour_view view;
    bool loaded;
    err stopped; // ERR_STOPPED: Ctrl-C
} bench_once;

static err begin_run(store *s, const bench_options *asked, bench_options *settled, int number, tour_setup *setup,
                     int *run)
{
    err e = bench_setup(setup, asked, settled);
    if (e != ERR_OK) return e;
    setup->seed += (uint64_t)(number > 0 ? number - 1 : 0);
    if (setup->games % 2 == 1 && !asked->all.quiet)
        fprintf(stderr, "note: %llu games a pairing is odd: the last opening is played once, the first named begins\n",
                (unsigned long long)setup->games);
    e = bench_openings(setup, settled);
    if (e == ERR_OK) e = store_begin(s, setup, clock_unix(), run);
    if (e != ERR_OK) tour_setup_free(setup);
    return e;
}

// Plays a run and leaves its numbers in `once`. `number`: of a repeated run, from 1; 0 = the only one.
static err play_once(const bench_options *asked, int number, bench_once *once)
{
    bench_files f;
    bench_options settled = *asked;
    view_options how;
    store *s = NULL;
    tour_setup setup = {0};
    tour_state state = {0};
    play_end end = {0};
    int run = 0;
    err e = bench_paths(&f, asked->output, number);
    if (e == ERR_OK) e = bench_view_options(&how, &asked->ratings, asked->seed);
    if (e == ERR_OK && !(asked->resume && store_has_files())) { // a wrong word must not leave an empty store behind
        e = bench_setup(&setup, asked, &settled);
        if (e == ERR_OK) e = bench_check_players(&setup, asked->all.quiet);
        tour_setup_free(&setup);
    }
    if (e == ERR_OK && asked->resume && asked->store && store_has_files() && !file_exists(f.store))
        e = nothing_to_resume(asked->output);
    if (e == ERR_OK) e = open_store(&s, asked, &f);
    if (e == ERR_OK) e = find_run(s, asked, &setup, &state, &run);
    if (e == ERR_OK && run == 0) e = begin_run(s, asked, &settled, number, &setup, &run);
    if (e == ERR_OK && state.ended <= 0) {
        e = play_run(s, run, &setup, &state, asked, &end);
        once->stopped = e == ERR_STOPPED ? e : ERR_OK;
        if (e == ERR_STOPPED) e = ERR_OK; // what was played is shown and written
    } else if (e == ERR_OK && !asked->all.quiet) {
        fprintf(stderr, "the last run in %s is complete\n", store_path(s));
    }
    if (e == ERR_OK) e = view_load(&once->view, s, run, &how);
    once->loaded = e == ERR_OK;
    if (e == ERR_OK) e = bench_write(&once->view, s, &settled, &f);
    tour_setup_free(&setup);
    store_close(s);
    return e;
}

// --- repeated runs

static void print_spread(const char *const *names, const double *bt, const double *seq, int players, int runs)
{
    printf("\nRatings over %d runs with different seeds\n", runs);
    printf("  %-24s %9s %9s %14s %14s\n", "player", "mean", "SD", "mean, K=32", "SD, K=32");
    for (int i = 0; i < players; i++) {
        double sum[2] = {0}, sq[2] = {0};
        for (int k = 0; k < runs; k++) {
            const double x[2] = {bt[k * players + i], seq[k * players + i]};
            for (int m = 0; m < 2; m++) sum[m] += x[m];
        }
        for (int k = 0; k < runs; k++) {
            const double x[2] = {bt[k * players + i], seq[k * players + i]};
            for (int m = 0; m < 2; m++) sq[m] += (x[m] - sum[m] / runs) * (x[m] - sum[m] / runs);
        }
        printf("  %-24s %9.1f %9.1f %14.1f %14.1f\n", names[i], sum[0] / runs, sqrt(sq[0] / (runs - 1)), sum[1] / runs,
               sqrt(sq[1] / (runs - 1)));
    }
}

static int repeat(const bench_options *o)
{
    int runs = (int)o->repeat, done = 0, players = 0;
    double *bt = NULL, *seq = NULL;
    const char **names = NULL;
    bench_once last = {0};
    err e = ERR_OK;
    if (o->resume) {
        err_set(ERR_USAGE, "--resume continues one run; leave --repeat out");
        return cli_fail("bench");
    }
    for (int k = 1; e == ERR_OK && k <= runs && last.stopped == ERR_OK; k++) {
        if (last.loaded) view_free(&last.view);
        last = (bench_once){0};
        if (!o->all.quiet) fprintf(stderr, "run %d of %d\n", k, runs);
        e = play_once(o, k, &last);
        if (e != ERR_OK || last.stopped != ERR_OK || !last.view.rated) break;
        if (players == 0) {
            players = last.view.setup.n_players;
            bt = calloc((size_t)runs * (size_t)players, sizeof *bt);
            seq = calloc((size_t)runs * (size_t)players, sizeof *seq);
            names = calloc((size_t)players, sizeof *names);
            if (bt == NULL || seq == NULL || names == NULL) e = err_set(ERR_MEMORY, "no memory for %d runs", runs);
        }
        for (int i = 0; e == ERR_OK && i < players; i++) {
            bt[done * players + i] = last.view.fit.rating[i];
            seq[done * players + i] = last.view.sequential[i];
            names[i] = last.view.setup.player[i].name;
        }
        if (e == ERR_OK) done++;
    }
    if (e == ERR_OK && last.loaded) bench_print(&last.view, o);
    if (e == ERR_OK && done > 1) print_spread(names, bt, seq, players, done);
    int status = e != ERR_OK ? cli_fail("bench") : last.stopped != ERR_OK ? 128 + stop_signal() : 0;
    if (last.loaded) view_free(&last.view);
    free(bt);
    free(seq);
    free(names);
    return status;
}

int bench_play(const bench_options *o)
{
    stop_install("\nstopping: games under way are given up, finished ones are kept (again to stop at once)\n");
    if (o->repeat > 1) return repeat(o);
    bench_once once = {0};
    int status = 0;
    err e = play_once(o, 0, &once);
    if (e != ERR_OK)
        status = cli_fail("bench");
    else
        bench_print(&once.view, o);
    if (status == 0 && o->levels != NULL) status = bench_levels_check(&once.view, o);
    if (once.stopped != ERR_OK || e == ERR_STOPPED) status = 128 + stop_signal();
    if (once.loaded) view_free(&once.view);
    return status;
}
