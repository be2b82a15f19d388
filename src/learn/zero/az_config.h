// Everything that can be chosen about an AlphaZero run: one struct, one option table, one constructor.
//
// The same names are the command line's options, the config file's keys and what `keiko.h` takes. Presets are texts of
// such lines. Nothing here acts.
#ifndef KEIKO_LEARN_ZERO_AZ_CONFIG_H
#define KEIKO_LEARN_ZERO_AZ_CONFIG_H

#include "learn/train_config.h"
#include "nn/train.h"
#include "search/mcts/mcts_config.h"

typedef struct az_config {
    train_common common; // first: see train_config.h
    int64_t evaluations; // a limit, too: simulations of self-play
    // network
    const char *net, *encoding, *init, *teacher, *precision;
    // self-play
    mcts_config tree;
    int64_t in_flight, fast_sims, openings, sims_start, sims_grow, endgame, threats, vct, round, per_call, cache;
    double full, forced, openings_share, even, resign, resign_check, mix, lambda, margin;
    // replay buffer
    int64_t buffer_min, buffer_max, fill;
    double buffer_share;
    const char *buffer_on;
    // learner
    int64_t batch;
    const char *lr, *optimiser, *policy_loss;
    double momentum, decay, clip, ema, samples, value_weight, margin_weight, ownership, reply;
    bool symmetries;
    // the run
    double checkpoint;
    bool async;
    // evaluation
    int64_t eval_every, eval_games, eval_sims, eval_past;
    const char *references, *anchor;
    bool gate;
    double gate_elo;
    int64_t gate_games;
} az_config;

extern const opt az_opts[]; // over az_config
extern const int az_n_opts;
extern const train_table az_table;

// The configuration for a game: see train_config_make. A network that is named by `init` brings its `net` and `encoding`,
// unless they are given with it or in a later layer.
err az_config_make(az_config *c, const game *g, const char *preset, const config_layer *layers, int n,
                   opt_values *keep);

// Preset `name` for a game: lines "key = value", or an error that lists the presets. Borrowed.
err az_preset(const game *g, const char *name, const char **text);

// The network that `option` (init, teacher) names, a file or one that ships, and how it reads the board; free it with
// nn_net_free.
err az_named_net(const game *g, const char *option, const char *file, nn_net **net, const encoding **enc);

// The network: `net` completed by the game's planes, numbers and heads.
err az_net_desc(const az_config *c, const game *g, const encoding *enc, nn_desc *out);
// The same with the heads that only training uses (--ownership, --reply), behind the others.
err az_trained_desc(const az_config *c, const game *g, const nn_desc *net, nn_desc *out);
err az_train_options(const az_config *c, pool *threads, nn_train_options *out, nn_lr *lr);

#endif
