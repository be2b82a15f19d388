// The evaluation, written once as counts of weighted terms; see contrast_eval.h for what they are.
//
// Steps to the goal row come from a flood that runs backwards: the squares one step away from any set are found with eight
// shifts, so one flood gives the distance of all five pieces. Enemies block it, own pieces do not (they can be jumped).
#include "search/contrast/contrast_eval.h"

#include <string.h>

enum { FAR = 7 };

// Left and right look the same: columns a and e are 0, b and d 1, c is 2.
static const uint8_t fold[CTR_CELLS] = {0, 1, 2, 1,  0,  3,  4, 5,  4,  3,  6,  7, 8,
                                        7, 6, 9, 10, 11, 10, 9, 12, 13, 14, 13, 12};

static inline uint32_t beside(uint32_t v)
{
    return (v & ~CTR_FILE_E) << 1 | (v & ~CTR_FILE_A) >> 1;
}

// layer[k]: the squares k steps from the goal row of `seat`, for k = 1 … 6.
static inline void flood(const ctr_board *b, uint32_t seat, uint32_t layer[FAR])
{
    uint32_t enemy = b->pieces[!seat], straight = ~b->tiles[CTR_BLACK],
             slant = b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY];
    uint32_t at = CTR_GOAL(seat) & ~enemy, left = CTR_BOARD & ~enemy & ~at;
    for (int k = 1; k < FAR; k++) {
        uint32_t rows = at << 5 | at >> 5, sides = beside(at);
        at = ((rows | sides) & straight) | ((sides << 5 | sides >> 5) & slant);
        layer[k] = at &= left;
        left &= ~at;
    }
}

static inline int steps(const ctr_board *b, uint32_t seat)
{
    uint32_t own = b->pieces[seat], empty = ~(own | b->pieces[!seat]) & CTR_BOARD;
    uint32_t straight = own & ~b->tiles[CTR_BLACK], slant = own & (b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY]);
    uint32_t east = (empty & ~CTR_FILE_E) << 1, west = (empty & ~CTR_FILE_A) >> 1;
    int n = __builtin_popcount(straight & empty << 5) + __builtin_popcount(straight & empty >> 5) +
            __builtin_popcount(straight & east) + __builtin_popcount(straight & west);
    if (slant != 0)
        n += __builtin_popcount(slant & east << 5) + __builtin_popcount(slant & east >> 5) +
             __builtin_popcount(slant & west << 5) + __builtin_popcount(slant & west >> 5);
    return n;
}

#define TERM(i, n)                                                                                                     \
    do {                                                                                                               \
        int i_ = (i), n_ = (n);                                                                                        \
        if (f != NULL) f[i_] = (int16_t)(f[i_] + n_);                                                                  \
        score += w[i_] * n_;                                                                                           \
    } while (0)

// What belongs to one seat alone; `sign` is +1 for the mover. Returns the steps of its nearest piece.
static inline int one_side(const ctr_board *b, uint32_t seat, int sign, const int16_t *w, int16_t *f, int *total)
{
    int score = 0;
    const uint32_t own = b->pieces[seat], enemy = b->pieces[!seat];
    const uint32_t black = b->tiles[CTR_BLACK], gray = b->tiles[CTR_GRAY], slant = own & (black | gray);
    for (uint32_t p = own; p != 0; p &= p - 1) {
        int sq = __builtin_ctz(p), kind = (int)((black >> sq & 1) | (gray >> sq & 1) << 1);
        TERM(CTR_W_PIECE + 15 * kind + fold[seat == 0 ? sq : CTR_CELLS - 1 - sq], sign);
    }
    TERM(CTR_W_HAND + 2 * CTR_HAND(b, seat, CTR_BLACK) + CTR_HAND(b, seat, CTR_GRAY), sign);

    uint32_t layer[FAR];
    flood(b, seat, layer);
    int nearest = FAR, counted = 0;
    for (int k = 1; k < FAR; k++) {
        int n = __builtin_popcount(layer[k] & own);
        if (n > 0 && nearest == FAR) nearest = k;
        counted += n;
        TERM(CTR_W_NEAR + k, sign * n);
    }
    TERM(CTR_W_NEAR + FAR, sign * (5 - counted));

    int n = steps(b, seat);
    TERM(CTR_W_MOBILITY + (n > 19 ? 19 : n), sign);
    uint32_t ahead = seat == 0 ? own >> 5 : own << 5, slow = own & ~slant;
    TERM(CTR_W_FACED, sign * __builtin_popcount((seat == 0 ? slow >> 5 : slow << 5) & enemy));
    TERM(CTR_W_COLUMN, sign * __builtin_popcount(ahead & own));
    TERM(CTR_W_BESIDE, sign * __builtin_popcount((own & ~CTR_FILE_E) << 1 & own));
    uint32_t corners = beside(slant);
    TERM(CTR_W_SLANT, sign * __builtin_popcount((seat == 0 ? corners >> 5 : corners << 5) & own));
    *total += score;
    return nearest;
}

// All squares beyond any of `v` in its column.
static inline uint32_t below(uint32_t v)
{
    return v << 5 | v << 10 | v << 15 | v << 20;
}

static inline uint32_t above(uint32_t v)
{
    return v >> 5 | v >> 10 | v >> 15 | v >> 20;
}

static inline __attribute__((always_inline)) int evaluate(const ctr_board *b, const int16_t *w, int16_t *f)
{
    int score = 0;
    const uint32_t me = b->side, all = b->pieces[0] | b->pieces[1];
    int mine = one_side(b, me, 1, w, f, &score), theirs = one_side(b, !me, -1, w, f, &score);
    TERM(CTR_W_LEAD + 8 * mine + theirs, 1);
    for (int colour = 0; colour < 2; colour++) {
        for (uint32_t t = b->tiles[colour] & ~all; t != 0; t &= t - 1) {
            int sq = __builtin_ctz(t);
            TERM(CTR_W_TILE + 15 * colour + fold[me == 0 ? sq : CTR_CELLS - 1 - sq], 1);
            TERM(CTR_W_TILE + 15 * colour + fold[me == 0 ? CTR_CELLS - 1 - sq : sq], -1);
        }
    }
    int odd = __builtin_popcount(above(b->pieces[0]) & below(b->pieces[1]) & ~all) & 1;
    TERM(CTR_W_PARITY + (b->hands != 0), odd ? 1 : -1);
    TERM(CTR_W_TEMPO, 1);
    return score > CTR_EVAL_MAX ? CTR_EVAL_MAX : score < -CTR_EVAL_MAX ? -CTR_EVAL_MAX : score;
}

int ctr_eval(const ctr_board *b, const int16_t *w)
{
    return evaluate(b, w, NULL);
}

void ctr_features(const ctr_board *b, int16_t *f)
{
    memset(f, 0, CTR_WEIGHTS * sizeof *f);
    evaluate(b, ctr_weights, f);
}
