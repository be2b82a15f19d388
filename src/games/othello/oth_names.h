// The names of Othello's openings.
#ifndef KEIKO_GAMES_OTH_NAMES_H
#define KEIKO_GAMES_OTH_NAMES_H

#include "games/game.h"

// Of a game from the start: the latest named position that it went through, however the board is turned.
bool oth_opening_name(const move_t *m, int n, opening_name *out);

#endif
