// The weights of Contrast's evaluation from nothing: self-play by our own engine, then a fit, a few times over.
//
// A generation plays the engine against itself with the weights of the one before (the first with none: it sees threats
// and nothing else) from random openings, with a random move now and then. Quiet positions (nobody can win with the next step)
// are collected. What the network is to say of one lies half way between what the search said and the result of the game; before the
// last random move the result says little, and the search alone counts. One game in ten is kept out of the fit and
// measures it; a match against the generation before shows what it brought. Everything is a function of the options: games are
// keyed (seed, generation, game), sums are taken in a fixed order, threads change nothing.
#ifndef KEIKO_LEARN_TUNE_TUNE_CONTRAST_H
#define KEIKO_LEARN_TUNE_TUNE_CONTRAST_H

#include "base/pool.h"
#include "base/progress.h"
#include "base/text.h"
#include "search/contrast/contrast_eval.h"

enum { CTR_TUNE_GENERATIONS = 7 };

typedef struct ctr_tune {
    uint64_t seed;
    int threads;                              // 0 = one per core
    double scale;                             // of the numbers of games; 1 = as shipped
    int opening;                              // random plies before a game: 2 … this many
    double decay;                             // how strongly weights are drawn to zero: as by so many positions
    int epochs;                               // of the fit
    int pairs;                                // of games in the match after each generation, 0 = none
    void (*say)(void *ctx, const char *line); // a line per generation; may be NULL
    void *ctx;
    progress *bar; // ticked by ctr_tune_work; NULL = none
} ctr_tune;

// What all games cost, in hundreds of nodes per move: as the bar counts them. The fits are not in it.
uint64_t ctr_tune_work(const ctr_tune *t);

ctr_tune ctr_tune_defaults(void);

// ERR_STOPPED when a stop was requested (base/stop.h).
err ctr_tune_all(const ctr_tune *t, int16_t weights[CTR_WEIGHTS]);

// The weights as the C file that holds them, src/search/contrast/contrast_weights.c.
void ctr_tune_write(const int16_t weights[CTR_WEIGHTS], text_buf *out);

// --- its parts

typedef struct ctr_sample {
    uint16_t facts[2][CTR_TRUE];
    uint8_t n;
    bool held;    // kept out of the fit
    float target; // expected result of the side to move
} ctr_sample;

typedef struct ctr_samples {
    int n, room;
    ctr_sample *list;
} ctr_samples;

err ctr_tune_play(const ctr_tune *t, int generation, int games, uint64_t nodes, const int16_t *weights, pool *p,
                  ctr_samples *out); // adds
void ctr_samples_free(ctr_samples *s);
err ctr_tune_fit(const ctr_tune *t, const ctr_samples *s, pool *p, int16_t *out);
double ctr_tune_loss(ctr_samples *s, const int16_t *weights); // of those held: cross-entropy per position, in nats

// Pairs of games between two players from the same random openings, colours exchanged.
typedef struct ctr_side {
    const int16_t *weights; // NULL = ctr_weights
    int depth;              // 0 = no limit
    uint64_t nodes;         // 0 = no limit; neither: the rule-based player
} ctr_side;

typedef struct ctr_score {
    int wins, draws, losses; // of the first
} ctr_score;

err ctr_match(const ctr_side *a, const ctr_side *b, int pairs, int opening, uint64_t seed, pool *p, ctr_score *out);

#endif
