// A learner's window in the GPU's memory: rings of columns, and steps whose batches a kernel gathers from them.
//
// Samples lie in a ring as long as the window, which is taken whole at the beginning. Their moves lie in a ring of their own,
// which grows, since nobody knows how many a sample has; a list of chunks tells from which move on it is still needed.
// Everything goes through the learner's stream, so a step sees all that was added before it.
#include "base/memory.h"
#include "nn/cuda/train_inner_cuda.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096, FIRST_MOVES = 16 }; // samples added in one go; moves a sample that the first ring has room for

enum { COL_BITS, COL_SCALARS, COL_NUMBER, COL_KIND = COL_NUMBER + NN_WINDOW_NUMBERS, COL_FIRST, COL_COUNT, COLUMNS };

typedef struct column {
    void *at;
    size_t each; // bytes an entry; 0 = there is none
} column;

typedef struct chunk { // of samples that were added together
    uint64_t first, first_move;
} chunk;

struct cuda_window {
    nn_window_shape shape; // its tables are on the device
    size_t taken, limit;   // bytes
    uint64_t begin, total; // numbers: where it began; one behind the newest
    column col[COLUMNS], move[2];
    uint64_t moves_room, moves_total;
    uint32_t most; // moves of one sample
    chunk *chunk;  // those still needed, in order
    size_t chunks, chunks_room;
    void *cell, *place, *view;
    // the lists of a batch, for max_batch samples of `lists_most` moves
    uint32_t lists_most;
    void *index, *prob, *dprob;
};

static err window_take(cuda_window *w, size_t bytes, void **out)
{
    *out = NULL;
    if (bytes == 0) return ERR_OK;
    if (w->taken + bytes > w->limit)
        return err_set(ERR_MEMORY, "the window would take %zu MiB of the GPU's memory, which can spare %zu MiB",
                       (w->taken + bytes) >> 20, w->limit >> 20);
    err e = cuda_check((int)cudaMalloc(out, bytes), "taking memory for the window");
    if (e == ERR_OK) w->taken += bytes;
    return e;
}

static void window_give(cuda_window *w, void **at, size_t bytes)
{
    if (*at == NULL) return;
    cudaFree(*at);
    *at = NULL;
    w->taken -= bytes;
}

void cuda_window_free(nn_learner *handle)
{
    cuda_learner *t = (cuda_learner *)handle;
    cuda_window *w = t->window;
    if (w == NULL) return;
    cudaSetDevice(t->device);
    cudaStreamSynchronize(t->stream);
    for (int i = 0; i < COLUMNS; i++) cudaFree(w->col[i].at);
    for (int i = 0; i < 2; i++) cudaFree(w->move[i].at);
    cudaFree(w->cell), cudaFree(w->place), cudaFree(w->view);
    cudaFree(w->index), cudaFree(w->prob), cudaFree(w->dprob);
    free(w->chunk);
    free(w);
    t->window = NULL;
}

// --- making one

static err send_view(cuda_learner *t)
{
    cuda_window *w = t->window;
    window_view v = {.bits = w->col[COL_BITS].at,
                     .scalars = w->col[COL_SCALARS].at,
                     .kind = w->col[COL_KIND].at,
                     .first = w->col[COL_FIRST].at,
                     .count = w->col[COL_COUNT].at,
                     .move = w->move[0].at,
                     .prob = w->move[1].at,
                     .cell = w->cell,
                     .place = w->place,
                     .room = w->shape.samples,
                     .moves_room = w->moves_room};
    for (int i = 0; i < NN_WINDOW_NUMBERS; i++) v.number[i] = w->col[COL_NUMBER + i].at;
    int code = (int)cudaMemcpyAsync(w->view, &v, sizeof v, cudaMemcpyHostToDevice, t->stream);
    if (code == 0) code = (int)cudaStreamSynchronize(t->stream);
    return cuda_check(code, "describing the window");
}

static err send_table(cuda_learner *t, const uint16_t *from, size_t n, void **to)
{
    err e = window_take(t->window, n * sizeof *from, to);
    if (e != ERR_OK) return e;
    int code = (int)cudaMemcpyAsync(*to, from, n * sizeof *from, cudaMemcpyHostToDevice, t->stream);
    return cuda_check(code, "sending the window's tables");
}

