// See endgame.h.
#include "search/endgame.h"

#include "games/othello/othello.h"
#include "search/mcts/mcts.h"
#include "search/othello/oth_search.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)ENDGAME_MOVES >= (int)OTH_MAX_MOVES, "room for all moves");

// Solving 10 empties visits some ten thousand positions, 20 some millions.
enum { HASH = 14, HASH_DEEP = 20, DEEP = 16, MAX_ENGINES = 64 };

struct endgame {
    int empties;
    pthread_mutex_t lock;
    oth_engine *idle[MAX_ENGINES];
    int n;
};

static bool is_othello(const game *g)
{
    return strcmp(g->name, "othello") == 0;
}

bool endgame_has_margin(const game *g)
{
    return is_othello(g);
}

float endgame_margin(const game *g, const void *s, int seat)
{
    if (!endgame_has_margin(g)) return 0;
    const oth_state *o = s;
    int difference = oth_count(o->b.own) - oth_count(o->b.opp);
    return (float)((uint64_t)seat == o->side ? difference : -difference) / OTH_SQUARES;
}

err endgame_new(endgame **out, const game *g, int empties)
{
    *out = NULL;
    if (empties == 0 || !is_othello(g)) return ERR_OK;
    endgame *e = calloc(1, sizeof *e);
    if (e == NULL) return err_set(ERR_MEMORY, "no memory for the endgame solver");
    pthread_mutex_init(&e->lock, NULL);
    e->empties = empties;
    *out = e;
    return ERR_OK;
}

void endgame_free(endgame *e)
{
    if (e == NULL) return;
    for (int i = 0; i < e->n; i++) oth_engine_free(e->idle[i]);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

bool endgame_reached(const endgame *e, const void *s)
{
    return e != NULL && oth_count(oth_empty(((const oth_state *)s)->b)) <= e->empties;
}

static oth_engine *borrow(endgame *e)
{
    oth_engine *engine = NULL;
    pthread_mutex_lock(&e->lock);
    if (e->n > 0) engine = e->idle[--e->n];
    pthread_mutex_unlock(&e->lock);
    oth_engine_options o = {.hash = HASH};
    if (e->empties > DEEP) o = (oth_engine_options){.hash = HASH_DEEP, .weights = oth_weights_shipped()}; // for order
    if (engine == NULL && oth_engine_new(&engine, &o) != ERR_OK) return NULL;
    return engine;
}

static void give_back(endgame *e, oth_engine *engine)
{
    pthread_mutex_lock(&e->lock);
    bool keep = e->n < MAX_ENGINES;
    if (keep) e->idle[e->n++] = engine;
    pthread_mutex_unlock(&e->lock);
    if (!keep) oth_engine_free(engine);
}

// Exact scores are what they are, so the answer does not depend on what the engine was asked before.
int endgame_best(endgame *e, const void *s, bool all, move_t *moves, int *margin)
{
    const oth_state *o = s;
    oth_engine *engine = borrow(e);
    if (engine == NULL) return 0;
    oth_found found;
    oth_engine_search(engine, o->b, &(oth_limits){.exact = OTH_SQUARES, .best = all ? OTH_MAX_MOVES : 1}, &found);
    give_back(e, engine);
    int n = 0;
    for (int i = 0; i < found.n; i++)
        if (found.move[i].score == found.move[0].score) moves[n++] = (move_t)found.move[i].sq;
    if (margin != NULL) *margin = n > 0 ? found.move[0].score : 0;
    return n;
}

int endgame_prove(void *ctx, const void *s)
{
    endgame *e = ctx;
    if (!endgame_reached(e, s)) return MCTS_UNPROVEN;
    oth_engine *engine = borrow(e);
    if (engine == NULL) return MCTS_UNPROVEN; // no memory: the tree finds out by itself
    oth_found found;
    oth_engine_search(engine, ((const oth_state *)s)->b, &(oth_limits){.exact = OTH_SQUARES, .wld = true}, &found);
    give_back(e, engine);
    if (found.n == 0 || !found.solved) return MCTS_UNPROVEN;
    int score = found.move[0].score;
    return score > 0 ? MCTS_WIN : score < 0 ? MCTS_LOSS : MCTS_DRAW;
}
