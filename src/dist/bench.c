// See jobs.h: the bench's side. A few jobs more than there are workers lie in the queue at any time; results that come twice
// count once. If this process dies, at most those few are played for nobody.
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stop.h"
#include "dist/entry.h"
#include "dist/jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 64, JOB_GAMES = 8, SETUP_MOST = 900 << 10 };
#define RESULTS_AGE 86400.0 // seconds
#define SAY_AFTER   15.0

struct dist_bench {
    bus *b;
    const char *version;
    char id[DIST_NAME];
    uint64_t jobs; // numbered so far, over all calls
};

err dist_bench_open(dist_bench **out, const bus_options *o, const char *version, const bus_patience *p)
{
    uint64_t number;
    dist_bench *d = calloc(1, sizeof *d);
    if (d == NULL) return err_set(ERR_MEMORY, "no memory for a bench");
    d->version = version != NULL ? version : "";
    err e = dist_draw(&number);
    snprintf(d->id, sizeof d->id, "%016" PRIx64, number);
    if (e == ERR_OK) e = bus_open(&d->b, o, "keiko bench", p);
    if (e == ERR_OK)
        e = bus_stream_make(d->b, &(bus_stream){.name = DIST_JOBS, .subject = DIST_JOBS_ALL, .queue = true});
    if (e == ERR_OK)
        e = bus_stream_make(d->b,
                            &(bus_stream){.name = DIST_RESULTS, .subject = DIST_RESULTS_ALL, .max_age = RESULTS_AGE});
    if (e != ERR_OK) {
        bus_close(d->b);
        free(d);
        return e;
    }
    *out = d;
    return ERR_OK;
}

void dist_bench_close(dist_bench *d)
{
    char text[DIST_SUBJECT];
    if (d == NULL) return;
    snprintf(text, sizeof text, "keiko.jobs.%s", d->id);
    (void)bus_stream_purge(d->b, DIST_JOBS, text, 0);
    snprintf(text, sizeof text, "bench.%s", d->id);
    (void)bus_table_remove(d->b, text);
    snprintf(text, sizeof text, "keiko.results.%s", d->id);
    (void)bus_stream_purge(d->b, DIST_RESULTS, text, 0);
    bus_close(d->b);
    free(d);
}

typedef struct under_way {
    dist_bench *d;
    const match_options *o;
    uint64_t n, next; // games of the plan; the first that is in no job yet
    match_plan *plan;
    match_done *done;
    void *ctx;
    uint64_t first; // number of this call's first job
    uint8_t *come;  // [jobs]: its result was counted
    size_t made, room, open;
    bool go_on;
    double heard, said;
} under_way;

static bool patient(void *ctx, const char *why, double seconds)
{
    under_way *u = ctx;
    if (seconds > 5 && clock_seconds() - u->said > SAY_AFTER) {
        u->said = clock_seconds();
        log_warn("%s; trying again", why);
    }
    return !stop_requested();
}

static err put_setup(under_way *u)
{
    char key[DIST_SUBJECT];
    text_buf t = {0};
    err e = job_setup_write(u->o, u->d->version, &t);
    if (e == ERR_OK && t.len > SETUP_MOST)
        e = err_set(ERR_LIMIT, "the openings take %zu bytes, too many for one message; choose fewer (--opening-count)",
                    t.len);
    snprintf(key, sizeof key, "bench.%s", u->d->id);
    if (e == ERR_OK) e = bus_table_put(u->d->b, key, t.data, t.len, &(bus_patience){patient, u});
    text_free(&t);
    return e;
}

