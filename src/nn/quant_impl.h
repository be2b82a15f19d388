// The part of an int8 convolution that every instruction set shares: the loop over boards and rows, and what happens to
// finished sums. The including file defines before:
//   static void row_sums(const qconv *c, const uint8_t *x, const int8_t *w, int y, int x0, int count, int32_t sum[][32])
// which leaves the sums of `count` (at most ROW) squares from (y, x0) and 32 output channels.
#include "nn/quant.h"

#include <string.h>

enum { ROW = 8 };

// 16 lanes as the compilers' own vector types: each instruction set cuts them to its registers.
typedef float v16f __attribute__((vector_size(64)));
typedef int32_t v16i __attribute__((vector_size(64)));
typedef uint8_t v16b __attribute__((vector_size(16)));
#define INLINE16 static inline __attribute__((always_inline))

INLINE16 void load16(v16f *v, const float *p)
{
    memcpy(v, p, sizeof *v);
}

// 16 channels of one square: f and q as in quant.h, NULL where not wanted.
INLINE16 void finish(const float *scale, const float *bias, const int32_t *sum, const float *res, bool relu, float *f,
                     float step, float levels, uint8_t *q)
{
    v16f s, b, v, zero = {0}, high = zero + levels;
    v16i n;
    load16(&s, scale), load16(&b, bias);
    memcpy(&n, sum, sizeof n);
    v = __builtin_convertvector(n, v16f) * s + b;
    if (res != NULL) {
        load16(&b, res);
        v += b;
    }
    if (relu) v = (v16f)((v16i)v & (v16i)(v > zero));
    if (f != NULL) memcpy(f, &v, sizeof v);
    if (q == NULL) return;
    v = v * step + 0.5f;
    v = (v16f)((v16i)v & (v16i)(v > zero));
    v16i over = (v16i)(v > high);
    v = (v16f)(((v16i)v & ~over) | ((v16i)high & over));
    v16b bytes = __builtin_convertvector(__builtin_convertvector(v, v16i), v16b);
    memcpy(q, &bytes, sizeof bytes);
}

static void conv(const qconv *c, int levels, int n, const uint8_t *x, const float *res, bool relu, int channels,
                 float *f, float step, uint8_t *q)
{
    size_t hw = (size_t)(c->rows * c->cols);
    int parts = (c->cols + ROW - 1) / ROW, wide = (c->cols + parts - 1) / parts;
    for (int g = 0; g < c->cout; g += 32) // 32 channels' weights stay in the first-level cache for all boards
        for (int i = 0; i < n; i++)
            for (int y = 0; y < c->rows; y++)
                for (int x0 = 0; x0 < c->cols; x0 += wide) {
                    int count = c->cols - x0 < wide ? c->cols - x0 : wide;
                    int32_t sum[ROW][32];
                    row_sums(c, x + (size_t)i * hw * (size_t)c->cin, c->w + (size_t)g * 9 * (size_t)c->cin, y, x0,
                             count, sum);
                    for (int k = 0; k < count; k++)
                        for (int o = 0; o < 32; o += 16) {
                            size_t square = (size_t)(y * c->cols + x0 + k);
                            size_t at = ((size_t)(i * channels) + (size_t)(g + o)) * hw + square * 16;
                            bool real = g + o < channels;
                            finish(c->scale + g + o, c->bias + g + o, sum[k] + o, res != NULL && real ? res + at : NULL,
                                   relu, f != NULL && real ? f + at : NULL, step, (float)levels,
                                   q != NULL ? q + ((size_t)i * hw + square) * (size_t)c->cout + g + o : NULL);
                        }
                }
}
