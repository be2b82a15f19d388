// Arrays for a gathered batch, and a comparison of two of them to the bit.
#ifndef KEIKO_TESTS_GATHERED_H
#define KEIKO_TESTS_GATHERED_H

#include "nn/window.h"
#include "test.h"

// Room for n rows with `moves` moves in all, filled with a pattern: what is not written shows.
static inline nn_gathered gathered_new(const nn_desc *d, int n, size_t moves)
{
    size_t rows = (size_t)n, heads = (size_t)nn_policy_heads(d);
    nn_gathered g = {.bits = malloc(rows * nn_in_bits(d) * sizeof *g.bits),
                     .scalars = malloc(rows * (size_t)d->scalars * sizeof *g.scalars + 1),
                     .start = malloc((rows + 1) * sizeof *g.start),
                     .index = malloc(moves * heads * sizeof *g.index + 1),
                     .prob = malloc(moves * sizeof *g.prob + 1)};
    memset(g.bits, 0xa5, rows * nn_in_bits(d) * sizeof *g.bits);
    memset(g.start, 0xa5, (rows + 1) * sizeof *g.start);
    memset(g.prob, 0xa5, moves * sizeof *g.prob);
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = rows * (size_t)nn_head_size(d, h);
        g.target[h] = malloc(size * sizeof *g.target[h]);
        g.mask[h] = malloc(size);
        memset(g.target[h], 0xa5, size * sizeof *g.target[h]);
        memset(g.mask[h], 0xa5, size);
    }
    return g;
}

static inline void gathered_free(nn_gathered *g)
{
    free(g->bits), free(g->scalars), free(g->start), free(g->index), free(g->prob);
    for (int h = 0; h < NN_MAX_HEADS; h++) free(g->target[h]), free(g->mask[h]);
    *g = (nn_gathered){0};
}

// All that a batch of this shape has.
static inline void assert_same_batch(const nn_desc *d, const nn_window_shape *w, int n, const nn_gathered *got,
                                     const nn_gathered *want)
{
    size_t rows = (size_t)n, heads = (size_t)nn_policy_heads(d);
    assert_memory_equal(got->bits, want->bits, rows * nn_in_bits(d) * sizeof *got->bits);
    if (d->scalars > 0) assert_memory_equal(got->scalars, want->scalars, rows * (size_t)d->scalars * sizeof(float));
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = rows * (size_t)nn_head_size(d, h);
        bool policy = d->head[h].kind == NN_POLICY && w->by_head;
        if (policy || w->number[h] >= 0) assert_memory_equal(got->target[h], want->target[h], size * sizeof(float));
        if (policy) assert_memory_equal(got->mask[h], want->mask[h], size);
    }
    if (w->by_head) return;
    assert_memory_equal(got->start, want->start, (rows + 1) * sizeof *got->start);
    assert_memory_equal(got->index, want->index, want->start[n] * heads * sizeof *got->index);
    assert_memory_equal(got->prob, want->prob, want->start[n] * sizeof *got->prob);
}

#endif
