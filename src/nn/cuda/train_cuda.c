// The CUDA learner: memory, batches on their way to the device, graphs, weights and states. See train_cuda.h.
#include "nn/cuda/train_cuda.h"

#include "nn/cuda/infer_cuda.h"
#include "nn/cuda/train_inner_cuda.h"
#include "nn/cuda/usage_cuda.h"
#include "nn/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int pad32(int n)
{
    return (n + 31) / 32 * 32;
}

static float *floats(cuda_learner *t, size_t n)
{
    return cuda_take(&t->mem, n * sizeof(float));
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Pageable memory may still be on its way when the copy returns, and the learner's stream would not wait for it.
static err send(void *to, const void *from, size_t bytes)
{
    err e = cuda_check((int)cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "sending to the device");
    return e == ERR_OK ? cuda_check((int)cudaStreamSynchronize(NULL), "sending to the device") : e;
}

// --- memory

static err tower_new(cuda_learner *t)
{
    const nn_net *net = t->net;
    const nn_desc *d = &net->desc;
    size_t cells = (size_t)t->o.max_batch * (size_t)(d->rows * d->cols);
    board_shape s = {t->o.max_batch, d->rows, d->cols};
    int wide = d->channels <= 64 ? 64 : 128, cin = pad32(nn_inputs(d));
    bool fast = t->hopper && d->channels <= 128 && layer90_fits(s, wide, wide);
    t->cp = fast ? wide : pad32(d->channels);
    t->n_layers = 1 + 2 * d->blocks;
    t->layer = calloc((size_t)t->n_layers, sizeof *t->layer);
    pack_job *jobs = calloc((size_t)t->n_layers, sizeof *jobs);
    float *ones = malloc((size_t)t->cp * sizeof *ones);
    err e = t->layer == NULL || jobs == NULL || ones == NULL ? err_set(ERR_MEMORY, "no memory for a trainer") : ERR_OK;
    for (int i = 0; i < t->cp && e == ERR_OK; i++) ones[i] = 1;
    size_t act = cells * (size_t)t->cp * sizeof(uint16_t);
    for (int l = 0; l < t->n_layers && e == ERR_OK; l++) {
        gpu_layer *y = &t->layer[l];
        y->at = l == 0 ? net->at.stem : net->at.block[(l - 1) / 2].conv[(l - 1) % 2];
        y->cin = l == 0 ? cin : t->cp;
        y->z = cuda_take(&t->mem, act);
        y->act = cuda_take(&t->mem, act);
        bool own = fast && l + 1 < t->n_layers; // the last layer's output is made and masked by steps.cu
        y->mask = cuda_take(&t->mem, own ? layer90_mask_size(s, wide, t->sms) : cells * (size_t)(t->cp / 8));
        y->coef = floats(t, (size_t)(BN_ROWS * t->cp));
        size_t packed = conv_weights_size(y->at.cin, y->at.cout);
        if (l > 0 && fast) {
            packed = (size_t)(9 * wide * wide) * sizeof(uint16_t);
            y->front90 = cuda_take(&t->mem, packed);
            y->back90 = cuda_take(&t->mem, packed);
        } else {
            y->front = cuda_take(&t->mem, packed);
            if (l > 0) y->back = cuda_take(&t->mem, packed);
        }
        if ((int)(packed / 2) > t->most) t->most = (int)(packed / 2);
        e = t->mem.failed;
        if (e == ERR_OK) e = send(y->coef + BN_ONE * t->cp, ones, (size_t)t->cp * sizeof *ones);
        jobs[l] = (pack_job){y->at.w, y->at.cin, y->at.cout, y->front, y->back, y->front90, y->back90};
    }
    if (e == ERR_OK) {
        t->jobs = cuda_take(&t->mem, (size_t)t->n_layers * sizeof *jobs);
        t->x0 = cuda_take(&t->mem, cells * (size_t)cin * sizeof(uint16_t));
        t->d = cuda_take(&t->mem, act);
        t->e = cuda_take(&t->mem, act);
        t->dz = cuda_take(&t->mem, act);
        t->wgrad_parts = floats(t, larger(wgrad_room(cin, t->cp, t->sms), wgrad_room(t->cp, t->cp, t->sms)));
        e = t->mem.failed;
    }
    if (e == ERR_OK) e = send(t->jobs, jobs, (size_t)t->n_layers * sizeof *jobs);
    free(jobs), free(ones);
    return e;
}

static err filters_new(cuda_learner *t)
{
    const nn_net *net = t->net;
    int f = t->filters.filters, hw = net->desc.rows * net->desc.cols;
    size_t all = (size_t)t->o.max_batch * (size_t)(f * hw);
    t->zh = floats(t, all), t->yh = floats(t, all), t->dh = floats(t, all);
    t->head_coef = floats(t, (size_t)(BN_ROWS * f));
    t->filter_parts = floats(t, (size_t)(64 * f * net->desc.channels));
    t->w_at = cuda_take(&t->mem, (size_t)f * sizeof(size_t));
    t->bias_at = cuda_take(&t->mem, (size_t)f * sizeof(size_t));
    size_t *at = malloc(2 * (size_t)f * sizeof *at);
    err e = at == NULL ? err_set(ERR_MEMORY, "no memory for a trainer") : t->mem.failed;
    for (int h = 0; h < net->desc.n_heads && e == ERR_OK; h++) {
        const nn_conv_at *c = &net->at.head[h].conv;
        for (int o = 0; o < c->cout; o++) {
            at[t->filters.first[h] + o] = c->w + (size_t)(o * c->cin);
            at[f + t->filters.first[h] + o] = c->bn.beta + (size_t)o;
        }
    }
    if (e == ERR_OK) e = send(t->w_at, at, (size_t)f * sizeof *at);
    if (e == ERR_OK) e = send(t->bias_at, at + f, (size_t)f * sizeof *at);
    free(at);
    return e;
}

static void fc_new(cuda_learner *t, gpu_fc *f, const nn_fc_at *at, const float *x, long ldx, bool relu)
{
    size_t n = (size_t)t->o.max_batch * (size_t)at->out;
    *f = (gpu_fc){.at = *at, .x = x, .ldx = ldx, .relu = relu, .ld = at->out};
    f->y = floats(t, n), f->dy = floats(t, n);
    t->gemm_room = larger(t->gemm_room, 16 * (size_t)(at->in + 1) * (size_t)at->out);
}

// Where a head's last layers hand their gradient: the hidden layer before them, masked by its ReLU.
static void head_new(cuda_learner *t, int h, const float *trunk, long ld, float *dtrunk)
{
    const nn_head *d = &t->net->desc.head[h];
    const nn_head_layers *at = &t->net->at.head[h];
    gpu_head *p = &t->head[h];
    int hw = t->net->desc.rows * t->net->desc.cols;
    bool conv = at->conv.cout > 0;
    p->first = t->filters.first[h];
    p->n_fc = at->n_fc;
    if (at->n_fc == 0) return;
    if (conv) trunk = t->yh + p->first * hw, dtrunk = t->dh + p->first * hw, ld = (long)t->filters.filters * hw;
    fc_new(t, &p->fc[0], &at->fc[0], trunk, ld, at->n_fc > 1);
    p->fc[0].dx = dtrunk;
    if (!conv) p->fc[0].dx_mask = trunk, p->fc[0].dx_add = h > 0;
    for (int i = 1; i < at->n_fc; i++) {
        int skip = i == 2 ? d->hidden : 0; // a duel's advantages read the second half
        gpu_fc *f = &p->fc[i];
        fc_new(t, f, &at->fc[i], p->fc[0].y + skip, p->fc[0].ld, false);
        f->dx = p->fc[0].dy + skip;
        f->dx_mask = p->fc[0].y + skip;
    }
}

static err heads_new(cuda_learner *t)
{
    const nn_net *net = t->net;
    const nn_desc *d = &net->desc;
    err e = ERR_OK;
    const float *trunk = NULL;
    float *dtrunk = NULL;
    long ld = 0;
    t->filters = head_filters_of(net);
    if (d->channels > 0) e = filters_new(t);
    if (d->n_mlp > 0) {
        t->rows_ld = net->at.mlp[0].in;
        trunk = t->rows = floats(t, (size_t)t->o.max_batch * (size_t)t->rows_ld);
        ld = t->rows_ld;
    }
    for (int i = 0; i < d->n_mlp; i++) {
        fc_new(t, &t->mlp[i], &net->at.mlp[i], trunk, ld, true);
        if (i > 0) t->mlp[i].dx = dtrunk, t->mlp[i].dx_mask = trunk;
        trunk = t->mlp[i].y, dtrunk = t->mlp[i].dy, ld = t->mlp[i].ld;
    }
    for (int h = 0; h < d->n_heads && e == ERR_OK; h++) head_new(t, h, trunk, ld, dtrunk);
    t->gemm_parts = floats(t, t->gemm_room);
    int wide = t->cp > t->filters.filters ? t->cp : t->filters.filters;
    t->sums = floats(t, (size_t)(MAX_PARTS * 2 * wide));
    return e == ERR_OK ? t->mem.failed : e;
}

static size_t place(input_places *at, size_t bytes)
{
    size_t here = at->total;
    at->total += (bytes + 255) & ~(size_t)255;
    return here;
}

// The batch's block; `moves` grows when a batch brings more.
static err input_new(cuda_learner *t, size_t moves)
{
    const nn_desc *d = &t->net->desc;
    size_t n = (size_t)t->o.max_batch, heads = 0, actions = 0;
    input_places at = {0};
    at.step = place(&at, sizeof(optim_step));
    at.bits = place(&at, n * nn_in_bits(d) * sizeof(uint64_t));
    at.scalars = place(&at, n * (size_t)d->scalars * sizeof(float));
    at.weight = place(&at, n * sizeof(float));
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = n * (size_t)nn_head_size(d, h);
        at.target[h] = place(&at, size * sizeof(float));
        at.mask[h] = place(&at, size);
        at.action[h] = place(&at, n * sizeof(int32_t));
        heads += d->head[h].kind == NN_POLICY;
        if (d->head[h].kind == NN_DUEL) actions = larger(actions, (size_t)d->head[h].out);
    }
    at.rest = place(&at, n * actions * sizeof(float));
    at.rest_mask = place(&at, n * actions);
    at.start = place(&at, (n + 1) * sizeof(uint32_t));
    at.index = place(&at, moves * heads * sizeof(uint16_t));
    at.prob = place(&at, moves * sizeof(float));
    t->at = at;
    t->moves = moves;
    for (int i = 0; i < SLOTS; i++) t->in_host[i] = cuda_take_host(&t->mem, at.total);
    t->in_dev = cuda_take(&t->mem, at.total);
    t->dprob = floats(t, moves);
    for (int i = 0; i < GRAPHS; i++)
        if (t->graph[i].exec != NULL) cudaGraphExecDestroy(t->graph[i].exec), t->graph[i].exec = NULL;
    return t->mem.failed;
}

