// The launches of one training step, in order: gather, pack, tower forward, heads, losses, heads back, tower back, optimiser.
#include "nn/cuda/train_inner_cuda.h"

#include <assert.h>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int code_ = (call);                                                                                            \
        if (code_ != 0) return code_;                                                                                  \
    } while (0)

static board_shape shape(const cuda_learner *t, int n)
{
    return (board_shape){n, t->net->desc.rows, t->net->desc.cols};
}

static float *coef(const cuda_learner *t, const gpu_layer *y, int row)
{
    return y->coef + row * t->cp;
}

// --- the side: a second branch of the step

// What comes next on the side has all that was launched so far.
static int fork_side(cuda_learner *t)
{
    TRY((int)cudaEventRecord(t->fork, t->stream));
    return (int)cudaStreamWaitEvent(t->side, t->fork, 0);
}

static int join_side(cuda_learner *t)
{
    TRY((int)cudaEventRecord(t->join, t->side));
    return (int)cudaStreamWaitEvent(t->stream, t->join, 0);
}

// --- batch-norm

static bn_args bn_of(const cuda_learner *t, int n, const nn_conv_at *at, int padded, batch_sums sums, float *coefs)
{
    double cells = (double)n * t->net->desc.rows * t->net->desc.cols;
    return (bn_args){.channels = at->cout,
                     .padded = padded,
                     .sums = sums,
                     .share = 1 / cells,
                     .unbiased = cells > 1 ? cells / (cells - 1) : 1,
                     .w = t->w,
                     .grad = t->grad,
                     .gamma = at->bn.gamma,
                     .beta = at->bn.beta,
                     .mean = at->bn.mean,
                     .var = at->bn.var,
                     .momentum = t->o.bn_momentum,
                     .coef = coefs};
}

// Where the next launch leaves its sums. Those of layer90 take turns: a block that comes late still reads those of the launch
// before, while the place of the launch after it is cleared.
static void leave_sums(cuda_learner *t, layer_args *a)
{
    size_t each = layer90_sums_size(t->cp) / sizeof *t->exact;
    a->sums = t->sums, a->sms = t->sms;
    if (a->w90 == NULL) return;
    a->exact = t->exact + (size_t)t->turn * each;
    t->turn = (t->turn + 1) % EXACT_TURNS;
    a->exact_next = t->exact + (size_t)t->turn * each;
}

// --- tower forward

// What layer90's launches find made before the first of them. The stem does not wait for it.
static int prepare_blocks(cuda_learner *t)
{
    t->turn = 0;
    TRY(fork_side(t));
    TRY((int)cudaMemsetAsync(t->exact, 0, layer90_sums_size(t->cp), t->side));
    return pack90_run(t->jobs, t->n_layers, t->channels90, t->w, t->side);
}

// What a layer's output becomes for whoever reads it: relu(batch-norm(z) + shortcut).
static void read_layer(const cuda_learner *t, int l, layer_args *a)
{
    const gpu_layer *y = &t->layer[l];
    a->p = y->z;
    a->q = l > 0 && l % 2 == 0 ? t->layer[l - 2].act : NULL;
    a->a = coef(t, y, BN_SCALE), a->b = coef(t, y, BN_ONE), a->c = coef(t, y, BN_SHIFT);
    a->relu = 1;
    a->keep = y->act, a->keep_mask = y->mask;
}

static int tower_forward(cuda_learner *t, int n)
{
    bn_args bn = {0};
    bool fused = false;
    for (int l = 0; l < t->n_layers; l++) {
        gpu_layer *y = &t->layer[l];
        layer_args a = {.s = shape(t, n), .cin = y->cin, .cout = t->cp, .w = y->front, .w90 = (uint8_t *)y->front90};
        if (l == 0)
            a.p = t->x0;
        else
            read_layer(t, l - 1, &a);
        if (fused) a.way = BN_FORWARD, a.bn = bn;
        a.y = y->z;
        leave_sums(t, &a);
        TRY(layer_run(&a, t->stream));
        bn = bn_of(t, n, &y->at, t->cp, layer_sums(&a), y->coef);
        fused = y->front90 != NULL && l + 1 < t->n_layers; // the next layer's launch finishes this one's batch-norm
        if (l == 0 && t->channels90 > 0) TRY(join_side(t));
        if (!fused) TRY(bn_forward(&bn, 1, t->stream));
    }
    layer_args last = {.s = shape(t, n), .cin = t->cp};
    read_layer(t, t->n_layers - 1, &last);
    return affine_run(&last, t->stream);
}

// --- fully connected layers

static int fc_forward(cuda_learner *t, const gpu_fc *f, int n, void *stream)
{
    gemm_args g = {.m = n, .n = f->at.out, .k = f->at.in, .a = f->x, .am = f->ldx, .ak = 1};
    g.b = t->w + f->at.w, g.bn = f->at.in, g.bk = 1;
    g.c = f->y, g.ldc = f->ld, g.bias = t->w + f->at.b, g.relu = f->relu;
    return gemm_run(&g, stream);
}

