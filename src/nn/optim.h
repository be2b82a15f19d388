// Optimisers over the flat array of weights, learning-rate schedules, gradient clipping.
#ifndef KEIKO_NN_OPTIM_H
#define KEIKO_NN_OPTIM_H

#include "base/pool.h"
#include "nn/kern.h"
#include "nn/net.h"

typedef enum nn_optim_kind { NN_ADAMW, NN_ADAM, NN_SGD } nn_optim_kind;

typedef struct nn_optim_options {
    nn_optim_kind kind;
    float beta1, beta2, eps; // 0 = 0.9, 0.999, 1e-8
    float momentum;          // SGD; 0 = none
    float decay;             // weight decay: AdamW's own, or added to the gradient (Adam, SGD)
    bool decay_all;          // also biases, gammas and betas, as PyTorch does unasked
    float clip;              // scale the gradient so that its norm is at most this; 0 = no clipping
} nn_optim_options;

typedef struct nn_optim {
    nn_optim_options o;
    uint64_t step;   // steps done
    size_t n;        // weights
    float *m, *v;    // [n] first and second moments; v NULL for SGD
    nn_param *param; // what the flat array is made of, for weight decay
    int n_params;
} nn_optim;

err nn_optim_new(nn_optim **out, const nn_net *net, const nn_optim_options *o); // caller frees
void nn_optim_free(nn_optim *p);
// One step on w (the network's trained weights). Returns the gradient's norm before clipping.
double nn_optim_step(nn_optim *p, pool *threads, float *w, const float *grad, float lr);

// --- learning rates

typedef enum nn_lr_kind { NN_LR_CONSTANT, NN_LR_STEP, NN_LR_COSINE } nn_lr_kind;

typedef struct nn_lr {
    nn_lr_kind kind;
    float base;      // after warm-up
    float floor;     // cosine: the end
    uint64_t warmup; // steps over which the rate rises linearly from base/warmup
    uint64_t total;  // cosine: steps until the floor. step: steps between drops
    float factor;    // step: multiplied at each drop; 0 = 0.1
} nn_lr;

float nn_lr_at(const nn_lr *s, uint64_t step); // step 0 is the first
err nn_lr_parse(const char *text, nn_lr *out); // "0.001", "cosine:0.001:100000", "step:0.01:50000:0.3"; ",warmup=500"
int nn_lr_print(const nn_lr *s, char *buf, size_t n); // the same text back

#endif
