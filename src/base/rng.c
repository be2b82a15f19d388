// Philox4x32-10 and the distributions drawn from it. See rng.h for why the generator is counter-based.
#include "base/rng.h"

#include <math.h>

static inline void philox_round(uint32_t c[4], uint32_t k0, uint32_t k1)
{
    uint64_t a = (uint64_t)RNG_MUL0 * c[0];
    uint64_t b = (uint64_t)RNG_MUL1 * c[2];
    uint32_t x1 = c[1], x3 = c[3];
    c[0] = (uint32_t)(b >> 32) ^ x1 ^ k0;
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ x3 ^ k1;
    c[3] = (uint32_t)a;
}

rng rng_at(uint64_t seed, uint64_t game, uint32_t ply)
{
    return (rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                 .ctr = {0, ply, (uint32_t)game, (uint32_t)(game >> 32)}};
}

void rng_refill(rng *r)
{
    uint32_t c[4] = {r->ctr[0], r->ctr[1], r->ctr[2], r->ctr[3]};
    uint32_t k0 = r->key[0], k1 = r->key[1];
    for (int i = 0; i < RNG_ROUNDS; i++) {
        philox_round(c, k0, k1);
        k0 += RNG_WEYL0;
        k1 += RNG_WEYL1;
    }
    for (int i = 0; i < 4; i++) r->buf[i] = c[i];
    r->ctr[0]++; // 2^32 blocks a stream: no game draws 64 GiB
    r->left = 4;
}

double rng_unit(rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

double rng_normal(rng *r)
{
    // Box-Muller, one of the two values: streams stay simple to reason about, and normals are never hot here.
    double u = 1.0 - rng_unit(r); // (0, 1]
    double v = rng_unit(r);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

double rng_gamma(rng *r, double shape)
{
    // Marsaglia and Tsang 2000; shapes below 1 through Gamma(a) = Gamma(a+1) * U^(1/a).
    if (shape < 1.0) {
        double u = 1.0 - rng_unit(r);
        return rng_gamma(r, shape + 1.0) * pow(u, 1.0 / shape);
    }
    double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double x = rng_normal(r), v = 1.0 + c * x;
        if (v <= 0.0) continue;
        v = v * v * v;
        double u = 1.0 - rng_unit(r);
        if (log(u) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
    }
}

void rng_dirichlet(rng *r, double alpha, int n, float *out)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double g = rng_gamma(r, alpha);
        out[i] = (float)g;
        sum += g;
    }
    // With a tiny alpha every draw can underflow: the limit of the distribution is then one random corner.
    if (sum < 1e-30) {
        for (int i = 0; i < n; i++) out[i] = 0.0f;
        if (n > 0) out[rng_below(r, (uint32_t)n)] = 1.0f;
        return;
    }
    for (int i = 0; i < n; i++) out[i] = (float)((double)out[i] / sum);
}

void rng_shuffle_u32(rng *r, uint32_t *v, int n)
{
    for (int i = n - 1; i > 0; i--) {
        uint32_t j = rng_below(r, (uint32_t)i + 1);
        uint32_t t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}
