// Inner part of rating.c: the maximum of likelihood + prior over a table, in natural units (1 = 173.7 Elo).
//
// One vector holds the parameters: x[n+2] = n ratings, the first-move advantage, the draw parameter (model.h). Open to
// bootstrap.c, which solves thousands of times, and to tests, which check the derivatives.
#ifndef KEIKO_STATS_NEWTON_H
#define KEIKO_STATS_NEWTON_H

#include "stats/rating.h"

// Likelihood of the table plus prior at x. g[n+2] and h[n+2][n+2] (may be NULL) are overwritten with gradient and
// Hessian.
double newton_objective(const tally *t, rating_model m, double prior_draws, double prior_sd, const double *x, double *g,
                        double *h);
// The prior's part alone, added to g and h.
double newton_prior(int n, rating_model m, double draws, double sd, const double *x, double *g, double *h);

typedef struct newton_point {
    bool advantage, draw; // in: which of the two are fitted; else held at 0 (Davidson: nu = 0)
    double *x, *bread;    // out, caller-owned: [n+2], and the inverse information [n+2][n+2], zero for held parameters
    double loglik;        // out: of the games alone
    int iterations, parameters;
    bool bounded; // out: false when some direction holds less information than any finite estimate can
} newton_point;

// `start` (may be NULL): x of a similar table. Of the options only model, anchors and priors are used; anchors are held
// at their distance from the anchors' mean, so x = 0 is that mean, or the pool's without anchors.
err newton_solve(newton_point *out, const tally *t, const rating_options *o, const double *start);

#endif
