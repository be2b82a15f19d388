// Timing of inference and training. See speed.h.
#include "nn/speed.h"

#include "base/clock.h"
#include "base/stop.h"
#include "nn/quant.h"
#include "nn/train.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct load {
    int n;
    uint64_t *bits;
    float *scalars, *out, *target[NN_MAX_HEADS];
    int32_t *action;
    nn_batch batch;
} load;

static void load_free(load *l)
{
    free(l->bits), free(l->scalars), free(l->out), free(l->action);
    for (int h = 0; h < NN_MAX_HEADS; h++) free(l->target[h]);
}

// Random positions, room for their outputs, and targets for every head.
static err load_make(load *l, const nn_desc *d, int n)
{
    rng r = rng_at(1, 1, 1);
    size_t words = (size_t)n * nn_in_bits(d), numbers = (size_t)n * (size_t)d->scalars;
    *l = (load){.n = n};
    l->bits = malloc((words + 1) * sizeof *l->bits);
    l->scalars = malloc((numbers + 1) * sizeof *l->scalars);
    l->out = malloc((size_t)n * (size_t)nn_out_size(d) * sizeof *l->out);
    l->action = calloc((size_t)n, sizeof *l->action);
    bool ok = l->bits != NULL && l->scalars != NULL && l->out != NULL && l->action != NULL;
    for (size_t i = 0; ok && i < words; i++) l->bits[i] = rng_u64(&r) & rng_u64(&r);
    for (size_t i = 0; ok && i < numbers; i++) l->scalars[i] = (float)rng_unit(&r);
    l->batch = (nn_batch){.n = n, .bits = l->bits, .scalars = l->scalars};
    for (int h = 0; ok && h < d->n_heads; h++) {
        size_t size = (size_t)nn_head_size(d, h), all = (size_t)n * size;
        float *v = l->target[h] = malloc(all * sizeof *v);
        ok = v != NULL;
        for (size_t i = 0; ok && i < all; i++)
            v[i] = d->head[h].kind == NN_POLICY ? 1 / (float)size : (float)(2 * rng_unit(&r) - 1);
        l->batch.head[h] = (nn_target){.value = v, .action = l->action};
    }
    if (ok) return ERR_OK;
    load_free(l);
    return err_set(ERR_MEMORY, "no memory to measure batches of %d", n);
}

typedef struct runner {
    nn_plan *plan;
    nn_crew *crew;
    nn_net *copy; // what training may change
    nn_trainer *trainer;
    pool *threads;
} runner;

static err runner_make(runner *r, const nn_net *net, const nn_speed_plan *p, const load *l)
{
    *r = (runner){0};
    if (p->threads > 1 && (r->threads = pool_new(p->threads)) == NULL)
        return err_set(ERR_MEMORY, "no memory for %d threads", p->threads);
    if (p->train) {
        err e = nn_net_copy(&r->copy, net);
        if (e != ERR_OK) return e;
        return nn_trainer_new(&r->trainer, r->copy, &(nn_train_options){.max_batch = l->n, .threads = r->threads});
    }
    nn_ranges ranges;
    err e = p->int8 ? nn_calibrate(&ranges, net, l->n < 64 ? l->n : 64, l->bits, l->scalars) : ERR_OK;
    nn_plan_options o = {.chunk = p->chunk, .method = p->method, .int8 = p->int8 ? &ranges : NULL};
    if (e == ERR_OK) e = nn_plan_new(&r->plan, net, &o);
    if (e == ERR_OK) e = nn_crew_new(&r->crew, r->plan, r->threads);
    return e;
}

static void runner_free(runner *r)
{
    nn_crew_free(r->crew);
    nn_plan_free(r->plan);
    nn_trainer_free(r->trainer);
    nn_net_free(r->copy);
    pool_free(r->threads);
}

static err once(runner *r, load *l)
{
    if (r->trainer != NULL) return nn_train_step(r->trainer, &l->batch, 1e-3f, NULL);
    nn_crew_run(r->crew, l->n, l->bits, l->scalars, l->out);
    return ERR_OK;
}

err nn_speed(const nn_net *net, const nn_speed_plan *plan, nn_speed_report *out)
{
    load l;
    runner r;
    err e = load_make(&l, &net->desc, plan->batch > 0 ? plan->batch : 32);
    if (e != ERR_OK) return e;
    e = runner_make(&r, net, plan, &l);
    if (e == ERR_OK) e = once(&r, &l); // memory touched, caches warm
    double best = 1e30, begin = clock_seconds(), end = begin + (plan->seconds > 0 ? plan->seconds : 1);
    double (*now)(void) = plan->threads > 1 ? clock_seconds : clock_thread_cpu_seconds;
    int calls = 0;
    do {
        double t = now();
        if (e == ERR_OK) e = once(&r, &l);
        t = now() - t;
        calls++;
        if (t < best) best = t;
    } while (e == ERR_OK && clock_seconds() < end && !stop_requested());
    if (plan->wall_mean) best = (clock_seconds() - begin) / calls;
    if (e == ERR_OK) {
        *out = (nn_speed_report){.best_seconds = best, .positions_per_second = l.n / best};
        snprintf(out->text, sizeof out->text, "%s", plan->train ? "training step" : nn_plan_text(r.plan));
    }
    runner_free(&r);
    load_free(&l);
    return e;
}
