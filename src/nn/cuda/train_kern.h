// The training step's kernels. Activations and their gradients are bf16 in layers.h's planes of 8 channels; weights, weight
// gradients, batch-norm's numbers and all that belongs to heads are f32. Sums over the batch are made in parts whose number
// depends on the shape only and added in order, or exactly (exact.cuh), so a step gives the same bits every time.
#ifndef KEIKO_NN_CUDA_TRAIN_KERN_H
#define KEIKO_NN_CUDA_TRAIN_KERN_H

#include "nn/cuda/layers.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- batch-norm: eight numbers a channel

enum { BN_SCALE, BN_ONE, BN_SHIFT, BN_MEAN, BN_INV, BN_A, BN_B, BN_C, BN_ROWS };
enum { MAX_PARTS = 160 }; // of a sum over the batch

// Two sums a channel over the batch.
typedef struct batch_sums {
    int n;
    const float *parts;    // [n][2][padded], or
    const uint64_t *exact; // [EXACT_WORDS][2][padded]: exact.cuh
} batch_sums;

typedef struct bn_args {
    int channels, padded; // real ones, those with padding (the stride of sums and coef)
    batch_sums sums;
    double share, unbiased; // 1 / cells; what makes their variance the population's
    float *w, *grad;        // the flat arrays
    size_t gamma, beta, mean, var;
    float momentum;
    float *coef; // [BN_ROWS][padded]
} bn_args;
enum { BN_MOST = 8 };
int bn_forward(const bn_args *a, int n, void *stream);  // up to BN_MOST: scale, shift, mean, inv; running statistics
int bn_backward(const bn_args *a, int n, void *stream); // a, b, c; gradients of gamma and beta

enum { BN_GIVEN, BN_FORWARD, BN_BACKWARD };

// One convolution with what stands before and behind it:
//   v = relu?(a*p + b*q + c), kept in `keep`;  y = conv(v) + res?;  back: y = mask ? y : 0
//   sums over the cells: y and y^2, or back: y and y * (z - mean)
typedef struct layer_args {
    board_shape s;
    int cin, cout; // multiples of 32
    const uint16_t *p, *q;
    const float *a, *b, *c; // [cin]; a NULL: v = p, nothing is kept
    int relu;
    uint16_t *keep;
    uint8_t
        *keep_mask; // [planes of 8][cells]: which of a cell's eight v are positive (positive_bits); NULL = not wanted
    const uint16_t *w;  // layers.h's order
    const uint8_t *w90; // tower.h's stages; NULL: not for this shape
    const uint16_t *res, *z;
    const uint8_t *mask; // as keep_mask
    const float *mean;
    uint16_t *y;
    float *sums; // [parts][2][cout]
    int sms;
    // w90 alone
    int way;    // BN_GIVEN: a, b, c are there; else they are made first, as bn_forward or bn_backward would, of `bn`
    bn_args bn; // its sums: from the launch before
    // In place of `sums`, zero before the launch; exact_next is made zero. Neither is what `bn` has.
    uint64_t *exact, *exact_next; // [EXACT_WORDS][2][cout]
} layer_args;

int layer_run(const layer_args *a, void *stream);
batch_sums layer_sums(const layer_args *a);        // where layer_run leaves them
int affine_run(const layer_args *a, void *stream); // the first line alone
int sums_run(const layer_args *a, void *stream);   // the last line alone: y masked in place
batch_sums sums_left(const layer_args *a);

// The same in one launch on Hopper, for 64 and 128 channels and boards the fused tower takes.
int layer90_fits(board_shape s, int cin, int cout);
int layer90_run(const layer_args *a, void *stream);
batch_sums layer90_sums(const layer_args *a);
size_t layer90_mask_size(board_shape s, int channels, int sms); // bytes of keep_mask, whose order is its own
enum { EXACT_TURNS = 3 };                                       // places for sums: one added to, one read, one cleared
size_t layer90_sums_size(int channels);                         // bytes of one

// --- weights

// Packed forms of every convolution from the flat weights.
typedef struct pack_job {
    size_t w; // in the flat array: [cout][cin][3][3]
    int cin, cout;
    uint16_t *front, *back; // layers.h's order; back: transposed and turned; NULL = not wanted
    uint16_t *front90, *back90;
} pack_job;
// jobs on the device; most: elements of the largest in layers.h's order
int pack_run(const pack_job *jobs, int n, int most, const float *w, void *stream);
int pack90_run(const pack_job *jobs, int n, int channels, const float *w, void *stream); // front90, back90

// Weight gradients of several 3x3 convolutions of the same channels.
typedef struct wgrad_job {
    const uint16_t *dz, *x; // the gradient of its output, its input
    float *grad;            // [real_out][real_in][3][3]
} wgrad_job;

