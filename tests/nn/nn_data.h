// Random networks' inputs and targets for the nn tests: one call makes a whole batch, one frees it.
#ifndef KEIKO_TESTS_NN_DATA_H
#define KEIKO_TESTS_NN_DATA_H

#include "base/rng.h"
#include "nn/loss.h"
#include "nn/noise.h"

#include <stdlib.h>

typedef struct nn_data {
    nn_batch b;
    uint64_t *bits;
    float *scalars, *weight, *value[NN_MAX_HEADS];
    uint8_t *mask[NN_MAX_HEADS];
    int32_t *action[NN_MAX_HEADS];
    uint32_t *start;
    uint16_t *index;
    float *prob, *rest, *noise;
    uint8_t *rest_mask;
    uint32_t *group;
} nn_data;

static inline float data_unit(rng *r)
{
    return (float)rng_unit(r);
}

// A policy target: sums to 1 over the legal entries.
static inline void data_policy(rng *r, int n, float *p, uint8_t *mask)
{
    float sum = 0;
    for (int i = 0; i < n; i++) mask[i] = i == 0 || rng_below(r, 3) > 0;
    for (int i = 0; i < n; i++) sum += p[i] = mask[i] ? data_unit(r) * data_unit(r) + 0.01f : 0;
    for (int i = 0; i < n; i++) p[i] /= sum;
}

static inline void data_moves(nn_data *a, const nn_desc *d, rng *r, int n)
{
    int heads = 0;
    for (int h = 0; h < d->n_heads; h++) heads += d->head[h].kind == NN_POLICY;
    if (heads == 0) return;
    enum { MOST = 12 };
    a->start = calloc((size_t)n + 1, sizeof *a->start);
    a->index = calloc((size_t)(n * MOST * heads), sizeof *a->index);
    a->prob = calloc((size_t)(n * MOST), sizeof *a->prob);
    for (int i = 0; i < n; i++) {
        uint32_t count = 1 + rng_below(r, MOST), first = a->start[i];
        a->start[i + 1] = first + count;
        for (uint32_t m = first; m < first + count; m++) {
            a->prob[m] = 1.0f / (float)count;
            for (int h = 0, k = 0; h < d->n_heads; h++)
                if (d->head[h].kind == NN_POLICY)
                    a->index[m * (uint32_t)heads + (uint32_t)k++] = (uint16_t)rng_below(r, (uint32_t)d->head[h].out);
        }
    }
    a->b.start = a->start, a->b.index = a->index, a->b.prob = a->prob;
}

// Known values of the other actions, and numbers of a draw for noisy layers.
static inline void data_rest(nn_data *a, const nn_desc *d, rng *r, int head, int n)
{
    size_t size = (size_t)(n * d->head[head].out);
    free(a->rest), free(a->rest_mask);
    a->rest = calloc(size, sizeof *a->rest);
    a->rest_mask = calloc(size, 1);
    for (size_t i = 0; i < size; i++) a->rest[i] = 2 * data_unit(r) - 1, a->rest_mask[i] = rng_below(r, 3) > 0;
    a->b.rest = a->rest, a->b.rest_mask = a->rest_mask, a->b.rest_scale = 0.8f;
}

// Makes a batch for a network with one duel head of several atoms learn this distribution.
static inline void data_dist(nn_data *a, const nn_desc *d, nn_dist_kind kind, uint64_t seed)
{
    rng r = rng_at(seed, 2, 0);
    a->b.dist = (nn_dist){kind, 2};
    a->b.huber = 0.3f;
    for (int h = 0; h < d->n_heads; h++) {
        if (d->head[h].kind != NN_DUEL) continue;
        int atoms = nn_atoms(&d->head[h]);
        for (int i = 0; i < a->b.n; i++) {
            float next[NN_MAX_ATOMS];
            for (int k = 0; k < atoms; k++) next[k] = 2 * data_unit(&r) - 1;
            nn_dist_target(&a->b.dist, atoms, (double)data_unit(&r), 0.9, next, a->value[h] + i * atoms);
        }
        data_rest(a, d, &r, h, a->b.n);
    }
}

static inline void data_noise(nn_data *a, const nn_desc *d, uint64_t seed)
{
    rng r = rng_at(seed, 3, 0);
    free(a->noise);
    a->noise = calloc(nn_noise_size(d) + 1, sizeof *a->noise);
    nn_noise_draw(d, &r, a->noise);
    a->b.noise = a->noise;
}

