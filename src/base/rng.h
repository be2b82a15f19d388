// Randomness as an argument: a counter-based generator keyed (seed, game, ply).
//
// Philox4x32-10 (Salmon et al., SC 2011). A stream is a pure function of its key, so games can be played in any order on
// any thread, stopped and resumed, and always draw the same numbers. There is no global state and nothing to seed: make a
// stream where you need it with rng_at(). Not for secrets.
#ifndef KEIKO_BASE_RNG_H
#define KEIKO_BASE_RNG_H

#include <stdint.h>

typedef struct rng {
    uint32_t key[2]; // the seed
    uint32_t ctr[4]; // block number, ply, game (low, high)
    uint32_t buf[4]; // the current block, handed out from the end
    uint32_t left;   // unused words in buf
} rng;

rng rng_at(uint64_t seed, uint64_t game, uint32_t ply);

void rng_refill(rng *r); // computes the next block; rng_u32 calls it

static inline uint32_t rng_u32(rng *r)
{
    if (r->left == 0) rng_refill(r);
    return r->buf[--r->left];
}

static inline uint64_t rng_u64(rng *r)
{
    uint64_t hi = rng_u32(r);
    return hi << 32 | rng_u32(r);
}

// Uniform in 0…n-1 without bias (Lemire 2019); n >= 1.
static inline uint32_t rng_below(rng *r, uint32_t n)
{
    uint64_t m = (uint64_t)rng_u32(r) * n;
    if ((uint32_t)m < n) {
        uint32_t floor = (0u - n) % n;
        while ((uint32_t)m < floor) m = (uint64_t)rng_u32(r) * n;
    }
    return (uint32_t)(m >> 32);
}

double rng_unit(rng *r);                                     // [0, 1), 53 bits
double rng_normal(rng *r);                                   // mean 0, variance 1
double rng_gamma(rng *r, double shape);                      // scale 1; shape > 0
void rng_dirichlet(rng *r, double alpha, int n, float *out); // symmetric; out sums to 1
void rng_shuffle_u32(rng *r, uint32_t *v, int n);            // Fisher-Yates

// A 64-bit mix of a key: for hashes and derived seeds (SplitMix64's finaliser).
static inline uint64_t rng_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
