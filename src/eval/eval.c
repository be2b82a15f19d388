// See eval.h: fitting a network to a game, lanes, and the way of one batch.
#include "base/clock.h"
#include "base/memory.h"
#include "eval/eval_inner.h"
#include "nn/quant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_BATCH = 64, GPU_BATCH = 1024, MAX_LANES = 256, SCALE_BY = 128 }; // the last: positions for narrow numbers

// --- does it fit?

bool eval_note(const char *note, const char *key, char *out, size_t n)
{
    size_t k = strlen(key);
    for (const char *p = note; p != NULL && *p != 0; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
        if (strncmp(p, key, k) != 0 || strncmp(p + k, " = ", 3) != 0) continue;
        const char *v = p + k + 3, *end = strchr(v, '\n');
        size_t size = end != NULL ? (size_t)(end - v) : strlen(v);
        if (size >= n) return false;
        memcpy(out, v, size);
        out[size] = 0;
        return true;
    }
    return false;
}

static err fit_heads(const game *g, const nn_desc *d, int head_at[GAME_MAX_HEADS], int *value_at)
{
    int policies = 0, values = 0;
    for (int i = 0; i < d->n_heads; i++) {
        const nn_head *h = &d->head[i];
        if (h->kind == NN_VALUE) {
            *value_at = nn_head_at(d, i);
            values++;
        }
        if (h->kind != NN_POLICY) continue;
        if (policies < g->n_heads && h->out != g->head_dim[policies])
            return err_set(ERR_USAGE, "the network's policy head %d has %d outputs; %s needs %d", policies + 1, h->out,
                           g->name, g->head_dim[policies]);
        if (policies < g->n_heads) head_at[policies] = nn_head_at(d, i);
        policies++;
    }
    if (policies != g->n_heads)
        return err_set(ERR_USAGE, "the network has %d policy heads; %s needs %d", policies, g->name, g->n_heads);
    if (values != 1)
        return err_set(ERR_USAGE, "the network has %d value heads; a search of %s needs one", values, g->name);
    return ERR_OK;
}

static bool planes_fit(const nn_desc *d, const encoding *e)
{
    return d->planes == e->planes && d->scalars == e->scalars;
}

err eval_fit(const game *g, const nn_net *net, const char *wanted, const encoding **out)
{
    const nn_desc *d = &net->desc;
    char text[64];
    int head_at[GAME_MAX_HEADS], value_at;
    if (eval_note(net->note, "game", text, sizeof text) && strcmp(text, g->name) != 0)
        return err_set(ERR_USAGE, "this network was trained for %s, not for %s", text, g->name);
    if (d->rows != g->rows || d->cols != g->cols)
        return err_set(ERR_USAGE, "the network reads boards of %dx%d; %s has %dx%d", d->rows, d->cols, g->name, g->rows,
                       g->cols);
    err e = fit_heads(g, d, head_at, &value_at);
    if (e != ERR_OK) return e;
    const encoding *found = NULL;
    if ((wanted == NULL || *wanted == 0) && eval_note(net->note, "encoding", text, sizeof text)) wanted = text;
    if (wanted != NULL && *wanted != 0) {
        e = game_encoding(g, wanted, &found);
        if (e != ERR_OK) return e;
    }
    for (int i = 0; found == NULL && i < g->n_encodings; i++)
        if (planes_fit(d, &g->encodings[i])) found = &g->encodings[i];
    if (found == NULL || !planes_fit(d, found)) {
        const encoding *have = found != NULL ? found : &g->encodings[0];
        return err_set(ERR_USAGE, "the network reads %d planes and %d numbers; %s's encoding '%s' has %d and %d",
                       d->planes, d->scalars, g->name, have->name, have->planes, have->scalars);
    }
    *out = found;
    return ERR_OK;
}

// --- lanes

static void lane_free(const evaluator *e, lane *l)
{
    if (l == NULL) return;
    if (l->h != NULL) e->backend->infer_free(l->h);
    FREE_ALL(l->bits, l->scalars, l->out, l->index, l->start, l->prior, l->rest, l->at, l->key, l);
}

