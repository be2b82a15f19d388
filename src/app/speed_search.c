// The rows of `keiko speed` about the searches.
#include "app/speed.h"
#include "base/clock.h"
#include "games/othello/oth_obf.h"
#include "search/mcts/mcts_speed.h"
#include "search/othello/oth_search.h"
#include "search/renju/renju_ab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *game;
    mcts_speed_plan plan;
} plans[] = {
    {"othello", {.sims = 800}},
    {"othello", {.sims = 800, .encode = true, .trees = 64}},
    {"contrast", {.sims = 800}},
    {"renju", {.sims = 800}},
};

// Simulations per second of CPU time with an evaluator that answers at once: what the tree itself costs.
static double mcts_rate(int i, double seconds, char *note, size_t n)
{
    const game *g;
    mcts_speed_plan plan = plans[i].plan;
    mcts_speed_report r;
    mcts_options o = {0};
    plan.seconds = seconds;
    if (game_find(plans[i].game, &g) != ERR_OK || mcts_speed(g, &o, &plan, &r) != ERR_OK) {
        snprintf(note, n, "%s", err_text());
        return 0;
    }
    snprintf(note, n, "%.0f bytes per node, mean depth %.1f", r.bytes_per_node, r.mean_depth);
    return r.sims_per_second;
}

// Quiet middle games of renju, 7 to 29 stones: in none of them a search of 600,000 positions finds a win.
static const char *const renju_quiet[] = {
    "h8 h9 h7 g7 g9 i8 i6",
    "h8 i9 j9 i7 i8 j8 h7 g6",
    "h8 i9 j8 k8 i7 k9 h9 k6 k10",
    "h8 h9 i8 j8 j9 h7 i7 i9 g9 f10",
    "h8 i9 j10 j11 i11 h10 j8 k9 j9 k8 k10",
    "h8 h9 i10 j10 i8 k9 k8 j8 j9 l7 h11 g12",
    "h8 h9 i10 f11 e10 g10 i8 i6 g8 j8 e8 f8 i9",
    "h8 i9 h6 h9 g9 i7 i6 i8 i11 j7 k6 j6 h7 j5",
    "h8 i9 j8 j9 i8 k8 h9 i10 h11 h10 g10 f11 k9 f8 i7",
    "h8 h9 i6 g8 i10 g10 i8 i9 g9 f10 j9 e10 d10 h7 f9 k8",
    "h8 i9 h7 h9 g9 i7 g8 i8 i6 f9 h4 h6 g10 g11 i4 j4 h5",
    "h8 i9 h7 h9 g9 i7 g8 i8 i6 f9 h4 h6 g10 g11 i4 j4 h5 g7",
    "h8 i9 h6 h7 i7 j8 j6 k5 k7 i5 g6 f6 g8 g5 g9 f10 g10 g7 g12 g11",
    "h8 h9 h6 g9 i9 g7 g6 g8 g11 f7 e6 f6 h7 f5 f8 f11 h10 j8 i8 i10 j11",
    "h8 i9 g7 g9 f8 i8 h9 h7 i10 g8 i6 h6 j9 h11 h5 j8 h10 g10 g4 j7 f9 g5",
    "h8 h9 j6 g8 k7 g9 i5 h4 k8 g7 l8 m9 g10 i10 f7 g6 g5 i9 j9 i8 i7 k5 h6 j8",
    "h8 h9 j10 i9 j9 j8 h10 i8 i10 g10 f11 k8 l8 k9 j7 k7 k10 l10 i7 k5 k6 n8 l6 k11 j12",
    "h8 h9 i8 j8 j9 h7 i7 i9 g9 f10 k7 g11 j6 k5 h10 e9 h12 f8 i5 l8 j4 d8 c7 i4 j3 j5 k3",
    "h8 i9 i8 g8 g9 h7 j7 f9 e10 f10 f11 h9 f7 e8 d7 d8 c8 d9 e6 b9 e9 e7 f6 g4 d6 j5 i6 c6",
    "h8 h9 j10 i9 j9 j8 h10 i8 i10 g10 f11 k8 l8 k9 j7 k7 k10 l10 i7 k5 k6 n8 l6 k11 j12 m11 n12 m12 m10",
};

enum { RENJU_QUIET = sizeof renju_quiet / sizeof *renju_quiet };

