// See dqn.h.
#include "learn/dqn/dqn.h"

#include "base/memory.h"
#include "nn/noise.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_DRAW = 0xd4a3, STREAM_VARY = 0xd4a4, STREAM_NOISE = 0xd4a5, STREAM_EXPLORE = 0xd4a6 };

struct dqn {
    dqn_config c;
    dqn_machine m;
    uint64_t seed;
    int n; // transitions of a batch
    nn_lr lr;
    nn_dist dist;
    const dqn_env_type *type;
    const void *env;
    dqn_shape shape;
    size_t words, scalars;
    per *buffer;
    nstep *steps;
    const nn_backend *trains; // the backend of `learner`
    nn_learner *learner;
    dqn_net online, target;
    nn_net *weights, *target_net; // scratch for copies; what the target network is
    dqn_net explorer;             // noisy networks: plays with noise
    nn_net *moved;                // its weights
    float *noise;
    uint64_t updates;
    // a batch
    per_draw *draw;
    uint64_t *bits, *next_bits;
    float *numbers, *next_numbers, *weight, *td, *q_online, *q_target, *rest;
    float *goal, *out; // [batch][atoms], [batch][actions][atoms]: targets; what the target network says of what follows
    uint8_t *rest_mask;
    int32_t *action;
};

err dqn_dist_of(const dqn_config *c, nn_dist *out)
{
    *out = (nn_dist){.support = c->support};
    return nn_dist_parse(c->distribution, &out->kind);
}

void dqn_free(dqn *d)
{
    if (d == NULL) return;
    if (d->learner != NULL) d->trains->learner_free(d->learner);
    dqn_net_close(&d->online);
    dqn_net_close(&d->target);
    dqn_net_close(&d->explorer);
    nn_net_free(d->moved);
    free(d->noise);
    free(d->out);
    per_free(d->buffer);
    nstep_free(d->steps);
    nn_net_free(d->weights);
    nn_net_free(d->target_net);
    FREE_ALL(d->draw, d->bits, d->next_bits, d->numbers, d->next_numbers, d->weight, d->goal, d->td, d->q_online,
             d->q_target, d->action, d->rest, d->rest_mask, d);
}

err dqn_fits(const nn_desc *n, const dqn_shape *s, const nn_dist *dist)
{
    bool head = n->n_heads == 1 && n->head[0].kind == NN_DUEL && n->head[0].out == s->actions &&
                (nn_atoms(&n->head[0]) > 1) == (dist->kind != NN_DIST_NONE);
    if (head && n->planes == s->planes && n->rows == s->rows && n->cols == s->cols && n->scalars == s->scalars)
        return ERR_OK;
    char text[NN_TEXT];
    nn_desc_print(n, text, sizeof text);
    return err_set(
        ERR_USAGE,
        "the network \"%s\" does not fit: planes=%d scalars=%d size=%dx%d and one head duel=…:%d%s are needed", text,
        s->planes, s->scalars, s->rows, s->cols, s->actions,
        dist->kind == NN_DIST_NONE ? "" : ":ATOMS (for a distribution)");
}

static err make_batch(dqn *d)
{
    size_t n = (size_t)d->n, a = (size_t)d->shape.actions, atoms = (size_t)nn_atoms(&d->weights->desc.head[0]);
    d->draw = calloc(n, sizeof *d->draw);
    d->bits = calloc(n * d->words + 1, sizeof *d->bits);
    d->next_bits = calloc(n * d->words + 1, sizeof *d->next_bits);
    d->numbers = calloc(n * d->scalars + 1, sizeof *d->numbers);
    d->next_numbers = calloc(n * d->scalars + 1, sizeof *d->next_numbers);
    d->weight = calloc(n, sizeof *d->weight);
    d->goal = calloc(n * atoms, sizeof *d->goal);
    d->out = calloc(n * a * atoms, sizeof *d->out);
    d->noise = calloc(nn_noise_size(&d->weights->desc) + 1, sizeof *d->noise);
    d->td = calloc(n, sizeof *d->td);
    d->q_online = calloc(n * a, sizeof *d->q_online);
    d->q_target = calloc(n * a, sizeof *d->q_target);
    d->action = calloc(n, sizeof *d->action);
    d->rest = calloc(n * a, sizeof *d->rest);
    d->rest_mask = calloc(n * a, sizeof *d->rest_mask);
    bool all = d->draw && d->bits && d->next_bits && d->numbers && d->next_numbers && d->weight && d->goal && d->td &&
               d->q_online && d->q_target && d->action && d->rest && d->rest_mask && d->out && d->noise;
    return all ? ERR_OK : err_set(ERR_MEMORY, "no memory for batches of %d", d->n);
}

