// See window.h. The gather here is written for reading, a square at a time; kernels are held against it.
#include "nn/window.h"

#include <stdlib.h>
#include <string.h>

// --- checks

static err check_cells(const nn_desc *d, const nn_window_shape *w)
{
    int hw = d->rows * d->cols;
    bool seen[NN_MAX_BOARD * NN_MAX_BOARD];
    for (int s = 0; s < w->syms; s++) {
        memset(seen, 0, sizeof seen);
        for (int c = 0; c < hw; c++) {
            int from = w->cell[s * hw + c];
            if (from >= hw || seen[from]) return err_set(ERR_USAGE, "symmetry %d does not permute the squares", s);
            seen[from] = true;
        }
    }
    return ERR_OK;
}

static err check_places(const nn_desc *d, const nn_window_shape *w)
{
    const uint16_t *at = w->place;
    for (size_t i = 0; i < (size_t)w->kinds * (size_t)w->syms * (size_t)w->moves; i++)
        for (int h = 0; h < d->n_heads; h++)
            if (d->head[h].kind == NN_POLICY && *at++ >= d->head[h].out)
                return err_set(ERR_USAGE, "move %zu has no place in the policy head", i % (size_t)w->moves);
    return ERR_OK;
}

err nn_window_check(const nn_desc *d, const nn_window_shape *w)
{
    if (w->samples < 1 || w->syms < 1 || w->syms > 256 || w->kinds < 1 || w->kinds > 256 || w->moves < 1 ||
        w->moves > 65536)
        return err_set(ERR_USAGE, "a window of %llu samples, %d symmetries, %d kinds and %d moves",
                       (unsigned long long)w->samples, w->syms, w->kinds, w->moves);
    if (nn_policy_heads(d) == 0) return err_set(ERR_USAGE, "a window needs a network with a policy head");
    for (int h = 0; h < d->n_heads; h++) {
        bool one = d->head[h].kind == NN_VALUE || (d->head[h].kind == NN_SCALAR && d->head[h].out == 1);
        if (w->number[h] < -1 || w->number[h] >= NN_WINDOW_NUMBERS || (w->number[h] >= 0 && !one))
            return err_set(ERR_USAGE, "head %d cannot learn number %d of a sample", h, w->number[h]);
    }
    err e = check_cells(d, w);
    return e == ERR_OK ? check_places(d, w) : e;
}

err nn_packed_check(const nn_window_shape *w, const nn_packed *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->start[i + 1] < s->start[i] || s->start[i + 1] - s->start[i] > 65535)
            return err_set(ERR_USAGE, "sample %zu has an absurd number of moves", i);
        if (s->kind[i] >= w->kinds) return err_set(ERR_USAGE, "sample %zu is of kind %d", i, s->kind[i]);
    }
    for (size_t m = s->n > 0 ? s->start[0] : 0; s->n > 0 && m < s->start[s->n]; m++)
        if (s->move[m] >= w->moves) return err_set(ERR_USAGE, "a sample has move %d of %d", s->move[m], w->moves);
    return ERR_OK;
}

// --- the gather

static void turn_planes(const nn_desc *d, const uint16_t *cell, const uint64_t *from, uint64_t *to)
{
    int hw = d->rows * d->cols, words = nn_words(d);
    memset(to, 0, nn_in_bits(d) * sizeof *to);
    for (int p = 0; p < d->planes; p++, from += words, to += words)
        for (int c = 0; c < hw; c++) to[c / 64] |= (from[cell[c] / 64] >> cell[c] % 64 & 1) << c % 64;
}

// A sample's moves in the turned board's heads: index[n][heads] and what they should be.
static void turn_moves(const nn_window_shape *w, int heads, const nn_packed *s, size_t at, int sym, uint16_t *index,
                       float *prob)
{
    uint32_t first = s->start[at], n = s->start[at + 1] - first, sum = 0;
    const uint16_t *place =
        w->place + ((size_t)s->kind[at] * (size_t)w->syms + (size_t)sym) * (size_t)(w->moves * heads);
    for (uint32_t m = 0; m < n; m++) sum += s->prob[first + m];
    float scale = sum > 0 ? 1.0f / (float)sum : 0;
    for (uint32_t m = 0; m < n; m++) {
        memcpy(index + (size_t)m * (size_t)heads, place + (size_t)(s->move[first + m] * heads),
               (size_t)heads * sizeof *index);
        prob[m] = sum > 0 ? (float)s->prob[first + m] * scale : 1.0f / (float)n;
    }
}

static void add_marginals(const nn_desc *d, int heads, size_t i, uint32_t n, const uint16_t *index, const float *prob,
                          const nn_gathered *out)
{
    for (int h = 0, k = 0; h < d->n_heads; h++) {
        if (d->head[h].kind != NN_POLICY) continue;
        size_t size = (size_t)d->head[h].out;
        float *target = out->target[h] + i * size;
        uint8_t *mask = out->mask[h] + i * size;
        memset(target, 0, size * sizeof *target);
        memset(mask, 0, size);
        for (uint32_t m = 0; m < n; m++) {
            uint16_t to = index[m * (uint32_t)heads + (uint32_t)k];
            target[to] += prob[m];
            mask[to] = 1;
        }
        k++;
    }
}

void nn_window_gather(const nn_desc *d, const nn_window_shape *w, uint64_t first, const nn_packed *s, const nn_picks *p,
                      const nn_gathered *out)
{
    int hw = d->rows * d->cols, heads = nn_policy_heads(d);
    size_t scalars = (size_t)d->scalars, moves = 0;
    if (!w->by_head) out->start[0] = 0;
    for (size_t i = 0; i < (size_t)p->n; i++) {
        size_t at = (size_t)(p->number[i] - first);
        uint32_t n = s->start[at + 1] - s->start[at];
        turn_planes(d, w->cell + p->sym[i] * hw, s->bits + at * nn_in_bits(d), out->bits + i * nn_in_bits(d));
        if (scalars > 0) memcpy(out->scalars + i * scalars, s->scalars + at * scalars, scalars * sizeof *s->scalars);
        for (int h = 0; h < d->n_heads; h++)
            if (w->number[h] >= 0) out->target[h][i] = s->number[w->number[h]][at];
        uint16_t *index = out->index + moves * (size_t)heads;
        turn_moves(w, heads, s, at, p->sym[i], index, out->prob + moves);
        if (w->by_head) { // index and prob were only needed for this row
            add_marginals(d, heads, i, n, index, out->prob, out);
            continue;
        }
        moves += n;
        out->start[i + 1] = (uint32_t)moves;
    }
}

nn_batch nn_gathered_batch(const nn_desc *d, const nn_window_shape *w, int n, const nn_gathered *g)
{
    nn_batch b = {.n = n, .bits = g->bits, .scalars = g->scalars};
    for (int h = 0; h < d->n_heads; h++) {
        if (w->number[h] >= 0) b.head[h] = (nn_target){.value = g->target[h], .scale = w->scale[h]};
        if (w->by_head && d->head[h].kind == NN_POLICY)
            b.head[h] = (nn_target){.value = g->target[h], .mask = g->mask[h], .scale = w->scale[h]};
    }
    if (!w->by_head) b.start = g->start, b.index = g->index, b.prob = g->prob;
    return b;
}
