// The reference network. See ref.h.
//
// Each layer is a pair x_forward / x_backward. Backward functions *add* to gradients, so a tensor read twice (the trunk, by
// every head) simply collects. `walk` holds everything one pass needs.
#include "nn/ref.h"

#include "base/memory.h"
#include "nn/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct conv_tape {
    double *xhat, *inv; // normalised [n][c][hw], 1/sqrt(var + eps) [c]
    double *y;          // output before any ReLU
} conv_tape;

typedef struct block_tape {
    conv_tape conv[2];
    double *mid;                // relu of conv 1
    double *squeeze, *h, *gate; // squeeze-excitation: mean [n][c], hidden [n][se], sigmoid [n][c]
    double *out;
} block_tape;

typedef struct head_tape {
    conv_tape conv;
    double *flat;           // relu of the conv: [n][in]
    double *hidden;         // relu of fc 1
    double *value, *advant; // duel
} head_tape;

typedef struct walk {
    const nn_desc *d;
    const nn_layout *at;
    const double *w;
    double *grad, *stats;
    bool training;
    int n, hw;
    double *x, *stem_out, *mlp[NN_MAX_MLP], *out;
    conv_tape stem;
    block_tape block[NN_MAX_BLOCKS];
    head_tape head[NN_MAX_HEADS];
    double **owned; // everything allocated, freed together
    int n_owned, room;
    bool failed;
} walk;

// Zeroed. On failure one spare array keeps the caller's pointers non-NULL only in the sense that `failed` is checked.
static double *take(walk *k, size_t n)
{
    if (!GROW(k->owned, k->n_owned, k->room)) return k->failed = true, NULL;
    double *p = calloc(n + 1, sizeof *p);
    if (p == NULL) return k->failed = true, NULL;
    return k->owned[k->n_owned++] = p;
}

void nn_ref_unpack(const nn_desc *d, const uint64_t *bits, const float *scalars, double *planes)
{
    int hw = d->rows * d->cols, words = nn_words(d);
    for (int c = 0; c < d->planes; c++)
        for (int p = 0; p < hw; p++) planes[c * hw + p] = (double)(bits[c * words + p / 64] >> p % 64 & 1);
    for (int s = 0; s < d->scalars; s++) {
        if (d->channels == 0) planes[d->planes * hw + s] = (double)scalars[s];
        for (int p = 0; p < hw && d->channels > 0; p++) planes[(d->planes + s) * hw + p] = (double)scalars[s];
    }
}

// --- convolution, k x k with zero padding: y[n][cout][hw] = w * x[n][cin][hw]

typedef void conv_visit(const walk *k, const nn_conv_at *c, size_t x, size_t w, size_t y, void *ctx);

// Every (input, weight, output) triple of the convolution, once: forward and backward differ only in what they add.
static inline void conv_each(const walk *k, const nn_conv_at *c, conv_visit *f, void *ctx)
{
    int rows = k->d->rows, cols = k->d->cols, r = c->k / 2;
    for (int n = 0; n < k->n; n++)
        for (int o = 0; o < c->cout; o++)
            for (int i = 0; i < c->cin; i++)
                for (int dy = 0; dy < c->k; dy++)
                    for (int dx = 0; dx < c->k; dx++)
                        for (int y = 0; y < rows; y++)
                            for (int x = 0; x < cols; x++) {
                                int yy = y + dy - r, xx = x + dx - r;
                                if (yy < 0 || xx < 0 || yy >= rows || xx >= cols) continue;
                                f(k, c, (size_t)((n * c->cin + i) * k->hw + yy * cols + xx),
                                  (size_t)(((o * c->cin + i) * c->k + dy) * c->k + dx),
                                  (size_t)((n * c->cout + o) * k->hw + y * cols + x), ctx);
                            }
}

typedef struct conv_arrays {
    const double *x, *dy;
    double *y, *dx, *dw;
} conv_arrays;