// `net` for the first lane, which packs the weights; the others share them.
static err lane_new(lane **out, const evaluator *e, const nn_net *net)
{
    size_t n = (size_t)e->o.max_batch;
    lane *l = calloc(1, sizeof *l);
    if (l == NULL) return err_set(ERR_MEMORY, "no memory for an evaluator");
    l->bits = malloc(n * e->bits_each * sizeof *l->bits);
    l->scalars = malloc((n * (size_t)e->desc.scalars + 1) * sizeof *l->scalars);
    l->out = malloc(n * e->out_each * sizeof *l->out);
    l->moves_room = (size_t)e->g->max_legal;
    l->index = malloc(l->moves_room * (size_t)e->g->n_heads * sizeof *l->index);
    l->prior = malloc(l->moves_room * sizeof *l->prior);
    l->start = malloc((n + 1) * sizeof *l->start);
    l->rest = malloc(n * (size_t)e->rest_each * sizeof *l->rest);
    l->at = malloc(n * sizeof *l->at);
    l->key = malloc(n * sizeof *l->key);
    err r = l->bits && l->scalars && l->out && l->index && l->prior && l->start && l->rest && l->at && l->key
                ? ERR_OK
                : err_set(ERR_MEMORY, "no memory for an evaluator's batch of %zu", n);
    nn_sample seen = {0};
    nn_infer_options io = {.max_batch = e->o.max_batch, .narrow = e->narrow ? &seen : NULL};
    if (r == ERR_OK && net != NULL && e->narrow) r = eval_sample(&seen, e->g, e->enc, &e->desc, SCALE_BY);
    if (r == ERR_OK)
        r = net != NULL ? e->backend->infer_new(&l->h, net, &io) : e->backend->infer_fork(&l->h, e->first->h);
    eval_sample_free(&seen);
    if (r != ERR_OK) {
        lane_free(e, l);
        return r;
    }
    *out = l;
    return ERR_OK;
}

static void note_failure(evaluator *e, err r)
{
    pthread_mutex_lock(&e->lock);
    err_keep(&e->failed, r);
    pthread_mutex_unlock(&e->lock);
}

static lane *borrow(evaluator *e)
{
    lane *l = NULL;
    pthread_mutex_lock(&e->lock);
    while (e->idle == NULL) {
        if (e->n_lanes < e->o.lanes) {
            if (lane_new(&l, e, NULL) == ERR_OK) {
                e->n_lanes++;
                break;
            }
            e->o.lanes = e->n_lanes; // no memory for more: those there are must do
        }
        pthread_cond_wait(&e->freed, &e->lock);
    }
    if (l == NULL) {
        l = e->idle;
        e->idle = l->next;
    }
    pthread_mutex_unlock(&e->lock);
    return l;
}

static void give_back(evaluator *e, lane *l)
{
    pthread_mutex_lock(&e->lock);
    l->next = e->idle;
    e->idle = l;
    pthread_cond_signal(&e->freed);
    pthread_mutex_unlock(&e->lock);
}

// --- one batch

static void answer(const mcts_batch *b, int i, eval_numbers x)
{
    b->values[i] = x.value;
    if (b->margins != NULL) b->margins[i] = x.margin;
}

// Logits of the position's moves from the network's outputs.
static void read_row(const evaluator *e, lane *l, const mcts_batch *b, int i, const float *out)
{
    const game *g = e->g;
    int n = b->n_moves[i], heads = g->n_heads;
    float *logit = b->priors[i];
    if (n == 0) return;
    g->heads(b->obs[i], b->moves[i], n, l->index);
    for (int m = 0; m < n; m++) {
        float sum = out[e->head_at[0] + l->index[m * heads]];
        for (int h = 1; h < heads; h++) sum += out[e->head_at[h] + l->index[m * heads + h]];
        logit[m] = sum;
    }
}

