// The training step: memory, the tower forward and backward, batch-norm. See train.h; heads are in train_heads.c.
//
// Layer 0 is the stem, 1 + 2b and 2 + 2b are block b's convolutions. Gradients live in three arrays of the whole batch:
// t->d of a block's output, already masked by its ReLU (it is also the shortcut's gradient); t->e of a block's inside;
// t->f (squeeze-excitation only) of the second batch-norm's output.
#include "base/memory.h"
#include "nn/noise.h"
#include "nn/state.h"
#include "nn/train_inner.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- memory

static void *keep(nn_trainer *t, void *p)
{
    if (!GROW(t->owned, t->n_owned, t->room)) {
        free(p);
        t->failed = true;
        return NULL;
    }
    if (p == NULL)
        t->failed = true;
    else
        t->owned[t->n_owned++] = p;
    return p;
}

float *train_floats(nn_trainer *t, size_t n)
{
    return t->failed ? NULL : keep(t, nn_floats(n));
}

void train_bn_new(nn_trainer *t, train_bn *bn, int channels)
{
    float **const all[] = {&bn->mean, &bn->inv, &bn->scale, &bn->shift, &bn->a, &bn->b, &bn->c};
    bn->channels = channels;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) *all[i] = train_floats(t, (size_t)channels);
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t taps_of(const conv3 *c)
{
    return (size_t)c->cin * (size_t)c->cout * 9;
}

static size_t packed_of(const conv3 *c)
{
    return c->n_packed;
}

static size_t widest_of(const nn_trainer *t, size_t (*size)(const conv3 *))
{
    return most(most(size(&t->shape[0]), size(&t->shape[1])), most(size(&t->back[0]), size(&t->back[1])));
}

static err tower_new(nn_trainer *t)
{
    const nn_desc *d = &t->net->desc;
    err e = ERR_OK;
    for (int i = 0; i < 2 && e == ERR_OK; i++) {
        int cin = i == 0 ? nn_inputs(d) : d->channels;
        e = conv3_init(&t->shape[i], d->rows, d->cols, cin, d->channels, nn_method_for(d->rows, d->cols));
        if (e == ERR_OK)
            e = conv3_init(&t->back[i], d->rows, d->cols, cin, d->channels, nn_back_method_for(d->rows, d->cols));
    }
    if (e != ERR_OK) return e;
    t->chunk = conv3_boards(&t->back[1]);
    t->n_layers = 1 + 2 * d->blocks;
    t->layer = keep(t, calloc((size_t)t->n_layers, sizeof *t->layer));
    if (t->failed) return err_set(ERR_MEMORY, "no memory for a trainer");
    size_t all = (size_t)t->max_batch * board_size(t);
    for (int l = 0; l < t->n_layers; l++) {
        train_layer *y = &t->layer[l];
        y->at = l == 0 ? t->net->at.stem : t->net->at.block[(l - 1) / 2].conv[(l - 1) % 2];
        y->shape = &t->shape[l > 0], y->back = &t->back[l > 0];
        y->z = train_floats(t, all);
        if (l % 2 == 0) y->act = train_floats(t, all); // inside a block it is computed again from z where it is read
        y->bn.at[0] = y->at;
        y->bn.n = 1;
        train_bn_new(t, &y->bn, t->channels);
    }
    t->x = train_floats(t, (size_t)t->max_batch * (size_t)t->shape[0].cin * (size_t)t->hw);
    t->packed = train_floats(t, widest_of(t, packed_of));
    t->d = train_floats(t, all);
    t->e = train_floats(t, all);
    if (d->se > 0) t->f = train_floats(t, all);
    for (int g = 0; g < MAX_GROUPS && g * 64 < t->max_batch; g++) t->taps[g] = train_floats(t, widest_of(t, taps_of));
    return d->se > 0 && !t->failed ? train_se_new(t) : ERR_OK;
}

