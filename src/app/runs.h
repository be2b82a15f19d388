// The training runs of a folder, for lists: `keiko status FOLDER`, and a server.
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

#endif
