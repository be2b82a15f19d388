// Othello's exact endgames, as search/endgame.h wants them.
#include "search/endgame.h"
#include "search/mcts/mcts.h"
#include "search/othello/oth_search.h"

_Static_assert((int)ENDGAME_MOVES >= (int)OTH_MAX_MOVES, "room for all moves");

// A table that stays in the cache: win or loss at 16 to 20 empties takes 60,000 to 700,000 positions, and 16 MB instead of 1
// save none of the time. From DEEP empties on the evaluation orders moves: a third less time at 16, nothing at 13.
enum { HASH = 16, DEEP = 14 };

static err engine_new(void **out, int empties)
{
    oth_engine *engine = NULL;
    oth_engine_options o = {.hash = HASH};
    if (empties >= DEEP) o.weights = oth_weights_shipped();
    err e = oth_engine_new(&engine, &o);
    *out = engine;
    return e;
}

static void engine_free(void *engine)
{
    oth_engine_free(engine);
}

static int empties(const void *s)
{
    return oth_count(oth_empty(((const oth_state *)s)->b));
}

static int best(void *engine, const void *s, bool all, move_t *moves, int *margin)
{
    const oth_state *o = s;
    oth_found found;
    oth_engine_search(engine, o->b, &(oth_limits){.exact = OTH_SQUARES, .ties = all}, &found);
    int n = 0;
    for (int i = 0; i < found.n; i++)
        if (found.move[i].score == found.move[0].score) moves[n++] = (move_t)found.move[i].sq;
    *margin = n > 0 ? found.move[0].score : 0;
    return n;
}

static int prove(void *engine, const void *s)
{
    const oth_state *o = s;
    oth_found found;
    oth_engine_search(engine, o->b, &(oth_limits){.exact = OTH_SQUARES, .wld = true}, &found);
    if (found.n == 0 || !found.solved) return MCTS_UNPROVEN;
    int score = found.move[0].score;
    return score > 0 ? MCTS_WIN : score < 0 ? MCTS_LOSS : MCTS_DRAW;
}

const endgame_solver oth_endgame = {engine_new, engine_free, empties, best, prove};
