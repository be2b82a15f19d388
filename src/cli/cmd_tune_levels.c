// keiko tune levels: measure the levels of a game and write their rows.
#include "app/level_tune.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "keiko.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *game, *output, *write;
    int64_t games, seed, threads;
    bool resume;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {ARG_GAME(options, true)};
static const opt opts[] = {
    ROW_INT("games", AT(games), "N", "400", 2, 1e6, "Games per pair of neighbouring levels", .letter = 'n'),
    OPT_SEED(options),
    OPT_THREADS(options),
    ROW_DIR("output", AT(output), NULL, "Folder of the run; default: levels-GAME", .letter = 'o'),
    ROW_FLAG("resume", AT(resume), NULL, "Continue the run in that folder"),
    ROW_FILE("write", AT(write), NULL, "Replace the rows of the game in this copy of src/agents/level_rows.h"),
};

typedef struct screen {
    const options *o;
    progress *bar;
} screen;

static void begin(void *ctx, const tour_setup *setup, uint64_t total, uint64_t played)
{
    screen *s = ctx;
    (void)setup;
    s->bar = cli_progress(&s->o->all, "levels", "games", total);
    progress_set(s->bar, played);
}

static void watch(void *ctx, const tour_live *now)
{
    const screen *s = ctx;
    progress_set(s->bar, now->played);
}

static void end(void *ctx, const tour_end *e)
{
    screen *s = ctx;
    (void)e;
    progress_finish(s->bar);
}

static int print_gaps(const level_measured *m)
{
    int bad = 0;
    for (int i = 0; i < m->n_gaps; i++) {
        const level_gap *g = &m->gap[i];
        if (i == 0 || g->least != m->gap[i - 1].least)
            printf("\n%s: gaps in Elo (95 %% interval), wanted %d to %d\n", i == 0 ? "neighbours" : "names", g->least,
                   g->most);
        bad += !g->fits;
        printf("  %d - %d: %.0f (%.0f to %.0f)%s\n", g->to, g->from, g->elo, g->low, g->high,
               g->fits             ? ""
               : g->elo < g->least ? "  too small"
                                   : "  too large");
    }
    return bad;
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g;
    char folder[64], date[CLOCK_TEXT];
    level_measured m;
    screen s = {.o = o};
    text_buf rows = {0};
    if (game_find(o->game, &g) != ERR_OK) return cli_fail("tune levels");
    snprintf(folder, sizeof folder, "levels-%s/", g->name);
    stop_install("\nstopping: finished games are kept; --resume continues\n");
    bench_run_options how = {.output = o->output != NULL ? o->output : folder,
                             .resume = o->resume,
                             .threads = (int)o->threads,
                             .begin = begin,
                             .watch = watch,
                             .end = end,
                             .ctx = &s};
    if (level_measure(&m, g, o->games, o->seed, &how) != ERR_OK) return cli_fail("tune levels");
    clock_iso(clock_unix(), date);
    date[strlen("2026-11-16")] = 0;
    level_rows_text(g, &m, date, &rows);
    printf("%s", text_str(&rows));
    err e = o->write == NULL ? ERR_OK : level_rows_write(g, o->write, text_str(&rows));
    text_free(&rows);
    if (e != ERR_OK) return cli_fail("tune levels");
    return print_gaps(&m) > 0 ? 1 : 0;
}

const command cmd_tune_levels = {
    CALLED("tune levels", "Measure the levels of a game against their neighbours"),
    .about =
        "Plays each of the ten levels against the next, fits all results together, and prints the rows of the level table with the measured ratings (level 1 is 1000) and half of their 95 % intervals. Then it prints the gaps between neighbouring numbers (wanted: 100 to 200 Elo) and between names (200 to 400). The exit status is 1 if a gap is outside.\n\n"
        "To set levels again: change the specifications in src/agents/level_rows.h, build, run this command with --write src/agents/level_rows.h, and build again.",
    .examples = "keiko tune levels othello --games 400 --seed 7\n"
                "keiko tune levels renju --resume\n"
                "keiko tune levels puyo --write src/agents/level_rows.h",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
