// Many games at once for a learner: one decision in each per step, into buffers that the caller owns.
//
// A slot holds one game after another. Game k of slot i is game number i + k·n of the seed, and everything by chance in it
// follows from that, so what happens depends on the seed and the moves alone: not on threads, nor on what other slots do.
// A step allocates nothing, unless an agent plays the other seat. The legal moves of each slot are kept as a list, by which
// moves are checked and masks are changed where they differ: some games have tens of thousands of moves.
#ifndef KEIKO_APP_ENV_H
#define KEIKO_APP_ENV_H

#include "games/game.h"

typedef struct env env;

typedef struct env_setup {
    const game *g;
    const char *options;  // of the game; NULL = none
    const char *encoding; // NULL = the default
    const char
        *opponent;  // an agent for the other seat, which changes with every game; NULL: the caller plays all seats
    int n, threads; // slots; 0 threads = one per core
    int max_plies;  // the caller's decisions after which a game is truncated; 0 = never
    bool floats;    // planes as float, not uint8_t
    uint64_t seed;
} env_setup;

enum { ENV_EVENTS = 6 };

typedef struct env_buffers { // NULL: not wanted. See keiko_env_buffers
    void *planes;
    float *scalars;
    uint8_t *masks, *seats;
    float *rewards;
    uint8_t *terminated, *truncated;
    int32_t *lengths, *events;
    void *final_planes;
    float *final_scalars;
} env_buffers;

err env_open(env **out, const env_setup *o, const env_buffers *b); // caller frees with env_close
void env_close(env *e);                                            // NULL is fine
err env_reset(env *e, const uint64_t *seed);                       // NULL: the next games of this seed
err env_step(env *e, const int32_t *moves);                        // moves[n]; -1 = one at random
const game *env_game(const env *e);
int env_count(const env *e);
const void *env_state(const env *e, int i);

#endif
