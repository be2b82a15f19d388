// Othello's pattern weights from nothing: self-play by our own search, then regression, a few times over.
//
// A generation plays games with the weights of the one before (the first with a plain count of mobility and corners).
// Games open with random moves, a few more are strewn in later, and from `exact` empties on every position is solved. A
// position's label is its exact score where that is known; before, a blend of its own search value and the label of the
// position after it. A stage's weights solve ridge-regularised least squares, pulled towards the later stage's weights so
// that shapes rarely seen there take over what is known of them; preconditioned conjugate gradients find them.
// Everything is a function of the options: games are keyed (seed, generation, game), sums are taken in a fixed order.
#ifndef KEIKO_LEARN_TUNE_TUNE_OTHELLO_H
#define KEIKO_LEARN_TUNE_TUNE_OTHELLO_H

#include "search/othello/oth_eval.h"

enum { TUNE_GENERATIONS = 4 };

typedef struct tune_generation {
    int games;
    int depth; // of the search that chooses and values moves
    int exact; // empties from which positions are solved
} tune_generation;

// Error of the evaluation on games that the fit has not seen.
typedef struct tune_error {
    int n[OTH_SQUARES + 1]; // positions, by empties
    double mean_abs[OTH_SQUARES + 1], rms[OTH_SQUARES + 1];
} tune_error;

typedef struct tune_options {
    uint64_t seed;
    int generations;                          // 0 = all of them
    int threads;                              // 0 = one a core; the result does not depend on it
    double scale;                             // of the numbers of games; 1 = as shipped
    double blend;                             // share of the later label in a label, 0 … 1
    double ridge;                             // strength of the pull, in positions
    int iterations;                           // of conjugate gradients a stage
    void (*say)(void *ctx, const char *line); // progress for people; may be NULL
    void *ctx;
} tune_options;

tune_options tune_defaults(void);

// *out: caller frees with oth_weights_free. ERR_STOPPED when a stop was requested (base/stop.h).
err tune_othello(const tune_options *o, oth_weights **out, tune_error *error);

// A plot of the errors by empties, as SVG.
err tune_error_svg(const tune_error *e, text_buf *out);

#endif
