// A window of samples that lives with the learner, packed: batches are gathered from it where they are needed.
//
// Glossary:
//   window   the newest samples, numbered from the beginning of a run. Numbers go on without a gap; the oldest give way.
//   packed   a sample as columns: bit planes, scalars, numbers to learn, its moves with probabilities in 1/65535
//   kind     how a sample's moves are read: 0 … kinds-1 (a game takes the seat to move)
//   symmetry a permutation of the board's squares, with the places where each move then lies in the policy heads
//   pick     a sample's number and the symmetry that turns it; a batch is a list of picks
//
// A backend that keeps a window offers it in its table (backend.h). Here are the shapes, their checks, and one plain gather that
// says what a batch must be: the same bits on every backend. Nothing here knows a game.
#ifndef KEIKO_NN_WINDOW_H
#define KEIKO_NN_WINDOW_H

#include "nn/loss.h"

enum { NN_WINDOW_NUMBERS = 2 }; // targets of one number that a sample has

typedef struct nn_window_shape {
    uint64_t samples; // the newest this many can be picked
    size_t bytes;     // most memory it may take; 0 = what the device can spare
    int syms, kinds;
    int moves;            // size of the move space, at most 65536
    const uint16_t *cell; // [syms][rows*cols]: square c of the turned board shows square cell[c] of the sample's
    const uint16_t
        *place; // [kinds][syms][moves][policy heads]: where a move of the sample lies in the turned board's heads
    // What the heads learn.
    bool by_head;              // each policy head its own marginal, with a mask; else the moves' joint distribution
    int number[NN_MAX_HEADS];  // value and scalar heads: which number, -1 = none (the head is not trained)
    float scale[NN_MAX_HEADS]; // of a head's loss; 0 = 1
} nn_window_shape;

typedef struct nn_packed { // samples in a row
    size_t n;
    const uint64_t *bits;                   // [n][planes][words]
    const float *scalars;                   // [n][scalars]
    const float *number[NN_WINDOW_NUMBERS]; // [n] each
    const uint8_t *kind;                    // [n]
    const uint32_t *start;                  // [n+1] into move and prob
    const uint16_t *move, *prob;            // probabilities need not sum to 65535; all zero = all alike
} nn_packed;

typedef struct nn_picks {
    int n;
    const uint64_t *number;
    const uint8_t *sym;
} nn_picks;

// Does the shape fit the network, and are its tables what they must be: permutations, places inside the heads?
err nn_window_check(const nn_desc *d, const nn_window_shape *w);
// Are these samples' moves and kinds within the shape?
err nn_packed_check(const nn_window_shape *w, const nn_packed *s);

// --- the plain gather

typedef struct nn_gathered { // caller's arrays; those of heads that are not there may be NULL
    uint64_t *bits;
    float *scalars;
    float *target[NN_MAX_HEADS]; // [n][head]: by_head: policy heads; value and scalar heads always
    uint8_t *mask[NN_MAX_HEADS]; // by_head
    uint32_t *start;             // joint: [n+1]
    uint16_t *index;             // [moves][policy heads]; by_head: room for one sample's, nothing to read
    float *prob;                 // [moves]; the same
} nn_gathered;

// `s` holds the samples first … first+n-1, among which the picks must be.
void nn_window_gather(const nn_desc *d, const nn_window_shape *w, uint64_t first, const nn_packed *s, const nn_picks *p,
                      const nn_gathered *out);
// The batch that a learner's step would take, over gathered arrays.
nn_batch nn_gathered_batch(const nn_desc *d, const nn_window_shape *w, int n, const nn_gathered *g);

#endif
