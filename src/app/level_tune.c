// See level_tune.h.
#include "app/level_tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the table should look like: neighbours 100 to 200 Elo apart, names 200 to 400 (LEVEL_GAP_LOW, LEVEL_GAP_HIGH).
enum { STEP_LEAST = 100, STEP_MOST = 200 };

static void add_gap(level_measured *m, const tour_view *v, int from, int to, int least, int most)
{
    interval in = view_gap(v, to - 1, from - 1);
    double elo = v->fit.rating[to - 1] - v->fit.rating[from - 1];
    m->gap[m->n_gaps++] = (level_gap){from, to, elo, in.low, in.high, least, most, elo >= least && elo <= most};
}

static void read_view(level_measured *m, const game *g, const tour_view *v)
{
    int named = 0; // the last level that had a name
    for (int i = 0; i < LEVELS; i++) {
        interval in = view_interval(v, i);
        m->elo[i] = 1000 + v->fit.rating[i] - v->fit.rating[0];
        m->error[i] = (in.high - in.low) / 2;
    }
    m->n_gaps = 0;
    for (int i = 1; i < LEVELS; i++) add_gap(m, v, i, i + 1, STEP_LEAST, STEP_MOST);
    for (int i = 1; i <= LEVELS; i++) {
        if (level_at(g, i - 1)->name[0] == 0) continue;
        if (named > 0) add_gap(m, v, named, i, LEVEL_GAP_LOW, LEVEL_GAP_HIGH);
        named = i;
    }
}

err level_measure(level_measured *out, const game *g, int64_t games, int64_t seed, const bench_run_options *how)
{
    bench_ask ask;
    bench_result r = {.loaded = false};
    text_buf players = {0};
    if (level_count(g) == 0) return err_set(ERR_USAGE, "%s has no levels", g->name);
    for (int i = 0; i < LEVELS; i++) text_printf(&players, "%s%d=%s", i > 0 ? ";" : "", i + 1, level_at(g, i)->spec);
    err e = text_check(&players);
    if (e == ERR_OK) e = bench_ask_defaults(&ask);
    if (e == ERR_OK) {
        ask.game = g->name;
        ask.players = text_str(&players);
        ask.schedule = "neighbours";
        ask.games = games;
        ask.seed = seed;
        e = bench_run(&r, &ask, how);
        if (e == ERR_OK && r.stopped) e = err_set(ERR_STOPPED, "stopped; --resume continues");
        if (e == ERR_OK && !r.view.rated) e = err_set(ERR_USAGE, "no game was played");
        if (e == ERR_OK) read_view(out, g, &r.view);
        bench_result_free(&r);
        bench_ask_free(&ask);
    }
    text_free(&players);
    return e;
}

void level_rows_text(const game *g, const level_measured *m, const char *date, text_buf *out)
{
    for (int i = 0; i < LEVELS; i++) {
        const level_row *l = level_at(g, i);
        text_printf(out, "LEVEL(\"%s\", %d, \"%s\", \"%s\", %.0f, %.0f, \"%s\")\n", l->game, l->number, l->name,
                    l->spec, round(m->elo[i]), ceil(m->error[i]), date);
    }
}

err level_rows_write(const game *g, const char *path, const char *rows)
{
    char *text, begin[80];
    text_buf out = {0};
    bool written = false;
    err e = file_read(path, 1 << 20, &text, NULL);
    if (e != ERR_OK) return e;
    snprintf(begin, sizeof begin, "LEVEL(\"%s\",", g->name);
    for (const char *p = text; *p != 0;) {
        size_t n = strcspn(p, "\n");
        n += p[n] == '\n';
        if (strncmp(p, begin, strlen(begin)) != 0)
            text_append_n(&out, p, n);
        else if (!written)
            text_append(&out, rows), written = true;
        p += n;
    }
    e = written ? text_check(&out) : err_set(ERR_USAGE, "%s has no levels of %s", path, g->name);
    if (e == ERR_OK) e = file_write_atomic(path, out.data, out.len);
    text_free(&out);
    free(text);
    return e;
}