static void workers_new(nn_trainer *t)
{
    t->n_workers = pool_threads(t->o.threads);
    t->worker = keep(t, calloc((size_t)t->n_workers, sizeof *t->worker));
    size_t conv = 16, dz = (size_t)t->chunk * (size_t)t->hw * most((size_t)t->channels, (size_t)t->head_channels);
    if (t->n_layers > 0)
        for (int i = 0; i < 2; i++)
            conv = most(most(conv, conv3_scratch(&t->shape[i], t->chunk)),
                        most(conv3_scratch(&t->back[i], t->chunk), conv3_wgrad_scratch(&t->back[i], t->chunk)));
    for (int i = 0; i < t->n_workers && !t->failed; i++) {
        t->worker[i].conv = train_floats(t, conv);
        t->worker[i].dz = train_floats(t, dz);
        t->worker[i].dpacked = train_floats(t, widest_of(t, packed_of));
        t->worker[i].sum = keep(t, calloc(4 * t->widest, sizeof(double)));
    }
}

err nn_trainer_new(nn_trainer **out, nn_net *net, const nn_train_options *o)
{
    if (o->max_batch < 1) return err_set(ERR_USAGE, "a trainer for batches of %d positions", o->max_batch);
    nn_trainer *t = calloc(1, sizeof *t);
    if (t == NULL) return err_set(ERR_MEMORY, "no memory for a trainer");
    t->net = net;
    t->o = *o;
    if (t->o.bn_momentum == 0) t->o.bn_momentum = 0.1f;
    t->kern = nn_kern_now();
    t->hw = net->desc.rows * net->desc.cols;
    t->channels = nn_pad16(net->desc.channels);
    t->max_batch = o->max_batch;
    t->chunk = 16;
    t->grad = train_floats(t, net->at.n_train);
    t->now = net->w;
    if (net->desc.noisy > 0) t->noisy = train_floats(t, net->at.n_train);
    err e = nn_optim_new(&t->optim, net, &o->optim);
    if (e == ERR_OK && o->ema > 0) e = nn_net_copy(&t->ema, net);
    if (e == ERR_OK && net->desc.channels > 0) e = tower_new(t);
    if (e == ERR_OK && !t->failed) e = train_heads_new(t);
    t->widest = (size_t)(t->channels > t->head_channels ? t->channels : t->head_channels) + 16;
    if (e == ERR_OK && !t->failed) {
        size_t chunks = (size_t)((t->max_batch + t->chunk - 1) / t->chunk);
        t->chunk_sums = keep(t, calloc(chunks * 2 * t->widest, sizeof(double)));
        t->losses = keep(t, calloc((size_t)t->max_batch * (1 + NN_MAX_HEADS), sizeof(double)));
        t->log_p = keep(t, calloc((size_t)t->max_batch * (1 + NN_MAX_HEADS), sizeof(double)));
        workers_new(t);
    }
    if (e == ERR_OK && t->failed)
        e = err_set(ERR_MEMORY, "no memory to train with batches of %d positions", o->max_batch);
    return HAND_OVER(e, out, t, nn_trainer_free);
}

void nn_trainer_free(nn_trainer *t)
{
    if (t == NULL) return;
    for (int i = 0; i < NN_MAX_MLP; i++) train_fc_free(&t->mlp[i]);
    for (int h = 0; h < NN_MAX_HEADS; h++)
        for (int i = 0; i < 3; i++) train_fc_free(&t->head[h].fc[i]);
    for (int b = 0; t->se != NULL && b < t->net->desc.blocks; b++)
        for (int i = 0; i < 2; i++) train_fc_free(&t->se[b].fc[i]);
    for (int i = 0; i < 2; i++) conv3_free(&t->shape[i]), conv3_free(&t->back[i]);
    nn_optim_free(t->optim);
    nn_net_free(t->ema);
    free(t->se);
    for (int i = 0; i < t->n_owned; i++) free(t->owned[i]);
    free(t->owned);
    free(t);
}

const float *nn_trainer_grad(const nn_trainer *t)
{
    return t->grad;
}

const nn_net *nn_trainer_ema(const nn_trainer *t)
{
    return t->ema;
}

uint64_t nn_trainer_steps(const nn_trainer *t)
{
    return t->optim->step;
}

// --- batch-norm: what follows from the chunks' sums, added in order

static void total(const nn_trainer *t, int channel, double *a, double *b)
{
    *a = *b = 0;
    for (int c = 0; c < t->n_chunks; c++) {
        const double *sums = t->chunk_sums + (size_t)c * 2 * t->widest;
        *a += sums[channel];
        *b += sums[t->widest + (size_t)channel];
    }
}

