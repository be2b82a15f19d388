// The f32 forward pass. See infer.h; the int8 trunk is in quant.c.
#include "nn/infer_inner.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- making a plan

// scale and bias that batch-norm with running statistics amounts to, for channels [0, cout)
void plan_fold(const nn_net *net, const nn_conv_at *c, float *scale, float *bias)
{
    for (size_t o = 0; o < (size_t)c->cout; o++) {
        double g = 1, b = (double)net->w[c->bn.beta + o];
        if (c->normed) {
            g = (double)net->w[c->bn.gamma + o] / sqrt((double)net->w[c->bn.var + o] + (double)NN_BN_EPS);
            b -= g * (double)net->w[c->bn.mean + o];
        }
        scale[o] = (float)g;
        bias[o] = (float)b;
    }
}

static err pack_conv(nn_plan *p, const nn_net *net, const nn_conv_at *at, const conv3 *c, plan_conv *out)
{
    float *scale = nn_floats((size_t)c->cout);
    out->w = nn_floats(c->n_packed);
    out->bias = nn_floats((size_t)c->cout);
    if (scale == NULL || out->w == NULL || out->bias == NULL) {
        free(scale);
        return err_set(ERR_MEMORY, "no memory for a convolution's weights");
    }
    plan_fold(net, at, scale, out->bias);
    p->kern->pack(c, net->w + at->w, at->cout, at->cin, scale, false, 0, c->cin, out->w);
    free(scale);
    return ERR_OK;
}

// All heads' 1x1 convolutions as one: first those with batch-norm and ReLU, then the board heads' plain ones.
static err pack_head_convs(nn_plan *p, const nn_net *net)
{
    const nn_desc *d = &p->desc;
    int at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int h = 0; h < d->n_heads; h++) {
            const nn_conv_at *c = &net->at.head[h].conv;
            if (c->cout == 0 || c->normed != (pass == 0)) continue;
            p->head[h].channel = at;
            at += c->cout;
        }
        at = nn_pad16(at);
        if (pass == 0) p->normed = at;
    }
    p->head_channels = at;
    p->head_w = nn_floats((size_t)p->channels * (size_t)at);
    p->head_bias = nn_floats((size_t)at);
    float *scale = nn_floats((size_t)at);
    err e = p->head_w == NULL || p->head_bias == NULL || scale == NULL ? err_set(ERR_MEMORY, "no memory for the heads")
                                                                       : ERR_OK;
    for (int h = 0; h < d->n_heads && e == ERR_OK; h++) {
        const nn_conv_at *c = &net->at.head[h].conv;
        if (c->cout == 0) continue;
        plan_fold(net, c, scale, p->head_bias + p->head[h].channel);
        for (int o = 0; o < c->cout; o++) { // [block of 16 outputs][channels][16]
            int to = p->head[h].channel + o;
            for (int i = 0; i < c->cin; i++)
                p->head_w[(size_t)(to / 16 * 16) * (size_t)p->channels + (size_t)(i * 16 + to % 16)] =
                    scale[o] * net->w[c->w + (size_t)(o * c->cin + i)];
        }
    }
    free(scale);
    return e;
}

static err pack_fc(const nn_net *net, const nn_fc_at *at, fc_pack *f)
{
    err e = fc_pack_new(f, at->in, at->out);
    if (e == ERR_OK) fc_pack_set(f, net->w + at->w, net->w + at->b);
    return e;
}

