// The evaluation: which facts are true, and the network's sums over them; see contrast_eval.h.
//
// Steps to the goal row come from a flood that runs backwards: the squares one step away from any set are found with eight
// shifts. Enemies block it, own pieces do not (they can be jumped).
#include "search/contrast/contrast_eval.h"

#include <string.h>

enum { FAR = 7 };

static inline uint32_t beside(uint32_t v)
{
    return (v & ~CTR_FILE_E) << 1 | (v & ~CTR_FILE_A) >> 1;
}

// Steps from the nearest piece of `seat` to its goal row, 1 … 6, or FAR.
static inline int nearest(const ctr_board *b, uint32_t seat)
{
    uint32_t own = b->pieces[seat], enemy = b->pieces[!seat], straight = ~b->tiles[CTR_BLACK],
             slant = b->tiles[CTR_BLACK] | b->tiles[CTR_GRAY];
    uint32_t at = CTR_GOAL(seat) & ~enemy, left = CTR_BOARD & ~enemy & ~at;
    for (int k = 1; k < FAR; k++) {
        uint32_t rows = at << 5 | at >> 5, sides = beside(at);
        at = (((rows | sides) & straight) | ((sides << 5 | sides >> 5) & slant)) & left;
        if (at & own) return k;
        left &= ~at;
    }
    return FAR;
}

// Squares as the mover sees them, seat 0 and seat 1, and in the mirror.
static const uint8_t seen[2][2][CTR_CELLS] = {
    {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24},
     {4, 3, 2, 1, 0, 9, 8, 7, 6, 5, 14, 13, 12, 11, 10, 19, 18, 17, 16, 15, 24, 23, 22, 21, 20}},
    {{24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
     {20, 21, 22, 23, 24, 15, 16, 17, 18, 19, 10, 11, 12, 13, 14, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4}}};

static inline int hand_of(const ctr_board *b, uint32_t seat)
{
    return 2 * CTR_HAND(b, seat, CTR_BLACK) + CTR_HAND(b, seat, CTR_GRAY);
}

// The facts but the race, as `me` sees them.
static inline __attribute__((always_inline)) int standing(const ctr_board *b, uint32_t me, uint16_t f[2][CTR_TRUE])
{
    const uint32_t all = b->pieces[0] | b->pieces[1];
    const uint32_t black = b->tiles[CTR_BLACK], gray = b->tiles[CTR_GRAY];
    const uint8_t *plain = seen[me][0], *mirror = seen[me][1];
    int n = 0;
    for (uint32_t who = 0; who < 2; who++) {
        for (uint32_t p = b->pieces[me ^ who]; p != 0; p &= p - 1) {
            int sq = __builtin_ctz(p), kind = (int)((black >> sq & 1) | (gray >> sq & 1) << 1);
            int first = CTR_F_PIECE + 75 * (int)who + 25 * kind;
            f[0][n] = (uint16_t)(first + plain[sq]);
            f[1][n++] = (uint16_t)(first + mirror[sq]);
        }
    }
    for (int colour = 0; colour < 2; colour++) {
        for (uint32_t t = b->tiles[colour] & ~all; t != 0; t &= t - 1) {
            int sq = __builtin_ctz(t), first = CTR_F_TILE + 25 * colour;
            f[0][n] = (uint16_t)(first + plain[sq]);
            f[1][n++] = (uint16_t)(first + mirror[sq]);
        }
    }
    for (uint32_t who = 0; who < 2; who++, n++)
        f[0][n] = f[1][n] = (uint16_t)(CTR_F_HAND + 8 * (int)who + hand_of(b, me ^ who));
    return n;
}

static inline int race(const ctr_board *b)
{
    return CTR_F_RACE + 8 * nearest(b, b->side) + nearest(b, !b->side);
}

static inline __attribute__((always_inline)) int facts(const ctr_board *b, uint16_t f[2][CTR_TRUE])
{
    int n = standing(b, b->side, f);
    f[0][n] = f[1][n] = (uint16_t)race(b);
    return n + 1;
}

int ctr_facts(const ctr_board *b, uint16_t f[2][CTR_TRUE])
{
    return facts(b, f);
}

enum { LANES = 8, VECTORS = CTR_HIDDEN / LANES };

typedef int16_t lanes __attribute__((vector_size(2 * LANES)));

typedef struct layer {
    lanes v[2][VECTORS]; // [look]
} layer;

