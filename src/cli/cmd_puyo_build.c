// keiko puyo build: how large a chain does an agent build alone? See app/puyo_build.h.
#include "app/puyo_build.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "games/puyo/puyo_solo.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct options {
    common all;
    const char *agent, *seeds, *pairs;
    int64_t moves, threads;
    bool json, each;
} options;

#define AT(field) offsetof(options, field)
static const opt opts[] = {
    ROW_TEXT("agent", AT(agent), "SPEC", "beam", "Agent that builds", .letter = 'a', .choices = "agents"),
    ROW_TEXT("seeds", AT(seeds), "A-B", "1-10",
             "Range of seeds, one game per seed; with arcade pairs the 16-bit seed of the arcade generator"),
    ROW_INT("moves", AT(moves), "N", "50", 1, PY_LIMIT_MAX, "Pairs per game"),
    ROW_CHOICE("pairs", AT(pairs), "KIND", "arcade", "arcade|blocks|uniform", "Pair generator"),
    ROW_INT("threads", AT(threads), "N", "1", 0, 256, "Number of games played in parallel; 0 = one per core",
            .letter = 't'),
    ROW_FLAG("each", AT(each), NULL, "Print one line per game"),
    OPT_JSON(options),
};

static void tick(void *bar)
{
    progress_tick(bar, 1);
}

static void print_games(const puyo_build_options *b, const puyo_built *games)
{
    printf("%6s %9s %5s %4s %9s %9s %8s\n", "seed", "best", "links", "at", "fired", "points", "CPU ms");
    for (int i = 0; i < b->games; i++) {
        const puyo_built *g = &games[i];
        if (!g->done) continue;
        printf("%6u %9d %5d %4d %9d %9u %8.1f%s\n", b->first + (uint32_t)i, g->best, g->links, g->at, g->fired,
               g->score, 1000 * g->cpu / (g->placed > 0 ? g->placed : 1), g->buried ? "  buried" : "");
    }
}

static void print_summary(const puyo_build_options *b, const puyo_build_summary *s)
{
    printf("%s, %d games of %d moves, %s pairs\n", b->agent, s->n, b->moves, b->pairs);
    printf("best available chain  %.0f points (standard error %.0f), %.2f links, after %.1f moves\n", s->best, s->error,
           s->links, s->at);
    printf("of 50,000 points %d games, of 75,000 %d, of 100,000 %d; buried %d\n", s->over[0], s->over[1], s->over[2],
           s->buried);
    printf("largest fired         %.0f points, %.2f links; all chains %.0f points\n", s->fired, s->longest, s->score);
    printf("CPU time per move     %.4f s, %.0f fields\n", s->cpu, s->nodes);
}

static int run(const void *options_)
{
    const options *o = options_;
    puyo_build_options b = {
        .agent = o->agent, .pairs = o->pairs, .moves = (int)o->moves, .threads = (int)o->threads, .tick = tick};
    puyo_build_summary s;
    text_buf t = {0};
    if (puyo_build_seeds(o->seeds, &b.first, &b.games) != ERR_OK) return cli_fail("puyo build");
    puyo_built *games = calloc((size_t)b.games, sizeof *games);
    err e = games == NULL ? err_set(ERR_MEMORY, "no memory for %d games", b.games) : ERR_OK;
    stop_install(NULL);
    if (e == ERR_OK) {
        b.ctx = cli_progress(&o->all, "building", "games", (uint64_t)b.games);
        e = puyo_build(&b, games, &s);
        progress_finish(b.ctx);
    }
    if (e == ERR_OK && o->json) {
        json_writer w = json_begin(&t, true);
        puyo_build_json(&w, &b, games, &s);
        e = cli_put(&t, json_finish(&w));
    } else if (e == ERR_OK) {
        if (o->each) print_games(&b, games);
        print_summary(&b, &s);
    }
    free(games);
    return e != ERR_OK ? cli_fail("puyo build") : stop_requested() ? 1 : 0;
}

const command cmd_puyo_build = {
    CALLED("puyo build", "Measure how large a chain an agent builds in solo play"),
    .about =
        "Plays one game of puyo-solo per seed and reports the best available chain (the most points that the current or the next pair could fire at any time), the largest chain fired, and the CPU time per move. docs/lab/PUYO-BEAM.md has reference results.",
    .examples = "keiko puyo build --agent beam --seeds 1-100\n"
                "keiko puyo build --agent beam:width=60,depth=12 --seeds 1-20 --each\n"
                "keiko puyo build --agent greedy --pairs blocks --json",
    RUNS(run, options, WITH_OPTS(opts)),
};
