// A store without a file: for runs that keep none, and for results read from JSON.
#include "arena/store.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct kept {
    match_record r; // moves and detail point into `bytes`
    char *bytes;
} kept;

typedef struct memory_run {
    tour_setup setup;
    tour_state state;
    kept *game;
    size_t n, room;
    bool sorted;
} memory_run;

typedef struct memory_store {
    store base;
    memory_run **run; // one by one on the heap: they grow
    int n;
} memory_store;

static void close_memory(store *s)
{
    memory_store *m = (memory_store *)s;
    for (int i = 0; i < m->n; i++) {
        for (size_t k = 0; k < m->run[i]->n; k++) free(m->run[i]->game[k].bytes);
        free(m->run[i]->game);
        tour_setup_free(&m->run[i]->setup);
        free(m->run[i]);
    }
    free(m->run);
    free(m);
}

static int runs(store *s)
{
    return ((memory_store *)s)->n;
}

static err begin(store *s, const tour_setup *r, double now, int *run)
{
    memory_store *m = (memory_store *)s;
    memory_run **grown = realloc(m->run, (size_t)(m->n + 1) * sizeof *grown);
    if (grown == NULL) return err_set(ERR_MEMORY, "no memory for a run");
    m->run = grown;
    memory_run *fresh = calloc(1, sizeof *fresh);
    err e = fresh == NULL ? err_set(ERR_MEMORY, "no memory for a run") : tour_setup_copy(&fresh->setup, r);
    if (e != ERR_OK) {
        free(fresh);
        return e;
    }
    m->run[m->n++] = fresh;
    fresh->state = (tour_state){.run = m->n, .started = now};
    *run = m->n;
    return ERR_OK;
}

static err load(store *s, int run, tour_setup *setup, tour_state *state)
{
    memory_run *r = ((memory_store *)s)->run[run - 1];
    *state = r->state;
    state->played = r->n;
    return tour_setup_copy(setup, &r->setup);
}

static err add(store *s, int run, const match_record *r, int n)
{
    memory_run *to = ((memory_store *)s)->run[run - 1];
    for (int i = 0; i < n; i++) {
        if (!GROW(to->game, to->n, to->room)) return err_set(ERR_MEMORY, "no memory for the games");
        size_t moves = r[i].plies * sizeof *r[i].moves, detail = strlen(r[i].detail) + 1;
        kept *k = &to->game[to->n];
        k->r = r[i];
        k->bytes = malloc(moves + detail);
        if (k->bytes == NULL) return err_set(ERR_MEMORY, "no memory for a game");
        if (r[i].moves == NULL)
            k->r.moves = NULL; // read from results without the moves
        else
            k->r.moves = memcpy(k->bytes, r[i].moves, moves);
        k->r.detail = memcpy(k->bytes + moves, r[i].detail, detail);
        to->n++;
    }
    to->sorted = false;
    return ERR_OK;
}

static err finish(store *s, int run, uint64_t stop, double now)
{
    memory_run *r = ((memory_store *)s)->run[run - 1];
    r->state.stop = stop;
    r->state.ended = now;
    return ERR_OK;
}

static err rating(store *s, int run, const tour_rating *how)
{
    ((memory_store *)s)->run[run - 1]->setup.rating = *how;
    return ERR_OK;
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const kept *)a)->r.what.id, y = ((const kept *)b)->r.what.id;
    return (x > y) - (x < y);
}

static err games(store *s, int run, store_visit *fn, void *ctx)
{
    memory_run *r = ((memory_store *)s)->run[run - 1];
    if (!r->sorted && r->n > 0) qsort(r->game, r->n, sizeof *r->game, by_id);
    r->sorted = true;
    for (size_t i = 0; i < r->n; i++) {
        err e = fn(ctx, &r->game[i].r);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

static const store_kind kind = {close_memory, runs, begin, load, add, finish, rating, games};

err store_open_memory(store **out)
{
    memory_store *m = calloc(1, sizeof *m);
    if (m == NULL) return err_set(ERR_MEMORY, "no memory for the results");
    m->base.kind = &kind;
    *out = &m->base;
    return ERR_OK;
}
