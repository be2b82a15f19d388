// Normal, Student and beta distributions from erfc, Stirling's series and Lentz's continued fraction.
//
// Quantiles invert the distribution function by Newton or bisection, so each pair agrees to rounding and there is no second
// table of coefficients to trust.
#include "stats/dist.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

static const double half_log_tau = 0.91893853320467274178; // ln sqrt(2 pi)

double dist_normal_cdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

double dist_normal_quantile(double p)
{
    assert(p > 0.0 && p < 1.0);
    if (p > 0.5) return -dist_normal_quantile(1.0 - p);
    if (p < 1e-300) p = 1e-300;
    // ln cdf is concave and the start lies left of the root (cdf(-t) < exp(-t^2/2) / 2), so Newton climbs without overshoot.
    double target = log(p), x = -sqrt(-2.0 * target);
    for (int i = 0; i < 50; i++) {
        double cdf = dist_normal_cdf(x), slope = exp(-0.5 * x * x - half_log_tau) / cdf;
        double step = (target - log(cdf)) / slope;
        x += step;
        if (fabs(step) < 1e-15 * (1.0 + fabs(x))) break;
    }
    return x;
}

double dist_log_gamma(double x)
{
    assert(x > 0.0);
    double shift = 0.0;
    for (; x < 15.0; x += 1.0) shift -= log(x);
    // Stirling; at x >= 15 the first term left out is below 1e-16.
    double y = 1.0 / (x * x);
    double series =
        1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * 691 / 360360))));
    return shift + (x - 0.5) * log(x) - x + half_log_tau + series / x;
}

// The continued fraction of the incomplete beta function; converges fast for x < (a + 1) / (a + b + 2).
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m < 1000000; m++) { // about sqrt(a + b) rounds are needed
        double k = m, even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
        double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= c * d;
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= c * d;
        if (fabs(c * d - 1.0) < 1e-15) break;
    }
    return h;
}

double dist_beta_cdf(double x, double a, double b)
{
    assert(a > 0.0 && b > 0.0);
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    double front = dist_log_gamma(a + b) - dist_log_gamma(a) - dist_log_gamma(b) + a * log(x) + b * log1p(-x);
    if (x < (a + 1.0) / (a + b + 2.0)) return exp(front) * beta_fraction(x, a, b) / a;
    return 1.0 - exp(front) * beta_fraction(1.0 - x, b, a) / b;
}

double dist_beta_quantile(double p, double a, double b)
{
    assert(p >= 0.0 && p <= 1.0);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 80; i++) {
        double mid = 0.5 * (low + high);
        if (dist_beta_cdf(mid, a, b) < p)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

double dist_student_cdf(double t, double df)
{
    assert(df > 0.0);
    // Both forms are the same number; each is exact where the other would lose digits to 1 - tiny.
    double t2 = t * t;
    double tail = t2 < df ? 0.5 * (1.0 - dist_beta_cdf(t2 / (df + t2), 0.5, 0.5 * df))
                          : 0.5 * dist_beta_cdf(df / (df + t2), 0.5 * df, 0.5);
    return t > 0.0 ? 1.0 - tail : tail;
}

double dist_student_quantile(double p, double df)
{
    assert(p > 0.0 && p < 1.0);
    if (p > 0.5) return -dist_student_quantile(1.0 - p, df);
    double low = -1.0, high = 0.0;
    while (dist_student_cdf(low, df) > p && low > -1e300) low *= 2.0;
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (low + high);
        if (mid == low || mid == high) break;
        if (dist_student_cdf(mid, df) < p)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

interval rate_wilson(double hits, double n, double level)
{
    assert(level > 0.0 && level < 1.0 && hits >= 0.0 && hits <= n);
    if (n <= 0.0) return (interval){0.0, 1.0};
    double z = dist_normal_quantile(0.5 + 0.5 * level), z2 = z * z, p = hits / n;
    double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    // The ends touch 0 and 1 exactly when nothing or everything hit; rounding must not say otherwise.
    return (interval){hits <= 0.0 ? 0.0 : fmax(0.0, centre - half), hits >= n ? 1.0 : fmin(1.0, centre + half)};
}

interval rate_exact(double hits, double n, double level)
{
    assert(level > 0.0 && level < 1.0 && hits >= 0.0 && hits <= n);
    double tail = 0.5 * (1.0 - level);
    interval out = {0.0, 1.0};
    if (hits > 0.0) out.low = dist_beta_quantile(tail, hits, n - hits + 1);
    if (hits < n) out.high = dist_beta_quantile(1.0 - tail, hits + 1, n - hits);
    return out;
}
