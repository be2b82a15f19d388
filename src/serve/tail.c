// News of runs and benches for whoever listens: what has grown in their folders since the last look.
//
// Logs are read on from where the last look ended. States and tables are computed again when they may have changed, and sent
// when they did. Looking happens without the hub's lock, which connections wait for: a look first notes who wants what.
#include "app/bench.h"
#include "app/runs.h"
#include "base/clock.h"
#include "serve/api.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOPICS = 64, CHUNK = 4 << 20 };

// One topic in this look.
typedef struct look {
    char topic[EVENTS_TOPIC];
    bool run;       // or a bench
    char *state[2]; // run: state, networks; bench: everything. NULL: could not be read
    char *key[2];   // the same without ages, which change with every look; NULL: the state itself
    bool ended;
    char why[64];
    double cost; // seconds that looking took
} look;

typedef struct round_ {
    api *a;
    double now;
    look *list;
    int n;
} round_;

// --- who wants what

static void note(void *ctx, stream *s, const char *topic, stream_place *place)
{
    round_ *x = ctx;
    bool run = strncmp(topic, "runs/", 5) == 0;
    (void)s;
    if ((!run && strncmp(topic, "benches/", 8) != 0) || place->next > x->now) return;
    for (int i = 0; i < x->n; i++)
        if (strcmp(x->list[i].topic, topic) == 0) return;
    if (x->n == TOPICS) return;
    look *l = &x->list[x->n++];
    *l = (look){.run = run};
    snprintf(l->topic, sizeof l->topic, "%s", topic);
}

// --- looking

static char *object(api *a, const char *name, err (*put)(api *a, const char *name, json_writer *w))
{
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    json_open_object(&w);
    err e = put(a, name, &w);
    if (e == ERR_OK) { // after an error it may have ended anywhere, behind a key for example
        json_close(&w);
        e = json_finish(&w);
    }
    char *text = e == ERR_OK ? text_take(&t) : NULL;
    text_free(&t);
    return text;
}

static err put_run(const char *dir, bool ages, json_writer *w)
{
    run_state s;
    err e = run_state_read(&s, dir);
    if (e != ERR_OK) return e;
    if (!ages) s.age = s.saved_age = 0;
    json_key(w, "state");
    run_state_json(&s, w);
    return ERR_OK;
}

static err put_state(api *a, const char *dir, json_writer *w)
{
    (void)a;
    return put_run(dir, true, w);
}

static err put_state_key(api *a, const char *dir, json_writer *w)
{
    (void)a;
    return put_run(dir, false, w);
}

static err put_networks(api *a, const char *dir, json_writer *w)
{
    (void)a;
    json_key(w, "networks");
    return runs_networks_json(dir, clock_unix(), w);
}

static err put_networks_key(api *a, const char *dir, json_writer *w)
{
    (void)a;
    json_key(w, "networks");
    return runs_networks_json(dir, 0, w);
}

static void look_at(api *a, look *l)
{
    double start = clock_seconds();
    const char *name = strchr(l->topic, '/') + 1;
    bool ours = jobs_runs(a->children, l->topic);
    if (l->run) {
        run_state s;
        l->state[0] = object(a, l->topic, put_state);
        l->key[0] = object(a, l->topic, put_state_key);
        l->state[1] = object(a, l->topic, put_networks);
        l->key[1] = object(a, l->topic, put_networks_key);
        l->ended = !ours && run_holder(l->topic) == 0;
        if (l->ended && run_state_read(&s, l->topic) == ERR_OK) snprintf(l->why, sizeof l->why, "%s", s.ended);
    } else {
        l->ended = !ours && !bench_is_played(l->topic); // before the look, so that the last one is complete
        l->state[0] = object(a, name, api_bench_members);
    }
    l->cost = clock_seconds() - start;
}

// --- telling; under the hub's lock

static void send_if_new(stream *s, stream_place *p, const look *l, int which, const char *event)
{
    const char *key = l->key[which] != NULL ? l->key[which] : l->state[which];
    if (l->state[which] == NULL || (p->last[which] != NULL && strcmp(p->last[which], key) == 0)) return;
    free(p->last[which]);
    p->last[which] = strdup(key);
    stream_send(s, event, -1, l->state[which]);
}

static void send_rows(stream *s, stream_place *p, const char *text, size_t size)
{
    run_book *b = NULL;
    if (run_book_text(&b, text, size) != ERR_OK) return;
    for (int i = 0; i < run_book_count(b); i++) {
        text_buf t = {0};
        p->rows++;
        if (p->rows <= p->skip) continue;
        json_writer w = json_begin(&t, false);
        runs_row_json(run_book_at(b, i), &w);
        if (json_finish(&w) == ERR_OK) stream_send(s, "row", p->rows, text_str(&t));
        text_free(&t);
    }
    run_book_free(b);
}

// What the log has beyond `offset`, whole lines only.
static void send_log(stream *s, stream_place *p, const char *dir)
{
    char path[EVENTS_TOPIC + 16];
    struct stat st;
    snprintf(path, sizeof path, "%s/log.jsonl", dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &st) == 0 && st.st_size < p->offset) { // cut back by a resume
        p->offset = p->rows = p->skip = 0;
        stream_send(s, "reset", -1, "{}");
    }
    size_t n = st.st_size > p->offset ? (size_t)(st.st_size - p->offset) : 0;
    if (n > CHUNK) n = CHUNK; // the rest comes with the next look
    char *text = n > 0 ? malloc(n + 1) : NULL;
    ssize_t got = text != NULL ? pread(fd, text, n, p->offset) : 0;
    close(fd);
    while (got > 0 && text[got - 1] != '\n') got--;
    if (got > 0) {
        text[got] = 0;
        p->offset += got;
        send_rows(s, p, text, (size_t)got);
    }
    free(text);
}

static void tell(void *ctx, stream *s, const char *topic, stream_place *p)
{
    round_ *x = ctx;
    const look *l = NULL;
    for (int i = 0; i < x->n && l == NULL; i++)
        if (strcmp(x->list[i].topic, topic) == 0) l = &x->list[i];
    if (l == NULL || p->next > x->now) return;
    p->next = x->now + fmax(l->run ? 0.4 : 0.8, 10 * l->cost);
    if (l->run) {
        send_log(s, p, topic);
        send_if_new(s, p, l, 0, "state");
        send_if_new(s, p, l, 1, "networks");
    } else {
        send_if_new(s, p, l, 0, "bench");
    }
    if (!l->ended) return;
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    json_open_object(&w);
    json_pair_text(&w, "ended", l->why);
    json_close(&w);
    stream_send(s, "done", -1, text_str(&t));
    stream_end(s);
    text_free(&t);
}

void tail_tick(api *a, double now)
{
    look *list = calloc(TOPICS, sizeof *list);
    round_ x = {a, now, list, 0};
    if (list == NULL) return;
    hub_each(a->events, note, &x);
    for (int i = 0; i < x.n; i++) look_at(a, &list[i]);
    if (x.n > 0) hub_each(a->events, tell, &x);
    for (int i = 0; i < x.n; i++) {
        for (int k = 0; k < 2; k++) {
            free(list[i].state[k]);
            free(list[i].key[k]);
        }
    }
    free(list);
}
