// The loop of distillation. See distil.h; how a step is made of labels is in distil_batch.h.
#include "learn/distil/distil.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "learn/distil/distil_batch.h"
#include "nn/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SECONDS 5.0
#define MAGIC       0x6b65696b6f444953u
enum { FILES_MAX = 64, REPORT_EVERY = 16 };

typedef struct counters { // stored as they are
    uint64_t magic, updates, positions;
} counters;

typedef struct distilling {
    const distil_config *c;
    const train_options *o;
    const nn_backend *backend;
    pool *threads;
    int code; // the encoding
    label_set set;
    uint32_t *learned, *heldout; // numbers in the set
    uint32_t n_learned, n_heldout;
    nn_net *net; // a place for weights
    nn_learner *learner;
    nn_infer *infer; // for evaluations
    distil_batch batch;
    nn_lr lr;
    counters at;
    nn_step_report last; // of the newest update that was asked for its loss
    double loss;         // cross-entropy per position there
    uint64_t window_updates, window_positions, evaluated_at;
    distil_score held; // the last evaluation
    double began, logged, saved;
    double spent[3]; // seconds of this start: encoding, learning, evaluating
    char teacher[600];
    const char *why; // the run ends
} distilling;

err distil_fits(const game *g)
{
    if (strcmp(g->name, "puyo-solo") == 0) return ERR_OK;
    return err_set(ERR_USAGE, "distil cannot train %s: it trains puyo-solo", g->name);
}

static double seconds_of(const distilling *t)
{
    return t->o->home != NULL ? run_seconds(t->o->home) : clock_seconds() - t->began;
}

// --- data

// Calls `each` for the files of the list.
static err each_file(const char *list, err (*each)(void *ctx, const char *path, int i), void *ctx)
{
    err e = ERR_OK;
    int n = 0;
    for (const char *at = list == NULL ? "" : list, *end; e == ERR_OK && *at != 0; at = *end != 0 ? end + 1 : end) {
        char path[FILE_PATH];
        at += strspn(at, " ");
        end = at + strcspn(at, ";");
        if (end == at) continue;
        if ((size_t)(end - at) >= sizeof path || n == FILES_MAX)
            return err_set(ERR_LIMIT, "--data: at most %d files", FILES_MAX);
        memcpy(path, at, (size_t)(end - at));
        path[end - at] = 0;
        e = each(ctx, path, n++);
    }
    if (e == ERR_OK && n == 0) e = err_set(ERR_USAGE, "name the files to learn from: --data 'a.labels;b.labels'");
    return e;
}

static err file_there(void *ctx, const char *path, int i)
{
    (void)ctx;
    (void)i;
    return file_exists(path) ? ERR_OK : err_set(ERR_MISSING, "--data: there is no file %s", path);
}

static err read_file(void *ctx, const char *path, int i)
{
    distilling *t = ctx;
    label_head h;
    size_t before = t->set.n;
    err e = labels_read(&t->set, path, 0, &h);
    if (e != ERR_OK) return e;
    log_info("%s: %zu positions of %s", path, t->set.n - before, h.game);
    for (size_t k = before; k < t->set.n; k++) t->set.sample[k].game += (uint32_t)i << 26; // games of files differ
    if (i == 0) snprintf(t->teacher, sizeof t->teacher, "%.*s", (int)strcspn(h.how, "\n"), h.how);
    return ERR_OK;
}

