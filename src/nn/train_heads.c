// Heads, mlp trunks and fully connected layers in training. See train_inner.h.
//
// All that concerns single positions happens in one task a chunk: forward through the heads' layers, loss, and backward to the
// head's convolution. Weight gradients of fully connected layers then are one product over the whole batch, cut by output
// rows, so no sum is ever shared between threads.
#include "nn/train_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- fully connected layers

err train_fc_new(nn_trainer *t, train_fc *f, const nn_fc_at *at, const float *x, size_t ldx)
{
    f->at = *at;
    f->in_wide = nn_pad16(at->in);
    f->x = x;
    f->ldx = ldx;
    f->ldy = (size_t)nn_pad16(at->out);
    f->back = train_floats(t, (size_t)at->out * (size_t)f->in_wide);
    f->y = train_floats(t, (size_t)t->max_batch * f->ldy);
    f->dy = train_floats(t, (size_t)t->max_batch * f->ldy);
    return fc_pack_new(&f->pack, at->in, at->out);
}

void train_fc_free(train_fc *f)
{
    fc_pack_free(&f->pack);
}

void train_fc_pack(nn_trainer *t, train_fc *f)
{
    const float *w = t->now + f->at.w;
    fc_pack_set(&f->pack, w, t->now + f->at.b);
    for (int o = 0; o < f->at.out; o++)
        memcpy(f->back + (size_t)o * (size_t)f->in_wide, w + (size_t)o * (size_t)f->at.in,
               (size_t)f->at.in * sizeof *w);
}

void train_fc_forward(nn_trainer *t, train_fc *f, int from, int n, bool relu)
{
    fc_run(t->kern, &f->pack, n, f->x + (size_t)from * f->ldx, f->ldx, f->y + (size_t)from * f->ldy, f->ldy, relu);
}

// dx[from …][ldx] (+)= dy * w. Writes in_wide floats per row; the padding's are zero, as w's padding is.
void train_fc_back(nn_trainer *t, const train_fc *f, int from, int n, float *dx, size_t ldx, bool add)
{
    t->kern->gemm(n, f->in_wide, f->at.out, f->dy + (size_t)from * f->ldy, f->ldy, 1, f->back, (size_t)f->in_wide,
                  dx + (size_t)from * ldx, ldx, add);
}

typedef struct grads_job {
    nn_trainer *t;
    train_fc *f;
} grads_job;

// Rows task*FC_ROWS … of dw[out][in] = dy^T x, in slices of 64 inputs so that x stays in the cache.
static void grads_task(void *ctx, int task, int worker)
{
    grads_job *j = ctx;
    nn_trainer *t = j->t;
    train_fc *f = j->f;
    int o0 = task * FC_ROWS, rows = f->at.out - o0 < FC_ROWS ? f->at.out - o0 : FC_ROWS;
    float part[FC_ROWS * NN_GROUP];
    (void)worker;
    for (int i0 = 0; i0 < f->at.in; i0 += NN_GROUP) {
        int wide = f->in_wide - i0 < NN_GROUP ? f->in_wide - i0 : NN_GROUP,
            real = f->at.in - i0 < wide ? f->at.in - i0 : wide;
        t->kern->gemm(rows, wide, t->n, f->dy + o0, 1, f->ldy, f->x + i0, f->ldx, part, (size_t)wide, false);
        for (int o = 0; o < rows; o++)
            memcpy(t->grad + f->at.w + (size_t)(o0 + o) * (size_t)f->at.in + (size_t)i0, part + o * wide,
                   (size_t)real * sizeof *part);
    }
    for (int o = o0; o < o0 + rows; o++) {
        double sum = 0;
        for (int i = 0; i < t->n; i++) sum += (double)f->dy[(size_t)i * f->ldy + (size_t)o];
        t->grad[f->at.b + (size_t)o] = (float)sum;
    }
}

void train_fc_grads(nn_trainer *t, train_fc *f)
{
    grads_job j = {t, f};
    pool_run(t->o.threads, (f->at.out + FC_ROWS - 1) / FC_ROWS, grads_task, &j);
}

static void relu_mask(const float *y, float *dy, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (y[i] <= 0) dy[i] = 0;
}

// --- making and packing

