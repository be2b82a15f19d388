// Generalised SPRT by exact maximum likelihood, expected durations by Brownian motion. See sprt.h.
//
// With observed shares h_i of outcomes a_i, the likeliest distribution of mean s is h_i / (1 + x c_i), c_i = a_i - s,
// with x the root of sum h_i c_i / (1 + x c_i) = 0 (empirical likelihood, Owen 1988). For normalised Elo the constraint
// mean - 1/2 = t * deviation is not linear; it is solved as a sequence of linear ones, each the tangent at the last
// solution.
#include "stats/sprt.h"

#include "stats/dist.h"
#include "stats/elo.h"

#include <assert.h>
#include <math.h>

enum { MOST = 5, LEAST_CLUSTERS = 6 };
static const double unseen = 1e-3; // what a count of 0 is taken as

err sprt_check(const sprt_test *t)
{
    double most = t->scale == SPRT_NORMALISED ? 200 : 1000; // the tangents of best_with_t are good to about 250
    if (!(t->alpha > 0 && t->alpha < 1 && t->beta > 0 && t->beta < 1 && t->alpha + t->beta < 1))
        return err_set(ERR_USAGE, "alpha and beta must be between 0 and 1 and together below 1, not %g and %g",
                       t->alpha, t->beta);
    if (!(fabs(t->elo0) <= most && fabs(t->elo1) <= most))
        return err_set(ERR_USAGE, "elo0 and elo1 must be within ±%.0f, not %g and %g", most, t->elo0, t->elo1);
    if (!(t->elo1 - t->elo0 >= 1e-3))
        return err_set(ERR_USAGE, "elo0 must be below elo1, not %g and %g", t->elo0, t->elo1);
    return ERR_OK;
}

double sprt_lower(const sprt_test *t)
{
    return log(t->beta / (1 - t->alpha));
}

double sprt_upper(const sprt_test *t)
{
    return log((1 - t->beta) / t->alpha);
}

typedef struct shares {
    int k;
    double n;                // games or pairs
    double a[MOST], h[MOST]; // outcome in points per game, observed share
} shares;

static shares shares_of(const double *counts, int kinds, double least)
{
    assert(kinds == 3 || kinds == 5);
    shares s = {.k = kinds};
    for (int i = 0; i < kinds; i++) {
        assert(counts[i] >= 0);
        s.a[i] = (double)i / (kinds - 1);
        s.h[i] = counts[i] > least ? counts[i] : least;
        s.n += s.h[i];
    }
    for (int i = 0; i < kinds && s.n > 0; i++) s.h[i] /= s.n;
    return s;
}

static void moments(const double *a, const double *p, int k, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (int i = 0; i < k; i++) *mean += p[i] * a[i];
    for (int i = 0; i < k; i++) *variance += p[i] * (a[i] - *mean) * (a[i] - *mean);
}

// p = the likeliest distribution with sum p_i c_i = 0; c must have both signs. The function falls from +inf to -inf
// between the poles, so Newton's method inside a shrinking bracket cannot fail.
static void tilt(const double *h, const double *c, int k, double *p)
{
    double least = 0, most = 0;
    for (int i = 0; i < k; i++) {
        least = fmin(least, c[i]);
        most = fmax(most, c[i]);
    }
    if (least >= 0 || most <= 0) { // no such distribution; not reached within sprt_check's limits
        for (int i = 0; i < k; i++) p[i] = h[i];
        return;
    }
    double low = -1 / most, high = -1 / least, x = 0;
    for (int round = 0; round < 200; round++) {
        double f = 0, slope = 0;
        for (int i = 0; i < k; i++) {
            double q = c[i] / (1 + x * c[i]);
            f += h[i] * q;
            slope -= h[i] * q * q;
        }
        double step = -f / slope;
        if (fabs(step) <= 1e-16 * (high - low) + 1e-16 * fabs(x)) break;
        if (f > 0)
            low = x;
        else
            high = x;
        double next = x + step;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == x) break;
        x = next;
    }
    for (int i = 0; i < k; i++) p[i] = h[i] / (1 + x * c[i]);
}

static void best_with_mean(const shares *s, double mean, double *p)
{
    double c[MOST] = {0};
    for (int i = 0; i < s->k; i++) c[i] = s->a[i] - mean;
    tilt(s->h, c, s->k, p);
}

// The likeliest distribution whose mean is 1/2 + t standard deviations.
static void best_with_t(const shares *s, double t, double *p)
{
    for (int i = 0; i < s->k; i++) p[i] = 1.0 / s->k;
    for (int round = 0; round < 500; round++) {
        double mean, variance, c[MOST] = {0}, q[MOST], moved = 0;
        moments(s->a, p, s->k, &mean, &variance);
        double deviation = sqrt(variance);
        for (int i = 0; i < s->k; i++) {
            double z = (s->a[i] - mean) / deviation;
            c[i] = s->a[i] - 0.5 - 0.5 * t * deviation * (1 + z * z);
        }
        tilt(s->h, c, s->k, q);
        for (int i = 0; i < s->k; i++) {
            moved = fmax(moved, fabs(q[i] - p[i]));
            p[i] = q[i];
        }
        if (moved < 1e-13) break;
    }
}

// Normalised Elo to the t-value of one outcome: a pair's mean score has half a game's variance.
static double t_value(double nelo, int kinds)
{
    return nelo / (2 * ELO_PER_NAT) * (kinds == 5 ? sqrt(2.0) : 1.0);
}

