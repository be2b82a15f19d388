// See workers.h.
#include "app/workers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/stop.h"
#include "dist/entry.h"
#include "dist/learner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GONE 8.0 // seconds of silence

struct workers_link {
    bus *b;
    bus_ear *in;
};

err workers_open(workers_link **out, const bus_options *o, const bus_patience *p)
{
    workers_link *l = calloc(1, sizeof *l);
    if (l == NULL) return err_set(ERR_MEMORY, "no memory for a connection");
    err e = bus_open(&l->b, o, "keiko workers", p);
    if (e == ERR_OK) e = bus_listen(&l->in, l->b, DIST_STATUS_ALL);
    return HAND_OVER(e, out, l, workers_close);
}

void workers_close(workers_link *l)
{
    if (l == NULL) return;
    bus_ear_close(l->in);
    bus_close(l->b);
    free(l);
}

bool workers_connected(const workers_link *l)
{
    return bus_connected(l->b);
}

err workers_remove_run(workers_link *l, const char *run)
{
    err e = dist_name_check("run", run);
    return e == ERR_OK ? dist_run_remove(l->b, run) : e;
}

// --- the view

static int order(const void *a_, const void *b_)
{
    const workers_row *a = a_, *b = b_;
    int kind = strcmp(a->s.kind, b->s.kind); // "learner" < "worker"
    return kind != 0 ? kind : strcmp(a->s.name, b->s.name);
}

static err keep_word(workers_view *v, const char *text, size_t size)
{
    workers_row r = {.keep = opt_keep(), .heard = clock_seconds()};
    if (r.keep == NULL) return err_set(ERR_MEMORY, "no memory for a list");
    if (dist_status_read(&r.s, text, size, r.keep) != ERR_OK) { // of another version, or not ours
        opt_free(r.keep);
        return ERR_OK;
    }
    for (int i = 0; i < v->n; i++)
        if (order(&v->row[i], &r) == 0) {
            opt_free(v->row[i].keep);
            v->row[i] = r;
            return ERR_OK;
        }
    if (!GROW(v->row, v->n, v->room)) {
        opt_free(r.keep);
        return err_set(ERR_MEMORY, "no memory for a list");
    }
    v->row[v->n++] = r;
    return ERR_OK;
}

static void drop_gone(workers_view *v, double now)
{
    int n = 0;
    for (int i = 0; i < v->n; i++) {
        if (now - v->row[i].heard > GONE)
            opt_free(v->row[i].keep);
        else
            v->row[n++] = v->row[i];
    }
    v->n = n;
}

err workers_listen(workers_link *l, workers_view *v, double seconds, const _Atomic bool *stop)
{
    double until = clock_seconds() + seconds, left;
    err e = ERR_OK;
    while (e == ERR_OK && !stop_requested() && (stop == NULL || !atomic_load(stop)) &&
           (left = until - clock_seconds()) > 0) {
        bus_message m;
        bool got;
        e = bus_hear(l->in, left < 0.2 ? left : 0.2, &m, &got);
        if (e != ERR_OK || !got) continue;
        e = keep_word(v, m.data, m.size);
        bus_message_free(&m);
    }
    drop_gone(v, clock_seconds());
    if (v->n > 0) qsort(v->row, (size_t)v->n, sizeof *v->row, order);
    return e;
}

void workers_view_free(workers_view *v)
{
    for (int i = 0; i < v->n; i++) opt_free(v->row[i].keep);
    free(v->row);
    *v = (workers_view){0};
}

// --- for people, and for programs

static const char *number(double x, char buf[TEXT_SHORT])
{
    text_short(x, buf);
    return buf;
}

static void print_learners(const workers_view *v, text_buf *t)
{
    char a[TEXT_SHORT], b[TEXT_SHORT], c[TEXT_SHORT];
    bool any = false;
    for (int i = 0; i < v->n; i++) {
        const dist_status *s = &v->row[i].s;
        if (strcmp(s->kind, "learner") != 0) continue;
        if (!any)
            text_printf(t, "%-20s %-16s %10s %8s %10s %9s %8s %7s %8s  %s\n", "run", "host", "generation", "step",
                        "games", "pos/s", "lag", "stale", "refused", "state");
        any = true;
        text_printf(t, "%-20s %-16s %10lld %8s %10s %9s %8lld %7lld %8lld  ", s->name, s->host,
                    (long long)s->generation, number((double)s->step, a), number((double)s->games, b),
                    number(s->positions_s, c), (long long)s->lag, (long long)s->stale, (long long)s->refused);
        text_append_safe(t, s->state, false);
        text_char(t, '\n');
    }
    if (!any) text_append(t, "no learner\n");
}

static void print_workers(const workers_view *v, text_buf *t)
{
    char a[TEXT_SHORT], b[TEXT_SHORT], c[TEXT_SHORT];
    double games = 0, positions = 0, sims = 0;
    int n = 0;
    for (int i = 0; i < v->n; i++) {
        const dist_status *s = &v->row[i].s;
        if (strcmp(s->kind, "worker") != 0) continue;
        if (n++ == 0)
            text_printf(t, "\n%-24s %-16s %7s %-5s %-16s %10s %8s %8s %8s %5s  %s\n", "worker", "host", "threads", "on",
                        "run", "generation", "games/s", "pos/s", "sims/s", "lag", "state");
        text_printf(t, "%-24s %-16s %7lld %-5s %-16s %10lld %8s %8s %8s %5lld  ", s->name, s->host,
                    (long long)s->threads, s->backend, s->run, (long long)s->generation, number(s->games_s, a),
                    number(s->positions_s, b), number(s->sims_s, c), (long long)s->lag);
        text_append_safe(t, s->state, false);
        text_char(t, '\n');
        games += s->games_s;
        positions += s->positions_s;
        sims += s->sims_s;
    }
    if (n == 0)
        text_append(t, "no workers\n");
    else
        text_printf(t, "%d workers: %s games/s, %s positions/s, %s simulations/s\n", n, number(games, a),
                    number(positions, b), number(sims, c));
}

err workers_table(const workers_view *v, text_buf *out)
{
    print_learners(v, out);
    print_workers(v, out);
    return text_check(out);
}

void workers_json(const workers_view *v, json_writer *w)
{
    json_open_array(w);
    for (int i = 0; i < v->n; i++) {
        const dist_status *s = &v->row[i].s;
        json_open_object(w);
        for (int k = 0; k < dist_status_n_opts; k++) {
            const opt *o = &dist_status_opts[k];
            const void *at = (const char *)s + o->at;
            if (o->kind == OPT_TEXT)
                json_pair_text(w, o->name, *(const char *const *)at);
            else if (o->kind == OPT_INT)
                json_pair_int(w, o->name, *(const int64_t *)at);
            else
                json_pair_number(w, o->name, *(const double *)at);
        }
        json_close(w);
    }
    json_close(w);
}
