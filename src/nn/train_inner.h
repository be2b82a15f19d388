// The trainer's insides, shared by train.c (the tower), train_heads.c (heads, mlp) and train_se.c (squeeze-excitation).
#ifndef KEIKO_NN_TRAIN_INNER_H
#define KEIKO_NN_TRAIN_INNER_H

#include "nn/fc.h"
#include "nn/infer.h"
#include "nn/train.h"

enum { MAX_GROUPS = 16, MAX_LAYERS = 1 + 2 * NN_MAX_BLOCKS, FC_ROWS = 32 };

// A fully connected layer in training: rows of the whole batch, and the weights both ways.
typedef struct train_fc {
    nn_fc_at at;
    int in_wide;    // in padded to 16
    fc_pack pack;   // forward
    float *back;    // w[out][in_wide] for taking gradients back
    const float *x; // [n][ldx] input rows: what the forward pass read
    size_t ldx;     // a multiple of 16
    float *y, *dy;  // [n][ldy]
    size_t ldy;
} train_fc;

typedef struct train_bn {
    nn_conv_at at[NN_MAX_HEADS]; // where gamma, beta … of the channels lie; one for a trunk layer
    int first[NN_MAX_HEADS];     // their first channel
    int n;
    int channels;                      // padded
    float *mean, *inv, *scale, *shift; // [channels]
    float *a, *b, *c;                  // backward: dz = a*d + b*z + c
} train_bn;

typedef struct train_layer { // one 3x3 convolution of the tower with its batch-norm
    nn_conv_at at;
    const conv3 *shape, *back; // of the convolution; of its gradients
    float *z, *act; // [n][channels/16][hw][16]: convolution's output; after batch-norm, (residual) ReLU: even layers
    train_bn bn;
} train_layer;

typedef struct train_se {
    train_fc fc[2];
    float *squeeze, *gate; // [n][channels]
    float *dh, *dsq;       // backward rows
} train_se;

typedef struct train_head {
    train_fc fc[3];
    int n_fc, channel;   // channel: first in the combined 1x1 convolution
    float *flat, *dflat; // [n][fc[0].in_wide]
    float *adv_d;        // duel: gradient of the advantage's input, [n][fc[2].in_wide]
} train_head;

typedef struct train_worker {
    float *conv, *dz; // scratch: convolution; dz of a chunk
    float *dpacked;   // weight gradient of the group at hand
    double *sum;      // [4][channels]
} train_worker;

struct nn_trainer {
    nn_net *net, *ema;
    nn_train_options o;
    const nn_kern *kern;
    nn_optim *optim;
    float *grad;      // [n_train]
    const float *now; // what fully connected layers read: the weights, or those with this step's noise
    float *noisy;     // [n_train] the latter; NULL = no noisy layers
    int hw, channels, max_batch;

    // this step
    const nn_batch *batch;
    int n, chunk, n_chunks, n_groups;
    bool update; // running statistics move too

    // tower
    conv3 shape[2], back[2]; // of the stem and of the blocks; back: of their gradients
    int n_layers;
    train_layer *layer;
    train_se *se;            // [blocks] or NULL
    float *x;                // input planes, or the mlp's input rows
    float *packed;           // the weights of the convolution at hand
    float *d, *e, *f;        // gradients of a block's output and inside; f: behind the gate of squeeze-excitation
    float *taps[MAX_GROUPS]; // weight gradient of a layer's convolution, a group's share
    double *chunk_sums;      // [chunks][2][widest]
    size_t widest;

    // heads
    int head_channels, normed;  // combined 1x1 convolution, as in infer.c
    float *head_w, *head_wt;    // [block][channels][16] forward, [head_channels][channels] back
    float *head_bias;           // plain channels
    float *zh, *yh, *dh;        // [n][head_channels/16][hw][16]
    float *head_dw[MAX_GROUPS]; // [channels][head_channels]
    train_bn head_bn;
    train_head head[NN_MAX_HEADS];
    train_fc mlp[NN_MAX_MLP];
    float *mlp_d;     // gradient of the mlp's last vector
    float *out;       // [n][out_size]
    double *losses;   // [n][1 + NN_MAX_HEADS]
    nn_batch grouped; // the batch with its groups' softmax, where it has groups
    double *log_p;    // [1 + NN_MAX_HEADS][max_batch]: the numbers of one head, then each head's logarithms

    train_worker *worker;
    int n_workers;
    void **owned; // all buffers
    int n_owned, room;
    bool failed;
};

float *train_floats(nn_trainer *t, size_t n);

// Which boards a task owns.
static inline void chunk_range(const nn_trainer *t, int chunk, int *from, int *count)
{
    *from = chunk * t->chunk;
    *count = t->n - *from < t->chunk ? t->n - *from : t->chunk;
}

static inline void group_range(const nn_trainer *t, int group, int *from, int *to)
{
    *from = t->n_chunks * group / t->n_groups;
    *to = t->n_chunks * (group + 1) / t->n_groups;
}

static inline size_t board_size(const nn_trainer *t)
{
    return (size_t)t->channels * (size_t)t->hw;
}

err train_fc_new(nn_trainer *t, train_fc *f, const nn_fc_at *at, const float *x, size_t ldx);
void train_fc_free(train_fc *f);
void train_fc_pack(nn_trainer *t, train_fc *f);
void train_fc_forward(nn_trainer *t, train_fc *f, int from, int n, bool relu);
void train_fc_back(nn_trainer *t, const train_fc *f, int from, int n, float *dx, size_t ldx, bool add);
void train_fc_grads(nn_trainer *t, train_fc *f); // a phase of its own: weight and bias gradients of the whole batch

void train_bn_new(nn_trainer *t, train_bn *bn, int channels);
void train_bn_stats(nn_trainer *t, train_bn *bn); // from chunk_sums: mean, inv, scale, shift, running statistics
void train_bn_grads(nn_trainer *t, train_bn *bn); // from chunk_sums: a, b, c, gradients of gamma and beta

err train_heads_new(nn_trainer *t);
void train_heads_pack(nn_trainer *t);
void train_heads(nn_trainer *t); // forward, loss, backward; leaves the trunk's gradient in t->d (or mlp_d)

void train_normalise(nn_trainer *t, int layer, int from, int n); // batch-norm, shortcut, ReLU: z -> act

err train_se_new(nn_trainer *t);
void train_se_forward(nn_trainer *t, int block, int from, int n); // writes the block's output
void train_se_back(nn_trainer *t, int block, int from, int n);    // t->d masked -> t->f

// Mask t->d by the trunk layer's output, take it behind squeeze-excitation, and book the chunk's sums for that layer's
// batch-norm: the end of everything that produces a block output's gradient.
void train_block_grad(nn_trainer *t, int layer, int chunk, train_worker *w);

#endif
