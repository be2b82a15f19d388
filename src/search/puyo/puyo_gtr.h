// GTR, the fold: its seven cells, what stands of it in a field, and the tails that can follow it.
//
//   row 3   A B        columns 1 and 2        A on (1,4) fires it: the four A pop, the B fall together and pop,
//   row 2   A A B      columns 1 to 3         and the tail in columns 3 to 6 goes off behind them.
//   row 1   B B        columns 1 and 2
//
// The tails are those of the analysis players know as "the 403": columns 3 to 6, rows 1 to 4 without the fold's (3,2),
// three colours other than B with exactly four puyos each, settled; firing makes five links of one group each and leaves
// nothing. They are enumerated when first asked for (109,725 boards, about 20 ms), never stored. The group of a tail is
// where its first link lies.
#ifndef KEIKO_SEARCH_PUYO_PUYO_GTR_H
#define KEIKO_SEARCH_PUYO_PUYO_GTR_H

#include "games/puyo/puyo.h"

enum { GTR_CELLS = 7, GTR_A = 0, GTR_B = 1 };

typedef struct gtr_place {
    uint8_t col, row;
    uint8_t colour;   // GTR_A or GTR_B
    uint8_t priority; // 0 the bottom row, which comes first; 1 the middle; 2 the top
} gtr_place;
extern const gtr_place gtr_cell[GTR_CELLS];

// The index in gtr_cell, or -1.
static inline int gtr_cell_at(int col, int row)
{
    static const int8_t at[3][4] = {{-1, 0, 2, 5}, {-1, 1, 3, 6}, {-1, -1, 4, -1}};
    return col <= 2 && row <= 3 ? at[col][row] : -1;
}

// Does the fold stand, with A != B? Writes the two colours where `colours` is not NULL.
bool gtr_stands(const py_field *f, uint8_t colours[2]);

int gtr_tail_count(const py_field *f); // puyos in columns 4 to 6, rows 1 to 4
int gtr_links(const py_field *f);      // links when A comes onto (1,4), rows 1 to 4 alone; the fold must stand

// --- tails

enum { GTR_TAILS = 403, GTR_GROUPS = 18, GTR_TAIL_CELLS = 15 };

// Cells in the order (3,1) (3,3) (3,4), then columns 4 to 6 from the bottom: bit i of a mask.
extern const uint8_t gtr_tail_cell[GTR_TAIL_CELLS][2]; // column 0-5, row

typedef struct gtr_tail {
    uint16_t colour[3]; // cells of each colour, in the order the colours pop
    uint8_t group;      // index in gtr_groups
} gtr_tail;

typedef struct gtr_group {
    uint16_t cells;   // of the first link, before the fold is fired
    uint16_t tails;   // how many begin so
    const char *name; // "Y", "L", …: players' names where there is one
} gtr_group;

const gtr_tail *gtr_tails(void);   // GTR_TAILS of them, in a fixed order; safe from any thread
const gtr_group *gtr_groups(void); // GTR_GROUPS of them, the largest first

// How the tail of a field agrees with the 403. A tail is possible while no cell contradicts it; its distance is the number
// of its cells that are still empty.
typedef struct gtr_tail_view {
    int possible;                  // tails that can still be reached by adding puyos
    int filled, missing;           // cells of the nearest one; missing 0 = complete
    int nearest;                   // index in gtr_tails, -1 when none is possible
    uint16_t by_group[GTR_GROUPS]; // possible ones of each group
} gtr_tail_view;
void gtr_look_at_tail(const py_field *f, gtr_tail_view *out); // the fold must stand

#endif