static int by_depth(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// How deep the renju engine sees in `seconds` per position: the median is what counts, nodes per second are the rate.
static double renju_rate(int arg, double seconds, char *note, size_t n)
{
    (void)arg;
    const game *g;
    rj_ab *e;
    rj_ab_options o = rj_ab_defaults();
    int depth[RENJU_QUIET];
    double nodes = 0, start = clock_seconds();
    err code = game_find("renju", &g);
    if (code == ERR_OK) code = rj_ab_new(&e, RJ_RENJU, 15, &o);
    if (code != ERR_OK) {
        snprintf(note, n, "%s", err_text());
        return 0;
    }
    for (int i = 0; i < RENJU_QUIET; i++) {
        rj_any_state s = {0};
        rj_ab_line l = {0};
        if (g->state_parse(renju_quiet[i], &s) == ERR_OK) {
            rj_ab_forget(e);
            rj_ab_search(e, &s.s, &(rj_ab_limits){.seconds = seconds}, 1, &l);
            nodes += (double)rj_ab_nodes(e);
        }
        depth[i] = l.depth;
    }
    rj_ab_free(e);
    qsort(depth, RENJU_QUIET, sizeof *depth, by_depth);
    snprintf(note, n, "median depth %d in %g s, least %d, most %d", depth[RENJU_QUIET / 2], seconds, depth[0],
             depth[RENJU_QUIET - 1]);
    return nodes / (clock_seconds() - start);
}

// Middle games of Othello between varied players, 36 to 44 empties.
static const char *const othello_middle[] = {
    "----------XXXO----OXOOOO---OXOO---OOOO----XOOOO---XOX----------- X;",
    "-----------OOX----XOOO----XOOOO---XOXOX---OOOO----XO-------O---- X;",
    "----------OO-----XXOOX-O--OOXOO---OOOOXX--XOOXXX-------X-------- X;",
    "-XXXX-----X-X---OOOXXX----OOXXX--OOOOX---X---------------------- O;",
    "--O-------OOX----XOXOXO--XXOOOX--XOOOO--OOOOOO-------O---------- X;",
    "----------------XOOO----XOOOX---XOOOX---X-XOOX--X--------------- X;",
    "----------------X--X----XXXXOO--XOOOOO--XXOOO-----XOO----------- X;",
    "-------------X-----XXO-X---XOOOO---OXXOO--OOXXX---OXXX----X--X-- X;",
    "--------------------OXXX--XXOXXX-OXXXXXX-XXXX-X---OX-O---------- O;",
    "-----------O-O-----XOOXX---XXOX----XXXOO---X-OOO---------------- X;",
};

// What threads gain: all positions to a fixed depth, 20 plies for a second per row and one more for 1.6 times as long, each
// from an empty table. Times are by the clock.
static double othello_rate(int threads, double seconds, char *note, size_t n)
{
    enum { POSITIONS = sizeof othello_middle / sizeof *othello_middle };
    oth_engine *e;
    const oth_weights *w = oth_weights_shipped();
    int depth = 20 + (int)lround(log(seconds) / log(1.6));
    depth = depth < 8 ? 8 : depth > 34 ? 34 : depth;
    if (w == NULL ||
        oth_engine_new(&e, &(oth_engine_options){.hash = 22, .threads = threads, .weights = w}) != ERR_OK) {
        snprintf(note, n, "%s", err_text());
        return 0;
    }
    double nodes = 0, spent = 0, cpu = 0;
    for (int i = 0; i < POSITIONS; i++) {
        oth_problem p;
        oth_found f;
        if (oth_obf_parse(othello_middle[i], &p) != ERR_OK) continue;
        oth_engine_clear(e);
        oth_engine_search(e, p.s.b, &(oth_limits){.depth = depth}, &f);
        nodes += (double)f.nodes;
        spent += f.seconds;
        cpu += f.cpu_seconds;
    }
    oth_engine_free(e);
    snprintf(note, n, "%d plies in %.3f s, %.3f CPU s, %.2f M nodes", depth, spent, cpu, nodes / 1e6);
    return POSITIONS / (spent > 1e-9 ? spent : 1e-9);
}

const speed_row speed_search[] = {
    {.group = "mcts", .name = "Othello, 800 per move, constant evaluator", .unit = "sims", .rate = mcts_rate, .arg = 0},
    {.group = "mcts", .name = "the same, 64 trees, positions encoded", .unit = "sims", .rate = mcts_rate, .arg = 1},
    {.group = "mcts", .name = "Contrast, 800 per move", .unit = "sims", .rate = mcts_rate, .arg = 2},
    {.group = "mcts", .name = "renju, 800 per move", .unit = "sims", .rate = mcts_rate, .arg = 3},
    {.group = "renju-depth", .name = "renju, alpha-beta, 20 quiet positions", .unit = "nodes", .rate = renju_rate},
    {.group = "othello-threads", .name = "alpha-beta, 1 thread", .unit = "positions", .rate = othello_rate, .arg = 1},
    {.group = "othello-threads", .name = "2 threads", .unit = "positions", .rate = othello_rate, .arg = 2},
    {.group = "othello-threads", .name = "4 threads", .unit = "positions", .rate = othello_rate, .arg = 4},
    {.group = "othello-threads", .name = "8 threads", .unit = "positions", .rate = othello_rate, .arg = 8},
    {.group = "othello-threads", .name = "16 threads", .unit = "positions", .rate = othello_rate, .arg = 16},
};

const int n_speed_search = (int)(sizeof speed_search / sizeof *speed_search);
