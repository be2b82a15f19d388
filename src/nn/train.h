// Training on the CPU: one step is forward with batch statistics, loss, backward, optimiser.
//
// A batch is cut into chunks of boards. Threads claim chunks, do everything a layer needs while the chunk is in their cache
// (normalise, convolve, sum the statistics), and meet once a layer, where batch-norm needs the whole batch. Sums over the
// batch are kept a chunk (statistics) or a group of chunks (weight gradients) and added in order, and the cut depends on the
// batch size alone: the result is the same to the last bit for any number of threads.
#ifndef KEIKO_NN_TRAIN_H
#define KEIKO_NN_TRAIN_H

#include "base/text.h"
#include "nn/loss.h"
#include "nn/net.h"
#include "nn/optim.h"

typedef struct nn_trainer nn_trainer;

typedef struct nn_train_options {
    int max_batch; // memory is taken for this many positions
    nn_optim_options optim;
    float bn_momentum; // share of the batch in the running statistics; 0 = 0.1
    float ema;         // decay of the averaged weights; 0 = none are kept
    pool *threads;     // borrowed; NULL = this thread only
} nn_train_options;

typedef struct nn_step_report {
    double loss, by_head[NN_MAX_HEADS]; // means over the batch
    double grad_norm;                   // before clipping
} nn_step_report;

// `net` is borrowed and trained in place. Caller frees with nn_trainer_free.
err nn_trainer_new(nn_trainer **out, nn_net *net, const nn_train_options *o);
void nn_trainer_free(nn_trainer *t);

err nn_train_step(nn_trainer *t, const nn_batch *b, float lr, nn_step_report *r); // r may be NULL
err nn_train_gradient(nn_trainer *t, const nn_batch *b, nn_step_report *r);       // without the optimiser's step
const float *nn_trainer_grad(const nn_trainer *t); // [n_train] of the last call; borrowed
const nn_net *nn_trainer_ema(const nn_trainer *t); // averaged weights; NULL when none are kept; borrowed
uint64_t nn_trainer_steps(const nn_trainer *t);

// Weights, optimiser and averaged weights as bytes (state.h), so that a resumed run continues exactly. Restore refuses a
// state that belongs to another network or optimiser.
err nn_trainer_state(const nn_trainer *t, text_buf *out); // appended
err nn_trainer_restore(nn_trainer *t, const void *data, size_t size);

#endif
