// The training runs of a folder, and what one of them holds: for `keiko status FOLDER`, and for the server.
#ifndef KEIKO_APP_RUNS_H
#define KEIKO_APP_RUNS_H

#include "run/run_status.h"

typedef struct runs_entry {
    char name[256]; // of its folder
    run_state s;
} runs_entry;

// Those directly below `dir`, by name; none is fine. Caller frees *out.
err runs_list(const char *dir, runs_entry **out, int *n);
void runs_json(const runs_entry *r, int n, json_writer *w); // an array of {name, state}

void runs_row_json(const run_record *r, json_writer *w); // a row of the log: one flat object
err runs_options_json(const char *dir, json_writer *w);  // config.txt as an object of texts
// Its networks as an array, the newest first; `agent` plays one of them from here. Ages are seconds before `now` (unix time).
err runs_networks_json(const char *dir, double now, json_writer *w);
err runs_games_json(const char *dir, int64_t from, int64_t limit,
                    json_writer *w); // rating games as a page, newest first

#endif
