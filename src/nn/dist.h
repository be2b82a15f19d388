// Distributional Q-values: what the numbers of a duel head with several atoms mean, and how they are learned.
//
//   c51   an action's atoms are logits of probabilities on a fixed grid from -support to support. The target of a step is the
//         next action's distribution, shrunk, moved and projected back onto the grid; the loss is cross-entropy.
//   qr    an action's atoms are quantiles of its return, at (i + 1/2) / atoms. The target is the next action's quantiles, shrunk
//         and moved; the loss is the quantile Huber loss, whose delta should be small against the spread of returns.
// Actions are chosen by the mean. Which of the two a network is, its description does not say: files
// note it.
#ifndef KEIKO_NN_DIST_H
#define KEIKO_NN_DIST_H

#include "base/err.h"

typedef enum nn_dist_kind { NN_DIST_NONE, NN_DIST_C51, NN_DIST_QR, NN_DIST_KINDS } nn_dist_kind;

typedef struct nn_dist {
    nn_dist_kind kind;
    double support; // c51: above 0
} nn_dist;

const char *nn_dist_name(nn_dist_kind k);               // "none", "c51", "qr"
err nn_dist_parse(const char *name, nn_dist_kind *out); //
double nn_dist_at(const nn_dist *d, int atoms, int i);  // c51: atom i's place on the grid
// q[rows] from out[rows][atoms]; without a distribution atoms is 1 and this copies. In place is fine.
void nn_dist_means(const nn_dist *d, int atoms, int rows, const float *out, float *q);
// The target of reward + discount * Z, Z being the distribution of which next[atoms] are a network's numbers.
void nn_dist_target(const nn_dist *d, int atoms, double reward, double discount, const float *next, float *target);

// Mean of one action's numbers, and its gradient.
double nn_dist_mean(const nn_dist *d, int atoms, const double *out, double *grad);
// scale * loss of one action against a target; its gradient; `off` gets the target's mean less the action's.
double nn_dist_loss(const nn_dist *d, int atoms, const double *out, const float *target, double huber, double scale,
                    double *dout, double *off);

#endif
