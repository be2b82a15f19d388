// The fold in a field. See puyo_gtr.h; the tails are in puyo_gtr_tails.c.
#include "search/puyo/puyo_gtr.h"

#include <stddef.h>

const gtr_place gtr_cell[GTR_CELLS] = {
    {0, 1, GTR_B, 0}, {1, 1, GTR_B, 0},                   // the bottom row
    {0, 2, GTR_A, 1}, {1, 2, GTR_A, 1}, {2, 2, GTR_B, 1}, // the middle
    {0, 3, GTR_A, 2}, {1, 3, GTR_B, 2},                   // the top
};

bool gtr_stands(const py_field *f, uint8_t colours[2])
{
    int have[2] = {py_get(f, 0, 2), py_get(f, 0, 1)}; // A and B
    if (have[GTR_A] < PY_RED || have[GTR_B] < PY_RED || have[GTR_A] == have[GTR_B]) return false;
    for (int i = 0; i < GTR_CELLS; i++)
        if (py_get(f, gtr_cell[i].col, gtr_cell[i].row) != have[gtr_cell[i].colour]) return false;
    if (colours != NULL) {
        colours[GTR_A] = (uint8_t)have[GTR_A];
        colours[GTR_B] = (uint8_t)have[GTR_B];
    }
    return true;
}

static const uint64_t low_rows = 0x000f000f000f000fu; // rows 1 to 4 of four columns

int gtr_tail_count(const py_field *f)
{
    return __builtin_popcountll(py_occupied(f, 0) & low_rows & 0xffffull << 48) +
           __builtin_popcountll(py_occupied(f, 1) & low_rows);
}

int gtr_links(const py_field *f)
{
    py_field low = *f;
    for (int p = 0; p < 3; p++)
        for (int w = 0; w < 2; w++) low.plane[p][w] &= low_rows;
    py_set(&low, 0, 4, py_get(f, 0, 3));
    return py_links(&low);
}
