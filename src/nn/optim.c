// Optimisers and schedules. See optim.h.
#include "nn/optim.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

err nn_optim_new(nn_optim **out, const nn_net *net, const nn_optim_options *o)
{
    nn_optim *p = calloc(1, sizeof *p);
    if (p == NULL) return err_set(ERR_MEMORY, "no memory for an optimiser");
    if (o != NULL) p->o = *o;
    if (p->o.beta1 == 0) p->o.beta1 = 0.9f;
    if (p->o.beta2 == 0) p->o.beta2 = 0.999f;
    if (p->o.eps == 0) p->o.eps = 1e-8f;
    p->n = net->at.n_train;
    p->n_params = nn_params(&net->desc, NULL, 0);
    p->param = calloc((size_t)p->n_params, sizeof *p->param);
    p->m = nn_floats(p->n);
    if (p->o.kind != NN_SGD) p->v = nn_floats(p->n);
    if (p->param == NULL || p->m == NULL || (p->o.kind != NN_SGD && p->v == NULL)) {
        nn_optim_free(p);
        return err_set(ERR_MEMORY, "no memory for an optimiser of %zu weights", net->at.n_train);
    }
    nn_params(&net->desc, p->param, p->n_params);
    *out = p;
    return ERR_OK;
}

void nn_optim_free(nn_optim *p)
{
    if (p == NULL) return;
    FREE_ALL(p->m, p->v, p->param, p);
}

// The norm is summed in pieces of fixed size, in order, so that it does not depend on the threads.
enum { PIECE = 1 << 15 };

typedef struct norm_job {
    const float *g;
    size_t n;
    double *sum;
} norm_job;

static void norm_task(void *ctx, int task, int worker)
{
    norm_job *j = ctx;
    size_t from = (size_t)task * PIECE, to = from + PIECE < j->n ? from + PIECE : j->n;
    double lane[4] = {0};
    (void)worker;
    for (size_t i = from; i < to; i++) lane[i & 3] += (double)j->g[i] * (double)j->g[i];
    j->sum[task] = lane[0] + lane[1] + lane[2] + lane[3];
}

static double norm_of(pool *threads, const float *g, size_t n)
{
    double sums[512], total = 0;
    for (size_t at = 0; at < n; at += (size_t)512 * PIECE) {
        size_t left = n - at < (size_t)512 * PIECE ? n - at : (size_t)512 * PIECE;
        norm_job j = {g + at, left, sums};
        int tasks = (int)((left + PIECE - 1) / PIECE);
        pool_run(threads, tasks, norm_task, &j);
        for (int i = 0; i < tasks; i++) total += sums[i];
    }
    return sqrt(total);
}

typedef struct step_job {
    nn_optim *p;
    const nn_kern *k;
    float *w;
    const float *g;
    float lr, scale;
    adam_step adam;
} step_job;

static void sgd(const step_job *j, const nn_param *q, float decay)
{
    nn_optim *p = j->p;
    for (size_t i = q->at; i < q->at + q->size; i++) {
        float g = j->g[i] * j->scale + decay * j->w[i];
        p->m[i] = p->step == 1 ? g : p->o.momentum * p->m[i] + g; // PyTorch's: the first step takes the gradient whole
        j->w[i] -= j->lr * (p->o.momentum > 0 ? p->m[i] : g);
    }
}

static void step_task(void *ctx, int task, int worker)
{
    step_job *j = ctx;
    const nn_param *q = &j->p->param[task];
    (void)worker;
    if (!q->train) return;
    float decay = q->matrix || j->p->o.decay_all ? j->p->o.decay : 0;
    if (j->p->o.kind == NN_SGD) {
        sgd(j, q, decay);
        return;
    }
    adam_step s = j->adam;
    s.keep = j->p->o.kind == NN_ADAMW ? 1 - j->lr * decay : 1;
    s.l2 = j->p->o.kind == NN_ADAM ? decay : 0;
    j->k->adam(q->size, j->w + q->at, j->g + q->at, j->p->m + q->at, j->p->v + q->at, &s);
}