static err pack_tower(nn_plan *p, const nn_net *net, nn_method method)
{
    const nn_desc *d = &p->desc;
    err e = conv3_init(&p->stem_shape, d->rows, d->cols, nn_inputs(d), d->channels, method);
    if (e == ERR_OK) e = conv3_init(&p->body_shape, d->rows, d->cols, d->channels, d->channels, method);
    if (e == ERR_OK) e = pack_conv(p, net, &net->at.stem, &p->stem_shape, &p->stem);
    p->block = calloc((size_t)d->blocks + 1, sizeof *p->block);
    if (e == ERR_OK && p->block == NULL) e = err_set(ERR_MEMORY, "no memory for the blocks");
    for (int b = 0; b < d->blocks && e == ERR_OK; b++)
        for (int i = 0; i < 2 && e == ERR_OK; i++) {
            if (p->int8 == NULL) e = pack_conv(p, net, &net->at.block[b].conv[i], &p->body_shape, &p->block[b].conv[i]);
            if (e == ERR_OK && d->se > 0) e = pack_fc(net, &net->at.block[b].se[i], &p->block[b].se[i]);
        }
    if (e == ERR_OK) e = pack_head_convs(p, net);
    return e;
}

static int chunk_for(const nn_plan *p)
{
    return p->desc.channels == 0 ? 16 : conv3_boards(&p->body_shape);
}

err nn_plan_new(nn_plan **out, const nn_net *net, const nn_plan_options *o)
{
    static const nn_plan_options none = {0};
    nn_plan *p = calloc(1, sizeof *p);
    if (p == NULL) return err_set(ERR_MEMORY, "no memory for a plan");
    if (o == NULL) o = &none;
    p->desc = net->desc;
    p->kern = o->kern == NULL ? nn_kern_now() : o->kern;
    p->channels = nn_pad16(net->desc.channels);
    err e = ERR_OK;
    nn_method method = o->method > 0 ? (nn_method)(o->method - 1) : nn_method_for(net->desc.rows, net->desc.cols);
    if (o->int8 != NULL && net->desc.channels > 0) e = int8_new(&p->int8, net, o->int8, o->method == 1 + NN_DIRECT);
    if (e == ERR_OK && net->desc.channels > 0) e = pack_tower(p, net, method);
    for (int i = 0; i < net->desc.n_mlp && e == ERR_OK; i++) e = pack_fc(net, &net->at.mlp[i], &p->mlp[i]);
    for (int h = 0; h < net->desc.n_heads && e == ERR_OK; h++)
        for (int i = 0; i < net->at.head[h].n_fc && e == ERR_OK; i++)
            e = pack_fc(net, &net->at.head[h].fc[i], &p->head[h].fc[i]);
    if (e != ERR_OK) {
        nn_plan_free(p);
        return e;
    }
    p->chunk = o->chunk > 0 ? o->chunk : chunk_for(p);
    if (net->desc.channels == 0)
        snprintf(p->text, sizeof p->text, "%s mlp", p->kern->name);
    else if (p->int8 != NULL)
        snprintf(p->text, sizeof p->text, "int8 %s, chunks of %d", int8_name(p->int8), p->chunk);
    else
        snprintf(p->text, sizeof p->text, "%s %s, chunks of %d", p->kern->name, nn_method_name(method), p->chunk);
    *out = p;
    return ERR_OK;
}

void nn_plan_free(nn_plan *p)
{
    if (p == NULL) return;
    conv3_free(&p->stem_shape);
    conv3_free(&p->body_shape);
    free(p->stem.w), free(p->stem.bias);
    for (int b = 0; p->block != NULL && b < p->desc.blocks; b++)
        for (int i = 0; i < 2; i++) {
            free(p->block[b].conv[i].w), free(p->block[b].conv[i].bias);
            fc_pack_free(&p->block[b].se[i]);
        }
    free(p->block);
    free(p->head_w), free(p->head_bias);
    for (int i = 0; i < NN_MAX_MLP; i++) fc_pack_free(&p->mlp[i]);
    for (int h = 0; h < NN_MAX_HEADS; h++)
        for (int i = 0; i < 3; i++) fc_pack_free(&p->head[h].fc[i]);
    int8_free(p->int8);
    free(p);
}

const nn_desc *nn_plan_desc(const nn_plan *p)
{
    return &p->desc;
}

const char *nn_plan_text(const nn_plan *p)
{
    return p->text;
}

// --- scratch: one allocation, cut into pieces

