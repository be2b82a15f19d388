// The int8 Winograd convolution with AVX-512 VNNI. See quant_wino.h.
//
// Tiles go through in blocks of 32: transform all their bytes (v), then for each 32 output channels the 24 products (m) and
// the way back, where bias, shortcut and ReLU are added and the next layer's bytes are written. v, m and a group's weights
// are about 100 KB each. The products' loop has 8 tiles x 32 channels in 16 registers; one line of inline assembly, as in
// quant_vnni.c.
#include "nn/quant_wino.h"
#include "nn/unroll.h"

#include <immintrin.h>
#include <string.h>

#define DOT(sum, x, w) __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(w))

typedef struct work {
    uint8_t *v;            // [24][QW_BLOCK][cin], places v_step apart
    int32_t *m;            // [24][QW_BLOCK][32], places m_step apart
    size_t v_step, m_step; // not a power of two, so that the 24 places lie in different cache sets
} work;

static const uint8_t nothing[2048 + 64]; // what squares beyond the edge hold

// --- input: 32 channels of one tile

#define MUL(a, k) _mm512_mullo_epi16(a, _mm512_set1_epi16(k))
#define ADD(a, b) _mm512_add_epi16(a, b)
#define SUB(a, b) _mm512_sub_epi16(a, b)

INLINE void put(uint8_t *to, __m512i v, __m512i step)
{
    __m256i bytes = _mm512_cvtsepi16_epi8(_mm512_mulhrs_epi16(v, step));
    _mm256_storeu_si256((__m256i *)to, _mm256_xor_si256(bytes, _mm256_set1_epi8((char)QW_ZERO)));
}

// 18 * (a + c) - 48.5 * b
INLINE __m512i outer(__m512i a, __m512i b, __m512i c)
{
    return SUB(SUB(MUL(ADD(a, c), 18), MUL(b, 48)), _mm512_srai_epi16(b, 1));
}

INLINE void across(const __m512i e[QW_COLS], uint8_t *to, size_t v_step, const int16_t *step)
{
    __m512i even = SUB(MUL(e[4], 12), MUL(e[2], 27)), odd = SUB(_mm512_slli_epi16(e[3], 3), MUL(e[1], 18));
    put(to, outer(e[0], e[2], e[4]), _mm512_set1_epi16(step[0]));
    put(to + v_step, ADD(even, odd), _mm512_set1_epi16(step[1]));
    put(to + 2 * v_step, SUB(even, odd), _mm512_set1_epi16(step[2]));
    even = SUB(MUL(e[4], 18), _mm512_slli_epi16(e[2], 3)), odd = SUB(MUL(e[3], 27), MUL(e[1], 12));
    put(to + 3 * v_step, ADD(even, odd), _mm512_set1_epi16(step[3]));
    put(to + 4 * v_step, SUB(even, odd), _mm512_set1_epi16(step[4]));
    put(to + 5 * v_step, outer(e[1], e[3], e[5]), _mm512_set1_epi16(step[5]));
}

static void transform_tile(const qwino *c, const uint8_t *x, const int32_t *from, uint8_t *v, size_t v_step)
{
    const uint8_t *at[QW_PLACES];
    for (int k = 0; k < QW_PLACES; k++) at[k] = from[k] < 0 ? nothing : x + (size_t)from[k] * (size_t)c->cin;
    for (int ch = 0; ch < c->cin; ch += 32) {
        __m512i r[QW_ROWS][QW_COLS];
        UNROLL(6)
        for (int j = 0; j < QW_COLS; j++) {
            __m512i d[QW_ROWS];
            UNROLL(4)
            for (int i = 0; i < QW_ROWS; i++)
                d[i] = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(at[i * QW_COLS + j] + ch)));
            r[0][j] = SUB(d[2], d[0]);
            r[1][j] = ADD(d[1], d[2]);
            r[2][j] = SUB(d[2], d[1]);
            r[3][j] = SUB(d[3], d[1]);
        }
        UNROLL(4)
        for (int i = 0; i < QW_ROWS; i++)
            across(r[i], v + (size_t)(i * QW_COLS) * v_step + ch, v_step, c->step + i * QW_COLS);
    }
}

// --- products: m[8 tiles][32] = zero + v[8 tiles][cin] * u[cin][32]

static void panel(const uint8_t *v, int cin, const int8_t *u, const int32_t *zero, int32_t *m)
{
    __m512i a[QW_PANEL], b[QW_PANEL], za = _mm512_loadu_si512(zero), zb = _mm512_loadu_si512(zero + 16);
    UNROLL(8)
    for (int i = 0; i < QW_PANEL; i++) a[i] = za, b[i] = zb;
    for (int k = 0; k < cin; k += 4, u += 128) {
        __m512i w0 = _mm512_loadu_si512(u), w1 = _mm512_loadu_si512(u + 64);
        UNROLL(8)
        for (int i = 0; i < QW_PANEL; i++) {
            int32_t four;
            memcpy(&four, v + i * cin + k, sizeof four);
            __m512i d = _mm512_set1_epi32(four);
            DOT(a[i], d, w0);
            DOT(b[i], d, w1);
        }
    }
    UNROLL(8)
    for (int i = 0; i < QW_PANEL; i++) {
        _mm512_storeu_si512(m + i * QW_GROUP, a[i]);
        _mm512_storeu_si512(m + i * QW_GROUP + 16, b[i]);
    }
}

// --- output: 16 channels of one tile

#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define NUM(x)       _mm512_set1_ps(x)

