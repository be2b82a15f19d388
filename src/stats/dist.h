// Distributions and the intervals of a rate: what every "95 %" in keiko is computed from.
//
// Plain functions of doubles. Accuracy is about 1e-12 relative in the middle and 1e-9 in far tails, which is far beyond
// what game counts can tell; speed is unimportant. Arguments outside the domain are programmer mistakes and assert.
#ifndef KEIKO_STATS_DIST_H
#define KEIKO_STATS_DIST_H

typedef struct interval {
    double low, high;
} interval;

double dist_normal_cdf(double x);
double dist_normal_quantile(double p); // 0 < p < 1
double dist_student_cdf(double t, double df);
double dist_student_quantile(double p, double df); // 0 < p < 1, df > 0

double dist_log_gamma(double x);                    // x > 0; unlike lgamma() safe in threads
double dist_beta_cdf(double x, double a, double b); // the regularised incomplete beta function

// A rate of `hits` in `n`, 0 <= hits <= n; with n = 0 nothing is known and the interval is [0, 1].
interval rate_wilson(double hits, double n, double level); // the one to print: close to its level even for small n

#endif
