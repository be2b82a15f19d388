// Putting things on a field: where a pair can go, how long that takes, and falling nuisance.
//
// Reachability works on the heights alone. The pair enters at row 12 of column 3 and moves sideways through columns of at
// most 11; to get onto a column of 12 the axis must be lifted to row 13, either by turning against a step of height 11
// that can be reached, or by a quick turn between columns 2 and 4 when both are 12 or more. A column of 13 is a wall.
#include "games/puyo/puyo.h"

#include <stdlib.h>

enum { SIDES = 0x3f }; // one bit per column

// --- columns as six bits

// Bit c of the result: is row `row` of column c occupied?
static unsigned row_bits(const py_field *f, int row)
{
    const uint64_t each = 0x0001000100010001u, gather = 0x0001000200040008u;
    uint64_t low = (py_occupied(f, 0) >> (row - 1) & each) * gather >> 48;
    uint64_t high = (py_occupied(f, 1) >> (row - 1) & each) * gather >> 48;
    return (unsigned)(((low & 15) | (high & 3) << 4) & SIDES);
}

// Spreads six column bits to the moves of rotation 0: bit c goes to bit 4c.
static uint32_t spread(unsigned bits)
{
    uint32_t x = bits;
    x = (x | x << 9) & 0x00007007u; // ..543210 to 543......210
    return ((x & 1) | (x & 2) << 3 | (x & 4) << 6) | ((x & 0x1000) | (x & 0x2000) << 3 | (x & 0x4000) << 6);
}

// Is there a way to lift the axis, when the path meets its first column of height 12 at `wall`? Going back from there and
// on past the spawn, a step of 11 must come before anything higher.
static bool can_climb(unsigned low, unsigned step, int wall, int back)
{
    for (int c = wall + back; c >= 0 && c < PY_COLS; c += back) {
        if ((low >> c & 1) == 0) return false;
        if (step >> c & 1) return true;
    }
    return false;
}

typedef struct columns {
    unsigned low, open, step; // height at most 11; at most 12; exactly 11
} columns;

static columns columns_of(const py_field *f)
{
    unsigned r11 = row_bits(f, 11), r12 = row_bits(f, 12), r13 = row_bits(f, 13);
    return (columns){.low = ~r12 & SIDES, .open = ~r13 & SIDES, .step = r11 & ~r12};
}

static bool quick_turn_spot(columns k) // columns 2 and 4 both 12 or higher
{
    return ((k.low >> (PY_SPAWN - 1) | k.low >> (PY_SPAWN + 1)) & 1) == 0;
}

// Columns that a puyo of the pair can be brought over.
static unsigned reachable(columns k)
{
    if (k.low == SIDES) return SIDES;
    unsigned reached = 1u << PY_SPAWN;
    for (int way = -1; way <= 1; way += 2) {
        bool lifted = quick_turn_spot(k);
        for (int c = PY_SPAWN + way; c >= 0 && c < PY_COLS; c += way) {
            if ((k.open >> c & 1) == 0) break;
            if ((k.low >> c & 1) == 0) lifted = lifted || can_climb(k.low, k.step, c, -way);
            if ((k.low >> c & 1) == 0 && !lifted) break;
            reached |= 1u << c;
        }
    }
    return reached;
}

// In the seed's variant the pair enters a row higher: columns of 12 are no obstacle, columns of 13 are walls.
static unsigned reachable_seed(columns k)
{
    unsigned reached = 1u << PY_SPAWN;
    for (int way = -1; way <= 1; way += 2)
        for (int c = PY_SPAWN + way; c >= 0 && c < PY_COLS && k.open >> c & 1; c += way) reached |= 1u << c;
    return reached & k.open;
}

uint32_t py_legal_mask(const py_field *f, uint8_t pair, bool reach, int lose)
{
    columns k = columns_of(f);
    unsigned to = k.open;
    if (reach) to &= lose == PY_LOSE_SEED ? reachable_seed(k) : reachable(k);
    uint32_t moves = spread(to) | spread(to & to >> 1) << 1;
    if (py_main(pair) != py_sub(pair)) moves |= spread(to & k.low) << 2 | spread(to & to << 1) << 3;
    return moves;
}

bool py_buried(const py_field *f, int lose)
{
    if (lose == PY_LOSE_TSU) return row_bits(f, PY_ROWS) >> PY_SPAWN & 1;
    return (row_bits(f, PY_GHOST) & 3u << PY_SPAWN) != 0;
}

// --- placing

static void stack(py_field *f, int col, int code)
{
    int h = py_height(f, col);
    if (h >= PY_GHOST) return; // row 14: it vanishes
    int word = col >> 2, at = (col & 3) * 16 + h;
    for (int p = 0; p < 3; p++) f->plane[p][word] |= (uint64_t)(code >> p & 1) << at;
}