void train_bn_stats(nn_trainer *t, train_bn *bn)
{
    double count = (double)t->n * t->hw, share = (double)t->o.bn_momentum;
    for (int s = 0; s < bn->n; s++)
        for (int i = 0; i < bn->at[s].cout; i++) {
            int ch = bn->first[s] + i;
            size_t o = (size_t)i;
            const nn_bn_at *at = &bn->at[s].bn;
            double sum, square;
            total(t, ch, &sum, &square);
            double mean = sum / count, var = square / count - mean * mean;
            if (var < 0) var = 0;
            bn->mean[ch] = (float)mean;
            bn->inv[ch] = (float)(1 / sqrt(var + (double)NN_BN_EPS));
            bn->scale[ch] = t->net->w[at->gamma + o] * bn->inv[ch];
            bn->shift[ch] = t->net->w[at->beta + o] - bn->mean[ch] * bn->scale[ch];
            if (!t->update) continue;
            float *rm = &t->net->w[at->mean + o], *rv = &t->net->w[at->var + o];
            *rm = (float)((1 - share) * (double)*rm + share * mean);
            *rv = (float)((1 - share) * (double)*rv + share * var * (count > 1 ? count / (count - 1) : 1));
        }
}

void train_bn_grads(nn_trainer *t, train_bn *bn)
{
    double count = (double)t->n * t->hw;
    for (int s = 0; s < bn->n; s++)
        for (int i = 0; i < bn->at[s].cout; i++) {
            int ch = bn->first[s] + i;
            size_t o = (size_t)i;
            double sum, dot, inv = (double)bn->inv[ch];
            total(t, ch, &sum, &dot);
            dot *= inv; // with the normalised value
            t->grad[bn->at[s].bn.beta + o] = (float)sum;
            t->grad[bn->at[s].bn.gamma + o] = (float)dot;
            double a = (double)t->net->w[bn->at[s].bn.gamma + o] * inv, b = -a * inv * dot / count;
            bn->a[ch] = (float)a;
            bn->b[ch] = (float)b;
            bn->c[ch] = (float)(-a * sum / count - b * (double)bn->mean[ch]);
        }
}

static double *sums_of_chunk(nn_trainer *t, int chunk)
{
    double *s = t->chunk_sums + (size_t)chunk * 2 * t->widest;
    memset(s, 0, 2 * t->widest * sizeof *s);
    return s;
}

// --- tower forward

// What layer l reads, from float `at` on: a block's output as it is, or a block's inside as z with its batch-norm.
static const float *below_of(const nn_trainer *t, int l, size_t at, nn_norm *norm)
{
    const train_layer *below = &t->layer[l - 1];
    if (l % 2 == 1) return below->act + at;
    *norm = (nn_norm){below->bn.scale, below->bn.shift};
    return below->z + at;
}

typedef struct phase {
    nn_trainer *t;
    int layer;
} phase;

typedef struct pack_job {
    nn_trainer *t;
    const train_layer *y;
    bool turned;
} pack_job;

static void pack_task(void *ctx, int task, int w)
{
    pack_job *j = ctx;
    const nn_conv_at *at = &j->y->at;
    (void)w;
    j->t->kern->pack(j->turned ? j->y->back : j->y->shape, j->t->net->w + at->w, at->cout, at->cin, NULL, j->turned,
                     task * 16, task * 16 + 16, j->t->packed);
}

// A layer's weights are packed right before they are used, always into the same place: they never leave the cache.
static void pack_layer(nn_trainer *t, int l, bool turned)
{
    pack_job j = {t, &t->layer[l], turned};
    pool_run(t->o.threads, j.y->shape->cin / 16, pack_task, &j);
}

void train_normalise(nn_trainer *t, int l, int from, int n)
{
    train_layer *y = &t->layer[l];
    size_t at = (size_t)from * board_size(t);
    bool end = l > 0 && l % 2 == 0; // of a block
    if (l % 2 == 1) return;         // read as z by whoever needs it
    if (end && t->se != NULL) {
        train_se_forward(t, l / 2 - 1, from, n);
        return;
    }
    t->kern->affine(n, t->channels / 16, t->hw, y->z + at, y->bn.scale, y->bn.shift,
                    end ? t->layer[l - 2].act + at : NULL, true, y->act + at);
}

