// How fast a tree is without a network: what `keiko speed mcts` measures.
#ifndef KEIKO_SEARCH_MCTS_MCTS_SPEED_H
#define KEIKO_SEARCH_MCTS_MCTS_SPEED_H

#include "search/mcts/mcts.h"

typedef struct mcts_speed_plan {
    uint64_t sims;  // a move; 0 = 800
    double seconds; // measure about this long, after a tenth of it as warm-up; 0 = 1
    bool encode;    // the evaluator also encodes each position for a network (encodings[0]), as self-play on a GPU does
    int trees;      // this many games at once, one leaf batch for all; 0 = 1
} mcts_speed_plan;

typedef struct mcts_speed_report {
    uint64_t sims, evals, moves, games;
    double seconds, cpu_seconds;                              // of the calling thread
    double sims_per_second;                                   // by CPU time
    double nodes, bytes_per_node, bytes_per_tree, mean_depth; // averages over searches, at their end
} mcts_speed_report;

// Plays whole games with tree reuse (temperature 1, so that games differ) and an evaluator that answers every position
// with even priors and value 0. `o` as for mcts_new; its temperature is replaced.
err mcts_speed(const game *g, const mcts_options *o, const mcts_speed_plan *plan, mcts_speed_report *out);

#endif
