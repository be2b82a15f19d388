// Normal, Student and beta distributions from erfc, Stirling's series and Lentz's continued fraction.
//
// Quantiles invert the distribution function by Newton or bisection, so each pair agrees to rounding and there is no
// second table of coefficients to trust.
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
    // ln cdf is concave and the start lies left of the root (cdf(-t) < exp(-t^2/2) / 2), so Newton climbs without
    // overshoot.
    double target = log(p), x = -sqrt(-2.0 * target);
    for (int i = 0; i < 50; i++) {
        double cdf = dist_normal_cdf(x), slope = exp(-0.5 * x * x - half_log_tau) / cdf;
        double step = (target - log(cdf)) / slope;
        x += step;
        if (fabs(step) < 1e-15 * (1.0 + fabs(x))) break;
    }
    return x;
}

// ln Gamma(x) less Stirling's formula: what its series adds. At x >= 15 the first term left out is below 1e-16.
static double stirling_rest(double x)
{
    double shift = 0.0, y = x;
    for (; y < 15.0; y += 1.0) shift -= log(y);
    double z = 1.0 / (y * y);
    double series =
        1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * 691 / 360360))));
    if (y == x) return series / y;
    return shift + (y - 0.5) * log(y) - y + series / y - ((x - 0.5) * log(x) - x);
}

double dist_log_gamma(double x)
{
    assert(x > 0.0);
    return (x - 0.5) * log(x) - x + half_log_tau + stirling_rest(x);
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
    // x^a (1-x)^b / B(a, b) with the large parts of the three gammas cancelled by hand, so that a million games lose no
    // digits.
    double off = b * x - a * (1.0 - x), rest = stirling_rest(a + b) - stirling_rest(a) - stirling_rest(b);
    double in = fabs(off) < 0.5 * a ? log1p(off / a) : log(x * ((a + b) / a));
    double out = fabs(off) < 0.5 * b ? log1p(-off / b) : log1p(-x) + log((a + b) / b);
    double front = a * in + b * out + 0.5 * log(a * (b / (a + b))) - half_log_tau + rest;
    if (x < (a + 1.0) / (a + b + 2.0)) return exp(front) * beta_fraction(x, a, b) / a;
    return 1.0 - exp(front) * beta_fraction(1.0 - x, b, a) / b;
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
    if (p < 1e-300) p = 1e-300;
    double low = -1.0, high = 0.0;
    while (dist_student_cdf(low, df) > p && low > -1e300) low *= 2.0;
    // Newton inside the bracket; where it would leave, bisection.
    double constant =
        dist_log_gamma(0.5 * (df + 1)) - dist_log_gamma(0.5 * df) - 0.5 * log(df) - 0.57236494292470008707;
    double x = fmin(high, fmax(low, dist_normal_quantile(p)));
    for (int i = 0; i < 200; i++) {
        double miss = dist_student_cdf(x, df) - p, slope = exp(constant - 0.5 * (df + 1) * log1p(x * x / df));
        if (miss < 0)
            low = x;
        else
            high = x;
        double next = x - miss / slope;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        bool done = fabs(next - x) <= 1e-15 * fabs(x) || miss == 0;
        x = next;
        if (done) break;
    }
    return x;
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
