// See threats.h.
#include "search/threats.h"

#include "search/engine_pool.h"
#include "search/mcts/mcts.h"
#include "search/renju/renju_vcf.h"

#include <stdlib.h>

enum { HASH = 8 }; // a few hundred nodes need little memory, and it is cleared for each position

struct threats {
    engine_pool *engines;
    int nodes;
};

typedef struct engine {
    rj_board board;
    rj_vcf *fours;
} engine;

static err make(void **out, int setting)
{
    (void)setting;
    engine *e = malloc(sizeof *e);
    if (e == NULL) return ERR_MEMORY;
    err r = rj_vcf_new(&e->fours, HASH);
    return HAND_OVER(r, out, e, free);
}

static void unmake(void *of)
{
    engine *e = of;
    rj_vcf_free(e->fours);
    free(e);
}

err threats_new(threats **out, const game *g, int nodes)
{
    *out = NULL;
    if (nodes == 0 || g->core != CORE_STONES) return ERR_OK;
    threats *t = calloc(1, sizeof *t);
    if (t != NULL) t->engines = engine_pool_new((engine_maker){make, unmake}, 0);
    if (t == NULL || t->engines == NULL) {
        free(t);
        return err_set(ERR_MEMORY, "no memory for the search for threats");
    }
    t->nodes = nodes;
    *out = t;
    return ERR_OK;
}

void threats_free(threats *t)
{
    if (t == NULL) return;
    engine_pool_free(t->engines);
    free(t);
}

move_t threats_win(threats *t, const void *s)
{
    engine *e = t != NULL ? engine_borrow(t->engines) : NULL;
    if (e == NULL) return MOVE_NONE; // no memory: the tree finds out by itself
    rj_line line;
    rj_board_load(&e->board, s);
    rj_vcf_forget(e->fours); // what it refuted with other nodes left would make the answer depend on the past
    rj_vcf_limits limits = {.nodes = (uint64_t)t->nodes, .any = true};
    rj_vcf_verdict v = rj_vcf_solve(e->fours, &e->board, &limits, &line);
    engine_return(t->engines, e);
    return v == RJ_VCF_WIN && line.n > 0 ? (move_t)line.move[0] : MOVE_NONE;
}

int threats_prove(void *t, const void *s)
{
    return threats_win(t, s) != MOVE_NONE ? MCTS_WIN : MCTS_UNPROVEN;
}