static err head_new(nn_trainer *t, int h, const float *trunk, size_t ldt)
{
    const nn_head_layers *at = &t->net->at.head[h];
    train_head *p = &t->head[h];
    err e = ERR_OK;
    p->n_fc = at->n_fc;
    const float *x = trunk;
    size_t ldx = ldt;
    if (at->n_fc > 0 && at->conv.cout > 0) {
        ldx = (size_t)nn_pad16(at->fc[0].in);
        p->flat = train_floats(t, (size_t)t->max_batch * ldx);
        p->dflat = train_floats(t, (size_t)t->max_batch * ldx);
        x = p->flat;
    }
    for (int i = 0; i < at->n_fc && e == ERR_OK; i++) {
        e = train_fc_new(t, &p->fc[i], &at->fc[i], x, ldx);
        if (i == 0) x = p->fc[0].y, ldx = p->fc[0].ldy;
    }
    return e;
}

static void head_convs_new(nn_trainer *t)
{
    const nn_desc *d = &t->net->desc;
    int at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int h = 0; h < d->n_heads; h++) {
            const nn_conv_at *c = &t->net->at.head[h].conv;
            if (c->cout == 0 || c->normed != (pass == 0)) continue;
            t->head[h].channel = at;
            if (pass == 0) t->head_bn.at[t->head_bn.n] = *c, t->head_bn.first[t->head_bn.n++] = at;
            at += c->cout;
        }
        at = nn_pad16(at);
        if (pass == 0) t->normed = at;
    }
    t->head_channels = at;
    size_t all = (size_t)t->max_batch * (size_t)at * (size_t)t->hw, w = (size_t)at * (size_t)t->channels;
    t->head_w = train_floats(t, w);
    t->head_wt = train_floats(t, w);
    t->head_bias = train_floats(t, (size_t)at);
    t->zh = train_floats(t, all);
    t->yh = train_floats(t, all);
    t->dh = train_floats(t, all);
    for (int g = 0; g < MAX_GROUPS && g * 64 < t->max_batch; g++) t->head_dw[g] = train_floats(t, w);
    train_bn_new(t, &t->head_bn, at);
}

err train_heads_new(nn_trainer *t)
{
    const nn_desc *d = &t->net->desc;
    err e = ERR_OK;
    const float *trunk = NULL;
    size_t ld = 0;
    if (d->channels > 0) {
        head_convs_new(t);
    } else {
        ld = (size_t)nn_pad16(t->net->at.mlp[0].in);
        trunk = t->x = train_floats(t, (size_t)t->max_batch * ld);
        for (int i = 0; i < d->n_mlp && e == ERR_OK; i++) {
            e = train_fc_new(t, &t->mlp[i], &t->net->at.mlp[i], trunk, ld);
            trunk = t->mlp[i].y, ld = t->mlp[i].ldy;
        }
    }
    for (int h = 0; h < d->n_heads && e == ERR_OK; h++) {
        e = head_new(t, h, trunk, ld);
        if (d->head[h].kind != NN_DUEL || e != ERR_OK) continue;
        t->head[h].fc[2].x += d->head[h].hidden; // the advantage reads the second half
        t->head[h].adv_d = train_floats(t, (size_t)t->max_batch * (size_t)t->head[h].fc[2].in_wide);
    }
    if (d->channels == 0) t->mlp_d = train_floats(t, (size_t)t->max_batch * ld);
    t->out = train_floats(t, (size_t)t->max_batch * (size_t)nn_out_size(d));
    return e;
}

void train_heads_pack(nn_trainer *t)
{
    const nn_desc *d = &t->net->desc;
    for (int i = 0; i < d->n_mlp; i++) train_fc_pack(t, &t->mlp[i]);
    for (int h = 0; h < d->n_heads; h++) {
        const nn_conv_at *c = &t->net->at.head[h].conv;
        for (int i = 0; i < t->head[h].n_fc; i++) train_fc_pack(t, &t->head[h].fc[i]);
        for (int o = 0; o < c->cout; o++) {
            int to = t->head[h].channel + o;
            if (!c->normed) t->head_bias[to] = t->net->w[c->bn.beta + (size_t)o];
            for (int i = 0; i < c->cin; i++) {
                float w = t->net->w[c->w + (size_t)(o * c->cin + i)];
                t->head_w[(size_t)(to / 16 * 16) * (size_t)t->channels + (size_t)(i * 16 + to % 16)] = w;
                t->head_wt[(size_t)to * (size_t)t->channels + (size_t)i] = w;
            }
        }
    }
}