// The rows' moves in one list, as the backend wants them.
static err list_moves(const evaluator *e, lane *l, const mcts_batch *b, int n)
{
    const game *g = e->g;
    size_t moves = 0;
    for (int k = 0; k < n; k++) moves += (size_t)b->n_moves[l->at[k]];
    if (moves > l->moves_room) {
        uint16_t *index = realloc(l->index, moves * (size_t)g->n_heads * sizeof *index);
        if (index != NULL) l->index = index;
        float *prior = realloc(l->prior, moves * sizeof *prior);
        if (prior != NULL) l->prior = prior;
        if (index == NULL || prior == NULL) return err_set(ERR_MEMORY, "no memory for a batch's moves");
        l->moves_room = moves;
    }
    l->start[0] = 0;
    for (int k = 0; k < n; k++) {
        int i = l->at[k];
        if (b->n_moves[i] > 0)
            g->heads(b->obs[i], b->moves[i], b->n_moves[i], l->index + (size_t)l->start[k] * (size_t)g->n_heads);
        l->start[k + 1] = l->start[k] + (uint32_t)b->n_moves[i];
    }
    return ERR_OK;
}

static uint64_t since(double start)
{
    return (uint64_t)((clock_seconds() - start) * 1e9);
}

static err run_network(evaluator *e, lane *l, const mcts_batch *b, int n)
{
    if (!e->o.priors) return e->backend->infer_run(l->h, n, l->bits, l->scalars, l->out);
    double start = clock_seconds();
    err r = list_moves(e, l, b, n);
    nn_moves m = {l->start, l->index, l->prior, l->rest};
    if (r == ERR_OK) r = e->backend->infer_submit_moves(l->h, n, l->bits, l->scalars, &m);
    e->sending += since(start);
    return r == ERR_OK ? e->backend->infer_wait(l->h) : r;
}

// The network has one batch more to do, or one less. Returns the seconds in which it had any.
static double count_running(evaluator *e, int change)
{
    pthread_mutex_lock(&e->busy_lock);
    double now = clock_seconds();
    if (e->running > 0) e->busy += now - e->busy_since;
    e->running += change;
    e->busy_since = now;
    double busy = e->busy;
    pthread_mutex_unlock(&e->busy_lock);
    return busy;
}

static void run_rows(evaluator *e, lane *l, const mcts_batch *b, int n, bool cached)
{
    if (n == 0) return;
    double start = clock_seconds();
    count_running(e, 1);
    err r = run_network(e, l, b, n);
    count_running(e, -1);
    if (r != ERR_OK) {
        note_failure(e, r);
        return;
    }
    e->nanoseconds += since(start);
    e->batches++;
    e->run += (uint64_t)n;
    for (int k = 0; k < n; k++) {
        int i = l->at[k];
        const float *out = e->o.priors ? l->rest + k * e->rest_each : l->out + (size_t)k * e->out_each;
        int value = e->o.priors ? e->value_rest : e->value_at, margin = e->o.priors ? e->margin_rest : e->margin_at;
        eval_numbers x = {out[value], margin < 0 ? 0 : out[margin]};
        answer(b, i, x);
        if (e->o.priors)
            memcpy(b->priors[i], l->prior + l->start[k], (size_t)b->n_moves[i] * sizeof *l->prior);
        else
            read_row(e, l, b, i, out);
        if (cached) eval_cache_put(e->cache, l->key[k], b->n_moves[i], b->priors[i], x);
    }
}

// Encodes position i of the batch as row `row`; the key of the cache where there is one.
static void encode_row(const evaluator *e, lane *l, const mcts_batch *b, int i, int row, bool cached)
{
    size_t scalars_each = (size_t)e->desc.scalars;
    uint64_t *bits = l->bits + (size_t)row * e->bits_each;
    float *scalars = l->scalars + (size_t)row * scalars_each;
    e->enc->encode(&b->obs[i], 1, bits, scalars);
    if (!cached) return;
    eval_key k = eval_key_add(eval_key_begin(), bits, e->bits_each * sizeof *bits);
    if (scalars_each > 0) k = eval_key_add(k, scalars, scalars_each * sizeof *scalars);
    l->key[row] = eval_key_add(k, b->moves[i], (size_t)b->n_moves[i] * sizeof **b->moves);
}