static size_t max2(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Floats a board for the widest vectors that pass between fully connected layers.
static size_t row_room(const nn_plan *p)
{
    const nn_desc *d = &p->desc;
    size_t wide = max2(64, (size_t)p->channels);
    if (d->channels == 0) wide = max2(wide, (size_t)nn_pad16(d->planes * d->rows * d->cols + d->scalars));
    for (int i = 0; i < d->n_mlp; i++) wide = max2(wide, (size_t)p->mlp[i].wide);
    for (int h = 0; h < d->n_heads; h++)
        for (int i = 0; i < 3; i++)
            wide = max2(wide, max2((size_t)p->head[h].fc[i].wide, (size_t)nn_pad16(p->head[h].fc[i].in)));
    return max2(wide, (size_t)nn_pad16(d->se));
}

err nn_scratch_new(nn_scratch **out, const nn_plan *p)
{
    nn_scratch *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory for a worker");
    size_t n = (size_t)p->chunk, hw = (size_t)(p->desc.rows * p->desc.cols), act = n * hw * (size_t)p->channels;
    size_t rows = n * row_room(p), conv = 0, input = 0;
    if (p->desc.channels > 0) {
        input = n * hw * (size_t)p->stem_shape.cin;
        conv = max2(conv3_scratch(&p->stem_shape, p->chunk), conv3_scratch(&p->body_shape, p->chunk));
    }
    size_t heads = n * hw * (size_t)p->head_channels, int8 = int8_scratch(p->int8, &p->desc, p->chunk);
    size_t pad = 32; // pieces start on different cache sets
    size_t total = input + 3 * act + conv + heads + 4 * rows + int8 + 10 * pad;
    s->all = nn_floats(total);
    if (s->all == NULL) {
        free(s);
        return err_set(ERR_MEMORY, "no memory for a worker's %zu floats", total);
    }
    float *next = s->all;
    struct {
        float **to;
        size_t size;
    } pieces[] = {{&s->x, input},     {&s->a, act},       {&s->b, act},       {&s->c, act},
                  {&s->conv, conv},   {&s->heads, heads}, {&s->row[0], rows}, {&s->row[1], rows},
                  {&s->row[2], rows}, {&s->row[3], rows}, {&s->int8, int8}};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        *pieces[i].to = next;
        next += ((pieces[i].size + 15) & ~(size_t)15) + 16;
    }
    *out = s;
    return ERR_OK;
}

void nn_scratch_free(nn_scratch *s)
{
    if (s == NULL) return;
    free(s->all);
    free(s);
}

// --- input

void nn_unpack_planes(const nn_desc *d, int n, const uint64_t *bits, const float *scalars, float *x)
{
    int hw = d->rows * d->cols, words = nn_words(d), cin = nn_pad16(nn_inputs(d));
    memset(x, 0, (size_t)n * (size_t)cin * (size_t)hw * sizeof *x);
    for (int i = 0; i < n; i++, x += (size_t)cin * (size_t)hw) {
        for (int c = 0; c < d->planes; c++) {
            float *to = x + (size_t)(c / 16 * 16) * (size_t)hw + c % 16;
            for (int w = 0; w < words; w++)
                for (uint64_t left = *bits++; left != 0; left &= left - 1) {
                    int square = w * 64 + __builtin_ctzll(left);
                    if (square < hw) to[(size_t)square * 16] = 1;
                }
        }
        for (int k = 0; k < d->scalars; k++) {
            int c = d->planes + k;
            float *to = x + (size_t)(c / 16 * 16) * (size_t)hw + c % 16, v = *scalars++;
            for (int q = 0; q < hw; q++) to[(size_t)q * 16] = v;
        }
    }
}

void nn_unpack_rows(const nn_desc *d, int n, const uint64_t *bits, const float *scalars, float *x, size_t ld)
{
    int hw = d->rows * d->cols, words = nn_words(d);
    for (int i = 0; i < n; i++, x += ld) {
        memset(x, 0, ld * sizeof *x);
        for (int c = 0; c < d->planes; c++)
            for (int w = 0; w < words; w++)
                for (uint64_t left = *bits++; left != 0; left &= left - 1) {
                    int square = w * 64 + __builtin_ctzll(left);
                    if (square < hw) x[c * hw + square] = 1;
                }
        for (int k = 0; k < d->scalars; k++) x[d->planes * hw + k] = *scalars++;
    }
}