// A ring for more moves, with those that are still needed.
static err grow_moves(cuda_learner *t, uint64_t room)
{
    cuda_window *w = t->window;
    void *to[2] = {NULL, NULL};
    uint64_t from = w->chunks > 0 ? w->chunk[0].first_move : w->moves_total;
    err e = ERR_OK;
    int code = 0;
    for (int i = 0; i < 2 && e == ERR_OK; i++) e = window_take(w, room * w->move[i].each, &to[i]);
    for (uint64_t at = from; at < w->moves_total && e == ERR_OK && code == 0;) {
        uint64_t n = w->moves_total - at, old = w->moves_room - at % w->moves_room, new = room - at % room;
        if (n > old) n = old;
        if (n > new) n = new;
        for (int i = 0; i < 2 && code == 0; i++) {
            size_t each = w->move[i].each;
            code = (int)cudaMemcpyAsync((char *)to[i] + at % room * each,
                                        (char *)w->move[i].at + at % w->moves_room * each, n * each,
                                        cudaMemcpyDeviceToDevice, t->stream);
        }
        at += n;
    }
    if (e == ERR_OK && code == 0) code = (int)cudaStreamSynchronize(t->stream);
    if (e == ERR_OK) e = cuda_check(code, "making room for moves");
    for (int i = 0; i < 2; i++) {
        if (e != ERR_OK) {
            window_give(w, &to[i], room * w->move[i].each);
            continue;
        }
        window_give(w, &w->move[i].at, w->moves_room * w->move[i].each);
        w->move[i].at = to[i];
    }
    if (e != ERR_OK) return e;
    w->moves_room = room;
    return send_view(t);
}

// Will it fit? Moves are counted with half of what the first ring has: few games have fewer.
static err window_fits(cuda_window *w)
{
    size_t available = 0, whole = 0, each = 0;
    err e = cuda_check((int)cudaMemGetInfo(&available, &whole), "asking for free memory");
    if (e != ERR_OK) return e;
    w->limit = w->shape.bytes > 0 ? w->shape.bytes : available / 4 * 3;
    for (int i = 0; i < COLUMNS; i++) each += w->col[i].each;
    each += FIRST_MOVES / 2 * (w->move[0].each + w->move[1].each);
    if (w->shape.samples <= w->limit / each) return ERR_OK;
    return err_set(ERR_MEMORY,
                   "a window of %llu positions takes %llu MiB of the GPU's memory at least, which can spare %zu MiB",
                   (unsigned long long)w->shape.samples, (unsigned long long)(w->shape.samples >> 10) * each >> 10,
                   w->limit >> 20);
}

static err window_fill(cuda_learner *t, const nn_window_shape *shape)
{
    const nn_desc *d = &t->net->desc;
    cuda_window *w = t->window;
    size_t hw = (size_t)(d->rows * d->cols), syms = (size_t)shape->syms, heads = (size_t)nn_policy_heads(d);
    w->col[COL_BITS].each = nn_in_bits(d) * sizeof(uint64_t);
    w->col[COL_SCALARS].each = (size_t)d->scalars * sizeof(float);
    for (int i = 0; i < NN_WINDOW_NUMBERS; i++) w->col[COL_NUMBER + i].each = sizeof(float);
    w->col[COL_KIND].each = sizeof(uint8_t);
    w->col[COL_FIRST].each = sizeof(uint64_t);
    w->col[COL_COUNT].each = sizeof(uint16_t);
    w->move[0].each = w->move[1].each = sizeof(uint16_t);
    err e = window_fits(w);
    for (int i = 0; i < COLUMNS && e == ERR_OK; i++) e = window_take(w, shape->samples * w->col[i].each, &w->col[i].at);
    if (e == ERR_OK) e = window_take(w, sizeof(window_view), &w->view);
    if (e == ERR_OK) e = send_table(t, shape->cell, syms * hw, &w->cell);
    if (e == ERR_OK)
        e = send_table(t, shape->place, (size_t)shape->kinds * syms * (size_t)shape->moves * heads, &w->place);
    return e == ERR_OK ? grow_moves(t, (shape->samples < 65536 ? shape->samples : 65536) * FIRST_MOVES) : e;
}

