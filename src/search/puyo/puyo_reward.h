// Dense rewards for versus Puyo: the components of seed 000, corrected, and the potential that shapes them.
//
// A step of a seat goes from one of its decisions to its next one, or to the end of the match. What is rewarded is the
// difference between two moments (the fields' terms, nuisance on its way, totals of nuisance sent and fallen) and what the
// seat's own placement did (its chain, how well its puyos cluster). Every component is a function of such a step and is
// multiplied by a weight; two presets:
//   seed     the seed's formulae with the errors removed: exactly one of win and loss, nuisance counted as it is sent and
//            as it falls, cancelling counted once
//   shaped   (default) win, loss and gamma * Phi(after) - Phi(before) with Phi(end) = 0, which leaves the best policy as it
//            is. Phi is mine less the other's: heights, setup, chain, triggers, danger, nuisance on its way
#ifndef KEIKO_SEARCH_PUYO_PUYO_REWARD_H
#define KEIKO_SEARCH_PUYO_PUYO_REWARD_H

#include "games/puyo/puyo_match.h"
#include "search/puyo/puyo_terms.h"

// name, weight in `seed`, weight in `shaped`, help. Each has a function puyo_reward_NAME of a step, before the weight.
#define PUYO_REWARDS(R)                                                                                                \
    R(survival, 1, 0, "0.01 for each step that does not end the match")                                                \
    R(tempo, 1, 0, "lower and readier to fire than the other")                                                         \
    R(position, 1, 0, "clustering, balance, growing chain, danger avoided")                                            \
    R(setup, 1, 0, "growing chain and more cells to fire it from")                                                     \
    R(defense, 1, 0, "danger reduced, nuisance cancelled")                                                             \
    R(threat, 1, 0, "the other's largest shot became smaller")                                                         \
    R(execution, 1, 0, "a chain of two and more was fired, 0.1 * 1.5^(links - 1), at most 2")                          \
    R(dealt, 1, 0, "0.02 for each nuisance sent")                                                                      \
    R(received, 1, 0, "-0.02 for each nuisance that fell")                                                             \
    R(win, 1, 1, "10 for a match won")                                                                                 \
    R(loss, 1, 1, "-10 for a match lost")                                                                              \
    R(shaping, 0, 1, "gamma * Phi(after) - Phi(before)")                                                               \
    R(cluster, 0, 0, "puyos of one colour around those placed, in eighths")

// Terms of Phi: name, weight, help. One weight for both sides.
#define PUYO_PHI(P)                                                                                                    \
    P(phi_height, -0.1, "mean height in rows")                                                                         \
    P(phi_setup, 3, "largest chain in tenths, at most 1")                                                              \
    P(phi_chain, 0.3, "largest chain in links")                                                                        \
    P(phi_triggers, 0.15, "cells that fire")                                                                           \
    P(phi_danger, -1, "height danger, 0 to 1")                                                                         \
    P(phi_nuisance, -0.06, "nuisance on its way, at most 60")

typedef enum puyo_reward_kind {
#define R(name, seed, shaped, help) PUYO_REWARD_##name,
    PUYO_REWARDS(R)
#undef R
        PUYO_REWARD_COUNT
} puyo_reward_kind;

typedef struct puyo_reward_weights {
#define R(name, seed, shaped, help) double name;
    PUYO_REWARDS(R)
#undef R
#define P(name, weight, help) double name;
    PUYO_PHI(P)
#undef P
} puyo_reward_weights;

// "shaped", "seed", or with changes: "shaped:win=5,phi_chain=0.2". `*out` is written only on success.
err puyo_rewards_parse(const char *text, puyo_reward_weights *out);
int puyo_rewards_print(const puyo_reward_weights *w, char *buf,
                       size_t n); // as snprintf; every weight, as parse takes it
const char *puyo_reward_name(int kind);
double puyo_reward_weight(const puyo_reward_weights *w, int kind);

// All that a reward may look at, at one moment of a match.
typedef struct puyo_moment {
    puyo_terms terms[2];
    uint32_t incoming[2];          // nuisance on its way: pending and coming
    uint32_t sent[2], received[2]; // totals
    bool over;
    float score[2]; // when over: 1, 1/2, 0
} puyo_moment;

void puyo_moment_of(const py_match *m, puyo_moment *out);
void puyo_moment_totals(const py_match *m, puyo_moment *out); // all but the terms, which stay as they are
// The same, with the terms of fields and pairs that are still as they were in `old` taken from `was`.
void puyo_moment_next(const py_match *m, const py_match *old, const puyo_moment *was, puyo_moment *out);

typedef struct puyo_step {
    const puyo_moment *before, *after;
    int me;
    int chain;     // links that the own placement fired
    float cluster; // puyo_cluster of it
    double gamma;
    const puyo_reward_weights *w; // for Phi
} puyo_step;

// Of both puyos placed: the mean share of the eight cells around that hold the same colour, before anything pops.
float puyo_cluster(const py_field *before, int move, uint8_t pair);

double puyo_phi(const puyo_moment *m, int me, const puyo_reward_weights *w); // 0 when the match is over

#define R(name, seed, shaped, help) double puyo_reward_##name(const puyo_step *s);
PUYO_REWARDS(R)
#undef R

// Weighted components; returns their sum. Components whose weight is zero are not computed.
double puyo_reward_total(const puyo_step *s, double part[PUYO_REWARD_COUNT]); // part may be NULL
bool puyo_rewards_need_terms(const puyo_reward_weights *w);                   // anything beyond win and loss?

#endif
