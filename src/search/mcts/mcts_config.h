// What people can choose about a tree search: one struct and one option table.
//
// Agents that search with a tree (agents/tree.h) and self-play (learn/zero/az_config.h) take these rows into their own
// tables, with their own defaults, and add what only they have. So a parameter has the same name, bounds and meaning wherever
// a tree is searched.
#ifndef KEIKO_SEARCH_MCTS_MCTS_CONFIG_H
#define KEIKO_SEARCH_MCTS_MCTS_CONFIG_H

#include "base/opt_table.h"
#include "search/mcts/mcts.h"

typedef struct mcts_config {
    int64_t sims, leaves, gumbel, temperature_plies;
    double c, fpu, noise, alpha, gumbel_scale, temperature, temperature_end;
    bool reuse, solver;
} mcts_config;

extern const opt mcts_opts[]; // over mcts_config
extern const int mcts_n_opts;

// The search's own options. What the table does not have is zero, which is the default.
mcts_options mcts_config_options(const mcts_config *c);

#endif
