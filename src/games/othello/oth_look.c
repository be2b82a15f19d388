// The "look" encoding. See oth_look.h.
#include "games/othello/oth_look.h"

#include "games/othello/oth_lines.h"

#include <string.h>

#define TOP_BOTTOM 0xff000000000000ffu
#define CORNERS    0x8100000000000081u

uint64_t oth_safe(uint64_t own, uint64_t opp)
{
    const uint64_t sides = OTH_FILE_A | OTH_FILE_H, border = sides | TOP_BOTTOM;
    uint64_t all = own | opp, safe = 0, old;
    uint64_t rows = oth_full_rows(all) | sides, columns = oth_full_columns(all) | TOP_BOTTOM;
    uint64_t slashes = oth_full_slashes(all) | border, backslashes = oth_full_backslashes(all) | border;
    do { // a shift that wraps lands on the border, which counts in that direction anyway
        old = safe;
        safe |= own & (safe << 1 | safe >> 1 | rows) & (safe << 8 | safe >> 8 | columns) &
                (safe << 7 | safe >> 7 | slashes) & (safe << 9 | safe >> 9 | backslashes);
    } while (safe != old);
    return safe;
}

// The empty squares of regions with an odd number of them; squares touch by their sides.
static uint64_t odd_regions(uint64_t empty)
{
    uint64_t odd = 0;
    for (uint64_t left = empty; left != 0;) {
        uint64_t region = left & -left, old;
        do {
            old = region;
            region |= ((region << 1 & ~OTH_FILE_A) | (region >> 1 & ~OTH_FILE_H) | region << 8 | region >> 8) & empty;
        } while (region != old);
        if (oth_count(region) % 2 == 1) odd |= region;
        left &= ~region;
    }
    return odd;
}

static uint64_t turned_by_any(oth_board b, uint64_t moves)
{
    uint64_t all = 0;
    for (; moves != 0; moves &= moves - 1) all |= oth_flips(b, __builtin_ctzll(moves));
    return all;
}

// `bit` into as many planes as steps are reached; returns the plane behind them.
static uint64_t *put_steps(uint64_t *plane, uint64_t bit, int value, const int *steps, int n)
{
    for (int i = 0; i < n; i++) plane[i] |= value >= steps[i] ? bit : 0;
    return plane + n;
}
#define STEPS(plane, bit, value, ...)                                                                                  \
    put_steps(plane, bit, value, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

void oth_look(oth_board b, uint64_t planes[OTH_LOOK])
{
    enum { ABOUT_MOVES = 10 }; // first of the planes about moves
    oth_board other = oth_pass(b);
    uint64_t moves = oth_moves(b), replies = oth_moves(other), safe = oth_safe(b.own, b.opp);
    const uint64_t first[ABOUT_MOVES] = {b.own,
                                         b.opp,
                                         moves,
                                         replies,
                                         oth_empty(b),
                                         odd_regions(oth_empty(b)),
                                         safe,
                                         oth_safe(b.opp, b.own),
                                         turned_by_any(other, replies),
                                         turned_by_any(b, moves)};
    memcpy(planes, first, sizeof first);
    memset(planes + ABOUT_MOVES, 0, (OTH_LOOK - ABOUT_MOVES) * sizeof *planes);
    for (uint64_t m = moves; m != 0; m &= m - 1) {
        uint64_t bit = m & -m, *p = planes + ABOUT_MOVES;
        oth_board after = oth_play(b, __builtin_ctzll(m)); // the other one is to move
        uint64_t left = oth_moves(after), kept = oth_safe(after.opp, after.own);
        p = STEPS(p, bit, oth_count(after.opp) - oth_count(b.own) - 1, 2, 3, 5, 8);  // discs turned
        p = STEPS(p, bit, oth_count(left), 1, 2, 3, 4, 6, 8);                        // replies
        p = STEPS(p, bit, oth_count(oth_moves(oth_pass(after))), 1, 2, 4, 6, 8, 11); // own moves, were it a pass
        p = STEPS(p, bit, oth_count(kept) - oth_count(safe), 1, 2, 4, 7);            // safe discs won
        *p++ |= (left & CORNERS) != 0 ? bit : 0;
        *p++ |= kept & bit;
    }
}