// --- phase 1: the trunk's output and the combined 1x1 convolution

static void convs_task(void *ctx, int chunk, int worker)
{
    nn_trainer *t = ctx;
    int from, n, ob = t->head_channels / 16, cb = t->channels / 16;
    size_t block = (size_t)t->hw * 16;
    (void)worker;
    chunk_range(t, chunk, &from, &n);
    train_normalise(t, t->n_layers - 1, from, n);
    const float *trunk = t->layer[t->n_layers - 1].act;
    double *sums = t->chunk_sums + (size_t)chunk * 2 * t->widest;
    memset(sums, 0, 2 * t->widest * sizeof *sums);
    for (int i = from; i < from + n; i++) {
        for (int o = 0; o < ob; o++)
            for (int b = 0; b < cb; b++)
                t->kern->gemm(t->hw, 16, 16, trunk + (size_t)(i * cb + b) * block, 16, 1,
                              t->head_w + (size_t)(o * 16 * t->channels + b * 256), 16,
                              t->zh + (size_t)(i * ob + o) * block, 16, b > 0);
        t->kern->sums(1, t->normed / 16, t->hw, t->zh + (size_t)(i * ob) * block, sums, sums + t->widest);
    }
}

// --- phase 2: everything that concerns one position

static void gather(const nn_trainer *t, const float *blocked, int i, int c0, int count, float *row)
{
    for (int c = 0; c < count; c++) {
        const float *from =
            blocked + ((size_t)(i * t->head_channels) + (size_t)((c0 + c) / 16 * 16)) * (size_t)t->hw + (c0 + c) % 16;
        for (int q = 0; q < t->hw; q++) row[c * t->hw + q] = from[(size_t)q * 16];
    }
}

static void scatter(const nn_trainer *t, const float *row, int i, int c0, int count, float *blocked)
{
    for (int c = 0; c < count; c++) {
        float *to =
            blocked + ((size_t)(i * t->head_channels) + (size_t)((c0 + c) / 16 * 16)) * (size_t)t->hw + (c0 + c) % 16;
        for (int q = 0; q < t->hw; q++) to[(size_t)q * 16] = row[c * t->hw + q];
    }
}

// Q = V + A - mean over the actions of A, for each atom.
static void duel_forward(const nn_head *d, const float *v, const float *a, float *q)
{
    int atoms = nn_atoms(d);
    for (int k = 0; k < atoms; k++) {
        float base = v[k];
        for (int j = 0; j < d->out; j++) base -= a[j * atoms + k] / (float)d->out;
        for (int j = 0; j < d->out; j++) q[j * atoms + k] = a[j * atoms + k] + base;
    }
}

static void duel_backward(const nn_head *d, const double *dq, float *dv, float *da)
{
    int atoms = nn_atoms(d);
    for (int k = 0; k < atoms; k++) {
        double sum = 0;
        for (int j = 0; j < d->out; j++) sum += dq[j * atoms + k];
        for (int j = 0; j < d->out; j++) da[j * atoms + k] = (float)(dq[j * atoms + k] - sum / d->out);
        dv[k] = (float)sum;
    }
}

static void head_forward(nn_trainer *t, int h, int from, int n)
{
    const nn_head *d = &t->net->desc.head[h];
    train_head *p = &t->head[h];
    int os = nn_out_size(&t->net->desc), size = nn_head_size(&t->net->desc, h);
    float *out = t->out + nn_head_at(&t->net->desc, h);
    if (d->kind == NN_BOARD) {
        for (int i = from; i < from + n; i++) {
            gather(t, t->zh, i, p->channel, d->out, out + i * os);
            for (int j = 0; j < size; j++)
                out[i * os + j] = tanhf(out[i * os + j] + t->head_bias[p->channel + j / t->hw]);
        }
        return;
    }
    for (int i = from; i < from + n && p->flat != NULL; i++)
        gather(t, t->yh, i, p->channel, d->filters, p->flat + (size_t)i * p->fc[0].ldx);
    train_fc_forward(t, &p->fc[0], from, n, p->n_fc > 1);
    for (int k = 1; k < p->n_fc; k++) train_fc_forward(t, &p->fc[k], from, n, false);
    const train_fc *last = &p->fc[p->n_fc - 1];
    for (int i = from; i < from + n; i++) {
        const float *y = last->y + (size_t)i * last->ldy;
        if (d->kind == NN_DUEL)
            duel_forward(d, p->fc[1].y + (size_t)i * p->fc[1].ldy, y, out + i * os);
        else
            for (int j = 0; j < size; j++) out[i * os + j] = d->kind == NN_VALUE ? tanhf(y[j]) : y[j];
    }
}