static err flat_new(cuda_learner *t)
{
    const nn_net *net = t->net;
    size_t n = net->at.n_train, all = net->at.n_all * sizeof(float);
    t->w = cuda_take(&t->mem, all);
    t->grad = floats(t, n), t->m = floats(t, n);
    if (t->o.optim.kind != NN_SGD) t->v = floats(t, n);
    if (t->o.ema > 0) t->ema = cuda_take(&t->mem, all);
    t->decays = cuda_take(&t->mem, n);
    t->parts = cuda_take(&t->mem, MAX_PARTS * sizeof(double));
    t->report = cuda_take(&t->mem, 10 * sizeof(double));
    t->report_host = cuda_take_host(&t->mem, 10 * sizeof(double));
    t->td = floats(t, (size_t)t->o.max_batch);
    t->td_host = cuda_take_host(&t->mem, (size_t)t->o.max_batch * sizeof(float));
    t->losses = floats(t, (size_t)t->o.max_batch * 9);
    int params = nn_params(&net->desc, NULL, 0);
    nn_param *p = calloc((size_t)params, sizeof *p);
    uint8_t *decays = calloc(n, 1);
    err e = p == NULL || decays == NULL ? err_set(ERR_MEMORY, "no memory for a trainer") : t->mem.failed;
    if (e == ERR_OK) {
        nn_params(&net->desc, p, params);
        for (int i = 0; i < params; i++)
            if (p[i].train && (p[i].matrix || t->o.optim.decay_all)) memset(decays + p[i].at, 1, p[i].size);
        e = send(t->decays, decays, n);
    }
    if (e == ERR_OK) e = send(t->w, net->w, all);
    if (e == ERR_OK && t->ema != NULL) e = send(t->ema, net->w, all);
    free(p), free(decays);
    return e;
}

