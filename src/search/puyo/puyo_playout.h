// Decides by playing on: several choices in a match, each followed to the end of the game by a quick player on both sides.
//
// All choices are played in the same futures: pairs and nuisance columns that fit what the seat knows, and the same draws for
// both players. So most of the chance is common to them, and a dozen futures tell a placement that wins from one that loses.
#ifndef KEIKO_SEARCH_PUYO_PUYO_PLAYOUT_H
#define KEIKO_SEARCH_PUYO_PUYO_PLAYOUT_H

#include "search/puyo/puyo_versus.h"

enum { PUYO_PLAYOUT_MOVES = 16, PUYO_PLAYOUT_FUTURES = 256 };

typedef struct puyo_playout_limits {
    int futures;          // at most
    double seconds;       // no new future after that; 0 = no limit
    const stop_ask *stop; // NULL = never
} puyo_playout_limits;

typedef struct puyo_playout_result {
    int best;                         // index of the choice: the first one unless another has done clearly better
    double share[PUYO_PLAYOUT_MOVES]; // of the games won, in the futures in which it was followed
    int futures;
    uint64_t nodes;
} puyo_playout_result;

puyo_versus *puyo_playout_model(void); // the quick player; NULL without memory

// `obs` is the observation of `seat`, whose turn it is; `moves` are n ≤ PUYO_PLAYOUT_MOVES legal placements.
void puyo_play_on(puyo_versus *model, const py_match *obs, int seat, const int *moves, int n, puyo_playout_limits l,
                  rng *r, puyo_playout_result *out);

#endif
