// DQN training by self-play: the loop around the learner, with opponents, schedules, evaluation, curriculum and checkpoints.
//
// In every lane the learner has one seat (the other one in the next match) and learns from its own decisions. Who sits
// opposite is a share of the lanes:
//   self    a copy of the learner, made anew every opponent_update_interval episodes, that explores a little more
//   past    one of the copies made before, another one each match
//   SPEC    any agent
// Demonstrators are agents that sit in the learner's own seat in a share of the lanes: demonstrations for the memory. Everything is
// a function of the seed, whatever the threads.
#ifndef KEIKO_LEARN_DQN_DQN_TRAIN_H
#define KEIKO_LEARN_DQN_DQN_TRAIN_H

#include "learn/dqn/dqn.h"
#include "learn/dqn/dqn_curriculum.h"

typedef struct dqn_plan {
    dqn_options learner;
    const char *net;           // description; input sizes and head are added where they are missing
    const char *init;          // weights to start from; NULL = random ones
    int lanes;                 // matches at once
    const char *opponents;     // "60 self;20 past;20 greedy": share and name
    const char *demonstrators; // "10 versus:level=beginner"; "" = none
    bool learn_both;           // learn from the copies' decisions too
    bool search;               // the learner decides by looking one step ahead
    double alone; // with search: share of the lanes in which it decides by the network alone, and learns what
                  // looking ahead says of every action all the same
    bool noisy;   // explore by the noise of the network's last layers instead of by epsilon
    int atoms;    // of a distribution, for networks described without a head
    double ratio; // transitions drawn for one stored
    int64_t learning_starts; // transitions stored before the first update
    int64_t opponent_update; // episodes
    dqn_epsilon epsilon;
    bool curriculum;
    int64_t evaluate_every; // episodes; 0 = only at the end
    int evaluate_games;
    bool evaluate_alone;     // with search: the bare network too
    const char *references;  // "random;greedy;…": opponents of evaluations, the first one the curriculum's
    int64_t save_every;      // episodes; 0 = only at the end and by the clock
    double save_seconds;     // also after so many seconds
    int64_t steps, episodes; // limits, 0 = none; steps are decisions learned from
    double seconds;
    uint64_t seed;
    const char *note; // for the weights file
} dqn_plan;

// `env_options` are those of training, `eval_options` those of evaluation. Logs and checkpoints go to `r`, which is resumed
// where it holds a checkpoint. The last weights are written to `out` in the run's folder as well ("final.safetensors").
// `updates` (may be NULL): how often the network has learned, earlier starts included.
err dqn_train(run_home *r, const dqn_plan *p, const dqn_env_type *type, const void *env_options,
              const void *eval_options, uint64_t *updates);

// Is everything that the plan names there and fitting: players, network, rewards, options?
err dqn_plan_check(const dqn_plan *p, const dqn_env_type *type, const void *env_options);

// "60 self;20 greedy" into names and cumulated shares (the last is 1). Refuses what is malformed.
enum { DQN_MIX = 8 };
typedef struct dqn_mix {
    int n;
    char name[DQN_MIX][200];
    double upto[DQN_MIX];
} dqn_mix;
err dqn_mix_parse(const char *text, const char *what, dqn_mix *out);
int dqn_mix_at(const dqn_mix *m, double share); // share in [0, 1)

#endif