void eval_now(evaluator *e, const mcts_batch *b, bool cached)
{
    lane *l = borrow(e);
    cached = cached && e->cache != NULL;
    uint64_t hits = 0;
    int rows = 0;
    double start = clock_seconds();
    for (int i = 0; i < b->n; i++) {
        eval_numbers x;
        encode_row(e, l, b, i, rows, cached);
        if (cached && eval_cache_get(e->cache, l->key[rows], b->n_moves[i], b->priors[i], &x)) {
            answer(b, i, x);
            hits++;
            continue;
        }
        l->at[rows++] = i;
        if (rows < e->o.max_batch) continue;
        e->encoding += since(start);
        run_rows(e, l, b, rows, cached);
        start = clock_seconds();
        rows = 0;
    }
    e->encoding += since(start);
    run_rows(e, l, b, rows, cached);
    e->positions += (uint64_t)b->n;
    e->hits += hits;
    give_back(e, l);
}

bool evaluator_known(evaluator *e, const mcts_batch *b, int at, int n)
{
    if (e->cache == NULL) return false;
    lane *l = borrow(e);
    bool known = true;
    for (int i = at; i < at + n && known; i++) {
        encode_row(e, l, b, i, 0, true);
        eval_numbers x;
        known = eval_cache_get(e->cache, l->key[0], b->n_moves[i], b->priors[i], &x);
        if (known) answer(b, i, x);
    }
    give_back(e, l);
    if (known) {
        e->positions += (uint64_t)n;
        e->hits += (uint64_t)n;
    }
    return known;
}

static void eval_call(void *ctx, const mcts_batch *b)
{
    evaluator *e = ctx;
    if (e->o.queue > 0)
        eval_queued(e, b);
    else
        eval_now(e, b, true);
}

mcts_evaluator evaluator_mcts(evaluator *e)
{
    return (mcts_evaluator){eval_call, e};
}

bool evaluator_logits(const evaluator *e)
{
    return !e->o.priors;
}

bool evaluator_on_gpu(const evaluator *e)
{
    return strcmp(e->backend->name, "cuda") == 0;
}

bool evaluator_margins(const evaluator *e)
{
    return e->margin_at >= 0;
}

err evaluator_raw(evaluator *e, const mcts_batch *b)
{
    eval_now(e, b, false);
    return evaluator_check(e);
}

// --- making and unmaking

// Does this backend have such numbers, and are they its narrow ones? int8 is for speed: without VNNI, where it is slower than
// f32, f32 is used instead.
static err fit_precision(const nn_backend *b, const char *precision, bool *narrow)
{
    const bool cpu = b == &nn_backend_cpu;
    *narrow = false;
    if (precision == NULL || *precision == 0 || strcmp(precision, "auto") == 0) return ERR_OK;
    if (strcmp(precision, cpu ? "int8" : "fp8") == 0) {
        *narrow = !cpu || nn_int8_pays();
        return ERR_OK;
    }
    if (strcmp(precision, cpu ? "f32" : "bf16") == 0) return ERR_OK;
    return err_set(ERR_USAGE, "precision '%s' is not for the %s backend, which has %s", precision, b->name,
                   cpu ? "f32 and int8" : "bf16 and fp8");
}

