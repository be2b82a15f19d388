// int8 sums with AVX2: pairs of products in 16 bits (vpmaddubsw), which is why activations here are at most 127.
// Squares beyond the edge read a row of zeros. See quant.h.
#include "nn/quant.h"

#include <immintrin.h>
#include <string.h>

enum { MAX_CIN = 2048 };
static const uint8_t nothing[MAX_CIN] = {0};

#define INLINE static inline __attribute__((always_inline))

INLINE __m256i step4(__m256i sum, __m256i x, const int8_t *w, __m256i ones)
{
    __m256i pairs = _mm256_maddubs_epi16(x, _mm256_loadu_si256((const __m256i *)w));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
}

static __m256i four(const uint8_t *x)
{
    int32_t v;
    memcpy(&v, x, sizeof v);
    return _mm256_set1_epi32(v);
}

// Two squares x 32 channels: eight sums in registers.
static void pair_sums(const qconv *c, const uint8_t *x, const int8_t *w, int y, int x0, int32_t a[32], int32_t b[32])
{
    __m256i s[8], ones = _mm256_set1_epi16(1);
    for (int i = 0; i < 8; i++) s[i] = _mm256_setzero_si256();
    for (int tap = 0; tap < 9; tap++) {
        int yy = y + tap / 3 - 1, xx = x0 + tap % 3 - 1;
        if (yy < 0 || yy >= c->rows) continue;
        const uint8_t *row = x + (size_t)(yy * c->cols) * (size_t)c->cin;
        const uint8_t *p = xx < 0 || xx >= c->cols ? nothing : row + (size_t)xx * (size_t)c->cin;
        const uint8_t *q = xx + 1 >= c->cols ? nothing : row + (size_t)(xx + 1) * (size_t)c->cin;
        const int8_t *wt = w + (size_t)(tap * c->cin) * 32;
        for (int i = 0; i < c->cin; i += 4, wt += 128) {
            __m256i u = four(p + i), v = four(q + i);
            s[0] = step4(s[0], u, wt, ones), s[1] = step4(s[1], u, wt + 32, ones);
            s[2] = step4(s[2], u, wt + 64, ones), s[3] = step4(s[3], u, wt + 96, ones);
            s[4] = step4(s[4], v, wt, ones), s[5] = step4(s[5], v, wt + 32, ones);
            s[6] = step4(s[6], v, wt + 64, ones), s[7] = step4(s[7], v, wt + 96, ones);
        }
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i *)(a + 8 * i), s[i]);
        _mm256_storeu_si256((__m256i *)(b + 8 * i), s[4 + i]);
    }
}

static void row_sums(const qconv *c, const uint8_t *x, const int8_t *w, int y, int x0, int count, int32_t sum[][32])
{
    int32_t spare[32];
    for (int k = 0; k < count; k += 2) pair_sums(c, x, w, y, x0 + k, sum[k], k + 1 < count ? sum[k + 1] : spare);
}

#include "nn/quant_impl.h"

const qkern qkern_avx2 = {"avx2", 127, conv, NULL};