err cuda_window_new(nn_learner *handle, const nn_window_shape *shape)
{
    cuda_learner *t = (cuda_learner *)handle;
    err e = nn_window_check(&t->net->desc, shape);
    if (e == ERR_OK) e = cuda_use(t->device, NULL);
    if (e != ERR_OK) return e;
    cuda_window_free(handle);
    t->window = calloc(1, sizeof *t->window);
    if (t->window == NULL) return err_set(ERR_MEMORY, "no memory for a window");
    t->window->shape = *shape;
    e = window_fill(t, shape);
    if (e != ERR_OK) cuda_window_free(handle);
    return e;
}

// --- adding

// n entries from number `at` on, round the ring's end.
static int ring_put(const cuda_learner *t, const column *c, uint64_t room, uint64_t at, const void *from, size_t n)
{
    size_t here = room - at % room < n ? (size_t)(room - at % room) : n;
    if (c->each == 0 || n == 0) return 0;
    int code = (int)cudaMemcpyAsync((char *)c->at + at % room * c->each, from, here * c->each, cudaMemcpyHostToDevice,
                                    t->stream);
    if (code == 0 && here < n)
        code = (int)cudaMemcpyAsync(c->at, (const char *)from + here * c->each, (n - here) * c->each,
                                    cudaMemcpyHostToDevice, t->stream);
    return code;
}

// Forgets chunks whose samples have all left the window that ends at `total`, and remembers one more.
static err note_chunk(cuda_window *w, uint64_t total)
{
    size_t gone = 0;
    uint64_t oldest = total > w->shape.samples ? total - w->shape.samples : 0;
    while (gone < w->chunks && (gone + 1 < w->chunks ? w->chunk[gone + 1].first : w->total) <= oldest) gone++;
    w->chunks -= gone;
    memmove(w->chunk, w->chunk + gone, w->chunks * sizeof *w->chunk);
    if (!GROW(w->chunk, w->chunks, w->chunks_room)) return err_set(ERR_MEMORY, "no memory for a window");
    w->chunk[w->chunks++] = (chunk){w->total, w->moves_total};
    return ERR_OK;
}

// Samples i … i+n-1 of `s`; `first` and `count` are scratch of n.
static err add_chunk(cuda_learner *t, const nn_packed *s, size_t i, size_t n, uint64_t *first, uint16_t *count)
{
    cuda_window *w = t->window;
    uint64_t moves = s->start[i + n] - s->start[i];
    err e = note_chunk(w, w->total + n);
    if (e != ERR_OK) return e;
    uint64_t need = w->moves_total + moves - w->chunk[0].first_move;
    if (need > w->moves_room) e = grow_moves(t, need > 2 * w->moves_room ? need : 2 * w->moves_room);
    if (e != ERR_OK) return e;
    for (size_t k = 0; k < n; k++) {
        uint32_t many = s->start[i + k + 1] - s->start[i + k];
        first[k] = w->moves_total + (s->start[i + k] - s->start[i]);
        count[k] = (uint16_t)many;
        if (many > w->most) w->most = many;
    }
    const void *from[COLUMNS] = {[COL_BITS] = s->bits + i * w->col[COL_BITS].each / sizeof *s->bits,
                                 [COL_SCALARS] = s->scalars + i * w->col[COL_SCALARS].each / sizeof *s->scalars,
                                 [COL_KIND] = s->kind + i,
                                 [COL_FIRST] = first,
                                 [COL_COUNT] = count};
    for (int k = 0; k < NN_WINDOW_NUMBERS; k++) from[COL_NUMBER + k] = s->number[k] + i;
    int code = 0;
    for (int k = 0; k < COLUMNS && code == 0; k++)
        code = ring_put(t, &w->col[k], w->shape.samples, w->total, from[k], n);
    if (code == 0) code = ring_put(t, &w->move[0], w->moves_room, w->moves_total, s->move + s->start[i], moves);
    if (code == 0) code = ring_put(t, &w->move[1], w->moves_room, w->moves_total, s->prob + s->start[i], moves);
    if (code == 0) code = (int)cudaStreamSynchronize(t->stream); // the caller's arrays and the scratch are free again
    w->total += n;
    w->moves_total += moves;
    return cuda_check(code, "adding to the window");
}

