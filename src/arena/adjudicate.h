// Endings that need not be played: the exact solver says who wins.
//
// Only Othello has one. The result is that of best play by both sides, so weak players may get another result than they
// would have reached: it is off unless asked for.
#ifndef KEIKO_ARENA_ADJUDICATE_H
#define KEIKO_ARENA_ADJUDICATE_H

#include "games/game.h"

enum { ADJUDICATE_MOST = 24 }; // empties; more would take minutes

typedef struct adjudicator adjudicator; // one a thread

err adjudicator_new(adjudicator **out, const game *g, int empties); // ERR_USAGE for a game without a solver
void adjudicator_free(adjudicator *a);                              // NULL is fine

// True when the position is late enough: *halves are seat 0's points under best play, 0, 1 or 2.
bool adjudicate(adjudicator *a, const void *state, int *halves);

#endif