static int fc_back(cuda_learner *t, const gpu_fc *f, int n, void *stream)
{
    if (f->dx == NULL) return 0;
    gemm_args d = {.m = n, .n = f->at.in, .k = f->at.out, .a = f->dy, .am = f->ld, .ak = 1};
    d.b = t->w + f->at.w, d.bn = 1, d.bk = f->at.in;
    d.c = f->dx, d.ldc = f->ldx, d.mask = f->dx_mask, d.add = f->dx_add;
    return gemm_run(&d, stream);
}

static int fc_grad(cuda_learner *t, const gpu_fc *f, int n)
{
    gemm_args g = {
        .m = f->at.out, .n = f->at.in, .k = n, .a = f->dy, .am = 1, .ak = f->ld, .b = f->x, .bn = 1, .bk = f->ldx};
    g.c = t->grad + f->at.w, g.ldc = f->at.in, g.a_sums = t->grad + f->at.b;
    g.parts = t->gemm_parts, g.room = t->gemm_room;
    return gemm_run(&g, t->side);
}

// --- heads

// The fully connected layers of all heads, forward or back. These are small, so every second head goes to the side; where heads
// add to one gradient, they take turns.
static int each_head(cuda_learner *t, int n, bool forward)
{
    const nn_desc *d = &t->net->desc;
    bool apart = d->channels > 0 && d->n_heads > 1;
    if (apart) TRY(fork_side(t));
    for (int h = 0; h < d->n_heads; h++) {
        const gpu_head *p = &t->head[h];
        void *stream = apart && h % 2 == 1 ? t->side : t->stream;
        for (int i = 0; i < p->n_fc; i++)
            TRY(forward ? fc_forward(t, &p->fc[i], n, stream) : fc_back(t, &p->fc[p->n_fc - 1 - i], n, stream));
    }
    return apart ? join_side(t) : 0;
}

static int filters_bn(cuda_learner *t, int n, bool back)
{
    static_assert((int)NN_MAX_HEADS <= (int)BN_MOST, "one launch for all heads");
    const nn_net *net = t->net;
    int filters = t->filters.filters, many = 0;
    bn_args bn[BN_MOST];
    for (int h = 0; h < net->desc.n_heads; h++) {
        const nn_conv_at *c = &net->at.head[h].conv;
        if (c->cout == 0 || !c->normed) continue;
        int first = t->filters.first[h];
        batch_sums sums = {.n = filters_parts(shape(t, n)), .parts = t->sums + first};
        bn[many++] = bn_of(t, n, c, filters, sums, t->head_coef + first);
    }
    return back ? bn_backward(bn, many, t->stream) : bn_forward(bn, many, t->stream);
}

static int heads_forward(cuda_learner *t, int n)
{
    const nn_desc *d = &t->net->desc;
    board_shape s = shape(t, n);
    int f = t->filters.filters, normed = t->filters.normed;
    if (d->channels > 0) {
        TRY(filters_forward(s, d->channels, f, t->layer[t->n_layers - 1].act, t->w, t->w_at, t->zh, t->stream));
        TRY(filters_sums(s, f, normed, t->zh, NULL, NULL, NULL, t->sums, t->stream));
        TRY(filters_bn(t, n, false));
        TRY(filters_normalise(s, f, normed, t->zh, t->head_coef, t->yh, t->stream));
    }
    for (int i = 0; i < d->n_mlp; i++) TRY(fc_forward(t, &t->mlp[i], n, t->stream));
    return each_head(t, n, true);
}

// Gradients of weights go to the side: the tower need not wait for them, and these kernels leave most of the GPU free.
static int heads_back(cuda_learner *t, int n, const loss_args *loss)
{
    const nn_desc *d = &t->net->desc;
    board_shape s = shape(t, n);
    int f = t->filters.filters, normed = t->filters.normed;
    TRY(each_head(t, n, false));
    for (int i = d->n_mlp - 1; i >= 0; i--) TRY(fc_back(t, &t->mlp[i], n, t->stream));
    TRY(fork_side(t));
    for (int h = 0; h < d->n_heads; h++)
        for (int i = 0; i < t->head[h].n_fc; i++) TRY(fc_grad(t, &t->head[h].fc[i], n));
    for (int i = 0; i < d->n_mlp; i++) TRY(fc_grad(t, &t->mlp[i], n));
    TRY(loss_report(loss, t->side));
    if (d->channels == 0) return 0;
    TRY(filters_sums(s, f, normed, t->zh, t->yh, t->dh, t->head_coef + BN_MEAN * f, t->sums, t->stream));
    TRY(bias_grads(f, normed, filters_parts(s), t->sums, t->grad, t->bias_at, t->stream));
    TRY(filters_bn(t, n, true));
    TRY(filters_dz(s, f, normed, t->zh, t->head_coef, t->dh, t->stream));
    TRY(fork_side(t));
    TRY(filters_grad(s, d->channels, f, t->dh, t->layer[t->n_layers - 1].act, t->filter_parts, t->grad, t->w_at,
                     t->side));
    return filters_back(s, d->channels, f, t->dh, t->w, t->w_at, t->d, t->stream);
}