void cuda_learner_free(nn_learner *handle)
{
    cuda_learner *t = (cuda_learner *)handle;
    if (t == NULL) return;
    cudaSetDevice(t->device);
    if (t->stream != NULL) cudaStreamSynchronize(t->stream), cudaStreamDestroy(t->stream);
    for (int i = 0; i < SLOTS; i++)
        if (t->sent[i] != NULL) cudaEventDestroy(t->sent[i]);
    if (t->begun != NULL) cudaEventDestroy(t->begun);
    if (t->ended != NULL) cudaEventDestroy(t->ended);
    for (int i = 0; i < GRAPHS; i++)
        if (t->graph[i].exec != NULL) cudaGraphExecDestroy(t->graph[i].exec);
    cuda_pool_free(&t->mem);
    nn_net_free(t->net);
    free(t->layer);
    free(t);
}

err cuda_learner_new(nn_learner **out, const nn_net *net, const nn_train_options *o)
{
    if (o->max_batch < 1) return err_set(ERR_USAGE, "a trainer for batches of %d positions", o->max_batch);
    if (net->desc.se > 0)
        return err_set(ERR_MISSING, "the CUDA backend does not train squeeze-excitation; train with the cpu backend");
    if (net->desc.noisy > 0)
        return err_set(ERR_MISSING, "the CUDA backend does not train noisy layers; train with the cpu backend");
    cuda_learner *t = calloc(1, sizeof *t);
    if (t == NULL) return err_set(ERR_MEMORY, "no memory for a trainer");
    t->o = *o;
    if (t->o.bn_momentum == 0) t->o.bn_momentum = 0.1f;
    nn_optim_options *p = &t->o.optim;
    if (p->beta1 == 0) p->beta1 = 0.9f;
    if (p->beta2 == 0) p->beta2 = 0.999f;
    if (p->eps == 0) p->eps = 1e-8f;
    cuda_device gpu = {0};
    int least = 0, most = 0;
    err e = cuda_use(0, &gpu);
    t->sms = gpu.sms;
    t->hopper = gpu.major == 9 && !cuda_layer_by_layer;
    if (e == ERR_OK) e = nn_net_copy(&t->net, net);
    cudaDeviceGetStreamPriorityRange(&least, &most);
    if (e == ERR_OK)
        e = cuda_check((int)cudaStreamCreateWithPriority(&t->stream, cudaStreamNonBlocking, least), "making a stream");
    for (int i = 0; i < SLOTS && e == ERR_OK; i++)
        e = cuda_check((int)cudaEventCreateWithFlags(&t->sent[i], cudaEventDisableTiming), "making an event");
    if (e == ERR_OK) e = flat_new(t);
    if (e == ERR_OK && net->desc.channels > 0) e = tower_new(t);
    if (e == ERR_OK) e = heads_new(t);
    if (e == ERR_OK) e = input_new(t, 16 * (size_t)o->max_batch);
    if (e == ERR_OK) e = cuda_check((int)cudaDeviceSynchronize(), "making a trainer");
    if (e != ERR_OK)
        cuda_learner_free((nn_learner *)t);
    else
        *out = (nn_learner *)t;
    return e;
}

