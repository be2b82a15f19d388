// Decides by playing on: several choices in a match, each followed to the end of the game by a quick player on both sides.
//
// All choices are played in the same futures: pairs and nuisance columns that fit what the seat knows, and the same draws for
// both players. So most of the chance is common to them, and a dozen futures tell a placement that wins from one that loses.
// Who plays on is a callback: a small `versus`, or a network (agents/puyo_afterstate.c). It is asked for many games at once.
#ifndef KEIKO_SEARCH_PUYO_PUYO_PLAYOUT_H
#define KEIKO_SEARCH_PUYO_PUYO_PLAYOUT_H

#include "search/puyo/puyo_versus.h"

enum { PUYO_PLAYOUT_MOVES = 16, PUYO_PLAYOUT_FUTURES = 256, PUYO_PLAYOUT_TOGETHER = 8 };
enum { PUYO_PLAYOUT_TURNS = PUYO_PLAYOUT_MOVES * PUYO_PLAYOUT_TOGETHER };

// A side has to place a pair in one of the games.
typedef struct puyo_turn {
    py_match seen; // its observation
    int seat;
    rng luck; // for a player that draws: the same in all games of one future
} puyo_turn;

typedef struct puyo_policy {
    void *ctx;
    // The placements of n ≤ PUYO_PLAYOUT_TURNS turns, at least one of which is legal in each. Returns the nodes searched.
    uint64_t (*choose)(void *ctx, const puyo_turn *turn, int n, int *move);
    int together; // futures played at once, at most PUYO_PLAYOUT_TOGETHER; one: choices are dropped as early as can be
} puyo_policy;

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

puyo_versus *puyo_playout_model(void);           // the quick player; NULL without memory
puyo_policy puyo_playout_policy(puyo_versus *v); // it plays on, or another one; borrowed

// `obs` is the observation of `seat`, whose turn it is; `moves` are n ≤ PUYO_PLAYOUT_MOVES legal placements. Without memory no
// future is played.
void puyo_play_on(const puyo_policy *policy, const py_match *obs, int seat, const int *moves, int n,
                  puyo_playout_limits l, rng *r, puyo_playout_result *out);

#endif