static inline void visit_forward(const walk *k, const nn_conv_at *c, size_t x, size_t w, size_t y, void *ctx)
{
    conv_arrays *a = ctx;
    a->y[y] += a->x[x] * k->w[c->w + w];
}

static inline void visit_backward(const walk *k, const nn_conv_at *c, size_t x, size_t w, size_t y, void *ctx)
{
    conv_arrays *a = ctx;
    a->dw[w] += a->x[x] * a->dy[y];
    if (a->dx != NULL) a->dx[x] += k->w[c->w + w] * a->dy[y];
}

// --- batch-norm: y = gamma * (z - mean) / sqrt(var + eps) + beta

static void bn_forward(walk *k, const nn_conv_at *c, conv_tape *t)
{
    double count = (double)k->n * k->hw;
    for (int o = 0; o < c->cout; o++) {
        size_t ch = (size_t)o;
        double mean = 0, var = 0;
        for (int n = 0; n < k->n && k->training; n++)
            for (int p = 0; p < k->hw; p++) mean += t->y[(n * c->cout + o) * k->hw + p] / count;
        for (int n = 0; n < k->n && k->training; n++)
            for (int p = 0; p < k->hw; p++) {
                double diff = t->y[(n * c->cout + o) * k->hw + p] - mean;
                var += diff * diff / count;
            }
        if (!k->training) mean = k->w[c->bn.mean + ch], var = k->w[c->bn.var + ch];
        if (k->training && k->stats != NULL) {
            k->stats[c->bn.mean + ch - k->at->n_train] = mean;
            k->stats[c->bn.var + ch - k->at->n_train] = count > 1 ? var * count / (count - 1) : var;
        }
        t->inv[o] = 1 / sqrt(var + (double)NN_BN_EPS);
        for (int n = 0; n < k->n; n++)
            for (int p = 0; p < k->hw; p++) {
                int i = (n * c->cout + o) * k->hw + p;
                t->xhat[i] = (t->y[i] - mean) * t->inv[o];
                t->y[i] = k->w[c->bn.gamma + ch] * t->xhat[i] + k->w[c->bn.beta + ch];
            }
    }
}

// dy becomes dz in place.
static void bn_backward(walk *k, const nn_conv_at *c, const conv_tape *t, double *dy)
{
    double count = (double)k->n * k->hw;
    for (int o = 0; o < c->cout; o++) {
        size_t ch = (size_t)o;
        double sum = 0, dot = 0;
        for (int n = 0; n < k->n; n++)
            for (int p = 0; p < k->hw; p++) {
                int i = (n * c->cout + o) * k->hw + p;
                sum += dy[i];
                dot += dy[i] * t->xhat[i];
            }
        k->grad[c->bn.beta + ch] += sum;
        k->grad[c->bn.gamma + ch] += dot;
        for (int n = 0; n < k->n; n++)
            for (int p = 0; p < k->hw; p++) {
                int i = (n * c->cout + o) * k->hw + p;
                dy[i] = k->w[c->bn.gamma + ch] * t->inv[o] * (dy[i] - sum / count - t->xhat[i] * dot / count);
            }
    }
}

static void conv_forward(walk *k, const nn_conv_at *c, const double *x, conv_tape *t)
{
    size_t size = (size_t)k->n * (size_t)c->cout * (size_t)k->hw;
    t->y = take(k, size);
    t->xhat = take(k, size);
    t->inv = take(k, (size_t)c->cout);
    if (k->failed) return;
    conv_arrays a = {.x = x, .y = t->y};
    conv_each(k, c, visit_forward, &a);
    if (c->normed) {
        bn_forward(k, c, t);
        return;
    }
    for (size_t i = 0; i < size; i++) t->y[i] += k->w[c->bn.beta + i / (size_t)k->hw % (size_t)c->cout];
}

