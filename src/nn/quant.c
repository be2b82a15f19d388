// Calibration and the int8 trunk. See quant.h.
#include "nn/quant.h"

#include "base/memory.h"
#include "nn/infer_inner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const qkern *qkern_now(void)
{
#if defined(KEIKO_X86)
    if (cpu_simd() == SIMD_AVX512 && __builtin_cpu_supports("avx512vnni")) return &qkern_vnni;
    if (cpu_simd() >= SIMD_AVX2) return &qkern_avx2;
#endif
    return &qkern_scalar;
}

bool nn_int8_pays(void)
{
#if defined(KEIKO_X86)
    return qkern_now() == &qkern_vnni;
#else
    return false;
#endif
}

// --- calibration: two passes over the f32 trunk, the first for the largest values, the second for histograms

enum { BINS = 2048, WINO_BOARDS = 64 }; // transformed inputs are 24 a tile: some boards' worth is plenty

typedef struct meter {
    float high;          // first pass: the maximum
    uint32_t bins[BINS]; // second pass
} meter;

typedef struct meters {
    meter *plain;             // [1 + 2 * blocks]
    meter (*wino)[QW_PLACES]; // [2 * blocks]; NULL = not wanted
    float *channel;           // [1 + 2 * blocks][channels] maxima, instead of the others; NULL = not wanted
    int channels;
    qwino_shape shape;
    bool second;
} meters;

static void count(meter *m, bool second, float x)
{
    if (!second) {
        if (x > m->high) m->high = x;
    } else if (x > 0) {
        int bin = (int)(x / m->high * BINS);
        m->bins[bin < BINS ? bin : BINS - 1]++;
    }
}

// The same boards' maxima by channel; the last block of 16 may have fewer that are real.
static void channel_maxima(const meters *m, int i, const float *x, int n, int blocks, size_t hw)
{
    for (int b = 0; b < n; b++)
        for (int k = 0; k < blocks; k++) {
            float high[16] = {0};
            for (size_t s = 0; s < hw; s++, x += 16)
                for (int c = 0; c < 16; c++) high[c] = x[c] > high[c] ? x[c] : high[c];
            for (int c = 0; c < 16 && k * 16 + c < m->channels; c++) {
                float *most = &m->channel[i * m->channels + k * 16 + c];
                if (high[c] > *most) *most = high[c];
            }
        }
}

// Layer i's activations of n boards, x[n][channels/16][hw][16]; `wino` of them also transformed.
static void measure(meters *m, int i, int blocks, const float *x, int n, int channels, int wino)
{
    size_t hw = (size_t)(m->shape.rows * m->shape.cols), all = (size_t)n * (size_t)channels * hw;
    if (m->channel != NULL) {
        channel_maxima(m, i, x, n, channels / 16, hw);
        return;
    }
    for (size_t k = 0; k < all; k++) count(&m->plain[i], m->second, x[k]);
    if (m->wino == NULL || i == 2 * blocks) return; // the last output enters no convolution
    for (int b = 0; b < n && b < wino; b++)
        for (int c = 0; c < channels; c++)
            for (int t = 0; t < m->shape.tiles; t++) {
                const float *from = x + (size_t)(b * channels + c / 16 * 16) * hw + c % 16;
                float d[QW_PLACES], v[QW_PLACES];
                for (int k = 0; k < QW_PLACES; k++) {
                    int square = m->shape.from[t * QW_PLACES + k];
                    d[k] = square < 0 ? 0 : from[(size_t)square * 16];
                }
                qwino_input(d, v);
                for (int k = 0; k < QW_PLACES; k++) count(&m->wino[i][k], m->second, fabsf(v[k]));
            }
}

static void measure_chunk(const nn_plan *p, nn_scratch *s, int n, int wino, meters *m)
{
    const nn_kern *k = p->kern;
    int blocks = p->desc.blocks;
    size_t size = (size_t)n * (size_t)p->channels * (size_t)(p->desc.rows * p->desc.cols);
    measure(m, 0, blocks, s->a, n, p->channels, wino);
    for (int b = 0; b < blocks; b++) {
        const plan_block *blk = &p->block[b];
        k->conv(&p->body_shape, n, s->a, NULL, blk->conv[0].w, blk->conv[0].bias, NULL, true, s->b, s->conv);
        measure(m, 2 * b + 1, blocks, s->b, n, p->channels, wino);
        k->conv(&p->body_shape, n, s->b, NULL, blk->conv[1].w, blk->conv[1].bias, p->desc.se > 0 ? NULL : s->a,
                p->desc.se == 0, s->c, s->conv);
        if (p->desc.se > 0)
            plan_squeeze(p, s, blk, n, s->c, s->a, s->a);
        else
            memcpy(s->a, s->c, size * sizeof *s->a);
        measure(m, 2 * b + 2, blocks, s->a, n, p->channels, wino);
    }
}