// Whole games are held out, for the positions of one game are much alike.
static err split(distilling *t)
{
    if (t->set.n > UINT32_MAX / 2) return err_set(ERR_LIMIT, "%zu positions are more than we can number", t->set.n);
    t->learned = malloc((t->set.n + 1) * sizeof *t->learned);
    t->heldout = malloc((t->set.n + 1) * sizeof *t->heldout);
    if (t->learned == NULL || t->heldout == NULL) return err_set(ERR_MEMORY, "no memory for %zu positions", t->set.n);
    for (size_t i = 0; i < t->set.n; i++) {
        double u = (double)(rng_mix(t->set.sample[i].game) >> 11) / 9007199254740992.0;
        if (u < t->c->heldout)
            t->heldout[t->n_heldout++] = (uint32_t)i;
        else if (t->c->positions == 0 || t->n_learned < t->c->positions)
            t->learned[t->n_learned++] = (uint32_t)i;
    }
    if (t->n_learned == 0 || t->n_heldout == 0)
        return err_set(ERR_USAGE, "%zu positions are too few to learn from some games and to measure on others",
                       t->set.n);
    // Evaluations look at the first so many: in an order that does not favour the first file.
    rng r = rng_at((uint64_t)t->c->common.seed, 0, 1);
    for (uint32_t i = t->n_heldout - 1; i > 0; i--) {
        uint32_t k = rng_below(&r, i + 1), x = t->heldout[i];
        t->heldout[i] = t->heldout[k];
        t->heldout[k] = x;
    }
    return ERR_OK;
}

// --- the network

static err heads_fit(const nn_desc *d, int code)
{
    if (d->planes == AFTER_PLANES && d->scalars == after_scalars(code) && d->rows == PY_GHOST && d->cols == PY_COLS &&
        d->n_heads == DISTIL_HEADS && d->head[0].kind == NN_SCALAR && d->head[0].out == 1 &&
        d->head[1].kind == NN_SCALAR && d->head[1].out == 1)
        return ERR_OK;
    return err_set(ERR_USAGE,
                   "the network must have %d planes and %d scalars (encoding %s) of 13x6 and two scalar heads of one "
                   "number",
                   AFTER_PLANES, after_scalars(code), after_encoding_name[code]);
}

static err make_net(nn_net **out, const distil_config *c, int code, const run_home *home)
{
    char text[NN_TEXT];
    nn_desc d;
    err e;
    if (c->init != NULL && c->init[0] != 0) {
        e = train_first_net(out, home, c->init);
        return e == ERR_OK ? heads_fit(&(*out)->desc, code) : e;
    }
    bool whole = strstr(c->net, "planes=") != NULL, heads = strstr(c->net, "scalar=") != NULL;
    int filters = strstr(c->net, "mlp=") != NULL ? 0 : 8, n;
    if (whole)
        n = snprintf(text, sizeof text, "%s", c->net);
    else
        n = snprintf(text, sizeof text, "planes=%d scalars=%d size=%dx%d %s", AFTER_PLANES, after_scalars(code),
                     PY_GHOST, PY_COLS, c->net);
    if (!heads && n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, " scalar=%d:128:1 scalar=%d:64:1", filters, filters);
    if (n >= (int)sizeof text) return err_set(ERR_LIMIT, "the network's description is too long");
    e = nn_desc_parse(text, &d);
    if (e == ERR_OK) e = heads_fit(&d, code);
    return e == ERR_OK ? nn_net_new(out, &d, (uint64_t)c->common.seed) : e;
}

// All but the data.
static err make_parts(distilling *t)
{
    const distil_config *c = t->c;
    nn_train_options o = {.max_batch = (int)c->batch,
                          .optim = {.kind = NN_ADAMW, .decay = (float)c->decay, .clip = (float)c->clip},
                          .ema = (float)c->ema};
    while (t->code + 1 < AFTER_ENCODINGS && strcmp(c->encoding, after_encoding_name[t->code]) != 0) t->code++;
    err e = nn_lr_parse(c->lr, &t->lr);
    if (e == ERR_OK) e = nn_backend_find(c->common.backend, &t->backend);
    if (e == ERR_OK && (t->threads = pool_new((int)c->common.threads)) == NULL)
        e = err_set(ERR_MEMORY, "no memory for threads");
    o.threads = t->threads;
    if (e == ERR_OK) e = make_net(&t->net, c, t->code, t->o->home);
    if (e == ERR_OK) e = t->backend->learner_new(&t->learner, t->net, &o);
    if (e == ERR_OK)
        e = t->backend->infer_new(&t->infer, t->net,
                                  &(nn_infer_options){.max_batch = (int)c->batch, .threads = t->threads});
    return e == ERR_OK ? distil_batch_new(&t->batch, (int)c->batch, t->code) : e;
}

