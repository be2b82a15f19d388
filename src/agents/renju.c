// The player of renju and gomoku: `alphabeta`.
//
// Limits are plies and positions, so games can be repeated; `ms` is a cap that is off unless asked for. A weaker player
// searches less, and with probability `random` draws its move from those within `threshold` of the best.
#include "agents/agent.h"
#include "base/opt_rows.h"
#include "search/renju/renju_ab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DRAWN = 40,          // moves among which a level draws
    UNLIMITED_NODES = 200000, // positions per move where neither the spec nor a clock sets a limit
};

typedef struct params {
    int64_t depth, ms, nodes, threshold, vcf, vct, leaf_vcf, near, hash, window, lmr_from, threads;
    double random;
    bool lmr, null_move, futility;
    int64_t five, open_four, four, open_three, three, open_two, two, four_three;
} params;

typedef struct mind {
    rj_ab *engine;
} mind;

#define AT(field)                            offsetof(params, field)
#define SCORE_ROW(name, field, preset, help) ROW_INT(name, AT(field), "N", preset, 0, 1e6, "Score of " help)
static const opt opts[] = {
    ROW_INT("depth", AT(depth), "N", "0", 0, RJ_AB_DEPTH, "Search depth in plies; 0 = limited by nodes or ms only"),
    ROW_INT("nodes", AT(nodes), "N", "200000", 0, 1e15,
            "Maximum positions per move; 0 = no limit but the clock or ms, 200000 without them"),
    ROW_INT("ms", AT(ms), "N", "0", 0, 1e9,
            "Maximum milliseconds per move; 0 = no limit. Results then vary between runs"),
    ROW_NUMBER("random", AT(random), "P", "0", 0, 1,
               "Probability of playing a random move from those within `threshold` of the best"),
    ROW_INT("threshold", AT(threshold), "N", "0", 0, 1e6, "Largest evaluation loss such a move may have"),
    ROW_INT("vcf", AT(vcf), "N", "200000", 0, 1e12,
            "Nodes for the VCF search (win by fours) before the main search; 0 = off"),
    ROW_INT("vct", AT(vct), "N", "20000", 0, 1e12,
            "Nodes for the VCT search (win by fours and threes) before the main search; 0 = off"),
    ROW_INT("leafVcf", AT(leaf_vcf), "N", "60", 0, 1e6,
            "Nodes for the VCF search at each position of the tree; 0 = off"),
    ROW_INT("near", AT(near), "N", "2", 1, 3, "Consider only points within N of a stone"),
    ROW_INT("hash", AT(hash), "N", "18", 8, 30, "Hash table size: 2^N entries of 16 bytes"),
    ROW_INT("threads", AT(threads), "N", "1", 1, 256,
            "Threads of one search; with more than one, results vary between runs"),
    ROW_INT("window", AT(window), "N", "75", 0, 30000, "Half-width of the aspiration window; 0 = off"),
    ROW_FLAG("enableLMR", AT(lmr), "yes", "Search late moves less deeply (late-move reductions)"),
    ROW_INT("lmrThreshold", AT(lmr_from), "N", "3", 1, 400, "Reduce moves from the N-th on"),
    ROW_FLAG("nullMove", AT(null_move), "yes", "Try a null move (pass) first to cut off quickly"),
    ROW_FLAG("futility", AT(futility), "yes", "Skip moves near the leaves that cannot reach the best score"),
    SCORE_ROW("five", five, "100000", "five in a row (always a win)"),
    SCORE_ROW("openFour", open_four, "10000", "an open four (always a win)"),
    SCORE_ROW("four", four, "1500", "a four"),
    SCORE_ROW("openThree", open_three, "1000", "an open three"),
    SCORE_ROW("three", three, "30", "any other three"),
    SCORE_ROW("openTwo", open_two, "50", "an open two"),
    SCORE_ROW("two", two, "10", "any other two"),
    SCORE_ROW("fourThree", four_three, "5000", "a move that makes a four and an open three"),
};

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
    int v = rj_variant_named(a->g->name);
    if (v < 0) return err_set(ERR_USAGE, "%s does not play %s", a->type->name, a->g->name);
    return rj_ab_new(&m->engine, rj_variants[v].rule, rj_variants[v].size, &o);
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

static void fill(const agent *a, const void *obs, const rj_ab_line *l, agent_choice *out)
{
    const mind *m = a->mind;
    *out = (agent_choice){
        .move = l->move[0], .value = (float)rj_ab_odds(l->score), .nodes = rj_ab_nodes(m->engine), .depth = l->depth};
    agent_set_line(out, l->move, l->n);
    describe(a, l, obs, out);
}

typedef struct listener {
    const agent *a;
    const void *obs;
} listener;

static void hear_depth(void *ctx, const rj_ab_line *lines, int n)
{
    const listener *l = ctx;
    agent_choice out[16];
    if (n > 16) n = 16;
    for (int i = 0; i < n; i++) fill(l->a, l->obs, &lines[i], &out[i]);
    agent_tell_lines(l->a, out, n);
}

static err find_lines(agent *a, const void *obs, int want, rj_ab_line *line, int *n)
{
    const params *p = a->params;
    const rj_state *s = obs;
    mind *m = a->mind;
    if (s->reason != REASON_NONE) return err_set(ERR_USAGE, "the game is over");
    rj_ab_limits limits = {
        .depth = (int)p->depth, .nodes = (uint64_t)p->nodes, .seconds = agent_seconds(a, (double)p->ms / 1000, 25)};
    // Where time is the limit it alone decides, unless the spec set another one.
    if ((agent_has_clock(a) || p->ms > 0) && !agent_given(a, "nodes")) limits.nodes = 0;
    if (limits.depth == 0 && limits.nodes == 0 && limits.seconds <= 0) limits.nodes = UNLIMITED_NODES;
    listener heard = {a, obs};
    limits.stop = agent_stop_of(a);
    if (agent_watched(a)) limits.each = hear_depth, limits.each_ctx = &heard;
    *n = rj_ab_search(m->engine, s, &limits, want, line);
    return ERR_OK;
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
    bool decided = abs(line[0].score) > RJ_AB_SURE; // a won game is won the short way, a lost one lasts
    while (!decided && close < n && line[close].score >= line[0].score - p->threshold) close++;
    if (draw) pick = (int)rng_below(&r, (uint32_t)close);
    fill(a, obs, &line[pick], out);
    return ERR_OK;
}

const agent_type agent_renju_alphabeta = {
    NAMED("alphabeta", "renju gomoku freestyle freestyle20",
          "Alpha-beta search with VCF and VCT (wins by fours, and by fours and threes)"),
    WITH_MIND(opts, params, mind, open_engine, begin_game, close_engine),
    .choose = choose,
    .analyse = analyse,
    .strongest = "ms=1000", // stronger than the networks that ship
};
