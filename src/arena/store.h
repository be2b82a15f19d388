// Inside a store: the table behind the functions of tour.h. Only store*.c include this.
#ifndef KEIKO_ARENA_STORE_H
#define KEIKO_ARENA_STORE_H

#include "arena/tour.h"

typedef struct store_kind {
    void (*close)(store *s);
    int (*runs)(store *s);
    err (*begin)(store *s, const tour_setup *r, double now, int *run);
    err (*load)(store *s, int run, tour_setup *setup, tour_state *state);
    err (*add)(store *s, int run, const match_record *r, int n);
    err (*finish)(store *s, int run, uint64_t stop, double now);
    err (*rating)(store *s, int run, const tour_rating *how);
    err (*games)(store *s, int run, store_visit *fn, void *ctx);
} store_kind;

struct store { // the first member of each kind's own struct
    const store_kind *kind;
    char path[4096];
};

err tour_setup_copy(tour_setup *out, const tour_setup *s);

#endif
