// int8 sums with AVX-512 VNNI: up to 8 squares x 32 channels in 16 registers, taps beyond the edge skipped at compile time.
//
// One line of inline assembly, because gcc 12 copies registers around _mm512_dpbusd_epi32 (10-13 % slower). See quant.h.
#include "nn/quant.h"
#include "nn/unroll.h"

#include <immintrin.h>
#include <string.h>

#define DOT(sum, x, w) __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(w))

INLINE __m512i four(const uint8_t *x)
{
    int32_t v;
    memcpy(&v, x, sizeof v);
    return _mm512_set1_epi32(v);
}

// P squares from x0; `left`, `right`: the board ends there, so the outer taps of the outer squares do not exist.
INLINE void sums_of(int P, bool left, bool right, const qconv *c, const uint8_t *x, const int8_t *w, int y,
                    int32_t sum[][32])
{
    __m512i a[8], b[8];
    size_t cin = (size_t)c->cin;
    UNROLL(8)
    for (int i = 0; i < P; i++) a[i] = b[i] = _mm512_setzero_si512();
    for (int dy = -1; dy <= 1; dy++) {
        if (y + dy < 0 || y + dy >= c->rows) continue;
        const uint8_t *row = x + dy * c->cols * c->cin;
        const int8_t *wr = w + (size_t)(dy + 1) * 3 * cin * 32;
        for (size_t k = 0; k < cin; k += 4) {
            UNROLL(3)
            for (int dx = -1; dx <= 1; dx++) {
                const int8_t *wt = wr + ((size_t)(dx + 1) * cin + k) * 32;
                __m512i w0 = _mm512_loadu_si512(wt), w1 = _mm512_loadu_si512(wt + 64);
                UNROLL(8)
                for (int i = 0; i < P; i++) {
                    if ((left && i + dx < 0) || (right && i + dx >= P)) continue;
                    __m512i v = four(row + (i + dx) * c->cin + (int)k);
                    DOT(a[i], v, w0);
                    DOT(b[i], v, w1);
                }
            }
        }
    }
    UNROLL(8)
    for (int i = 0; i < P; i++) {
        _mm512_storeu_si512(sum[i], a[i]);
        _mm512_storeu_si512(sum[i] + 16, b[i]);
    }
}

#define WIDTH(P)                                                                                                       \
    static __attribute__((noinline)) void sums_##P(const qconv *c, const uint8_t *x, const int8_t *w, int y,           \
                                                   bool left, bool right, int32_t sum[][32])                           \
    {                                                                                                                  \
        if (left && right)                                                                                             \
            sums_of(P, true, true, c, x, w, y, sum);                                                                   \
        else if (left)                                                                                                 \
            sums_of(P, true, false, c, x, w, y, sum);                                                                  \
        else if (right)                                                                                                \
            sums_of(P, false, true, c, x, w, y, sum);                                                                  \
        else                                                                                                           \
            sums_of(P, false, false, c, x, w, y, sum);                                                                 \
    }
WIDTH(1)
WIDTH(2)
WIDTH(3)
WIDTH(4)
WIDTH(5)
WIDTH(6)
WIDTH(7)
WIDTH(8)

static void row_sums(const qconv *c, const uint8_t *x, const int8_t *w, int y, int x0, int count, int32_t sum[][32])
{
    static void (*const by_width[8])(const qconv *, const uint8_t *, const int8_t *, int, bool, bool,
                                     int32_t[][32]) = {sums_1, sums_2, sums_3, sums_4, sums_5, sums_6, sums_7, sums_8};
    by_width[count - 1](c, x + (size_t)(y * c->cols + x0) * (size_t)c->cin, w, y, x0 == 0, x0 + count == c->cols, sum);
}

#include "nn/quant_impl.h"

const qkern qkern_vnni = {"vnni", 255, conv, qwino_conv_vnni};
