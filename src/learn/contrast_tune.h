// Fits the weights of Contrast's evaluation to the results of the engine's own games.
//
// One round: the engine plays itself with the present weights from random openings; quiet positions of these games (nobody
// can win with the next step) are collected with the game's result; the weights are fitted to them as a logistic
// regression, so that the evaluation is the log-odds to win. Then a match of the new weights against the old ones says
// whether they are better. All of it is a function of the options: threads change nothing.
#ifndef KEIKO_LEARN_CONTRAST_TUNE_H
#define KEIKO_LEARN_CONTRAST_TUNE_H

#include "base/pool.h"
#include "search/contrast_eval.h"

typedef struct ctr_tune {
    int games;     // a round
    int depth;     // of both sides
    int opening;   // random plies: 2 … this many, different from game to game
    uint64_t seed; // of the openings
    double decay;  // how strongly weights are drawn to zero; 0 = 1e-5
    int epochs;    // 0 = 30
} ctr_tune;

typedef struct ctr_samples {
    int n, room;
    int8_t (*f)[CTR_WEIGHTS];
    float *result; // of the side to move: 1, ½, 0
} ctr_samples;

// Plays the games of round `round` and adds their positions. `at` (may be NULL) is told how many games are done.
err ctr_tune_play(const ctr_tune *t, int round, const int16_t *weights, pool *p, ctr_samples *out);
void ctr_samples_free(ctr_samples *s);

// Fits; returns the mean loss (cross-entropy a position, in nats). `out` receives the rounded weights.
err ctr_tune_fit(const ctr_tune *t, const ctr_samples *s, int16_t *out, double *loss);
double ctr_tune_loss(const ctr_samples *s, const int16_t *weights);

// Pairs of games between two players from the same random openings, colours exchanged.
typedef struct ctr_side {
    const int16_t *weights; // NULL = ctr_weights
    int depth;              // 0 = the rule-based player
} ctr_side;

typedef struct ctr_score {
    int wins, draws, losses; // of the first
} ctr_score;

err ctr_match(const ctr_side *a, const ctr_side *b, int pairs, int opening, uint64_t seed, pool *p, ctr_score *out);

#endif
