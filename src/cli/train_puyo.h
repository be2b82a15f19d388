// The options of `keiko train puyo`, and what it does beside training.
#ifndef KEIKO_CLI_TRAIN_PUYO_H
#define KEIKO_CLI_TRAIN_PUYO_H

#include "cli/cli.h"
#include "learn/dqn/dqn_train.h"

typedef struct train_puyo {
    common all;
    const char *algo, *run, *config, *settings, *rewards, *opponents, *teachers, *epsilon_schedule, *net, *init, *lr;
    const char *replay, *encoding, *references, *backend, *explain, *evaluate, *exploration, *distribution;
    bool evaluate_alone, resume, learn_both, search, curriculum, single, vary;
    int64_t steps, episodes, lanes, opponent_update, batch, learning_starts, target_every, refresh, n_step, memory;
    int64_t beta_updates, evaluate_every, games, save_every, threads, seed, atoms;
    double minutes, rest, epsilon_start, epsilon_end, epsilon_episodes, ratio, gamma, reward_scale, huber, clip, alpha,
        beta;
    double beta_end, save_minutes, alone, support;
} train_puyo;

err train_puyo_explain(const train_puyo *o);  // --explain-rewards
err train_puyo_evaluate(const train_puyo *o); // --evaluate

#endif
