// Lines of the Othello board as bits: which squares lie on a line that is full. Inline, for the search's loops.
#ifndef KEIKO_GAMES_OTH_LINES_H
#define KEIKO_GAMES_OTH_LINES_H

#include <stdint.h>

#define OTH_FILE_A 0x0101010101010101u
#define OTH_FILE_H 0x8080808080808080u

// The squares whose whole line is occupied, for lines of one direction.
static inline uint64_t oth_full_rows(uint64_t d)
{
    d &= d >> 4;
    d &= d >> 2;
    d &= d >> 1;
    return (d & OTH_FILE_A) * 255;
}

static inline uint64_t oth_full_columns(uint64_t d)
{
    d &= d >> 32 | d << 32;
    d &= d >> 16 | d << 48;
    return d & (d >> 8 | d << 56);
}

// Doubling both ways along a diagonal; where a step of 1, 2 or 4 leaves the board (`below`, `above`) there is nothing more to
// be full.
static inline uint64_t oth_full_diagonals(uint64_t d, int step, const uint64_t below[3], const uint64_t above[3])
{
    uint64_t down = d, up = d;
    for (int i = 0; i < 3; i++) {
        down &= down >> (step << i) | below[i];
        up &= up << (step << i) | above[i];
    }
    return down & up;
}

static inline uint64_t oth_full_slashes(uint64_t d)
{
    const uint64_t below[3] = {0xff01010101010101u, 0xffff030303030303u, 0xffffffff0f0f0f0fu};
    const uint64_t above[3] = {0x80808080808080ffu, 0xc0c0c0c0c0c0ffffu, 0xf0f0f0f0ffffffffu};
    return oth_full_diagonals(d, 7, below, above);
}

static inline uint64_t oth_full_backslashes(uint64_t d)
{
    const uint64_t below[3] = {0xff80808080808080u, 0xffffc0c0c0c0c0c0u, 0xfffffffff0f0f0f0u};
    const uint64_t above[3] = {0x01010101010101ffu, 0x030303030303ffffu, 0x0f0f0f0fffffffffu};
    return oth_full_diagonals(d, 9, below, above);
}

#endif
