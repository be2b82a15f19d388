// Everything that can be chosen about deep Q-learning: one struct, one option table, one constructor.
//
// The same names are the command line's options, the config file's keys and what `keiko.h` takes. Learner, actors and the
// training loop read this struct; nothing is copied out of it.
#ifndef KEIKO_LEARN_DQN_DQN_CONFIG_H
#define KEIKO_LEARN_DQN_DQN_CONFIG_H

#include "learn/dqn/dqn_env.h"
#include "learn/train_config.h"

typedef struct dqn_config {
    train_common common; // first: see train_config.h. Steps are decisions learned from, games are matches
    // matches
    const char *settings, *rewards; // options of the game; puyo_reward.h
    int64_t lanes;                  // matches at once
    const char *opponents;          // "60 self;20 past;20 greedy": share and name
    const char *demonstrators;      // "10 versus:level=beginner"; "" = none
    bool learn_both;                // learn from the copies' decisions too
    bool search;                    // the learner decides by looking one step ahead
    double rest;                    // weight of what looks ahead say of actions not taken
    double alone; // with search: share of the lanes in which it decides by the network alone, and learns what
                  // looking ahead says of every action all the same
    int64_t opponent_update; // episodes
    bool curriculum;
    // exploration
    const char *exploration, *epsilon_schedule;
    double epsilon_start, epsilon_end, epsilon_episodes;
    // learning
    const char *encoding, *net, *init, *lr, *distribution;
    int64_t atoms; // of a distribution, for networks described without a head
    double support;
    int64_t batch;
    double ratio;            // transitions drawn for one stored
    int64_t learning_starts; // transitions stored before the first update
    int64_t target_every,
        refresh; // updates between copies to the target network; to the network that plays and chooses
    double gamma;
    int64_t n_step;
    double reward_scale; // of every reward before it is learned
    double huber, clip;
    bool single; // plain DQN: the target network chooses the next action too
    bool vary;   // apply the environment's symmetry
    // replay buffer
    int64_t buffer;
    const char *replay;
    double alpha, beta, beta_end;
    int64_t beta_updates; // over which beta rises
    // evaluation and checkpoints
    int64_t evaluate_every; // episodes; 0 = only at the end
    int64_t evaluate_games;
    bool evaluate_alone;    // with search: the bare network too
    const char *references; // "random;greedy;…": opponents of evaluations, the first one the curriculum's
    int64_t save_every;     // episodes; 0 = only at the end and by the clock
    double save_minutes;
} dqn_config;

enum { DQN_BUFFER_MOST = 2000000000 }; // transitions; their numbers and the tree of priorities have 32 bits

extern const opt dqn_opts[]; // over dqn_config
extern const int dqn_n_opts;
extern const train_table dqn_table;

// The configuration for a game: see train_config_make. There are no presets.
err dqn_config_make(dqn_config *c, const game *g, const char *preset, const config_layer *layers, int n,
                    opt_values *keep);

// The environment that can train this game, or NULL; and its options for training or, in pairs with the seats exchanged, for
// evaluation.
const dqn_env_type *dqn_env_of(const game *g);
dqn_puyo_options dqn_env_options(const dqn_config *c, bool paired);

bool dqn_is_noisy(const dqn_config *c); // explores by the noise of the network's last layers instead of by epsilon

#endif
