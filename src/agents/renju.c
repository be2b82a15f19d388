// The players of renju and gomoku: `alphabeta`, and `beginner`, `easy`, `medium`, `hard`, which are the same engine with other
// presets.
//
// A level differs from the next by depth, by whether it looks for wins by fours, and by how often it draws its move from
// those within `threshold` of the best instead of playing the best. Limits are plies and positions, so games can be
// repeated; `ms` is a cap that is off unless asked for.
#include "agents/careless.h"
#include "search/renju_ab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWN = 40 };      // moves among which a level draws
enum { USUAL_NODES = 200000 }; // where nothing else limits the search

typedef struct params {
    int64_t depth, ms, nodes, threshold, vcf, vct, leaf_vcf, near, hash, window, lmr_from, threads;
    double random;
    bool lmr, null_move, futility;
    int64_t five, open_four, four, open_three, three, open_two, two, four_three;
} params;

typedef struct mind {
    rj_ab *engine;
} mind;

#define INT_OPT(NAME, AT, LOW, HIGH, PRESET, HELP)                                                                     \
    {                                                                                                                  \
        .name = NAME, .kind = OPT_INT, .at = offsetof(params, AT), .value = "N", .low = LOW, .high = HIGH,             \
        .preset = PRESET, .help = HELP                                                                                 \
    }
#define SCORE_OPT(NAME, AT, PRESET, HELP) INT_OPT(NAME, AT, 0, 1e6, PRESET, "score: " HELP)
#define FLAG_OPT(NAME, AT, HELP)                                                                                       \
    {                                                                                                                  \
        .name = NAME, .kind = OPT_FLAG, .at = offsetof(params, AT), .preset = "yes", .help = HELP                      \
    }

#define LEVEL_OPTS(DEPTH, NODES, RANDOM, THRESHOLD, VCF, VCT, LEAF)                                                    \
    {                                                                                                                  \
        INT_OPT("depth", depth, 0, RJ_AB_DEPTH, DEPTH, "plies to search; 0 = until nodes or ms are spent"),            \
            INT_OPT("nodes", nodes, 0, 1e15, NODES,                                                                    \
                    "positions per move at most; 0 = no limit, but 200000 without depth, ms or a clock"),              \
            INT_OPT("ms", ms, 0, 1e9, "0", "milliseconds per move at most; 0 = no limit. Not reproducible"),           \
            {.name = "random",                                                                                         \
             .kind = OPT_NUMBER,                                                                                       \
             .at = offsetof(params, random),                                                                           \
             .value = "P",                                                                                             \
             .low = 0,                                                                                                 \
             .high = 1,                                                                                                \
             .preset = RANDOM,                                                                                         \
             .help = "how often the move is drawn from those within `threshold` of the best"},                         \
            INT_OPT("threshold", threshold, 0, 1e6, THRESHOLD, "how much worse a drawn move may be"),                  \
            INT_OPT("vcf", vcf, 0, 1e12, VCF, "moves tried to find a win by fours before the search; 0 = none"),       \
            INT_OPT("vct", vct, 0, 1e12, VCT, "… and one by fours and threes"),                                        \
            INT_OPT("leafVcf", leaf_vcf, 0, 1e6, LEAF, "moves tried for the same in each position of the tree"),       \
            INT_OPT("near", near, 1, 3, "2", "candidates are so near to a stone"),                                     \
            INT_OPT("hash", hash, 8, 30, "18", "the table has 2^N positions of 16 bytes"),                             \
            INT_OPT("threads", threads, 1, 256, "1", "threads; with more than one, choices are not reproducible"),     \
            INT_OPT("window", window, 0, 30000, "75", "half-width of the aspiration window; 0 = none"),                \
            FLAG_OPT("enableLMR", lmr, "search late moves as deep as early ones"),                                     \
            INT_OPT("lmrThreshold", lmr_from, 1, 400, "3", "the first late move"),                                     \
            FLAG_OPT("nullMove", null_move, "do not try a pass first"),                                                \
            FLAG_OPT("futility", futility, "do not leave out hopeless moves near the leaves"),                         \
            SCORE_OPT("five", five, "100000", "five in a row (a win, whatever it is)"),                                \
            SCORE_OPT("openFour", open_four, "10000", "a four that two stones complete (a win, whatever it is)"),      \
            SCORE_OPT("four", four, "1500", "a four"),                                                                 \
            SCORE_OPT("openThree", open_three, "1000", "a three that can become an open four"),                        \
            SCORE_OPT("three", three, "30", "another three"),                                                          \
            SCORE_OPT("openTwo", open_two, "50", "a two that can become an open three"),                               \
            SCORE_OPT("two", two, "10", "another two"),                                                                \
            SCORE_OPT("fourThree", four_three, "5000", "a move that makes a four and an open three"),                  \
    }

// The presets of a level: depth, nodes, random, threshold, wins by fours and by threats at the root, by
// fours in the tree.
static const opt alphabeta_opts[] = LEVEL_OPTS("0", "0", "0", "0", "200000", "20000", "60");
static const opt beginner_opts[] = LEVEL_OPTS("1", "10000", "0.4", "400", "0", "0", "0");
static const opt easy_opts[] = LEVEL_OPTS("3", "50000", "0.05", "200", "0", "0", "0");
static const opt medium_opts[] = LEVEL_OPTS("5", "200000", "0.18", "150", "5000", "0", "10");
static const opt hard_opts[] = LEVEL_OPTS("8", "600000", "0", "0", "200000", "20000", "60");

