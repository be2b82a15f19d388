// The tables behind renju.h, and the few inline reads that hot loops share. Private to this folder.
#ifndef KEIKO_GAMES_RENJU_TABLES_H
#define KEIKO_GAMES_RENJU_TABLES_H

#include "games/renju/renju.h"

enum { RJ_REACH = 5, RJ_LOOKS = 120, RJ_HALVES = 128 /* room for the looks */, RJ_HALF_MASK = 0x3ff };

// Where a point stands in its four lines: the line's number, and the shift that shows the point at bit 10.
typedef struct rj_place {
    uint8_t line[RJ_DIRS], shift[RJ_DIRS];
} rj_place;

typedef int8_t rj_lanes __attribute__((vector_size(16))); // one a class; differences of counts

// All that the hot loop of the board reads, behind one pointer: with more it runs out of registers.
struct rj_ruleset {
    // A half line of five points (ten bits) to one of 120 looks; left of a point the nearest is the top pair of bits.
    uint16_t left[RJ_HALF_MASK + 1]; // already times RJ_HALVES
    uint8_t right[RJ_HALF_MASK + 1];
    uint32_t joint[RJ_HALVES * RJ_HALVES]; // black's pattern, white's pattern << 16
    uint8_t classes[2][65536];             // by colour: four patterns to a class; white's already << 4
    rj_lanes one[256][2];                  // by both classes of a point: a 1 in the class's lane, by colour
    // Bit 2i: a stone may change the point i - 5 steps away. At five steps it matters only to its own colour, and only
    // where it could make six of five.
    uint32_t reach[2];
};

struct rj_tables {
    rj_ruleset rules[3];
    uint64_t empty[RJ_MAX_SIZE + 1][RJ_MAX_LINES];
    rj_place place[RJ_MAX_SIZE + 1][RJ_MAX_POINTS];
    uint64_t zobrist[2][RJ_MAX_POINTS];
    uint64_t star[RJ_DIRS][225][4]; // 15 x 15: the points within four steps along a direction
};

const rj_tables *rj_tables_get(void); // built at the first call, from any thread

static const uint64_t rj_zobrist_side = 0x6b65696b6f72656eu;

// Both colours' patterns (black's low, white's << 16) of the point that `window` shows at bit 10.
static inline uint32_t rj_window_patterns(const rj_ruleset *r, uint64_t window)
{
    return r->joint[r->left[window & RJ_HALF_MASK] | r->right[window >> 12 & RJ_HALF_MASK]];
}

static inline int rj_step(int size, int dir)
{
    const int step[RJ_DIRS] = {1, size, size + 1, 1 - size};
    return step[dir];
}

#endif