// --- trunk

// y = relu(x + gate * z) with the gate of squeeze-excitation; z is conv 2's output with its bias.
void plan_squeeze(const nn_plan *p, nn_scratch *s, const plan_block *b, int n, const float *z, const float *x, float *y)
{
    int cb = p->channels / 16, hw = p->desc.rows * p->desc.cols;
    size_t ch = (size_t)p->channels, board = ch * (size_t)hw;
    for (int i = 0; i < n; i++) {
        double sum[NN_MAX_CHANNELS] = {0}, square[NN_MAX_CHANNELS] = {0};
        p->kern->sums(1, cb, hw, z + (size_t)i * board, sum, square);
        for (size_t c = 0; c < ch; c++) s->row[0][(size_t)i * ch + c] = (float)(sum[c] / hw);
    }
    size_t hidden = (size_t)b->se[0].wide;
    fc_run(p->kern, &b->se[0], n, s->row[0], ch, s->row[1], hidden, true);
    fc_run(p->kern, &b->se[1], n, s->row[1], hidden, s->row[0], ch, false);
    memset(s->row[1], 0, ch * sizeof(float));
    for (int i = 0; i < n; i++) {
        float *gate = s->row[0] + (size_t)i * ch;
        for (size_t c = 0; c < ch; c++) gate[c] = 1 / (1 + expf(-gate[c]));
        p->kern->affine(1, cb, hw, z + (size_t)i * board, gate, s->row[1], x + (size_t)i * board, true,
                        y + (size_t)i * board);
    }
}

// Leaves the trunk's output in s->a.
static void run_tower(const nn_plan *p, nn_scratch *s, int n, const uint64_t *bits, const float *scalars)
{
    const nn_kern *k = p->kern;
    nn_unpack_planes(&p->desc, n, bits, scalars, s->x);
    k->conv(&p->stem_shape, n, s->x, NULL, p->stem.w, p->stem.bias, NULL, true, s->a, s->conv);
    if (p->int8 != NULL) {
        int8_run(p, s, n);
        return;
    }
    for (int b = 0; b < p->desc.blocks; b++) {
        const plan_block *blk = &p->block[b];
        k->conv(&p->body_shape, n, s->a, NULL, blk->conv[0].w, blk->conv[0].bias, NULL, true, s->b, s->conv);
        if (p->desc.se > 0) {
            k->conv(&p->body_shape, n, s->b, NULL, blk->conv[1].w, blk->conv[1].bias, NULL, false, s->c, s->conv);
            plan_squeeze(p, s, blk, n, s->c, s->a, s->a);
        } else {
            k->conv(&p->body_shape, n, s->b, NULL, blk->conv[1].w, blk->conv[1].bias, s->a, true, s->a, s->conv);
        }
    }
}

// y[hw][16] += bias[16], and ReLU. In blocks without a branch, which compilers turn into vectors.
static void add_bias(int hw, const float *bias, bool relu, float *y)
{
    const float least = relu ? 0 : -INFINITY;
    for (int q = 0; q < hw; q++, y += 16)
        for (int c = 0; c < 16; c++) {
            float v = y[c] + bias[c];
            y[c] = v < least ? least : v;
        }
}

// heads[n][blocks][hw][16] = 1x1 convolutions of the trunk, with bias, and ReLU where batch-norm was.
static void run_head_convs(const nn_plan *p, nn_scratch *s, int n)
{
    int hw = p->desc.rows * p->desc.cols, ob = p->head_channels / 16;
    for (int i = 0; i < n; i++)
        for (int o = 0; o < ob; o++) {
            float *y = s->heads + (size_t)(i * ob + o) * (size_t)hw * 16;
            for (int b = 0; b < p->channels / 16; b++)
                p->kern->gemm(hw, 16, 16, s->a + ((size_t)(i * p->channels) + (size_t)(b * 16)) * (size_t)hw, 16, 1,
                              p->head_w + (size_t)(o * 16 * p->channels + b * 256), 16, y, 16, b > 0);
            add_bias(hw, p->head_bias + o * 16, o * 16 < p->normed, y);
        }
}

