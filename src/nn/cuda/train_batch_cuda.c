// The CUDA learner's steps: batches on their way to the device, graphs, reports. See train_cuda.h.
#include "nn/cuda/train_inner_cuda.h"
#include "nn/cuda/usage_cuda.h"

#include <math.h>
#include <string.h>

// --- the batch's block

static size_t place(input_places *at, size_t bytes)
{
    size_t here = at->total;
    at->total += (bytes + 255) & ~(size_t)255;
    return here;
}

err train_input_new(cuda_learner *t, size_t moves)
{
    const nn_desc *d = &t->net->desc;
    size_t n = (size_t)t->o.max_batch, heads = (size_t)nn_policy_heads(d), actions = 0;
    input_places at = {0};
    at.step = place(&at, sizeof(optim_step));
    at.pick = place(&at, n * sizeof(uint64_t));
    at.sym = place(&at, n);
    at.bits = place(&at, n * nn_in_bits(d) * sizeof(uint64_t));
    at.scalars = place(&at, n * (size_t)d->scalars * sizeof(float));
    at.weight = place(&at, n * sizeof(float));
    for (int h = 0; h < d->n_heads; h++) {
        size_t size = n * (size_t)nn_head_size(d, h);
        at.target[h] = place(&at, size * sizeof(float));
        at.mask[h] = place(&at, size);
        at.action[h] = place(&at, n * sizeof(int32_t));
        at.group[h] = place(&at, 2 * n * sizeof(uint32_t));
        if (d->head[h].kind == NN_DUEL && (size_t)d->head[h].out > actions) actions = (size_t)d->head[h].out;
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
    t->dprob = cuda_take(&t->mem, moves * sizeof(float));
    for (int i = 0; i < GRAPHS; i++)
        if (t->graph[i].exec != NULL) cudaGraphExecDestroy(t->graph[i].exec), t->graph[i].exec = NULL;
    return t->mem.failed;
}

// --- a step

optim_step train_optim_step(const cuda_learner *t, float lr)
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
const void *train_piece(cuda_learner *t, size_t at, const void *from, size_t bytes, int *code)
{
    if (from == NULL || bytes == 0) return NULL;
    memcpy(t->in_host[t->slot] + at, from, bytes);
    if (*code == 0)
        *code =
            (int)cudaMemcpyAsync(t->in_dev + at, t->in_host[t->slot] + at, bytes, cudaMemcpyHostToDevice, t->stream);
    return t->in_dev + at;
}

loss_head train_loss_head(const cuda_learner *t, int h, float scale)
{
    const nn_desc *d = &t->net->desc;
    const gpu_head *p = &t->head[h];
    loss_head q = {.kind = (int)d->head[h].kind,
                   .size = nn_head_size(d, h),
                   .atoms = nn_atoms(&d->head[h]),
                   .scale = scale == 0 ? 1 : scale};
    if (d->head[h].kind == NN_BOARD) {
        int hw = d->rows * d->cols;
        q.ld = (long)t->filters.filters * hw;
        q.y = t->zh + p->first * hw, q.dy = t->dh + p->first * hw;
        q.bias = t->w + t->net->at.head[h].conv.bn.beta;
    } else {
        const gpu_fc *last = &p->fc[p->n_fc - 1];
        q.y = last->y, q.dy = last->dy, q.ld = last->ld;
    }
    if (d->head[h].kind == NN_DUEL) q.v = p->fc[1].y, q.dv = p->fc[1].dy, q.v_ld = p->fc[1].ld;
    return q;
}

static loss_head send_head(cuda_learner *t, const nn_batch *b, int h, int *code)
{
    const nn_desc *d = &t->net->desc;
    const nn_target *g = &b->head[h];
    loss_head q = train_loss_head(t, h, g->scale);
    size_t n = (size_t)b->n, size = (size_t)q.size;
    bool duel = d->head[h].kind == NN_DUEL, by_moves = d->head[h].kind == NN_POLICY && b->start != NULL;
    if (g->value == NULL || by_moves) return q;
    q.target = train_piece(t, t->at.target[h], g->value, (duel ? n * (size_t)q.atoms : n * size) * sizeof(float), code);
    if (!duel) q.mask = train_piece(t, t->at.mask[h], g->mask, n * size, code);
    q.group = train_piece(t, t->at.group[h], g->group, 2 * n * sizeof(uint32_t), code);
    if (duel) q.action = train_piece(t, t->at.action[h], g->action, n * sizeof(int32_t), code);
    return q;
}

void train_loss_args(const cuda_learner *t, int n, loss_args *loss)
{
    const nn_desc *d = &t->net->desc;
    memset(loss, 0, sizeof *loss); // graphs compare its bytes
    loss->n = n, loss->n_heads = d->n_heads, loss->hw = d->rows * d->cols;
    loss->n_policy = nn_policy_heads(d);
    loss->prob_scale = loss->huber = 1;
    loss->dprob = t->dprob;
    loss->losses = t->losses, loss->report = t->report;
}

static int send_batch(cuda_learner *t, const nn_batch *b, float lr, loss_args *loss)
{
    const nn_desc *d = &t->net->desc;
    size_t n = (size_t)b->n;
    int code = 0;
    optim_step step = train_optim_step(t, lr);
    train_loss_args(t, b->n, loss);
    if (b->prob_scale != 0) loss->prob_scale = b->prob_scale;
    if (b->huber != 0) loss->huber = b->huber;
    loss->dist = (int)b->dist.kind;
    loss->support = (float)b->dist.support;
    if (b->rest != NULL) loss->rest_scale = b->rest_scale;
    if (b->td != NULL) loss->td = t->td;
    train_piece(t, t->at.step, &step, sizeof step, &code);
    train_piece(t, t->at.bits, b->bits, n * nn_in_bits(d) * sizeof(uint64_t), &code);
    train_piece(t, t->at.scalars, b->scalars, n * (size_t)d->scalars * sizeof(float), &code);
    loss->weight = train_piece(t, t->at.weight, b->weight, n * sizeof(float), &code);
    for (int h = 0; h < d->n_heads; h++) {
        loss->head[h] = send_head(t, b, h, &code);
        if (d->head[h].kind != NN_DUEL || b->rest == NULL) continue;
        size_t known = n * (size_t)d->head[h].out;
        loss->rest = train_piece(t, t->at.rest, b->rest, known * sizeof(float), &code);
        loss->rest_actions = d->head[h].out;
        loss->rest_mask = train_piece(t, t->at.rest_mask, b->rest_mask, known, &code);
    }
    if (b->start != NULL) {
        size_t moves = b->start[n];
        loss->start = train_piece(t, t->at.start, b->start, (n + 1) * sizeof(uint32_t), &code);
        loss->index = train_piece(t, t->at.index, b->index, moves * (size_t)loss->n_policy * sizeof(uint16_t), &code);
        loss->prob = train_piece(t, t->at.prob, b->prob, moves * sizeof(float), &code);
    }
    return code;
}

// The graph of this kind of batch; made the first time one comes.
static int run_graph(cuda_learner *t, const loss_args *loss, const gather_args *gather)
{
    static const gather_args none = {0};
    const gather_args *from = gather != NULL ? gather : &none;
    graph_entry *g = &t->graph[0];
    for (int i = 0; i < GRAPHS; i++) {
        graph_entry *k = &t->graph[i];
        if (k->exec != NULL && memcmp(&k->loss, loss, sizeof *loss) == 0 &&
            memcmp(&k->gather, from, sizeof *from) == 0) {
            k->used = t->steps;
            return (int)cudaGraphLaunch(k->exec, t->stream);
        }
        if (k->exec == NULL || (g->exec != NULL && k->used < g->used)) g = k; // free, or longest unused
    }
    if (t->steps == 0) // a first run outside a graph: kernels are loaded, errors have names
        return train_launch(t, loss->n, loss, gather);
    cudaGraph_t graph = NULL;
    int code = (int)cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal);
    if (code != 0) return code;
    code = train_launch(t, loss->n, loss, gather);
    int end = (int)cudaStreamEndCapture(t->stream, &graph);
    if (code == 0) code = end;
    if (g->exec != NULL) cudaGraphExecDestroy(g->exec), g->exec = NULL;
    if (code == 0) code = (int)cudaGraphInstantiate(&g->exec, graph, 0);
    if (graph != NULL) cudaGraphDestroy(graph);
    if (code != 0) {
        g->exec = NULL;
        return code;
    }
    g->loss = *loss, g->gather = *from, g->used = t->steps;
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

err train_begin(cuda_learner *t, int n)
{
    if (n > t->o.max_batch)
        return err_set(ERR_USAGE, "a batch of %d positions; this trainer takes %d", n, t->o.max_batch);
    err e = cuda_use(t->device, NULL);
    return e == ERR_OK ? cuda_check((int)cudaEventSynchronize(t->sent[t->slot]), "waiting for a batch to leave") : e;
}

err train_end(cuda_learner *t, int code, const loss_args *loss, const gather_args *gather, nn_step_report *r)
{
    if (code == 0) code = (int)cudaEventRecord(t->sent[t->slot], t->stream);
    if (code == 0) code = begin_timing(t);
    if (code == 0) code = run_graph(t, loss, gather);
    if (code == 0 && t->timed) code = (int)cudaEventRecord(t->ended, t->stream);
    if (code != 0) return cuda_check(code, "a training step");
    t->slot = (t->slot + 1) % SLOTS;
    t->steps++;
    if (r == NULL && loss->td == NULL) return ERR_OK;
    code = (int)cudaMemcpyAsync(t->report_host, t->report, 10 * sizeof(double), cudaMemcpyDeviceToHost, t->stream);
    if (code == 0 && loss->td != NULL)
        code =
            (int)cudaMemcpyAsync(t->td_host, t->td, (size_t)loss->n * sizeof(float), cudaMemcpyDeviceToHost, t->stream);
    if (code == 0) code = (int)cudaStreamSynchronize(t->stream);
    if (code != 0) return cuda_check(code, "a training step");
    if (t->timed) cuda_usage_kernels(CUDA_LEARN, t->begun, t->ended), t->timed = false;
    if (r == NULL) return ERR_OK;
    *r = (nn_step_report){.loss = t->report_host[0], .grad_norm = t->report_host[9]};
    for (int h = 0; h < loss->n_heads; h++) r->by_head[h] = t->report_host[1 + h];
    return ERR_OK;
}

err cuda_learner_step(nn_learner *handle, const nn_batch *b, float lr, nn_step_report *r)
{
    cuda_learner *t = (cuda_learner *)handle;
    err e = nn_batch_check(&t->net->desc, b);
    if (e == ERR_OK) e = train_begin(t, b->n);
    if (e == ERR_OK && b->start != NULL && b->start[b->n] > t->moves) {
        e = cuda_check((int)cudaStreamSynchronize(t->stream), "waiting for the step before");
        if (e == ERR_OK) e = train_input_new(t, b->start[b->n] + b->start[b->n] / 2);
    }
    if (e != ERR_OK) return e;
    loss_args loss;
    int code = send_batch(t, b, lr, &loss);
    e = train_end(t, code, &loss, NULL, r);
    if (e == ERR_OK && b->td != NULL) memcpy(b->td, t->td_host, (size_t)b->n * sizeof(float));
    return e;
}
