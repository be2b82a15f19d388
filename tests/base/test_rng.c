// The generator against Random123's known answers, and its distributions against what they must be.
// labels: threads
#include "base/rng.h"
#include "test.h"

#include <math.h>

// Philox4x32-10: counter, key, result; from Random123's kat_vectors.
static void known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t ctr[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < 3; i++) {
        rng r = {0};
        memcpy(r.ctr, known[i].ctr, sizeof r.ctr);
        memcpy(r.key, known[i].key, sizeof r.key);
        rng_refill(&r);
        assert_memory_equal(r.buf, known[i].out, sizeof r.buf);
        for (int k = 3; k >= 0; k--) assert_int_equal(rng_u32(&r), known[i].out[k]); // handed out from the end
        assert_int_equal(r.ctr[0], known[i].ctr[0] + 1);
    }
    // rng_at lays seed, game and ply into key and counter
    rng r = rng_at(0x299f31d0a4093822u, 0x0370734413198a2eu, 0x85a308d3u);
    r.ctr[0] = 0x243f6a88u;
    assert_int_equal(rng_u64(&r), 0x24126ea15001e420u);
    assert_int_equal(rng_u64(&r), 0x94fdccebd16cfe09u);
}

// SplitMix64 seeded with 0 gives e220a8397b1dcdaf first (Vigna's reference program).
static void known_mix(void **state)
{
    (void)state;
    assert_int_equal(rng_mix(0), 0xe220a8397b1dcdafu);
    assert_int_equal(rng_mix(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}

static void streams_differ(void **state)
{
    (void)state;
    uint64_t base = 0;
    for (int i = 0; i < 4; i++) {
        rng r = rng_at(1 + (i == 1), 2 + (i == 2), 3 + (i == 3));
        uint64_t v = rng_u64(&r);
        if (i == 0) base = v;
        if (i > 0) assert_true(v != base);
    }
    rng a = rng_at(1, 2, 3), b = rng_at(1, 2, 3);
    for (int i = 0; i < 100; i++) assert_int_equal(rng_u32(&a), rng_u32(&b));
}

// Pearson's statistic over equal cells.
static double chi2(const int *count, int cells, double expected)
{
    double x = 0.0;
    for (int i = 0; i < cells; i++) x += (count[i] - expected) * (count[i] - expected) / expected;
    return x;
}

// With c degrees of freedom chi2 has mean c and variance 2c; fixed seeds make the check exact, five sigmas make it fair.
static void fits(const int *count, int cells, double expected)
{
    double c = cells - 1.0, x = chi2(count, cells, expected);
    if (fabs(x - c) > 5.0 * sqrt(2.0 * c)) fail_msg("chi2 %.1f for %d cells", x, cells);
}

static void below(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 6, 10, 64, 65, 1000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int count[1000] = {0};
        rng r = rng_at(11, k, 0);
        for (int i = 0; i < 200000; i++) {
            uint32_t v = rng_below(&r, sizes[k]);
            assert_true(v < sizes[k]);
            count[v]++;
        }
        if (sizes[k] > 1) fits(count, (int)sizes[k], 200000.0 / sizes[k]);
    }
    // A size just above 2^31: a plain remainder would favour the low half two to one.
    rng r = rng_at(12, 0, 0);
    int low = 0;
    for (int i = 0; i < 100000; i++) low += rng_below(&r, 0xc0000000u) < 0x60000000u;
    assert_true(abs(low - 50000) < 5 * 158);
}

static void moments(double (*draw)(rng *, double), double arg, double mean, double variance, double kurtosis)
{
    enum { N = 200000 };
    rng r = rng_at(21, (uint64_t)(arg * 1000), 0);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < N; i++) {
        double v = draw(&r, arg) - mean;
        sum += v;
        squares += v * v;
    }
    double off = sum / N, var = squares / N;
    // standard errors: sqrt(var/N) of the mean, var*sqrt((kurtosis-1)/N) of the variance
    if (fabs(off) > 5.0 * sqrt(variance / N)) fail_msg("mean off by %g for %g", off, arg);
    if (fabs(var - variance) > 5.0 * variance * sqrt((kurtosis - 1.0) / N))
        fail_msg("variance %g, not %g", var, variance);
}

