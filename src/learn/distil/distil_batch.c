// See distil_batch.h.
#include "learn/distil/distil_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORST_MISSES 0.5

err distil_batch_new(distil_batch *b, int rows, int code)
{
    size_t n = (size_t)rows;
    *b = (distil_batch){.rows = rows, .code = code};
    b->place = calloc(n, sizeof *b->place);
    b->bits = calloc(n * AFTER_WORDS, sizeof *b->bits);
    b->scalars = calloc(n * (size_t)after_scalars(code), sizeof *b->scalars);
    b->weight = calloc(n, sizeof *b->weight);
    b->out = calloc(n * DISTIL_HEADS, sizeof *b->out);
    for (int h = 0; h < DISTIL_HEADS; h++) b->target[h] = calloc(n, sizeof(float));
    b->mask = calloc(n, sizeof *b->mask);
    b->group = calloc(2 * n, sizeof *b->group);
    if (b->place != NULL && b->bits != NULL && b->scalars != NULL && b->weight != NULL && b->out != NULL &&
        b->target[0] != NULL && b->target[1] != NULL && b->mask != NULL && b->group != NULL)
        return ERR_OK;
    distil_batch_free(b);
    return err_set(ERR_MEMORY, "no memory for batches of %d afterstates", rows);
}

void distil_batch_free(distil_batch *b)
{
    free(b->place);
    free(b->bits);
    free(b->scalars);
    free(b->weight);
    free(b->out);
    for (int h = 0; h < DISTIL_HEADS; h++) free(b->target[h]);
    free(b->mask);
    free(b->group);
    *b = (distil_batch){0};
}

static void shuffle_names(uint8_t name[PY_CODES], int colours, rng *r)
{
    for (int i = colours - 1; i > 0; i--) {
        int k = (int)rng_below(r, (uint32_t)i + 1);
        uint8_t t = name[PY_RED + i];
        name[PY_RED + i] = name[PY_RED + k];
        name[PY_RED + k] = t;
    }
}

static bool add_place(distil_batch *b, const label_set *s, uint32_t sample)
{
    const label_sample *x = &s->sample[sample];
    distil_place *p = &b->place[b->positions];
    if (b->n + x->n > b->rows) return false;
    *p = (distil_place){.sample = sample, .row = (uint32_t)b->n, .n = x->n};
    for (int c = 0; c < PY_CODES; c++) p->name[c] = (uint8_t)c;
    b->n += x->n;
    b->positions++;
    return true;
}

void distil_batch_draw(distil_batch *b, const label_set *s, const uint32_t *from, uint32_t n, bool vary, rng *r)
{
    b->n = b->positions = 0;
    while (add_place(b, s, from[rng_below(r, n)])) {
        distil_place *p = &b->place[b->positions - 1];
        if (vary) shuffle_names(p->name, s->sample[p->sample].at.colours, r);
    }
    for (int i = 0; i < b->rows; i++) b->weight[i] = i < b->n ? 1 : 0;
}

int distil_batch_list(distil_batch *b, const label_set *s, const uint32_t *from, int n)
{
    int k = 0;
    b->n = b->positions = 0;
    while (k < n && add_place(b, s, from[k])) k++;
    return k;
}

// --- encoding

typedef struct encode_job {
    distil_batch *b;
    const label_set *s;
} encode_job;

enum { EACH = 8 }; // positions per task

static void encode_task(void *ctx, int task, int worker)
{
    const encode_job *j = ctx;
    distil_batch *b = j->b;
    size_t wide = (size_t)after_scalars(b->code);
    (void)worker;
    for (int i = task * EACH; i < b->positions && i < (task + 1) * EACH; i++) {
        const distil_place *p = &b->place[i];
        after_position at = j->s->sample[p->sample].at;
        after_state a[PY_MAX_LEGAL];
        after_rename(&at, p->name);
        int n = after_states(&at, a);
        for (int k = 0; k < n && k < p->n; k++) {
            size_t row = p->row + (size_t)k;
            after_encode(&at, &a[k], b->code, b->bits + row * AFTER_WORDS, b->scalars + row * wide);
        }
    }
}

void distil_batch_encode(distil_batch *b, const label_set *s, pool *threads)
{
    encode_job j = {b, s};
    size_t wide = (size_t)after_scalars(b->code);
    pool_run(threads, (b->positions + EACH - 1) / EACH, encode_task, &j);
    for (int i = b->n; i < b->rows; i++) { // padding: the first rows again
        size_t from = (size_t)(i - b->n), to = (size_t)i;
        memcpy(b->bits + to * AFTER_WORDS, b->bits + from * AFTER_WORDS, AFTER_WORDS * sizeof *b->bits);
        memcpy(b->scalars + to * wide, b->scalars + from * wide, wide * sizeof *b->scalars);
    }
}