static err make_networks(dqn *d, const nn_net *net)
{
    const nn_backend *b = d->m.backend;
    nn_train_options t = {
        .max_batch = d->n, .optim = {.kind = NN_ADAM, .clip = (float)d->c.clip}, .threads = d->m.threads};
    int most = d->m.max_infer > d->n ? d->m.max_infer : d->n;
    err e = nn_net_copy(&d->target_net, net);
    d->trains = b;
    if (e == ERR_OK) e = b->learner_new(&d->learner, net, &t);
    if (e == ERR_MISSING && b != &nn_backend_cpu) { // it can play, but not train
        log_warn("%s; the CPU trains, %s plays", err_text(), b->name);
        d->trains = &nn_backend_cpu;
        e = d->trains->learner_new(&d->learner, net, &t);
    }
    if (e == ERR_OK) e = dqn_net_open(&d->online, b, net, d->dist, most, d->m.threads);
    if (e == ERR_OK) e = dqn_net_open(&d->target, b, net, d->dist, most, d->m.threads);
    if (e == ERR_OK && net->desc.noisy > 0) e = dqn_net_open(&d->explorer, b, net, d->dist, most, d->m.threads);
    if (e == ERR_OK && net->desc.noisy > 0) e = nn_net_copy(&d->moved, net);
    return e;
}

err dqn_new(dqn **out, const dqn_config *c, const dqn_machine *m, const nn_net *net, const dqn_env_type *type,
            const void *env, const dqn_shape *shape, int lanes)
{
    nn_dist dist;
    nn_lr lr;
    err e = dqn_dist_of(c, &dist);
    if (e == ERR_OK) e = err_prefix(nn_lr_parse(c->lr, &lr), "--lr");
    if (e == ERR_OK) e = dqn_fits(&net->desc, shape, &dist);
    if (e != ERR_OK) return e;
    dqn *d = calloc(1, sizeof *d);
    if (d == NULL) return err_set(ERR_MEMORY, "no memory for a learner");
    d->c = *c;
    d->m = *m;
    d->seed = (uint64_t)c->common.seed;
    d->n = (int)c->batch;
    d->lr = lr;
    d->dist = dist;
    d->type = type;
    d->env = env;
    d->shape = *shape;
    d->words = dqn_words(shape);
    d->scalars = (size_t)shape->scalars;
    per_options po = {*shape, (uint64_t)c->buffer, strcmp(c->replay, "prioritized") == 0, c->alpha};
    e = per_new(&d->buffer, &po);
    if (e == ERR_OK) e = nstep_new(&d->steps, shape, lanes, (int)c->n_step, c->gamma);
    if (e == ERR_OK) e = nn_net_copy(&d->weights, net);
    if (e == ERR_OK) e = make_batch(d);
    if (e == ERR_OK) e = make_networks(d, net);
    if (e != ERR_OK)
        dqn_free(d);
    else
        *out = d;
    return e;
}

per *dqn_buffer(dqn *d)
{
    return d->buffer;
}

uint64_t dqn_updates(const dqn *d)
{
    return d->updates;
}

void dqn_decide(dqn *d, int lane, float reward, const uint64_t *bits, const float *scalars, uint32_t mask, int action,
                const float *rest, uint32_t rest_mask)
{
    nstep_decide(d->steps, lane, reward * (float)d->c.reward_scale, bits, scalars, mask, action, rest, rest_mask,
                 d->buffer);
}

void dqn_end(dqn *d, int lane, float reward, int how)
{
    nstep_end(d->steps, lane, reward * (float)d->c.reward_scale, how, d->buffer);
}

err dqn_values(dqn *d, int n, const uint64_t *bits, const float *scalars, float *q)
{
    return dqn_net_values(&d->online, n, bits, scalars, q);
}

err dqn_target_values(dqn *d, int n, const uint64_t *bits, const float *scalars, float *q)
{
    return dqn_net_values(&d->target, n, bits, scalars, q);
}

static const float *draw_noise(dqn *d, uint64_t stream, uint64_t number)
{
    if (d->moved == NULL) return NULL;
    rng r = rng_at(rng_mix(d->seed ^ stream), number, 0);
    nn_noise_draw(&d->weights->desc, &r, d->noise);
    return d->noise;
}

err dqn_explore(dqn *d, uint64_t number, bool ahead)
{
    const nn_net *from = ahead ? d->target_net : d->weights;
    assert(d->moved != NULL);
    size_t stats = from->at.n_all - from->at.n_train;
    nn_noise_apply(&from->desc, &from->at, from->w, draw_noise(d, STREAM_EXPLORE, number), d->moved->w);
    memcpy(d->moved->w + from->at.n_train, from->w + from->at.n_train, stats * sizeof *from->w);
    return dqn_net_update(&d->explorer, d->moved);
}

