// The self-test behind `keiko nn check`. See check.h.
#include "nn/check.h"

#include "nn/infer.h"
#include "nn/quant.h"
#include "nn/ref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int greatest_d(const double *v, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (v[i] > v[best]) best = i;
    return best;
}

static int greatest_f(const float *v, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (v[i] > v[best]) best = i;
    return best;
}

static void compare(const nn_desc *d, int n, const double *want, const float *got, nn_check_row *r)
{
    int os = nn_out_size(d);
    for (int i = 0; i < n * os; i++) {
        double e = fabs(want[i] - (double)got[i]) / (1 + fabs(want[i]));
        if (isnan(e)) e = INFINITY;
        if (e > r->worst) r->worst = e;
    }
    for (int i = 0; i < n; i++) {
        bool same = true;
        for (int h = 0; h < d->n_heads; h++) {
            int at = i * os + nn_head_at(d, h);
            if (d->head[h].kind == NN_VALUE) r->value = fmax(r->value, fabs(want[at] - (double)got[at]));
            if (d->head[h].kind == NN_POLICY || d->head[h].kind == NN_DUEL)
                same = same && greatest_d(want + at, d->head[h].out) == greatest_f(got + at, d->head[h].out);
        }
        r->same += same;
        r->of++;
    }
}

static err one(const nn_net *net, const nn_plan_options *o, int n, const uint64_t *bits, const float *scalars,
               const double *want, float *got, nn_check_row *r)
{
    nn_plan *p = NULL;
    nn_scratch *s = NULL;
    err e = nn_plan_new(&p, net, o);
    if (e == ERR_OK) e = nn_scratch_new(&s, p);
    if (e == ERR_OK) {
        *r = (nn_check_row){.exact_kind = o->int8 == NULL};
        snprintf(r->name, sizeof r->name, "%.47s", nn_plan_text(p));
        nn_run(p, s, n, bits, scalars, got);
        compare(&net->desc, n, want, got, r);
    }
    nn_scratch_free(s);
    nn_plan_free(p);
    return e;
}

static void random_input(const nn_desc *d, int n, uint64_t seed, uint64_t *bits, float *scalars)
{
    rng r = rng_at(seed, 0, 0);
    for (size_t i = 0; i < (size_t)n * nn_in_bits(d); i++) bits[i] = rng_u64(&r) & rng_u64(&r);
    for (int i = 0; i < n * d->scalars; i++) scalars[i] = (float)rng_unit(&r);
}

err nn_check(const nn_net *net, int n, const uint64_t *bits, const float *scalars, uint64_t seed,
             nn_check_row rows[NN_CHECK_ROWS], int *count)
{
    const nn_desc *d = &net->desc;
    size_t os = (size_t)nn_out_size(d), words = (size_t)n * nn_in_bits(d);
    uint64_t *own = malloc((words + 1) * sizeof *own);
    float *own_scalars = malloc((size_t)(n * d->scalars + 1) * sizeof *own_scalars),
          *got = malloc((size_t)n * os * sizeof *got);
    double *want = malloc((size_t)n * os * sizeof *want);
    err e = own == NULL || own_scalars == NULL || got == NULL || want == NULL
                ? err_set(ERR_MEMORY, "no memory to check a network")
                : ERR_OK;
    int rows_done = 0;
    if (e == ERR_OK && bits == NULL) {
        random_input(d, n, seed, own, own_scalars);
        bits = own, scalars = own_scalars;
    }
    if (e == ERR_OK) e = nn_ref_forward(net, n, bits, scalars, want);
    for (int level = 0; level <= (int)cpu_simd() && e == ERR_OK; level++) // what KEIKO_SIMD forbids is not run
        for (int m = 0; m < (d->channels > 0 ? NN_INFER_METHODS : 1) && e == ERR_OK; m++) {
            nn_plan_options o = {.kern = nn_kern_of((simd)level), .method = 1 + m};
            e = one(net, &o, n, bits, scalars, want, got, &rows[rows_done]);
            if (e == ERR_OK) rows_done++;
        }
    if (e == ERR_OK && d->channels > 0) {
        nn_ranges ranges;
        e = nn_calibrate(&ranges, net, n, bits, scalars);
        for (int k = 0; k < 2 && e == ERR_OK; k++) {
            nn_plan_options o = {.int8 = &ranges, .method = k == 0 ? 1 + NN_DIRECT : 0};
            e = one(net, &o, n, bits, scalars, want, got, &rows[rows_done]);
            // where the shape or the machine has no Winograd, the second is the first again
            if (e == ERR_OK && (k == 0 || strcmp(rows[rows_done].name, rows[rows_done - 1].name) != 0)) rows_done++;
        }
    }
    *count = rows_done;
    free(own), free(own_scalars), free(got), free(want);
    return e;
}

bool nn_check_passed(const nn_check_row *rows, int count)
{
    for (int i = 0; i < count; i++)
        if (rows[i].exact_kind && !(rows[i].worst < NN_CHECK_LIMIT)) return false;
    return count > 0;
}