// dy is used up; dx (may be NULL) is added to.
static void conv_backward(walk *k, const nn_conv_at *c, const double *x, const conv_tape *t, double *dy, double *dx)
{
    size_t size = (size_t)k->n * (size_t)c->cout * (size_t)k->hw;
    if (c->normed)
        bn_backward(k, c, t, dy);
    else
        for (size_t i = 0; i < size; i++) k->grad[c->bn.beta + i / (size_t)k->hw % (size_t)c->cout] += dy[i];
    conv_arrays a = {.x = x, .dy = dy, .dx = dx, .dw = k->grad + c->w};
    conv_each(k, c, visit_backward, &a);
}

// --- fully connected: y[n][out] = x[n][in] * w[out][in]^T + b. `ldx`, `ldy`: floats between rows

static void fc_forward(const walk *k, const nn_fc_at *f, const double *x, int ldx, double *y, int ldy)
{
    for (int n = 0; n < k->n; n++)
        for (int o = 0; o < f->out; o++) {
            double s = k->w[f->b + (size_t)o];
            for (int i = 0; i < f->in; i++) s += x[n * ldx + i] * k->w[f->w + (size_t)(o * f->in + i)];
            y[n * ldy + o] = s;
        }
}

static void fc_backward(walk *k, const nn_fc_at *f, const double *x, int ldx, const double *dy, int ldy, double *dx)
{
    for (int n = 0; n < k->n; n++)
        for (int o = 0; o < f->out; o++) {
            double g = dy[n * ldy + o];
            k->grad[f->b + (size_t)o] += g;
            for (int i = 0; i < f->in; i++) {
                k->grad[f->w + (size_t)(o * f->in + i)] += g * x[n * ldx + i];
                if (dx != NULL) dx[n * ldx + i] += g * k->w[f->w + (size_t)(o * f->in + i)];
            }
        }
}

static void relu_forward(const double *x, double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0;
}

static void relu_backward(const double *y, double *dy, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (y[i] <= 0) dy[i] = 0;
}

// --- residual block

static size_t trunk_size(const walk *k)
{
    return (size_t)k->n * (size_t)k->d->channels * (size_t)k->hw;
}

static void block_forward(walk *k, int b, const double *x)
{
    block_tape *t = &k->block[b];
    const nn_block_at *at = &k->at->block[b];
    int ch = k->d->channels, se = k->d->se, hw = k->hw;
    size_t size = trunk_size(k);
    t->mid = take(k, size);
    t->out = take(k, size);
    t->squeeze = take(k, (size_t)(k->n * ch));
    t->h = take(k, (size_t)(k->n * se));
    t->gate = take(k, (size_t)(k->n * ch));
    if (k->failed) return;
    conv_forward(k, &at->conv[0], x, &t->conv[0]);
    if (k->failed) return;
    relu_forward(t->conv[0].y, t->mid, size);
    conv_forward(k, &at->conv[1], t->mid, &t->conv[1]);
    if (k->failed) return;
    if (se > 0) {
        for (size_t i = 0; i < size; i++) t->squeeze[i / (size_t)hw] += t->conv[1].y[i] / hw;
        fc_forward(k, &at->se[0], t->squeeze, ch, t->h, se);
        relu_forward(t->h, t->h, (size_t)(k->n * se));
        fc_forward(k, &at->se[1], t->h, se, t->gate, ch);
        for (int i = 0; i < k->n * ch; i++) t->gate[i] = 1 / (1 + exp(-t->gate[i]));
    }
    for (size_t i = 0; i < size; i++) t->out[i] = x[i] + t->conv[1].y[i] * (se > 0 ? t->gate[i / (size_t)hw] : 1);
    relu_forward(t->out, t->out, size);
}

