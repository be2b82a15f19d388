// See worker.h: the loop. member.c has what belongs to one run, sender.c the way of its games, job_play.c match jobs.
#include "dist/worker.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/stop.h"
#include "dist/jobs.h"
#include "dist/member.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(field)   offsetof(dist_worker_options, field)
#define NATS(field) offsetof(dist_worker_options, nats.field)
// clang-format off
const opt dist_worker_opts[] = {
    ROW_TEXT("nats", NATS(url), "URL", NULL, "NATS server to work for (nats://HOST:4222, or @FILE that holds the URL); see docs/DISTRIBUTED.md", .required = true),
    ROW_INT("threads", AT(threads), "N", "0", 0, 256, "Number of threads; 0 = one per core", .letter = 't'),
    ROW_CHOICE("backend", AT(backend), "WHERE", "auto", "auto|cpu|cuda", "Device that runs the networks"),
    ROW_TEXT("runs", AT(runs), "LIST", NULL, "Work for these runs only, with shares of the time: 'a:2,b:1'; default: every run of the server"),
    ROW_TEXT("name", AT(name), "NAME", NULL, "Name of this worker; default: host and process"),
    ROW_INT("in-flight", AT(in_flight), "N", "0", 0, 65536, "Number of games played at the same time; 0 = as the run says. A GPU needs thousands"),
    ROW_FLAG("jobs", AT(jobs), "yes", "Also play match games for keiko bench --nats"),
    ROW_INT("games", AT(games), "N", "0", 0, 1e12, "Stop after N finished games; 0 = no limit"),
    ROW_FILE("ledger", AT(ledger), NULL, "Append a line to FILE for every game that the server has confirmed, to check that none is lost"),
    BUS_SECURITY_ROWS(NATS),
};
// clang-format on
const int dist_worker_n_opts = ROWS(dist_worker_opts);

enum { MEMBERS = 64 };
#define LIST_EVERY 30.0 // seconds between two looks for new runs
#define IDLE       1.0  // the same where there is none
#define JOBS_EVERY 1.0  // seconds between two looks for jobs, while there is a run

typedef struct worker {
    const dist_worker_options *o;
    bus *b;
    sender *s;
    bus_ear *news;
    bus_jobs *jobs;
    char name[DIST_NAME];
    member *at[MEMBERS];
    int n;
    bool chosen; // by --runs
    double listed_at, job_at, said_at;
    _Atomic uint64_t positions, sims, job_games, n_jobs, made;
    // the beat
    pthread_t thread;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t ended;
    bool ends;
    bus_job *job; // being played
    char run[DIST_NAME];
    uint64_t generation;
    const char *backend, *state;
} worker;

// --- the beat: status for watchers, signs of life for jobs

typedef struct beat {
    double at, begun;
    uint64_t games, positions, sims;
} beat;

static void tell(worker *w, beat *last)
{
    sender_state st;
    text_buf t = {0};
    char subject[128], state[SENDER_TEXT + 16], run[DIST_NAME], host[DIST_HOST];
    double now = clock_seconds(), seconds = now - last->at;
    sender_look(w->s, &st);
    uint64_t positions = w->positions, sims = w->sims, games = st.games + w->job_games;
    pthread_mutex_lock(&w->lock);
    bool waits = st.blocked > 0 && (strcmp(w->state, "plays") != 0 || strcmp(w->run, st.run) == 0);
    snprintf(state, sizeof state, "%s%s", waits ? "waits: " : w->state, waits ? st.why : "");
    memcpy(run, w->run, sizeof run);
    dist_status s = {.kind = "worker",
                     .name = w->name,
                     .host = dist_host(host),
                     .version = w->o->version != NULL ? w->o->version : "",
                     .run = run,
                     .backend = w->backend != NULL ? w->backend : "",
                     .state = state,
                     .process = getpid(),
                     .threads = w->o->threads > 0 ? w->o->threads : cpu_count(),
                     .generation = (int64_t)w->generation,
                     .games = (int64_t)games,
                     .games_s = (double)(games - last->games) / seconds,
                     .positions_s = (double)(positions - last->positions) / seconds,
                     .sims_s = (double)(sims - last->sims) / seconds,
                     .lag = (int64_t)st.waiting,
                     .uptime = now - last->begun};
    pthread_mutex_unlock(&w->lock);
    for (char *c = state; *c != 0; c++)
        if (*c == '\n' || *c == '"') *c = ' ';
    snprintf(subject, sizeof subject, DIST_STATUS "%s", w->name);
    if (dist_status_write(&s, &t) == ERR_OK) (void)bus_say(w->b, subject, text_str(&t));
    text_free(&t);
    if (w->o->each != NULL) w->o->each(w->o->ctx, &s);
    *last = (beat){now, last->begun, games, positions, sims};
}

