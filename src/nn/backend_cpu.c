// The CPU behind backend.h: infer.c's plan and crew, train.c's trainer.
//
// Handles that were forked share one plan and count on it; an update makes a new plan and puts it in the old one's place,
// so every handle builds its workers' scratch anew when it next runs.
#include "base/cpu.h"
#include "nn/backend.h"
#include "nn/infer.h"
#include "nn/quant.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shared_plan {
    nn_plan *plan, *next; // next: staged, NULL = nothing
    uint64_t version;     // moves with every update
    atomic_int users;
} shared_plan;

typedef struct cpu_infer {
    shared_plan *shared;
    nn_crew *crew; // on shared->plan, of this version
    uint64_t version;
    int max_batch;
    pool *threads;
    float *out; // [max_batch][nn_out_size] for batches that ask for moves; taken when first asked
} cpu_infer;

typedef struct cpu_learner {
    nn_net *net;
    nn_trainer *trainer;
} cpu_learner;

static bool available(char *why, size_t n)
{
    snprintf(why, n, "%s, %s", cpu_model(), nn_kern_now()->name);
    return true;
}

// --- inference

static err make_plan(nn_plan **out, const nn_net *net, const nn_sample *narrow)
{
    nn_ranges ranges;
    nn_plan_options o = {0};
    if (narrow != NULL && net->desc.channels > 0) {
        err e = nn_calibrate(&ranges, net, narrow->n, narrow->bits, narrow->scalars);
        if (e != ERR_OK) return e;
        o.int8 = &ranges;
    }
    return nn_plan_new(out, net, &o);
}

static err refresh(cpu_infer *h)
{
    if (h->crew != NULL && h->version == h->shared->version) return ERR_OK;
    nn_crew *crew;
    err e = nn_crew_new(&crew, h->shared->plan, h->threads);
    if (e != ERR_OK) return e;
    nn_crew_free(h->crew);
    h->crew = crew;
    h->version = h->shared->version;
    return ERR_OK;
}

static void infer_free(nn_infer *handle)
{
    cpu_infer *h = (cpu_infer *)handle;
    if (h == NULL) return;
    nn_crew_free(h->crew);
    free(h->out);
    if (h->shared != NULL && atomic_fetch_sub(&h->shared->users, 1) == 1) {
        nn_plan_free(h->shared->plan);
        nn_plan_free(h->shared->next);
        free(h->shared);
    }
    free(h);
}

static err infer_new(nn_infer **out, const nn_net *net, const nn_infer_options *o)
{
    static const nn_infer_options none = {0};
    if (o == NULL) o = &none;
    cpu_infer *h = calloc(1, sizeof *h);
    shared_plan *s = calloc(1, sizeof *s);
    if (h == NULL || s == NULL) {
        free(h), free(s);
        return err_set(ERR_MEMORY, "no memory to run a network");
    }
    atomic_init(&s->users, 1);
    *h = (cpu_infer){.shared = s, .max_batch = o->max_batch > 0 ? o->max_batch : 256, .threads = o->threads};
    err e = make_plan(&s->plan, net, o->narrow);
    if (e == ERR_OK) e = refresh(h);
    if (e != ERR_OK)
        infer_free((nn_infer *)h);
    else
        *out = (nn_infer *)h;
    return e;
}

static err infer_fork(nn_infer **out, nn_infer *of)
{
    const cpu_infer *from = (const cpu_infer *)of;
    cpu_infer *h = calloc(1, sizeof *h);
    if (h == NULL) return err_set(ERR_MEMORY, "no memory to run a network");
    *h = (cpu_infer){.shared = from->shared, .max_batch = from->max_batch, .threads = from->threads};
    atomic_fetch_add(&h->shared->users, 1);
    err e = refresh(h);
    if (e != ERR_OK)
        infer_free((nn_infer *)h);
    else
        *out = (nn_infer *)h;
    return e;
}

static err infer_stage(nn_infer *handle, const nn_net *net, const nn_sample *narrow)
{
    cpu_infer *h = (cpu_infer *)handle;
    nn_plan *plan;
    if (!nn_desc_equal(&net->desc, nn_plan_desc(h->shared->plan)))
        return err_set(ERR_USAGE, "new weights must be of the same network as the old ones");
    err e = make_plan(&plan, net, narrow);
    if (e != ERR_OK) return e;
    nn_plan_free(h->shared->next);
    h->shared->next = plan;
    return ERR_OK;
}

