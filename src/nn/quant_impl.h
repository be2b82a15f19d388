// The part of an int8 convolution that every instruction set shares: the loop over boards and rows, and what happens to
// finished sums. The including file defines before:
//   static void row_sums(const qconv *c, const uint8_t *x, const int8_t *w, int y, int x0, int count, int32_t sum[][32])
// which leaves the sums of `count` (at most ROW) squares from (y, x0) and 32 output channels.
#include "nn/quant.h"

enum { ROW = 8 };

static void finish(const float *scale, const float *bias, const int32_t *sum, const float *res, bool relu, float *v)
{
    for (int o = 0; o < 16; o++) v[o] = (float)sum[o] * scale[o] + bias[o];
    if (res != NULL)
        for (int o = 0; o < 16; o++) v[o] += res[o];
    if (relu)
        for (int o = 0; o < 16; o++) v[o] = v[o] > 0 ? v[o] : 0;
}

static void to_bytes(const float *v, float step, float levels, uint8_t *q)
{
    for (int o = 0; o < 16; o++) {
        float u = v[o] * step + 0.5f;
        u = u > 0 ? u : 0;
        q[o] = (uint8_t)(int)(u < levels ? u : levels);
    }
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
                            float v[16];
                            finish(c->scale + g + o, c->bias + g + o, sum[k] + o, res != NULL && real ? res + at : NULL,
                                   relu, v);
                            for (int l = 0; f != NULL && real && l < 16; l++) f[at + (size_t)l] = v[l];
                            if (q != NULL)
                                to_bytes(v, step, (float)levels,
                                         q + ((size_t)i * hw + square) * (size_t)c->cout + g + o);
                        }
                }
}