static void *beats(void *ctx)
{
    worker *w = ctx;
    double now = clock_seconds();
    beat last = {.at = now, .begun = now};
    pthread_mutex_lock(&w->lock);
    while (!w->ends) {
        struct timespec t = clock_after(DIST_STATUS_EVERY);
        pthread_cond_timedwait(&w->ended, &w->lock, &t);
        if (w->job != NULL) bus_job_at_work(w->job); // far more often than the server wants it
        pthread_mutex_unlock(&w->lock);
        tell(w, &last);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void set_state(worker *w, const char *state, const member *m)
{
    pthread_mutex_lock(&w->lock);
    w->state = state;
    if (m != NULL) {
        memcpy(w->run, m->run, sizeof w->run);
        w->generation = m->entry.generation;
        w->backend = m->backend;
    }
    pthread_mutex_unlock(&w->lock);
}

// --- which runs

static err add_member(worker *w, const char *run, double share)
{
    err e = dist_name_check("run", run);
    if (e != ERR_OK) return e;
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->at[i]->run, run) == 0) return ERR_OK;
    if (w->n == MEMBERS) return err_set(ERR_LIMIT, "at most %d runs", MEMBERS);
    member *m = calloc(1, sizeof *m);
    if (m == NULL) return err_set(ERR_MEMORY, "no memory for a run");
    m->share = share;
    m->look = true;
    snprintf(m->run, sizeof m->run, "%.31s", run);
    w->at[w->n++] = m;
    return ERR_OK;
}

// "a:2,b:1"; a share left out is 1.
static err parse_runs(worker *w, const char *text)
{
    char copy[1024], *rest = NULL;
    if (strlen(text) >= sizeof copy) return err_set(ERR_LIMIT, "--runs: the list is too long");
    snprintf(copy, sizeof copy, "%s", text);
    for (char *one = strtok_r(copy, ",; ", &rest); one != NULL; one = strtok_r(NULL, ",; ", &rest)) {
        char *colon = strchr(one, ':'), *end = NULL;
        double share = 1;
        if (colon != NULL) {
            *colon = 0;
            share = strtod(colon + 1, &end);
            if (*end != 0 || !(share > 0 && share < 1e6))
                return err_set(ERR_USAGE, "--runs: '%s' is no share of run %s; write a number above 0", colon + 1, one);
        }
        err e = add_member(w, one, share);
        if (e != ERR_OK) return err_prefix(e, "--runs");
    }
    w->chosen = true;
    return w->n > 0 ? ERR_OK : err_set(ERR_USAGE, "--runs names no run");
}

static bool patient(void *ctx, const char *why, double seconds);

static err list_runs(worker *w)
{
    char **keys;
    int n;
    w->listed_at = clock_seconds();
    err e = bus_table_keys(w->b, "run.", &keys, &n);
    if (e != ERR_OK) { // the server is away, or these credentials may not ask: later
        (void)patient(w, err_text(), 0);
        return ERR_OK;
    }
    for (int i = 0; i < n && e == ERR_OK; i++) e = add_member(w, keys[i] + strlen("run."), 1);
    bus_table_keys_free(keys, n);
    return e;
}

