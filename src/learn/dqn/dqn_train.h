// DQN training by self-play: the loop around the learner, with opponents, schedules, evaluation, curriculum and checkpoints.
//
// In every lane the learner has one seat (the other one in the next match) and learns from its own decisions. Who sits
// opposite is a share of the lanes:
//   self    a copy of the learner, made anew every opponent_update_interval episodes, that explores a little more
//   past    one of the copies made before, another one each match
//   SPEC    any agent
// Demonstrators are agents that sit in the learner's own seat in a share of the lanes: demonstrations for the replay buffer. Everything is
// a function of the seed, whatever the threads.
#ifndef KEIKO_LEARN_DQN_DQN_TRAIN_H
#define KEIKO_LEARN_DQN_DQN_TRAIN_H

#include "learn/dqn/dqn.h"
#include "learn/dqn/dqn_curriculum.h"
#include "learn/train.h"

// Runs until a limit is reached or base/stop asks for an end. Logs and checkpoints go to o->home, which is resumed where it
// holds a checkpoint; the last weights are its final.safetensors. `out` (may be NULL) tells where it ended, `net` (may be
// NULL) gets the weights; free them.
err dqn_train(const train_options *o, const dqn_config *c, train_state *out, nn_net **net, train_end *how);

// Is everything that the configuration names there and fitting: players, network, rewards, options, memory?
err dqn_check(const train_options *o, const dqn_config *c);

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