static void forward_task(void *ctx, int chunk, int w)
{
    phase *p = ctx;
    nn_trainer *t = p->t;
    const nn_desc *d = &t->net->desc;
    train_layer *y = &t->layer[p->layer];
    int from, n;
    chunk_range(t, chunk, &from, &n);
    size_t at = (size_t)from * board_size(t);
    const float *in = t->x + (size_t)from * (size_t)t->shape[0].cin * (size_t)t->hw;
    nn_norm norm = {0};
    if (p->layer == 0) {
        nn_unpack_planes(d, n, t->batch->bits == NULL ? NULL : t->batch->bits + (size_t)from * nn_in_bits(d),
                         t->batch->scalars == NULL ? NULL : t->batch->scalars + from * d->scalars, (float *)in);
    } else {
        train_normalise(t, p->layer - 1, from, n);
        in = below_of(t, p->layer, at, &norm);
    }
    t->kern->conv(y->shape, n, in, norm.scale == NULL ? NULL : &norm, t->packed, NULL, NULL, false, y->z + at,
                  t->worker[w].conv);
    double *sums = sums_of_chunk(t, chunk);
    t->kern->sums(n, t->channels / 16, t->hw, y->z + at, sums, sums + t->widest);
}

// --- tower backward

void train_block_grad(nn_trainer *t, int l, int chunk, train_worker *w)
{
    train_layer *y = &t->layer[l];
    int from, n, cb = t->channels / 16;
    chunk_range(t, chunk, &from, &n);
    size_t at = (size_t)from * board_size(t);
    double *sums = sums_of_chunk(t, chunk);
    (void)w;
    if (l > 0 && t->se != NULL) {
        train_se_back(t, l / 2 - 1, from, n);
        t->kern->mask_sums(n, cb, t->hw, t->f + at, NULL, NULL, y->z + at, y->bn.mean, sums, sums + t->widest);
        return;
    }
    t->kern->mask_sums(n, cb, t->hw, t->d + at, y->act + at, NULL, y->z + at, y->bn.mean, sums, sums + t->widest);
}

static void backward_chunk(nn_trainer *t, int l, int chunk, bool add, train_worker *w)
{
    train_layer *y = &t->layer[l];
    int from, n, cb = t->channels / 16;
    chunk_range(t, chunk, &from, &n);
    size_t at = (size_t)from * board_size(t);
    bool inner = l % 2 == 1;
    const float *d = inner ? t->e : l > 0 && t->se != NULL ? t->f : t->d;
    nn_norm norm = {0};
    const float *in =
        l == 0 ? t->x + (size_t)from * (size_t)t->shape[0].cin * (size_t)t->hw : below_of(t, l, at, &norm);
    const nn_norm *normed = norm.scale == NULL ? NULL : &norm;
    t->kern->affine2(n, cb, t->hw, d + at, y->z + at, y->bn.a, y->bn.b, y->bn.c, w->dz);
    t->kern->wgrad(y->back, n, in, normed, w->dz, w->dpacked, add, w->conv);
    if (l == 0) return;
    if (inner) {
        t->kern->conv(y->back, n, w->dz, NULL, t->packed, NULL, t->d + at, false, t->d + at, w->conv);
        train_block_grad(t, l - 1, chunk, w);
    } else {
        train_layer *below = &t->layer[l - 1];
        double *sums = sums_of_chunk(t, chunk);
        t->kern->conv(y->back, n, w->dz, NULL, t->packed, NULL, NULL, false, t->e + at, w->conv);
        t->kern->mask_sums(n, cb, t->hw, t->e + at, NULL, normed, below->z + at, below->bn.mean, sums,
                           sums + t->widest);
    }
}

static void backward_task(void *ctx, int group, int w)
{
    phase *p = ctx;
    nn_trainer *t = p->t;
    int first, end;
    group_range(t, group, &first, &end);
    for (int c = first; c < end; c++) backward_chunk(t, p->layer, c, c > first, &t->worker[w]);
    t->kern->grad_taps(t->layer[p->layer].back, t->worker[w].dpacked, t->taps[group]);
}

static void sum_task(void *ctx, int task, int w)
{
    phase *p = ctx;
    nn_trainer *t = p->t;
    const nn_conv_at *at = &t->layer[p->layer].at;
    (void)w;
    t->kern->sum_taps(t->layer[p->layer].back, (const float *const *)t->taps, t->n_groups, at->cout, at->cin, task * 16,
                      task * 16 + 16, t->grad + at->w);
}