// dout is used up; dx is overwritten with the gradient of the block's input.
static void block_backward(walk *k, int b, const double *x, double *dout, double *dx)
{
    block_tape *t = &k->block[b];
    const nn_block_at *at = &k->at->block[b];
    int ch = k->d->channels, se = k->d->se, hw = k->hw;
    size_t size = trunk_size(k);
    double *dmid = take(k, size), *dgate = take(k, (size_t)(k->n * ch)), *dh = take(k, (size_t)(k->n * se)),
           *dsq = take(k, (size_t)(k->n * ch));
    if (k->failed) return;
    relu_backward(t->out, dout, size);
    memcpy(dx, dout, size * sizeof *dx);
    if (se > 0) {
        for (size_t i = 0; i < size; i++) dgate[i / (size_t)hw] += dout[i] * t->conv[1].y[i];
        for (int i = 0; i < k->n * ch; i++) dgate[i] *= t->gate[i] * (1 - t->gate[i]);
        fc_backward(k, &at->se[1], t->h, se, dgate, ch, dh);
        relu_backward(t->h, dh, (size_t)(k->n * se));
        fc_backward(k, &at->se[0], t->squeeze, ch, dh, se, dsq);
        for (size_t i = 0; i < size; i++) dout[i] = dout[i] * t->gate[i / (size_t)hw] + dsq[i / (size_t)hw] / hw;
    }
    conv_backward(k, &at->conv[1], t->mid, &t->conv[1], dout, dmid);
    relu_backward(t->mid, dmid, size);
    conv_backward(k, &at->conv[0], x, &t->conv[0], dmid, dx);
}

// --- heads: `trunk` is [n][channels][hw], or the mlp's last vector

static void head_forward(walk *k, int i, const double *trunk)
{
    const nn_head *h = &k->d->head[i];
    const nn_head_layers *at = &k->at->head[i];
    head_tape *t = &k->head[i];
    int os = nn_out_size(k->d), size = nn_head_size(k->d, i);
    double *out = k->out + nn_head_at(k->d, i);
    if (at->conv.cout > 0) {
        conv_forward(k, &at->conv, trunk, &t->conv);
        if (k->failed) return;
    }
    if (h->kind == NN_BOARD) {
        for (int n = 0; n < k->n; n++)
            for (int j = 0; j < size; j++) out[n * os + j] = tanh(t->conv.y[n * size + j]);
        return;
    }
    int in = at->fc[0].in, wide = at->fc[0].out;
    const double *flat = trunk;
    if (h->filters > 0) {
        t->flat = take(k, (size_t)(k->n * in));
        if (k->failed) return;
        relu_forward(t->conv.y, t->flat, (size_t)(k->n * in));
        flat = t->flat;
    }
    if (at->n_fc == 1) {
        fc_forward(k, &at->fc[0], flat, in, out, os);
        return;
    }
    t->hidden = take(k, (size_t)(k->n * wide));
    t->value = take(k, (size_t)(k->n * nn_atoms(h)));
    t->advant = take(k, (size_t)(k->n * size));
    if (k->failed) return;
    fc_forward(k, &at->fc[0], flat, in, t->hidden, wide);
    relu_forward(t->hidden, t->hidden, (size_t)(k->n * wide));
    if (h->kind != NN_DUEL) {
        fc_forward(k, &at->fc[1], t->hidden, wide, out, os);
        for (int n = 0; n < k->n && h->kind == NN_VALUE; n++) out[n * os] = tanh(out[n * os]);
        return;
    }
    int atoms = nn_atoms(h);
    fc_forward(k, &at->fc[1], t->hidden, wide, t->value, atoms);
    fc_forward(k, &at->fc[2], t->hidden + h->hidden, wide, t->advant, size);
    for (int n = 0; n < k->n; n++)
        for (int a = 0; a < atoms; a++) {
            double mean = 0;
            for (int j = a; j < size; j += atoms) mean += t->advant[n * size + j] / h->out;
            for (int j = a; j < size; j += atoms)
                out[n * os + j] = t->value[n * atoms + a] + t->advant[n * size + j] - mean;
        }
}

