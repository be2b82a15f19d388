// Inside a store: the table behind the functions of run.h. Only store*.c include this.
#ifndef KEIKO_ARENA_STORE_H
#define KEIKO_ARENA_STORE_H

#include "arena/run.h"

typedef struct store_kind {
    void (*close)(store *s);
    int (*runs)(store *s);
    err (*begin)(store *s, const run_setup *r, double now, int *run);
    err (*load)(store *s, int run, run_setup *setup, run_state *state);
    err (*add)(store *s, int run, const match_record *r, int n);
    err (*finish)(store *s, int run, uint64_t stop, double now);
    err (*games)(store *s, int run, store_visit *fn, void *ctx);
} store_kind;

struct store { // the first member of each kind's own struct
    const store_kind *kind;
    char path[4096];
};

err run_setup_copy(run_setup *out, const run_setup *s);

#endif
