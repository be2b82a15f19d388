// The last four empties, for one instruction set per file that includes this (after OTH_ISA is defined).
//
// end1 … end4 return the final score of the side to move: exact when it does not matter more than alpha < score, a bound
// on the right side of a null window (alpha, alpha+1) otherwise. No tables, no lists: the empty squares are arguments.
#ifndef KEIKO_SEARCH_OTH_LAST_H
#define KEIKO_SEARCH_OTH_LAST_H

#include "games/othello/oth_kernels.h"
#include "search/othello/oth_tables.h"

enum { END_NONE = -100 }; // below every score: no move was possible

#define END_BIT(sq) ((uint64_t)1 << (sq))

// The discs turned by a move on the only empty square.
static inline int last_flips(uint64_t own, int sq)
{
#if OTH_ISA != OTH_ISA_SCALAR
    const oth_lines *l = &oth_line[sq];
    return oth_last_count[l->at_row][own >> (sq & 56) & 255] + oth_last_count[l->at_column][_pext_u64(own, l->column)] +
           oth_last_count[l->at_slash][_pext_u64(own, l->slash)] +
           oth_last_count[l->at_backslash][_pext_u64(own, l->backslash)];
#else
    return __builtin_popcountll(oth_k_flips(own, ~own & ~END_BIT(sq), sq));
#endif
}

static inline int end1(uint64_t own, int alpha, int sq)
{
    int n = __builtin_popcountll(own), f = last_flips(own, sq);
    if (f != 0) return 2 * (n + f) - 62;
    int stay = n >= 32 ? 2 * n - 62 : 2 * n - 64; // nobody can move: the hole goes to the winner
    if (stay <= alpha) return stay;               // the opponent's move can only lower it
    f = last_flips(~own & ~END_BIT(sq), sq);
    return f != 0 ? 2 * (n - f) - 64 : stay;
}

static inline int end_over(uint64_t own, uint64_t opp) // nobody can move
{
    int a = __builtin_popcountll(own), b = __builtin_popcountll(opp);
    return a > b ? 64 - 2 * b : a < b ? 2 * a - 64 : 0;
}

static inline uint64_t end_flips(uint64_t own, uint64_t opp, int sq)
{
    return oth_near[sq] & opp ? oth_k_flips(own, opp, sq) : 0;
}

static inline int end2(uint64_t own, uint64_t opp, int alpha, int x, int y, uint64_t *nodes)
{
    *nodes += 1;
    int best = END_NONE;
    uint64_t f = end_flips(own, opp, x);
    if (f != 0) {
        *nodes += 1;
        best = -end1(opp ^ f, -alpha - 1, y);
        if (best > alpha) return best;
    }
    f = end_flips(own, opp, y);
    if (f != 0) {
        *nodes += 1;
        int v = -end1(opp ^ f, -alpha - 1, x);
        return v > best ? v : best;
    }
    if (best != END_NONE) return best;
    // A pass: the opponent's best, seen from here.
    best = -END_NONE;
    f = end_flips(opp, own, x);
    if (f != 0) {
        *nodes += 1;
        best = end1(own ^ f, alpha, y);
        if (best <= alpha) return best;
    }
    f = end_flips(opp, own, y);
    if (f != 0) {
        *nodes += 1;
        int v = end1(own ^ f, alpha, x);
        return v < best ? v : best;
    }
    return best != -END_NONE ? best : end_over(own, opp);
}

static int end3(uint64_t own, uint64_t opp, int alpha, int x, int y, int z, uint64_t *nodes)
{
    *nodes += 1;
    // Where two share a quadrant, the third, in a quadrant of one, goes first.
    int qx = oth_line[x].quadrant, qy = oth_line[y].quadrant, qz = oth_line[z].quadrant, first;
    if (qx == qz && qy != qx) {
        first = y;
        y = x;
        x = first;
    } else if (qx == qy && qz != qx) {
        first = z;
        z = x;
        x = first;
    }
    for (int side = 1;; side = -1) {
        int best = END_NONE, v;
        uint64_t f = end_flips(own, opp, x);
        if (f != 0) {
            best = -end2(opp ^ f, own ^ f ^ END_BIT(x), -alpha - 1, y, z, nodes);
            if (best > alpha) return side * best;
        }
        f = end_flips(own, opp, y);
        if (f != 0) {
            v = -end2(opp ^ f, own ^ f ^ END_BIT(y), -alpha - 1, x, z, nodes);
            if (v > alpha) return side * v;
            if (v > best) best = v;
        }
        f = end_flips(own, opp, z);
        if (f != 0) {
            v = -end2(opp ^ f, own ^ f ^ END_BIT(z), -alpha - 1, x, y, nodes);
            if (v > best) best = v;
        }
        if (best != END_NONE) return side * best;
        if (side < 0) return end_over(opp, own);
        uint64_t t = own; // a pass
        own = opp;
        opp = t;
        alpha = -alpha - 1;
    }
}

// The squares in the order to try: those alone in their quadrant first. `parity` has a bit for each odd quadrant.
static int end4(uint64_t own, uint64_t opp, int alpha, unsigned parity, uint64_t *nodes)
{
    *nodes += 1;
    uint64_t empty = ~(own | opp), odd = empty & oth_quadrant_squares[parity], even = empty ^ odd;
    int sq[4], n = 0;
    if (even == 0 && (parity & (parity - 1)) != 0) { // three and one, or one in each quadrant
        uint64_t lone = odd & oth_quadrant_squares[parity & (0 - parity)];
        if ((lone & (lone - 1)) != 0) lone = odd ^ lone;
        sq[n++] = __builtin_ctzll(lone);
        odd &= odd ^ END_BIT(sq[0]);
    }
    for (; odd != 0; odd &= odd - 1) sq[n++] = __builtin_ctzll(odd);
    for (; even != 0; even &= even - 1) sq[n++] = __builtin_ctzll(even);
    for (int side = 1;; side = -1) {
        int best = END_NONE;
        for (int i = 0; i < 4; i++) {
            uint64_t f = end_flips(own, opp, sq[i]);
            if (f == 0) continue;
            int a = sq[i == 0], b = sq[i < 2 ? 2 : 1], c = sq[i == 3 ? 2 : 3];
            int v = -end3(opp ^ f, own ^ f ^ END_BIT(sq[i]), -alpha - 1, a, b, c, nodes);
            if (v > alpha) return side * v;
            if (v > best) best = v;
        }
        if (best != END_NONE) return side * best;
        if (side < 0) return end_over(opp, own);
        uint64_t t = own;
        own = opp;
        opp = t;
        alpha = -alpha - 1;
    }
}

#endif
