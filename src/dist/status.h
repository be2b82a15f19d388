// How a worker or a learner is doing: a plain message every other second, for whoever watches (`keiko workers`).
//
// Lines `key = value`. Nothing depends on these messages; a lost one is followed by the next.
#ifndef KEIKO_DIST_STATUS_H
#define KEIKO_DIST_STATUS_H

#include "base/opt_rows.h"
#include "base/text.h"

#define DIST_STATUS_EVERY 2.0 // seconds

typedef struct dist_status {
    const char *kind;                                     // "worker" or "learner"
    const char *name, *host, *version, *run, *backend;    // name of the worker; of a learner: its run's
    const char *state;                                    // "plays", "waits: …", "learns", "match", …
    int64_t process, threads, generation, games, step;    // games since it started; of a learner: counted in the run
    double games_s, positions_s, sims_s;                  // over the last seconds
    int64_t lag;                                          // worker: games that wait to be sent; learner: in the stream
    int64_t stale, repeated, refused, positions, workers; // learner
    double uptime;                                        // seconds
} dist_status;

extern const opt dist_status_opts[]; // over dist_status
extern const int dist_status_n_opts;

err dist_status_write(const dist_status *s, text_buf *out);
err dist_status_read(dist_status *s, const char *text, size_t size, opt_values *keep); // texts live as long as `keep`

enum { DIST_HOST = 64 };
const char *dist_host(char buf[DIST_HOST]); // this machine's name

#endif
