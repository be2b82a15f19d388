// See jobs.h: the worker's side.
#include "base/log.h"
#include "base/stop.h"
#include "dist/entry.h"
#include "dist/jobs.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct playing {
    const match_game *games;
    uint32_t n;
    pthread_mutex_t lock;
    match_record *record; // [n], by place in the job
    uint32_t done;
    err failed;
} playing;

static bool plan(void *ctx, uint64_t i, match_game *out)
{
    const playing *p = ctx;
    *out = p->games[i];
    return true;
}

static err keep(match_record *to, const match_record *r)
{
    move_t *moves = malloc((r->plies + 1u) * sizeof *moves);
    char *detail = strdup(r->detail);
    if (moves == NULL || detail == NULL) {
        free(moves);
        free(detail);
        return err_set(ERR_MEMORY, "no memory for a game");
    }
    memcpy(moves, r->moves, r->plies * sizeof *moves);
    *to = *r;
    to->moves = moves;
    to->detail = detail;
    return ERR_OK;
}

static bool done(void *ctx, const match_record *r, int n)
{
    playing *p = ctx;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < n && p->failed == ERR_OK; i++)
        for (uint32_t k = 0; k < p->n; k++)
            if (p->games[k].id == r[i].what.id && p->record[k].moves == NULL) {
                p->failed = keep(&p->record[k], &r[i]);
                p->done++;
                break;
            }
    bool go_on = p->failed == ERR_OK;
    pthread_mutex_unlock(&p->lock);
    return go_on;
}

static err play(const job_setup *s, playing *p, int threads)
{
    match_player *players = calloc((size_t)s->n_players, sizeof *players);
    if (players == NULL) return err_set(ERR_MEMORY, "no memory for the players");
    for (int i = 0; i < s->n_players; i++)
        players[i] = (match_player){.name = s->player[i][0], .spec = s->player[i][1]};
    match_options o = {.g = s->g,
                       .settings = s->settings,
                       .players = players,
                       .n_players = s->n_players,
                       .set = &s->set,
                       .seed = s->seed,
                       .threads = threads,
                       .rules = s->rules,
                       .no_clock = s->no_clock,
                       .grain = 1};
    err e = match_run(&o, p->n, plan, done, p);
    free(players);
    if (e == ERR_OK && p->done < p->n) e = err_set(ERR_PARSE, "a job names the same game twice");
    return e;
}

static err read_setup(job_setup *s, bus *b, const char *bench, const char *version, bool *found)
{
    char key[DIST_SUBJECT];
    text_buf t = {0};
    snprintf(key, sizeof key, "bench.%s", bench);
    err e = bus_table_get(b, key, &t, found);
    if (e == ERR_OK && *found) e = job_setup_read(s, text_str(&t), t.len);
    if (e == ERR_OK && *found && strcmp(s->version, version != NULL ? version : "") != 0) {
        e = err_set(ERR_USAGE,
                    "bench %s is run by keiko %s, and this is keiko %s: its players could play differently; install "
                    "the same version",
                    bench, s->version, version != NULL ? version : "");
        job_setup_free(s);
    }
    text_free(&t);
    return e;
}

static err send_result(bus *b, const job_head *h, const char *worker, const match_record *r)
{
    char subject[DIST_SUBJECT], id[DIST_SUBJECT];
    text_buf t = {0};
    err e = job_result_write(h, worker, r, &t);
    snprintf(subject, sizeof subject, "keiko.results.%s", h->bench);
    snprintf(id, sizeof id, "%s-%" PRIu64, h->bench, h->number);
    if (e == ERR_OK) e = bus_put(b, subject, id, t.data, t.len, NULL);
    text_free(&t);
    return e;
}

static job_answer answer_to(err e)
{
    switch (e) {
    case ERR_OK:
        return JOB_DONE;
    case ERR_PARSE:
        return JOB_DROP;
    default:
        return JOB_LATER; // another worker may have what this one lacks
    }
}

err job_play(const bus_job *job, bus *b, const char *worker, const char *version, int threads, uint64_t *games,
             job_answer *answer)
{
    job_head h;
    job_setup s = {0};
    size_t size;
    bool found = false;
    match_game *list = NULL;
    const char *data = bus_job_data(job, &size);
    *games = 0;
    err e = job_read(&h, &list, data, size);
    if (e == ERR_OK) e = read_setup(&s, b, h.bench, version, &found);
    if (e == ERR_OK && !found) { // its bench has ended
        free(list);
        *answer = JOB_DROP;
        return ERR_OK;
    }
    playing p = {.games = list, .n = e == ERR_OK ? h.games : 0};
    pthread_mutex_init(&p.lock, NULL);
    if (e == ERR_OK && (p.record = calloc((size_t)p.n + 1, sizeof *p.record)) == NULL)
        e = err_set(ERR_MEMORY, "no memory for a job");
    if (e == ERR_OK) e = play(&s, &p, threads);
    if (e == ERR_OK) e = send_result(b, &h, worker, p.record);
    if (e == ERR_OK) *games = p.n;
    if (e != ERR_OK && e != ERR_STOPPED) log_warn("a job is given back: %s", err_text());
    *answer = answer_to(e);
    for (uint32_t i = 0; p.record != NULL && i < p.n; i++) {
        free((void *)(uintptr_t)p.record[i].moves);
        free((void *)(uintptr_t)p.record[i].detail);
    }
    free(p.record);
    free(list);
    job_setup_free(&s);
    pthread_mutex_destroy(&p.lock);
    return e == ERR_MEMORY ? e : ERR_OK;
}
