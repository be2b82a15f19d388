// The three regressions of tune_renju.h: Adam over shuffled batches, in a fixed order.
#include "base/rng.h"
#include "learn/tune/tune_renju.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 512, EPOCHS = 16 };

typedef struct adam {
    int n;
    float *w, *m, *v, *g;
    double b1, b2; // powers of the decay rates
} adam;

static err adam_new(adam *a, int n)
{
    *a = (adam){.n = n, .b1 = 1, .b2 = 1};
    a->w = calloc(4 * (size_t)n, sizeof *a->w);
    if (a->w == NULL) return err_set(ERR_MEMORY, "no memory for a fit");
    a->m = a->w + n;
    a->v = a->w + 2 * n;
    a->g = a->w + 3 * n;
    return ERR_OK;
}

// One step along the gradient, which is cleared; weights are drawn to zero by `decay`.
static void descend(adam *a, double rate, float decay)
{
    a->b1 *= 0.9;
    a->b2 *= 0.999;
    for (int k = 0; k < a->n; k++) {
        float g = a->g[k] + decay * a->w[k];
        a->g[k] = 0;
        a->m[k] = 0.9f * a->m[k] + 0.1f * g;
        a->v[k] = 0.999f * a->v[k] + 0.001f * g * g;
        double m = (double)a->m[k] / (1 - a->b1), v = (double)a->v[k] / (1 - a->b2);
        a->w[k] -= (float)(rate * m / (sqrt(v) + 1e-8));
    }
}

static double rate_at(int epoch)
{
    return 0.01 * (1 + cos(3.14159265 * epoch / EPOCHS)) / 2 + 1e-4;
}

static int16_t rounded(double v)
{
    return (int16_t)lrint(v > 30000 ? 30000 : v < -30000 ? -30000 : v);
}

static uint32_t *numbers(uint32_t n)
{
    uint32_t *order = malloc((n > 0 ? n : 1) * sizeof *order);
    for (uint32_t i = 0; order != NULL && i < n; i++) order[i] = i;
    return order;
}

// --- values. Weights: [side that moves][mover's table, waiting side's table, threats]

enum { SIDE_VALUES = 2 * RJ_W_TABLE + RJ_W_THREATS };

static double cross_entropy(double x, double target) // of sigmoid(x), written so that it cannot overflow
{
    return (x > 0 ? x : 0) - x * target + log1p(exp(-fabs(x)));
}

// The log-odds of a sample; adds `off` times its derivatives to g where g is not NULL.
static double value_of(const rj_sample *s, const float *w, bool same, float *g, float off)
{
    // The table of the colour that waits lies with the weights of that colour.
    const int mine = (same ? 0 : s->side) * SIDE_VALUES, theirs = (same ? 0 : s->side ^ 1) * SIDE_VALUES + RJ_W_TABLE;
    const int threat = mine + 2 * RJ_W_TABLE + s->threats;
    float sum = w[threat];
    if (g != NULL) g[threat] += off;
    for (int k = 0; k < RJ_W_TABLE; k++)
        sum += (float)s->count[0][k] * w[mine + k] - (float)s->count[1][k] * w[theirs + k];
    for (int k = 0; g != NULL && k < RJ_W_TABLE; k++) {
        g[mine + k] += off * (float)s->count[0][k];
        g[theirs + k] -= off * (float)s->count[1][k];
    }
    return (double)sum;
}

static void take_values(const float *w, bool same, rj_weights *out)
{
    for (int c = 0; c < 2; c++) {
        const float *own = w + (same ? 0 : c) * SIDE_VALUES;
        for (int waits = 0; waits < 2; waits++)
            for (int k = 0; k < RJ_W_TABLE; k++)
                out->value[c][waits][k] = rounded((double)own[waits * RJ_W_TABLE + k] * RJ_W_LOGIT * RJ_W_UNIT);
        for (int k = 0; k < RJ_W_THREATS; k++)
            out->threat[c][k] = rounded((double)own[2 * RJ_W_TABLE + k] * RJ_W_LOGIT);
    }
}

