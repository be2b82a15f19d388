// Errors without formulas: refit on pairs drawn with replacement.
//
// Slower than the sandwich and much the same where there are many games; worth it for few games and lopsided pools,
// where the percentile interval need not be symmetric. Pairs (games of one `pair`) are drawn whole, so dependence
// inside them is kept.
#ifndef KEIKO_STATS_BOOTSTRAP_H
#define KEIKO_STATS_BOOTSTRAP_H

#include "stats/rating.h"

typedef struct bootstrap {
    int n, resamples;
    int thin;           // resamples that bounded not every rating; these had two virtual draws lent
    double *low, *high; // [n+1] percentile interval, Elo; the advantage last
} bootstrap;

// `f` is the fit of `r` with options `o`; gets ERRORS_BOOTSTRAP and its count of clusters. The same seed gives the same
// numbers.
err rating_bootstrap(bootstrap *out, rating_fit *f, const results *r, const rating_options *o, int resamples,
                     double level, uint64_t seed);
void bootstrap_free(bootstrap *b);

#endif
