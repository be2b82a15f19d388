// The agent `mcts`: Monte-Carlo tree search without a network, for every game.
//
// Leaves are evaluated by random games played to their end (eval=rollout) or not at all (eval=none: only what the solver
// proves counts). The tree is kept between moves: whatever move was played, what is known below it stays. Its choices
// depend on the parameters, the game's key and the moves seen; with a time limit or a clock also on time.
#include "agents/tree.h"
#include "search/mcts/mcts_rollout.h"

#include <string.h>

typedef struct params {
    tree_params tree;
    int64_t rollouts, plies;
    const char *eval;
} params;

typedef struct mind {
    tree_mind tree;
    mcts_rollout rollout;
} mind;

#define AT(field) offsetof(params, field)
// clang-format off
static const opt opts[] = {
    ROW_TABLE(AT(tree), tree_opts, tree_n_opts, NULL),
    ROW_CHOICE("eval", AT(eval), "HOW", "rollout", "rollout|none", "Leaf evaluation: random playouts, or none"),
    ROW_INT("rollouts", AT(rollouts), "N", "1", 1, 10000, "Playouts per leaf"),
    ROW_INT("plies", AT(plies), "N", "300", 1, 100000, "Maximum length of a playout; longer ones count as a draw"),
};
// clang-format on

static void evaluate_nothing(void *ctx, const mcts_batch *b)
{
    (void)ctx;
    (void)b; // zeros on entry: even priors, value 0
}

static err open(agent *a)
{
    const params *p = a->params;
    mind *m = a->mind;
    m->rollout = (mcts_rollout){
        .g = a->g, .games = (int)p->rollouts, .max_plies = (int)p->plies, .points = (float)p->tree.points};
    m->tree.evaluator =
        strcmp(p->eval, "none") == 0 ? (mcts_evaluator){evaluate_nothing, NULL} : mcts_rollout_evaluator(&m->rollout);
    mcts_options o = tree_options(a);
    return tree_open(a, &o);
}

static void begin(agent *a)
{
    mind *m = a->mind;
    m->rollout.seed = rng_mix(tree_seed(a) ^ rng_mix(a->key.game));
    tree_begin(a);
}

const agent_type agent_mcts = {
    NAMED("mcts", "", "Monte-Carlo tree search without a network"),
    WITH_MIND(opts, params, mind, open, begin, tree_close),
    .choose = tree_choose,
    .analyse = tree_analyse,
    .saw = tree_saw,
};
