// See mcts_rollout.h.
#include "search/mcts/mcts_rollout.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(const void *data, size_t n)
{
    const unsigned char *p = data;
    uint64_t h = n;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t x;
        memcpy(&x, p, sizeof x);
        h = rng_mix(h ^ x);
    }
    uint64_t last = 0;
    memcpy(&last, p, n);
    return rng_mix(h ^ last);
}

// The value of one position for the seat to move there.
static float play_out(const mcts_rollout *r, const void *obs, void *state)
{
    const game *g = r->g;
    int games = r->games > 0 ? r->games : 1, plies = r->max_plies > 0 ? r->max_plies : 1000;
    float points = r->points > 0 ? r->points : 1.0f, sum = 0;
    uint64_t key = hash_bytes(obs, g->obs_size);
    for (int i = 0; i < games; i++) {
        rng draw = rng_at(r->seed, key, (uint32_t)i);
        game_sample(g, obs, &draw, state);
        int seat = g->seat(state);
        game_random_playout(g, state, &draw, plies);
        outcome o = g->result(state);
        if (g->n_seats == 1)
            sum += o.score[0] / points;
        else if (o.over)
            sum += o.score[seat] - o.score[!seat];
    }
    return sum / (float)games;
}

static void evaluate(void *ctx, const mcts_batch *b)
{
    enum { ON_STACK = 4096 };
    const mcts_rollout *r = ctx;
    uint64_t room[ON_STACK / sizeof(uint64_t)]; // a state of any usual game, aligned
    void *state = r->g->state_size <= sizeof room ? room : malloc(r->g->state_size);
    for (int i = 0; i < b->n; i++) {
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = 1.0f;
        b->values[i] = state != NULL ? play_out(r, b->obs[i], state) : 0.0f; // no memory: nothing known
    }
    if (state != (void *)room) free(state);
}

mcts_evaluator mcts_rollout_evaluator(const mcts_rollout *r)
{
    return (mcts_evaluator){evaluate, (void *)(uintptr_t)r};
}