static void duel_backward(walk *k, int i, const double *dout, double *dhidden)
{
    const nn_head_layers *at = &k->at->head[i];
    head_tape *t = &k->head[i];
    int os = nn_out_size(k->d), size = nn_head_size(k->d, i), wide = at->fc[0].out, half = wide / 2;
    int atoms = nn_atoms(&k->d->head[i]), actions = k->d->head[i].out;
    double *dv = take(k, (size_t)(k->n * atoms)), *da = take(k, (size_t)(k->n * size));
    if (k->failed) return;
    for (int n = 0; n < k->n; n++)
        for (int a = 0; a < atoms; a++) {
            double *sum = &dv[n * atoms + a];
            for (int j = a; j < size; j += atoms) *sum += dout[n * os + j];
            for (int j = a; j < size; j += atoms) da[n * size + j] = dout[n * os + j] - *sum / actions;
        }
    fc_backward(k, &at->fc[1], t->hidden, wide, dv, atoms, dhidden);
    fc_backward(k, &at->fc[2], t->hidden + half, wide, da, size, dhidden + half);
}

static void head_backward(walk *k, int i, const double *trunk, double *dout, double *dtrunk)
{
    const nn_head *h = &k->d->head[i];
    const nn_head_layers *at = &k->at->head[i];
    head_tape *t = &k->head[i];
    int os = nn_out_size(k->d), size = nn_head_size(k->d, i), in = at->fc[0].in, wide = at->fc[0].out;
    const double *out = k->out + nn_head_at(k->d, i);
    dout += nn_head_at(k->d, i);
    if (h->kind == NN_BOARD || h->kind == NN_VALUE)
        for (int n = 0; n < k->n; n++)
            for (int j = 0; j < size; j++) dout[n * os + j] *= 1 - out[n * os + j] * out[n * os + j];
    if (h->kind == NN_BOARD) {
        double *dy = take(k, (size_t)(k->n * size));
        if (k->failed) return;
        for (int n = 0; n < k->n; n++)
            for (int j = 0; j < size; j++) dy[n * size + j] = dout[n * os + j];
        conv_backward(k, &at->conv, trunk, &t->conv, dy, dtrunk);
        return;
    }
    const double *flat = h->filters > 0 ? t->flat : trunk;
    double *dflat = h->filters > 0 ? take(k, (size_t)(k->n * in)) : dtrunk, *dhidden = take(k, (size_t)(k->n * wide));
    if (k->failed) return;
    if (at->n_fc == 1) {
        fc_backward(k, &at->fc[0], flat, in, dout, os, dflat);
    } else {
        if (h->kind == NN_DUEL)
            duel_backward(k, i, dout, dhidden);
        else
            fc_backward(k, &at->fc[1], t->hidden, wide, dout, os, dhidden);
        if (k->failed) return;
        relu_backward(t->hidden, dhidden, (size_t)(k->n * wide));
        fc_backward(k, &at->fc[0], flat, in, dhidden, wide, dflat);
    }
    if (h->filters == 0) return;
    relu_backward(t->flat, dflat, (size_t)(k->n * in));
    conv_backward(k, &at->conv, trunk, &t->conv, dflat, dtrunk);
}

// --- the whole network

static const double *trunk_forward(walk *k)
{
    const nn_desc *d = k->d;
    if (d->channels == 0) {
        const double *x = k->x;
        for (int i = 0; i < d->n_mlp; i++) {
            const nn_fc_at *f = &k->at->mlp[i];
            k->mlp[i] = take(k, (size_t)(k->n * f->out));
            if (k->failed) return NULL;
            fc_forward(k, f, x, f->in, k->mlp[i], f->out);
            relu_forward(k->mlp[i], k->mlp[i], (size_t)(k->n * f->out));
            x = k->mlp[i];
        }
        return x;
    }
    k->stem_out = take(k, trunk_size(k));
    conv_forward(k, &k->at->stem, k->x, &k->stem);
    if (k->failed) return NULL;
    relu_forward(k->stem.y, k->stem_out, trunk_size(k));
    for (int b = 0; b < d->blocks; b++) {
        block_forward(k, b, b == 0 ? k->stem_out : k->block[b - 1].out);
        if (k->failed) return NULL;
    }
    return d->blocks == 0 ? k->stem_out : k->block[d->blocks - 1].out;
}