err rj_tune_fit_values(const rj_samples *s, bool same, uint64_t seed, rj_weights *out, double *loss)
{
    adam a;
    err e = adam_new(&a, 2 * SIDE_VALUES);
    uint32_t *order = numbers(s->n);
    if (e == ERR_OK && order == NULL) e = err_set(ERR_MEMORY, "no memory for a fit");
    for (int epoch = 0; e == ERR_OK && epoch < EPOCHS; epoch++) {
        rng r = rng_at(seed, 0xf17, (uint32_t)epoch);
        rng_shuffle_u32(&r, order, (int)s->n);
        double sum = 0;
        for (uint32_t first = 0; first < s->n; first += BATCH) {
            uint32_t n = s->n - first < BATCH ? s->n - first : BATCH;
            for (uint32_t i = 0; i < n; i++) {
                const rj_sample *x = &s->at[order[first + i]];
                double v = value_of(x, a.w, same, NULL, 0);
                sum += cross_entropy(v, (double)x->target);
                value_of(x, a.w, same, a.g, (float)(1 / (1 + exp(-v)) - (double)x->target) / (float)n);
            }
            descend(&a, rate_at(epoch), 1e-4f);
        }
        *loss = s->n == 0 ? 0 : sum / s->n;
    }
    if (e == ERR_OK) take_values(a.w, same, out);
    free(order);
    free(a.w);
    return e;
}

// --- the hidden layer. Weights: [input][unit], then each unit's weight in the output and a constant

enum { LINKS = RJ_W_INPUTS * RJ_W_HIDDEN, LAYER_WEIGHTS = LINKS + RJ_W_HIDDEN + 1 };

static int sum_of(const rj_sample *s, const rj_weights *w, int waits)
{
    const int16_t *value = w->value[s->side ^ waits][waits];
    int sum = 0;
    for (int k = 0; k < RJ_W_TABLE; k++) sum += s->count[waits][k] * value[k];
    return sum / RJ_W_UNIT;
}

// What the layer sees of a sample; returns the log-odds without it.
static double see(const rj_sample *s, const rj_weights *w, bool same, float in[RJ_W_INPUTS])
{
    int16_t whole[RJ_W_INPUTS];
    rj_hidden_view v = {.own = s->classes[0], .other = s->classes[1], .side = same ? 0 : s->side, .stones = s->stones};
    v.mover = sum_of(s, w, 0);
    v.waiting = sum_of(s, w, 1);
    v.value = v.mover - v.waiting + w->threat[s->side][s->threats];
    rj_hidden_inputs(&v, whole);
    for (int i = 0; i < RJ_W_INPUTS; i++) in[i] = (float)whole[i] / RJ_W_INPUT;
    return (double)v.value / RJ_W_LOGIT;
}

// Adds a sample's derivatives to the gradient; returns its loss.
static double add_layer(const rj_sample *s, const rj_weights *base, bool same, adam *a, uint32_t batch)
{
    float in[RJ_W_INPUTS], unit[RJ_W_HIDDEN] = {0};
    double v = see(s, base, same, in) + (double)a->w[LINKS + RJ_W_HIDDEN];
    for (int i = 0; i < RJ_W_INPUTS; i++)
        for (int k = 0; in[i] != 0 && k < RJ_W_HIDDEN; k++) unit[k] += in[i] * a->w[i * RJ_W_HIDDEN + k];
    for (int k = 0; k < RJ_W_HIDDEN; k++)
        if (unit[k] > 0) v += (double)(unit[k] * a->w[LINKS + k]);
    float off = (float)(1 / (1 + exp(-v)) - (double)s->target) / (float)batch;
    a->g[LINKS + RJ_W_HIDDEN] += off;
    for (int k = 0; k < RJ_W_HIDDEN; k++) {
        if (unit[k] <= 0) continue;
        a->g[LINKS + k] += off * unit[k];
        float back = off * a->w[LINKS + k];
        for (int i = 0; i < RJ_W_INPUTS; i++) a->g[i * RJ_W_HIDDEN + k] += back * in[i];
    }
    return cross_entropy(v, (double)s->target);
}

// Inputs that no sample has keep no weight.
static void take_layer(const rj_samples *s, bool same, const float *w, rj_weights *out)
{
    bool seen[RJ_W_INPUTS] = {false};
    for (uint32_t n = 0; n < s->n; n++) {
        float in[RJ_W_INPUTS];
        see(&s->at[n], out, same, in);
        for (int i = 0; i < RJ_W_INPUTS; i++) seen[i] |= in[i] != 0;
    }
    for (int i = 0; i < RJ_W_INPUTS; i++)
        for (int k = 0; k < RJ_W_HIDDEN; k++)
            out->hidden[i][k] = seen[i] ? rounded((double)w[i * RJ_W_HIDDEN + k] * RJ_W_LINK) : 0;
    for (int k = 0; k <= RJ_W_HIDDEN; k++) out->output[k] = rounded((double)w[LINKS + k] * RJ_W_LINK);
}

