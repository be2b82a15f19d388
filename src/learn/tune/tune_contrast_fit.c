// The fit of Contrast's network: Adam over shuffled batches, in floats, then rounded. See tune_contrast.h.
#include "base/memory.h"
#include "learn/tune/tune_contrast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { H = CTR_HIDDEN, BATCH = 1024 };

// The weights as floats, in the order of ctr_weights.
typedef struct params {
    float w[CTR_WEIGHTS];
} params;

typedef struct adam {
    params w, gradient, m, v;
    float b1, b2; // powers of the decay rates
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

static void descend(adam *a, float rate, float decay)
{
    const float most = (float)CTR_OUT_MAX / CTR_OUT_ONE;
    a->b1 *= 0.9f;
    a->b2 *= 0.999f;
    float c1 = 1 / (1 - a->b1), c2 = 1 / (1 - a->b2);
    for (int k = 0; k < CTR_WEIGHTS; k++) {
        float g = a->gradient.w[k] + (k < CTR_W_BIAS ? decay * a->w.w[k] : 0);
        a->m.w[k] = 0.9f * a->m.w[k] + 0.1f * g;
        a->v.w[k] = 0.999f * a->v.w[k] + 0.001f * g * g;
        a->w.w[k] -= rate * a->m.w[k] * c1 / (sqrtf(a->v.w[k] * c2) + 1e-8f);
    }
    for (float *out = a->w.w + CTR_W_OUT, *end = out + H; out < end; out++)
        *out = *out > most ? most : *out < -most ? -most : *out;
    memset(&a->gradient, 0, sizeof a->gradient);
}

static int16_t rounded(float w, int one, int most)
{
    long v = lrintf(w * (float)one);
    return (int16_t)(v > most ? most : v < -most ? -most : v);
}

err ctr_tune_fit(const ctr_tune *t, const ctr_samples *s, int16_t *out)
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
    for (int epoch = 0; epoch < t->epochs; epoch++) {
        rng r = rng_at(t->seed, 0xf17, (uint32_t)epoch);
        rng_shuffle_u32(&r, order, n);
        float rate = 2e-5f + 0.002f * (1 + cosf(3.14159265f * (float)epoch / (float)t->epochs));
        for (int first = 0; first < n; first += BATCH) {
            int many = n - first < BATCH ? n - first : BATCH;
            for (int i = 0; i < many; i++) {
                const ctr_sample *x = &s->list[order[first + i]];
                float unit[2][H], value = forward(a->w.w, x, unit);
                backward(a->w.w, x, unit, (1 / (1 + expf(-value)) - x->target) / (float)many, a->gradient.w);
            }
            descend(a, rate, (float)t->decay);
        }
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
