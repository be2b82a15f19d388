// The ways to train a network, as a table: `--method` on the command line, `algo` in a run's run.txt.
#ifndef KEIKO_LEARN_TRAINER_H
#define KEIKO_LEARN_TRAINER_H

#include "learn/train.h"
#include "learn/train_config.h"

typedef struct trainer {
    const char *name, *summary;
    const char *agent;          // that plays its networks: "zero" of "zero:model=FILE"
    const train_table *table;   // its configuration; see train_config.h
    err (*fits)(const game *g); // can it train this game? If not, the sentence says why
    err (*make)(void *config, const game *g, const char *preset, const config_layer *layers, int n, opt_values *keep);
    // An error here would be train's: asked before there is a folder, or before anything in it is changed by training.
    err (*check)(const train_options *o, const void *config);
    err (*train)(const train_options *o, const void *config, train_state *out, nn_net **net, train_end *how);
} trainer;

int trainer_count(void);
const trainer *trainer_at(int i);

// The trainer of this name, or the game's own: the first that can train it. `method` may be NULL.
err trainer_find(const game *g, const char *method, const trainer **out);

#endif
