// AlphaZero: self-play, learning and rating in turn, in a run directory that can be stopped and resumed at any moment.
//
// A round is: every game in flight plays its share with the current weights (selfplay.h); the finished games' positions
// go into the replay buffer (replay.h); the learner makes as many steps as the positions so far allow (`samples` times
// each position); the weights that self-play uses are exchanged. On the CPU backend everything is a function of the
// options and the seed: a run that was interrupted, by Ctrl-C, kill -9 or a full disk, and resumed, ends with the same
// bytes as one that was not. Only the moment at which a limit in minutes strikes is the clock's.
#ifndef KEIKO_LEARN_ZERO_AZ_H
#define KEIKO_LEARN_ZERO_AZ_H

#include "learn/train.h"
#include "learn/zero/az_config.h"

// Makes all parts of such a run and throws them away: an error here would be az_train's, before there is a folder.
err az_check(const train_options *o, const az_config *c);

// Runs until a limit is reached or base/stop asks for an end; then a checkpoint lies in the run directory. Each checkpoint's
// network is final.safetensors until the next one. `out` (may be NULL) tells where it ended, `net` (may be NULL) gets the weights; free them.
err az_train(const train_options *o, const az_config *c, train_state *out, nn_net **net, train_end *how);

#endif