// --- a step

static optim_step step_of(const cuda_learner *t, float lr)
{
    const nn_optim_options *o = &t->o.optim;
    double k = (double)t->steps + 1;
    return (optim_step){.lr = lr,
                        .clip = o->clip,
                        .beta1 = o->beta1,
                        .beta2 = o->beta2,
                        .eps = o->eps,
                        .momentum = o->momentum,
                        .decay = o->decay,
                        .rate = (float)((double)lr / (1 - pow((double)o->beta1, k))),
                        .root = (float)(1 / sqrt(1 - pow((double)o->beta2, k))),
                        .ema = t->o.ema,
                        .kind = (int)o->kind,
                        .first = t->steps == 0};
}

// One piece of the batch into pinned memory and on its way; its place on the device, or NULL where there is none.
static const void *piece(cuda_learner *t, size_t at, const void *from, size_t bytes, int *code)
{
    if (from == NULL || bytes == 0) return NULL;
    memcpy(t->in_host[t->slot] + at, from, bytes);
    if (*code == 0)
        *code =
            (int)cudaMemcpyAsync(t->in_dev + at, t->in_host[t->slot] + at, bytes, cudaMemcpyHostToDevice, t->stream);
    return t->in_dev + at;
}

static loss_head head_of(cuda_learner *t, const nn_batch *b, int h, int *code)
{
    const nn_desc *d = &t->net->desc;
    const nn_target *g = &b->head[h];
    const gpu_head *p = &t->head[h];
    size_t n = (size_t)b->n, size = (size_t)nn_head_size(d, h);
    bool duel = d->head[h].kind == NN_DUEL, board = d->head[h].kind == NN_BOARD;
    bool by_moves = d->head[h].kind == NN_POLICY && b->start != NULL, used = g->value != NULL && !by_moves;
    loss_head q = {.kind = (int)d->head[h].kind, .size = (int)size, .scale = g->scale == 0 ? 1 : g->scale};
    size_t atoms = (size_t)nn_atoms(&d->head[h]);
    q.atoms = (int)atoms;
    if (board) {
        int hw = d->rows * d->cols;
        q.ld = (long)t->filters.filters * hw;
        q.y = t->zh + p->first * hw, q.dy = t->dh + p->first * hw;
        q.bias = t->w + t->net->at.head[h].conv.bn.beta;
    } else {
        const gpu_fc *last = &p->fc[p->n_fc - 1];
        q.y = last->y, q.dy = last->dy, q.ld = last->ld;
    }
    if (duel) q.v = p->fc[1].y, q.dv = p->fc[1].dy, q.v_ld = p->fc[1].ld;
    if (used) {
        q.target = piece(t, t->at.target[h], g->value, (duel ? n * atoms : n * size) * sizeof(float), code);
        if (!duel) q.mask = piece(t, t->at.mask[h], g->mask, n * size, code);
        if (duel) q.action = piece(t, t->at.action[h], g->action, n * sizeof(int32_t), code);
    }
    return q;
}