// dout[size]: the loss's gradient for position i, already divided by the batch.
static void out_backward(nn_trainer *t, int h, int i, const double *dout)
{
    const nn_head *d = &t->net->desc.head[h];
    train_head *p = &t->head[h];
    int size = nn_head_size(&t->net->desc, h);
    const float *out = t->out + (size_t)i * (size_t)nn_out_size(&t->net->desc) + nn_head_at(&t->net->desc, h);
    if (d->kind == NN_BOARD) {
        for (int j = 0; j < size; j++) {
            int c = p->channel + j / t->hw;
            float *to = t->dh + ((size_t)(i * t->head_channels) + (size_t)(c / 16 * 16)) * (size_t)t->hw +
                        (size_t)(j % t->hw * 16 + c % 16);
            *to = (float)(dout[j] * (1 - (double)out[j] * (double)out[j]));
        }
        return;
    }
    const train_fc *last = &p->fc[p->n_fc - 1];
    float *dy = last->dy + (size_t)i * last->ldy;
    if (d->kind == NN_DUEL) {
        duel_backward(d, dout, p->fc[1].dy + (size_t)i * p->fc[1].ldy, dy);
        return;
    }
    for (int j = 0; j < size; j++)
        dy[j] = (float)(d->kind == NN_VALUE ? dout[j] * (1 - (double)out[j] * (double)out[j]) : dout[j]);
}

// From the last layer's dy to the gradient of the head's convolution, or of the mlp's vector.
static void head_backward(nn_trainer *t, int h, int from, int n)
{
    const nn_head *d = &t->net->desc.head[h];
    train_head *p = &t->head[h];
    if (d->kind == NN_BOARD) return;
    train_fc *first = &p->fc[0];
    if (d->kind == NN_DUEL) {
        // each half of the hidden layer hears from one of the two; a half need not end on a multiple of 16, so the
        // advantage's part goes through its own rows (dflat would be too narrow) and is added
        train_fc_back(t, &p->fc[1], from, n, first->dy, first->ldy, false);
        float *part = p->adv_d;
        size_t ld = (size_t)p->fc[2].in_wide;
        train_fc_back(t, &p->fc[2], from, n, part, ld, false);
        for (int i = from; i < from + n; i++)
            for (int j = 0; j < d->hidden; j++)
                first->dy[(size_t)i * first->ldy + (size_t)(d->hidden + j)] = part[(size_t)i * ld + (size_t)j];
    } else if (p->n_fc == 2) {
        train_fc_back(t, &p->fc[1], from, n, first->dy, first->ldy, false);
    }
    if (p->n_fc > 1)
        relu_mask(first->y + (size_t)from * first->ldy, first->dy + (size_t)from * first->ldy, (size_t)n * first->ldy);
    if (p->dflat == NULL) {
        train_fc_back(t, first, from, n, t->mlp_d, first->ldx, h > 0);
        return;
    }
    train_fc_back(t, first, from, n, p->dflat, first->ldx, false);
    for (int i = from; i < from + n; i++)
        scatter(t, p->dflat + (size_t)i * first->ldx, i, p->channel, d->filters, t->dh);
}

static void losses_of(nn_trainer *t, int from, int n)
{
    const nn_desc *d = &t->net->desc;
    size_t os = (size_t)nn_out_size(d);
    double *out = malloc(2 * os * sizeof *out);
    if (out == NULL) { // as good as a loss that is not a number: the step reports it
        for (int i = from; i < from + n; i++) t->losses[(size_t)i * (1 + NN_MAX_HEADS)] = NAN;
        return;
    }
    for (int i = from; i < from + n; i++) {
        double *row = t->losses + (size_t)i * (1 + NN_MAX_HEADS), *dout = out + os;
        for (size_t j = 0; j < os; j++) out[j] = (double)t->out[(size_t)i * os + j];
        row[0] = nn_loss_at(d, t->batch, i, out, dout, row + 1);
        for (size_t j = 0; j < os; j++) dout[j] /= t->n;
        for (int h = 0; h < d->n_heads; h++) out_backward(t, h, i, dout + nn_head_at(d, h));
    }
    free(out);
}