static int child_column(int move)
{
    static const int8_t step[4] = {0, 1, 0, -1};
    return move / 4 + step[move % 4];
}

void py_place(py_field *f, int move, uint8_t pair)
{
    int col = move / 4, child = child_column(move);
    if (move % 4 == 2) stack(f, child, py_sub(pair)); // the lower one first
    stack(f, col, py_main(pair));
    if (move % 4 != 2) stack(f, child, py_sub(pair));
}

int py_best_points(const py_field *f, uint8_t pair, bool reach, int lose)
{
    int best = 0;
    for (uint32_t mask = py_legal_mask(f, pair, reach, lose); mask != 0; mask &= mask - 1) {
        py_field next = *f;
        py_place(&next, __builtin_ctz(mask), pair);
        int points = py_chain(&next).score;
        if (points > best) best = points;
    }
    return best;
}

// Frames to fall this many rows without being pushed: split pairs and nuisance.
static const uint8_t free_fall[PY_GHOST] = {0, 10, 16, 22, 24, 28, 32, 34, 36, 40, 42, 44, 46};
static const uint8_t sideways[PY_COLS] = {0, 4, 6, 8, 10, 12};

static bool needs_quick_turn(columns k, int move)
{
    int col = move / 4, child = child_column(move);
    // Turning the sub puyo below the main one needs room on one side.
    unsigned sides = (k.low << 1 | k.low >> 1) & SIDES;
    if (move % 4 == 2 && (sides >> col & 1) == 0) return true;
    if (!quick_turn_spot(k)) return false;
    int far = abs(child - PY_SPAWN) > abs(col - PY_SPAWN) ? child : col;
    if (far == PY_SPAWN) return false;
    int way = far < PY_SPAWN ? -1 : 1; // the neighbour is 12 high, so the pair must be lifted; is there another way?
    return !can_climb(k.low, k.step, PY_SPAWN + way, -way);
}

static int steer_frames(columns k, int move)
{
    return sideways[abs(move / 4 - PY_SPAWN)] + (needs_quick_turn(k, move) ? PY_QUICK_TURN : 0);
}

py_drop py_drop_of(const py_field *f, int move, uint8_t pair)
{
    columns k = columns_of(f);
    int col = move / 4, turn = move % 4, child = child_column(move);
    int h = py_height(f, col), hc = py_height(f, child), high = h > hc ? h : hc;
    int rows = PY_ROWS - high - (turn == 2);
    if (rows < 0) rows = 0;
    int frames = steer_frames(k, move);
    if (py_main(pair) == py_sub(pair) && turn == 1) { // the same place the other way round may be nearer
        int other = steer_frames(k, child * 4 + 3);
        if (other < frames) frames = other;
    }
    frames += PY_NEXT + 2 * rows + PY_GROUNDING;
    if (h != hc) frames += free_fall[high - (h < hc ? h : hc)] + PY_GROUNDING;
    return (py_drop){rows, frames};
}

// --- nuisance

// The sets of k columns, for each k: entry `first[k] + i` is the i-th.
static const uint8_t first[PY_COLS + 1] = {0, 1, 7, 22, 42, 57, 63};
static const uint8_t sets[64] = {
    0,                                                                              // none
    1,  2,  4,  8,  16, 32,                                                         // one
    3,  5,  6,  9,  10, 12, 17, 18, 20, 24, 33, 34, 36, 40, 48,                     // two
    7,  11, 13, 14, 19, 21, 22, 25, 26, 28, 35, 37, 38, 41, 42, 44, 49, 50, 52, 56, // three
    15, 23, 27, 29, 30, 39, 43, 45, 46, 51, 53, 54, 57, 58, 60,                     // four
    31, 47, 55, 59, 61, 62, 63,                                                     // more
};

int py_nuisance_fall(py_field *f, int n, rng *r)
{
    if (n <= 0) return 0;
    int rows = n / PY_COLS, rest = n % PY_COLS, longest = 0;
    unsigned extra = rest == 0 ? 0 : sets[first[rest] + rng_below(r, (uint32_t)(first[rest + 1] - first[rest]))];
    for (int c = 0; c < PY_COLS; c++) {
        int here = rows + (int)(extra >> c & 1), h = py_height(f, c);
        if (here == 0) continue;
        if (PY_ROWS - h > longest) longest = PY_ROWS - h;
        if (here > PY_GHOST - h) here = PY_GHOST - h; // no room: what is too high vanishes
        f->plane[PY_NUISANCE - 1][c >> 2] |= (uint64_t)((1u << here) - 1) << ((c & 3) * 16 + h);
    }
    return free_fall[longest] + (n <= 3 ? 8 : n <= 18 ? 24 : 32);
}
