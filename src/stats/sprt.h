// Sequential tests of a match (A against B), and the Elo difference of its counts.
//
// SPRT: play until the log-likelihood ratio of "elo1" against "elo0" leaves (ln(beta/(1-alpha)), ln((1-beta)/alpha)).
// Neither the draw rate nor the variance is assumed: each hypothesis gets the distribution of outcomes that fits best
// among those with its Elo (generalised SPRT), found by exact root finding rather than the usual normal approximation,
// which stops early: 130 wins, 40 draws and 90 losses pass (0, 30) there with 3.016 > 2.944, but have 2.941.
//
// Counts are by points, worst first: three numbers for games (lost, drawn, won) or five for pairs of games with sides
// swapped (0, 1/2, 1, 1 1/2, 2 points). Pairs are right when openings matter, and need fewer games. A count of 0 is
// taken as 0.001, so that an outcome not seen yet is unlikely, not impossible.
//
// Scales: logistic Elo is the usual one. Normalised Elo is the mean score's distance from 1/2 in standard deviations of
// a game, times 800/ln 10; tests with the same normalised bounds take as long for drawish games as for sharp ones.
#ifndef KEIKO_STATS_SPRT_H
#define KEIKO_STATS_SPRT_H

#include "base/err.h"
#include "stats/results.h"

#include <stdbool.h>

typedef enum sprt_scale { SPRT_LOGISTIC, SPRT_NORMALISED } sprt_scale;
typedef enum sprt_verdict { SPRT_OPEN, SPRT_H0, SPRT_H1 } sprt_verdict;
const char *sprt_verdict_name(sprt_verdict v); // "undecided", "rejected", "accepted"

typedef struct sprt_test {
    double elo0, elo1;  // elo0 < elo1
    double alpha, beta; // chance to accept elo1 when elo0 is true, and the reverse
    sprt_scale scale;
} sprt_test;

err sprt_check(const sprt_test *t); // a sentence when the numbers make no test
double sprt_lower(const sprt_test *t);
double sprt_upper(const sprt_test *t);

// `kinds` is 3 or 5. All of these take a checked test.
double sprt_llr(const sprt_test *t, const double *counts, int kinds);
// The normal approximation of the logistic one, for comparison with tools that print it; 0 when the scores do not vary.
double sprt_llr_approx(const sprt_test *t, const double *counts, int kinds);

typedef struct sprt_status {
    double llr, lower, upper;
    sprt_verdict verdict;
    double games;        // played
    double left;         // games still expected, with the strength as measured
    double left0, left1; // the same with a strength of exactly elo0, and of exactly elo1
    double chance1;      // that elo1 will be accepted, with the strength as measured
} sprt_status;
sprt_status sprt_state(const sprt_test *t, const double *counts, int kinds);

typedef struct match_elo {
    double games, score, elo, normalised; // score: mean points per game; normalised: the estimate on the other scale
    double low, high;                     // the interval, Elo
    double margin;                        // half the width of the normal interval, the ± that other tools print
    double superiority;                   // chance that the score's true mean is above 1/2
    bool flat;                            // all outcomes were alike, so that there is no variance to go by
} match_elo;
// Flat counts get an exact interval: with n equal outcomes any other has at most the chance 1 - (level tail)^(1/n).
// Without games: 0 Elo, the widest interval. Scores are kept within 0.001 … 0.999, so Elo within about ±1200.
match_elo match_elo_of(const double *counts, int kinds, double level);
// By pairs where all games are pairs. Where openings came back, or a pair is not complete, by clusters, as the ratings'
// ERRORS_PAIRS; with too few of them every game by itself.
match_elo match_elo_counted(const match_counts *c, double level);

#endif
