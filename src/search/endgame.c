// See endgame.h.
#include "search/endgame.h"

#include "search/engine_pool.h"
#include "search/mcts/mcts.h"

#include <stdlib.h>

extern const endgame_solver oth_endgame; // search/othello/oth_endgame.c

static const endgame_solver *const solvers[GAME_CORES] = {[CORE_OTHELLO] = &oth_endgame};

struct endgame {
    const endgame_solver *solver;
    engine_pool *engines;
    int empties;
};

bool endgame_exists(const game *g)
{
    return solvers[g->core] != NULL;
}

err endgame_new(endgame **out, const game *g, int empties)
{
    *out = NULL;
    if (empties == 0 || !endgame_exists(g)) return ERR_OK;
    const endgame_solver *solver = solvers[g->core];
    endgame *e = calloc(1, sizeof *e);
    if (e != NULL) e->engines = engine_pool_new((engine_maker){solver->engine_new, solver->engine_free}, empties);
    if (e == NULL || e->engines == NULL) {
        free(e);
        return err_set(ERR_MEMORY, "no memory for the endgame solver");
    }
    e->solver = solver;
    e->empties = empties;
    *out = e;
    return ERR_OK;
}

void endgame_free(endgame *e)
{
    if (e == NULL) return;
    engine_pool_free(e->engines);
    free(e);
}

bool endgame_reached(const endgame *e, const void *s)
{
    return e != NULL && e->solver->empties(s) <= e->empties;
}

// Exact scores are what they are, so the answer does not depend on what the engine was asked before.
int endgame_best(endgame *e, const void *s, bool all, move_t *moves, int *margin)
{
    int best = 0;
    void *engine = engine_borrow(e->engines);
    if (engine == NULL) return 0;
    int n = e->solver->best(engine, s, all, moves, &best);
    engine_return(e->engines, engine);
    if (margin != NULL) *margin = best;
    return n;
}

int endgame_prove(void *ctx, const void *s)
{
    endgame *e = ctx;
    if (!endgame_reached(e, s)) return MCTS_UNPROVEN;
    void *engine = engine_borrow(e->engines);
    if (engine == NULL) return MCTS_UNPROVEN; // no memory: the tree finds out by itself
    int proof = e->solver->prove(engine, s);
    engine_return(e->engines, engine);
    return proof;
}