err evaluator_new(evaluator **out, const game *g, const nn_net *net, const eval_options *o)
{
    evaluator *e = calloc(1, sizeof *e);
    if (e == NULL) return err_set(ERR_MEMORY, "no memory for an evaluator");
    if (o != NULL) e->o = *o;
    e->g = g;
    e->desc = net->desc;
    e->bits_each = nn_in_bits(&net->desc);
    e->out_each = (size_t)nn_out_size(&net->desc);
    e->rest_each = nn_rest_size(&net->desc);
    e->margin_at = e->margin_rest = -1;
    for (int i = 0, rest = 0; i < net->desc.n_heads; i++) {
        if (net->desc.head[i].kind == NN_POLICY) continue;
        if (net->desc.head[i].kind == NN_VALUE) e->value_rest = rest;
        if (net->desc.head[i].kind == NN_SCALAR) e->margin_rest = rest, e->margin_at = nn_head_at(&net->desc, i);
        rest += nn_head_size(&net->desc, i);
    }
    pthread_mutex_init(&e->lock, NULL);
    pthread_mutex_init(&e->busy_lock, NULL);
    pthread_cond_init(&e->freed, NULL);
    err r = eval_queue_init(e);
    if (r == ERR_OK) r = eval_fit(g, net, e->o.encoding, &e->enc);
    if (r == ERR_OK) r = fit_heads(g, &net->desc, e->head_at, &e->value_at);
    if (r == ERR_OK) r = nn_backend_find(e->o.backend != NULL ? e->o.backend : "auto", &e->backend);
    if (r == ERR_OK) r = fit_precision(e->backend, e->o.precision, &e->narrow);
    if (r == ERR_OK) {
        if (e->o.max_batch <= 0) e->o.max_batch = e->backend == &nn_backend_cpu ? CPU_BATCH : GPU_BATCH;
        if (e->o.lanes <= 0) e->o.lanes = MAX_LANES;
        e->o.priors = e->o.priors || e->backend != &nn_backend_cpu;
        if (e->o.queue_wait <= 0) e->o.queue_wait = 0.0005;
        r = lane_new(&e->first, e, net);
    }
    if (r == ERR_OK) {
        e->idle = e->first;
        e->n_lanes = 1;
        if (e->o.cache > 0) r = eval_cache_new(&e->cache, e->o.cache);
    }
    e->o.backend = e->o.encoding = e->o.precision = NULL; // the caller's texts
    return HAND_OVER(r, out, e, evaluator_free);
}

err evaluator_stage(evaluator *e, const nn_net *net)
{
    if (!nn_desc_equal(&net->desc, &e->desc)) return err_set(ERR_USAGE, "the new weights are of another network");
    nn_sample seen = {0};
    err r = e->narrow ? eval_sample(&seen, e->g, e->enc, &e->desc, SCALE_BY) : ERR_OK;
    if (r == ERR_OK) r = e->backend->infer_stage(e->first->h, net, e->narrow ? &seen : NULL);
    eval_sample_free(&seen);
    return r;
}

err evaluator_swap(evaluator *e)
{
    if (e->cache != NULL) eval_cache_clear(e->cache);
    return e->backend->infer_swap(e->first->h);
}

err evaluator_update(evaluator *e, const nn_net *net)
{
    err r = evaluator_stage(e, net);
    return r == ERR_OK ? evaluator_swap(e) : r;
}

void evaluator_free(evaluator *e)
{
    if (e == NULL) return;
    for (lane *l = e->idle, *next; l != NULL; l = next) {
        next = l->next;
        if (l != e->first) lane_free(e, l);
    }
    lane_free(e, e->first); // last: the others are forks of it
    eval_cache_free(e->cache);
    eval_queue_end(e);
    pthread_cond_destroy(&e->freed);
    pthread_mutex_destroy(&e->lock);
    pthread_mutex_destroy(&e->busy_lock);
    free(e->name);
    free(e);
}

err evaluator_check(evaluator *e)
{
    pthread_mutex_lock(&e->lock);
    err r = err_repeat(&e->failed);
    pthread_mutex_unlock(&e->lock);
    return r;
}

eval_stats evaluator_statistics(evaluator *e)
{
    double busy = count_running(e, 0);
    return (eval_stats){.positions = e->positions,
                        .hits = e->hits,
                        .batches = e->batches,
                        .run = e->run,
                        .room = e->batches * (uint64_t)e->o.max_batch,
                        .gathered = e->gathered,
                        .deepest = e->deepest,
                        .seconds = (double)e->nanoseconds * 1e-9,
                        .send = (double)e->sending * 1e-9,
                        .encode = (double)e->encoding * 1e-9,
                        .busy = busy};
}
