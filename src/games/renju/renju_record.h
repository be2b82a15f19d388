// The main line of a game in SGF (GM[4]): rule, size, setup and moves, checked by playing them.
#ifndef KEIKO_GAMES_RENJU_RECORD_H
#define KEIKO_GAMES_RENJU_RECORD_H

#include "games/renju/renju.h"

typedef struct rj_record {
    int variant;                     // index into rj_variants
    uint64_t setup[2][RJ_MAX_WORDS]; // stones before the first move, by colour
    int first;                       // who moves first
    int n_moves;
    uint16_t move[RJ_MAX_POINTS]; // all legal, the game over at the last one at the earliest
    int unplayed;                 // moves left out because the game was over before them
} rj_record;

// Reads game number `which` (0 the first) of an SGF file. Rule and size come from RU and SZ; where they leave it
// open, `variant` decides. An illegal move is an error that names its line and column.
err rj_record_read(const char *text, size_t n, int which, int variant, rj_record *out);

// One point as SGF has it, two letters from the top left corner, or as "h8"; returns the characters read, 0 for no point.
int rj_sgf_point(int size, const char *text, int *p);

// The state after the first `plies` moves; a buffer of the table's state_size. An error when the record is no legal
// game.
err rj_record_state(const rj_record *r, int plies, rj_state *out);

#endif
