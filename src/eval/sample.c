// Positions from which narrow numbers get their scales: random games, the same ones every time.
//
// A network's own games would show what it meets later; random ones are there before it has played any, and scales leave
// room above what was seen (quant.h, cuda/pack.c).
#include "eval/eval_inner.h"

#include <stdlib.h>

enum { SEED = 0x5ca1e, PLIES = 60 }; // a position is the end of this many random plies at most

static err walk(uint64_t *bits, float *scalars, const game *g, const encoding *enc, const nn_desc *d, int n,
                void *state, void *obs)
{
    int have = 0;
    for (uint64_t number = 0; have < n; number++) {
        rng r = rng_at(SEED, number, 0);
        err e = g->init(state, "", (game_key){SEED, number});
        if (e != ERR_OK) return e;
        game_random_playout(g, state, &r, (int)rng_below(&r, PLIES));
        if (g->result(state).over) continue;
        const void *seen = obs;
        game_observe(g, state, g->seat(state), obs);
        enc->encode(&seen, 1, bits + (size_t)have * nn_in_bits(d), scalars + (size_t)(have * d->scalars));
        have++;
    }
    return ERR_OK;
}

err eval_sample(nn_sample *out, const game *g, const encoding *enc, const nn_desc *d, int n)
{
    uint64_t *bits = calloc((size_t)n * nn_in_bits(d) + 1, sizeof *bits);
    float *scalars = calloc((size_t)(n * d->scalars) + 1, sizeof *scalars);
    void *state = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    err e = bits && scalars && state && obs ? walk(bits, scalars, g, enc, d, n, state, obs)
                                            : err_set(ERR_MEMORY, "no memory for positions to scale by");
    free(state), free(obs);
    *out = (nn_sample){n, bits, scalars};
    if (e != ERR_OK) eval_sample_free(out);
    return e;
}

void eval_sample_free(nn_sample *s)
{
    free((void *)s->bits);
    free((void *)s->scalars);
    *s = (nn_sample){0};
}
