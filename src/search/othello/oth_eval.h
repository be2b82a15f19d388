// Pattern evaluation of Othello: what a position is worth, from the shapes of 46 groups of squares.
//
// Eleven kinds of patterns (corners 3x3 and 2x5, edges with their X squares, rows, diagonals), each laid on the board in
// all its places. A place's squares are the digits of a number in base 3: own disc +1, opponent's -1, empty 0. So a move
// adds multiples of fixed vectors, and changing sides is a change of sign: a search keeps the 46 numbers up to date
// instead of computing them. The value is the sum of a weight each, from tables by stage (four discs wide), and a bias by
// disc count. Weights come from `keiko tune othello-patterns` and live in a file; see oth_weights_read.
#ifndef KEIKO_SEARCH_OTH_EVAL_H
#define KEIKO_SEARCH_OTH_EVAL_H

#include "base/err.h"
#include "base/text.h"
#include "games/othello/othello.h"

enum {
    OTH_KINDS = 11,
    OTH_PLACES = 46,                                                       // of patterns on the board
    OTH_PLACES_PAD = 48,                                                   // whole vectors
    OTH_STAGES = 15,                                                       // of four discs each
    OTH_STAGE_SIZE = 19683 + 2 * 59049 + 4 * 6561 + 2187 + 729 + 243 + 81, // entries of a stage's tables
    OTH_EVAL_UNIT = 128,                                                   // of a disc
};

// The 46 numbers, for the side to move. Three vectors on any machine.
typedef int16_t oth_shape_part __attribute__((vector_size(32), may_alias));
typedef struct oth_shape {
    oth_shape_part v[3];
} oth_shape;

typedef struct oth_weights {
    int16_t bias[OTH_SQUARES + 1]; // by disc count
    int16_t table[OTH_STAGES][OTH_STAGE_SIZE];
} oth_weights;

extern _Alignas(64) int16_t oth_shape_step[OTH_SQUARES][OTH_PLACES_PAD]; // what an own disc on a square adds
extern int32_t oth_shape_zero[OTH_PLACES];      // where in a stage's tables number 0 of a place is
extern int32_t oth_shape_canon[OTH_STAGE_SIZE]; // the entry whose weight this one shares, by the pattern's own symmetry

void oth_eval_init(void); // the tables above; from any thread, any number of times

static inline int oth_stage(int discs)
{
    int s = (discs - 4) / 4;
    return s < 0 ? 0 : s < OTH_STAGES ? s : OTH_STAGES - 1;
}

static inline oth_shape oth_shape_of(oth_board b)
{
    oth_shape s = {0};
    for (uint64_t m = b.own | b.opp; m != 0; m &= m - 1) {
        int sq = __builtin_ctzll(m);
        const oth_shape_part *step = (const oth_shape_part *)oth_shape_step[sq];
        for (int i = 0; i < 3; i++) s.v[i] += b.own >> sq & 1 ? step[i] : -step[i];
    }
    return s;
}

// After `own` plays on sq and turns `flips`: the shape the opponent sees.
static inline oth_shape oth_shape_play(const oth_shape *s, int sq, uint64_t flips)
{
    const oth_shape_part *step = (const oth_shape_part *)oth_shape_step[sq];
    oth_shape_part a = {0}, b = {0}, c = {0};
    for (; flips != 0; flips &= flips - 1) {
        const oth_shape_part *turn = (const oth_shape_part *)oth_shape_step[__builtin_ctzll(flips)];
        a += turn[0];
        b += turn[1];
        c += turn[2];
    }
    return (oth_shape){{-(s->v[0] + step[0] + a + a), -(s->v[1] + step[1] + b + b), -(s->v[2] + step[2] + c + c)}};
}

static inline oth_shape oth_shape_pass(const oth_shape *s)
{
    return (oth_shape){{-s->v[0], -s->v[1], -s->v[2]}};
}

// For the side to move, in 1/OTH_EVAL_UNIT discs; unclamped.
static inline int oth_eval_shape(const oth_weights *w, const oth_shape *s, int discs)
{
    const int16_t *table = w->table[oth_stage(discs)];
    int16_t at[OTH_PLACES_PAD];
    __builtin_memcpy(at, s, sizeof at);
    int sum = w->bias[discs], more = 0;
    for (int i = 0; i < OTH_PLACES; i += 2) {
        sum += table[oth_shape_zero[i] + at[i]];
        more += table[oth_shape_zero[i + 1] + at[i + 1]];
    }
    return sum + more;
}

int oth_eval(const oth_weights *w, oth_board b); // from scratch; w NULL: discs from mobility and corners

// --- files. Little-endian; differences between stages, zeros as runs. Any bytes are refused with a reason or read.
err oth_weights_read(oth_weights **out, const void *data, size_t size); // caller frees with oth_weights_free
err oth_weights_write(const oth_weights *w, text_buf *out);             // what entries share must be equal
err oth_weights_load(oth_weights **out, const char *path);
err oth_weights_save(const oth_weights *w, const char *path);
void oth_weights_free(oth_weights *w);

// The weights that ship, models/othello-patterns.bin, loaded once and kept; NULL with an error's sentence if they cannot
// be found or read.
const oth_weights *oth_weights_shipped(void);

#endif