static err infer_swap(nn_infer *handle)
{
    shared_plan *s = ((cpu_infer *)handle)->shared;
    if (s->next == NULL) return ERR_OK;
    nn_plan_free(s->plan);
    s->plan = s->next;
    s->next = NULL;
    s->version++;
    return ERR_OK;
}

static err infer_run(nn_infer *handle, int n, const uint64_t *bits, const float *scalars, float *out)
{
    cpu_infer *h = (cpu_infer *)handle;
    if (n < 0 || n > h->max_batch)
        return err_set(ERR_USAGE, "a batch of %d positions; this network was made ready for %d", n, h->max_batch);
    err e = refresh(h);
    if (e == ERR_OK) nn_crew_run(h->crew, n, bits, scalars, out);
    return e;
}

static err infer_submit_moves(nn_infer *handle, int n, const uint64_t *bits, const float *scalars, const nn_moves *m)
{
    cpu_infer *h = (cpu_infer *)handle;
    const nn_desc *d = nn_plan_desc(h->shared->plan);
    if (h->out == NULL) h->out = malloc((size_t)h->max_batch * (size_t)nn_out_size(d) * sizeof *h->out);
    if (h->out == NULL) return err_set(ERR_MEMORY, "no memory to run a network");
    err e = infer_run(handle, n, bits, scalars, h->out);
    if (e == ERR_OK) nn_moves_fill(d, n, h->out, m);
    return e;
}

static err infer_wait(nn_infer *handle)
{
    (void)handle; // submit is infer_run: the work is done
    return ERR_OK;
}

static const char *infer_text(const nn_infer *handle)
{
    return nn_plan_text(((const cpu_infer *)handle)->shared->plan);
}

// --- training

static void learner_free(nn_learner *handle)
{
    cpu_learner *h = (cpu_learner *)handle;
    if (h == NULL) return;
    nn_trainer_free(h->trainer);
    nn_net_free(h->net);
    free(h);
}

static err learner_new(nn_learner **out, const nn_net *net, const nn_train_options *o)
{
    cpu_learner *h = calloc(1, sizeof *h);
    if (h == NULL) return err_set(ERR_MEMORY, "no memory for a trainer");
    err e = nn_net_copy(&h->net, net);
    if (e == ERR_OK) e = nn_trainer_new(&h->trainer, h->net, o);
    if (e != ERR_OK)
        learner_free((nn_learner *)h);
    else
        *out = (nn_learner *)h;
    return e;
}

static err learner_step(nn_learner *handle, const nn_batch *b, float lr, nn_step_report *r)
{
    return nn_train_step(((cpu_learner *)handle)->trainer, b, lr, r);
}

static uint64_t learner_steps(const nn_learner *handle)
{
    return nn_trainer_steps(((const cpu_learner *)handle)->trainer);
}

static err learner_weights(nn_learner *handle, bool averaged, nn_net *to)
{
    cpu_learner *h = (cpu_learner *)handle;
    const nn_net *from = averaged ? nn_trainer_ema(h->trainer) : h->net;
    if (from == NULL) return err_set(ERR_USAGE, "this trainer keeps no averaged weights");
    if (!nn_desc_equal(&from->desc, &to->desc))
        return err_set(ERR_USAGE, "the weights asked for are of another network");
    memcpy(to->w, from->w, from->at.n_all * sizeof *from->w);
    return ERR_OK;
}

static err learner_state(nn_learner *handle, text_buf *out)
{
    return nn_trainer_state(((cpu_learner *)handle)->trainer, out);
}

static err learner_restore(nn_learner *handle, const void *state, size_t size)
{
    return nn_trainer_restore(((cpu_learner *)handle)->trainer, state, size);
}

const nn_backend nn_backend_cpu = {
    .name = "cpu",
    .available = available,
    .infer_new = infer_new,
    .infer_fork = infer_fork,
    .infer_free = infer_free,
    .infer_stage = infer_stage,
    .infer_swap = infer_swap,
    .infer_run = infer_run,
    .infer_submit = infer_run,
    .infer_submit_moves = infer_submit_moves,
    .infer_wait = infer_wait,
    .infer_text = infer_text,
    .learner_new = learner_new,
    .learner_free = learner_free,
    .learner_step = learner_step,
    .learner_steps = learner_steps,
    .learner_weights = learner_weights,
    .learner_state = learner_state,
    .learner_restore = learner_restore,
};