double nn_optim_step(nn_optim *p, pool *threads, float *w, const float *grad, float lr)
{
    double norm = norm_of(threads, grad, p->n);
    step_job j = {.p = p, .k = nn_kern_now(), .w = w, .g = grad, .lr = lr, .scale = 1};
    if (p->o.clip > 0 && norm > (double)p->o.clip) j.scale = (float)((double)p->o.clip / (norm + 1e-6));
    p->step++;
    double b1 = (double)p->o.beta1, b2 = (double)p->o.beta2, t = (double)p->step;
    j.adam = (adam_step){.scale = j.scale,
                         .beta1 = p->o.beta1,
                         .beta2 = p->o.beta2,
                         .eps = p->o.eps,
                         .rate = (float)((double)lr / (1 - pow(b1, t))),
                         .root = (float)(1 / sqrt(1 - pow(b2, t)))};
    pool_run(threads, p->n_params, step_task, &j);
    return norm;
}

// --- schedules

float nn_lr_at(const nn_lr *s, uint64_t step)
{
    double rate = (double)s->base;
    if (s->warmup > 0 && step < s->warmup) return (float)(rate * (double)(step + 1) / (double)s->warmup);
    uint64_t since = step - s->warmup;
    if (s->kind == NN_LR_STEP && s->total > 0)
        rate *= pow(s->factor == 0 ? 0.1 : (double)s->factor, (double)(since / s->total));
    if (s->kind == NN_LR_COSINE && s->total > 0) {
        double done = since >= s->total ? 1 : (double)since / (double)s->total;
        rate = (double)s->floor + (rate - (double)s->floor) * 0.5 * (1 + cos(pi * done));
    }
    return (float)rate;
}

static err read_number(const char *text, const char **at, double *out)
{
    char *end;
    *out = strtod(*at, &end);
    if (end == *at || !isfinite(*out) || *out < 0)
        return err_parse(text, (size_t)(*at - text), "expected a number of 0 or more");
    *at = end;
    return ERR_OK;
}

// Numbers separated by ':'; how many is for the caller to judge.
static err read_list(const char *text, const char **at, double *v, int max, int *n)
{
    for (*n = 0;;) {
        if (*n == max) return err_parse(text, (size_t)(*at - text), "too many numbers");
        err e = read_number(text, at, &v[(*n)++]);
        if (e != ERR_OK || **at != ':') return e;
        (*at)++;
    }
}

err nn_lr_parse(const char *text, nn_lr *out)
{
    nn_lr s = {0};
    const char *at = text;
    double v[3] = {0};
    int n;
    if (strncmp(at, "cosine:", 7) == 0)
        s.kind = NN_LR_COSINE, at += 7;
    else if (strncmp(at, "step:", 5) == 0)
        s.kind = NN_LR_STEP, at += 5;
    err e = read_list(text, &at, v, s.kind == NN_LR_CONSTANT ? 1 : 3, &n);
    if (e != ERR_OK) return e;
    if (s.kind != NN_LR_CONSTANT && (n < 2 || v[1] < 1 || v[1] > 1e15))
        return err_set(ERR_USAGE, "learning rate '%s': a schedule needs a rate and a number of steps", text);
    s.base = (float)v[0];
    s.total = (uint64_t)v[1];
    if (s.kind == NN_LR_COSINE)
        s.floor = (float)v[2];
    else
        s.factor = (float)v[2];
    if (strncmp(at, ",warmup=", 8) == 0) {
        double w;
        at += 8;
        e = read_number(text, &at, &w);
        if (e != ERR_OK) return e;
        if (w > 1e15) return err_set(ERR_USAGE, "learning rate '%s': a warm-up of that many steps", text);
        s.warmup = (uint64_t)w;
    }
    if (*at != 0) return err_parse(text, (size_t)(at - text), "expected the end, or ,warmup=STEPS");
    *out = s;
    return ERR_OK;
}

int nn_lr_print(const nn_lr *s, char *buf, size_t n)
{
    char t[128], warm[48] = "";
    if (s->warmup > 0) snprintf(warm, sizeof warm, ",warmup=%llu", (unsigned long long)s->warmup);
    if (s->kind == NN_LR_CONSTANT)
        snprintf(t, sizeof t, "%.9g%s", (double)s->base, warm);
    else
        snprintf(t, sizeof t, "%s:%.9g:%llu:%.9g%s", s->kind == NN_LR_STEP ? "step" : "cosine", (double)s->base,
                 (unsigned long long)s->total, (double)(s->kind == NN_LR_STEP ? s->factor : s->floor), warm);
    return snprintf(buf, n, "%s", t);
}
