// The three likelihoods of a game with draws, for one pair of players.
//
// With d the first player's lead in natural units (its rating - the other's + the first-move advantage) and
// f(x) = 1 / (1 + e^-x):
//   Bradley-Terry  a draw is half a win and half a loss: score log f(d) + (n - score) log f(-d)
//   Rao-Kupper     win f(d - t), loss f(-d - t), draw the rest; threshold t > 0. BayesElo's "drawelo" is t in Elo
//   Davidson       win : draw : loss = e^(d/2) : nu : e^(-d/2), nu > 0; here e = ln nu
// All are concave in (d, e), so Newton's method finds the one maximum.
#ifndef KEIKO_STATS_MODEL_H
#define KEIKO_STATS_MODEL_H

#include "base/err.h"

#include <stdbool.h>

typedef enum rating_model { MODEL_BT, MODEL_RAO_KUPPER, MODEL_DAVIDSON } rating_model;

typedef struct model_value {
    double ll;            // log-likelihood of the counts
    double gd, ge;        // its gradient in d and in the draw parameter e
    double hdd, hde, hee; // its second derivatives
} model_value;

// Log-likelihood of counts between two players. `e`: t for Rao-Kupper, ln nu for Davidson, ignored by Bradley-Terry.
model_value model_eval(rating_model m, double d, double e, double wins, double draws, double losses);
// Chances of loss, draw, win of one game; Bradley-Terry knows no draws.
void model_chances(rating_model m, double d, double e, double p[3]);
// The draw parameter at which two equal players draw with this rate, 0 < rate < 1.
double model_draw_start(rating_model m, double rate);

#endif
