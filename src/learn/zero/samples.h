// Positions with what a network should say about them: a growing list of arrays, and the same as bytes.
//
// A sample holds the position as the network reads it (bit planes and numbers), the seat to move, every legal move with
// its target probability in 1/65535, the value for that seat, a second target (the final margin, where the game has one)
// and the training step of the weights that searched it. 100 bytes for Othello, about 600 for Contrast. Where the shape says
// so, also who owns each square in the end, and the other side's answer to the move that was played.
//
// Symmetries are applied when samples are drawn, so moves are kept as moves. Their places in the policy heads may depend
// on the seat to move but on nothing else of the position (samples_heads), which lets the position itself be left out.
#ifndef KEIKO_LEARN_ZERO_SAMPLES_H
#define KEIKO_LEARN_ZERO_SAMPLES_H

#include "base/text.h"
#include "games/game.h"

typedef struct samples_shape { // what belongs to a game and its encoding
    const game *g;
    const encoding *enc;
    size_t bits;       // words per position
    size_t owners;     // words of the final owners: two planes; 0 = not kept
    bool reply;        // the answer is kept
    void *seat_obs[2]; // an observation of each seat, for the moves' places in the heads
} samples_shape;

err samples_shape_make(samples_shape *out, const game *g, const encoding *enc); // free with samples_shape_free
void samples_shape_free(samples_shape *s);
// What is kept beyond the usual. An error where the game does not know its squares' owners.
err samples_shape_more(samples_shape *s, bool owners, bool reply);

typedef struct samples { // zero is empty
    size_t n, room;
    size_t moves, moves_room;
    uint64_t *bits;  // [n][shape.bits]
    float *scalars;  // [n][scalars]
    float *value;    // [n] for the seat to move, -1 … 1
    float *margin;   // [n] the same way: the final margin, 0 where the game has none
    uint64_t *owner; // [n][shape.owners]: squares of the seat to move, then of the other; a bit in both = not known
    uint16_t
        *reply;     // [n] where kept: a move; one that the game has not = none. Of a game under way: the position's ply
    uint32_t *step; // [n] training steps of the weights that searched it
    uint32_t *start; // [n + 1] into move and prob
    uint16_t *move, *prob;
    uint8_t *seat;
} samples;

// Appends one; `obs` is what `seat` sees. Probabilities need not sum to one. ERR_MEMORY leaves the list as it was.
err samples_add(samples *s, const samples_shape *sh, const void *obs, int seat, const move_t *moves, const float *p,
                int n_moves, float value, uint32_t step);
err samples_append(samples *s, const samples_shape *sh, const samples *from);
err samples_append_some(samples *s, const samples_shape *sh, const samples *from, size_t at,
                        size_t n); // at … at + n - 1
void samples_clear(samples *s);    // keeps the memory
void samples_free(samples *s);
size_t samples_bytes(const samples *s, const samples_shape *sh); // in memory

// One block of bytes, and back: refuses what is truncated, inconsistent or of another shape. `used` tells where it ended.
err samples_write(const samples *s, const samples_shape *sh, text_buf *out);
err samples_read(samples *s, const samples_shape *sh, const void *data, size_t size, size_t *used); // appends

// Places of moves in the policy heads: index[n][heads].
void samples_heads(const samples_shape *sh, int seat, const move_t *moves, int n, uint16_t *index);

#endif