// Frees the entry of a run that is gone.
static void forget_closed(worker *w)
{
    for (int i = 0; i < w->n && !w->chosen;)
        if (!w->at[i]->open && !w->at[i]->refused && !w->at[i]->look) {
            free(w->at[i]);
            w->at[i] = w->at[--w->n];
        } else {
            i++;
        }
}

static err hear_news(worker *w)
{
    bool got = true;
    err e = ERR_OK;
    while (e == ERR_OK && got) {
        bus_message m;
        bool known = false;
        e = bus_hear(w->news, 0, &m, &got);
        if (e != ERR_OK || !got) break;
        for (int i = 0; i < w->n; i++)
            if (strlen(w->at[i]->run) == m.size && memcmp(w->at[i]->run, m.data, m.size) == 0)
                known = w->at[i]->look = true;
        if (!known && !w->chosen) w->listed_at = 0;
        bus_message_free(&m);
    }
    return e;
}

static err find_runs(worker *w, bool any)
{
    err e = hear_news(w);
    if (e == ERR_OK && !w->chosen && clock_seconds() - w->listed_at > (any ? LIST_EVERY : IDLE)) {
        forget_closed(w);
        e = list_runs(w);
    }
    return e;
}

// Who comes late does not catch up.
static void begin_even(const worker *w, member *m)
{
    bool any = false;
    for (int i = 0; i < w->n; i++) {
        const member *o = w->at[i];
        if (o == m || !o->open) continue;
        if (!any || o->spent < m->spent) m->spent = o->spent;
        any = true;
    }
}

static bool any_open(const worker *w)
{
    for (int i = 0; i < w->n; i++)
        if (w->at[i]->open) return true;
    return false;
}

// The run that is furthest behind its share, of those whose games the server takes; NULL: none.
static err choose(worker *w, member **out)
{
    err e = ERR_OK;
    *out = NULL;
    for (int i = 0; i < w->n && e == ERR_OK; i++) {
        bool usable, was = w->at[i]->open && w->at[i]->takes;
        e = member_refresh(w->at[i], w->b, w->s, w->o, w->name, &usable);
        w->at[i]->takes = usable;
        if (usable && !was) begin_even(w, w->at[i]);
        if (usable && (*out == NULL || w->at[i]->spent < (*out)->spent)) *out = w->at[i];
    }
    return e;
}

// --- jobs

static err play_job(worker *w, bool idle)
{
    bus_job *job = NULL;
    double now = clock_seconds();
    if (!w->o->jobs || (!idle && now - w->job_at < JOBS_EVERY)) return ERR_OK;
    w->job_at = now;
    err e = bus_job_take(w->jobs, idle ? IDLE : 0.01, &job);
    if (e != ERR_OK && e != ERR_MEMORY) { // no bench has made the queue yet
        if (idle) clock_sleep(IDLE);
        return ERR_OK;
    }
    if (job == NULL) return e;
    pthread_mutex_lock(&w->lock);
    w->job = job;
    w->state = "match";
    pthread_mutex_unlock(&w->lock);
    uint64_t games = 0;
    job_answer answer = JOB_LATER;
    e = job_play(job, w->b, w->name, w->o->version, (int)w->o->threads, &games, &answer);
    pthread_mutex_lock(&w->lock);
    w->job = NULL;
    pthread_mutex_unlock(&w->lock);
    w->job_games += games;
    w->n_jobs += answer == JOB_DONE;
    if (answer == JOB_DONE)
        (void)bus_job_done(job);
    else if (answer == JOB_LATER)
        bus_job_later(job, 5);
    else
        bus_job_drop(job);
    w->job_at = 0; // the next one at once
    return e;
}

// --- the whole

static bool patient(void *ctx, const char *why, double seconds)
{
    worker *w = ctx;
    double now = clock_seconds();
    (void)seconds;
    if (stop_requested()) return false;
    if (now - w->said_at > 10) {
        w->said_at = now;
        log_warn("%s; trying again", why);
    }
    return true;
}

