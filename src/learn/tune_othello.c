// The generations of the Othello tuner, and the plot of its error. See tune_othello.h.
#include "learn/tune_othello.h"

#include "base/clock.h"
#include "learn/tune_othello_inner.h"

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

static void curve(text_buf *t, const double *y, const int *n, const char *colour, double sx, double sy, double bottom)
{
    text_printf(t, "<polyline fill='none' stroke='%s' stroke-width='2' points='", colour);
    for (int e = 1; e <= OTH_SQUARES - 4; e++)
        if (n[e] > 0) text_printf(t, "%.1f,%.1f ", 60 + sx * e, bottom - sy * y[e]);
    text_append(t, "'/>\n");
}

err tune_error_svg(const tune_error *e, text_buf *t)
{
    const double width = 720, height = 400, bottom = height - 50, sx = (width - 90) / 60, sy = (bottom - 30) / 12;
    text_printf(
        t, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' font-family='sans-serif' font-size='12'>\n",
        width, height);
    text_printf(t, "<rect width='%.0f' height='%.0f' fill='white'/>\n", width, height);
    for (int y = 0; y <= 12; y += 2)
        text_printf(t, "<path d='M60 %.1fH%.1f' stroke='#ddd'/><text x='52' y='%.1f' text-anchor='end'>%d</text>\n",
                    bottom - sy * y, width - 30, bottom - sy * y + 4, y);
    for (int x = 0; x <= 60; x += 10)
        text_printf(t, "<text x='%.1f' y='%.1f' text-anchor='middle'>%d</text>\n", 60 + sx * x, bottom + 18, x);
    text_printf(t, "<text x='%.1f' y='%.1f' text-anchor='middle'>empties</text>\n", width / 2, height - 12);
    text_append(t, "<text x='60' y='20'>Error of the pattern evaluation on unseen games, discs: "
                   "<tspan fill='#c33'>root mean square</tspan>, <tspan fill='#36c'>mean</tspan></text>\n");
    curve(t, e->rms, e->n, "#c33", sx, sy, bottom);
    curve(t, e->mean_abs, e->n, "#36c", sx, sy, bottom);
    text_append(t, "</svg>\n");
    return text_check(t);
}
