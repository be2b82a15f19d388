// Everything that can be chosen about distillation: one struct, one option table, one constructor.
#ifndef KEIKO_LEARN_DISTIL_DISTIL_CONFIG_H
#define KEIKO_LEARN_DISTIL_DISTIL_CONFIG_H

#include "learn/train_config.h"

typedef struct distil_config {
    train_common common; // first: see train_config.h. Steps are updates of the network
    const char *data;    // files of labelled games, separated by ';'
    int64_t positions;   // learn from the first so many; 0 = all
    double heldout;      // share of the games that are not learned from
    const char *encoding, *net, *init, *lr;
    int64_t batch;       // afterstates per update, so some twentieth as many positions
    double temperature;  // of the targets, in shares of the best placement's value
    double value_weight; // of the head that learns the chain to expect
    double ema, decay, clip;
    bool vary;                                  // rename the colours at random
    int64_t evaluate_every, evaluate_positions; // updates; held-out positions
    double save_minutes;
} distil_config;

extern const opt distil_opts[]; // over distil_config
extern const int distil_n_opts;
extern const train_table distil_table;

// The configuration for a game: see train_config_make. There are no presets.
err distil_config_make(distil_config *c, const game *g, const char *preset, const config_layer *layers, int n,
                       opt_values *keep);

#endif