static int send_batch(cuda_learner *t, const nn_batch *b, float lr, loss_args *loss)
{
    const nn_desc *d = &t->net->desc;
    size_t n = (size_t)b->n;
    int code = 0;
    optim_step step = step_of(t, lr);
    *loss = (loss_args){.n = b->n,
                        .n_heads = d->n_heads,
                        .hw = d->rows * d->cols,
                        .dprob = t->dprob,
                        .prob_scale = b->prob_scale == 0 ? 1 : b->prob_scale,
                        .huber = b->huber == 0 ? 1 : b->huber,
                        .dist = (int)b->dist.kind,
                        .support = (float)b->dist.support,
                        .rest_scale = b->rest == NULL ? 0 : b->rest_scale,
                        .td = b->td != NULL ? t->td : NULL,
                        .losses = t->losses,
                        .report = t->report};
    piece(t, t->at.step, &step, sizeof step, &code);
    piece(t, t->at.bits, b->bits, n * nn_in_bits(d) * sizeof(uint64_t), &code);
    piece(t, t->at.scalars, b->scalars, n * (size_t)d->scalars * sizeof(float), &code);
    loss->weight = piece(t, t->at.weight, b->weight, n * sizeof(float), &code);
    for (int h = 0; h < d->n_heads; h++) {
        loss->n_policy += d->head[h].kind == NN_POLICY;
        loss->head[h] = head_of(t, b, h, &code);
        if (d->head[h].kind != NN_DUEL || b->rest == NULL) continue;
        size_t known = n * (size_t)d->head[h].out;
        loss->rest = piece(t, t->at.rest, b->rest, known * sizeof(float), &code);
        loss->rest_actions = d->head[h].out;
        loss->rest_mask = piece(t, t->at.rest_mask, b->rest_mask, known, &code);
    }
    if (b->start != NULL) {
        size_t moves = b->start[n];
        loss->start = piece(t, t->at.start, b->start, (n + 1) * sizeof(uint32_t), &code);
        loss->index = piece(t, t->at.index, b->index, moves * (size_t)loss->n_policy * sizeof(uint16_t), &code);
        loss->prob = piece(t, t->at.prob, b->prob, moves * sizeof(float), &code);
    }
    return code;
}

