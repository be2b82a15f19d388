// Contrast's own players: `rule`, seven rules and no search; and `alphabeta`, the engine.
#include "agents/careless.h"
#include "search/contrast/contrast_ab.h"
#include "search/contrast/contrast_rule.h"

#include <math.h>
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
    NAMED("rule", "contrast", "Follows seven fixed rules; no search"),
    .choose = rule_choose,
};

// --- alphabeta

typedef struct params {
    int64_t depth, nodes, ms, hash, threads;
    double seconds, random, within;
} params;

typedef struct mind {
    ctr_ab *engine;
} mind;

#define AT(field) offsetof(params, field)
static const opt opts[] = {
    ROW_INT("depth", AT(depth), "N", "0", 0, CTR_AB_DEPTH,
            "Search depth in plies; 0 = limited by nodes or seconds, or 5 if neither is given"),
    ROW_INT("nodes", AT(nodes), "N", NULL, 0, 1e15, "Maximum positions per move; 0 = no limit"),
    ROW_NUMBER("seconds", AT(seconds), "S", NULL, 0, 1e6,
               "Maximum seconds per move; 0 = no limit. Results then vary between runs"),
    ROW_INT("ms", AT(ms), "N", "0", 0, 1e9,
            "Maximum milliseconds per move; 0 = no limit. If `seconds` is given too, the smaller one counts"),
    ROW_INT("hash", AT(hash), "MIB", "16", 1, 65536, "Hash table size in MiB"),
    ROW_INT("threads", AT(threads), "N", "1", 1, 256,
            "Threads of one search; with more than one, results vary between runs"),
    CARELESS_OPTS(params),
};

static err open_engine(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    ctr_ab_options o = {.hash = (size_t)p->hash << 20, .threads = (int)p->threads};
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
        agent_set_line(&out[i], lines[i].moves, lines[i].length);
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

static double seconds_of(const params *p)
{
    double by_ms = (double)p->ms / 1000;
    return p->seconds <= 0 ? by_ms : by_ms <= 0 ? p->seconds : fmin(by_ms, p->seconds);
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
                            .seconds = agent_seconds(a, seconds_of(p), 15),
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

const agent_type agent_contrast_alphabeta = {
    NAMED("alphabeta", "contrast", "Alpha-beta search with an evaluation fitted by self-play"),
    WITH_MIND(opts, params, mind, open_engine, begin_game, close_engine),
    .choose = choose,
    .analyse = analyse,
    .strongest = "ms=1000", // measured against the network: docs/STRENGTH.md
};
