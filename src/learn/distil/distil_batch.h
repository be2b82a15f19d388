// Batches for distillation: the afterstates of some positions in a row, and what each should be valued at.
//
// The loss of a position is the cross-entropy between the teacher's probabilities and the softmax of the values of its
// afterstates: rows of a batch that compete (nn_target.group). A second number per row learns the chain to expect.
#ifndef KEIKO_LEARN_DISTIL_DISTIL_BATCH_H
#define KEIKO_LEARN_DISTIL_DISTIL_BATCH_H

#include "base/pool.h"
#include "learn/distil/labels.h"
#include "nn/loss.h"

enum {
    DISTIL_RANK,
    DISTIL_VALUE,
    DISTIL_HEADS
};                           // the network's two numbers: compares placements; log of the chain to expect
enum { DISTIL_FIRE = 5000 }; // points

typedef struct distil_place { // a position in a batch
    uint32_t sample;
    uint32_t row; // its first
    uint8_t n;
    uint8_t name[PY_CODES]; // of the colours
} distil_place;

typedef struct distil_batch {
    int rows, code;   // room; the encoding
    int n, positions; // filled; of these some at the end may be padding
    distil_place *place;
    uint64_t *bits;
    float *scalars, *weight;
    float *out;                  // [rows][2]: what the network says
    float *target[DISTIL_HEADS]; // [rows]
    uint8_t *mask;               // [rows]: has a value to learn
    uint32_t *group;             // [rows][2]
} distil_batch;

err distil_batch_new(distil_batch *b, int rows, int code);
void distil_batch_free(distil_batch *b);

// Positions drawn from `from` (numbers in the set) by the stream, until the rows are full; what remains is padding of weight 0.
void distil_batch_draw(distil_batch *b, const label_set *s, const uint32_t *from, uint32_t n, bool vary, rng *r);
// The positions from[0 …], as they are, as many as fit. Returns how many.
int distil_batch_list(distil_batch *b, const label_set *s, const uint32_t *from, int n);
void distil_batch_encode(distil_batch *b, const label_set *s, pool *threads); // of the positions that are there

typedef struct distil_score {          // sums over positions
    double positions, agreed, entropy; // cross-entropy
    double shortfall;                  // of the placement that the network would choose, 0 … 0.255
    double valued, value_error;        // rows with a value; squares
    // Positions in which the teacher fires DISTIL_FIRE points or more; of these, in which the network does, too; in which
    // only the network does.
    double to_fire, fired, fired_early;
} distil_score;

void distil_batch_targets(distil_batch *b, const label_set *s, double temperature);
nn_batch distil_batch_of(const distil_batch *b, double value_weight); // for the learner; borrows b's arrays
// Compares b->out with the targets; adds to *score.
void distil_batch_score(const distil_batch *b, const label_set *s, distil_score *score);
float distil_value_target(const label_sample *x, int k); // of the value head: log(1 + points) / 12

void distil_probabilities(const label_sample *x, double temperature, double p[PY_MAX_LEGAL]);

#endif