static void free_all(distilling *t)
{
    distil_batch_free(&t->batch);
    if (t->infer != NULL) t->backend->infer_free(t->infer);
    if (t->learner != NULL) t->backend->learner_free(t->learner);
    nn_net_free(t->net);
    label_set_free(&t->set);
    free(t->learned);
    free(t->heldout);
    pool_free(t->threads);
}

err distil_check(const train_options *o, const distil_config *c)
{
    distilling t = {.c = c, .o = o};
    err e = distil_fits(o->g);
    if (e == ERR_OK) e = each_file(c->data, file_there, NULL);
    if (e == ERR_OK) e = make_parts(&t);
    free_all(&t);
    return e;
}

// --- steps

static void next_batch(distilling *t)
{
    double start = clock_seconds();
    rng r = rng_at((uint64_t)t->c->common.seed, t->at.updates, 0);
    distil_batch_draw(&t->batch, &t->set, t->learned, t->n_learned, t->c->vary, &r);
    distil_batch_encode(&t->batch, &t->set, t->threads);
    distil_batch_targets(&t->batch, &t->set, t->c->temperature);
    t->spent[0] += clock_seconds() - start;
}

// One update with the batch that is there; then the next batch is made, while a GPU may still be at work.
static err update(distilling *t)
{
    distil_batch *b = &t->batch;
    double start = clock_seconds();
    bool ask = t->at.updates % REPORT_EVERY == 0; // asking means waiting for a GPU
    nn_batch batch = distil_batch_of(b, t->c->value_weight);
    err e = t->backend->learner_step(t->learner, &batch, nn_lr_at(&t->lr, t->at.updates), ask ? &t->last : NULL);
    if (ask) t->loss = t->last.by_head[DISTIL_RANK];
    t->spent[1] += clock_seconds() - start;
    t->at.updates++;
    t->at.positions += (uint64_t)b->positions;
    t->window_updates++;
    t->window_positions += (uint64_t)b->positions;
    if (e == ERR_OK) next_batch(t);
    return e;
}

// --- evaluation on held-out positions

static err evaluate(distilling *t)
{
    double start = clock_seconds();
    distil_score s = {0};
    uint32_t all = t->n_heldout;
    if (all > (uint32_t)t->c->evaluate_positions) all = (uint32_t)t->c->evaluate_positions;
    err e = t->backend->learner_weights(t->learner, t->c->ema > 0, t->net);
    if (e == ERR_OK) e = nn_infer_update(t->backend, t->infer, t->net, NULL);
    for (uint32_t at = 0; at < all && e == ERR_OK;) {
        int k = distil_batch_list(&t->batch, &t->set, t->heldout + at, (int)(all - at));
        distil_batch_encode(&t->batch, &t->set, t->threads);
        distil_batch_targets(&t->batch, &t->set, t->c->temperature);
        e = t->backend->infer_run(t->infer, t->batch.n, t->batch.bits, t->batch.scalars, t->batch.out);
        if (e == ERR_OK) distil_batch_score(&t->batch, &t->set, &s);
        at += (uint32_t)k;
    }
    if (e == ERR_OK) {
        t->held = s;
        log_info("%llu updates: held-out agreement %.4f of %.0f positions, cross-entropy %.4f, shortfall %.4f; "
                 "fires %.0f of %.0f chains that the teacher fires, and %.0f others",
                 (unsigned long long)t->at.updates, s.agreed / s.positions, s.positions, s.entropy / s.positions,
                 s.shortfall / s.positions, s.fired, s.to_fire, s.fired_early);
        e = RUN_LOG(t->o->home, "heldout", (int64_t)t->at.updates, RUN_N("agreement", s.agreed / s.positions),
                    RUN_N("entropy", s.entropy / s.positions), RUN_N("shortfall", s.shortfall / s.positions),
                    RUN_N("value_error", s.valued > 0 ? s.value_error / s.valued : 0), RUN_N("positions", s.positions),
                    RUN_N("to_fire", s.to_fire), RUN_N("fired", s.fired), RUN_N("fired_early", s.fired_early));
    }
    t->evaluated_at = t->at.updates;
    t->spent[2] += clock_seconds() - start;
    if (e == ERR_OK) next_batch(t); // its buffers were used
    return e;
}

