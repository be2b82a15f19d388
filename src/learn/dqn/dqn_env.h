// What the DQN learner learns in: many copies of an environment ("lanes") stepped together, as a table of functions.
//
// Every lane always stands at a decision of one seat. A step takes one action a lane and brings every lane to its next
// decision, whoever's it is. A seat's reward is counted from its own decision to its own next one. A match that ends is
// followed by a new one in the same lane within the same step: `end` says so, and `last` has what both seats still got.
// All buffers belong to the caller. Ranges of lanes that do not overlap may be stepped by different threads, and what
// happens in a lane depends on its number, the seed and its actions only.
#ifndef KEIKO_LEARN_DQN_DQN_ENV_H
#define KEIKO_LEARN_DQN_DQN_ENV_H

#include "games/game.h"

enum { DQN_ACTIONS = 32, DQN_PARTS = 16 }; // at most: masks are 32 bits; components of a reward

typedef struct dqn_shape {
    int planes, rows, cols, scalars; // as nn_desc has them
    int actions, seats;
} dqn_shape;

enum { DQN_GOES_ON, DQN_OVER, DQN_CUT }; // cut: ended by a limit, so the last position still has a value

// [lanes] each
typedef struct dqn_view {
    uint64_t *bits;    // [lanes][planes][words]
    float *scalars;    // [lanes][scalars]
    uint32_t *mask;    // legal actions
    uint8_t *seat;     // whose decision it is
    float *reward;     // of that seat since its last decision; 0 at its first
    uint8_t *end;      // of the step just made: DQN_OVER or DQN_CUT, and the lane now shows a new match
    float (*last)[2];  // with `end`: each seat's reward since its last decision
    float (*score)[2]; // with `end`: 1, 1/2, 0
    float (*stat)[2];  // with `end`: one number per seat worth watching (Puyo: links of its largest chain)
    float *parts; // [lanes][2][DQN_PARTS] with `end`: each seat's rewards of the match by component; the last step's
                  // included, not discounted
} dqn_view;

typedef struct dqn_env_type {
    const char *name;
    const game *g; // whose agents can be opponents; NULL = none can
    err (*open)(void **env, const void *options, int lanes, uint64_t seed);
    void (*close)(void *env);
    dqn_shape (*shape)(const void *env);
    void (*show)(void *env, int from, int to, dqn_view *v); // observations, masks and seats as they are
    void (*step)(void *env, int from, int to, const uint8_t *action, dqn_view *v);
    void (*observe)(const void *env, int lane, void *obs, game_key *key); // for an agent; NULL without g
    // One step ahead of the decision that waits in a lane: for each legal action its reward until the seat's own next
    // decision, what it would see there, and the mask (0 = the match is over). Returns their number; rows of the arrays are
    // theirs in order. NULL = the environment has no model of itself.
    int (*look)(const void *env, int lane, uint8_t *action, float *reward, uint32_t *mask, uint64_t *bits,
                float *scalars);
    // A symmetry that leaves actions as they are, drawn from `r` and applied to `n` observations of one and the same
    // transition; NULL = none.
    void (*vary)(const void *env, rng *r, int n, uint64_t *const *bits, float *const *scalars);
    // Name of the k-th component of the rewards, NULL when there are no more or it is never paid; NULL = none are counted.
    const char *(*part)(const void *env, int k);
    void *(*lane)(void *env, int lane, size_t *size); // its plain bytes, to be stored and put back
} dqn_env_type;

// words of a lane's planes, and a view with memory of its own
size_t dqn_words(const dqn_shape *s);
err dqn_view_new(dqn_view *v, const dqn_shape *s, int lanes);
void dqn_view_free(dqn_view *v);

// --- versus Puyo

typedef struct dqn_puyo_options {
    const char *options; // of the game: "timing=turns,…"
    const char *rewards; // puyo_reward.h; "none" = win and loss only
    double gamma;
    const char *encoding; // of the game; NULL = the first
    bool paired;          // lanes 2k and 2k + 1 play the same pairs and nuisance
} dqn_puyo_options;

extern const dqn_env_type dqn_env_puyo;

#endif
