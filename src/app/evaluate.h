// A network on many positions at once, without a search.
#ifndef KEIKO_APP_EVALUATE_H
#define KEIKO_APP_EVALUATE_H

#include "eval/eval.h"

// values[n]: -1 … 1 for the seat to move, the result where the game is over (for seat 0). policy[n][n_moves]: probabilities of
// the legal moves, 0 elsewhere. Either may be NULL. Any number of threads may call at once.
err evaluate_states(evaluator *e, const game *g, const void *const *states, int n, float *values, float *policy);

#endif
