// The parts of the Othello tuner in order, its rows, and the plot of its error. See tune_othello.h.
#include "learn/tune/tune_othello.h"

#include "base/clock.h"
#include "base/plot.h"
#include "learn/tune/tune_othello_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tune_options tune_defaults(void)
{
    return (tune_options){.seed = 1,
                          .scale = 1,
                          .net_games = 1000000,
                          .lanes = 512,
                          .search_games = 200000,
                          .depth = 6,
                          .net_exact = 12,
                          .exact = 15,
                          .blend = 0.7,
                          .ridge = 15,
                          .pull = 100,
                          .smooth = 40,
                          .iterations = 40};
}

// --- rows

err tune_data_room(tune_data *d, int more)
{
    int n = d->n + more;
    if (n > d->cap) {
        tune_block *b = realloc(d->block, (size_t)n * sizeof *b);
        if (b == NULL) return err_set(ERR_MEMORY, "no memory for %d blocks of positions", n);
        d->block = b;
        d->cap = n;
    }
    memset(d->block + d->n, 0, (size_t)more * sizeof *d->block);
    d->n = n;
    return ERR_OK;
}

err tune_block_fill(tune_block *b, const tune_row *rows, int n)
{
    tune_row *to = malloc(((size_t)n + 1) * sizeof *to);
    if (to == NULL) return err_set(ERR_MEMORY, "no memory for %d positions", n);
    uint32_t at[OTH_STAGES + 1] = {0};
    for (int i = 0; i < n; i++) at[oth_stage(rows[i].discs) + 1]++;
    for (int s = 0; s < OTH_STAGES; s++) at[s + 1] += at[s];
    memcpy(b->first, at, sizeof at);
    for (int i = 0; i < n; i++) to[at[oth_stage(rows[i].discs)]++] = rows[i];
    b->row = to;
    return ERR_OK;
}

void tune_data_trim(tune_data *d)
{
    while (d->n > 0 && d->block[d->n - 1].row == NULL) d->n--;
    d->rows = 0;
    for (int i = 0; i < d->n; i++) d->rows += d->block[i].first[OTH_STAGES];
}

void tune_data_free(tune_data *d)
{
    for (int i = 0; i < d->n; i++) free(d->block[i].row);
    free(d->block);
    *d = (tune_data){0};
}

// --- the parts

static void say(const tune_options *o, const char *part, const tune_data *d, double start, const tune_error *error)
{
    if (o->say == NULL) return;
    char line[240];
    int n = snprintf(line, sizeof line, "%s: %d blocks, %zu positions, %.0f s", part, d->n, d->rows,
                     clock_seconds() - start);
    for (int empties = 8; error != NULL && empties <= 48; empties += 8)
        n += snprintf(line + n, sizeof line - (size_t)n, "%s %d empties %.2f", empties == 8 ? "; rms error at" : ",",
                      empties, error->rms[empties]);
    o->say(o->ctx, line);
}

// The point in time at which `share` of the limit is used up; 0 = there is none.
static double until(const tune_options *o, double start, double share)
{
    return o->minutes > 0 ? start + 60 * o->minutes * share : 0;
}

static err fit_and_save(const tune_options *o, pool *p, const tune_data *d, const tune_fit_options *f, const char *part,
                        oth_weights *w, tune_error *error)
{
    double start = clock_seconds();
    err e = tune_fit(f, p, d, w);
    if (e != ERR_OK) return e;
    tune_measure(d, f->sure, w, error);
    say(o, part, d, start, error);
    return o->save != NULL ? o->save(o->ctx, w) : ERR_OK;
}

static err run_parts(const tune_options *o, pool *p, tune_data *d, oth_weights *w, tune_error *error)
{
    double start = clock_seconds(), part = start;
    tune_fit_options f = {.pull = o->ridge, .smooth = o->smooth, .iterations = o->iterations};
    err e = ERR_OK;
    if (o->from != NULL) {
        *w = *o->from;
    } else {
        e = tune_net(o, p, until(o, start, 0.35), d);
        if (e != ERR_OK) return e;
        say(o, "network", d, part, NULL);
        f.deadline = until(o, start, 0.50);
        e = fit_and_save(o, p, d, &f, "first fit", w, error);
    }
    if (e != ERR_OK) return e;
    part = clock_seconds();
    e = tune_play(o, p, w, until(o, start, 0.85), d);
    if (e != ERR_OK) return e;
    say(o, "search", d, part, NULL);
    f.sure = true;
    f.pull = o->pull;
    f.deadline = until(o, start, 0.97);
    return fit_and_save(o, p, d, &f, "second fit", w, error);
}

err tune_othello(const tune_options *o, oth_weights **out, tune_error *error)
{
    pool *p = pool_new(o->threads);
    oth_weights *w = calloc(1, sizeof *w);
    tune_data d = {0};
    tune_error last = {0};
    err e = w == NULL ? err_set(ERR_MEMORY, "no memory for weights") : ERR_OK;
    if (e == ERR_OK) e = run_parts(o, p, &d, w, &last);
    if (e == ERR_OK) {
        *out = w;
        w = NULL;
        if (error != NULL) *error = last;
    }
    tune_data_free(&d);
    free(w);
    pool_free(p);
    return e;
}

// --- the plot

err tune_error_svg(const tune_error *e, text_buf *t)
{
    double x[OTH_SQUARES], rms[OTH_SQUARES], mean[OTH_SQUARES];
    int n = 0;
    for (int i = 1; i <= OTH_SQUARES - 4; i++) {
        if (e->n[i] == 0) continue;
        x[n] = i;
        rms[n] = e->rms[i];
        mean[n++] = e->mean_abs[i];
    }
    plot_series s[] = {{.name = "root mean square", .x = x, .y = rms, .n = n},
                       {.name = "mean", .x = x, .y = mean, .n = n}};
    plot_axes a = {.title = "Error of the pattern evaluation on unseen games",
                   .x_label = "empties",
                   .y_label = "discs",
                   .width = 720,
                   .height = 400,
                   .y_zero = true,
                   .alone = true};
    plot_lines(t, &a, s, 2);
    return text_check(t);
}
