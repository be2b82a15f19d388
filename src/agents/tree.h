// What the agents that search with a tree share (`mcts`, `zero`): parameters, the search of one move, analysis, and how
// the tree follows the game. They differ in how a leaf is evaluated.
//
// An agent's parameter struct begins with tree_params, and its table takes in tree_opts; its mind begins with tree_mind.
#ifndef KEIKO_AGENTS_TREE_H
#define KEIKO_AGENTS_TREE_H

#include "agents/agent.h"
#include "search/mcts/mcts_config.h"

typedef struct tree_params {
    mcts_config search;
    double seconds, points;
    const char *transpositions, *early_stop;
    int64_t memory;
} tree_params;

typedef struct tree_mind {
    mcts *tree;
    mcts_evaluator evaluator; // set by the agent's own open
    mcts_batch batch;
    char *root; // what the seat to move sees at the tree's root; games that hide something have no use for it
    bool rooted;
    bool early_stop; // a choice ends when the simulations left cannot change it
    int ply;         // moves seen in this game
} tree_mind;

extern const opt tree_opts[]; // over tree_params
extern const int tree_n_opts;

// The tree's options as the parameters say.
mcts_options tree_options(const agent *a);
err tree_open(agent *a, const mcts_options *o);
void tree_close(agent *a);
// A new game; its chance is keyed by this, which tree_seed gives.
uint64_t tree_seed(const agent *a);
void tree_begin(agent *a);
err tree_choose(agent *a, const void *obs, agent_choice *out);
// The same where `spent` seconds of this move are gone.
err tree_choose_after(agent *a, const void *obs, double spent, agent_choice *out);
err tree_analyse(agent *a, const void *obs, int want, agent_choice *out, int *n);
void tree_saw(agent *a, const void *obs_before, move_t move);

#endif