// --- tower back: t->d is the gradient of a block's output, t->e that inside a block, both already masked by ReLU

// Of all layers, whose gradients now lie where their outputs were. The stem's few fill what the others leave of the GPU.
static int weight_grads(cuda_learner *t, int n)
{
    const gpu_layer *stem = &t->layer[0];
    wgrad_args a = {.s = shape(t, n),
                    .cin = stem->cin,
                    .cout = t->cp,
                    .real_in = stem->at.cin,
                    .real_out = stem->at.cout,
                    .n = 1,
                    .jobs = t->wgrads,
                    .parts = t->wgrad_parts,
                    .sms = t->sms};
    TRY(fork_side(t));
    if (t->n_layers > 1) {
        wgrad_args rest = a;
        rest.parts += wgrad_room(a.cin, a.cout, 1, t->sms);
        rest.cin = t->cp, rest.real_in = stem->at.cout;
        rest.n = t->n_layers - 1, rest.jobs = t->wgrads + 1;
        TRY(t->layer[1].front90 != NULL ? wgrad90_run(&rest, t->stream) : wgrad_run(&rest, t->stream));
    }
    return wgrad_run(&a, t->side);
}

static void behind(const cuda_learner *t, int l, layer_args *a)
{
    const gpu_layer *y = &t->layer[l];
    a->mask = y->mask, a->z = y->z, a->mean = coef(t, y, BN_MEAN);
}

static int tower_back(cuda_learner *t, int n)
{
    layer_args top = {.s = shape(t, n), .cin = t->cp, .cout = t->cp, .y = t->d, .sums = t->sums};
    behind(t, t->n_layers - 1, &top);
    TRY(sums_run(&top, t->stream));
    batch_sums sums = sums_left(&top);
    for (int l = t->n_layers - 1; l >= 0; l--) {
        gpu_layer *y = &t->layer[l];
        bn_args bn = bn_of(t, n, &y->at, t->cp, sums, y->coef);
        layer_args a = {
            .s = shape(t, n), .cin = t->cp, .cout = t->cp, .p = l % 2 ? t->e : t->d, .q = y->z, .keep = y->z};
        a.a = coef(t, y, BN_A), a.b = coef(t, y, BN_B), a.c = coef(t, y, BN_C);
        if (y->back90 != NULL && sums.exact != NULL)
            a.way = BN_BACKWARD, a.bn = bn;
        else
            TRY(bn_backward(&bn, 1, t->stream));
        if (l == 0) {
            TRY(affine_run(&a, t->stream));
            break;
        }
        a.w = y->back, a.w90 = (uint8_t *)y->back90;
        leave_sums(t, &a);
        a.res = l % 2 ? t->d : NULL;
        a.y = l % 2 ? t->d : t->e;
        behind(t, l - 1, &a);
        TRY(layer_run(&a, t->stream));
        sums = layer_sums(&a);
    }
    return weight_grads(t, n);
}

int train_launch(cuda_learner *t, int n, const loss_args *loss, const gather_args *gather)
{
    const nn_desc *d = &t->net->desc;
    const uint64_t *bits = (const uint64_t *)(const void *)(t->in_dev + t->at.bits);
    const float *scalars = (const float *)(const void *)(t->in_dev + t->at.scalars);
    if (gather != NULL) TRY(window_gather(gather, t->stream));
    if (d->channels > 0) {
        if (t->channels90 > 0) TRY(prepare_blocks(t));
        TRY(pack_run(t->jobs, t->n_layers, t->most, t->w, t->stream));
        TRY(layers_unpack(shape(t, n), bits, scalars, d->planes, d->scalars, t->layer[0].cin, t->x0, t->stream));
        TRY(tower_forward(t, n));
    } else {
        TRY(rows_unpack(n, d->planes, d->rows * d->cols, bits, d->scalars, scalars, t->rows, t->rows_ld, t->stream));
    }
    TRY(heads_forward(t, n));
    TRY(loss_run(loss, t->stream));
    TRY(heads_back(t, n, loss));
    if (d->channels > 0) TRY(tower_back(t, n));
    TRY(join_side(t));
    optim_args o = {.n_train = t->net->at.n_train,
                    .n_all = t->net->at.n_all,
                    .w = t->w,
                    .m = t->m,
                    .v = t->v,
                    .ema = t->ema,
                    .grad = t->grad,
                    .decays = t->decays,
                    .parts = t->parts,
                    .report = t->report,
                    .step = (const optim_step *)(const void *)(t->in_dev + t->at.step)};
    return optim_run(&o, t->stream);
}