// The clipping point with the least squared error: rounding costs step^2/12 per value, clipping what is cut.
static float best_high(const meter *m, int levels)
{
    double best = INFINITY, width = (double)m->high / BINS;
    int at = BINS;
    if (!(m->high > 0)) return 1;
    for (int cut = BINS / 64; cut <= BINS; cut += BINS / 64) {
        double high = cut * width, step = high / levels, error = 0;
        for (int i = 0; i < BINS; i++) {
            double v = (i + 0.5) * width, over = v - high;
            error += (double)m->bins[i] * (v > high ? over * over : step * step / 12);
        }
        if (error < best) best = error, at = cut;
    }
    return (float)(at * width);
}

static err meters_make(meters *m, const nn_desc *d)
{
    *m = (meters){0};
    err e = qwino_shape_make(&m->shape, d->rows, d->cols);
    m->plain = calloc((size_t)(1 + 2 * d->blocks), sizeof *m->plain);
    if (qwino_pays(d->rows, d->cols)) m->wino = calloc((size_t)(2 * d->blocks + 1), sizeof *m->wino);
    if (e == ERR_OK && (m->plain == NULL || (qwino_pays(d->rows, d->cols) && m->wino == NULL)))
        e = err_set(ERR_MEMORY, "no memory to calibrate");
    return e;
}

static void meters_free(meters *m)
{
    qwino_shape_free(&m->shape);
    free(m->plain);
    free(m->wino);
}

// The positions through the f32 trunk, `passes` times.
static err walk(meters *m, const nn_net *net, int passes, int n, const uint64_t *bits, const float *scalars)
{
    const nn_desc *d = &net->desc;
    nn_plan *p = NULL;
    nn_scratch *s = NULL;
    err e = nn_plan_new(&p, net, NULL);
    if (e == ERR_OK) e = nn_scratch_new(&s, p);
    for (int pass = 0; pass < passes && e == ERR_OK; pass++) {
        m->second = pass == 1;
        for (int i = 0; i < n; i += p->chunk) {
            int now = n - i < p->chunk ? n - i : p->chunk;
            nn_unpack_planes(d, now, bits == NULL ? NULL : bits + (size_t)i * nn_in_bits(d),
                             scalars == NULL ? NULL : scalars + (size_t)(i * d->scalars), s->x);
            p->kern->conv(&p->stem_shape, now, s->x, NULL, p->stem.w, p->stem.bias, NULL, true, s->a, s->conv);
            measure_chunk(p, s, now, WINO_BOARDS - i, m);
        }
    }
    nn_scratch_free(s);
    nn_plan_free(p);
    return e;
}

static err can_calibrate(const nn_desc *d, int n)
{
    if (d->channels == 0) return err_set(ERR_USAGE, "narrow numbers are for residual networks; this one is an mlp");
    return n < 1 ? err_set(ERR_USAGE, "calibration needs at least one position") : ERR_OK;
}

err nn_channel_highs(float *high, const nn_net *net, int n, const uint64_t *bits, const float *scalars)
{
    const nn_desc *d = &net->desc;
    err e = can_calibrate(d, n);
    if (e != ERR_OK) return e;
    meters m = {.channel = high, .channels = d->channels, .shape = {.rows = d->rows, .cols = d->cols}};
    memset(high, 0, (size_t)((1 + 2 * d->blocks) * d->channels) * sizeof *high);
    return walk(&m, net, 1, n, bits, scalars);
}

err nn_calibrate(nn_ranges *out, const nn_net *net, int n, const uint64_t *bits, const float *scalars)
{
    const nn_desc *d = &net->desc;
    meters m;
    err e = can_calibrate(d, n);
    if (e != ERR_OK) return e;
    e = meters_make(&m, d);
    if (e == ERR_OK) e = walk(&m, net, 2, n, bits, scalars);
    if (e == ERR_OK) {
        *out = (nn_ranges){.n = 1 + 2 * d->blocks};
        for (int i = 0; i < out->n; i++) out->high[i] = best_high(&m.plain[i], 255);
        for (int i = 0; i + 1 < out->n && m.wino != NULL; i++)
            for (int k = 0; k < QW_PLACES; k++) out->wino[i][k] = best_high(&m.wino[i][k], 127);
    }
    meters_free(&m);
    return e;
}

// --- the plan

