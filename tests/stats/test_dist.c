// Distributions against published values, and the intervals of a rate against what they promise.
#include "stats/dist.h"
#include "stats/stats_test.h"

static void normal(void **state)
{
    (void)state;
    near(dist_normal_cdf(1), 0.84134474606854293, 1e-15);
    near(dist_normal_cdf(-10) / 7.6198530241605261e-24, 1, 1e-12);
    near(dist_normal_quantile(0.975), 1.9599639845400545, 1e-14);
    near(dist_normal_quantile(0.5), 0, 1e-15);
    near(dist_normal_quantile(1e-10), -6.3613409024040557, 1e-12);
    near(dist_normal_quantile(0.1), -1.2815515655446004, 1e-14);
    for (double p = 1e-12; p < 1; p = p < 0.01 ? 3 * p : p + 0.013)
        near(dist_normal_cdf(dist_normal_quantile(p)) / p, 1, 1e-12);
}

static void student(void **state)
{
    (void)state;
    near(dist_student_quantile(0.975, 1), 12.706204736174698, 1e-10);
    near(dist_student_quantile(0.975, 2), 4.3026527297494637, 1e-12);
    near(dist_student_quantile(0.975, 5), 2.5705818356363146, 1e-12);
    near(dist_student_quantile(0.975, 30), 2.0422724563012378, 1e-12);
    near(dist_student_quantile(0.95, 10), 1.8124611228116754, 1e-12);
    near(dist_student_quantile(0.975, 1e7), 1.9599639845400545, 1e-6);
    near(dist_student_cdf(1, 1), 0.75, 1e-14); // Cauchy
    near(dist_student_cdf(-1, 1), 0.25, 1e-14);
    near(dist_student_cdf(0, 3), 0.5, 1e-15);
    for (double df = 0.5; df < 1e6; df *= 3)
        for (double p = 0.001; p < 1; p += 0.0499) near(dist_student_cdf(dist_student_quantile(p, df), df), p, 1e-12);
}

static void gamma_and_beta(void **state)
{
    (void)state;
    near(dist_log_gamma(0.5), 0.57236494292470009, 1e-14);
    near(dist_log_gamma(1), 0, 1e-14);
    near(dist_log_gamma(100), 359.1342053695754, 1e-11);
    near(dist_log_gamma(1e6) / 12815504.569147612, 1, 1e-14);
    for (double x = 0.01; x < 1e8; x *= 1.37) near(dist_log_gamma(x), lgamma(x), 1e-13 * (1 + fabs(lgamma(x))));
    near(dist_beta_cdf(0.5, 2, 3), 0.6875, 1e-14); // 11/16 by hand
    near(dist_beta_cdf(0.25, 1, 1), 0.25, 1e-14);
    near(dist_beta_cdf(0.3, 0.5, 0.5), 2 / acos(-1.0) * asin(sqrt(0.3)), 1e-13);
    assert_true(dist_beta_cdf(0, 2, 3) == 0 && dist_beta_cdf(1, 2, 3) == 1);
    // The beta function as a binomial tail: P(X >= k) of n at x is I_x(k, n - k + 1).
    for (int k = 1; k <= 20; k++) {
        double tail = 0, x = 0.37;
        for (int i = k; i <= 20; i++)
            tail += exp(lgamma(21) - lgamma(i + 1.0) - lgamma(21.0 - i) + i * log(x) + (20 - i) * log(1 - x));
        near(dist_beta_cdf(x, k, 21 - k), tail, 1e-13);
    }
    near(dist_beta_cdf(0.5, 1e9, 1e9), 0.5, 1e-6); // the slowest fraction
}

static void rates(void **state)
{
    (void)state;
    interval w = rate_wilson(5, 10, 0.95);
    near(w.low, 0.23659309, 1e-8);
    near(w.high, 0.76340691, 1e-8);
    w = rate_wilson(0, 10, 0.95);
    assert_true(w.low == 0);
    near(w.high, 0.27753279, 1e-8);
    w = rate_wilson(10, 10, 0.95);
    assert_true(w.high == 1);
    w = rate_wilson(0, 0, 0.95);
    assert_true(w.low == 0 && w.high == 1);
}

// The coverage of a rate is a finite sum, so the promise can be checked exactly: it stays near its level on average.
static void rates_cover(void **state)
{
    (void)state;
    for (int n = 1; n <= 60; n = n < 12 ? n + 1 : n + 16) {
        double sum = 0;
        interval wilson[64];
        for (int k = 0; k <= n; k++) wilson[k] = rate_wilson(k, n, 0.95);
        for (int step = 1; step < 400; step++) {
            double p = step / 400.0, covered = 0;
            for (int k = 0; k <= n; k++)
                if (wilson[k].low <= p && p <= wilson[k].high)
                    covered += exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(p) +
                                   (n - k) * log(1 - p));
            sum += covered / 399;
        }
        assert_true(sum > 0.935 && sum < 0.975);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal), cmocka_unit_test(student),     cmocka_unit_test(gamma_and_beta),
        cmocka_unit_test(rates),  cmocka_unit_test(rates_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