err rj_tune_fit_layer(const rj_samples *s, bool same, uint64_t seed, rj_weights *out, double *loss)
{
    adam a;
    err e = adam_new(&a, LAYER_WEIGHTS);
    uint32_t *order = numbers(s->n);
    if (e == ERR_OK && order == NULL) e = err_set(ERR_MEMORY, "no memory for a fit");
    rng first_weights = rng_at(seed, 0x1a7e4, 0);
    for (int k = 0; e == ERR_OK && k < LINKS; k++) a.w[k] = (float)(rng_unit(&first_weights) - 0.5) / 2;
    for (int epoch = 0; e == ERR_OK && epoch < EPOCHS; epoch++) {
        rng r = rng_at(seed, 0xf19, (uint32_t)epoch);
        rng_shuffle_u32(&r, order, (int)s->n);
        double sum = 0;
        for (uint32_t first = 0; first < s->n; first += BATCH) {
            uint32_t n = s->n - first < BATCH ? s->n - first : BATCH;
            for (uint32_t i = 0; i < n; i++) sum += add_layer(&s->at[order[first + i]], out, same, &a, n);
            descend(&a, rate_at(epoch) / 4, 0);
        }
        *loss = s->n == 0 ? 0 : sum / s->n;
    }
    if (e == ERR_OK) take_layer(s, same, a.w, out);
    free(order);
    free(a.w);
    return e;
}

// --- the order of moves. Weights: [side][own patterns, the other's], then distances

enum { SIDE_ORDER = 2 * RJ_W_TABLE, ORDER_WEIGHTS = 2 * SIDE_ORDER + RJ_W_NEAR, USED = 2 * RJ_W_USED + 1 };

static void used_by(const rj_candidate *c, int side, uint16_t index[USED])
{
    uint8_t k[RJ_W_USED];
    rj_weight_indices(c->own, k);
    for (int i = 0; i < RJ_W_USED; i++) index[i] = (uint16_t)(side * SIDE_ORDER + k[i]);
    rj_weight_indices(c->other, k);
    for (int i = 0; i < RJ_W_USED; i++) index[RJ_W_USED + i] = (uint16_t)(side * SIDE_ORDER + RJ_W_TABLE + k[i]);
    index[2 * RJ_W_USED] = (uint16_t)(2 * SIDE_ORDER + c->near);
}

// Softmax over the candidates; adds the gradient over `batch` positions and returns the loss.
static double add_choice(const rj_samples *s, const rj_choice *c, bool same, adam *a, uint32_t batch)
{
    uint16_t index[RJ_MAX_POINTS][USED];
    float score[RJ_MAX_POINTS], most = -1e30f, sum = 0;
    score[0] = 0;
    for (int i = 0; i < c->n; i++) {
        used_by(&s->candidate[c->first + (uint32_t)i], same ? 0 : c->side, index[i]);
        score[i] = 0;
        for (int k = 0; k < USED; k++) score[i] += a->w[index[i][k]];
        if (score[i] > most) most = score[i];
    }
    float chosen = score[0] - most;
    for (int i = 0; i < c->n; i++) sum += score[i] = expf(score[i] - most);
    for (int i = 0; i < c->n; i++) {
        float off = (score[i] / sum - (i == 0 ? 1.0f : 0.0f)) / (float)batch;
        if (off < 1e-7f && off > -1e-7f) continue;
        for (int k = 0; k < USED; k++) a->g[index[i][k]] += off;
    }
    return log((double)sum) - (double)chosen;
}

err rj_tune_fit_order(const rj_samples *s, bool same, uint64_t seed, rj_weights *out, double *loss)
{
    adam a;
    err e = adam_new(&a, ORDER_WEIGHTS);
    uint32_t *order = numbers(s->choices);
    if (e == ERR_OK && order == NULL) e = err_set(ERR_MEMORY, "no memory for a fit");
    for (int epoch = 0; e == ERR_OK && epoch < EPOCHS; epoch++) {
        rng r = rng_at(seed, 0xf18, (uint32_t)epoch);
        rng_shuffle_u32(&r, order, (int)s->choices);
        double sum = 0;
        for (uint32_t first = 0; first < s->choices; first += BATCH) {
            uint32_t n = s->choices - first < BATCH ? s->choices - first : BATCH;
            for (uint32_t i = 0; i < n; i++) sum += add_choice(s, &s->choice[order[first + i]], same, &a, n);
            descend(&a, 3 * rate_at(epoch), 1e-5f);
        }
        *loss = s->choices == 0 ? 0 : sum / s->choices;
    }
    for (int c = 0; e == ERR_OK && c < 2; c++) {
        for (int k = 0; k < SIDE_ORDER; k++)
            out->order[c][k / RJ_W_TABLE][k % RJ_W_TABLE] =
                rounded((double)a.w[(same ? 0 : c) * SIDE_ORDER + k] * RJ_W_ORDER);
        for (int k = 0; k < RJ_W_NEAR; k++) out->near[k] = rounded((double)a.w[2 * SIDE_ORDER + k] * RJ_W_ORDER);
    }
    free(order);
    free(a.w);
    return e;
}
