// See endgame.h. Engines are lent to the thread that asks and kept for the next one.
#include "search/endgame.h"

#include "search/mcts/mcts.h"

#include <pthread.h>
#include <stdlib.h>

extern const endgame_solver oth_endgame; // search/othello/oth_endgame.c

static const endgame_solver *const solvers[GAME_CORES] = {[CORE_OTHELLO] = &oth_endgame};

enum { MAX_ENGINES = 64 };

struct endgame {
    const endgame_solver *solver;
    int empties;
    pthread_mutex_t lock;
    void *idle[MAX_ENGINES];
    int n;
};

bool endgame_exists(const game *g)
{
    return solvers[g->core] != NULL;
}

err endgame_new(endgame **out, const game *g, int empties)
{
    *out = NULL;
    if (empties == 0 || !endgame_exists(g)) return ERR_OK;
    endgame *e = calloc(1, sizeof *e);
    if (e == NULL) return err_set(ERR_MEMORY, "no memory for the endgame solver");
    pthread_mutex_init(&e->lock, NULL);
    e->solver = solvers[g->core];
    e->empties = empties;
    *out = e;
    return ERR_OK;
}

void endgame_free(endgame *e)
{
    if (e == NULL) return;
    for (int i = 0; i < e->n; i++) e->solver->engine_free(e->idle[i]);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

bool endgame_reached(const endgame *e, const void *s)
{
    return e != NULL && e->solver->empties(s) <= e->empties;
}

static void *borrow(endgame *e)
{
    void *engine = NULL;
    pthread_mutex_lock(&e->lock);
    if (e->n > 0) engine = e->idle[--e->n];
    pthread_mutex_unlock(&e->lock);
    if (engine == NULL && e->solver->engine_new(&engine, e->empties) != ERR_OK) return NULL;
    return engine;
}

static void give_back(endgame *e, void *engine)
{
    pthread_mutex_lock(&e->lock);
    bool keep = e->n < MAX_ENGINES;
    if (keep) e->idle[e->n++] = engine;
    pthread_mutex_unlock(&e->lock);
    if (!keep) e->solver->engine_free(engine);
}

// Exact scores are what they are, so the answer does not depend on what the engine was asked before.
int endgame_best(endgame *e, const void *s, bool all, move_t *moves, int *margin)
{
    int best = 0;
    void *engine = borrow(e);
    if (engine == NULL) return 0;
    int n = e->solver->best(engine, s, all, moves, &best);
    give_back(e, engine);
    if (margin != NULL) *margin = best;
    return n;
}

int endgame_prove(void *ctx, const void *s)
{
    endgame *e = ctx;
    if (!endgame_reached(e, s)) return MCTS_UNPROVEN;
    void *engine = borrow(e);
    if (engine == NULL) return MCTS_UNPROVEN; // no memory: the tree finds out by itself
    int proof = e->solver->prove(engine, s);
    give_back(e, engine);
    return proof;
}
