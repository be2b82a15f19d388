// int8 convolution by Winograd F(2x4, 3x3): 24 products a channel pair for 8 squares instead of 72.
//
// A tile is 2 rows x 4 columns of the output. The rows use the points 0, 1, -1, infinity; the columns 0, ±2/3, ±3/2,
// infinity: with narrow numbers these points lose least (a quarter less than the usual 0, ±1, ±2). The 4 x 6 input bytes
// become 24 whole numbers of 16 bits, exactly but for a half; each of the 24 places is then scaled to 8 bits by a factor of
// its own, found by calibration, and multiplied with 8-bit transformed weights that have one scale a place and output
// channel. Rounding at the 24 places costs about 3.5 times the error of the direct kernel's rounding (docs/lab/NN.md), and
// buys 2.5 times fewer products.
#ifndef KEIKO_NN_QUANT_WINO_H
#define KEIKO_NN_QUANT_WINO_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    QW_ROWS = 4,
    QW_COLS = 6, // of an input tile
    QW_PLACES = QW_ROWS * QW_COLS,
    QW_ZERO = 128, // the byte that stands for 0 after the transform
    QW_BLOCK = 32, // tiles that go through the transform and the products together: they fit the second-level cache
    QW_GROUP = 32, // output channels whose weights are packed together
    QW_PANEL = 8,  // tiles a product keeps in registers
};

// Where a board's tiles find their squares.
typedef struct qwino_shape {
    int rows, cols, tiles;
    int32_t *from; // [tiles][QW_PLACES] square, or -1 outside the board
    int32_t *to;   // [tiles][8] the same for the output
} qwino_shape;

typedef struct qwino {
    const qwino_shape *shape;
    int cin, cout;       // multiples of 32
    const int8_t *u;     // [cout/32][24][cin/4][32][4]
    const int32_t *zero; // [cout/32][24][32]: what QW_ZERO times the weights amounts to, negated: sums start here
    const float *scale;  // [cout/32][24][32]: a place's share of the real value = sum * scale
    const float *bias;   // [cout]
    const int16_t *step; // [24]: byte = 16-bit number * step / 2^15
} qwino;

err qwino_shape_make(qwino_shape *s, int rows, int cols); // qwino_shape_free
void qwino_shape_free(qwino_shape *s);
bool qwino_pays(int rows, int cols); // is it faster than the direct kernel on this board?
size_t qwino_scratch(int cin);       // bytes

// One channel of one tile: v = the 24 transformed numbers of 4 x 6 inputs, in the units that `step` expects.
void qwino_input(const float d[QW_PLACES], float v[QW_PLACES]);

// One output channel's weights w[cin][9] times `fold`, with the scale of every place: to[place][cin/4 * 128 + cin%4] at the
// channel's place in its group. `v_scale[place]`: real value of one step of the transformed byte.
void qwino_weights(const float *w, int cin, float fold, const float v_scale[QW_PLACES], int cin_wide, int8_t *to,
                   int32_t *zero, float *scale);

#if defined(KEIKO_X86)
// As qkern.conv, with 8-bit activations x[n][rows*cols][cin].
void qwino_conv_vnni(const qwino *c, int n, const uint8_t *x, const float *res, bool relu, int channels, float *f,
                     float step, uint8_t *q, void *scratch);
#endif

#endif
