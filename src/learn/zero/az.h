// AlphaZero: self-play, learning and rating in turn, in a run directory that can be stopped and resumed at any moment.
//
// A round is: every game in flight plays its share with the current weights (selfplay.h); the finished games' positions
// go into the replay window (replay.h); the learner makes as many steps as the positions so far allow (`samples` times
// each position); the weights that self-play uses are exchanged. On the CPU backend everything is a function of the
// options and the seed: a run that was interrupted, by Ctrl-C, kill -9 or a full disk, and resumed, ends with the same
// bytes as one that was not. Only the moment at which a limit in minutes strikes is the clock's.
#ifndef KEIKO_LEARN_ZERO_AZ_H
#define KEIKO_LEARN_ZERO_AZ_H

#include "learn/zero/az_config.h"
#include "run/run.h"

typedef struct az_state { // where a run stands
    uint64_t round, step, games, positions, sims;
    double loss, by_head[NN_MAX_HEADS];
    bool rated;
    double elo, elo_low, elo_high;
    double seconds_play, seconds_learn, seconds_rate, seconds_save; // of this start
    double batch_fill, cache_hits;
    const nn_net *net; // the weights that self-play uses now; borrowed during the call
} az_state;

typedef struct az_options {
    const game *g;
    const az_config *c; // borrowed for the whole run
    run_home *home;     // borrowed; NULL: nothing is written and nothing can be resumed
    uint64_t seed;
    int threads;                        // 0 = one a core
    const char *backend;                // "auto", "cpu", "cuda"
    double minutes;                     // limits; 0 = none. At least one must be given
    uint64_t steps, games, evaluations; // evaluations: simulations of self-play
    // Called after each round, for tests and for people; may be NULL. False ends the run.
    bool (*each)(void *ctx, const az_state *z);
    void *ctx;
} az_options;

typedef enum az_end { AZ_LIMIT, AZ_STOPPED } az_end;

// The network that --init names and how it reads the board; free it with nn_net_free.
err az_init_net(const game *g, const char *file, nn_net **net, const encoding **enc);

// Makes all parts of such a run and throws them away: an error here would be az_train's, before there is a folder.
err az_check(const az_options *o);

// Runs until a limit is reached or base/stop asks for an end; then a checkpoint lies in the run directory, and, at a
// limit, final.safetensors. `out` (may be NULL) tells where it ended, `net` (may be NULL) gets the weights; free them.
err az_train(const az_options *o, az_state *out, nn_net **net, az_end *how);

#endif
