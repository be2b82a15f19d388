// The CUDA learner's insides, shared by train_cuda.c (memory, weights, states), train_batch_cuda.c (batches, graphs, steps)
// and train_step_cuda.c (the sequence of launches that is one step).
#ifndef KEIKO_NN_CUDA_TRAIN_INNER_CUDA_H
#define KEIKO_NN_CUDA_TRAIN_INNER_CUDA_H

#include "nn/cuda/device.h"
#include "nn/cuda/pack.h"
#include "nn/cuda/train_cuda.h"
#include "nn/cuda/train_kern.h"
#include "nn/cuda/window_kern.h"

#include <cuda_runtime_api.h>

enum { SLOTS = 2, GRAPHS = 6 };

typedef struct gpu_layer { // a 3x3 convolution of the tower with its batch-norm
    nn_conv_at at;
    int cin;
    uint16_t *z,
        *act;      // before batch-norm (on the way back its gradient takes the place); after it, the shortcut and ReLU
    uint8_t *mask; // where act is positive
    float *coef;   // [BN_ROWS][channels]
    uint16_t *front, *back, *front90, *back90;
} gpu_layer;

typedef struct gpu_fc {
    nn_fc_at at;
    const float *x; // [n][ldx]
    long ldx;
    float *dx; // NULL = nobody wants it
    const float *dx_mask;
    bool dx_add, relu;
    float *y, *dy; // [n][ld]
    long ld;
} gpu_fc;

typedef struct gpu_head {
    int n_fc, first; // first: of its filters
    gpu_fc fc[3];
} gpu_head;

typedef struct graph_entry { // what it was captured for
    loss_args loss;
    gather_args gather; // all zero: the batch came from the host
    cudaGraphExec_t exec;
    uint64_t used;
} graph_entry;

typedef struct input_places { // offsets in the batch's block, for max_batch positions
    size_t step, pick, sym, bits, scalars, weight, target[NN_MAX_HEADS], mask[NN_MAX_HEADS], action[NN_MAX_HEADS],
        group[NN_MAX_HEADS], rest, rest_mask, start, index, prob;
    size_t total;
} input_places;

typedef struct cuda_window cuda_window;

typedef struct cuda_learner {
    nn_net *net; // the shape; its weights are stale but for transfers
    nn_train_options o;
    int device, sms;
    bool hopper;
    cuda_pool mem;
    cudaStream_t stream, side; // side: what only the optimiser waits for
    cudaEvent_t fork, join;
    uint64_t steps;
    // flat arrays on the device
    float *w, *grad, *m, *v, *ema;
    uint8_t *decays;
    double *parts, *report, *report_host;
    // the batch
    input_places at;
    size_t moves; // room for this many
    uint8_t *in_host[SLOTS], *in_dev;
    cudaEvent_t sent[SLOTS];
    int slot;
    cudaEvent_t begun, ended; // of the steps since the learner last waited; made when timing is wanted
    bool timed;
    float *td, *td_host, *losses, *dprob;
    // tower
    int n_layers, cp; // channels padded
    gpu_layer *layer;
    pack_job *jobs;    // on the device
    int most;          // elements of the largest packed form in layers.h's order
    int channels90;    // of the other packed forms, or 0
    wgrad_job *wgrads; // on the device
    uint16_t *x0, *d, *e;
    float *sums, *wgrad_parts;
    uint64_t *exact; // EXACT_TURNS layers' sums over the batch, by layer90
    int turn;        // whose place the next launch's are
    // heads
    head_filters filters;
    float *zh, *yh, *dh, *head_coef, *filter_parts;
    size_t *w_at, *bias_at; // of each filter, on the device
    float *rows;            // an mlp's input [n][rows_ld]
    int rows_ld;
    gpu_fc mlp[NN_MAX_MLP];
    gpu_head head[NN_MAX_HEADS];
    float *gemm_parts;
    size_t gemm_room;
    graph_entry graph[GRAPHS];
    cuda_window *window; // NULL: batches come from the host alone
} cuda_learner;

// train_batch_cuda.c: a step is begin, what the batch needs on the device, end.
err train_input_new(cuda_learner *t, size_t moves); // the batch's block; made anew when a batch brings more moves
err train_begin(cuda_learner *t, int n);            // waits until this slot's last batch has left the host
const void *train_piece(cuda_learner *t, size_t at, const void *from, size_t bytes, int *code);
optim_step train_optim_step(const cuda_learner *t, float lr);
void train_loss_args(const cuda_learner *t, int n, loss_args *loss);  // without heads' and moves' targets
loss_head train_loss_head(const cuda_learner *t, int h, float scale); // without its target
// Runs the graph unless `code` says that something failed before; waits where the losses or TD errors are wanted. `gather`
// (may be NULL) makes the batch first.
err train_end(cuda_learner *t, int code, const loss_args *loss, const gather_args *gather, nn_step_report *r);

// train_step_cuda.c: all launches of a step on t->stream, for n positions whose places are in `loss`. Returns a cudaError_t.
int train_launch(cuda_learner *t, int n, const loss_args *loss, const gather_args *gather);

#endif
