// What a player sees at a glance, as planes for a network: the "look" encoding.
//
// Beyond the discs and the moves: parity of the empty regions, discs that are safe, and for every legal move what the board
// is like right after it (discs turned, how many replies it leaves …), written on the move's square. All of it follows from
// the rules in one move; nothing is searched or evaluated. Numbers are written as steps: a plane for each "at least this many".
#ifndef KEIKO_GAMES_OTH_LOOK_H
#define KEIKO_GAMES_OTH_LOOK_H

#include "games/othello/othello.h"

enum { OTH_LOOK = 32, OTH_LOOK2 = 96 }; // planes

void oth_look(oth_board b, uint64_t planes[OTH_LOOK]);

// The "look2" encoding: the same; then the other one's moves, as if it were its turn; what the replies to each move can
// bring about (two moves, the rules alone); the sizes of empty regions; and counts that belong to no square, on all of them.
void oth_look2(oth_board b, uint64_t planes[OTH_LOOK2]);

// Of own's discs, some that can never be turned again: in each of four directions the line is full, or the border or
// another such disc stands beside it.
uint64_t oth_safe(uint64_t own, uint64_t opp);

#endif
