// The API: a table of routes, and what each does. No HTTP in here; http.c brings requests and takes answers away.
#ifndef KEIKO_SERVE_API_H
#define KEIKO_SERVE_API_H

#include "serve/fleet.h"
#include "serve/jobs.h"
#include "serve/live.h"
#include "serve/request.h"
#include "serve/workers.h"

// What the API works on.
typedef struct api {
    saved *store;
    hub *events;
    workers *searches;
    live_table *sessions;
    jobs *children;
    fleet *nats;          // NULL: not asked for
    char data[FILE_PATH]; // the data folder, for people
    const char *build;
    bool has_page;
    double think; // seconds that one search may take
    _Atomic bool ending;
    pthread_mutex_t lock;    // of what follows
    char *models;            // the list, once somebody asked for it
    double breathed, rested; // when the last comments were sent and sessions put away
} api;

typedef struct api_options {
    const char *data; // made when missing; becomes the current folder
    const char *program, *build;
    int workers, jobs;
    double think;
    bool has_page;
    const bus_options *nats; // whose workers are shown; NULL = none
} api_options;

err api_open(api **out, const api_options *o); // caller frees with api_close
void api_end(api *a);                          // searches and streams shall end; new ones are refused. Returns at once
void api_close(api *a);                        // waits for searches, stops its processes
void api_tick(api *a, double now);             // a few times per second: news of runs and benches, housekeeping

// Fills *r. Where r->later is set, the caller starts that job; where r->events is, it closes that stream.
void api_answer(api *a, request *q, reply *r);

typedef struct route {
    const char *method, *pattern; // "/sessions/{id}/play"
    void (*answer)(api *a, const request *q, reply *r);
    const char
        *keys; // members that the body may have, separated by blanks; NULL: there is no body, or session_call checks it
} route;
extern const route api_routes[];
extern const int api_n_routes;
// The row for a request; NULL: none. `allow` gets the methods that the path has. Fills part and verb of *q.
const route *api_find(request *q, char allow[64]);

// --- the routes, by file

// api_lists.c
void api_machine(api *a, const request *q, reply *r);
void api_games(api *a, const request *q, reply *r);
void api_agents(api *a, const request *q, reply *r);
void api_levels(api *a, const request *q, reply *r);
void api_models(api *a, const request *q, reply *r);
void api_options_list(api *a, const request *q, reply *r);
void api_advise(api *a, const request *q, reply *r);
void api_workers(api *a, const request *q, reply *r);
void api_workers_events(api *a, const request *q, reply *r);
// api_sessions.c
void api_sessions(api *a, const request *q, reply *r);
void api_session_new(api *a, const request *q, reply *r);
void api_session_get(api *a, const request *q, reply *r);
void api_session_delete(api *a, const request *q, reply *r);
void api_session_call(api *a, const request *q, reply *r);
void api_session_stop(api *a, const request *q, reply *r);
void api_session_events(api *a, const request *q, reply *r);
// api_runs.c
void api_runs(api *a, const request *q, reply *r);
void api_run_start(api *a, const request *q, reply *r);
void api_run(api *a, const request *q, reply *r);
void api_run_log(api *a, const request *q, reply *r);
void api_run_games(api *a, const request *q, reply *r);
void api_run_events(api *a, const request *q, reply *r);
void api_run_stop(api *a, const request *q, reply *r);
void api_run_resume(api *a, const request *q, reply *r);
// api_benches.c
void api_benches(api *a, const request *q, reply *r);
void api_bench_start(api *a, const request *q, reply *r);
void api_bench(api *a, const request *q, reply *r);
void api_bench_games(api *a, const request *q, reply *r);
void api_bench_game(api *a, const request *q, reply *r);
void api_bench_events(api *a, const request *q, reply *r);
void api_bench_stop(api *a, const request *q, reply *r);
void api_bench_resume(api *a, const request *q, reply *r);
extern const opt bench_start_rows[]; // what POST benches accepts
extern const int bench_start_n_rows;

// --- what they share

typedef struct api_page {
    int64_t from, limit;
} api_page;
err api_page_read(const request *q, int64_t most, int64_t usual, api_page *out);
// The folder of the run or bench that the path names; ERR_MISSING where there is none.
err api_folder(char path[NAMES_PATH], const char *kind, const char *name);
// A name for a new one: the body's, or made of the game and the time. ERR_USAGE; *taken where the name is in use.
err api_new_name(api *a, char name[NAMES_MOST + 1], const request *q, const char *kind, const char *what, bool *taken);
// One run and one bench as the API shows them; members of an object that is open.
err api_run_members(api *a, const char *name, json_writer *w);
err api_bench_members(api *a, const char *name, json_writer *w);

void tail_tick(api *a, double now); // tail.c

#endif
