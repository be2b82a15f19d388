// What is known of a single game beyond its table: the final margin, and Othello's exact endgames. Self-play plays them out,
// and a tree's leaves are proven by them.
#ifndef KEIKO_SEARCH_ENDGAME_H
#define KEIKO_SEARCH_ENDGAME_H

#include "games/game.h"

// The final margin for a seat, -1 … 1 (Othello: disc difference / 64); 0 where the game knows none.
float endgame_margin(const game *g, const void *s, int seat);
bool endgame_has_margin(const game *g);

enum { ENDGAME_MOVES = 64 }; // room for endgame_best

// Solvers for several threads. NULL where the game has none or `empties` is 0.
typedef struct endgame endgame;
err endgame_new(endgame **out, const game *g, int empties); // free with endgame_free; *out may become NULL
void endgame_free(endgame *e);
bool endgame_reached(const endgame *e, const void *s); // e may be NULL
// Moves that keep the exact best disc difference; their number, 0 when the game is over. `margin` (may be NULL) is that
// difference for the seat to move. All of them, or one, which is much faster to find.
int endgame_best(endgame *e, const void *s, bool all, move_t *moves, int *margin);
// Who wins, as mcts_options.prove wants it; `e` is an endgame.
int endgame_prove(void *e, const void *s);

#endif