static err loop(worker *w)
{
    err e = ERR_OK;
    member *m = NULL;
    bool said = false;
    while (e == ERR_OK && !stop_requested()) {
        e = find_runs(w, any_open(w));
        if (e == ERR_OK) e = choose(w, &m);
        if (e == ERR_OK) e = play_job(w, m == NULL);
        if (e == ERR_OK) e = sender_check(w->s);
        if (e != ERR_OK) break;
        if (m == NULL) {
            bool any = any_open(w);
            if (!said && !any) log_info("no run to play for yet; waiting");
            said = said || !any;
            set_state(w, any ? "waits" : "waits for a run", NULL);
            if (!w->o->jobs) clock_sleep(IDLE / 4);
            continue;
        }
        said = false;
        selfplay_stats st;
        set_state(w, "plays", m);
        e = member_round(m, w->s, &st);
        if (e != ERR_OK) break;
        w->positions += st.positions;
        w->sims += st.sims;
        w->made += st.games;
        if (w->o->games > 0 && w->made >= (uint64_t)w->o->games) break;
    }
    return e == ERR_STOPPED ? ERR_OK : e;
}

static err open_all(worker *w)
{
    const dist_worker_options *o = w->o;
    char client[DIST_NAME + 16], name[96], host[DIST_HOST];
    snprintf(name, sizeof name, "%.20s-%ld", dist_host(host), (long)getpid());
    if (o->name != NULL && *o->name != 0) {
        err e = dist_name_check("worker", o->name);
        if (e != ERR_OK) return e;
        snprintf(name, sizeof name, "%.31s", o->name);
    }
    dist_name_make(w->name, name);
    snprintf(client, sizeof client, "keiko worker %s", w->name);
    const nn_backend *on; // a wrong one is better known before there is a connection
    err e = nn_backend_find(o->backend != NULL && *o->backend ? o->backend : "auto", &on);
    if (e == ERR_OK && o->runs != NULL && *o->runs != 0) e = parse_runs(w, o->runs);
    if (e == ERR_OK) e = bus_open(&w->b, &o->nats, client, &(bus_patience){patient, w});
    if (e == ERR_OK) e = bus_listen(&w->news, w->b, DIST_NEWS);
    if (e == ERR_OK) e = bus_jobs_open(&w->jobs, w->b, DIST_JOBS, DIST_JOBS_ALL, JOB_AT_WORK);
    if (e == ERR_OK) e = sender_new(&w->s, w->b, o->ledger);
    if (e == ERR_OK && pthread_create(&w->thread, NULL, beats, w) != 0)
        e = err_set(ERR_MEMORY, "cannot start a thread");
    return e;
}

err dist_worker_run(const dist_worker_options *o, dist_worker_end *end)
{
    worker w = {.o = o, .state = "starts"};
    sender_state st = {0};
    pthread_mutex_init(&w.lock, NULL);
    clock_cond_init(&w.ended);
    err e = open_all(&w);
    bool beating = e == ERR_OK;
    if (e == ERR_OK) e = loop(&w);
    char why[300];
    snprintf(why, sizeof why, "%s", err_text());
    if (beating) {
        pthread_mutex_lock(&w.lock);
        w.ends = true;
        pthread_cond_broadcast(&w.ended);
        pthread_mutex_unlock(&w.lock);
        pthread_join(w.thread, NULL);
    }
    size_t left = 0;
    if (w.s != NULL) {
        sender_look(w.s, &st);
        uint64_t before = st.games + st.waiting;
        left = sender_free(w.s, 10);
        st.games = before - left;
        if (left > 0) log_warn("%zu finished games could not be sent", left);
    }
    if (end != NULL) *end = (dist_worker_end){st.games, w.positions, w.sims, w.n_jobs, left};
    for (int i = 0; i < w.n; i++) {
        member_close(w.at[i]);
        free(w.at[i]);
    }
    bus_jobs_close(w.jobs);
    bus_ear_close(w.news);
    bus_close(w.b);
    pthread_mutex_destroy(&w.lock);
    pthread_cond_destroy(&w.ended);
    return e == ERR_OK || e == ERR_STOPPED ? ERR_OK : err_set(e, "%s", why);
}
