// The table of routes, and the life of what they work on. See api.h.
#include "serve/api.h"

#include "base/clock.h"
#include "base/cpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BREATHE_SECONDS = 15, REST_SECONDS = 10 };

const route api_routes[] = {
    {"GET", "/machine", api_machine, NULL},
    {"GET", "/games", api_games, NULL},
    {"GET", "/agents", api_agents, NULL},
    {"GET", "/levels", api_levels, NULL},
    {"GET", "/models", api_models, NULL},
    {"GET", "/options", api_options_list, NULL},
    {"GET", "/sessions", api_sessions, NULL},
    {"POST", "/sessions", api_session_new, NULL},
    {"GET", "/sessions/{id}", api_session_get, NULL},
    {"DELETE", "/sessions/{id}", api_session_delete, NULL},
    {"POST", "/sessions/{id}/state", api_session_call, NULL},
    {"POST", "/sessions/{id}/play", api_session_call, NULL},
    {"POST", "/sessions/{id}/look", api_session_call, NULL},
    {"POST", "/sessions/{id}/think", api_session_call, NULL},
    {"POST", "/sessions/{id}/choose", api_session_call, NULL},
    {"POST", "/sessions/{id}/analyse", api_session_call, NULL},
    {"POST", "/sessions/{id}/review", api_session_call, NULL},
    {"POST", "/sessions/{id}/back", api_session_call, NULL},
    {"POST", "/sessions/{id}/forward", api_session_call, NULL},
    {"POST", "/sessions/{id}/undo", api_session_call, NULL},
    {"POST", "/sessions/{id}/redo", api_session_call, NULL},
    {"POST", "/sessions/{id}/goto", api_session_call, NULL},
    {"POST", "/sessions/{id}/line", api_session_call, NULL},
    {"POST", "/sessions/{id}/promote", api_session_call, NULL},
    {"POST", "/sessions/{id}/delete", api_session_call, NULL},
    {"POST", "/sessions/{id}/seats", api_session_call, NULL},
    {"POST", "/sessions/{id}/resign", api_session_call, NULL},
    {"POST", "/sessions/{id}/flag", api_session_call, NULL},
    {"POST", "/sessions/{id}/note", api_session_call, NULL},
    {"POST", "/sessions/{id}/export", api_session_call, NULL},
    {"POST", "/sessions/{id}/swap2", api_session_call, NULL},
    {"POST", "/sessions/{id}/new", api_session_call, NULL},
    {"POST", "/sessions/{id}/load", api_session_call, NULL},
    {"POST", "/sessions/{id}/stop", api_session_stop, ""},
    {"GET", "/sessions/{id}/events", api_session_events, NULL},
    {"POST", "/advise", api_advise, "field pair next mode pairs turns colours index reach"},
    {"GET", "/workers", api_workers, NULL},
    {"GET", "/workers/events", api_workers_events, NULL},
    {"GET", "/runs", api_runs, NULL},
    {"POST", "/runs", api_run_start, "game name options"},
    {"GET", "/runs/{name}", api_run, NULL},
    {"GET", "/runs/{name}/log", api_run_log, NULL},
    {"GET", "/runs/{name}/events", api_run_events, NULL},
    {"GET", "/runs/{name}/games", api_run_games, NULL},
    {"POST", "/runs/{name}/stop", api_run_stop, ""},
    {"POST", "/runs/{name}/resume", api_run_resume, "options"},
    {"GET", "/benches", api_benches, NULL},
    {"POST", "/benches", api_bench_start, "name options"},
    {"GET", "/benches/{name}", api_bench, NULL},
    {"GET", "/benches/{name}/games", api_bench_games, NULL},
    {"GET", "/benches/{name}/games/{number}", api_bench_game, NULL},
    {"GET", "/benches/{name}/events", api_bench_events, NULL},
    {"POST", "/benches/{name}/stop", api_bench_stop, ""},
    {"POST", "/benches/{name}/resume", api_bench_resume, ""},
};
const int api_n_routes = (int)(sizeof api_routes / sizeof *api_routes);

// --- finding a route

// Does the path fit the pattern? Segments in braces take any text, whose place is filled.
static bool fits(const char *pattern, const char *path, request *q)
{
    int parts = 0;
    while (*pattern == '/' && *path == '/') {
        size_t n = strcspn(++pattern, "/"), k = strcspn(++path, "/");
        if (k == 0 || k >= REQUEST_PART) return false;
        if (pattern[0] == '{') {
            if (parts == REQUEST_PARTS) return false;
            memcpy(q->part[parts], path, k);
            q->part[parts++][k] = 0;
        } else if (n != k || strncmp(pattern, path, n) != 0) {
            return false;
        }
        memcpy(q->verb, path, k);
        q->verb[k] = 0;
        pattern += n;
        path += k;
    }
    return *pattern == 0 && *path == 0;
}

const route *api_find(request *q, char allow[64])
{
    size_t n = 0;
    allow[0] = 0;
    for (int i = 0; i < api_n_routes; i++) {
        const route *row = &api_routes[i];
        if (!fits(row->pattern, q->path, q)) continue;
        if (strcmp(row->method, q->method) == 0) return row;
        n += (size_t)snprintf(allow + n, 64 - n, "%s%s", n > 0 ? ", " : "", row->method);
    }
    return NULL;
}