// The graph of this kind of batch; made the first time one comes.
static int run_graph(cuda_learner *t, int n, const loss_args *loss)
{
    graph_entry *g = &t->graph[0];
    for (int i = 0; i < GRAPHS; i++) {
        graph_entry *k = &t->graph[i];
        if (k->exec != NULL && k->n == n && memcmp(&k->loss, loss, sizeof *loss) == 0) {
            k->used = t->steps;
            return (int)cudaGraphLaunch(k->exec, t->stream);
        }
        if (k->exec == NULL || (g->exec != NULL && k->used < g->used)) g = k; // free, or longest unused
    }
    if (t->steps == 0)
        return train_launch(t, n, loss); // a first run outside a graph: kernels are loaded, errors have names
    cudaGraph_t graph = NULL;
    int code = (int)cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal);
    if (code != 0) return code;
    code = train_launch(t, n, loss);
    int end = (int)cudaStreamEndCapture(t->stream, &graph);
    if (code == 0) code = end;
    if (g->exec != NULL) cudaGraphExecDestroy(g->exec), g->exec = NULL;
    if (code == 0) code = (int)cudaGraphInstantiate(&g->exec, graph, 0);
    if (graph != NULL) cudaGraphDestroy(graph);
    if (code != 0) {
        g->exec = NULL;
        return code;
    }
    g->n = n, g->loss = *loss, g->used = t->steps;
    return (int)cudaGraphLaunch(g->exec, t->stream);
}

// Events around the steps between two waits.
static int begin_timing(cuda_learner *t)
{
    if (t->timed || !cuda_usage_wanted()) return 0;
    int code = t->begun == NULL ? (int)cudaEventCreate(&t->begun) : 0;
    if (code == 0 && t->ended == NULL) code = (int)cudaEventCreate(&t->ended);
    if (code == 0) code = (int)cudaEventRecord(t->begun, t->stream);
    t->timed = code == 0;
    return code;
}

err cuda_learner_step(nn_learner *handle, const nn_batch *b, float lr, nn_step_report *r)
{
    cuda_learner *t = (cuda_learner *)handle;
    const nn_desc *d = &t->net->desc;
    err e = nn_batch_check(d, b);
    if (e != ERR_OK) return e;
    if (b->n > t->o.max_batch)
        return err_set(ERR_USAGE, "a batch of %d positions; this trainer takes %d", b->n, t->o.max_batch);
    e = cuda_use(t->device, NULL);
    if (e == ERR_OK && b->start != NULL && b->start[b->n] > t->moves) {
        e = cuda_check((int)cudaStreamSynchronize(t->stream), "waiting for the step before");
        if (e == ERR_OK) e = input_new(t, b->start[b->n] + b->start[b->n] / 2);
    }
    if (e == ERR_OK) e = cuda_check((int)cudaEventSynchronize(t->sent[t->slot]), "waiting for a batch to leave");
    if (e != ERR_OK) return e;
    loss_args loss;
    memset(&loss, 0, sizeof loss);
    int code = send_batch(t, b, lr, &loss);
    if (code == 0) code = (int)cudaEventRecord(t->sent[t->slot], t->stream);
    if (code == 0) code = begin_timing(t);
    if (code == 0) code = run_graph(t, b->n, &loss);
    if (code == 0 && t->timed) code = (int)cudaEventRecord(t->ended, t->stream);
    if (code != 0) return cuda_check(code, "a training step");
    t->slot = (t->slot + 1) % SLOTS;
    t->steps++;
    if (r == NULL && b->td == NULL) return ERR_OK;
    code = (int)cudaMemcpyAsync(t->report_host, t->report, 10 * sizeof(double), cudaMemcpyDeviceToHost, t->stream);
    if (code == 0 && b->td != NULL)
        code = (int)cudaMemcpyAsync(t->td_host, t->td, (size_t)b->n * sizeof(float), cudaMemcpyDeviceToHost, t->stream);
    if (code == 0) code = (int)cudaStreamSynchronize(t->stream);
    if (code != 0) return cuda_check(code, "a training step");
    if (t->timed) cuda_usage_kernels(CUDA_LEARN, t->begun, t->ended), t->timed = false;
    if (b->td != NULL) memcpy(b->td, t->td_host, (size_t)b->n * sizeof(float));
    if (r == NULL) return ERR_OK;
    *r = (nn_step_report){.loss = t->report_host[0], .grad_norm = t->report_host[9]};
    for (int h = 0; h < d->n_heads; h++) r->by_head[h] = t->report_host[1 + h];
    return ERR_OK;
}