static void trunk_backward(walk *k, double *dtrunk)
{
    const nn_desc *d = k->d;
    double *g = dtrunk;
    for (int i = d->n_mlp - 1; i >= 0; i--) {
        const nn_fc_at *f = &k->at->mlp[i];
        double *dx = i > 0 ? take(k, (size_t)(k->n * f->in)) : NULL;
        if (k->failed) return;
        relu_backward(k->mlp[i], g, (size_t)(k->n * f->out));
        fc_backward(k, f, i > 0 ? k->mlp[i - 1] : k->x, f->in, g, f->out, dx);
        g = dx;
    }
    if (d->channels == 0) return;
    for (int b = d->blocks - 1; b >= 0; b--) {
        double *dx = take(k, trunk_size(k));
        if (k->failed) return;
        block_backward(k, b, b == 0 ? k->stem_out : k->block[b - 1].out, g, dx);
        if (k->failed) return;
        g = dx;
    }
    relu_backward(k->stem_out, g, trunk_size(k));
    conv_backward(k, &k->at->stem, k->x, &k->stem, g, NULL);
}

static const double *net_forward(walk *k, const uint64_t *bits, const float *scalars)
{
    const nn_desc *d = k->d;
    size_t in = (size_t)(d->channels > 0 ? nn_inputs(d) * k->hw : d->planes * k->hw + d->scalars);
    k->x = take(k, (size_t)k->n * in);
    k->out = take(k, (size_t)(k->n * nn_out_size(d)));
    if (k->failed) return NULL;
    for (int i = 0; i < k->n; i++)
        nn_ref_unpack(d, bits == NULL ? NULL : bits + (size_t)i * nn_in_bits(d),
                      scalars == NULL ? NULL : scalars + i * d->scalars, k->x + (size_t)i * in);
    const double *trunk = trunk_forward(k);
    for (int i = 0; i < d->n_heads && !k->failed; i++) head_forward(k, i, trunk);
    return trunk;
}

static void walk_free(walk *k)
{
    for (int i = 0; i < k->n_owned; i++) free(k->owned[i]);
    free(k->owned);
    free(k);
}

static err walk_new(walk **out, const nn_desc *d, const nn_layout *at, const double *w, int n)
{
    walk *k = calloc(1, sizeof *k);
    if (k == NULL) return err_set(ERR_MEMORY, "no memory for the reference network");
    k->d = d, k->at = at, k->w = w, k->n = n, k->hw = d->rows * d->cols;
    *out = k;
    return ERR_OK;
}

err nn_ref_forward(const nn_net *net, int n, const uint64_t *bits, const float *scalars, double *out)
{
    walk *k = NULL;
    err e = walk_new(&k, &net->desc, &net->at, NULL, n);
    if (e != ERR_OK) return e;
    double *w = take(k, net->at.n_all);
    if (!k->failed) {
        for (size_t i = 0; i < net->at.n_all; i++) w[i] = (double)net->w[i];
        k->w = w;
        net_forward(k, bits, scalars);
    }
    if (!k->failed)
        memcpy(out, k->out, (size_t)(n * nn_out_size(&net->desc)) * sizeof *out);
    else
        e = err_set(ERR_MEMORY, "no memory for the reference network");
    walk_free(k);
    return e;
}

