// Calibration and the int8 trunk. See quant.h.
#include "nn/quant.h"

#include "nn/infer_inner.h"

#include <math.h>
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

// --- calibration: two histograms' worth of passes over the f32 trunk

enum { BINS = 2048 };

typedef struct meter {
    float high;          // first pass: the maximum
    uint32_t bins[BINS]; // second pass
} meter;

static void measure(meter *m, bool second, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!second) {
            if (x[i] > m->high) m->high = x[i];
        } else if (x[i] > 0) {
            int bin = (int)(x[i] / m->high * BINS);
            m->bins[bin < BINS ? bin : BINS - 1]++;
        }
    }
}

static void measure_chunk(const nn_plan *p, nn_scratch *s, int n, meter *m, bool second)
{
    const nn_kern *k = p->kern;
    size_t size = (size_t)n * (size_t)p->channels * (size_t)(p->desc.rows * p->desc.cols);
    measure(m++, second, s->a, size);
    for (int b = 0; b < p->desc.blocks; b++) {
        const plan_block *blk = &p->block[b];
        k->conv(&p->body_shape, n, s->a, blk->conv[0].w, blk->conv[0].bias, NULL, true, s->b, s->conv);
        measure(m++, second, s->b, size);
        k->conv(&p->body_shape, n, s->b, blk->conv[1].w, blk->conv[1].bias, p->desc.se > 0 ? NULL : s->a,
                p->desc.se == 0, s->c, s->conv);
        if (p->desc.se > 0)
            plan_squeeze(p, s, blk, n, s->c, s->a, s->a);
        else
            memcpy(s->a, s->c, size * sizeof *s->a);
        measure(m++, second, s->a, size);
    }
}

// The clipping point with the least squared error at 255 levels: rounding costs step^2/12 a value, clipping what is cut.
static float best_high(const meter *m)
{
    double best = INFINITY, width = (double)m->high / BINS;
    int at = BINS;
    for (int cut = BINS / 64; cut <= BINS; cut += BINS / 64) {
        double high = cut * width, step = high / 255, error = 0;
        for (int i = 0; i < BINS; i++) {
            double v = (i + 0.5) * width, over = v - high;
            error += (double)m->bins[i] * (v > high ? over * over : step * step / 12);
        }
        if (error < best) best = error, at = cut;
    }
    return (float)(at * width);
}

err nn_calibrate(nn_ranges *out, const nn_net *net, int n, const uint64_t *bits, const float *scalars)
{
    const nn_desc *d = &net->desc;
    nn_plan *p = NULL;
    nn_scratch *s = NULL;
    meter *m = NULL;
    if (d->channels == 0) return err_set(ERR_USAGE, "int8 is for residual networks; this one is an mlp");
    if (n < 1) return err_set(ERR_USAGE, "calibration needs at least one position");
    int count = 1 + 2 * d->blocks;
    err e = nn_plan_new(&p, net, NULL);
    if (e == ERR_OK) e = nn_scratch_new(&s, p);
    if (e == ERR_OK && (m = calloc((size_t)count, sizeof *m)) == NULL)
        e = err_set(ERR_MEMORY, "no memory to calibrate");
    for (int pass = 0; pass < 2 && e == ERR_OK; pass++)
        for (int i = 0; i < n; i += p->chunk) {
            int now = n - i < p->chunk ? n - i : p->chunk;
            nn_unpack_planes(d, now, bits == NULL ? NULL : bits + (size_t)i * nn_in_bits(d),
                             scalars == NULL ? NULL : scalars + (size_t)(i * d->scalars), s->x);
            p->kern->conv(&p->stem_shape, now, s->x, p->stem.w, p->stem.bias, NULL, true, s->a, s->conv);
            measure_chunk(p, s, now, m, pass == 1);
        }
    if (e == ERR_OK) {
        *out = (nn_ranges){.n = count};
        for (int i = 0; i < count; i++) out->high[i] = m[i].high > 0 ? best_high(&m[i]) : 1;
    }
    free(m);
    nn_scratch_free(s);
    nn_plan_free(p);
    return e;
}

// --- the plan

