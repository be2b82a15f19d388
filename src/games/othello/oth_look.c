// The "look" encoding. See oth_look.h.
#include "games/othello/oth_look.h"

#include "games/othello/oth_lines.h"

#include <assert.h>
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

// One region of empty squares, that of the lowest; squares touch by their sides.
static uint64_t first_region(uint64_t empty)
{
    uint64_t region = empty & -empty, old;
    do {
        old = region;
        region |= ((region << 1 & ~OTH_FILE_A) | (region >> 1 & ~OTH_FILE_H) | region << 8 | region >> 8) & empty;
    } while (region != old);
    return region;
}

// The empty squares of regions with an odd number of them.
static uint64_t odd_regions(uint64_t empty)
{
    uint64_t odd = 0;
    for (uint64_t left = empty, region; left != 0; left &= ~region) {
        region = first_region(left);
        if (oth_count(region) % 2 == 1) odd |= region;
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

enum { FIRST = 10, ABOUT_MOVES = 22 }; // planes about the board, then those about moves

// What the board is like right after each of own's moves, on the move's square.
static void about_moves(oth_board b, uint64_t moves, uint64_t safe, uint64_t planes[ABOUT_MOVES])
{
    memset(planes, 0, ABOUT_MOVES * sizeof *planes);
    for (uint64_t m = moves; m != 0; m &= m - 1) {
        uint64_t bit = m & -m, *p = planes;
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

void oth_look(oth_board b, uint64_t planes[OTH_LOOK])
{
    oth_board other = oth_pass(b);
    uint64_t moves = oth_moves(b), replies = oth_moves(other), safe = oth_safe(b.own, b.opp);
    const uint64_t first[FIRST] = {b.own,
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
    about_moves(b, moves, safe, planes + FIRST);
}

// --- the second look

static int n_odd(uint64_t empty)
{
    int n = 0;
    for (uint64_t region; empty != 0; empty &= ~region) {
        region = first_region(empty);
        n += oth_count(region) % 2;
    }
    return n;
}

// How large the regions of empty squares are, on their squares, and on all how many are odd: 6 planes.
static uint64_t *about_regions(uint64_t empty, uint64_t *planes)
{
    enum { SIZES = 3 };
    uint64_t *end;
    memset(planes, 0, SIZES * sizeof *planes);
    for (uint64_t left = empty, region; left != 0; left &= ~region) {
        region = first_region(left);
        STEPS(planes, region, oth_count(region), 2, 3, 5);
    }
    end = planes + SIZES;
    memset(end, 0, SIZES * sizeof *end);
    return STEPS(end, ~0ull, n_odd(empty), 1, 2, 3);
}

// What the replies to each of own's moves can bring about, on the move's square: 12 planes.
static uint64_t *about_replies(oth_board b, uint64_t moves, uint64_t *planes)
{
    enum { PLANES = 12 };
    memset(planes, 0, PLANES * sizeof *planes);
    for (uint64_t m = moves; m != 0; m &= m - 1) {
        uint64_t bit = m & -m, *p = planes;
        oth_board after = oth_play(b, __builtin_ctzll(m)); // the other one is to move
        int held = oth_count(oth_safe(after.own, after.opp)), fewest = OTH_SQUARES, won = 0, turned = 0;
        for (uint64_t r = oth_moves(after); r != 0; r &= r - 1) {
            oth_board next = oth_play(after, __builtin_ctzll(r));
            int left = oth_count(oth_moves(next)), more = oth_count(oth_safe(next.opp, next.own)) - held,
                discs = oth_count(after.opp) - oth_count(next.own);
            if (left < fewest) fewest = left;
            if (more > won) won = more;
            if (discs > turned) turned = discs;
        }
        p = STEPS(p, bit, fewest, 1, 2, 3, 5);               // own moves after the worst reply
        p = STEPS(p, bit, won, 1, 3, 6);                     // safe discs the other one may win
        p = STEPS(p, bit, turned, 4, 8);                     // discs it may turn back
        p = STEPS(p, bit, n_odd(oth_empty(after)), 1, 2, 3); // odd regions it finds
    }
    return planes + PLANES;
}

// Numbers that belong to no square, on all of them: 23 planes.
static uint64_t *about_all(oth_board b, uint64_t moves, uint64_t replies, uint64_t *p)
{
    enum { PLANES = 23 };
    int empty = oth_count(oth_empty(b));
    memset(p, 0, PLANES * sizeof *p);
    p = STEPS(p, ~0ull, empty, 4, 6, 8, 10, 11, 12, 13, 14);
    *p++ = empty % 2 == 1 ? ~0ull : 0;
    p = STEPS(p, ~0ull, oth_count(b.own) - oth_count(b.opp), -20, -10, -4, 0, 4, 10, 20);
    p = STEPS(p, ~0ull, oth_count(moves), 3, 5, 7);
    p = STEPS(p, ~0ull, oth_count(replies), 1, 3, 5, 7);
    return p;
}

void oth_look2(oth_board b, uint64_t planes[OTH_LOOK2])
{
    oth_board other = oth_pass(b);
    uint64_t *p = planes + OTH_LOOK, moves, replies;
    oth_look(b, planes);
    moves = planes[2], replies = planes[3];
    about_moves(other, replies, planes[7], p);
    p = about_replies(b, moves, p + ABOUT_MOVES);
    p = about_all(b, moves, replies, p);
    p = about_regions(oth_empty(b), p);
    *p++ = oth_empty(b) & ~moves & ~replies;
    assert(p == planes + OTH_LOOK2);
}
