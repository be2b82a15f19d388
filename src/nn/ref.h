// The network in double precision, written to be read: the oracle that every fast kernel is compared with.
//
// Planar arrays [n][c][rows*cols], one loop nest a layer, a forward and a backward function each. Slow on purpose: no
// blocking, no threads, no vector types. The fast path lives in infer.h and train.h.
#ifndef KEIKO_NN_REF_H
#define KEIKO_NN_REF_H

#include "nn/loss.h"
#include "nn/net.h"

// Outputs with running statistics (inference): out[n][nn_out_size].
err nn_ref_forward(const nn_net *net, int n, const uint64_t *bits, const float *scalars, double *out);

typedef struct nn_ref_result {
    double loss, by_head[NN_MAX_HEADS]; // means over the batch
    double *grad;                       // [n_train], caller's; NULL = not wanted
    double *stats; // [n_all - n_train] batch means and variances, in the running statistics' places;
                   // the variance divides by count-1, as PyTorch's running one. NULL = not wanted
} nn_ref_result;

// One training forward (batch statistics), loss and backward, for weights `w` [n_all] in double.
err nn_ref_step(const nn_desc *d, const nn_layout *at, const double *w, const nn_batch *b, nn_ref_result *r);

// planes[inputs][rows*cols] of one position; with an mlp trunk: planes*rows*cols bits, then the scalars.
void nn_ref_unpack(const nn_desc *d, const uint64_t *bits, const float *scalars, double *planes);

#endif