// --- heads

// Channels c0 … c0+count-1 of the heads' convolution, in PyTorch's flatten order, `ld` floats per row.
static void gather_flat(const nn_plan *p, const nn_scratch *s, int n, int c0, int count, float *to, size_t ld)
{
    int hw = p->desc.rows * p->desc.cols;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < count; c++) {
            const float *from =
                s->heads + ((size_t)(i * p->head_channels) + (size_t)((c0 + c) / 16 * 16)) * (size_t)hw + (c0 + c) % 16;
            float *row = to + (size_t)i * ld + (size_t)(c * hw);
            for (int q = 0; q < hw; q++) row[q] = from[(size_t)q * 16];
        }
}

static void run_duel(const nn_plan *p, nn_scratch *s, int h, int n, float *out, size_t os)
{
    const plan_head *ph = &p->head[h];
    int actions = p->desc.head[h].out, hidden = p->desc.head[h].hidden, atoms = nn_atoms(&p->desc.head[h]);
    size_t wide = (size_t)ph->fc[0].wide, vw = (size_t)ph->fc[1].wide, aw = (size_t)ph->fc[2].wide;
    fc_run(p->kern, &ph->fc[1], n, s->row[1], wide, s->row[2], vw, false);
    fc_run(p->kern, &ph->fc[2], n, s->row[1] + hidden, wide, s->row[3], aw, false);
    for (int i = 0; i < n; i++) {
        const float *a = s->row[3] + (size_t)i * aw, *v = s->row[2] + (size_t)i * vw;
        for (int k = 0; k < atoms; k++) {
            float mean = 0, *q = out + (size_t)i * os + k;
            for (int j = 0; j < actions; j++) mean += a[j * atoms + k] / (float)actions;
            for (int j = 0; j < actions; j++) q[j * atoms] = v[k] + a[j * atoms + k] - mean;
        }
    }
}

static void run_head(const nn_plan *p, nn_scratch *s, int h, int n, const float *flat, size_t ld, float *out, size_t os)
{
    const plan_head *ph = &p->head[h];
    const nn_head *d = &p->desc.head[h];
    int size = nn_head_size(&p->desc, h);
    if (d->kind == NN_BOARD) {
        gather_flat(p, s, n, ph->channel, d->out, out, os);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < size; j++) out[(size_t)i * os + (size_t)j] = tanhf(out[(size_t)i * os + (size_t)j]);
        return;
    }
    if (d->filters > 0) {
        ld = (size_t)nn_pad16(ph->fc[0].in);
        gather_flat(p, s, n, ph->channel, d->filters, s->row[0], ld);
        flat = s->row[0];
    }
    bool hidden = ph->fc[1].w != NULL;
    fc_run(p->kern, &ph->fc[0], n, flat, ld, s->row[1], (size_t)ph->fc[0].wide, hidden);
    const float *y = s->row[1];
    size_t ldy = (size_t)ph->fc[0].wide;
    if (d->kind == NN_DUEL) {
        run_duel(p, s, h, n, out, os);
        return;
    }
    if (hidden) {
        fc_run(p->kern, &ph->fc[1], n, s->row[1], ldy, s->row[2], (size_t)ph->fc[1].wide, false);
        y = s->row[2];
        ldy = (size_t)ph->fc[1].wide;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size; j++) {
            float v = y[(size_t)i * ldy + (size_t)j];
            out[(size_t)i * os + (size_t)j] = d->kind == NN_VALUE ? tanhf(v) : v;
        }
}