err dqn_explore_values(dqn *d, int n, const uint64_t *bits, const float *scalars, float *q)
{
    return dqn_net_values(&d->explorer, n, bits, scalars, q);
}

int dqn_best(const float *q, uint32_t mask)
{
    assert(mask != 0);
    int best = __builtin_ctz(mask);
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        int a = __builtin_ctz(mask);
        if (q[a] > q[best]) best = a;
    }
    return best;
}

// --- an update

enum { GATHER = 32 }; // transitions a task

static void gather(void *ctx, int task, int worker)
{
    dqn *d = ctx;
    (void)worker;
    int end = (task + 1) * GATHER < d->n ? (task + 1) * GATHER : d->n;
    for (int k = task * GATHER; k < end; k++) {
        transition t = per_get(d->buffer, d->draw[k].slot);
        size_t w = (size_t)k * d->words, s = (size_t)k * d->scalars;
        memcpy(d->bits + w, t.bits, d->words * sizeof *t.bits);
        memcpy(d->next_bits + w, t.next_bits, d->words * sizeof *t.bits);
        memcpy(d->numbers + s, t.scalars, d->scalars * sizeof *t.scalars);
        memcpy(d->next_numbers + s, t.next_scalars, d->scalars * sizeof *t.scalars);
        size_t a = (size_t)d->shape.actions;
        memcpy(d->rest + (size_t)k * a, t.rest, a * sizeof *t.rest);
        for (size_t i = 0; i < a; i++) d->rest_mask[(size_t)k * a + i] = t.rest_mask >> i & 1;
        if (d->c.vary && d->type->vary != NULL) {
            rng r = rng_at(rng_mix(d->seed ^ STREAM_VARY), d->updates, (uint32_t)k);
            d->type->vary(d->env, &r, 2, (uint64_t *[]){d->bits + w, d->next_bits + w},
                          (float *[]){d->numbers + s, d->next_numbers + s});
        }
    }
}

// goal[k] = reward + discount * Q of the next position's chosen action, a distribution where one is learned. Returns the mean
// of those Q.
static double set_goals(dqn *d)
{
    double sum = 0;
    for (int k = 0; k < d->n; k++) {
        transition t = per_get(d->buffer, d->draw[k].slot);
        size_t row = (size_t)k * (size_t)d->shape.actions;
        size_t best = row + (t.discount > 0 ? (size_t)dqn_best(d->q_online + row, t.next_mask) : 0);
        float q = t.discount > 0 ? d->q_target[best] : 0;
        sum += (double)q;
        if (d->dist.kind == NN_DIST_NONE)
            d->goal[k] = t.reward + t.discount * q;
        else
            nn_dist_target(&d->dist, d->target.atoms, (double)t.reward, (double)t.discount,
                           d->out + best * (size_t)d->target.atoms, d->goal + (size_t)(k * d->target.atoms));
        d->action[k] = t.action;
        d->weight[k] = d->draw[k].weight;
    }
    return sum / d->n;
}

static double beta_now(const dqn *d)
{
    double share = d->c.beta_updates == 0 ? 1 : (double)d->updates / (double)d->c.beta_updates;
    return d->c.beta + (d->c.beta_end - d->c.beta) * (share < 1 ? share : 1);
}

err dqn_update(dqn *d, dqn_report *r)
{
    double beta = beta_now(d), td = 0;
    float lr = nn_lr_at(&d->lr, d->updates);
    rng from = rng_at(rng_mix(d->seed ^ STREAM_DRAW), d->updates, 0);
    per_sample(d->buffer, &from, d->n, beta, d->draw);
    pool_run(d->m.threads, (d->n + GATHER - 1) / GATHER, gather, d);
    err e = dqn_net_run(&d->target, d->n, d->next_bits, d->next_numbers, d->out);
    if (e == ERR_OK) nn_dist_means(&d->dist, d->target.atoms, d->n * d->shape.actions, d->out, d->q_target);
    if (e == ERR_OK && !d->c.single) e = dqn_net_values(&d->online, d->n, d->next_bits, d->next_numbers, d->q_online);
    if (d->c.single) memcpy(d->q_online, d->q_target, (size_t)d->n * (size_t)d->shape.actions * sizeof(float));
    if (e != ERR_OK) return e;
    double q = set_goals(d);
    nn_batch batch = {.n = d->n,
                      .bits = d->bits,
                      .scalars = d->numbers,
                      .weight = d->weight,
                      .head[0] = {.value = d->goal, .action = d->action},
                      .huber = (float)d->c.huber,
                      .dist = d->dist,
                      .noise = draw_noise(d, STREAM_NOISE, d->updates),
                      .rest = d->c.rest > 0 ? d->rest : NULL,
                      .rest_mask = d->c.rest > 0 ? d->rest_mask : NULL,
                      .rest_scale = (float)d->c.rest,
                      .td = d->td};
    nn_step_report step;
    e = d->trains->learner_step(d->learner, &batch, lr, &step);
    if (e != ERR_OK) return e;
    per_update(d->buffer, d->n, d->draw, d->td);
    d->updates++;
    bool target = d->updates % (uint64_t)d->c.target_every == 0;
    if (target || d->updates % (uint64_t)d->c.refresh == 0) {
        e = d->trains->learner_weights(d->learner, false, d->weights);
        if (e == ERR_OK) e = dqn_net_update(&d->online, d->weights);
    }
    if (e == ERR_OK && target) {
        memcpy(d->target_net->w, d->weights->w, d->weights->at.n_all * sizeof *d->weights->w);
        e = dqn_net_update(&d->target, d->target_net);
    }
    for (int k = 0; k < d->n; k++) td += fabs((double)d->td[k]);
    if (r != NULL) *r = (dqn_report){step.loss, step.grad_norm, td / d->n, q, beta, (double)lr};
    return e;
}

