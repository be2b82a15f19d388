// What the agents that search with a tree share (`mcts`, `zero`): parameters, the search of one move, analysis, and how
// the tree follows the game. They differ in how a leaf is evaluated.
//
// An agent's parameter struct begins with tree_params and its table with TREE_OPTS; its mind begins with tree_mind.
#ifndef KEIKO_AGENTS_TREE_H
#define KEIKO_AGENTS_TREE_H

#include "agents/agent.h"
#include "search/mcts/mcts.h"

typedef struct tree_params {
    int64_t sims, leaves, temperature_plies, gumbel, memory;
    double seconds, c, fpu, temperature, temperature_end, gumbel_scale, noise, alpha, points;
    const char *shared;
    bool reuse, solver;
} tree_params;

typedef struct tree_mind {
    mcts *tree;
    mcts_evaluator evaluator; // set by the agent's own open
    mcts_batch batch;
    char *root; // what the seat to move sees at the tree's root; games that hide something have no use for it
    bool rooted;
    int ply; // moves seen in this game
} tree_mind;

#define TREE_FIELD(f) offsetof(tree_params, f)
#define TREE_OPTS                                                                                                      \
    {.name = "sims",                                                                                                   \
     .kind = OPT_INT,                                                                                                  \
     .at = TREE_FIELD(sims),                                                                                           \
     .value = "N",                                                                                                     \
     .preset = "400",                                                                                                  \
     .low = 1,                                                                                                         \
     .high = 1e9,                                                                                                      \
     .help = "simulations a move"},                                                                                    \
        {.name = "seconds",                                                                                            \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(seconds),                                                                                    \
         .value = "S",                                                                                                 \
         .low = 0,                                                                                                     \
         .high = 1e6,                                                                                                  \
         .help = "at most so long a move, 0 = no limit; not reproducible"},                                            \
        {.name = "points",                                                                                             \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(points),                                                                                     \
         .value = "X",                                                                                                 \
         .preset = "100000",                                                                                           \
         .low = 1,                                                                                                     \
         .high = 1e9,                                                                                                  \
         .help = "one-player games: the points that count as a win"},                                                  \
        {.name = "c",                                                                                                  \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(c),                                                                                          \
         .value = "X",                                                                                                 \
         .preset = "0",                                                                                                \
         .low = 0,                                                                                                     \
         .high = 1000,                                                                                                 \
         .help = "how much is explored (c of PUCT); 0 = 1.5, and 0.7 for zero where it leans"},                        \
        {.name = "fpu",                                                                                                \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(fpu),                                                                                        \
         .value = "X",                                                                                                 \
         .preset = "-1",                                                                                               \
         .low = -1,                                                                                                    \
         .high = 1,                                                                                                    \
         .help = "a move not yet tried is worth the position's value less X·√(prior mass tried); "                  \
                 "-1 = worth a draw, and as 0.1 for zero where it leans"},                                             \
        {.name = "leaves",                                                                                             \
         .kind = OPT_INT,                                                                                              \
         .at = TREE_FIELD(leaves),                                                                                     \
         .value = "N",                                                                                                 \
         .preset = "1",                                                                                                \
         .low = 1,                                                                                                     \
         .high = MCTS_MAX_LEAVES,                                                                                      \
         .help = "leaves in flight"},                                                                                  \
        {.name = "temperature",                                                                                        \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(temperature),                                                                                \
         .value = "X",                                                                                                 \
         .preset = "0",                                                                                                \
         .low = 0,                                                                                                     \
         .high = 100,                                                                                                  \
         .help = "0 = the most visited move, else by visits^(1/X)"},                                                   \
        {.name = "temperature-plies",                                                                                  \
         .kind = OPT_INT,                                                                                              \
         .at = TREE_FIELD(temperature_plies),                                                                          \
         .value = "N",                                                                                                 \
         .preset = "0",                                                                                                \
         .low = 0,                                                                                                     \
         .high = 10000,                                                                                                \
         .help = "from this ply on temperature-end, 0 = never"},                                                       \
        {.name = "temperature-end",                                                                                    \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(temperature_end),                                                                            \
         .value = "X",                                                                                                 \
         .preset = "0",                                                                                                \
         .low = 0,                                                                                                     \
         .high = 100,                                                                                                  \
         .help = "temperature from that ply on; 0 = the most visited move"},                                           \
        {.name = "noise",                                                                                              \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(noise),                                                                                      \
         .value = "X",                                                                                                 \
         .preset = "0",                                                                                                \
         .low = 0,                                                                                                     \
         .high = 1,                                                                                                    \
         .help = "share of Dirichlet noise at the root"},                                                              \
        {.name = "alpha",                                                                                              \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(alpha),                                                                                      \
         .value = "X",                                                                                                 \
         .preset = "0.3",                                                                                              \
         .low = 0.001,                                                                                                 \
         .high = 100,                                                                                                  \
         .help = "shape of that noise"},                                                                               \
        {.name = "gumbel",                                                                                             \
         .kind = OPT_INT,                                                                                              \
         .at = TREE_FIELD(gumbel),                                                                                     \
         .value = "N",                                                                                                 \
         .preset = "0",                                                                                                \
         .low = 0,                                                                                                     \
         .high = 4096,                                                                                                 \
         .help = "moves for Gumbel's sequential halving at the root, 0 = PUCT there, too"},                            \
        {.name = "gumbel-scale",                                                                                       \
         .kind = OPT_NUMBER,                                                                                           \
         .at = TREE_FIELD(gumbel_scale),                                                                               \
         .value = "X",                                                                                                 \
         .preset = "1",                                                                                                \
         .low = 0.001,                                                                                                 \
         .high = 100,                                                                                                  \
         .help = "how much values weigh against the prior there"},                                                     \
        {.name = "transpositions",                                                                                     \
         .kind = OPT_CHOICE,                                                                                           \
         .at = TREE_FIELD(shared),                                                                                     \
         .value = "HOW",                                                                                               \
         .preset = "auto",                                                                                             \
         .choices = "auto|on|off",                                                                                     \
         .help = "one node for a position reached on several ways"},                                                   \
        {.name = "solver",                                                                                             \
         .kind = OPT_FLAG,                                                                                             \
         .at = TREE_FIELD(solver),                                                                                     \
         .preset = "yes",                                                                                              \
         .help = "carry proven results up and stop when the root is proven"},                                          \
        {.name = "reuse",                                                                                              \
         .kind = OPT_FLAG,                                                                                             \
         .at = TREE_FIELD(reuse),                                                                                      \
         .preset = "yes",                                                                                              \
         .help = "keep the tree between moves"},                                                                       \
    {                                                                                                                  \
        .name = "memory", .kind = OPT_INT, .at = TREE_FIELD(memory), .value = "MIB", .preset = "128", .low = 1,        \
        .high = 1048576, .help = "for the tree; when it is full it stops growing"                                      \
    }

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