// --- targets

void distil_probabilities(const label_sample *x, double temperature, double p[PY_MAX_LEGAL])
{
    double sum = 0;
    for (int k = 0; k < x->n; k++) {
        p[k] = x->shortfall[k] == LABEL_WORST ? 0 : exp(-x->shortfall[k] / (LABEL_UNIT * temperature));
        sum += p[k];
    }
    for (int k = 0; k < x->n; k++) p[k] = sum > 0 ? p[k] / sum : 1.0 / x->n;
}

float distil_value_target(const label_sample *x, int k)
{
    // So much and more is missing at the worst ones. Without them the network would never see a ruined field, and expect a lot
    // of it.
    double missing = x->shortfall[k] == LABEL_WORST ? WORST_MISSES : (double)x->shortfall[k] / LABEL_UNIT;
    double points = (double)x->value * LABEL_POINTS * (1 - missing);
    return (float)(log(1 + points) / 12);
}

void distil_batch_targets(distil_batch *b, const label_set *s, double temperature)
{
    for (int i = 0; i < b->positions; i++) {
        const distil_place *p = &b->place[i];
        const label_sample *x = &s->sample[p->sample];
        double want[PY_MAX_LEGAL];
        distil_probabilities(x, temperature, want);
        for (int k = 0; k < p->n; k++) {
            size_t row = p->row + (size_t)k;
            b->target[DISTIL_RANK][row] = (float)want[k];
            b->mask[row] = x->value > 0; // of a teacher that only chooses, no value is known
            b->target[DISTIL_VALUE][row] = b->mask[row] ? distil_value_target(x, k) : 0;
            b->group[2 * row] = p->row;
            b->group[2 * row + 1] = p->row + p->n;
        }
    }
    for (int i = b->n; i < b->rows; i++) { // padding
        b->target[DISTIL_RANK][i] = b->target[DISTIL_VALUE][i] = 0;
        b->mask[i] = 0;
        b->group[2 * i] = (uint32_t)i;
        b->group[2 * i + 1] = (uint32_t)i + 1;
    }
}

nn_batch distil_batch_of(const distil_batch *b, double value_weight)
{
    nn_batch out = {.n = b->rows, .bits = b->bits, .scalars = b->scalars, .weight = b->weight};
    // A learner's loss is a mean over rows, ours one over positions.
    float each = (float)b->rows / (float)b->positions;
    out.head[DISTIL_RANK] = (nn_target){.value = b->target[DISTIL_RANK], .group = b->group, .scale = each};
    if (value_weight > 0)
        out.head[DISTIL_VALUE] =
            (nn_target){.value = b->target[DISTIL_VALUE], .mask = b->mask, .scale = (float)value_weight};
    return out;
}

static void score_firing(const label_sample *x, int best, distil_score *score)
{
    after_state a[PY_MAX_LEGAL];
    int n = after_states(&x->at, a);
    for (int k = 0; k < n && k < x->n; k++) {
        if (x->shortfall[k] != 0) continue;
        bool wanted = a[k].points >= DISTIL_FIRE, done = a[best].points >= DISTIL_FIRE;
        score->to_fire += wanted;
        score->fired += wanted && done;
        score->fired_early += done && !wanted;
        return;
    }
}

void distil_batch_score(const distil_batch *b, const label_set *s, distil_score *score)
{
    for (int i = 0; i < b->positions; i++) {
        const distil_place *p = &b->place[i];
        const label_sample *x = &s->sample[p->sample];
        const float *out = b->out + (size_t)p->row * DISTIL_HEADS;
        double high = -INFINITY, sum = 0;
        int best = 0;
        for (int k = 0; k < p->n; k++) {
            double v = (double)out[k * DISTIL_HEADS + DISTIL_RANK];
            if (v > high) high = v, best = k;
        }
        for (int k = 0; k < p->n; k++) sum += exp((double)out[k * DISTIL_HEADS + DISTIL_RANK] - high);
        for (int k = 0; k < p->n; k++) {
            size_t row = p->row + (size_t)k;
            double v = (double)out[k * DISTIL_HEADS + DISTIL_RANK];
            score->entropy -= (double)b->target[DISTIL_RANK][row] * (v - high - log(sum));
            if (!b->mask[row]) continue;
            double off = (double)(out[k * DISTIL_HEADS + DISTIL_VALUE] - b->target[DISTIL_VALUE][row]);
            score->valued++;
            score->value_error += off * off;
        }
        score_firing(x, best, score);
        score->positions++;
        score->agreed += x->shortfall[best] == 0;
        score->shortfall += (double)x->shortfall[best] / LABEL_UNIT;
    }
}
