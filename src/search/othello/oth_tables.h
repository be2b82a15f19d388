// Tables of the Othello search: lines through a square, counts of a last move's flips, stable edges, neighbours.
//
// They are computed once, by oth_tables_init(), which every way into the search calls; after that they are read only.
#ifndef KEIKO_SEARCH_OTH_TABLES_H
#define KEIKO_SEARCH_OTH_TABLES_H

#include "games/othello/othello.h"

// The lines through a square but for its row, and where on each of them (and on the row) the square stands, counted
// from the lowest bit.
typedef struct oth_lines {
    uint64_t column, slash, backslash;
    uint8_t at_row, at_column, at_slash, at_backslash;
    uint8_t quadrant; // a bit of four: the quarter of the board, for parity
    uint8_t pad[3];
} oth_lines;

extern oth_lines oth_line[OTH_SQUARES];
extern uint64_t oth_near[OTH_SQUARES]; // the squares that touch a square
extern uint8_t oth_last_count[8][256]; // discs turned on a line by a move at [at], with [own] discs and no other hole
extern uint8_t oth_edge_stable[256][256];       // [own][opp] of an edge: own discs on it that nothing can turn any more
extern const uint64_t oth_quadrant_squares[16]; // squares of the quadrants whose bits are set

void oth_tables_init(void); // from any thread, any number of times

#endif
