// int8 inference: unsigned 8-bit activations, signed 8-bit weights, 32-bit sums.
//
// Only what enters a convolution is rounded: the residual stream itself stays f32, and so do stem and heads. A layer's input
// has one scale for the whole tensor, chosen from real positions by nn_calibrate; weights have one scale an output channel.
// AVX2's multiply-add saturates at 16 bits, so there activations keep 7 bits; VNNI and the portable kernel use 8.
// With VNNI, boards on which it pays run Winograd F(2x4) (quant_wino.h); the direct kernel is more exact and slower.
#ifndef KEIKO_NN_QUANT_H
#define KEIKO_NN_QUANT_H

#include "nn/infer.h"
#include "nn/quant_wino.h"

#include <stdint.h>

struct nn_ranges {
    int n;                                    // 1 + 2 * blocks: after the stem, then each block's inside and its output
    float high[2 * NN_MAX_BLOCKS + 1];        // the largest value that is represented; greater ones are clipped
    float wino[2 * NN_MAX_BLOCKS][QW_PLACES]; // the same for a convolution's transformed input; 0 = not measured
};

// Ranges that lose least (sum of squared rounding and clipping errors) on these positions: give some hundreds.
err nn_calibrate(nn_ranges *out, const nn_net *net, int n, const uint64_t *bits, const float *scalars);
// The largest value of every channel on these positions, high[1 + 2 * blocks][channels], layers as in nn_ranges: for numbers
// with an exponent (e4m3), which need no clipping.
err nn_channel_highs(float *high, const nn_net *net, int n, const uint64_t *bits, const float *scalars);

// --- the kernels, for quant.c and the tests

typedef struct qconv {
    int rows, cols, cin, cout; // channels padded to 32
    const int8_t *w;           // [cout/32][9][cin/4][32][4]
    const float *scale, *bias; // [cout]: real value = sum * scale + bias
} qconv;

typedef struct qkern {
    const char *name;
    int levels; // largest activation: 255 or 127
    // x[n][hw][cin]. v = sum * scale + bias (+ res), max(v, 0) if relu; f[n][blocks of 16][hw][16] = v, and
    // q[n][hw][cout] = v * step rounded and clipped to `levels`. f, q, res may be NULL; f and res hold `channels` channels.
    void (*conv)(const qconv *c, int levels, int n, const uint8_t *x, const float *res, bool relu, int channels,
                 float *f, float step, uint8_t *q);
    // The same by Winograd; NULL where there is none. scratch: qwino_scratch bytes.
    void (*wino)(const qwino *c, int n, const uint8_t *x, const float *res, bool relu, int channels, float *f,
                 float step, uint8_t *q, void *scratch);
} qkern;

extern const qkern qkern_scalar;
#if defined(KEIKO_X86)
extern const qkern qkern_avx2, qkern_vnni;
#endif
const qkern *qkern_now(void);

// Is int8 faster than f32 with the instruction set in use? With VNNI it is, by about two. Without it a product of bytes takes
// three instructions, and the f32 trunk's Winograd transform saves more than the narrow numbers do: int8 is then slower.
bool nn_int8_pays(void);

#endif
