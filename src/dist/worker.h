// A worker: self-play and match games for learners and benches elsewhere.
//
// It needs only the server: which game, which network and which options come from the run's entry (entry.h). Between two
// rounds of self-play it looks for new weights and for jobs. Several runs are served in proportion to their shares.
#ifndef KEIKO_DIST_WORKER_H
#define KEIKO_DIST_WORKER_H

#include "dist/bus.h"
#include "dist/status.h"

typedef struct dist_worker_options {
    bus_options nats;
    const char *name;                              // NULL or "": host and process
    const char *runs;                              // "a:2,b:1"; NULL or "": every run of the server
    const char *backend;                           // auto, cpu, cuda
    int64_t threads;                               // 0 = one per core
    int64_t in_flight;                             // games at the same time; 0 = as the run says
    int64_t games;                                 // stop after this many; 0 = never
    bool jobs;                                     // take match jobs, too
    const char *ledger;                            // see sender.h; NULL: none
    const char *version;                           // of this program
    void (*each)(void *ctx, const dist_status *s); // about every other second, from another thread; may be NULL
    void *ctx;
} dist_worker_options;
extern const opt dist_worker_opts[]; // all rows that `keiko worker` takes
extern const int dist_worker_n_opts;

typedef struct dist_worker_end {
    uint64_t games, positions, sims, jobs; // games: confirmed by the server
    size_t left;                           // finished games that could not be sent
} dist_worker_end;

// Until base/stop asks for an end, or a limit is reached. `end` is written in any case; may be NULL.
err dist_worker_run(const dist_worker_options *o, dist_worker_end *end);

#endif