// The next games of the plan as one job. *some false: there are none left.
static err put_job(under_way *u, bool *some)
{
    match_game games[JOB_GAMES];
    job_head h = {.number = ++u->d->jobs};
    char subject[DIST_SUBJECT], id[DIST_SUBJECT];
    text_buf t = {0};
    uint32_t most = u->o->grain > 0 && u->o->grain < JOB_GAMES ? (uint32_t)u->o->grain : JOB_GAMES;
    memcpy(h.bench, u->d->id, sizeof h.bench);
    while (u->next < u->n && h.games < most)
        if (u->plan(u->ctx, u->next++, &games[h.games])) h.games++;
    *some = h.games > 0;
    if (!*some) {
        u->d->jobs--;
        return ERR_OK;
    }
    if (!GROW(u->come, u->made, u->room)) return err_set(ERR_MEMORY, "no memory for jobs");
    u->come[u->made++] = 0;
    u->open++;
    err e = job_write(&h, games, &t);
    snprintf(subject, sizeof subject, "keiko.jobs.%s", h.bench);
    snprintf(id, sizeof id, "job-%s-%" PRIu64, h.bench, h.number);
    if (e == ERR_OK) e = bus_put(u->d->b, subject, id, t.data, t.len, &(bus_patience){patient, u});
    text_free(&t);
    return e;
}

static err see(void *ctx, const match_record *r)
{
    under_way *u = ctx;
    if (u->go_on) u->go_on = u->done(u->ctx, r, 1);
    return ERR_OK;
}

static err take_result(under_way *u, const bus_message *m)
{
    job_head h;
    char worker[DIST_NAME];
    err e = job_result_read(&h, worker, u->o->g, u->o->n_players, m->data, m->size, NULL, NULL);
    if (e == ERR_OK && (h.number < u->first || h.number >= u->first + u->made))
        e = err_set(ERR_PARSE, "the result of a job that nobody gave out");
    if (e == ERR_MEMORY) return e;
    if (e != ERR_OK) {
        log_warn("a result is left out: %s", err_text());
        return ERR_OK;
    }
    uint8_t *come = &u->come[h.number - u->first];
    if (*come) return ERR_OK; // a job that two have played
    *come = 1;
    u->open--;
    return job_result_read(&h, worker, u->o->g, u->o->n_players, m->data, m->size, see, u);
}

static err play(under_way *u, bus_reader *in)
{
    bool some = true;
    err e = ERR_OK;
    u->heard = clock_seconds();
    while (e == ERR_OK && u->go_on && (some || u->open > 0) && !stop_requested()) {
        bus_message m;
        bool got;
        while (e == ERR_OK && some && u->open < AHEAD) e = put_job(u, &some);
        if (e == ERR_OK && u->open > 0) {
            e = bus_reader_next(in, 0.5, &m, &got);
            if (e != ERR_OK) break;
            if (got) {
                u->heard = clock_seconds();
                e = take_result(u, &m);
                bus_message_free(&m);
            } else if (clock_seconds() - u->heard > SAY_AFTER && clock_seconds() - u->said > 4 * SAY_AFTER) {
                u->said = clock_seconds();
                log_warn("no results for %.0f s: are there workers? See keiko workers --nats URL", u->said - u->heard);
            }
        }
    }
    return e;
}

err dist_bench_run(void *ctx, const match_options *o, uint64_t n, match_plan *plan, match_done *done, void *done_ctx)
{
    dist_bench *d = ctx;
    bus_reader *in = NULL;
    bus_stream_state st = {0};
    char subject[DIST_SUBJECT];
    under_way u = {
        .d = d, .o = o, .n = n, .plan = plan, .done = done, .ctx = done_ctx, .first = d->jobs + 1, .go_on = true};
    for (int i = 0; i < o->n_players; i++)
        if (o->players[i].open != NULL)
            return err_set(ERR_USAGE, "player %s lives in this process and cannot play elsewhere", o->players[i].name);
    err e = match_rules_check(o->g, &o->rules);
    if (e == ERR_OK) e = put_setup(&u);
    if (e == ERR_OK) e = bus_stream_look(d->b, DIST_RESULTS, &st);
    snprintf(subject, sizeof subject, "keiko.results.%s", d->id);
    if (e == ERR_OK) e = bus_reader_open(&in, d->b, DIST_RESULTS, subject, false, st.last + 1);
    if (e == ERR_OK) e = play(&u, in);
    bus_reader_close(in);
    free(u.come);
    if (e == ERR_OK && stop_requested()) e = stop_check();
    if (e == ERR_OK && !u.go_on) e = err_set(ERR_STOPPED, "the match was stopped before its end");
    return e;
}
