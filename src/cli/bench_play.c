// `keiko bench` while it plays: the progress line, notes, and the tables at the end.
#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/bench.h"
#include "keiko.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 4, FITTED_MOST = 12 }; // players in the progress line; with more a fit several times a second would cost

typedef struct screen {
    const bench_options *o;
    progress *bar;
    double table_at; // when the table was last logged
} screen;

static void show_table(screen *s, const tour_live *now)
{
    rating_fit f;
    char line[160] = "";
    int n = now->setup->n_players, at = 0;
    if (n > FITTED_MOST || now->played == 0 || bench_live_fit(now, &f) != ERR_OK) return;
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

static void watch(void *ctx, const tour_live *now)
{
    screen *s = ctx;
    progress_set(s->bar, now->played);
    if (now->setup->has_sprt)
        progress_extra(s->bar, "LLR %.2f (%.2f, %.2f), about %.0f games left", now->test.llr, now->test.lower,
                       now->test.upper, now->test.left);
    else
        show_table(s, now);
}

static void begin(void *ctx, const tour_setup *setup, uint64_t total, uint64_t played)
{
    screen *s = ctx;
    (void)setup;
    s->bar = progress_new(&(progress_options){.label = "bench",
                                              .unit = "games",
                                              .total = total,
                                              .start = played,
                                              .quiet = s->o->all.quiet,
                                              .verbose = s->o->all.verbose,
                                              .color = s->o->all.color});
}

static void end(void *ctx, const tour_end *e)
{
    screen *s = ctx;
    progress_finish(s->bar);
    if (s->o->all.quiet || e->fresh == 0) return;
    char took[CLOCK_TEXT], each[CLOCK_TEXT], rate[40], judged[100] = "";
    double games = (double)e->fresh;
    if (e->stop > 0 && e->played > e->stop)
        snprintf(judged, sizeof judged, "; %llu judged, %llu in flight not counted", (unsigned long long)e->stop,
                 (unsigned long long)(e->played - e->stop));
    if (games >= 10 * e->seconds)
        snprintf(rate, sizeof rate, "%.0f per second", games / e->seconds);
    else
        snprintf(rate, sizeof rate, "%s per game", clock_duration(e->seconds / games, each));
    fprintf(stderr, "%llu game%s in %s (%s)%s\n", (unsigned long long)e->fresh, e->fresh == 1 ? "" : "s",
            clock_duration(e->seconds, took), rate, judged);
}

static void note(void *ctx, const char *text)
{
    const screen *s = ctx;
    if (!s->o->all.quiet) fprintf(stderr, "%s\n", text);
}

static void print_spread(const bench_spread *s)
{
    printf("\nRatings over %d runs with different seeds\n", s->runs);
    printf("  %-24s %9s %9s %14s %14s\n", "player", "mean", "SD", "mean, K=32", "SD, K=32");
    for (int i = 0; i < s->players; i++) {
        bench_deviation fit = bench_deviation_of(s, s->rating, i), seq = bench_deviation_of(s, s->sequential, i);
        printf("  %-24s %9.1f %9.1f %14.1f %14.1f\n", s->name[i], fit.mean, fit.sd, seq.mean, seq.sd);
    }
}

int bench_play(const bench_options *o)
{
    char build[TOUR_TEXT];
    screen sc = {.o = o, .table_at = clock_seconds()};
    bench_ask ask = bench_asked(o);
    bench_result r = {0};
    bench_spread spread = {0};
    snprintf(build, sizeof build, "%s %s", keiko_version(), keiko_build());
    ask.build = build;
    bench_run_options how = {.output = o->output,
                             .resume = o->resume,
                             .no_store = !o->store,
                             .no_timing = !o->timing,
                             .lines = o->lines,
                             .threads = (int)o->parallel,
                             .nats = o->nats.url != NULL ? &o->nats : NULL,
                             .version = keiko_version(),
                             .view = bench_view_options(&o->ratings, opt_values_of(o), o->ask.seed),
                             .note = note,
                             .begin = begin,
                             .watch = watch,
                             .end = end,
                             .ctx = &sc};
    stop_install("\nstopping: games under way are given up, finished ones are kept (again to stop at once)\n");
    err e = o->repeat > 1 ? bench_repeat(&spread, &r, &ask, &how, (int)o->repeat) : bench_run(&r, &ask, &how);
    int status = e == ERR_OK ? 0 : cli_fail("bench");
    if (r.loaded && e == ERR_OK) bench_print(&r.view, o);
    if (e == ERR_OK && spread.runs > 1) print_spread(&spread);
    if (e == ERR_OK && o->ask.levels != NULL) status = bench_print_gaps(&r.view);
    if (r.stopped || e == ERR_STOPPED) status = 128 + stop_signal();
    bench_spread_free(&spread);
    bench_result_free(&r);
    bench_ask_free(&ask);
    return status;
}