struct int8_plan {
    const qkern *kern;
    int wide; // channels padded to 32
    int n;    // convolutions
    nn_ranges ranges;
    float *scale, *bias;
    int8_t *w;
    qconv *conv; // direct …
    qwino *wino; // … or by Winograd; the other is NULL
    qwino_shape shape;
    int32_t *zero;
    int16_t *step; // [n][QW_PLACES]
    char name[32];
};

// One output channel: real weights = int8 * scale, folded with batch-norm.
static void quantise_channel(const float *w, int cin, int wide, float fold, int8_t *to, float *scale)
{
    float high = 0;
    for (int i = 0; i < cin * 9; i++) high = fmaxf(high, fabsf(w[i] * fold));
    *scale = high > 0 ? high / 127 : 1;
    for (int i = 0; i < cin; i++)
        for (int tap = 0; tap < 9; tap++) {
            float v = roundf(w[i * 9 + tap] * fold / *scale);
            to[(size_t)(tap * wide) * 32 + (size_t)(i / 4 * 128 + i % 4)] = (int8_t)fmaxf(-127, fminf(127, v));
        }
}

static void direct_weights(int8_plan *q, const nn_net *net, size_t i)
{
    const nn_conv_at *c = &net->at.block[i / 2].conv[i % 2];
    size_t wide = (size_t)q->wide, one = wide * wide * 9;
    float fold[NN_MAX_CHANNELS], *scale = q->scale + i * wide, step = q->ranges.high[i] / (float)q->kern->levels;
    plan_fold(net, c, fold, q->bias + i * wide);
    for (int o = 0; o < c->cout; o++) {
        quantise_channel(net->w + c->w + (size_t)(o * c->cin * 9), c->cin, q->wide, fold[o],
                         q->w + i * one + (size_t)(o / 32 * 32) * 9 * wide + (size_t)(o % 32 * 4), &scale[o]);
        scale[o] *= step;
    }
    q->conv[i] = (qconv){net->desc.rows, net->desc.cols, q->wide, q->wide, q->w + i * one, scale, q->bias + i * wide};
}

static void wino_weights(int8_plan *q, const nn_net *net, size_t i)
{
    const nn_conv_at *c = &net->at.block[i / 2].conv[i % 2];
    size_t wide = (size_t)q->wide, one = wide * wide * QW_PLACES;
    float fold[NN_MAX_CHANNELS], v_scale[QW_PLACES];
    double unit = (double)q->ranges.high[i] / q->kern->levels; // real value of an input byte
    int16_t *step = q->step + i * QW_PLACES;
    for (int k = 0; k < QW_PLACES; k++) {
        double s = 127 * 32768.0 * unit / (double)q->ranges.wino[i][k];
        step[k] = (int16_t)lround(fmax(1, fmin(32767, s)));
        v_scale[k] = (float)(32768 * unit / step[k]);
    }
    plan_fold(net, c, fold, q->bias + i * wide);
    for (int o = 0; o < c->cout; o++) {
        size_t group = (size_t)(o / QW_GROUP * QW_GROUP) * QW_PLACES, at = i * wide * QW_PLACES + group;
        qwino_weights(net->w + c->w + (size_t)(o * c->cin * 9), c->cin, fold[o], v_scale, q->wide,
                      q->w + i * one + group * wide + (size_t)(o % QW_GROUP * 4), q->zero + at + o % QW_GROUP,
                      q->scale + at + o % QW_GROUP);
    }
    q->wino[i] = (qwino){&q->shape,
                         q->wide,
                         q->wide,
                         q->w + i * one,
                         q->zero + i * wide * QW_PLACES,
                         q->scale + i * wide * QW_PLACES,
                         q->bias + i * wide,
                         step};
}