struct int8_plan {
    const qkern *kern;
    int wide; // channels padded to 32
    int n;    // convolutions
    qconv *conv;
    nn_ranges ranges;
    int8_t *w;
    float *scale, *bias;
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

err int8_new(int8_plan **out, const nn_net *net, const nn_ranges *r)
{
    const nn_desc *d = &net->desc;
    if (r->n != 1 + 2 * d->blocks) return err_set(ERR_USAGE, "these int8 ranges belong to another network");
    int8_plan *q = calloc(1, sizeof *q);
    if (q == NULL) return err_set(ERR_MEMORY, "no memory for an int8 plan");
    q->kern = qkern_now();
    q->wide = (d->channels + 31) & ~31;
    q->n = 2 * d->blocks;
    q->ranges = *r;
    size_t wide = (size_t)q->wide, one = wide * wide * 9, n = (size_t)q->n;
    q->conv = calloc(n + 1, sizeof *q->conv);
    q->w = aligned_alloc(64, (n * one + 64) & ~(size_t)63);
    q->scale = nn_floats(n * wide);
    q->bias = nn_floats(n * wide);
    if (q->conv == NULL || q->w == NULL || q->scale == NULL || q->bias == NULL) {
        int8_free(q);
        return err_set(ERR_MEMORY, "no memory for int8 weights");
    }
    memset(q->w, 0, n * one);
    float fold[NN_MAX_CHANNELS];
    for (size_t i = 0; i < n; i++) {
        const nn_conv_at *c = &net->at.block[i / 2].conv[i % 2];
        float *scale = q->scale + i * wide, step = r->high[i] / (float)q->kern->levels;
        plan_fold(net, c, fold, q->bias + i * wide);
        for (int o = 0; o < c->cout; o++) {
            quantise_channel(net->w + c->w + (size_t)(o * c->cin * 9), c->cin, q->wide, fold[o],
                             q->w + i * one + (size_t)(o / 32 * 32) * 9 * wide + (size_t)(o % 32 * 4), &scale[o]);
            scale[o] *= step;
        }
        q->conv[i] = (qconv){d->rows, d->cols, q->wide, q->wide, q->w + i * one, scale, q->bias + i * wide};
    }
    *out = q;
    return ERR_OK;
}

void int8_free(int8_plan *q)
{
    if (q == NULL) return;
    free(q->conv);
    free(q->w);
    free(q->scale);
    free(q->bias);
    free(q);
}

const char *int8_name(const int8_plan *q)
{
    return q->kern->name;
}

size_t int8_scratch(const int8_plan *q, int chunk)
{
    if (q == NULL || q->n == 0) return 0;
    return 2 * ((size_t)chunk * (size_t)(q->conv[0].rows * q->conv[0].cols * q->wide) / 4 + 16);
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
    size_t size = (size_t)n * (size_t)(p->desc.rows * p->desc.cols * q->wide);
    uint8_t *x = (uint8_t *)s->int8,
            *mid = (uint8_t *)(s->int8 + (size_t)p->chunk * (size_t)(p->desc.rows * p->desc.cols * q->wide) / 4 + 16);
    float levels = (float)q->kern->levels;
    if (q->wide > p->channels) memset(x, 0, size);
    to_bytes_all(p, n, s->a, q->ranges.high[0], x);
    for (int b = 0; b < p->desc.blocks; b++) {
        bool last = b + 1 == p->desc.blocks;
        float inner = levels / q->ranges.high[2 * b + 1], outer = levels / q->ranges.high[2 * b + 2];
        q->kern->conv(&q->conv[2 * b], q->kern->levels, n, x, NULL, true, p->channels, NULL, inner, mid);
        if (p->desc.se > 0) {
            q->kern->conv(&q->conv[2 * b + 1], q->kern->levels, n, mid, NULL, false, p->channels, s->c, 1, NULL);
            plan_squeeze(p, s, &p->block[b], n, s->c, s->a, s->a);
            if (!last) to_bytes_all(p, n, s->a, q->ranges.high[2 * b + 2], x);
        } else {
            q->kern->conv(&q->conv[2 * b + 1], q->kern->levels, n, mid, s->a, true, p->channels, s->a, outer,
                          last ? NULL : x);
        }
    }
}
