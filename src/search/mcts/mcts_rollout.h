// An evaluator without a network: even priors, and the mean result of random games played on from the position.
//
// What it answers depends on the position and the seed alone, never on the batch or the thread, so searches with it
// repeat. It may be called from several threads at once.
#ifndef KEIKO_SEARCH_MCTS_MCTS_ROLLOUT_H
#define KEIKO_SEARCH_MCTS_MCTS_ROLLOUT_H

#include "search/mcts/mcts.h"

typedef struct mcts_rollout {
    const game *g;
    uint64_t seed;
    int games;     // a position; 0 = 1
    int max_plies; // a game not over by then counts as a draw; 0 = 1000
    float points;  // of a one-seat game that count as value 1; 0 = 1
} mcts_rollout;

mcts_evaluator mcts_rollout_evaluator(const mcts_rollout *r); // `r` is borrowed, not copied

#endif