double sprt_llr(const sprt_test *t, const double *counts, int kinds)
{
    double p0[MOST], p1[MOST], llr = 0, total = 0;
    for (int i = 0; i < kinds; i++) total += counts[i];
    if (total <= 0) return 0;
    shares s = shares_of(counts, kinds, unseen);
    if (t->scale == SPRT_NORMALISED) {
        best_with_t(&s, t_value(t->elo0, kinds), p0);
        best_with_t(&s, t_value(t->elo1, kinds), p1);
    } else {
        best_with_mean(&s, elo_expected(t->elo0), p0);
        best_with_mean(&s, elo_expected(t->elo1), p1);
    }
    for (int i = 0; i < kinds; i++) llr += s.h[i] * log(p1[i] / p0[i]);
    return s.n * llr;
}

double sprt_llr_approx(const sprt_test *t, const double *counts, int kinds)
{
    double mean, variance, s0 = elo_expected(t->elo0), s1 = elo_expected(t->elo1);
    shares s = shares_of(counts, kinds, 0);
    moments(s.a, s.h, kinds, &mean, &variance);
    if (s.n <= 0 || variance <= 0) return 0;
    return s.n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance);
}

// Expected time until a Brownian motion with this drift and variance a step leaves (-below, above), and where it does.
static double exit_time(double drift, double variance, double below, double above, double *up)
{
    double theta = 2 * drift / variance, width = below + above;
    if (fabs(theta) * width < 1e-5) {
        *up = below / width;
        return below * above / variance;
    }
    // Written for a positive drift, where nothing overflows; a negative one is the mirror image.
    double from = theta > 0 ? below : above;
    double hit = expm1(-fabs(theta) * from) / expm1(-fabs(theta) * width);
    *up = theta > 0 ? hit : 1 - hit;
    return (above * *up - below * (1 - *up)) / drift;
}

sprt_status sprt_state(const sprt_test *t, const double *counts, int kinds)
{
    sprt_status out = {.llr = sprt_llr(t, counts, kinds), .lower = sprt_lower(t), .upper = sprt_upper(t)};
    double games = kinds == 5 ? 2 : 1, smooth[MOST], mean, variance, up;
    for (int i = 0; i < kinds; i++) {
        out.games += games * counts[i];
        smooth[i] = counts[i] + 1; // few counts say little of drift and variance: one virtual outcome of each kind
    }
    out.verdict = out.llr >= out.upper ? SPRT_H1 : out.llr <= out.lower ? SPRT_H0 : SPRT_OPEN;
    if (out.verdict != SPRT_OPEN) {
        out.chance1 = out.verdict == SPRT_H1;
        return out;
    }
    shares s = shares_of(smooth, kinds, 0);
    moments(s.a, s.h, kinds, &mean, &variance);
    // In units where an outcome has variance 1, its log-likelihood ratio has variance step^2 and drifts by
    // step * (m - middle).
    bool normal = t->scale == SPRT_NORMALISED;
    double e0 = normal ? t_value(t->elo0, kinds) : elo_expected(t->elo0) / sqrt(variance);
    double e1 = normal ? t_value(t->elo1, kinds) : elo_expected(t->elo1) / sqrt(variance);
    double m = normal ? (mean - 0.5) / sqrt(variance) : mean / sqrt(variance);
    double step = e1 - e0, below = out.llr - out.lower, above = out.upper - out.llr;
    out.left = games * exit_time(step * (m - 0.5 * (e0 + e1)), step * step, below, above, &out.chance1);
    out.left0 = games * exit_time(-0.5 * step * step, step * step, below, above, &up);
    out.left1 = games * exit_time(0.5 * step * step, step * step, below, above, &up);
    return out;
}

match_elo match_elo_of(const double *counts, int kinds, double level)
{
    match_elo out = {.score = 0.5, .superiority = 0.5, .flat = true};
    double total = 0, mean, variance;
    int seen = 0;
    for (int i = 0; i < kinds; i++) {
        total += counts[i];
        seen += counts[i] > 0;
    }
    out.games = kinds == 5 ? 2 * total : total;
    if (total <= 0) {
        out.low = elo_difference(0);
        out.high = elo_difference(1);
        out.margin = out.high;
        return out;
    }
    shares s = shares_of(counts, kinds, unseen);
    moments(s.a, s.h, kinds, &mean, &variance);
    double error = sqrt(variance / s.n), half = dist_normal_quantile(0.5 + 0.5 * level) * error;
    out.score = mean;
    out.elo = elo_difference(mean);
    out.low = elo_difference(mean - half);
    out.high = elo_difference(mean + half);
    out.margin = 0.5 * (out.high - out.low);
    if (seen < 2) {
        double other = 1 - pow(0.5 * (1 - level), 1 / total), a = 0;
        for (int i = 0; i < kinds; i++)
            if (counts[i] > 0) a = s.a[i];
        out.low = elo_difference(a * (1 - other));
        out.high = elo_difference(a + (1 - a) * other);
    }
    out.superiority = dist_normal_cdf((mean - 0.5) / error);
    out.normalised = 2 * ELO_PER_NAT * (mean - 0.5) / sqrt(variance * (kinds == 5 ? 2 : 1));
    out.flat = seen < 2;
    return out;
}

match_elo match_elo_counted(const match_counts *c, double level)
{
    if (c->unpaired == 0) return match_elo_of(c->n5, 5, level);
    match_elo out = match_elo_of(c->n3, 3, level);
    if (c->telling < LEAST_CLUSTERS) return out;
    double df = c->clusters - 1, error = sqrt(c->spread * c->clusters / df) / out.games;
    double half = dist_student_quantile(0.5 + 0.5 * level, df) * error;
    out.low = elo_difference(out.score - half);
    out.high = elo_difference(out.score + half);
    out.margin = 0.5 * (out.high - out.low);
    out.superiority = dist_normal_cdf((out.score - 0.5) / error);
    return out;
}

const char *sprt_verdict_name(sprt_verdict v)
{
    static const char *const names[] = {"undecided", "rejected", "accepted"};
    return names[v];
}