// Scalar heads of one number compare rows: groups of one to four.
static inline void data_groups(nn_data *a, const nn_desc *d, rng *r, int n)
{
    a->group = calloc(2 * (size_t)n, sizeof *a->group);
    for (int first = 0, end; first < n; first = end) {
        end = first + 1 + (int)rng_below(r, 4);
        if (end > n) end = n;
        for (int i = first; i < end; i++) {
            a->group[2 * i] = (uint32_t)first, a->group[2 * i + 1] = (uint32_t)end;
            a->weight[i] = a->weight[first];
        }
    }
    for (int h = 0; h < d->n_heads; h++) {
        if (d->head[h].kind != NN_SCALAR || d->head[h].out != 1) continue;
        for (int i = 0; i < n; i++) a->value[h][i] = data_unit(r) / 2;
        a->b.head[h].group = a->group;
    }
}

static inline nn_data *data_new(const nn_desc *d, int n, uint64_t seed, bool moves)
{
    nn_data *a = calloc(1, sizeof *a);
    rng r = rng_at(seed, 1, 0);
    size_t words = nn_in_bits(d) * (size_t)n;
    int hw = d->rows * d->cols, last = hw % 64;
    a->bits = calloc(words + 1, sizeof *a->bits);
    a->scalars = calloc((size_t)(n * d->scalars) + 1, sizeof *a->scalars);
    a->weight = calloc((size_t)n, sizeof *a->weight);
    for (size_t i = 0; i < words; i++) {
        a->bits[i] = rng_u64(&r) & rng_u64(&r);
        if (last != 0 && i % (size_t)nn_words(d) == (size_t)nn_words(d) - 1) a->bits[i] &= ((uint64_t)1 << last) - 1;
    }
    for (int i = 0; i < n * d->scalars; i++) a->scalars[i] = data_unit(&r);
    for (int i = 0; i < n; i++) a->weight[i] = 0.25f + data_unit(&r);
    a->b = (nn_batch){.n = n, .bits = a->bits, .scalars = a->scalars, .weight = a->weight};
    for (int h = 0; h < d->n_heads; h++) {
        int size = nn_head_size(d, h);
        a->value[h] = calloc((size_t)(n * size), sizeof(float));
        a->mask[h] = calloc((size_t)(n * size), 1);
        a->action[h] = calloc((size_t)n, sizeof(int32_t));
        for (int i = 0; i < n * size; i++) a->value[h][i] = 2 * data_unit(&r) - 1, a->mask[h][i] = rng_below(&r, 4) > 0;
        for (int i = 0; i < n; i++) a->action[h][i] = (int32_t)rng_below(&r, (uint32_t)d->head[h].out);
        for (int i = 0; i < n && (d->head[h].kind == NN_POLICY || d->head[h].kind == NN_REPLY); i++)
            data_policy(&r, size, a->value[h] + i * size, a->mask[h] + i * size);
        nn_kind k = d->head[h].kind;
        a->b.head[h] = (nn_target){.value = a->value[h],
                                   .action = a->action[h],
                                   .scale = 0.5f + 0.25f * (float)h,
                                   .mask = k == NN_VALUE || k == NN_DUEL ? NULL : a->mask[h]};
    }
    for (int h = 0; h < d->n_heads; h++)
        if (nn_atoms(&d->head[h]) > 1) data_dist(a, d, (seed + (uint64_t)n) % 2 ? NN_DIST_C51 : NN_DIST_QR, seed);
    if (d->noisy > 0) data_noise(a, d, seed);
    if (moves) data_moves(a, d, &r, n);
    for (int h = 0; h < d->n_heads && a->group == NULL; h++)
        if (d->head[h].kind == NN_SCALAR && d->head[h].out == 1) data_groups(a, d, &r, n);
    return a;
}

static inline void data_free(nn_data *a)
{
    for (int h = 0; h < NN_MAX_HEADS; h++) free(a->value[h]), free(a->mask[h]), free(a->action[h]);
    free(a->bits), free(a->scalars), free(a->weight);
    free(a->start), free(a->index), free(a->prob);
    free(a->rest), free(a->rest_mask), free(a->noise), free(a->group);
    free(a);
}

#endif
