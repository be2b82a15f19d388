// keiko puyo build: how large a chain does an agent build alone?
//
// What counts is the best chain available: after each placement, the most points that the pair at hand, or the one after
// it, could fire, whether the agent fires it or not; its maximum over the game is the game's figure. Games are independent
// and keyed by their seed, so the figures do not depend on --threads; the CPU time is that of the agent's choices alone.
#include "agents/agent.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/stop.h"
#include "cli/cli.h"
#include "games/puyo/puyo_solo.h"
#include "search/puyo/puyo_beam.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *agent, *seeds, *pairs;
    int64_t moves, threads;
    bool json, each;
} options;

static const opt opts[] = {
    {.name = "agent",
     .letter = 'a',
     .kind = OPT_TEXT,
     .at = offsetof(options, agent),
     .value = "SPEC",
     .preset = "beam",
     .choices = "agents",
     .help = "who builds"},
    {.name = "seeds",
     .kind = OPT_TEXT,
     .at = offsetof(options, seeds),
     .value = "A-B",
     .preset = "1-10",
     .help = "the games: one a seed, which with arcade pairs is the machine's 16-bit seed"},
    {.name = "moves",
     .kind = OPT_INT,
     .at = offsetof(options, moves),
     .value = "N",
     .preset = "50",
     .low = 1,
     .high = PY_LIMIT_MAX,
     .help = "pairs to place in a game"},
    {.name = "pairs",
     .kind = OPT_CHOICE,
     .at = offsetof(options, pairs),
     .choices = "arcade|blocks|uniform",
     .preset = "arcade",
     .value = "KIND",
     .help = "where pairs come from"},
    {.name = "threads",
     .kind = OPT_INT,
     .at = offsetof(options, threads),
     .value = "N",
     .preset = "1",
     .low = 0,
     .high = 256,
     .help = "games at once, 0 = one a core"},
    {.name = "each", .kind = OPT_FLAG, .at = offsetof(options, each), .help = "a line a game"},
    {.name = "json", .kind = OPT_FLAG, .at = offsetof(options, json), .help = "print JSON"},
};

typedef struct build {
    bool done, buried;
    int best, links;    // of the chain available
    int fired, longest; // the largest fired
    int at;             // placements made when the best was there
    int placed;
    uint32_t score; // of all chains fired
    double cpu;     // seconds in the agent
    uint64_t nodes;
} build;

typedef struct work {
    const options *o;
    const game *g;
    uint32_t first;
    int n;
    build *games;
    agent **agents; // [threads]
    progress *bar;
    err failed;
    char why[300];
} work;

static void look(build *b, const py_solo *s)
{
    int links, points = puyo_best_available(&s->field, s->window, 2, s->reach, PY_LOSE_TSU, &links);
    if (points <= b->best) return;
    b->best = points;
    b->links = links;
    b->at = (int)s->placed;
}

// The key's run is a constant, so that a seed means the same game everywhere. Arcade games take the seed as it is.
static err begin_game(const work *w, uint32_t seed, py_solo *s)
{
    char text[64];
    snprintf(text, sizeof text, "pairs=%s,moves=%d", w->o->pairs, (int)w->o->moves);
    err e = w->g->init(s, text, (game_key){1, seed});
    if (e != ERR_OK || s->queue.kind != PY_ARCADE) return e;
    py_arcade((uint16_t)seed, s->queue.colours, s->queue.ring);
    for (uint32_t i = 0; i < PY_SHOWN; i++) s->window[i] = py_queue_get(&s->queue, i);
    return ERR_OK;
}

static err play_game(const work *w, uint32_t seed, agent *a, build *b)
{
    py_solo s, obs;
    err e = begin_game(w, seed, &s);
    agent_begin(a, (game_key){1, seed}, 0);
    while (e == ERR_OK && !w->g->result(&s).over && !stop_requested()) {
        agent_choice c;
        look(b, &s);
        w->g->observe(&s, 0, &obs);
        double start = clock_cpu_seconds();
        double own = clock_thread_cpu_seconds();
        e = agent_choose(a, &obs, &c);
        // With one game at a time the agent may have threads of its own; with several, only this thread is its.
        b->cpu += w->o->threads == 1 ? clock_cpu_seconds() - start : clock_thread_cpu_seconds() - own;
        if (e != ERR_OK) break;
        b->nodes += c.nodes;
        w->g->play(&s, c.move, NULL);
    }
    if (e != ERR_OK || stop_requested()) return e;
    b->fired = (int)s.best;
    b->longest = (int)s.longest;
    b->score = s.score;
    b->placed = (int)s.placed;
    b->buried = s.buried;
    b->done = true;
    return ERR_OK;
}

