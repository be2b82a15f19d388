// See run_curves.h.
#include "run/run_curves.h"

#include "base/file.h"
#include "base/plot.h"
#include "run/run_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void curves_free(curves_group *g)
{
    for (int i = 0; i < g->n; i++) free(g->dir[i]);
    memset(g, 0, sizeof *g);
}

err curves_parse(const char *text, curves_group *out)
{
    const char *is = strchr(text, '=');
    curves_group g = {0};
    if (is == NULL || is == text || is[1] == 0 || (size_t)(is - text) >= sizeof g.name)
        return err_set(ERR_USAGE, "'%s': expected NAME=DIR, or several folders separated by commas", text);
    memcpy(g.name, text, (size_t)(is - text));
    for (const char *at = is + 1; *at != 0;) {
        size_t n = strcspn(at, ",");
        if (g.n == CURVES_RUNS || n == 0) {
            curves_free(&g);
            return err_set(ERR_USAGE, "'%s': expected up to %d folders", text, CURVES_RUNS);
        }
        g.dir[g.n] = strndup(at, n);
        if (g.dir[g.n++] == NULL) {
            curves_free(&g);
            return err_set(ERR_MEMORY, "no memory for names");
        }
        at += n + (at[n] == ',');
    }
    *out = g;
    return ERR_OK;
}

typedef struct points {
    double *x, *y;
    int n;
} points;

static bool wanted(const run_record *r, const curves_options *o)
{
    if (strcmp(r->kind, o->kind) != 0) return false;
    const char *opponent = run_record_text(r, "opponent");
    if (o->opponent != NULL && (opponent == NULL || strcmp(opponent, o->opponent) != 0)) return false;
    return isfinite(run_record_get(r, o->value));
}

static err read_points(const char *dir, const curves_options *o, points *out)
{
    run_book *b = NULL;
    if (!file_is_dir(dir)) return err_set(ERR_MISSING, "there is no folder %s", dir);
    err e = run_book_read(&b, dir);
    if (e != ERR_OK) return e;
    int n = run_book_count(b);
    *out = (points){calloc((size_t)n + 1, sizeof(double)), calloc((size_t)n + 1, sizeof(double)), 0};
    if (out->x == NULL || out->y == NULL) e = err_set(ERR_MEMORY, "no memory for a curve");
    for (int i = 0; e == ERR_OK && i < n; i++) {
        const run_record *r = run_book_at(b, i);
        if (!wanted(r, o)) continue;
        out->x[out->n] = (double)r->step;
        out->y[out->n++] = run_record_get(r, o->value);
    }
    if (e == ERR_OK && out->n == 0)
        e = err_set(ERR_MISSING, "%s has no lines '%s' with '%s'%s%s", dir, o->kind, o->value,
                    o->opponent != NULL ? " against " : "", o->opponent != NULL ? o->opponent : "");
    run_book_free(b);
    return e;
}

static double at(const points *p, double x)
{
    int i = 1;
    if (p->n == 1 || x <= p->x[0]) return p->y[0];
    while (i + 1 < p->n && p->x[i] < x) i++;
    if (x >= p->x[i]) return p->y[i];
    double share = p->x[i] > p->x[i - 1] ? (x - p->x[i - 1]) / (p->x[i] - p->x[i - 1]) : 1;
    return p->y[i - 1] + share * (p->y[i] - p->y[i - 1]);
}

typedef struct curve {
    double x[CURVES_GRID], y[CURVES_GRID], low[CURVES_GRID], high[CURVES_GRID];
} curve;

static err make_curve(const curves_group *g, const curves_options *o, curve *out)
{
    points p[CURVES_RUNS] = {{0}};
    double first = -INFINITY, last = INFINITY;
    err e = ERR_OK;
    for (int i = 0; i < g->n && e == ERR_OK; i++) {
        e = read_points(g->dir[i], o, &p[i]);
        if (e != ERR_OK) break;
        if (p[i].x[0] > first) first = p[i].x[0];
        if (p[i].x[p[i].n - 1] < last) last = p[i].x[p[i].n - 1];
    }
    for (int k = 0; k < CURVES_GRID && e == ERR_OK; k++) {
        double x = first + (last - first) * k / (CURVES_GRID - 1), sum = 0, low = INFINITY, high = -INFINITY;
        for (int i = 0; i < g->n; i++) {
            double y = at(&p[i], x);
            sum += y;
            low = y < low ? y : low;
            high = y > high ? y : high;
        }
        out->x[k] = x;
        out->y[k] = sum / g->n;
        out->low[k] = low;
        out->high[k] = high;
    }
    for (int i = 0; i < g->n; i++) {
        free(p[i].x);
        free(p[i].y);
    }
    return e;
}

err curves_draw(const curves_group *g, int n, const curves_options *o, text_buf *to)
{
    plot_series s[CURVES_GROUPS] = {{0}};
    curve *c = calloc((size_t)n, sizeof *c);
    if (n > CURVES_GROUPS) return free(c), err_set(ERR_LIMIT, "at most %d groups", CURVES_GROUPS);
    err e = c == NULL ? err_set(ERR_MEMORY, "no memory for curves") : ERR_OK;
    for (int i = 0; i < n && e == ERR_OK; i++) {
        e = make_curve(&g[i], o, &c[i]);
        s[i] = (plot_series){.name = g[i].name,
                             .x = c[i].x,
                             .y = c[i].y,
                             .low = g[i].n > 1 ? c[i].low : NULL,
                             .high = g[i].n > 1 ? c[i].high : NULL,
                             .n = CURVES_GRID};
    }
    plot_axes a = {
        .title = o->title, .x_label = "steps", .y_label = o->y_label, .y_percent = o->percent, .alone = true};
    if (e == ERR_OK) plot_lines(to, &a, s, n);
    free(c);
    return e != ERR_OK ? e : text_check(to);
}
