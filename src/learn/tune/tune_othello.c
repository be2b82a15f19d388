// The generations of the Othello tuner, and the plot of its error. See tune_othello.h.
#include "learn/tune/tune_othello.h"

#include "base/clock.h"
#include "base/plot.h"
#include "learn/tune/tune_othello_inner.h"

#include <stdio.h>
#include <stdlib.h>

// Growing depth. The first generation only has to see sensible endgames; the last two are what ships.
static const tune_generation generations[TUNE_GENERATIONS] = {
    {8000, 1, 10},
    {16000, 2, 11},
    {40000, 3, 12},
    {100000, 4, 12},
};

tune_options tune_defaults(void)
{
    return (tune_options){.seed = 1, .scale = 1, .blend = 0.7, .ridge = 6, .iterations = 40};
}

static void say_error(const tune_options *o, int generation, size_t rows, double seconds, const tune_error *error)
{
    if (o->say == NULL) return;
    char line[200];
    int n =
        snprintf(line, sizeof line, "generation %d: %zu positions, %.0f s; mean error at", generation, rows, seconds);
    for (int empties = 8; empties <= 48; empties += 8)
        n += snprintf(line + n, sizeof line - (size_t)n, " %d empties %.2f%s", empties, error->mean_abs[empties],
                      empties < 48 ? "," : "");
    o->say(o->ctx, line);
}

err tune_othello(const tune_options *o, oth_weights **out, tune_error *error)
{
    pool *p = pool_new(o->threads);
    oth_weights *w[2] = {malloc(sizeof **w), malloc(sizeof **w)};
    tune_rows rows = {0};
    tune_error last = {0};
    int last_generation = o->generations > 0 && o->generations < TUNE_GENERATIONS ? o->generations : TUNE_GENERATIONS;
    size_t before = 0; // rows of the generation before the newest
    err e = w[0] == NULL || w[1] == NULL ? err_set(ERR_MEMORY, "no memory for weights") : ERR_OK;
    for (int g = 0; e == ERR_OK && g < last_generation; g++) {
        double start = clock_seconds();
        if (rows.n > before) { // keep the newest two generations
            for (size_t i = before; i < rows.n; i++) rows.row[i - before] = rows.row[i];
            rows.n -= before;
        }
        before = rows.n;
        e = tune_play(o, p, g, &generations[g], g == 0 ? NULL : w[0], &rows);
        if (e == ERR_OK && g == 1) { // the first generation knew nothing
            for (size_t i = before; i < rows.n; i++) rows.row[i - before] = rows.row[i];
            rows.n -= before;
            before = 0;
        }
        if (e == ERR_OK) e = tune_fit(o, p, &rows, w[1]);
        if (e != ERR_OK) break;
        tune_measure(&rows, w[1], &last);
        say_error(o, g, rows.n, clock_seconds() - start, &last);
        oth_weights *t = w[0];
        w[0] = w[1];
        w[1] = t;
    }
    if (e == ERR_OK) {
        *out = w[0];
        w[0] = NULL;
        if (error != NULL) *error = last;
    }
    free(rows.row);
    free(w[0]);
    free(w[1]);
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