err cuda_window_add(nn_learner *handle, uint64_t number, const nn_packed *s)
{
    cuda_learner *t = (cuda_learner *)handle;
    cuda_window *w = t->window;
    if (w == NULL) return err_set(ERR_USAGE, "this learner has no window");
    err e = nn_packed_check(&w->shape, s);
    if (e == ERR_OK) e = cuda_use(t->device, NULL);
    if (e != ERR_OK || s->n == 0) return e;
    if (number != w->total) { // it begins anew
        w->begin = w->total = number;
        w->chunks = 0;
    }
    size_t most = w->shape.samples < CHUNK ? (size_t)w->shape.samples : CHUNK;
    uint64_t *first = malloc(most * sizeof *first);
    uint16_t *count = malloc(most * sizeof *count);
    if (first == NULL || count == NULL) e = err_set(ERR_MEMORY, "no memory for a window");
    for (size_t i = 0; i < s->n && e == ERR_OK; i += most)
        e = add_chunk(t, s, i, s->n - i < most ? s->n - i : most, first, count);
    free(first), free(count);
    return e;
}

// --- a step

static err check_picks(const cuda_window *w, const nn_picks *p)
{
    uint64_t oldest = w->total > w->shape.samples ? w->total - w->shape.samples : 0;
    if (oldest < w->begin) oldest = w->begin;
    if (p->n < 1) return err_set(ERR_USAGE, "a batch of %d positions", p->n);
    for (int i = 0; i < p->n; i++) {
        if (p->number[i] < oldest || p->number[i] >= w->total)
            return err_set(ERR_USAGE, "sample %llu is not in the window of %llu to %llu",
                           (unsigned long long)p->number[i], (unsigned long long)oldest, (unsigned long long)w->total);
        if (p->sym[i] >= w->shape.syms) return err_set(ERR_USAGE, "there is no symmetry %d", p->sym[i]);
    }
    return ERR_OK;
}

// Room for the lists of any batch, whatever it picks.
static err make_lists(cuda_learner *t)
{
    cuda_window *w = t->window;
    size_t heads = (size_t)nn_policy_heads(&t->net->desc) * sizeof(uint16_t), batch = (size_t)t->o.max_batch;
    if (w->shape.by_head || w->most <= w->lists_most) return ERR_OK;
    uint32_t most = w->most + w->most / 4;
    err e = cuda_check((int)cudaStreamSynchronize(t->stream), "waiting for the step before");
    window_give(w, &w->index, batch * w->lists_most * heads);
    window_give(w, &w->prob, batch * w->lists_most * sizeof(float));
    window_give(w, &w->dprob, batch * w->lists_most * sizeof(float));
    w->lists_most = 0;
    if (e == ERR_OK) e = window_take(w, batch * most * heads, &w->index);
    if (e == ERR_OK) e = window_take(w, batch * most * sizeof(float), &w->prob);
    if (e == ERR_OK) e = window_take(w, batch * most * sizeof(float), &w->dprob);
    if (e == ERR_OK) w->lists_most = most;
    return e;
}

