// The rows of `keiko speed` about the searches.
#include "app/speed.h"
#include "search/mcts/mcts_speed.h"

#include <stdio.h>

static const struct {
    const char *game;
    mcts_speed_plan plan;
} plans[] = {
    {"othello", {.sims = 800}},
    {"othello", {.sims = 800, .encode = true, .trees = 64}},
    {"contrast", {.sims = 800}},
    {"renju", {.sims = 800}},
};

// Simulations a second of CPU time with an evaluator that answers at once: what the tree itself costs.
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
    snprintf(note, n, "%.0f bytes a node, mean depth %.1f", r.bytes_per_node, r.mean_depth);
    return r.sims_per_second;
}

const speed_row speed_search[] = {
    {.group = "mcts", .name = "Othello, 800 a move, constant evaluator", .unit = "sims", .rate = mcts_rate, .arg = 0},
    {.group = "mcts", .name = "the same, 64 trees, positions encoded", .unit = "sims", .rate = mcts_rate, .arg = 1},
    {.group = "mcts", .name = "Contrast, 800 a move", .unit = "sims", .rate = mcts_rate, .arg = 2},
    {.group = "mcts", .name = "renju, 800 a move", .unit = "sims", .rate = mcts_rate, .arg = 3},
};

const int n_speed_search = (int)(sizeof speed_search / sizeof *speed_search);