typedef struct wgrad_args {
    board_shape s;
    int cin, cout, real_in, real_out;
    int n;
    const wgrad_job *jobs; // on the device
    float *parts;          // room: wgrad_room()
    int sms;
} wgrad_args;
size_t wgrad_room(int cin, int cout, int n, int sms); // floats
int wgrad_run(const wgrad_args *a, void *stream);
int wgrad90_fits(board_shape s, int cin, int cout);
int wgrad90_run(const wgrad_args *a, void *stream);

// --- matrices: c[m][n] = A * B^T (+ bias[n]), relu, masked where mask <= 0; A(m,k) = a[m*am + k*ak], B(n,k) = b[n*bn + k*bk]

typedef struct gemm_args {
    int m, n, k;
    const float *a, *b;
    long am, ak, bn, bk;
    float *c;
    long ldc;
    const float *bias, *mask; // mask: as c
    int relu, add;
    float *a_sums; // [m] sums of A over k, or NULL
    float *parts;  // room for splits; NULL = one pass
    size_t room;   // floats
} gemm_args;
int gemm_run(const gemm_args *a, void *stream);

// --- heads

int rows_unpack(int n, int planes, int hw, const uint64_t *bits, int n_scalars, const float *scalars, float *x, int ld,
                void *stream);
// zh[n][filters][hw] of the trunk's x; w: pointers into the flat array a filter, as offsets
int filters_forward(board_shape s, int channels, int filters, const uint16_t *x, const float *w, const size_t *w_at,
                    float *zh, void *stream);
// sums[parts][2][filters] of zh and zh^2; with dh: of dh (masked by yh > 0 where f < normed) and dh * (zh - mean)
int filters_sums(board_shape s, int filters, int normed, const float *zh, const float *yh, float *dh, const float *mean,
                 float *sums, void *stream);
int filters_parts(board_shape s);
int filters_normalise(board_shape s, int filters, int normed, const float *zh, const float *coef, float *yh,
                      void *stream);
// dh -> dzh in place (filters below normed), then the trunk's gradient d and the filters' weight gradients
int filters_dz(board_shape s, int filters, int normed, const float *zh, const float *coef, float *dh, void *stream);
int filters_back(board_shape s, int channels, int filters, const float *dzh, const float *w, const size_t *w_at,
                 uint16_t *d, void *stream);
int filters_grad(board_shape s, int channels, int filters, const float *dzh, const uint16_t *x, float *parts,
                 float *grad, const size_t *w_at, void *stream); // parts: MAX_PARTS * filters * channels
int bias_grads(int filters, int normed, int parts, const float *sums, float *grad, const size_t *bias_at, void *stream);

typedef struct loss_head {
    int kind, size, atoms; // atoms: numbers an action of a duel
    float scale;           // 0 = the head is not trained
    const float *y;        // raw outputs [n][ld]; board: zh
    const float *v;        // duel: the value's atoms [n][v_ld]
    float *dy, *dv;        // gradients of those; board: dh
    long ld, v_ld;
    const float *bias;   // board: [size / hw], at bias_at of the flat array
    const float *target; // [n][size] …
    const uint8_t *mask;
    const int32_t *action;
    const uint32_t *group; // scalar of one number: [n][2], the rows that a row competes with; or NULL
} loss_head;

typedef struct loss_args {
    int n, n_heads, hw, n_policy;
    loss_head head[8];
    const float *weight;   // or NULL
    const uint32_t *start; // or NULL
    const uint16_t *index;
    const float *prob;
    float *dprob; // scratch [moves]
    float prob_scale, huber, support, rest_scale;
    int dist, rest_actions; // nn_dist_kind; numbers a row of `rest` (graphs compare this struct: it has no padding)
    const float *rest;      // [n][rest_actions], or NULL
    const uint8_t *rest_mask;
    float *td;      // or NULL
    float *losses;  // [n][9]
    double *report; // [10]: loss, by head, gradient norm
} loss_args;
int loss_run(const loss_args *a, void *stream);
int loss_report(const loss_args *a, void *stream); // the means of what loss_run left

// --- optimiser

typedef struct optim_step { // what changes from step to step; lives on the device
    float lr, clip, beta1, beta2, eps, momentum, decay, rate, root, ema;
    int kind, first;
} optim_step;

typedef struct optim_args {
    size_t n_train, n_all;
    float *w, *m, *v, *ema;
    const float *grad;
    const uint8_t *decays; // [n_train] 1 = weight decay applies
    double *parts;         // [MAX_PARTS]
    double *report;        // [9] gets the norm
    const optim_step *step;
} optim_args;
int optim_run(const optim_args *a, void *stream);

#ifdef __cplusplus
}
#endif

#endif