// Weights of noisy layers: mean + width * noise.
static void add_noise(walk *k, const float *noise)
{
    nn_noisy layer[2 * NN_MAX_HEADS];
    double *w = take(k, k->at->n_all);
    if (k->failed) return;
    memcpy(w, k->w, k->at->n_all * sizeof *w);
    for (int n = nn_noise_layers(k->d, k->at, noise, layer), l = 0; l < n; l++)
        for (int o = 0; o < layer[l].mean.out; o++) {
            size_t row = (size_t)(o * layer[l].mean.in);
            for (int i = 0; i < layer[l].mean.in; i++)
                w[layer[l].mean.w + row + (size_t)i] +=
                    k->w[layer[l].sigma.w + row + (size_t)i] * (double)layer[l].out[o] * (double)layer[l].in[i];
            w[layer[l].mean.b + (size_t)o] += k->w[layer[l].sigma.b + (size_t)o] * (double)layer[l].out[o];
        }
    k->w = w;
}

static void noise_backward(walk *k, const float *noise)
{
    nn_noisy layer[2 * NN_MAX_HEADS];
    for (int n = nn_noise_layers(k->d, k->at, noise, layer), l = 0; l < n; l++)
        for (int o = 0; o < layer[l].mean.out; o++) {
            size_t row = (size_t)(o * layer[l].mean.in);
            for (int i = 0; i < layer[l].mean.in; i++)
                k->grad[layer[l].sigma.w + row + (size_t)i] =
                    k->grad[layer[l].mean.w + row + (size_t)i] * (double)layer[l].out[o] * (double)layer[l].in[i];
            k->grad[layer[l].sigma.b + (size_t)o] = k->grad[layer[l].mean.b + (size_t)o] * (double)layer[l].out[o];
        }
}

err nn_ref_step(const nn_desc *d, const nn_layout *at, const double *w, const nn_batch *b, nn_ref_result *r)
{
    walk *k = NULL;
    err e = nn_batch_check(d, b);
    if (e == ERR_OK) e = walk_new(&k, d, at, w, b->n);
    if (e != ERR_OK) return e;
    int os = nn_out_size(d);
    if (b->noise != NULL) add_noise(k, b->noise);
    k->training = true;
    k->grad = r->grad;
    k->stats = r->stats;
    const double *trunk = net_forward(k, b->bits, b->scalars);
    double *dout = take(k, (size_t)(b->n * os));
    size_t width = d->channels > 0 ? trunk_size(k) : (size_t)(b->n * d->mlp[d->n_mlp - 1]);
    double *dtrunk = take(k, width);
    r->loss = 0;
    memset(r->by_head, 0, sizeof r->by_head);
    nn_batch with = *b; // what the groups' softmax says
    for (int h = 0; h < d->n_heads && !k->failed; h++) {
        if (b->head[h].value == NULL || b->head[h].group == NULL) continue;
        double *x = take(k, (size_t)b->n), *log_p = take(k, (size_t)b->n);
        if (k->failed) break;
        for (int i = 0; i < b->n; i++) x[i] = k->out[i * os + nn_head_at(d, h)];
        nn_group_log_p(b->n, b->head[h].group, x, log_p);
        with.head[h].log_p = log_p;
    }
    for (int i = 0; i < b->n && !k->failed; i++) {
        double by_head[NN_MAX_HEADS];
        r->loss += nn_loss_at(d, &with, i, k->out + i * os, dout + i * os, by_head) / b->n;
        for (int h = 0; h < d->n_heads; h++) r->by_head[h] += by_head[h] / b->n;
        for (int j = 0; j < os; j++) dout[i * os + j] /= b->n;
    }
    if (r->grad != NULL && !k->failed) {
        memset(r->grad, 0, at->n_train * sizeof *r->grad);
        for (int i = 0; i < d->n_heads && !k->failed; i++) head_backward(k, i, trunk, dout, dtrunk);
        if (!k->failed) trunk_backward(k, dtrunk);
        if (!k->failed && b->noise != NULL) noise_backward(k, b->noise);
    }
    if (k->failed) e = err_set(ERR_MEMORY, "no memory for the reference network");
    walk_free(k);
    return e;
}