err int8_new(int8_plan **out, const nn_net *net, const nn_ranges *r, bool direct)
{
    const nn_desc *d = &net->desc;
    if (r->n != 1 + 2 * d->blocks) return err_set(ERR_USAGE, "these int8 ranges belong to another network");
    int8_plan *q = calloc(1, sizeof *q);
    if (q == NULL) return err_set(ERR_MEMORY, "no memory for an int8 plan");
    q->kern = qkern_now();
    q->wide = (d->channels + 31) & ~31;
    q->n = 2 * d->blocks;
    q->ranges = *r;
    bool wino = !direct && q->kern->wino != NULL && r->wino[0][0] > 0 && qwino_pays(d->rows, d->cols);
    size_t wide = (size_t)q->wide, taps = wino ? QW_PLACES : 9, n = (size_t)q->n, bytes = n * wide * wide * taps;
    err e = wino ? qwino_shape_make(&q->shape, d->rows, d->cols) : ERR_OK;
    if (wino)
        q->wino = calloc(n + 1, sizeof *q->wino);
    else
        q->conv = calloc(n + 1, sizeof *q->conv);
    q->w = (int8_t *)nn_floats(bytes / 4 + 16);
    q->scale = nn_floats(n * wide * (wino ? QW_PLACES : 1));
    q->bias = nn_floats(n * wide);
    if (wino) q->zero = (int32_t *)nn_floats(n * wide * QW_PLACES);
    q->step = calloc(n * QW_PLACES + 1, sizeof *q->step);
    if (e == ERR_OK && ((q->conv == NULL && q->wino == NULL) || q->w == NULL || q->scale == NULL || q->bias == NULL ||
                        (wino && q->zero == NULL) || q->step == NULL))
        e = err_set(ERR_MEMORY, "no memory for int8 weights");
    if (e != ERR_OK) {
        int8_free(q);
        return e;
    }
    for (size_t i = 0; i < n; i++) (wino ? wino_weights : direct_weights)(q, net, i);
    snprintf(q->name, sizeof q->name, "%s%s", q->kern->name, wino ? " f2x4" : " direct");
    *out = q;
    return ERR_OK;
}

void int8_free(int8_plan *q)
{
    if (q == NULL) return;
    qwino_shape_free(&q->shape);
    FREE_ALL(q->conv, q->wino, q->w, q->scale, q->bias, q->zero, q->step, q);
}

const char *int8_name(const int8_plan *q)
{
    return q->name;
}

// Floats of one array of a chunk's bytes.
static size_t bytes_room(const int8_plan *q, const nn_desc *d, int chunk)
{
    return (size_t)chunk * (size_t)(d->rows * d->cols * q->wide) / 4 + 16;
}

size_t int8_scratch(const int8_plan *q, const nn_desc *d, int chunk)
{
    if (q == NULL || q->n == 0) return 0;
    return 2 * bytes_room(q, d, chunk) + (q->wino != NULL ? qwino_scratch(q->wide) / 4 + 16 : 0);
}

// x[n][hw][wide] from blocked floats.
static void to_bytes_all(const nn_plan *p, int n, const float *a, float high, uint8_t *x)
{
    const int8_plan *q = p->int8;
    int hw = p->desc.rows * p->desc.cols;
    float step = (float)q->kern->levels / high, levels = (float)q->kern->levels;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < p->channels; c += 16)
            for (int s = 0; s < hw; s++) {
                uint8_t *to = x + (size_t)(i * hw + s) * (size_t)q->wide + c;
                const float *from = a + ((size_t)(i * p->channels) + (size_t)c) * (size_t)hw + (size_t)(s * 16);
                for (int l = 0; l < 16; l++) {
                    float v = from[l] * step + 0.5f;
                    to[l] = (uint8_t)(int)(v < levels ? v : levels);
                }
            }
}

void int8_run(const nn_plan *p, nn_scratch *s, int n)
{
    const int8_plan *q = p->int8;
    if (q->n == 0) return;
    size_t room = bytes_room(q, &p->desc, p->chunk);
    uint8_t *x = (uint8_t *)s->int8, *mid = (uint8_t *)(s->int8 + room);
    float levels = (float)q->kern->levels;
    if (q->wide > p->channels) memset(x, 0, (size_t)n * (size_t)(p->desc.rows * p->desc.cols * q->wide));
    to_bytes_all(p, n, s->a, q->ranges.high[0], x);
#define CONV(i, in, res, relu, f, step, out)                                                                           \
    (q->wino != NULL ? q->kern->wino(&q->wino[i], n, in, res, relu, p->channels, f, step, out, s->int8 + 2 * room)     \
                     : q->kern->conv(&q->conv[i], q->kern->levels, n, in, res, relu, p->channels, f, step, out))
    for (int b = 0; b < p->desc.blocks; b++) {
        bool last = b + 1 == p->desc.blocks;
        float inner = levels / q->ranges.high[2 * b + 1], outer = levels / q->ranges.high[2 * b + 2];
        CONV(2 * b, x, NULL, true, NULL, inner, mid);
        if (p->desc.se > 0) {
            CONV(2 * b + 1, mid, NULL, false, s->c, 1, NULL);
            plan_squeeze(p, s, &p->block[b], n, s->c, s->a, s->a);
            if (!last) to_bytes_all(p, n, s->a, q->ranges.high[2 * b + 2], x);
        } else {
            CONV(2 * b + 1, mid, s->a, true, s->a, outer, last ? NULL : x);
        }
    }
#undef CONV
}
