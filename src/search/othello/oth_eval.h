// Pattern evaluation of Othello: what a position is worth, from the shapes of 64 groups of squares and from mobility.
//
// Fifteen kinds of patterns (corners, edges, rows, diagonals, with squares that matter beside them), each laid on the board
// in all its places. A place's squares are the digits of a number in base 3: own disc +1, opponent's -1, empty 0. So a move
// adds multiples of fixed vectors, and changing sides is a change of sign: a search keeps the 64 numbers up to date instead
// of computing them. The value is the sum of a weight each, a weight for both sides' numbers of moves, one for the corners
// they may take, and a bias by disc count.
//
// Weights change with the number of discs. They are learned at knots, four discs apart, and lie on straight lines between
// them; a stage is two discs wide, so every second stage is a knot and the others are means of two. Weights come from
// `keiko tune othello-patterns` and live in a file; see oth_weights_read.
#ifndef KEIKO_SEARCH_OTH_EVAL_H
#define KEIKO_SEARCH_OTH_EVAL_H

#include "base/err.h"
#include "base/text.h"
#include "games/othello/othello.h"

enum {
    OTH_KINDS = 15,
    OTH_PLACES = 64, // of patterns on the board
    OTH_KNOTS = 14,
    OTH_STAGES = 2 * OTH_KNOTS - 1, // of two discs each, from OTH_STAGE_FIRST discs
    OTH_STAGE_FIRST = 10,
    OTH_MOBILITY = 25, // numbers of moves that are told apart: 0 … 24 and more
    OTH_CORNERS = 5,
    OTH_AT_MOBILITY =
        9 * 59049 + 2 * 19683 + 3 * 6561 + 243, // in a stage's table, behind the patterns: [own][opponent's]
    OTH_AT_CORNERS = OTH_AT_MOBILITY + OTH_MOBILITY * OTH_MOBILITY, // the same of corners that may be taken
    OTH_STAGE_SIZE = OTH_AT_CORNERS + OTH_CORNERS * OTH_CORNERS,    // entries of a stage's table
    OTH_EVAL_UNIT = 128,                                            // of a disc
    OTH_WEIGHT_STEP = 8,                                            // weights at knots are multiples of it
};

// The 64 numbers, for the side to move. Four vectors on any machine.
typedef int16_t oth_shape_part __attribute__((vector_size(32), may_alias));
enum { OTH_SHAPE_PARTS = 4 };
typedef struct oth_shape {
    oth_shape_part v[OTH_SHAPE_PARTS];
} oth_shape;

typedef struct oth_weights {
    int16_t bias[OTH_SQUARES + 1]; // by disc count
    int16_t table[OTH_STAGES][OTH_STAGE_SIZE];
} oth_weights;

extern _Alignas(64) int16_t oth_shape_step[OTH_SQUARES][OTH_PLACES]; // what an own disc on a square adds
extern int32_t oth_shape_zero[OTH_PLACES];                           // where in a stage's table number 0 of a place is
extern int32_t oth_shape_canon[OTH_STAGE_SIZE]; // the entry whose weight this one shares, by the pattern's own symmetry
extern int32_t oth_kind_first[OTH_KINDS + 1];   // where in a stage's table a kind begins; the last: OTH_AT_MOBILITY

void oth_eval_init(void); // the tables above; from any thread, any number of times

static inline int oth_stage(int discs)
{
    int s = (discs - OTH_STAGE_FIRST) / 2;
    return discs < OTH_STAGE_FIRST ? 0 : s < OTH_STAGES ? s : OTH_STAGES - 1;
}

static inline oth_shape oth_shape_of(oth_board b)
{
    oth_shape s = {0};
    for (uint64_t m = b.own | b.opp; m != 0; m &= m - 1) {
        int sq = __builtin_ctzll(m);
        const oth_shape_part *step = (const oth_shape_part *)oth_shape_step[sq];
        for (int i = 0; i < OTH_SHAPE_PARTS; i++) s.v[i] += b.own >> sq & 1 ? step[i] : -step[i];
    }
    return s;
}

