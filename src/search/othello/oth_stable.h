// Discs that can never be turned again: a bound on the final score long before the end. Inline, for the search's loops.
//
// A sound lower bound, not all of them: discs stable along their edge; discs whose four lines are full; and what leans on
// stable discs of its own colour (or a border or a full line) in all four directions.
#ifndef KEIKO_SEARCH_OTH_STABLE_H
#define KEIKO_SEARCH_OTH_STABLE_H

#include "search/othello/oth_tables.h"

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

// Files a and h as bytes, row 1 the lowest bit; and back.
static inline unsigned oth_file_byte(uint64_t d, int file)
{
    return (unsigned)((d >> file & OTH_FILE_A) * 0x0102040810204080u >> 56);
}

static inline uint64_t oth_byte_file(unsigned byte, int file)
{
    return ((uint64_t)(byte & 0x7f) * 0x0002040810204081u & OTH_FILE_A) << file | (uint64_t)(byte >> 7) << (56 + file);
}

static inline uint64_t oth_stable_edges(uint64_t own, uint64_t opp)
{
    uint64_t s = oth_edge_stable[own & 255][opp & 255] | (uint64_t)oth_edge_stable[own >> 56][opp >> 56] << 56;
    s |= oth_byte_file(oth_edge_stable[oth_file_byte(own, 0)][oth_file_byte(opp, 0)], 0);
    return s | oth_byte_file(oth_edge_stable[oth_file_byte(own, 7)][oth_file_byte(opp, 7)], 7);
}

static inline uint64_t oth_stable(uint64_t own, uint64_t opp) // of own's discs
{
    uint64_t all = own | opp, rows = oth_full_rows(all), columns = oth_full_columns(all);
    uint64_t slashes = oth_full_slashes(all), backslashes = oth_full_backslashes(all);
    uint64_t stable = oth_stable_edges(own, opp) | (own & rows & columns & slashes & backslashes);
    uint64_t inner = own & 0x007e7e7e7e7e7e00u, old = 0;
    while (stable != old) { // a shift that wraps lands on the border, which `inner` masks off
        old = stable;
        uint64_t h = stable << 1 | stable >> 1 | rows, v = stable << 8 | stable >> 8 | columns;
        uint64_t s = stable << 7 | stable >> 7 | slashes, b = stable << 9 | stable >> 9 | backslashes;
        stable |= h & v & s & b & inner;
    }
    return stable;
}

#endif
