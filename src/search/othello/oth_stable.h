// Discs that can never be turned again: a bound on the final score long before the end. Inline, for the search's loops.
//
// A sound lower bound, not all of them: discs stable along their edge; discs whose four lines are full; and what leans on
// stable discs of its own colour (or a border or a full line) in all four directions.
#ifndef KEIKO_SEARCH_OTH_STABLE_H
#define KEIKO_SEARCH_OTH_STABLE_H

#include "games/othello/oth_lines.h"
#include "search/othello/oth_tables.h"

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
