// The table of CPU kernels: one row an instruction set, one column a loop that takes time.
//
// Activations are blocked: [n][C/16][rows*cols][16], channels padded with zeros to a multiple of 16, whatever the
// instruction set. A 3x3 convolution runs directly or as Winograd F(mr x mc, 3x3), tiles of 2x2, 4x4, 5x5 or 8x4: each
// tile of the output costs (mr+2)*(mc+2) multiplications a channel pair instead of 9*mr*mc. Weights are repacked once by `pack`.
//
// Every function's result for one board depends on that board alone, and AVX2 and AVX-512 add in the same order, so they
// agree bit for bit; the portable row has no fused multiply-add and differs in the last digits.
#ifndef KEIKO_NN_KERN_H
#define KEIKO_NN_KERN_H

#include "base/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NN_LANES = 16, NN_GROUP = 64 }; // channels a block; output channels whose weights are packed together

typedef enum nn_method { NN_DIRECT, NN_F2, NN_F4, NN_F5, NN_F84, NN_METHODS } nn_method;
enum { NN_INFER_METHODS = NN_F84 }; // inference runs the ones before this

// One 3x3 convolution: shape, method, and where each Winograd tile finds its squares. Made by conv3_init.
typedef struct conv3 {
    int rows, cols, hw;
    int cin, cout; // multiples of 16
    nn_method method;
    int mr, mc;      // Winograd: rows and columns of an output tile; an input tile has two more of each
    int places;      // products a tile: (mr + 2) * (mc + 2)
    int tiles;       // a board
    int across;      // tiles in a row of them
    int32_t *to;     // [tiles][mr*mc] float offsets of the output squares in a block; -1 = outside the board
    size_t n_packed; // floats of packed weights
} conv3;

// Batch-norm and ReLU on the way in, so that training need not store what they give: max(x * scale + shift, 0).
typedef struct nn_norm {
    const float *scale, *shift; // [channels]
} nn_norm;

typedef struct adam_step {
    float scale; // of the gradient (clipping)
    float beta1, beta2, eps;
    float rate; // learning rate / (1 - beta1^t)
    float root; // 1 / sqrt(1 - beta2^t)
    float keep; // 1 - lr * decay (AdamW), else 1
    float l2;
} adam_step;

typedef struct nn_kern {
    const char *name;

    // C[M][N] (+)= A[M][K] * B[K][N]; N a multiple of 16. A's rows lie `ars` floats apart, its columns `aks`.
    void (*gemm)(int M, int N, int K, const float *A, size_t ars, size_t aks, const float *B, size_t ldb, float *C,
                 size_t ldc, bool add);

    // w[o][i][3][3] in PyTorch's order, o < n_out, i < n_in (not padded), each output channel times scale[o] (NULL = 1).
    // `turned`: pack the convolution that takes gradients back: in and out swapped, taps rotated by 180 degrees; then the
    // conv3's cin is the padded n_out. Input channels i0 <= i < i1 of the conv3 only, so that threads can share the work.
    void (*pack)(const conv3 *c, const float *w, int n_out, int n_in, const float *scale, bool turned, int i0, int i1,
                 float *packed);

    // y = conv(x) + bias, + res, max(., 0): bias, res may be NULL. scratch: conv3_scratch(c, n) floats. y may be res, not x.
    // in: what is done to x first; NULL = nothing.
    void (*conv)(const conv3 *c, int n, const float *x, const nn_norm *in, const float *packed, const float *bias,
                 const float *res, bool relu, float *y, float *scratch);

    // Weight gradient in the packed (Winograd) domain: dpacked (+)= x, dy of n boards. Not for NN_DIRECT.
    void (*wgrad)(const conv3 *c, int n, const float *x, const nn_norm *in, const float *dy, float *dpacked, bool add,
                  float *scratch);
    // taps[cin][cout/16][9][16] = a packed gradient taken back.
    void (*grad_taps)(const conv3 *c, const float *dpacked, float *taps);
    // dw[o][i][3][3], i0 <= i < i1, = the sum of n_parts such taps, in order.
    void (*sum_taps)(const conv3 *c, const float *const *parts, int n_parts, int n_out, int n_in, int i0, int i1,
                     float *dw);

    // Batch-norm over blocked arrays of n boards, cb blocks, hw squares. sums are added to, one board after the other.
    void (*sums)(int n, int cb, int hw, const float *z, double *sum, double *sum_sq);
    void (*affine)(int n, int cb, int hw, const float *z, const float *scale, const float *shift, const float *res,
                   bool relu, float *y);
    // d = 0 where act <= 0, or where ReLU made `norm` of z 0 (both NULL: keep); sum += d, dot += d * (z - mean)
    void (*mask_sums)(int n, int cb, int hw, float *d, const float *act, const nn_norm *norm, const float *z,
                      const float *mean, double *sum, double *dot);
    // dz = a*d + b*z + c, a channel at a time
    void (*affine2)(int n, int cb, int hw, const float *d, const float *z, const float *a, const float *b,
                    const float *c, float *dz);

    // Adam over n weights, see optim.c; `decay` multiplies w before the step (AdamW), `l2` adds w to the gradient.
    void (*adam)(size_t n, float *w, const float *g, float *m, float *v, const adam_step *s);
} nn_kern;

const nn_kern *nn_kern_now(void);  // for cpu_simd()
const nn_kern *nn_kern_of(simd s); // NULL when not built in
const char *nn_method_name(nn_method m);
nn_method nn_method_for(int rows, int cols); // by shape alone, never by batch: from the measured method_table.h

// The same for training's way back, where batches are large: F8x4 as well, if it needs a tenth fewer products. Its rounding
// errors are four times F4's, about F5's. Going back, all is linear in them; going forward, they would turn more ReLUs over.
nn_method nn_back_method_for(int rows, int cols);

err conv3_init(conv3 *c, int rows, int cols, int cin, int cout, nn_method method); // channels are padded; conv3_free
void conv3_free(conv3 *c);
int conv3_boards(const conv3 *c);                  // how many boards `conv` takes at once at its best
size_t conv3_border(const conv3 *c);               // floats of a block with a border of zeros, whole tiles wide
size_t conv3_scratch(const conv3 *c, int n);       // floats for `conv` of n boards
size_t conv3_wgrad_scratch(const conv3 *c, int n); // floats for `wgrad`

static inline int nn_pad16(int n)
{
    return (n + 15) & ~15;
}

float *nn_floats(size_t n); // 64-byte aligned, zeroed; NULL when there is no memory; free()
extern const nn_kern nn_kern_scalar;
#if defined(KEIKO_X86)
extern const nn_kern nn_kern_avx2, nn_kern_avx512;
#endif

#endif
