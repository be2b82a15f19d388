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

// Doubling both ways; where a step leaves the board there is nothing more to be full.
static inline uint64_t oth_full_slashes(uint64_t d)
{
    const uint64_t d1 = 0xff01010101010101u, d2 = 0xffff030303030303u,
                   d4 = 0xffffffff0f0f0f0fu; // no square 1, 2, 4 down-left
    const uint64_t u1 = 0x80808080808080ffu, u2 = 0xc0c0c0c0c0c0ffffu, u4 = 0xf0f0f0f0ffffffffu; // none up-right
    uint64_t down = d & (d >> 7 | d1), up = d & (d << 7 | u1);
    down &= down >> 14 | d2;
    up &= up << 14 | u2;
    down &= down >> 28 | d4;
    up &= up << 28 | u4;
    return down & up;
}

static inline uint64_t oth_full_backslashes(uint64_t d)
{
    const uint64_t d1 = 0xff80808080808080u, d2 = 0xffffc0c0c0c0c0c0u,
                   d4 = 0xfffffffff0f0f0f0u; // no square 1, 2, 4 down-right
    const uint64_t u1 = 0x01010101010101ffu, u2 = 0x030303030303ffffu, u4 = 0x0f0f0f0fffffffffu; // none up-left
    uint64_t down = d & (d >> 9 | d1), up = d & (d << 9 | u1);
    down &= down >> 18 | d2;
    up &= up << 18 | u2;
    down &= down >> 36 | d4;
    up &= up << 36 | u4;
    return down & up;
}

#endif