static void play_task(void *ctx, int task, int worker)
{
    work *w = ctx;
    err none = ERR_OK;
    if (stop_requested() || __atomic_load_n(&w->failed, __ATOMIC_RELAXED) != ERR_OK) return;
    err e = play_game(w, w->first + (uint32_t)task, w->agents[worker], &w->games[task]);
    progress_tick(w->bar, 1);
    if (e == ERR_OK || !__atomic_compare_exchange_n(&w->failed, &none, e, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    snprintf(w->why, sizeof w->why, "%s", err_text()); // the sentence belongs to this thread
}

// --- the report

typedef struct summary {
    int n, buried;
    double best, error, links, fired, longest, score, at, cpu, nodes; // means; error: standard error of best
    int over[3];                                                      // games with 50, 75 and 100 thousand or more
    int chains[20];                                                   // games by links of the best
} summary;

static summary sum_up(const work *w)
{
    summary s = {0};
    double squares = 0, moves = 0;
    for (int i = 0; i < w->n; i++) {
        const build *b = &w->games[i];
        if (!b->done) continue;
        s.n++;
        s.buried += b->buried;
        s.best += b->best;
        squares += (double)b->best * b->best;
        s.links += b->links;
        s.fired += b->fired;
        s.longest += b->longest;
        s.score += b->score;
        s.at += b->at;
        s.cpu += b->cpu;
        s.nodes += (double)b->nodes;
        moves += b->placed;
        s.over[0] += b->best >= 50000;
        s.over[1] += b->best >= 75000;
        s.over[2] += b->best >= 100000;
        s.chains[b->links < 19 ? b->links : 19]++;
    }
    if (s.n == 0) return s;
    double n = s.n;
    s.best /= n, s.links /= n, s.fired /= n, s.longest /= n, s.score /= n, s.at /= n;
    s.cpu /= moves;
    s.nodes /= moves;
    s.error = n > 1 ? sqrt(fmax(squares / n - s.best * s.best, 0) / (n - 1)) : 0;
    return s;
}

static void print_text(const work *w, const summary *s)
{
    if (w->o->each) {
        printf("%6s %9s %5s %4s %9s %9s %8s\n", "seed", "best", "links", "at", "fired", "points", "CPU ms");
        for (int i = 0; i < w->n; i++) {
            const build *b = &w->games[i];
            if (b->done)
                printf("%6u %9d %5d %4d %9d %9u %8.1f%s\n", w->first + (uint32_t)i, b->best, b->links, b->at, b->fired,
                       b->score, 1000 * b->cpu / (b->placed > 0 ? b->placed : 1), b->buried ? "  buried" : "");
        }
    }
    printf("%s, %d games of %d moves, %s pairs\n", w->o->agent, s->n, (int)w->o->moves, w->o->pairs);
    printf("best available chain  %.0f points (standard error %.0f), %.2f links, after %.1f moves\n", s->best, s->error,
           s->links, s->at);
    printf("of 50,000 points %d games, of 75,000 %d, of 100,000 %d; buried %d\n", s->over[0], s->over[1], s->over[2],
           s->buried);
    printf("largest fired         %.0f points, %.2f links; all chains %.0f points\n", s->fired, s->longest, s->score);
    printf("CPU time a move       %.4f s, %.0f fields\n", s->cpu, s->nodes);
}

static err print_json(const work *w, const summary *s)
{
    text_buf t = {0};
    json_writer j = json_begin(&t, true);
    json_open_object(&j);
    json_pair_text(&j, "agent", w->o->agent);
    json_pair_text(&j, "pairs", w->o->pairs);
    json_pair_int(&j, "moves", w->o->moves);
    json_pair_int(&j, "games", s->n);
    json_pair_number(&j, "best", s->best);
    json_pair_number(&j, "best_error", s->error);
    json_pair_number(&j, "best_links", s->links);
    json_pair_number(&j, "best_at", s->at);
    json_pair_number(&j, "fired", s->fired);
    json_pair_number(&j, "fired_links", s->longest);
    json_pair_number(&j, "points", s->score);
    json_pair_int(&j, "over_100000", s->over[2]);
    json_pair_int(&j, "buried", s->buried);
    json_pair_number(&j, "cpu_seconds_a_move", s->cpu);
    json_pair_number(&j, "fields_a_move", s->nodes);
    json_pair_array(&j, "seeds");
    for (int i = 0; i < w->n; i++) {
        const build *b = &w->games[i];
        if (!b->done) continue;
        json_open_object(&j);
        json_pair_int(&j, "seed", (int64_t)w->first + i);
        json_pair_int(&j, "best", b->best);
        json_pair_int(&j, "links", b->links);
        json_pair_int(&j, "at", b->at);
        json_pair_int(&j, "fired", b->fired);
        json_pair_int(&j, "points", b->score);
        json_pair_bool(&j, "buried", b->buried);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    err e = json_finish(&j);
    if (e == ERR_OK) printf("%s", text_str(&t));
    text_free(&t);
    return e;
}

static err parse_seeds(const char *text, uint32_t *first, int *n)
{
    char *end;
    long a = strtol(text, &end, 10), b = a;
    if (end != text && *end == '-') {
        const char *second = end + 1;
        b = strtol(second, &end, 10);
        if (end == second) end = (char *)text;
    }
    if (end == text || *end != 0 || a < 0 || b < a || b > 65535)
        return err_set(ERR_USAGE, "--seeds %s: expected a seed or a range like 1-100, from 0 to 65535", text);
    *first = (uint32_t)a;
    *n = (int)(b - a + 1);
    return ERR_OK;
}

static int run(const void *options_)
{
    const options *o = options_;
    work w = {.o = o};
    err e = game_find("puyo-solo", &w.g);
    if (e == ERR_OK) e = parse_seeds(o->seeds, &w.first, &w.n);
    if (e != ERR_OK) return cli_fail("puyo build");
    stop_install(NULL);
    pool *p = o->threads == 1 ? NULL : pool_new((int)o->threads);
    int threads = pool_threads(p);
    w.games = calloc((size_t)w.n, sizeof *w.games);
    w.agents = calloc((size_t)threads, sizeof *w.agents);
    if (w.games == NULL || w.agents == NULL) e = err_set(ERR_MEMORY, "no memory for %d games", w.n);
    for (int i = 0; e == ERR_OK && i < threads; i++) e = agent_open(&w.agents[i], w.g, o->agent);
    if (e == ERR_OK) {
        w.bar = progress_new(&(progress_options){.label = "building",
                                                 .unit = "games",
                                                 .total = (uint64_t)w.n,
                                                 .quiet = o->all.quiet,
                                                 .verbose = o->all.verbose,
                                                 .color = o->all.color});
        pool_run(p, w.n, play_task, &w);
        progress_finish(w.bar);
        if (w.failed != ERR_OK) e = err_set(w.failed, "%s", w.why);
    }
    if (e == ERR_OK) {
        summary s = sum_up(&w);
        if (s.n == 0)
            e = err_set(ERR_STOPPED, "stopped before a game was over");
        else if (o->json)
            e = print_json(&w, &s);
        else
            print_text(&w, &s);
    }
    for (int i = 0; w.agents != NULL && i < threads; i++) agent_close(w.agents[i]);
    free(w.agents);
    free(w.games);
    pool_free(p);
    return e != ERR_OK ? cli_fail("puyo build") : stop_requested() ? 1 : 0;
}

const command cmd_puyo_build = {
    .name = "puyo build",
    .summary = "measure how large a chain an agent builds alone",
    .about =
        "Plays one game of puyo-solo a seed and reports the best chain available (the most points that the pair at "
        "hand or the next one could fire, at any time in the game), what was fired, and the CPU time a move. "
        "docs/lab/PUYO-BEAM.md has figures to compare with.",
    .examples = "keiko puyo build --agent beam --seeds 1-100\n"
                "keiko puyo build --agent beam:width=60,depth=12 --seeds 1-20 --each\n"
                "keiko puyo build --agent greedy --pairs blocks --json",
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
