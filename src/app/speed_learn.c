// The rows of `keiko speed` about learning.
#include "app/speed.h"
#include "learn/dqn/dqn_env.h"

#include <stdlib.h>

enum { LANES = 512, STEPS = 40 };

static const struct {
    const char *options, *rewards;
} worlds[] = {{"", "none"}, {"", "seed"}, {"", "shaped"}, {"timing=turns", "none"}, {"timing=turns", "seed"}};

static struct {
    void *env;
    dqn_view view;
} open_worlds[sizeof worlds / sizeof *worlds];

// Placements with masks and observations of both sides; players that put their pairs anywhere.
static uint64_t env_work(int i, uint64_t round)
{
    dqn_puyo_options o = {worlds[i].options, worlds[i].rewards, 0.99, NULL, false};
    dqn_view *v = &open_worlds[i].view;
    static uint8_t action[LANES];
    if (open_worlds[i].env == NULL) { // kept until the program ends
        if (dqn_env_puyo.open(&open_worlds[i].env, &o, LANES, 1) != ERR_OK) return 0;
        dqn_shape s = dqn_env_puyo.shape(open_worlds[i].env);
        if (dqn_view_new(v, &s, LANES) != ERR_OK) return 0;
        dqn_env_puyo.show(open_worlds[i].env, 0, LANES, v);
    }
    for (int k = 0; k < STEPS; k++) {
        for (int l = 0; l < LANES; l++) {
            uint32_t mask = v->mask[l], n = (uint32_t)__builtin_popcount(mask);
            for (uint64_t skip = rng_mix(round * LANES + (uint64_t)(k * LANES + l)) % n; skip > 0; skip--)
                mask &= mask - 1;
            action[l] = (uint8_t)__builtin_ctz(mask);
        }
        dqn_env_puyo.step(open_worlds[i].env, 0, LANES, action, v);
    }
    return (uint64_t)LANES * STEPS;
}

const speed_row speed_learn[] = {
    {"dqn", "Puyo environment, no dense rewards", "placements", env_work, 0, NULL},
    {"dqn", "the same, all components of the seed", "placements", env_work, 1, NULL},
    {"dqn", "the same, shaped", "placements", env_work, 2, NULL},
    {"dqn", "both place at once, no dense rewards", "placements", env_work, 3, NULL},
    {"dqn", "the same, all components of the seed", "placements", env_work, 4, NULL},
};

const int n_speed_learn = (int)(sizeof speed_learn / sizeof *speed_learn);
