// Exact null-window search of endgames from 5 empties up to about 14, for one instruction set per including file.
//
// Two layers. Up to END_SHALLOW empties: quadrants with an odd number of holes first, no list, no table. Above: the hash
// table, bounds from stable discs, and all children made at once, their moves counted a vector at a time, so that the
// child with the fewest answers is searched first (it is cheapest to refute) and knows its moves already.
#ifndef KEIKO_SEARCH_OTH_END_H
#define KEIKO_SEARCH_OTH_END_H

#include "search/othello/oth_last.h"
#include "search/othello/oth_stable.h"
#include "search/othello/oth_worker.h"

enum {
    END_SHALLOW = 6,
    END_LOCAL =
        10, // empties up to which a thread's own small table is used: a look into the large one costs a cache miss
    END_ATOMIC = 12, // empties up to which a search is not stopped before it is done
    END_KIDS = 32,   // holes below which the sorted layer may be entered, so moves too
};
#define END_CORNERS 0x8100000000000081u

static inline unsigned end_parity(uint64_t empty)
{
    unsigned p = 0;
    for (unsigned q = 1; q < 16; q <<= 1) p |= (__builtin_popcountll(empty & oth_quadrant_squares[q]) & 1) != 0 ? q : 0;
    return p;
}

// Alpha from which stable discs are worth counting, by empties: measured to pay.
static inline bool end_stable_cut(uint64_t own, uint64_t opp, int alpha, int empties, int *score)
{
    static const int8_t from[] = {64, 64, 64, 64, 6,  8,  10, 12, 14, 16, 20, 22,
                                  24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46};
    if (alpha < (empties < 24 ? from[empties] : 48)) return false;
    *score = 64 - 2 * __builtin_popcountll(oth_stable(opp, own));
    return *score <= alpha;
}

static int end_shallow(oth_worker *s, uint64_t own, uint64_t opp, int alpha, int empties, unsigned parity)
{
    s->nodes++;
    int best = END_NONE;
    if (end_stable_cut(own, opp, alpha, empties, &best)) return best;
    uint64_t empty = ~(own | opp), odd = oth_quadrant_squares[parity];
    for (int side = 1;; side = -1) {
        best = END_NONE;
        for (int half = 0; half < 2; half++) {
            for (uint64_t m = half == 0 ? empty & odd : empty & ~odd; m != 0; m &= m - 1) {
                int sq = __builtin_ctzll(m);
                uint64_t f = end_flips(own, opp, sq);
                if (f == 0) continue;
                uint64_t next_own = opp ^ f, next_opp = own ^ f ^ END_BIT(sq);
                unsigned p = parity ^ oth_line[sq].quadrant;
                int v = empties == 5 ? -end4(next_own, next_opp, -alpha - 1, p, &s->nodes)
                                     : -end_shallow(s, next_own, next_opp, -alpha - 1, empties - 1, p);
                if (v > alpha) return side * v;
                if (v > best) best = v;
            }
        }
        if (best != END_NONE) return side * best;
        if (side < 0) return end_over(opp, own);
        uint64_t t = own;
        own = opp;
        opp = t;
        alpha = -alpha - 1;
    }
}

// Any position of 1 … END_SHALLOW empties.
static int end_small(oth_worker *s, uint64_t own, uint64_t opp, int alpha, int empties, unsigned parity)
{
    if (empties > 4) return end_shallow(s, own, opp, alpha, empties, parity);
    if (empties == 4) return end4(own, opp, alpha, parity, &s->nodes);
    uint64_t empty = ~(own | opp);
    int x = __builtin_ctzll(empty);
    empty &= empty - 1;
    if (empties == 1) {
        s->nodes++;
        return end1(own, alpha, x);
    }
    int y = __builtin_ctzll(empty);
    empty &= empty - 1;
    if (empties == 2) return end2(own, opp, alpha, x, y, &s->nodes);
    return end3(own, opp, alpha, x, y, __builtin_ctzll(empty), &s->nodes);
}

typedef struct end_kids {
    _Alignas(64) uint64_t own[END_KIDS];
    _Alignas(64) uint64_t opp[END_KIDS];
    _Alignas(64) uint64_t moves[END_KIDS];
    uint64_t hash[END_KIDS];
    uint8_t sq[END_KIDS];
    int32_t key[END_KIDS]; // the smallest first
    int n;
} end_kids;

// All children of a board, with their moves.
static inline void end_expand(end_kids *k, uint64_t own, uint64_t opp, uint64_t moves)
{
    int n = 0;
    for (; moves != 0; moves &= moves - 1, n++) {
        int sq = __builtin_ctzll(moves);
        uint64_t f = oth_k_flips(own, opp, sq);
        k->sq[n] = (uint8_t)sq;
        k->own[n] = opp ^ f;
        k->opp[n] = own ^ f ^ END_BIT(sq);
    }
    k->n = n;
    for (int i = 0; i < n; i += OTH_LANES)
        oth_v_store(k->moves + i, oth_v_moves(oth_v_load(k->own + i), oth_v_load(k->opp + i)));
}