static err open_engine(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    rj_ab_options o = rj_ab_defaults();
    o.hash = (int)p->hash;
    o.near = (int)p->near;
    o.lmr = p->lmr;
    o.lmr_from = (int)p->lmr_from;
    o.null_move = p->null_move;
    o.futility = p->futility;
    o.window = (int)p->window;
    o.leaf_vcf = (int)p->leaf_vcf;
    o.vcf = p->vcf;
    o.vct = p->vct;
    o.threads = (int)p->threads;
    const rj_scores usual = o.scores;
    o.scores = (rj_scores){(int)p->five,  (int)p->open_four, (int)p->four, (int)p->open_three,
                           (int)p->three, (int)p->open_two,  (int)p->two,  (int)p->four_three};
    o.by_scores = memcmp(&usual, &o.scores, sizeof usual) != 0; // whoever changes a score wants it to count
    for (int i = 0; i < RJ_VARIANTS; i++)
        if (strcmp(rj_variants[i].name, a->g->name) == 0)
            return rj_ab_new(&m->engine, rj_variants[i].rule, rj_variants[i].size, &o);
    return err_set(ERR_USAGE, "%s does not play %s", a->type->name, a->g->name);
}

static void close_engine(agent *a)
{
    mind *m = a->mind;
    rj_ab_free(m->engine);
}

static void begin_game(agent *a)
{
    mind *m = a->mind;
    rj_ab_forget(m->engine); // a game must not depend on the one before
}

static void describe(const agent *a, const rj_ab_line *l, const void *obs, agent_choice *out)
{
    int n = 0, room = (int)sizeof out->text;
    if (l->score > RJ_AB_SURE)
        n = snprintf(out->text, (size_t)room, "wins in %d:", (RJ_AB_WIN - l->score + 1) / 2);
    else if (l->score < -RJ_AB_SURE)
        n = snprintf(out->text, (size_t)room, "loses in %d:", (RJ_AB_WIN + l->score) / 2);
    else
        n = snprintf(out->text, (size_t)room, "%+d:", l->score);
    for (int i = 0; i < l->n && n < room - 6; i++) {
        out->text[n++] = ' ';
        n += a->g->move_print(obs, l->move[i], out->text + n, (size_t)(room - n));
    }
}

static err find_lines(agent *a, const void *obs, int want, rj_ab_line *line, int *n)
{
    const params *p = a->params;
    const rj_state *s = obs;
    mind *m = a->mind;
    if (s->reason != REASON_NONE) return err_set(ERR_USAGE, "the game is over");
    rj_ab_limits limits = {
        .depth = (int)p->depth, .nodes = (uint64_t)p->nodes, .seconds = agent_seconds(a, (double)p->ms / 1000, 25)};
    if (limits.depth == 0 && limits.nodes == 0 && limits.seconds <= 0) limits.nodes = USUAL_NODES;
    *n = rj_ab_search(m->engine, s, &limits, want, line);
    return ERR_OK;
}

static void fill(const agent *a, const void *obs, const rj_ab_line *l, agent_choice *out)
{
    const mind *m = a->mind;
    *out = (agent_choice){
        .move = l->move[0], .value = (float)rj_ab_odds(l->score), .nodes = rj_ab_nodes(m->engine), .depth = l->depth};
    describe(a, l, obs, out);
}

static err analyse(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    rj_ab_line *line = malloc((size_t)want * sizeof *line);
    if (line == NULL) return err_set(ERR_MEMORY, "no memory for %d lines", want);
    err e = find_lines(a, obs, want, line, n);
    for (int i = 0; e == ERR_OK && i < *n; i++) fill(a, obs, &line[i], &out[i]);
    free(line);
    return e;
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    const params *p = a->params;
    rj_ab_line line[MOST_DRAWN];
    rng r = agent_rng(a);
    int n = 0, pick = 0, close = 1;
    bool draw = p->random > 0 && rng_unit(&r) < p->random;
    err e = find_lines(a, obs, draw ? MOST_DRAWN : 1, line, &n);
    if (e != ERR_OK) return e;
    while (close < n && line[close].score >= line[0].score - p->threshold) close++;
    if (draw) pick = (int)rng_below(&r, (uint32_t)close);
    fill(a, obs, &line[pick], out);
    return ERR_OK;
}

#define GAMES "renju gomoku freestyle freestyle20"
LEVEL_AGENT(agent_renju_alphabeta, GAMES, "alphabeta", "alpha-beta search with threats and wins by fours",
            alphabeta_opts);
LEVEL_AGENT(agent_renju_beginner, GAMES, "beginner",
            "the renju engine at its weakest: one ply, often a random good move", beginner_opts);
LEVEL_AGENT(agent_renju_easy, GAMES, "easy", "the renju engine, shallow and sometimes careless", easy_opts);
LEVEL_AGENT(agent_renju_medium, GAMES, "medium", "the renju engine, seldom careless", medium_opts);
LEVEL_AGENT(agent_renju_hard, GAMES, "hard", "the renju engine: deep, finds every short win by fours", hard_opts);