static void out_task(void *ctx, int chunk, int worker)
{
    nn_trainer *t = ctx;
    const nn_desc *d = &t->net->desc;
    int from, n, nb = t->normed / 16;
    (void)worker;
    chunk_range(t, chunk, &from, &n);
    size_t board = (size_t)t->head_channels * (size_t)t->hw;
    if (d->channels == 0) {
        nn_unpack_rows(d, n, t->batch->bits == NULL ? NULL : t->batch->bits + (size_t)from * nn_in_bits(d),
                       t->batch->scalars == NULL ? NULL : t->batch->scalars + from * d->scalars,
                       t->x + (size_t)from * t->mlp[0].ldx, t->mlp[0].ldx);
        for (int i = 0; i < d->n_mlp; i++) train_fc_forward(t, &t->mlp[i], from, n, true);
    } else {
        memset(t->dh + (size_t)from * board, 0, (size_t)n * board * sizeof *t->dh);
        for (int i = from; i < from + n; i++)
            t->kern->affine(1, nb, t->hw, t->zh + (size_t)i * board, t->head_bn.scale, t->head_bn.shift, NULL, true,
                            t->yh + (size_t)i * board);
    }
    for (int h = 0; h < d->n_heads; h++) head_forward(t, h, from, n);
}

static void loss_task(void *ctx, int chunk, int worker)
{
    nn_trainer *t = ctx;
    const nn_desc *d = &t->net->desc;
    int from, n, ob = t->head_channels / 16, nb = t->normed / 16;
    (void)worker;
    chunk_range(t, chunk, &from, &n);
    losses_of(t, from, n);
    for (int h = 0; h < d->n_heads; h++) head_backward(t, h, from, n);
    if (d->channels == 0) {
        float *g = t->mlp_d;
        size_t ld = t->mlp[d->n_mlp - 1].ldy;
        for (int i = d->n_mlp - 1; i >= 0; i--) {
            train_fc *f = &t->mlp[i];
            if (i == d->n_mlp - 1) memcpy(f->dy + (size_t)from * ld, g + (size_t)from * ld, (size_t)n * ld * sizeof *g);
            relu_mask(f->y + (size_t)from * f->ldy, f->dy + (size_t)from * f->ldy, (size_t)n * f->ldy);
            if (i > 0) train_fc_back(t, f, from, n, t->mlp[i - 1].dy, t->mlp[i - 1].ldy, false);
        }
        return;
    }
    double *sums = t->chunk_sums + (size_t)chunk * 2 * t->widest;
    memset(sums, 0, 2 * t->widest * sizeof *sums);
    for (int i = from; i < from + n; i++) {
        size_t at = (size_t)(i * ob) * (size_t)t->hw * 16;
        t->kern->mask_sums(1, nb, t->hw, t->dh + at, t->yh + at, NULL, t->zh + at, t->head_bn.mean, sums,
                           sums + t->widest);
        if (ob > nb) // plain channels: only the bias wants a sum; the product with z is not used
            t->kern->mask_sums(1, ob - nb, t->hw, t->dh + at + (size_t)t->normed * (size_t)t->hw, NULL, NULL,
                               t->zh + at + (size_t)t->normed * (size_t)t->hw, t->head_bn.mean + t->normed,
                               sums + t->normed, sums + t->widest + t->normed);
    }
}

static void positions_task(void *ctx, int chunk, int worker)
{
    out_task(ctx, chunk, worker);
    loss_task(ctx, chunk, worker);
}

// Where rows are compared, a row's loss needs the outputs of others: all of them first, then the softmax of the groups.
static void grouped_positions(nn_trainer *t)
{
    const nn_desc *d = &t->net->desc;
    size_t os = (size_t)nn_out_size(d), most = (size_t)t->max_batch;
    pool_run(t->o.threads, t->n_chunks, out_task, t);
    t->grouped = *t->batch;
    for (int h = 0; h < d->n_heads; h++) {
        const nn_target *g = &t->batch->head[h];
        double *log_p = t->log_p + most * (size_t)(1 + h);
        if (g->value == NULL || g->group == NULL) continue;
        for (int i = 0; i < t->n; i++) t->log_p[i] = (double)t->out[(size_t)i * os + (size_t)nn_head_at(d, h)];
        nn_group_log_p(t->n, g->group, t->log_p, log_p);
        t->grouped.head[h].log_p = log_p;
    }
    t->batch = &t->grouped;
    pool_run(t->o.threads, t->n_chunks, loss_task, t);
}

