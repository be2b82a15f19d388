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

#define FIELD(f) offsetof(params, f)
static const opt opts[] = {
    TREE_OPTS,
    {.name = "eval",
     .kind = OPT_CHOICE,
     .at = FIELD(eval),
     .value = "HOW",
     .preset = "rollout",
     .choices = "rollout|none",
     .help = "how a leaf is evaluated: random games, or nothing"},
    {.name = "rollouts",
     .kind = OPT_INT,
     .at = FIELD(rollouts),
     .value = "N",
     .preset = "1",
     .low = 1,
     .high = 10000,
     .help = "random games a leaf"},
    {.name = "plies",
     .kind = OPT_INT,
     .at = FIELD(plies),
     .value = "N",
     .preset = "300",
     .low = 1,
     .high = 100000,
     .help = "a random game longer than this is a draw"},
};

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
    .name = "mcts",
    .summary = "Monte-Carlo tree search without a network",
    .games = "",
    .opts = opts,
    .n_opts = (int)(sizeof opts / sizeof *opts),
    .params_size = sizeof(params),
    .mind_size = sizeof(mind),
    .open = open,
    .close = tree_close,
    .begin = begin,
    .choose = tree_choose,
    .analyse = tree_analyse,
    .saw = tree_saw,
};
