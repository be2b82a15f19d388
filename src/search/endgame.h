// Exact endgames, for games that have a solver: self-play plays them out, a tree's leaves are proven by them, and a match may
// end by them. A solver is one row of the table in endgame.c, found by the game's core.
#ifndef KEIKO_SEARCH_ENDGAME_H
#define KEIKO_SEARCH_ENDGAME_H

#include "games/game.h"

enum { ENDGAME_MOVES = 64 }; // room for endgame_best

typedef struct endgame_solver {
    err (*engine_new)(void **out, int empties); // one engine serves one thread; `empties` to solve at most
    void (*engine_free)(void *engine);
    int (*empties)(const void *s);
    // Moves that keep the exact best margin, all of them or one; their number, 0 when the game is over. *margin is that
    // margin for the seat to move, in the game's own unit (Othello: discs).
    int (*best)(void *engine, const void *s, bool all, move_t *moves, int *margin);
    int (*prove)(void *engine, const void *s); // mcts_proof of the seat to move
} endgame_solver;

bool endgame_exists(const game *g); // has the game a solver?

// Engines for several threads. NULL where the game has no solver or `empties` is 0.
typedef struct endgame endgame;
err endgame_new(endgame **out, const game *g, int empties); // free with endgame_free; *out may become NULL
void endgame_free(endgame *e);                              // NULL is fine
bool endgame_reached(const endgame *e, const void *s);      // e may be NULL
int endgame_best(endgame *e, const void *s, bool all, move_t *moves, int *margin); // margin may be NULL
// Who wins, as mcts_options.prove wants it; `e` is an endgame.
int endgame_prove(void *e, const void *s);

#endif
