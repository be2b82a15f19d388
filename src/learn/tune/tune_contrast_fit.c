// The fit of Contrast's network: Adam over shuffled batches, in floats, then rounded. See tune_contrast.h.
//
// A batch is cut into parts of fixed sizes, each with a gradient of its own, which are added in order: so threads change nothing.
#include "base/memory.h"
#include "base/stop.h"
#include "learn/tune/tune_contrast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { H = CTR_HIDDEN, PARTS = 8, PART_MIN = 128, PART_MAX = 512 };

// The weights as floats, in the order of ctr_weights.
typedef struct params {
    float w[CTR_WEIGHTS];
} params;

typedef struct adam {
    params w, m, v, gradient[PARTS];
    float b1, b2; // powers of the decay rates
    const ctr_sample *list;
    const uint32_t *batch; // places in the list
    int many, part;
} adam;

static float clip(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// The value in natural logarithms of the odds, and the hidden units before they are clipped.
static float forward(const float *w, const ctr_sample *s, float unit[2][H])
{
    float value = w[CTR_W_BASE];
    for (int look = 0; look < 2; look++) {
        float *u = unit[look], part[H];
        memcpy(u, w + CTR_W_BIAS, sizeof part);
        for (int i = 0; i < s->n; i++) {
            const float *row = w + CTR_W_FACT + s->facts[look][i] * H;
            for (int k = 0; k < H; k++) u[k] += row[k];
        }
        for (int k = 0; k < H; k++) part[k] = w[CTR_W_OUT + k] * clip(u[k]) * clip(u[k]);
        for (int k = 0; k < H; k++) value += part[k];
    }
    return value;
}

// Adds the gradient of one position, whose value is off by `off`.
static void backward(const float *w, const ctr_sample *s, float unit[2][H], float off, float *g)
{
    g[CTR_W_BASE] += off;
    for (int look = 0; look < 2; look++) {
        const float *u = unit[look];
        float back[H];
        for (int k = 0; k < H; k++) {
            float c = clip(u[k]), inside = u[k] > 0 && u[k] < 1 ? 2 * c : 0;
            g[CTR_W_OUT + k] += off * c * c;
            back[k] = off * w[CTR_W_OUT + k] * inside;
            g[CTR_W_BIAS + k] += back[k];
        }
        for (int i = 0; i < s->n; i++) {
            float *row = g + CTR_W_FACT + s->facts[look][i] * H;
            for (int k = 0; k < H; k++) row[k] += back[k];
        }
    }
}

static void part_task(void *ctx, int task, int worker)
{
    (void)worker;
    adam *a = ctx;
    float *g = a->gradient[task].w;
    int first = task * a->part, end = a->many < first + a->part ? a->many : first + a->part;
    memset(g, 0, sizeof a->gradient[task]);
    for (int i = first; i < end; i++) {
        const ctr_sample *x = &a->list[a->batch[i]];
        float unit[2][H], value = forward(a->w.w, x, unit);
        backward(a->w.w, x, unit, (1 / (1 + expf(-value)) - x->target) / (float)a->many, g);
    }
}

static void descend(adam *a, float rate, float decay)
{
    const float most = (float)CTR_OUT_MAX / CTR_OUT_ONE;
    a->b1 *= 0.9f;
    a->b2 *= 0.999f;
    float c1 = 1 / (1 - a->b1), c2 = 1 / (1 - a->b2), *sum = a->gradient[0].w;
    for (int part = 1; part < PARTS; part++)
        for (int k = 0; k < CTR_WEIGHTS; k++) sum[k] += a->gradient[part].w[k];
    for (int k = 0; k < CTR_WEIGHTS; k++) {
        float g = sum[k] + (k < CTR_W_BIAS ? decay * a->w.w[k] : 0);
        a->m.w[k] = 0.9f * a->m.w[k] + 0.1f * g;
        a->v.w[k] = 0.999f * a->v.w[k] + 0.001f * g * g;
        a->w.w[k] -= rate * a->m.w[k] * c1 / (sqrtf(a->v.w[k] * c2) + 1e-8f);
    }
    for (float *out = a->w.w + CTR_W_OUT, *end = out + H; out < end; out++)
        *out = *out > most ? most : *out < -most ? -most : *out;
}

static int16_t rounded(float w, int one, int most)
{
    long v = lrintf(w * (float)one);
    return (int16_t)(v > most ? most : v < -most ? -most : v);
}

err ctr_tune_fit(const ctr_tune *t, const ctr_samples *s, pool *p, int16_t *out)
{
    uint32_t *order = malloc((size_t)(s->n + 1) * sizeof *order);
    adam *a = calloc(1, sizeof *a);
    err e = order == NULL || a == NULL ? err_set(ERR_MEMORY, "no memory for %d positions", s->n) : ERR_OK;
    int n = 0;
    for (int i = 0; e == ERR_OK && i < s->n; i++)
        if (!s->list[i].held) order[n++] = (uint32_t)i;
    if (e == ERR_OK && n == 0) e = err_set(ERR_USAGE, "no positions to fit the weights to");
    if (e != ERR_OK) goto done;

    rng start = rng_at(t->seed, 0xf17, UINT32_MAX);
    for (int k = 0; k < CTR_W_BASE; k++)
        a->w.w[k] = k < CTR_W_BIAS  ? 0.15f * (float)rng_normal(&start)
                    : k < CTR_W_OUT ? 0.3f
                                    : 0.3f * (float)rng_normal(&start);
    a->b1 = a->b2 = 1;
    a->list = s->list;
    a->part = n / 4096 < PART_MIN ? PART_MIN : n / 4096 > PART_MAX ? PART_MAX : n / 4096;
    const int batch = PARTS * a->part;
    for (int epoch = 0; epoch < t->epochs; epoch++) {
        rng r = rng_at(t->seed, 0xf17, (uint32_t)epoch);
        rng_shuffle_u32(&r, order, n);
        float rate = 2e-5f + 0.002f * (1 + cosf(3.14159265f * (float)epoch / (float)t->epochs));
        for (int first = 0; first < n; first += batch) {
            a->batch = order + first;
            a->many = n - first < batch ? n - first : batch;
            pool_run(p, PARTS, part_task, a);
            descend(a, rate, (float)(t->decay / n));
        }
        e = stop_check();
        if (e != ERR_OK) goto done;
    }
    for (int k = 0; k < CTR_WEIGHTS; k++)
        out[k] = k < CTR_W_OUT    ? rounded(a->w.w[k], CTR_ONE, CTR_FACT_MAX)
                 : k < CTR_W_BASE ? rounded(a->w.w[k], CTR_OUT_ONE, CTR_OUT_MAX)
                                  : rounded(a->w.w[k], CTR_LOGIT, CTR_EVAL_MAX);
done:
    FREE_ALL(order, a);
    return e;
}

double ctr_tune_loss(ctr_samples *s, const int16_t *weights)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        ctr_sample *p = &s->list[i];
        if (!p->held) continue;
        double x = (double)ctr_weigh(p->facts, p->n, weights) / CTR_LOGIT, target = (double)p->target;
        sum += (x > 0 ? x : 0) - x * target + log1p(exp(-fabs(x))); // written so that it cannot overflow
        n++;
    }
    return n == 0 ? 0 : sum / n;
}
