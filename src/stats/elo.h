// The Elo scale, and the sequential K-factor rating of seed 004.
//
// Sequential Elo is here because people know it and the seed asks for it. It depends on the order of the games:
// shuffling one set of 400 results moves a player by a standard deviation of 34 to 38 Elo. The headline is rating.h,
// which fits all games at once.
#ifndef KEIKO_STATS_ELO_H
#define KEIKO_STATS_ELO_H

#include "stats/results.h"

#define ELO_START   1500.0
#define ELO_K       32.0
#define ELO_PER_NAT 173.71779276130073 // 400 / ln 10: one unit of log odds in Elo

double elo_expected(double difference); // score expected by a player `difference` Elo stronger
double elo_difference(double score);    // the inverse; scores are kept within 0.001 … 0.999, so within about ±1200

// One game: both ratings move by k * (score - expected).
void elo_update(double *first, double *second, int halves, double k);
// All games in their order from `start`; rating[players]. ELO_START and ELO_K are the seed's values.
void elo_sequential(const results *r, double start, double k, double *rating);

#endif