// The child with the smallest key of those left, i … n-1. Keys carry the child's number in their low bits.
static inline int end_next(end_kids *k, int i)
{
    int at = i;
    int32_t least = k->key[i];
    for (int j = i + 1; j < k->n; j++)
        if (k->key[j] < least) least = k->key[at = j];
    k->key[at] = k->key[i];
    return least & (END_KIDS - 1);
}

// Fewest answers first. Less than an answer counts: squares beside the mover's discs, which may become answers; a corner
// taken; a hole in a quadrant with an odd number of them.
static inline void end_order(end_kids *k, unsigned parity, int best, int second)
{
    _Alignas(64) uint64_t near[END_KIDS];
    for (int i = 0; i < k->n; i += OTH_LANES) {
        oth_vec own = oth_v_load(k->own + i), opp = oth_v_load(k->opp + i);
        // Discs on the border are left out where the step leads off the board.
        oth_vec row = opp & OTH_INNER_FILES, column = opp & 0x00ffffffffffff00u, both = row & column;
        oth_vec beside =
            row << 1 | row >> 1 | column << 8 | column >> 8 | both << 7 | both >> 7 | both << 9 | both >> 9;
        oth_v_store(near + i, beside & ~(own | opp));
    }
    for (int i = 0; i < k->n; i++) {
        uint64_t m = k->moves[i];
        int key = 8 * (__builtin_popcountll(m) + __builtin_popcountll(m & END_CORNERS)) + __builtin_popcountll(near[i]);
        key -= (parity & oth_line[k->sq[i]].quadrant) != 0 ? 4 : 0;
        key -= (END_BIT(k->sq[i]) & END_CORNERS) != 0 ? 4 : 0;
        if (k->sq[i] == second) key -= 1 << 20;
        if (k->sq[i] == best) key -= 1 << 21;
        k->key[i] = key * END_KIDS + i;
    }
}

static inline oth_tt *end_table(oth_worker *s, int empties)
{
    return empties <= END_LOCAL ? s->small : s->tt;
}

// The children's places in the table, fetched while they are put in order.
static inline void end_expect(oth_worker *s, end_kids *k, int empties)
{
    const oth_tt *tt = end_table(s, empties);
    for (int i = 0; i < k->n; i++) {
        k->hash[i] = oth_hash((oth_board){k->own[i], k->opp[i]});
        oth_tt_prefetch(tt, k->hash[i]);
    }
}

// With more empties than END_ATOMIC, a search that is stopped on the way returns anything and leaves nothing in the table.
static int end_search(oth_worker *s, uint64_t own, uint64_t opp, uint64_t moves, uint64_t hash, int alpha, int empties,
                      unsigned parity)
{
    s->nodes++;
    int score;
    if (moves == 0) {
        moves = oth_k_moves(opp, own);
        if (moves == 0) return end_over(own, opp);
        return -end_search(s, opp, own, moves, oth_hash((oth_board){opp, own}), -alpha - 1, empties, parity);
    }
    if (empties > END_ATOMIC && oth_worker_stop(s)) return 0;
    if (end_stable_cut(own, opp, alpha, empties, &score)) return score;
    oth_tt *tt = end_table(s, empties);
    oth_tt_data d = {.move = OTH_TT_NONE, .move2 = OTH_TT_NONE};
    if (oth_tt_find(tt, hash, &d) && d.depth == empties && d.sure == OTH_SURE) {
        if (d.low > alpha) return d.low;
        if (d.high <= alpha) return d.high;
    }
    end_kids k;
    end_expand(&k, own, opp, moves);
    if (empties - 1 > END_SHALLOW) end_expect(s, &k, empties - 1);
    if (k.n > 1) end_order(&k, parity, d.move, d.move2);
    int best = END_NONE, move = OTH_TT_NONE;
    for (int i = 0; i < k.n; i++) {
        int c = k.n > 1 ? end_next(&k, i) : 0;
        unsigned p = parity ^ oth_line[k.sq[c]].quadrant;
        int v = empties - 1 <= END_SHALLOW
                    ? -end_shallow(s, k.own[c], k.opp[c], -alpha - 1, empties - 1, p)
                    : -end_search(s, k.own[c], k.opp[c], k.moves[c], k.hash[c], -alpha - 1, empties - 1, p);
        if (empties > END_ATOMIC && s->stopped) return 0;
        if (v > best) {
            best = v;
            move = k.sq[c];
            if (v > alpha) break;
        }
    }
    oth_tt_store(tt, hash, empties, OTH_SURE, alpha, alpha + 1, best, move);
    return best;
}

#endif