static void describe(const cuda_learner *t, int n, loss_args *loss, gather_args *g)
{
    const nn_desc *d = &t->net->desc;
    const cuda_window *w = t->window;
    const input_places *at = &t->at;
    train_loss_args(t, n, loss);
    memset(g, 0, sizeof *g);
    g->view = w->view;
    g->pick = (const uint64_t *)(const void *)(t->in_dev + at->pick);
    g->sym = t->in_dev + at->sym;
    g->bits = (uint64_t *)(void *)(t->in_dev + at->bits);
    g->scalars = (float *)(void *)(t->in_dev + at->scalars);
    g->n = n, g->planes = d->planes, g->words = nn_words(d), g->hw = d->rows * d->cols, g->n_scalars = d->scalars;
    g->n_heads = d->n_heads, g->syms = w->shape.syms, g->moves = w->shape.moves, g->by_head = w->shape.by_head;
    for (int h = 0; h < d->n_heads; h++) {
        loss_head *q = &loss->head[h];
        *q = train_loss_head(t, h, w->shape.scale[h]);
        gather_head to = {.target = (float *)(void *)(t->in_dev + at->target[h]), .size = q->size, .number = -1};
        g->head[h].number = w->shape.number[h];
        if (w->shape.number[h] >= 0) g->head[h].target = to.target, q->target = to.target;
        if (d->head[h].kind != NN_POLICY) continue;
        if (w->shape.by_head) {
            to.mask = t->in_dev + at->mask[h];
            q->target = to.target, q->mask = to.mask;
        }
        g->policy[g->n_policy++] = to;
    }
    if (w->shape.by_head) return;
    g->start = (uint32_t *)(void *)(t->in_dev + at->start);
    g->index = w->index, g->prob = w->prob;
    loss->start = g->start, loss->index = g->index, loss->prob = g->prob, loss->dprob = w->dprob;
}

err cuda_window_step(nn_learner *handle, const nn_picks *p, float lr, nn_step_report *r)
{
    cuda_learner *t = (cuda_learner *)handle;
    if (t->window == NULL) return err_set(ERR_USAGE, "this learner has no window");
    err e = check_picks(t->window, p);
    if (e == ERR_OK) e = train_begin(t, p->n);
    if (e == ERR_OK) e = make_lists(t);
    if (e != ERR_OK) return e;
    optim_step step = train_optim_step(t, lr);
    uint8_t *host = t->in_host[t->slot];
    size_t n = (size_t)p->n, end = t->at.sym + n; // step, pick and sym lie one behind the other: one copy
    memcpy(host + t->at.step, &step, sizeof step);
    memcpy(host + t->at.pick, p->number, n * sizeof *p->number);
    memcpy(host + t->at.sym, p->sym, n);
    int code = (int)cudaMemcpyAsync(t->in_dev + t->at.step, host + t->at.step, end - t->at.step, cudaMemcpyHostToDevice,
                                    t->stream);
    loss_args loss;
    gather_args gather;
    describe(t, p->n, &loss, &gather);
    return train_end(t, code, &loss, &gather, r);
}

// --- for tests

static err bring(void *to, const void *from, size_t bytes)
{
    return bytes == 0 ? ERR_OK
                      : cuda_check((int)cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "fetching a batch");
}

err cuda_window_gathered(nn_learner *handle, int n, const nn_gathered *to)
{
    cuda_learner *t = (cuda_learner *)handle;
    const nn_desc *d = &t->net->desc;
    const cuda_window *w = t->window;
    const input_places *at = &t->at;
    size_t rows = (size_t)n, heads = (size_t)nn_policy_heads(d);
    err e = cuda_check((int)cudaStreamSynchronize(t->stream), "waiting for training");
    if (e == ERR_OK) e = bring(to->bits, t->in_dev + at->bits, rows * nn_in_bits(d) * sizeof(uint64_t));
    if (e == ERR_OK) e = bring(to->scalars, t->in_dev + at->scalars, rows * (size_t)d->scalars * sizeof(float));
    for (int h = 0; h < d->n_heads && e == ERR_OK; h++) {
        size_t size = rows * (size_t)nn_head_size(d, h);
        bool policy = d->head[h].kind == NN_POLICY && w->shape.by_head;
        if (w->shape.number[h] >= 0 || policy)
            e = bring(to->target[h], t->in_dev + at->target[h], size * sizeof(float));
        if (e == ERR_OK && policy) e = bring(to->mask[h], t->in_dev + at->mask[h], size);
    }
    if (e != ERR_OK || w->shape.by_head) return e;
    e = bring(to->start, t->in_dev + at->start, (rows + 1) * sizeof(uint32_t));
    if (e == ERR_OK) e = bring(to->index, w->index, to->start[n] * heads * sizeof(uint16_t));
    return e == ERR_OK ? bring(to->prob, w->prob, to->start[n] * sizeof(float)) : e;
}
