// Wins by threats, for games that have a search for them (renju and gomoku: continuous fours; fours and threes). They are
// proofs: a tree takes them for its leaves, and self-play ends a game where one is found.
#ifndef KEIKO_SEARCH_THREATS_H
#define KEIKO_SEARCH_THREATS_H

#include "games/game.h"

// Searches for several threads. NULL where the game has none or both limits are 0. `fours` and `threes` are moves tried per
// position: for a win by fours alone, then for one by fours and threes.
typedef struct threats threats;
err threats_new(threats **out, const game *g, int64_t fours, int64_t threes); // free with threats_free
void threats_free(threats *t);                                                // NULL is fine

// A move that wins for the seat to move whatever is answered, or MOVE_NONE: none was found. t may be NULL. The answer depends
// on the position alone.
move_t threats_win(threats *t, const void *s);
int threats_prove(void *t, const void *s); // the same as mcts_options.prove wants it

#endif
