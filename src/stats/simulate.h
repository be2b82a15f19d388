// Tournaments whose true strengths are known: to test that intervals cover and tests err as often as they say.
//
// Every opening of every pairing is played twice with sides swapped. Two kinds of luck can belong to an opening, both
// normal:
//   balance  it favours whoever moves first: the two games of a pair then tend to split, and counting them as
//            independent makes errors too wide;
//   style    it suits one of the two players, whichever side it has: the two games then tend to agree, and the same
//            mistake makes errors too narrow.
#ifndef KEIKO_STATS_SIMULATE_H
#define KEIKO_STATS_SIMULATE_H

#include "base/rng.h"
#include "stats/model.h"
#include "stats/results.h"

typedef struct sim_options {
    int n;             // players, named p0, p1, …
    const double *elo; // [n]
    double advantage;  // Elo for moving first
    rating_model model;
    // Draws. Bradley-Terry: the share of the weaker side's points that come from draws, 0 to 1, so that the expected
    // score stays what the model says. Rao-Kupper: threshold in Elo. Davidson: nu.
    double draw;
    int pairs; // openings a pairing
    double balance_sd, style_sd;
} sim_options;

// Tournament number `index` of `seed`. Pairings in order, openings in order: `pair` is one number an opening of a
// pairing.
err sim_tournament(results *out, const sim_options *o, uint64_t seed, uint64_t index);
// One opening between a and b: halves[0] of a moving first, halves[1] of b moving first (each of the first player).
void sim_pair(const sim_options *o, int a, int b, rng *r, int halves[2]);
// The expected counts of a tournament, integrated over openings: what fits converge to with more and more games.
err sim_expected(tally *out, const sim_options *o);

#endif
