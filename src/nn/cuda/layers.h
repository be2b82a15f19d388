// A tower layer by layer, for any board, width and GPU from sm_80 on: what the fused tower does not take, and training.
//
// Activations are bf16 in planes of 8 channels over the whole batch: [channels/8][n*rows*cols][8], channels padded to 32 with
// zeros. So 16 bytes are a cell, a range of positions is contiguous in every plane, and a tap is another range.
#ifndef KEIKO_NN_CUDA_LAYERS_H
#define KEIKO_NN_CUDA_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct board_shape {
    int n, rows, cols; // positions of the batch; the board
} board_shape;

// x[cin/8][n*hw][8] from bit planes and scalars.
int layers_unpack(board_shape s, const uint64_t *bits, const float *scalars, int planes, int n_scalars, int cin,
                  uint16_t *x, void *stream);

// 3x3 convolution with zero padding: y = relu?(w * x + bias? + res?). cin, cout are multiples of 32. w: conv_pack order.
typedef struct conv_args {
    board_shape s;
    int cin, cout;
    const uint16_t *x;
    const uint16_t *w;
    const float *bias;   // [cout] or NULL
    const uint16_t *res; // as y, or NULL
    uint16_t *y;
    int relu;
} conv_args;
int layers_conv(const conv_args *a, void *stream);

// Tiles of 64 output channels in packed weights: [cin/32][9 taps][2][tiles * 4][32 lanes][8].
#if defined(__CUDACC__)
__host__ __device__
#endif
    static inline int
    conv_tiles(int cout)
{
    return cout > 64 ? (cout + 127) / 128 * 2 : 1;
}

// The heads' 1x1 filters of the trunk's output: flat[n][filters][hw] bf16; w[filters][channels] f32, those below `normed`
// end in ReLU.
int layers_filters(board_shape s, int channels, const uint16_t *x, const float *w, const float *bias, int filters,
                   int normed, uint16_t *flat, void *stream);

// Squeeze-excitation: y = relu(x + sigmoid(w2 * relu(w1 * mean(z) + b1) + b2) * z), board by board.
typedef struct squeeze_args {
    board_shape s;
    int channels, padded, hidden;
    const uint16_t *z, *x;
    uint16_t *y;
    const float *w1, *b1, *w2, *b2; // [hidden][channels], [channels][hidden]
} squeeze_args;
int layers_squeeze(const squeeze_args *a, void *stream);

#ifdef __cplusplus
}
#endif

#endif
