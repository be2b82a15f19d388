// Distillation: a network learns to value Puyo afterstates as a beam search does.
//
// The data are files of labelled games (labels.h). A share of the games is held out; how often the network's best placement
// is the teacher's there is the figure that counts, and the log has it. The network's own games are labelled and added by
// further runs that start from its weights (--init), see docs/train-puyo.md.
// On the CPU a run is a function of its options, files and seed: not of threads, nor of interruptions.
#ifndef KEIKO_LEARN_DISTIL_DISTIL_H
#define KEIKO_LEARN_DISTIL_DISTIL_H

#include "learn/distil/distil_config.h"
#include "learn/train.h"

err distil_fits(const game *g); // puyo-solo

// Is everything that the configuration names there and fitting? Reads the heads of the files, not the games.
err distil_check(const train_options *o, const distil_config *c);

// Runs until a limit is reached or base/stop asks for an end. The last weights are the run's final.safetensors. `out` and
// `net` may be NULL; free *net.
err distil_train(const train_options *o, const distil_config *c, train_state *out, nn_net **net, train_end *how);

#endif