static err write_log(distilling *t)
{
    double now = seconds_of(t), passed = now - t->logged;
    if (t->window_updates == 0) return ERR_OK;
    err e = RUN_LOG(t->o->home, "learn", (int64_t)t->at.updates, RUN_N("loss", t->loss),
                    RUN_N("loss_value", t->last.by_head[DISTIL_VALUE]), RUN_N("grad_norm", t->last.grad_norm),
                    RUN_N("lr", nn_lr_at(&t->lr, t->at.updates)), RUN_N("samples", (double)t->at.positions),
                    RUN_N("samples_s", passed > 0 ? (double)t->window_positions / passed : 0),
                    RUN_N("reuse", (double)t->at.positions / t->n_learned));
    t->logged = now;
    t->window_updates = t->window_positions = 0;
    return e;
}

// --- checkpoints

static err final_net(distilling *t, nn_net **out)
{
    char note[1600], number[64] = "";
    err e = nn_net_copy(out, t->net);
    if (e == ERR_OK) e = t->backend->learner_weights(t->learner, t->c->ema > 0, *out);
    if (t->held.positions > 0) snprintf(number, sizeof number, "%.4f", t->held.agreed / t->held.positions);
    snprintf(note, sizeof note,
             "game = puyo-solo\nalgo = distil\nencoding = %s\n%s\npositions = %u\nseed = %lld\nupdates = %llu\n"
             "heldout_agreement = %s\n",
             after_encoding_name[t->code], t->teacher, t->n_learned, (long long)t->c->common.seed,
             (unsigned long long)t->at.updates, number);
    return e == ERR_OK ? nn_net_set_note(*out, note) : e;
}

static err save(distilling *t)
{
    run_save *s = NULL;
    char path[FILE_PATH];
    text_buf state = {0};
    nn_net *net = NULL;
    run_home *home = t->o->home;
    if (home == NULL) return ERR_OK;
    t->at.magic = MAGIC;
    err e = run_save_begin(home, (int64_t)t->at.updates, &s);
    if (e != ERR_OK) return e;
    e = t->backend->learner_state(t->learner, &state);
    if (e == ERR_OK) e = run_save_bytes(s, "learner.bin", state.data, state.len);
    if (e == ERR_OK) e = run_save_bytes(s, "counters.bin", &t->at, sizeof t->at);
    if (e == ERR_OK) e = run_save_path(s, "model.safetensors", path);
    if (e == ERR_OK) e = final_net(t, &net);
    if (e == ERR_OK) e = nn_net_save(net, path);
    if (e == ERR_OK)
        e = run_save_commit(s);
    else
        run_save_abort(s);
    if (e == ERR_OK) e = run_path(home, "final.safetensors", path);
    if (e == ERR_OK) e = nn_net_save(net, path);
    nn_net_free(net);
    text_free(&state);
    t->saved = seconds_of(t);
    return e;
}

static err restore(distilling *t, const run_point *from)
{
    char path[FILE_PATH], *data = NULL;
    size_t size;
    counters c;
    err e = run_point_path(from, "counters.bin", path);
    if (e == ERR_OK) e = file_read(path, sizeof c, &data, &size);
    if (e != ERR_OK) return e;
    if (size == sizeof c) memcpy(&c, data, size);
    free(data);
    data = NULL;
    if (size != sizeof c || c.magic != MAGIC) return err_set(ERR_PARSE, "%s is no checkpoint of distil", path);
    e = run_point_path(from, "learner.bin", path);
    if (e == ERR_OK) e = file_read(path, (size_t)1 << 33, &data, &size);
    if (e == ERR_OK) e = t->backend->learner_restore(t->learner, data, size);
    if (e == ERR_OK) t->at = c;
    free(data);
    return e;
}