static void tower_backward(nn_trainer *t)
{
    for (int l = t->n_layers - 1; l >= 0; l--) {
        phase p = {t, l};
        train_bn_grads(t, &t->layer[l].bn);
        if (l > 0) pack_layer(t, l, true);
        pool_run(t->o.threads, t->n_groups, backward_task, &p);
        pool_run(t->o.threads, (t->layer[l].at.cin + 15) / 16, sum_task, &p);
    }
    for (int b = 0; t->se != NULL && b < t->net->desc.blocks; b++)
        for (int i = 0; i < 2; i++) train_fc_grads(t, &t->se[b].fc[i]);
}

// --- the step

static void heads_pack(nn_trainer *t)
{
    train_heads_pack(t);
    for (int b = 0; t->se != NULL && b < t->net->desc.blocks; b++)
        for (int i = 0; i < 2; i++) train_fc_pack(t, &t->se[b].fc[i]);
}

err nn_train_gradient(nn_trainer *t, const nn_batch *b, nn_step_report *r)
{
    const nn_desc *d = &t->net->desc;
    err e = nn_batch_check(d, b);
    if (e != ERR_OK) return e;
    if (b->n > t->max_batch)
        return err_set(ERR_USAGE, "a batch of %d positions; this trainer takes %d", b->n, t->max_batch);
    t->batch = b;
    t->n = b->n;
    t->n_chunks = (b->n + t->chunk - 1) / t->chunk;
    t->n_groups = b->n / 64 < 1 ? 1 : b->n / 64 > MAX_GROUPS ? MAX_GROUPS : b->n / 64;
    if (t->n_groups > t->n_chunks) t->n_groups = t->n_chunks;
    t->now = t->net->w;
    if (b->noise != NULL && t->noisy != NULL) {
        nn_noise_apply(d, &t->net->at, t->net->w, b->noise, t->noisy);
        t->now = t->noisy;
    }
    heads_pack(t);
    for (int l = 0; l < t->n_layers; l++) {
        phase p = {t, l};
        pack_layer(t, l, false);
        pool_run(t->o.threads, t->n_chunks, forward_task, &p);
        train_bn_stats(t, &t->layer[l].bn);
    }
    train_heads(t);
    if (d->channels > 0) tower_backward(t);
    nn_noise_grad(d, &t->net->at, b->noise, t->grad);
    nn_step_report sum = {0};
    for (int i = 0; i < b->n; i++) {
        const double *row = t->losses + (size_t)i * (1 + NN_MAX_HEADS);
        sum.loss += row[0] / b->n;
        for (int h = 0; h < d->n_heads; h++) sum.by_head[h] += row[1 + h] / b->n;
    }
    if (r != NULL) *r = sum;
    return ERR_OK;
}

err nn_train_step(nn_trainer *t, const nn_batch *b, float lr, nn_step_report *r)
{
    nn_step_report mine;
    t->update = true;
    err e = nn_train_gradient(t, b, &mine);
    t->update = false;
    if (e != ERR_OK) return e;
    if (!isfinite(mine.loss))
        return err_set(ERR_LIMIT, "the loss is no longer a number: the learning rate is too high");
    mine.grad_norm = nn_optim_step(t->optim, t->o.threads, t->net->w, t->grad, lr);
    if (t->ema != NULL) nn_net_ema(t->ema, t->net, t->o.ema);
    if (r != NULL) *r = mine;
    return ERR_OK;
}

// --- the state

static nn_state state_of(const nn_trainer *t)
{
    return (nn_state){.desc = &t->net->desc,
                      .kind = t->optim->o.kind,
                      .step = t->optim->step,
                      .n_train = t->net->at.n_train,
                      .n_all = t->net->at.n_all,
                      .w = t->net->w,
                      .m = t->optim->m,
                      .v = t->optim->v,
                      .ema = t->ema == NULL ? NULL : t->ema->w};
}

err nn_trainer_state(const nn_trainer *t, text_buf *out)
{
    nn_state s = state_of(t);
    return nn_state_write(&s, out);
}

err nn_trainer_restore(nn_trainer *t, const void *data, size_t size)
{
    nn_state s = state_of(t);
    err e = nn_state_read(&s, data, size);
    if (e == ERR_OK) t->optim->step = s.step;
    return e;
}