// y[2][4] from the 24 places' sums
INLINE void back(const int32_t *m, size_t m_step, const float *scale, __m512 y[8])
{
    __m512 t[2][QW_COLS];
    UNROLL(6)
    for (int j = 0; j < QW_COLS; j++) {
        __m512 s[QW_ROWS], k[QW_ROWS];
        UNROLL(4)
        for (int i = 0; i < QW_ROWS; i++) {
            size_t p = (size_t)(i * QW_COLS + j);
            s[i] = _mm512_cvtepi32_ps(_mm512_loadu_si512(m + p * m_step));
            k[i] = _mm512_loadu_ps(scale + p * QW_GROUP);
        }
        __m512 b = _mm512_mul_ps(s[1], k[1]);
        t[0][j] = FMA(s[0], k[0], FMA(s[2], k[2], b));
        t[1][j] = FMA(s[3], k[3], _mm512_fnmadd_ps(s[2], k[2], b));
    }
    UNROLL(2)
    for (int i = 0; i < 2; i++) {
        __m512 *e = t[i], *o = y + 4 * i;
        __m512 a = _mm512_add_ps(e[1], e[2]), da = _mm512_sub_ps(e[1], e[2]);
        __m512 b = _mm512_add_ps(e[3], e[4]), db = _mm512_sub_ps(e[3], e[4]);
        o[0] = _mm512_add_ps(_mm512_add_ps(e[0], a), b);
        o[1] = FMA(da, NUM(2.0f / 3), _mm512_mul_ps(db, NUM(1.5f)));
        o[2] = FMA(a, NUM(4.0f / 9), _mm512_mul_ps(b, NUM(2.25f)));
        o[3] = FMA(da, NUM(8.0f / 27), FMA(db, NUM(3.375f), e[5]));
    }
}

typedef struct ending { // what happens to a board's finished values
    const float *res;
    float *f;
    uint8_t *q;
    float step;
    bool relu;
    int cout;
    size_t hw;
} ending;

// 16 channels of one square; `at`: the channel block's start in a blocked board, `ch` the first channel.
INLINE void finish(const ending *e, __m512 v, int square, size_t at, int ch, bool real)
{
    size_t place = at + (size_t)square * 16;
    if (e->res != NULL && real) v = _mm512_add_ps(v, _mm512_loadu_ps(e->res + place));
    if (e->relu) v = _mm512_max_ps(v, _mm512_setzero_ps());
    if (e->f != NULL && real) _mm512_storeu_ps(e->f + place, v);
    if (e->q == NULL) return;
    __m512i n = _mm512_cvtps_epi32(_mm512_max_ps(_mm512_mul_ps(v, NUM(e->step)), _mm512_setzero_ps()));
    _mm_storeu_si128((__m128i *)(e->q + (size_t)square * (size_t)e->cout + ch), _mm512_cvtusepi32_epi8(n));
}

static void back_tile(const qwino *c, int g, const int32_t *m, size_t m_step, const int32_t *to, const ending *e,
                      int channels)
{
    for (int h = 0; h < QW_GROUP; h += 16) {
        __m512 y[8], bias = _mm512_loadu_ps(c->bias + g + h);
        back(m + h, m_step, c->scale + (size_t)g * QW_PLACES + h, y);
        UNROLL(8)
        for (int k = 0; k < 8; k++)
            if (to[k] >= 0)
                finish(e, _mm512_add_ps(y[k], bias), to[k], (size_t)(g + h) * e->hw, g + h, g + h < channels);
    }
}

// Tiles first … first+count-1 of the batch, counted over all boards.
static void block(const qwino *c, const work *w, int first, int count, const uint8_t *x, const ending *all,
                  int channels)
{
    const qwino_shape *s = c->shape;
    size_t hw = all->hw, cin = (size_t)c->cin;
    for (int i = 0; i < count; i++) {
        int board = (first + i) / s->tiles, tile = (first + i) % s->tiles;
        transform_tile(c, x + (size_t)board * hw * cin, s->from + tile * QW_PLACES, w->v + (size_t)i * cin, w->v_step);
    }
    for (int g = 0; g < c->cout; g += QW_GROUP) {
        for (int p = 0; p < QW_PLACES; p++) {
            const int8_t *u = c->u + ((size_t)g * QW_PLACES + (size_t)(p * QW_GROUP)) * cin;
            const int32_t *zero = c->zero + g * QW_PLACES + p * QW_GROUP;
            for (int i = 0; i < count; i += QW_PANEL)
                panel(w->v + (size_t)p * w->v_step + (size_t)i * cin, c->cin, u, zero,
                      w->m + (size_t)p * w->m_step + (size_t)(i * QW_GROUP));
        }
        for (int i = 0; i < count; i++) {
            int board = (first + i) / s->tiles, tile = (first + i) % s->tiles;
            ending e = *all;
            size_t floats = (size_t)board * hw * (size_t)channels;
            if (e.res != NULL) e.res += floats;
            if (e.f != NULL) e.f += floats;
            if (e.q != NULL) e.q += (size_t)board * hw * (size_t)c->cout;
            back_tile(c, g, w->m + i * QW_GROUP, w->m_step, s->to + tile * 8, &e, channels);
        }
    }
}

void qwino_conv_vnni(const qwino *c, int n, const uint8_t *x, const float *res, bool relu, int channels, float *f,
                     float step, uint8_t *q, void *scratch)
{
    work w = {.v_step = (size_t)QW_BLOCK * (size_t)c->cin + 64, .m_step = (size_t)QW_BLOCK * QW_GROUP + 16};
    w.v = (uint8_t *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    w.m = (int32_t *)(void *)(w.v + QW_PLACES * w.v_step);
    ending e = {res, f, q, step, relu, c->cout, (size_t)(c->shape->rows * c->shape->cols)};
    int tiles = n * c->shape->tiles;
    for (int i = 0; i < tiles; i += QW_BLOCK)
        block(c, &w, i, tiles - i < QW_BLOCK ? tiles - i : QW_BLOCK, x, &e, channels);
}
