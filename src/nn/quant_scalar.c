// int8 sums in plain C: for machines without AVX2, and the judge of the others. See quant.h.
#include "nn/quant.h"

#include <string.h>

static void row_sums(const qconv *c, const uint8_t *x, const int8_t *w, int y, int x0, int count, int32_t sum[][32])
{
    memset(sum, 0, (size_t)count * sizeof sum[0]);
    for (int k = 0; k < count; k++)
        for (int tap = 0; tap < 9; tap++) {
            int yy = y + tap / 3 - 1, xx = x0 + k + tap % 3 - 1;
            if (yy < 0 || xx < 0 || yy >= c->rows || xx >= c->cols) continue;
            const uint8_t *in = x + (size_t)(yy * c->cols + xx) * (size_t)c->cin;
            const int8_t *wt = w + (size_t)(tap * c->cin) * 32;
            for (int i = 0; i < c->cin; i++)
                for (int o = 0; o < 32; o++) sum[k][o] += in[i] * wt[i / 4 * 128 + o * 4 + i % 4];
        }
}

#include "nn/quant_impl.h"

const qkern qkern_scalar = {"scalar", 255, conv, NULL};