// After `own` plays on sq and turns `flips`: the shape the opponent sees.
static inline oth_shape oth_shape_play(const oth_shape *s, int sq, uint64_t flips)
{
    const oth_shape_part *step = (const oth_shape_part *)oth_shape_step[sq];
    oth_shape_part a = {0}, b = {0}, c = {0}, d = {0};
    for (; flips != 0; flips &= flips - 1) {
        const oth_shape_part *turn = (const oth_shape_part *)oth_shape_step[__builtin_ctzll(flips)];
        a += turn[0];
        b += turn[1];
        c += turn[2];
        d += turn[3];
    }
    return (oth_shape){{-(s->v[0] + step[0] + a + a), -(s->v[1] + step[1] + b + b), -(s->v[2] + step[2] + c + c),
                        -(s->v[3] + step[3] + d + d)}};
}

static inline oth_shape oth_shape_pass(const oth_shape *s)
{
    return (oth_shape){{-s->v[0], -s->v[1], -s->v[2], -s->v[3]}};
}

// The entries for the squares where each side may play.
static inline int oth_mobility_entry(uint64_t mine, uint64_t theirs)
{
    int a = __builtin_popcountll(mine), b = __builtin_popcountll(theirs);
    a = a < OTH_MOBILITY ? a : OTH_MOBILITY - 1;
    b = b < OTH_MOBILITY ? b : OTH_MOBILITY - 1;
    return OTH_AT_MOBILITY + OTH_MOBILITY * a + b;
}

static inline int oth_corner_entry(uint64_t mine, uint64_t theirs)
{
    const uint64_t corners = 0x8100000000000081u;
    return OTH_AT_CORNERS + OTH_CORNERS * __builtin_popcountll(mine & corners) + __builtin_popcountll(theirs & corners);
}

// For the side to move, in 1/OTH_EVAL_UNIT discs; unclamped. `mine` and `theirs`: where each side may play.
static inline int oth_eval_shape(const oth_weights *w, const oth_shape *s, int discs, uint64_t mine, uint64_t theirs)
{
    const int16_t *table = w->table[oth_stage(discs)];
    int16_t at[OTH_PLACES];
    __builtin_memcpy(at, s, sizeof at);
    int sum = w->bias[discs] + table[oth_mobility_entry(mine, theirs)], more = table[oth_corner_entry(mine, theirs)];
    int32_t entry[OTH_PLACES]; // in a loop of its own, which compilers turn into vectors
    for (int i = 0; i < OTH_PLACES; i++) entry[i] = oth_shape_zero[i] + at[i];
    for (int i = 0; i < OTH_PLACES; i += 2) {
        sum += table[entry[i]];
        more += table[entry[i + 1]];
    }
    return sum + more;
}

int oth_eval(const oth_weights *w, oth_board b); // from scratch; w NULL: discs from mobility and corners

// Makes the rest of the tables from the canonical entries of the knots.
void oth_weights_fill(oth_weights *w);

// --- files. The knots' differences, range coded. Any bytes are refused with a reason or read.
err oth_weights_read(oth_weights **out, const void *data, size_t size); // caller frees with oth_weights_free
err oth_weights_write(const oth_weights *w, text_buf *out);             // as oth_weights_fill leaves them
err oth_weights_load(oth_weights **out, const char *path);
err oth_weights_save(const oth_weights *w, const char *path);
void oth_weights_free(oth_weights *w);
// The same to look at only, shared with all who have the file open; one that was replaced meanwhile is read anew when all have
// closed it. Any thread may call these.
err oth_weights_open(const oth_weights **out, const char *path); // caller closes with oth_weights_close
void oth_weights_close(const oth_weights *w);                    // NULL is fine

// The weights that ship, models/othello-patterns.bin, loaded once and kept; NULL with an error's sentence if they cannot
// be found or read.
const oth_weights *oth_weights_shipped(void);

#endif