static double draw_unit(rng *r, double arg)
{
    (void)arg;
    double v = rng_unit(r);
    assert_true(v >= 0.0 && v < 1.0);
    return v;
}

static double draw_normal(rng *r, double arg)
{
    (void)arg;
    return rng_normal(r);
}

static void distributions(void **state)
{
    (void)state;
    moments(draw_unit, 0.0, 0.5, 1.0 / 12.0, 1.8);
    moments(draw_normal, 0.0, 0.0, 1.0, 3.0);
    static const double shapes[] = {0.03, 0.3, 1.0, 2.5, 40.0};
    for (size_t i = 0; i < 5; i++) moments(rng_gamma, shapes[i], shapes[i], shapes[i], 3.0 + 6.0 / shapes[i]);

    int count[64] = {0};
    rng r = rng_at(22, 0, 0);
    for (int i = 0; i < 200000; i++) count[(int)(64.0 * rng_unit(&r))]++;
    fits(count, 64, 200000.0 / 64);
    // normal quantiles: sixteen cells of equal probability through the error function
    int cell[16] = {0};
    for (int i = 0; i < 200000; i++) cell[(int)(16.0 * 0.5 * erfc(-rng_normal(&r) / sqrt(2.0)))]++;
    fits(cell, 16, 200000.0 / 16);
}

// A marginal of a symmetric Dirichlet is Beta(a, (n-1)a): mean 1/n, variance (n-1)/(n^2 (na+1)).
static void dirichlet(void **state)
{
    (void)state;
    static const struct {
        double alpha;
        int n;
    } known[] = {{0.03, 361}, {0.3, 20}, {1.0, 5}, {10.0, 8}};
    for (size_t k = 0; k < 4; k++) {
        enum { DRAWS = 20000 };
        int n = known[k].n;
        double a = known[k].alpha, sum = 0.0, squares = 0.0, mean = 1.0 / n;
        rng r = rng_at(31, k, 0);
        for (int i = 0; i < DRAWS / 10; i++) {
            float v[361];
            double total = 0.0;
            rng_dirichlet(&r, a, n, v);
            for (int j = 0; j < n; j++) {
                assert_true(v[j] >= 0.0f && v[j] <= 1.0f);
                total += (double)v[j];
            }
            assert_true(fabs(total - 1.0) < 1e-5);
            sum += (double)v[0] - mean;
            squares += ((double)v[0] - mean) * ((double)v[0] - mean);
        }
        double variance = (n - 1.0) / (n * (double)n * (n * a + 1.0)), draws = DRAWS / 10.0;
        assert_true(fabs(sum / draws) < 5.0 * sqrt(variance / draws));
        // heavy tails for small alpha: a factor of two is far outside what chance does here
        assert_true(squares / draws > variance / 2.0 && squares / draws < variance * 2.0);
    }
    // With a vanishing alpha all the mass sits on one corner, each equally often.
    int corner[4] = {0};
    rng r = rng_at(32, 0, 0);
    for (int i = 0; i < 4000; i++) {
        float v[4];
        rng_dirichlet(&r, 1e-5, 4, v);
        int best = 0;
        for (int j = 1; j < 4; j++)
            if (v[j] > v[best]) best = j;
        assert_true(v[best] > 0.99f);
        corner[best]++;
    }
    fits(corner, 4, 1000.0);
}

static void shuffles(void **state)
{
    (void)state;
    int count[24] = {0}; // each order of four equally often
    rng r = rng_at(41, 0, 0);
    for (int i = 0; i < 24000; i++) {
        uint32_t v[4] = {0, 1, 2, 3};
        rng_shuffle_u32(&r, v, 4);
        int code = 0, seen = 0;
        for (int j = 0; j < 4; j++) {
            int rank = 0;
            for (int k = j + 1; k < 4; k++) rank += v[k] < v[j];
            code = code * (4 - j) + rank;
            seen |= 1 << v[j];
        }
        assert_int_equal(seen, 15);
        count[code]++;
    }
    fits(count, 24, 1000.0);
    rng_shuffle_u32(&r, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers), cmocka_unit_test(known_mix),     cmocka_unit_test(streams_differ),
        cmocka_unit_test(below),         cmocka_unit_test(distributions), cmocka_unit_test(dirichlet),
        cmocka_unit_test(shuffles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
