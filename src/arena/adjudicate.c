// Othello endings by the solver, win-draw-loss only. See adjudicate.h.
#include "arena/adjudicate.h"

#include "search/othello/oth_search.h"

#include <stdlib.h>
#include <string.h>

struct adjudicator {
    int empties;
    oth_engine *engine;
};

err adjudicator_new(adjudicator **out, const game *g, int empties)
{
    if (strcmp(g->name, "othello") != 0)
        return err_set(ERR_USAGE, "only othello endings can be adjudicated: %s has no exact solver", g->name);
    if (empties < 1 || empties > ADJUDICATE_MOST)
        return err_set(ERR_USAGE, "endings are adjudicated from 1 to %d empty squares", ADJUDICATE_MOST);
    adjudicator *a = calloc(1, sizeof *a);
    if (a == NULL) return err_set(ERR_MEMORY, "no memory for the adjudicator");
    a->empties = empties;
    err e =
        oth_engine_new(&a->engine, &(oth_engine_options){.hash = 16, .threads = 1, .weights = oth_weights_shipped()});
    if (e != ERR_OK) {
        free(a);
        return e;
    }
    *out = a;
    return ERR_OK;
}

void adjudicator_free(adjudicator *a)
{
    if (a == NULL) return;
    oth_engine_free(a->engine);
    free(a);
}

bool adjudicate(adjudicator *a, const void *state, int *halves)
{
    const oth_state *s = state;
    if (oth_count(oth_empty(s->b)) > a->empties) return false;
    oth_found f;
    // The table may keep what it learned in other games: proven results do not depend on it.
    oth_engine_search(a->engine, s->b, &(oth_limits){.exact = a->empties, .best = 1, .wld = true}, &f);
    if (f.n == 0 || !f.solved) return false;
    int score = f.move[0].score, own = score > 0 ? 2 : score < 0 ? 0 : 1;
    *halves = s->side == OTH_BLACK ? own : 2 - own;
    return true;
}
