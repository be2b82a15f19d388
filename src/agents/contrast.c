// Contrast's own players: `rule`, seven rules and no search; `alphabeta`, the engine; and `beginner`, `easy`, `medium`, `hard`, `expert`,
// which are the engine with other presets.
#include "agents/careless.h"
#include "search/contrast/contrast_ab.h"
#include "search/contrast/contrast_rule.h"

#include <stdio.h>
#include <stdlib.h>

// --- rule

static err rule_choose(agent *a, const void *obs, agent_choice *out)
{
    (void)a;
    static const char *const why[] = {
        "", "wins", "stops a threat", "parity", "next to uneven fronts", "along the edge", "outflanks", "goes forward"};
    const ctr_state *s = obs;
    if (s->reason != REASON_NONE) return err_set(ERR_USAGE, "the game is over");
    ctr_choice c = ctr_rule_choose(&s->b);
    out->move = c.move;
    out->nodes = 1;
    snprintf(out->text, sizeof out->text, "rule %d (%s), score %d", c.rule, why[c.rule], c.score);
    return ERR_OK;
}

const agent_type agent_contrast_rule = {
    .name = "rule",
    .summary = "seven fixed rules, no search",
    .games = "contrast",
    .choose = rule_choose,
};

// --- alphabeta

typedef struct params {
    int64_t depth, nodes, hash, threads;
    double seconds, random, within;
} params;

typedef struct mind {
    ctr_ab *engine;
} mind;

#define ENGINE_OPTS(DEPTH, RANDOM, WITHIN)                                                                             \
    {                                                                                                                  \
        {.name = "depth",                                                                                              \
         .kind = OPT_INT,                                                                                              \
         .at = offsetof(params, depth),                                                                                \
         .value = "N",                                                                                                 \
         .low = 0,                                                                                                     \
         .high = CTR_AB_DEPTH,                                                                                         \
         .preset = DEPTH,                                                                                              \
         .help = "plies to search; 0 = as the other limits say, 5 without any"},                                       \
            {.name = "nodes",                                                                                          \
             .kind = OPT_INT,                                                                                          \
             .at = offsetof(params, nodes),                                                                            \
             .value = "N",                                                                                             \
             .low = 0,                                                                                                 \
             .high = 1e15,                                                                                             \
             .help = "positions to visit a move, 0 = no limit"},                                                       \
            {.name = "seconds",                                                                                        \
             .kind = OPT_NUMBER,                                                                                       \
             .at = offsetof(params, seconds),                                                                          \
             .value = "S",                                                                                             \
             .low = 0,                                                                                                 \
             .high = 1e6,                                                                                              \
             .help = "time a move, 0 = no limit; not reproducible"},                                                   \
            {.name = "hash",                                                                                           \
             .kind = OPT_INT,                                                                                          \
             .at = offsetof(params, hash),                                                                             \
             .value = "MIB",                                                                                           \
             .preset = "16",                                                                                           \
             .low = 1,                                                                                                 \
             .high = 65536,                                                                                            \
             .help = "memory for the table of positions"},                                                             \
            {.name = "threads",                                                                                        \
             .kind = OPT_INT,                                                                                          \
             .at = offsetof(params, threads),                                                                          \
             .value = "N",                                                                                             \
             .preset = "1",                                                                                            \
             .low = 1,                                                                                                 \
             .high = 1,                                                                                                \
             .help = "always 1: a game is searched by one thread, so that it can be repeated"},                        \
            CARELESS_OPTS(params, RANDOM, WITHIN)                                                                      \
    }

static const opt alphabeta_opts[] = ENGINE_OPTS("0", "0", "0");
static const opt beginner_opts[] = ENGINE_OPTS("1", "0.8", "0.5");
static const opt easy_opts[] = ENGINE_OPTS("1", "0.4", "0.3");
static const opt medium_opts[] = ENGINE_OPTS("2", "0.2", "0.25");
static const opt hard_opts[] = ENGINE_OPTS("3", "0.05", "0.15");
static const opt expert_opts[] = ENGINE_OPTS("5", "0", "0");

static err open_engine(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    ctr_ab_options o = {.hash = (size_t)p->hash << 20};
    return ctr_ab_new(&m->engine, &o);
}

static void close_engine(agent *a)
{
    mind *m = a->mind;
    ctr_ab_free(m->engine);
}

static void begin_game(agent *a)
{
    mind *m = a->mind;
    ctr_ab_forget(m->engine); // a game must not depend on the one before
}

static void fill_lines(const agent *a, const ctr_state *s, const ctr_line *lines, int n, agent_choice *out)
{
    const mind *m = a->mind;
    for (int i = 0; i < n; i++) {
        out[i] = (agent_choice){
            .move = lines[i].moves[0],
            .value = (float)ctr_ab_odds(lines[i].score),
            .nodes = ctr_ab_nodes(m->engine),
            .depth = lines[i].depth,
        };
        ctr_ab_print(s, &lines[i], out[i].text, sizeof out[i].text);
    }
}

typedef struct listener {
    const agent *a;
    const ctr_state *s;
} listener;

static void hear_depth(void *ctx, const ctr_line *lines, int n)
{
    const listener *l = ctx;
    agent_choice out[16];
    if (n > 16) n = 16;
    fill_lines(l->a, l->s, lines, n, out);
    agent_tell_lines(l->a, out, n);
}

static err analyse(agent *a, const void *obs, int want, agent_choice *out, int *n)
{
    const params *p = a->params;
    const ctr_state *s = obs;
    mind *m = a->mind;
    if (s->reason != REASON_NONE) return err_set(ERR_USAGE, "the game is over");
    ctr_line *lines = malloc((size_t)want * sizeof *lines);
    if (lines == NULL) return err_set(ERR_MEMORY, "no memory for %d lines", want);
    listener heard = {a, s};
    ctr_ab_limits limits = {.depth = (int)p->depth,
                            .nodes = (uint64_t)p->nodes,
                            .seconds = agent_seconds(a, p->seconds, 15),
                            .stop = agent_stop_of(a)};
    if (agent_watched(a)) limits.each = hear_depth, limits.each_ctx = &heard;
    *n = ctr_ab_search(m->engine, s, &limits, want, lines);
    fill_lines(a, s, lines, *n, out);
    free(lines);
    return ERR_OK;
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    const params *p = a->params;
    int n;
    bool drew;
    err e = agent_careless(a, obs, p->random, p->within, out, &drew);
    return e != ERR_OK || drew ? e : analyse(a, obs, 1, out, &n);
}

LEVEL_AGENT(agent_contrast_alphabeta, "contrast", "alphabeta", "alpha-beta search with a fitted evaluation",
            alphabeta_opts);
LEVEL_AGENT(agent_contrast_beginner, "contrast", "beginner", "Contrast: one ply, mostly careless", beginner_opts);
LEVEL_AGENT(agent_contrast_easy, "contrast", "easy", "Contrast: one ply, often careless", easy_opts);
LEVEL_AGENT(agent_contrast_medium, "contrast", "medium", "Contrast: two plies, sometimes careless", medium_opts);
LEVEL_AGENT(agent_contrast_hard, "contrast", "hard", "Contrast: three plies, seldom careless", hard_opts);
LEVEL_AGENT(agent_contrast_expert, "contrast", "expert", "Contrast: five plies", expert_opts);