uint64_t cuda_learner_steps(const nn_learner *handle)
{
    return ((const cuda_learner *)handle)->steps;
}

// --- weights and states

static err fetch(cuda_learner *t, float *to, const float *from, size_t n)
{
    err e = cuda_use(t->device, NULL);
    if (e == ERR_OK) e = cuda_check((int)cudaStreamSynchronize(t->stream), "waiting for training");
    if (e == ERR_OK)
        e = cuda_check((int)cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyDeviceToHost), "fetching weights");
    return e;
}

err cuda_learner_weights(nn_learner *handle, bool averaged, nn_net *to)
{
    cuda_learner *t = (cuda_learner *)handle;
    if (averaged && t->ema == NULL) return err_set(ERR_USAGE, "this trainer keeps no averaged weights");
    if (!nn_desc_equal(&t->net->desc, &to->desc))
        return err_set(ERR_USAGE, "the weights asked for are of another network");
    return fetch(t, to->w, averaged ? t->ema : t->w, t->net->at.n_all);
}

err cuda_learner_grad(nn_learner *handle, float *to)
{
    cuda_learner *t = (cuda_learner *)handle;
    return fetch(t, to, t->grad, t->net->at.n_train);
}

// Host arrays of a state's shape; `data` owns them.
static err state_room(const cuda_learner *t, nn_state *s, float **data)
{
    size_t n = t->net->at.n_train, all = t->net->at.n_all;
    *data = malloc((2 * n + 2 * all) * sizeof **data);
    if (*data == NULL) return err_set(ERR_MEMORY, "no memory for a trainer's state");
    *s = (nn_state){.desc = &t->net->desc,
                    .kind = t->o.optim.kind,
                    .step = t->steps,
                    .n_train = n,
                    .n_all = all,
                    .w = *data,
                    .m = *data + all,
                    .v = t->v != NULL ? *data + all + n : NULL,
                    .ema = t->ema != NULL ? *data + all + 2 * n : NULL};
    return ERR_OK;
}

err cuda_learner_state(nn_learner *handle, text_buf *out)
{
    cuda_learner *t = (cuda_learner *)handle;
    nn_state s;
    float *data;
    err e = state_room(t, &s, &data);
    if (e != ERR_OK) return e;
    e = fetch(t, s.w, t->w, s.n_all);
    if (e == ERR_OK) e = fetch(t, s.m, t->m, s.n_train);
    if (e == ERR_OK && s.v != NULL) e = fetch(t, s.v, t->v, s.n_train);
    if (e == ERR_OK && s.ema != NULL) e = fetch(t, s.ema, t->ema, s.n_all);
    if (e == ERR_OK) e = nn_state_write(&s, out);
    free(data);
    return e;
}

err cuda_learner_restore(nn_learner *handle, const void *state, size_t size)
{
    cuda_learner *t = (cuda_learner *)handle;
    nn_state s;
    float *data;
    err e = state_room(t, &s, &data);
    if (e != ERR_OK) return e;
    e = nn_state_read(&s, state, size);
    if (e == ERR_OK) e = cuda_use(t->device, NULL);
    if (e == ERR_OK) e = cuda_check((int)cudaStreamSynchronize(t->stream), "waiting for training");
    if (e == ERR_OK) e = send(t->w, s.w, s.n_all * sizeof(float));
    if (e == ERR_OK) e = send(t->m, s.m, s.n_train * sizeof(float));
    if (e == ERR_OK && s.v != NULL) e = send(t->v, s.v, s.n_train * sizeof(float));
    if (e == ERR_OK && s.ema != NULL) e = send(t->ema, s.ema, s.n_all * sizeof(float));
    if (e == ERR_OK) t->steps = s.step;
    free(data);
    return e;
}
