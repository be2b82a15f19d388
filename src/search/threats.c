// See threats.h.
#include "search/threats.h"

#include "search/engine_pool.h"
#include "search/mcts/mcts.h"
#include "search/renju/renju_vct.h"

#include <stdlib.h>

// A few hundred nodes need little memory, and it is cleared for each position. 2^16 entries are 2.5 MB.
enum { HASH = 8, HASH_MOST = 16 };

struct threats {
    engine_pool *engines;
    uint64_t fours, threes;
};

typedef struct engine {
    rj_board board;
    rj_vcf *fours;
    rj_vct *threes; // NULL: none
} engine;

static void unmake(void *of)
{
    engine *e = of;
    rj_vcf_free(e->fours);
    rj_vct_free(e->threes);
    free(e);
}

static err make(void **out, int hash) // of the table for threes; 0 = none
{
    engine *e = calloc(1, sizeof *e);
    if (e == NULL) return ERR_MEMORY;
    err r = rj_vcf_new(&e->fours, HASH);
    if (r == ERR_OK && hash > 0) r = rj_vct_new(&e->threes, hash);
    return HAND_OVER(r, out, e, unmake);
}

err threats_new(threats **out, const game *g, int64_t fours, int64_t threes)
{
    *out = NULL;
    if ((fours == 0 && threes == 0) || g->core != CORE_STONES) return ERR_OK;
    int hash = threes > 0 ? HASH : 0;
    while (hash > 0 && hash < HASH_MOST && (int64_t)1 << hash < threes) hash++;
    threats *t = calloc(1, sizeof *t);
    if (t != NULL) t->engines = engine_pool_new((engine_maker){make, unmake}, hash);
    if (t == NULL || t->engines == NULL) {
        free(t);
        return err_set(ERR_MEMORY, "no memory for the search for threats");
    }
    t->fours = (uint64_t)fours;
    t->threes = (uint64_t)threes;
    *out = t;
    return ERR_OK;
}

void threats_free(threats *t)
{
    if (t == NULL) return;
    engine_pool_free(t->engines);
    free(t);
}

// What was refuted with other nodes left would make an answer depend on the past, so tables are cleared before each question.
static rj_vcf_verdict ask(const threats *t, engine *e, rj_line *line)
{
    rj_vcf_verdict v = RJ_VCF_NONE;
    rj_vcf_limits limits = {.nodes = t->fours, .any = true};
    if (t->fours > 0) {
        rj_vcf_forget(e->fours);
        v = rj_vcf_solve(e->fours, &e->board, &limits, line);
    }
    // Who must answer a four has no time for threes.
    if (v == RJ_VCF_WIN || t->threes == 0 || e->board.count[e->board.side ^ 1][RJ_FIVE] > 0) return v;
    rj_vct_forget(e->threes);
    return rj_vct_solve(e->threes, &e->board, t->threes, 0, line);
}

move_t threats_win(threats *t, const void *s)
{
    engine *e = t != NULL ? engine_borrow(t->engines) : NULL;
    if (e == NULL) return MOVE_NONE; // no memory: the tree finds out by itself
    rj_line line = {0};
    rj_board_load(&e->board, s);
    rj_vcf_verdict v = ask(t, e, &line);
    engine_return(t->engines, e);
    return v == RJ_VCF_WIN && line.n > 0 ? (move_t)line.move[0] : MOVE_NONE;
}

int threats_prove(void *t, const void *s)
{
    return threats_win(t, s) != MOVE_NONE ? MCTS_WIN : MCTS_UNPROVEN;
}