void api_answer(api *a, request *q, reply *r)
{
    const route *row = api_find(q, r->allow);
    err e = row != NULL && row->keys != NULL ? request_keys(q, row->keys) : ERR_OK;
    if (e != ERR_OK)
        reply_err(r, e);
    else if (row != NULL)
        row->answer(a, q, r);
    else if (r->allow[0] != 0)
        reply_refuse(r, 405, "%s is not allowed here; use %s", q->method, r->allow);
    else
        reply_refuse(r, 404, "there is nothing at /api/1%.100s; see docs/API.md", q->path);
}

// --- what routes share

err api_page_read(const request *q, int64_t most, int64_t usual, api_page *out)
{
    *out = (api_page){0, usual};
    err e = request_whole(q, "from", 0, INT64_C(1) << 53, &out->from);
    return e == ERR_OK ? request_whole(q, "limit", 1, most, &out->limit) : e;
}

err api_folder(char path[NAMES_PATH], const char *kind, const char *name)
{
    if (names_folder(path, kind, name) != ERR_OK || !file_is_dir(path))
        return err_set(ERR_MISSING, "there is no %s '%.64s'", strcmp(kind, "runs") == 0 ? "run" : "bench", name);
    return ERR_OK;
}

err api_new_name(api *a, char name[NAMES_MOST + 1], const request *q, const char *kind, const char *what, bool *taken)
{
    char path[NAMES_PATH], *wish = NULL, stamp[20];
    time_t now = (time_t)clock_unix();
    struct tm tm;
    err e = request_text(q, "name", &wish);
    *taken = false;
    if (e == ERR_OK && wish != NULL) {
        e = names_folder(path, kind, wish);
        if (e == ERR_OK) snprintf(name, NAMES_MOST + 1, "%s", wish);
        if (e == ERR_OK && (file_exists(path) || jobs_runs(a->children, path))) {
            *taken = true;
            e = err_set(ERR_USAGE, "there is a '%s' already; choose another name", wish);
        }
    } else if (e == ERR_OK) {
        gmtime_r(&now, &tm);
        strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
        snprintf(name, NAMES_MOST + 1, "%.24s-%s", what, stamp);
        for (int i = 2;
             names_folder(path, kind, name) == ERR_OK && (file_exists(path) || jobs_known(a->children, path)); i++)
            snprintf(name, NAMES_MOST + 1, "%.24s-%s-%d", what, stamp, i);
    }
    free(wish);
    return e;
}

// --- life

static err go_to_data(api *a, const char *dir)
{
    err e = file_make_dirs(dir);
    if (e == ERR_OK && chdir(dir) != 0) e = err_set(ERR_IO, "cannot use the folder %s: %s", dir, strerror(errno));
    if (e == ERR_OK && getcwd(a->data, sizeof a->data) == NULL) e = err_set(ERR_IO, "%s: the path is too long", dir);
    if (e == ERR_OK) e = file_make_dirs("runs");
    return e == ERR_OK ? file_make_dirs("benches") : e;
}

err api_open(api **out, const api_options *o)
{
    api *a = calloc(1, sizeof *a);
    if (a == NULL) return err_set(ERR_MEMORY, "no memory for a server");
    pthread_mutex_init(&a->lock, NULL);
    a->build = o->build;
    a->has_page = o->has_page;
    a->think = o->think > 0 ? o->think : 60;
    err e = o->nats != NULL ? fleet_new(&a->nats, o->nats) : ERR_OK; // before the folder changes
    if (e == ERR_OK) e = go_to_data(a, o->data);
    if (e == ERR_OK) e = saved_open(&a->store, "games.db", SAVED_MOST);
    if (e == ERR_OK) e = hub_new(&a->events);
    if (e == ERR_OK) e = live_new(&a->sessions, a->store, a->events);
    if (e == ERR_OK) e = workers_new(&a->searches, o->workers > 0 ? o->workers : cpu_count());
    if (e == ERR_OK) e = jobs_new(&a->children, o->program, o->jobs > 0 ? o->jobs : 2);
    if (e == ERR_OK && a->nats != NULL) e = fleet_start(a->nats, a->events);
    return HAND_OVER(e, out, a, api_close);
}

void api_end(api *a)
{
    atomic_store(&a->ending, true);
    fleet_end(a->nats);
    live_stop_all(a->sessions);
    hub_end(a->events);
}

void api_close(api *a)
{
    if (a == NULL) return;
    if (a->sessions != NULL && a->events != NULL) api_end(a);
    workers_free(a->searches);
    fleet_close(a->nats);
    jobs_free(a->children);
    live_free(a->sessions);
    hub_free(a->events);
    saved_close(a->store);
    pthread_mutex_destroy(&a->lock);
    free(a->models);
    free(a);
}

void api_tick(api *a, double now)
{
    jobs_poll(a->children);
    tail_tick(a, now);
    if (now - a->breathed > BREATHE_SECONDS) {
        a->breathed = now;
        hub_breathe(a->events);
    }
    if (now - a->rested > REST_SECONDS) {
        a->rested = now;
        live_rest(a->sessions, LIVE_IDLE_SECONDS);
        saved_tidy(a->store);
    }
}