err dqn_net_like(const dqn *d, nn_net **out)
{
    return nn_net_copy(out, d->weights);
}

err dqn_weights(dqn *d, nn_net *to)
{
    return d->trains->learner_weights(d->learner, false, to);
}

// --- checkpoints

err dqn_save(dqn *d, run_save *to)
{
    char path[FILE_PATH];
    text_buf state = {0};
    size_t size;
    err e = d->trains->learner_state(d->learner, &state);
    if (e == ERR_OK) e = run_save_bytes(to, "learner.bin", state.data, state.len);
    text_free(&state);
    if (e == ERR_OK) e = run_save_path(to, "target.safetensors", path);
    if (e == ERR_OK) e = nn_net_save(d->target_net, path);
    // The network that plays may lag behind the newest by less than refresh_every updates: it is stored as it is.
    if (e == ERR_OK) e = run_save_path(to, "playing.safetensors", path);
    if (e == ERR_OK) e = nn_net_save(d->weights, path);
    if (e == ERR_OK) e = run_save_path(to, "replay.bin", path);
    if (e == ERR_OK) e = per_save(d->buffer, path);
    const void *steps = nstep_bytes(d->steps, &size);
    if (e == ERR_OK) e = run_save_bytes(to, "decisions.bin", steps, size);
    if (e == ERR_OK) e = run_save_bytes(to, "updates.bin", &d->updates, sizeof d->updates);
    return e;
}

static err load_weights(const run_point *from, const char *name, nn_net *to)
{
    char path[FILE_PATH];
    nn_net *net = NULL;
    err e = run_point_path(from, name, path);
    if (e == ERR_OK) e = nn_net_load(&net, path);
    if (e == ERR_OK && !nn_desc_equal(&net->desc, &to->desc))
        e = err_set(ERR_USAGE, "%s holds another network than this run's", path);
    if (e == ERR_OK) memcpy(to->w, net->w, to->at.n_all * sizeof *to->w);
    nn_net_free(net);
    return e;
}

err dqn_load_exact(const run_point *from, const char *name, void *to, size_t size)
{
    char path[FILE_PATH], *data = NULL;
    size_t got = 0;
    err e = run_point_path(from, name, path);
    if (e == ERR_OK) e = file_read(path, size, &data, &got);
    if (e == ERR_OK && got != size) e = err_set(ERR_PARSE, "%s has %zu bytes instead of %zu", path, got, size);
    if (e == ERR_OK) memcpy(to, data, size);
    free(data);
    return e;
}

err dqn_restore(dqn *d, const run_point *from)
{
    char path[FILE_PATH], *data = NULL;
    size_t size = 0;
    err e = run_point_path(from, "learner.bin", path);
    if (e == ERR_OK) e = file_read(path, (size_t)1 << 33, &data, &size);
    if (e == ERR_OK) e = d->trains->learner_restore(d->learner, data, size);
    free(data);
    if (e == ERR_OK) e = load_weights(from, "target.safetensors", d->target_net);
    if (e == ERR_OK) e = dqn_net_update(&d->target, d->target_net);
    if (e == ERR_OK) e = load_weights(from, "playing.safetensors", d->weights);
    if (e == ERR_OK) e = dqn_net_update(&d->online, d->weights);
    if (e == ERR_OK) e = run_point_path(from, "replay.bin", path);
    if (e == ERR_OK) e = per_load(d->buffer, path);
    void *steps = nstep_bytes(d->steps, &size);
    if (e == ERR_OK) e = dqn_load_exact(from, "decisions.bin", steps, size);
    if (e == ERR_OK) e = dqn_load_exact(from, "updates.bin", &d->updates, sizeof d->updates);
    return e;
}
