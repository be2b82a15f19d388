// What every trainer is given for one start, and what it says of itself: the words that the trainers (zero/, dqn/) share.
//
// What is to be trained and for how long is the trainer's own configuration (train_config.h); here is where and for whom.
#ifndef KEIKO_LEARN_TRAIN_H
#define KEIKO_LEARN_TRAIN_H

#include "games/game.h"
#include "nn/net.h"
#include "run/run.h"

typedef struct train_state {                               // where a run stands; what a trainer does not have is zero
    uint64_t round, step, updates, games, positions, sims; // step: what the run counts; updates: of the network
    double loss, by_head[NN_MAX_HEADS];
    bool rated;
    uint64_t elo_step;             // the network that was rated
    double elo, elo_low, elo_high; // with `anchor` at 1000
    char anchor[64];
    double seconds_play, seconds_learn, seconds_rate, seconds_save; // of this start
    double batch_fill, cache_hits;
    const nn_net
        *net; // the weights that self-play uses now; borrowed during the call, NULL where there are none at hand
} train_state;

// Workers elsewhere, as a learner sees them: they send finished games and take weights. dist/ has such a thing over NATS.
struct finished_game;
struct samples_shape;
typedef struct train_remote {
    void *ctx;
    bool play;    // the learner's own process plays, too
    double every; // seconds between two sets of weights at least
    // Before the first round: `config` is the run's configuration as text; `state` what `save` wrote into the checkpoint that
    // the run resumes from, NULL when it begins.
    err (*begin)(void *ctx, const struct samples_shape *sh, const char *config, const char *state, size_t size);
    // The next game that counts; *got false: none came within `wait` seconds.
    err (*take)(void *ctx, double wait, struct finished_game *g, bool *got);
    err (*weights)(void *ctx, const nn_net *net, uint64_t step); // for the games from now on
    err (*save)(void *ctx, text_buf *out);                       // into the checkpoint
    bool (*due)(void *ctx);                                      // the sender runs out of room: save soon
    err (*saved)(void *ctx); // the checkpoint is on the disk: what it holds is not needed again
} train_remote;

typedef struct train_options {
    const game *g;
    const train_remote *remote; // borrowed; NULL: all games are played here
    run_home *home;             // borrowed; NULL: nothing is written and nothing can be resumed
    // Called after each round, for tests and for people; may be NULL. False ends the run.
    bool (*each)(void *ctx, const train_state *s);
    void *ctx;
} train_options;

typedef enum train_end { TRAIN_LIMIT, TRAIN_STOPPED } train_end;

// The network of a run with --init: the file `init`, or a name from the models folder. A run that goes on takes the one of its
// checkpoint (model.safetensors), and the file may be gone.
err train_first_net(nn_net **out, const run_home *home, const char *init); // caller frees with nn_net_free

#endif
