// How near to perfect a network plays a game small enough to be solved: every reachable position, judged exactly.
//
// For tests, `keiko doctor` and ablations. A move is a mistake when it changes the position's exact result.
#ifndef KEIKO_LEARN_ZERO_PERFECT_H
#define KEIKO_LEARN_ZERO_PERFECT_H

#include "eval/eval.h"

typedef struct perfect perfect;

// Solves the game from its start; ERR_LIMIT when it has more than `most` positions. Free with perfect_free.
err perfect_new(perfect **out, const game *g, size_t most);
void perfect_free(perfect *p);
size_t perfect_positions(const perfect *p); // that are not final: 4520 for tic-tac-toe

typedef struct perfect_score {
    size_t positions, right; // right: the move chosen keeps the exact result
    double value_error;      // mean |value - exact value|; of the network alone
} perfect_score;

// The raw policy: the legal move with the largest logit.
err perfect_raw(const perfect *p, evaluator *e, perfect_score *out);
// The most visited move after `sims` simulations in each position, with these options (logits is set here).
err perfect_search(const perfect *p, evaluator *e, const mcts_options *o, uint64_t sims, perfect_score *out);

#endif
