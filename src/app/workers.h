// Who works on a NATS server just now: the use case behind `keiko workers` and the page's table of workers.
//
// Learners and workers say every other second how they are doing (dist/status.h). This listens for a while and keeps the
// last word of each; one that has been silent for some seconds is gone.
#ifndef KEIKO_APP_WORKERS_H
#define KEIKO_APP_WORKERS_H

#include "base/json.h"
#include "dist/bus.h"
#include "dist/status.h"

#include <stdatomic.h>

typedef struct workers_row {
    dist_status s; // its texts live as long as the row
    opt_values *keep;
    double heard; // clock_seconds
} workers_row;

typedef struct workers_view { // learners first, then workers, each by name; free with workers_view_free
    workers_row *row;
    int n, room;
} workers_view;

typedef struct workers_link workers_link;
err workers_open(workers_link **out, const bus_options *o, const bus_patience *p); // p as for bus_open
void workers_close(workers_link *l);                                               // NULL is fine
bool workers_connected(const workers_link *l);

// Listens for `seconds` (less after base/stop, and once *stop, which may be NULL, is set) and brings the view up to date.
err workers_listen(workers_link *l, workers_view *v, double seconds, const _Atomic bool *stop);
void workers_view_free(workers_view *v);
err workers_table(const workers_view *v, text_buf *out); // for people
void workers_json(const workers_view *v, json_writer *w);

err workers_remove_run(workers_link *l, const char *run); // everything the server has of it

#endif