// --- phase 3: back through the combined 1x1 convolution

static void convs_back_chunk(nn_trainer *t, int chunk, float *dw, bool add, train_worker *w)
{
    int from, n, ob = t->head_channels / 16, nb = t->normed / 16, cb = t->channels / 16;
    size_t block = (size_t)t->hw * 16, board = (size_t)ob * block, ch = (size_t)t->channels,
           hc = (size_t)t->head_channels;
    const float *trunk = t->layer[t->n_layers - 1].act;
    chunk_range(t, chunk, &from, &n);
    for (int i = from; i < from + n; i++) {
        float *dz = w->dz;
        memcpy(dz, t->dh + (size_t)i * board, board * sizeof *dz);
        t->kern->affine2(1, nb, t->hw, t->dh + (size_t)i * board, t->zh + (size_t)i * board, t->head_bn.a, t->head_bn.b,
                         t->head_bn.c, dz);
        for (int b = 0; b < cb; b++)
            for (int o = 0; o < ob; o++) {
                t->kern->gemm(t->hw, 16, 16, dz + (size_t)o * block, 16, 1,
                              t->head_wt + (size_t)(o * 16) * ch + (size_t)(b * 16), ch,
                              t->d + (size_t)(i * cb + b) * block, 16, o > 0);
                t->kern->gemm(16, 16, t->hw, trunk + (size_t)(i * cb + b) * block, 1, 16, dz + (size_t)o * block, 16,
                              dw + (size_t)(b * 16) * hc + (size_t)(o * 16), hc, add || i > from);
            }
    }
    train_block_grad(t, t->n_layers - 1, chunk, w);
}

static void convs_back_task(void *ctx, int group, int w)
{
    nn_trainer *t = ctx;
    int first, end;
    group_range(t, group, &first, &end);
    for (int c = first; c < end; c++) convs_back_chunk(t, c, t->head_dw[group], c > first, &t->worker[w]);
}

static void conv_grads(nn_trainer *t)
{
    size_t hc = (size_t)t->head_channels;
    for (int h = 0; h < t->net->desc.n_heads; h++) {
        const nn_conv_at *c = &t->net->at.head[h].conv;
        for (int o = 0; o < c->cout; o++)
            for (int i = 0; i < c->cin; i++) {
                size_t at = (size_t)i * hc + (size_t)(t->head[h].channel + o);
                float sum = 0;
                for (int g = 0; g < t->n_groups; g++) sum += t->head_dw[g][at];
                t->grad[c->w + (size_t)(o * c->cin + i)] = sum;
            }
    }
}

// Biases of board heads: plain sums of phase 2.
static void plain_bias_grads(nn_trainer *t)
{
    for (int h = 0; h < t->net->desc.n_heads; h++) {
        const nn_conv_at *c = &t->net->at.head[h].conv;
        for (int o = 0; o < c->cout && !c->normed; o++) {
            double sum = 0;
            for (int k = 0; k < t->n_chunks; k++)
                sum += t->chunk_sums[(size_t)k * 2 * t->widest + (size_t)(t->head[h].channel + o)];
            t->grad[c->bn.beta + (size_t)o] = (float)sum;
        }
    }
}

void train_heads(nn_trainer *t)
{
    const nn_desc *d = &t->net->desc;
    if (d->channels > 0) {
        pool_run(t->o.threads, t->n_chunks, convs_task, t);
        train_bn_stats(t, &t->head_bn);
    }
    if (nn_has_groups(d, t->batch))
        grouped_positions(t);
    else
        pool_run(t->o.threads, t->n_chunks, positions_task, t);
    for (int h = 0; h < d->n_heads; h++)
        for (int i = 0; i < t->head[h].n_fc; i++) train_fc_grads(t, &t->head[h].fc[i]);
    for (int i = 0; i < d->n_mlp; i++) train_fc_grads(t, &t->mlp[i]);
    if (d->channels == 0) return;
    train_bn_grads(t, &t->head_bn);
    plain_bias_grads(t);
    pool_run(t->o.threads, t->n_groups, convs_back_task, t);
    conv_grads(t);
}
