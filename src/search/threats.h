// Wins by threats, for games that have a search for them (renju and gomoku: continuous fours). They are proofs: a tree takes
// them for its leaves, and self-play ends a game where one is found.
#ifndef KEIKO_SEARCH_THREATS_H
#define KEIKO_SEARCH_THREATS_H

#include "games/game.h"

// Searches for several threads. NULL where the game has none or `nodes` is 0.
typedef struct threats threats;
err threats_new(threats **out, const game *g, int nodes); // moves tried per position; free with threats_free
void threats_free(threats *t);                            // NULL is fine

// A move that wins for the seat to move whatever is answered, or MOVE_NONE: none was found. t may be NULL. The answer depends
// on the position alone.
move_t threats_win(threats *t, const void *s);
int threats_prove(void *t, const void *s); // the same as mcts_options.prove wants it

#endif