static inline lanes load(const int16_t *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void add(layer *to, const int16_t *w, int look, int fact)
{
    for (int k = 0; k < VECTORS; k++) to->v[look][k] += load(w + CTR_W_FACT + fact * CTR_HIDDEN + LANES * k);
}

static inline void subtract(layer *to, const int16_t *w, int look, int fact)
{
    for (int k = 0; k < VECTORS; k++) to->v[look][k] -= load(w + CTR_W_FACT + fact * CTR_HIDDEN + LANES * k);
}

static inline __attribute__((always_inline)) layer sum(uint16_t f[2][CTR_TRUE], int n, const int16_t *w)
{
    layer s;
    for (int look = 0; look < 2; look++) memcpy(s.v[look], w + CTR_W_BIAS, sizeof s.v[look]);
    for (int i = 0; i < n; i++)
        for (int look = 0; look < 2; look++) add(&s, w, look, f[look][i]);
    return s;
}

static inline __attribute__((always_inline)) int output(const layer *s, const int16_t *w)
{
    int16_t unit[2][CTR_HIDDEN];
    memcpy(unit, s, sizeof unit);
    int value = 0;
    const int16_t *out = w + CTR_W_OUT;
    for (int look = 0; look < 2; look++) {
        for (int k = 0; k < CTR_HIDDEN; k++) {
            int16_t u = unit[look][k];
            u = u < 0 ? 0 : u > CTR_ONE ? CTR_ONE : u;
            value += (int16_t)(u * out[k]) * u;
        }
    }
    int score = w[CTR_W_BASE] + value / (CTR_ONE * CTR_ONE * CTR_OUT_ONE / CTR_LOGIT);
    return score > CTR_EVAL_MAX ? CTR_EVAL_MAX : score < -CTR_EVAL_MAX ? -CTR_EVAL_MAX : score;
}

int ctr_weigh(uint16_t f[2][CTR_TRUE], int n, const int16_t *w)
{
    layer s = sum(f, n, w);
    return output(&s, w);
}

int ctr_eval(const ctr_board *b, const int16_t *w)
{
    uint16_t f[2][CTR_TRUE];
    int n = facts(b, f);
    layer s = sum(f, n, w);
    return output(&s, w);
}

// --- from move to move

void ctr_sums_of(const ctr_board *b, const int16_t *w, ctr_sums *out)
{
    for (uint32_t me = 0; me < 2; me++) {
        uint16_t f[2][CTR_TRUE];
        int n = standing(b, me, f);
        layer s = sum(f, n, w);
        memcpy(out->unit[me], &s, sizeof s);
    }
}

// The tile on a square: 0 white, 1 black, 2 gray.
static inline int tile_on(const ctr_board *b, int sq)
{
    return (int)((b->tiles[CTR_BLACK] >> sq & 1) | (b->tiles[CTR_GRAY] >> sq & 1) << 1);
}

// What `me` sees after the move. A tile that a piece leaves is one nobody stands on.
static inline __attribute__((always_inline)) layer played(const ctr_sums *s, const ctr_board *b, move_t m, uint32_t me,
                                                          const int16_t *w)
{
    layer l;
    memcpy(&l, s->unit[me], sizeof l);
    const uint32_t who = b->side ^ me;
    const int from = ctr_from(m), to = ctr_to(m), tile = ctr_tile(m), left = tile_on(b, from), reached = tile_on(b, to);
    const int first = CTR_F_PIECE + 75 * (int)who;
    for (int look = 0; look < 2; look++) {
        const uint8_t *at = seen[me][look];
        subtract(&l, w, look, first + 25 * left + at[from]);
        add(&l, w, look, first + 25 * reached + at[to]);
        if (left > 0) add(&l, w, look, CTR_F_TILE + 25 * (left - 1) + at[from]);
        if (reached > 0) subtract(&l, w, look, CTR_F_TILE + 25 * (reached - 1) + at[to]);
        if (tile == 0) continue;
        const int hand = CTR_F_HAND + 8 * (int)who + hand_of(b, b->side), colour = ctr_tile_colour(tile);
        add(&l, w, look, CTR_F_TILE + 25 * colour + at[ctr_tile_square(tile)]);
        subtract(&l, w, look, hand);
        add(&l, w, look, hand - (colour == CTR_BLACK ? 2 : 1));
    }
    return l;
}

void ctr_sums_play(const ctr_sums *s, const ctr_board *b, move_t m, const int16_t *w, ctr_sums *out)
{
    for (uint32_t me = 0; me < 2; me++) {
        layer l = played(s, b, m, me, w);
        memcpy(out->unit[me], &l, sizeof l);
    }
}

static inline __attribute__((always_inline)) int finish(layer l, const ctr_board *b, const int16_t *w)
{
    int fact = race(b);
    for (int look = 0; look < 2; look++) add(&l, w, look, fact);
    return output(&l, w);
}

int ctr_eval_sums(const ctr_sums *s, const ctr_board *b, const int16_t *w)
{
    layer l;
    memcpy(&l, s->unit[b->side], sizeof l);
    return finish(l, b, w);
}

int ctr_eval_after(const ctr_sums *s, const ctr_board *b, move_t m, const ctr_board *after, const int16_t *w)
{
    return finish(played(s, b, m, after->side, w), after, w);
}
