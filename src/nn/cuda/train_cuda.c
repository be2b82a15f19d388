// The CUDA learner: memory, weights and states. See train_cuda.h; train_batch_cuda.c has the steps.
#include "nn/cuda/train_cuda.h"

#include "nn/cuda/infer_cuda.h"
#include "nn/cuda/train_inner_cuda.h"
#include "nn/state.h"

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
    t->channels90 = fast && d->blocks > 0 ? wide : 0;
    t->n_layers = 1 + 2 * d->blocks;
    t->layer = calloc((size_t)t->n_layers, sizeof *t->layer);
    pack_job *jobs = calloc((size_t)t->n_layers, sizeof *jobs);
    wgrad_job *wgrads = calloc((size_t)t->n_layers, sizeof *wgrads);
    float *ones = malloc((size_t)t->cp * sizeof *ones);
    bool none = t->layer == NULL || jobs == NULL || wgrads == NULL || ones == NULL;
    err e = none ? err_set(ERR_MEMORY, "no memory for a trainer") : ERR_OK;
    t->x0 = cuda_take(&t->mem, cells * (size_t)cin * sizeof(uint16_t));
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
            if ((int)(packed / 2) > t->most) t->most = (int)(packed / 2);
        }
        e = t->mem.failed;
        if (e == ERR_OK) e = send(y->coef + BN_ONE * t->cp, ones, (size_t)t->cp * sizeof *ones);
        jobs[l] = (pack_job){y->at.w, y->at.cin, y->at.cout, y->front, y->back, y->front90, y->back90};
        wgrads[l] = (wgrad_job){y->z, l == 0 ? t->x0 : t->layer[l - 1].act, t->grad + y->at.w};
    }
    if (e == ERR_OK) {
        t->jobs = cuda_take(&t->mem, (size_t)t->n_layers * sizeof *jobs);
        t->wgrads = cuda_take(&t->mem, (size_t)t->n_layers * sizeof *wgrads);
        t->d = cuda_take(&t->mem, act);
        t->e = cuda_take(&t->mem, act);
        size_t stem = wgrad_room(cin, t->cp, 1, t->sms),
               blocks = d->blocks > 0 ? wgrad_room(t->cp, t->cp, 2 * d->blocks, t->sms) : 0;
        t->wgrad_parts = floats(t, stem + blocks);
        t->exact = cuda_take(&t->mem, EXACT_TURNS * layer90_sums_size(t->cp));
        e = t->mem.failed;
    }
    if (e == ERR_OK) e = send(t->jobs, jobs, (size_t)t->n_layers * sizeof *jobs);
    if (e == ERR_OK) e = send(t->wgrads, wgrads, (size_t)t->n_layers * sizeof *wgrads);
    free(jobs), free(wgrads), free(ones);
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
    cuda_window_free(handle);
    if (t->stream != NULL) cudaStreamSynchronize(t->stream), cudaStreamDestroy(t->stream);
    if (t->side != NULL) cudaStreamSynchronize(t->side), cudaStreamDestroy(t->side);
    if (t->fork != NULL) cudaEventDestroy(t->fork);
    if (t->join != NULL) cudaEventDestroy(t->join);
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
    if (e == ERR_OK)
        e = cuda_check((int)cudaStreamCreateWithPriority(&t->side, cudaStreamNonBlocking, least), "making a stream");
    if (e == ERR_OK) e = cuda_check((int)cudaEventCreateWithFlags(&t->fork, cudaEventDisableTiming), "making an event");
    if (e == ERR_OK) e = cuda_check((int)cudaEventCreateWithFlags(&t->join, cudaEventDisableTiming), "making an event");
    for (int i = 0; i < SLOTS && e == ERR_OK; i++)
        e = cuda_check((int)cudaEventCreateWithFlags(&t->sent[i], cudaEventDisableTiming), "making an event");
    if (e == ERR_OK) e = flat_new(t);
    if (e == ERR_OK && net->desc.channels > 0) e = tower_new(t);
    if (e == ERR_OK) e = heads_new(t);
    if (e == ERR_OK) e = train_input_new(t, 16 * (size_t)o->max_batch);
    if (e == ERR_OK) e = cuda_check((int)cudaDeviceSynchronize(), "making a trainer");
    if (e != ERR_OK)
        cuda_learner_free((nn_learner *)t);
    else
        *out = (nn_learner *)t;
    return e;
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