static void run_chunk(const nn_plan *p, nn_scratch *s, int n, const uint64_t *bits, const float *scalars, float *out)
{
    const nn_desc *d = &p->desc;
    const float *flat = NULL;
    size_t ld = 0, os = (size_t)nn_out_size(d);
    if (d->channels > 0) {
        run_tower(p, s, n, bits, scalars);
        run_head_convs(p, s, n);
    } else {
        // the mlp's vectors alternate between rows 0 and 3; heads then use rows 1 and 2, and the duel head the free one
        int now = 0;
        ld = (size_t)nn_pad16(p->mlp[0].in);
        nn_unpack_rows(d, n, bits, scalars, s->row[0], ld);
        for (int i = 0; i < d->n_mlp; i++, now ^= 3) {
            fc_run(p->kern, &p->mlp[i], n, s->row[now], ld, s->row[now ^ 3], (size_t)p->mlp[i].wide, true);
            ld = (size_t)p->mlp[i].wide;
        }
        if (now == 3) memcpy(s->row[0], s->row[3], (size_t)n * ld * sizeof(float));
        flat = s->row[0];
    }
    for (int h = 0; h < d->n_heads; h++) run_head(p, s, h, n, flat, ld, out + nn_head_at(d, h), os);
}

void nn_run(const nn_plan *p, nn_scratch *s, int n, const uint64_t *bits, const float *scalars, float *out)
{
    for (int i = 0; i < n; i += p->chunk) {
        int now = n - i < p->chunk ? n - i : p->chunk;
        run_chunk(p, s, now, bits == NULL ? NULL : bits + (size_t)i * nn_in_bits(&p->desc),
                  scalars == NULL ? NULL : scalars + (size_t)(i * p->desc.scalars),
                  out + (size_t)i * (size_t)nn_out_size(&p->desc));
    }
}

// --- several threads

struct nn_crew {
    const nn_plan *plan;
    pool *threads;
    nn_scratch **scratch;
    int n_workers;
    // this run
    int n, piece;
    const uint64_t *bits;
    const float *scalars;
    float *out;
};

err nn_crew_new(nn_crew **out, const nn_plan *p, pool *threads)
{
    nn_crew *c = calloc(1, sizeof *c);
    err e = c == NULL ? err_set(ERR_MEMORY, "no memory for workers") : ERR_OK;
    if (e == ERR_OK) {
        c->plan = p;
        c->threads = threads;
        c->n_workers = pool_threads(threads);
        c->scratch = calloc((size_t)c->n_workers, sizeof(nn_scratch *));
        if (c->scratch == NULL) e = err_set(ERR_MEMORY, "no memory for workers");
    }
    for (int i = 0; e == ERR_OK && i < c->n_workers; i++) e = nn_scratch_new(&c->scratch[i], p);
    if (e != ERR_OK)
        nn_crew_free(c);
    else
        *out = c;
    return e;
}

void nn_crew_free(nn_crew *c)
{
    if (c == NULL) return;
    for (int i = 0; c->scratch != NULL && i < c->n_workers; i++) nn_scratch_free(c->scratch[i]);
    free(c->scratch);
    free(c);
}

static void crew_task(void *ctx, int task, int worker)
{
    nn_crew *c = ctx;
    const nn_desc *d = &c->plan->desc;
    int from = task * c->piece, n = c->n - from < c->piece ? c->n - from : c->piece;
    nn_run(c->plan, c->scratch[worker], n, c->bits == NULL ? NULL : c->bits + (size_t)from * nn_in_bits(d),
           c->scalars == NULL ? NULL : c->scalars + (size_t)from * (size_t)d->scalars,
           c->out + (size_t)from * (size_t)nn_out_size(d));
}

void nn_crew_run(nn_crew *c, int n, const uint64_t *bits, const float *scalars, float *out)
{
    // a piece for each thread when there are few positions; never more than a chunk
    int share = (n + c->n_workers - 1) / c->n_workers;
    c->n = n;
    c->piece = share < c->plan->chunk ? share : c->plan->chunk;
    c->bits = bits, c->scalars = scalars, c->out = out;
    if (n > 0) pool_run(c->threads, (n + c->piece - 1) / c->piece, crew_task, c);
}