// --- the loop

static void note_state(const distilling *t, train_state *s)
{
    *s = (train_state){.round = t->at.updates,
                       .step = t->at.updates,
                       .updates = t->at.updates,
                       .positions = t->at.positions,
                       .loss = t->loss,
                       .seconds_play = t->spent[0],
                       .seconds_learn = t->spent[1],
                       .seconds_rate = t->spent[2]};
}

static bool is_over(distilling *t)
{
    run_value loss = RUN_N("loss", t->loss);
    double passed = seconds_of(t) - t->logged;
    run_pace p = {.step = (int64_t)t->at.updates,
                  .steps = t->c->common.steps,
                  .seconds_most = 60 * t->c->common.minutes,
                  .positions_s = passed > 0 ? (double)t->window_positions / passed : 0,
                  .losses = &loss,
                  .n_losses = 1,
                  .lr = (double)nn_lr_at(&t->lr, t->at.updates)};
    run_show(t->o->home, &p);
    if (stop_requested())
        t->why = "stopped";
    else if (run_over(&p, seconds_of(t)))
        t->why = "limit";
    return t->why != NULL;
}

static err loop(distilling *t)
{
    err e = ERR_OK;
    train_state s;
    next_batch(t);
    while (e == ERR_OK && !is_over(t)) {
        uint64_t every = (uint64_t)t->c->evaluate_every;
        e = update(t);
        if (e == ERR_OK && seconds_of(t) - t->logged >= LOG_SECONDS) e = write_log(t);
        if (e == ERR_OK && every > 0 && t->at.updates % every == 0) e = evaluate(t);
        if (e == ERR_OK && t->c->save_minutes > 0 && seconds_of(t) - t->saved >= 60 * t->c->save_minutes) e = save(t);
        if (t->o->each == NULL || e != ERR_OK) continue;
        note_state(t, &s);
        if (!t->o->each(t->o->ctx, &s)) t->why = "stopped";
        if (t->why != NULL) break;
    }
    if (e == ERR_OK) e = write_log(t);
    if (e == ERR_OK && (t->evaluated_at != t->at.updates || t->held.positions == 0)) e = evaluate(t);
    return e == ERR_OK ? save(t) : e;
}

err distil_train(const train_options *o, const distil_config *c, train_state *out, nn_net **net, train_end *how)
{
    distilling t = {.c = c, .o = o, .began = clock_seconds()};
    nn_net *last = NULL;
    if (!train_config_limited(&distil_table, c) && o->each == NULL)
        return err_set(ERR_USAGE, "say how long to train: --minutes or --steps");
    err e = distil_fits(o->g);
    if (e == ERR_OK) e = make_parts(&t);
    if (e == ERR_OK) e = each_file(c->data, read_file, &t);
    if (e == ERR_OK) e = split(&t);
    if (e == ERR_OK) log_info("%u positions to learn from, %u held out", t.n_learned, t.n_heldout);
    if (e == ERR_OK && o->home != NULL && run_resumed(o->home) != NULL) e = restore(&t, run_resumed(o->home));
    t.logged = t.saved = seconds_of(&t);
    if (e == ERR_OK) e = loop(&t);
    if (e == ERR_OK && net != NULL) e = final_net(&t, &last);
    if (e == ERR_OK && out != NULL) note_state(&t, out);
    if (e == ERR_OK && how != NULL) *how = strcmp(t.why, "stopped") == 0 ? TRAIN_STOPPED : TRAIN_LIMIT;
    if (e == ERR_OK && net != NULL) *net = last, last = NULL;
    nn_net_free(last);
    free_all(&t);
    return e;
}
