// Othello's pattern weights, without human knowledge: positions labelled by the network and by search, then regression.
//
// First the network (itself trained from zero, `keiko train othello`) plays games by its policy from random openings; it
// labels every position of them and as many positions a random move or two beside them. That is cheap: on a GPU a hundred
// million in minutes. The last empties are solved exactly instead. A first fit of all these makes weights good enough to
// search with. Then our own search plays games with them; a position's label there is its exact score near the end and before
// that a blend of its search value and the label of the position after it. The second fit is over these and all exact rows,
// and is pulled towards the first, which so remains where shapes are rare.
//
// A fit is one regularised least-squares problem over the weights at all knots (oth_eval.h), which are pulled towards where
// they started and their changes towards those of the neighbouring knots, so that shapes rarely seen at one stage take over
// what is known of them at the next; preconditioned conjugate gradients solve it. On the CPU everything is a function of the
// options: games are keyed (seed, number), sums are taken in a fixed order. A GPU may round differently; a time limit decides
// how many games there are.
#ifndef KEIKO_LEARN_TUNE_TUNE_OTHELLO_H
#define KEIKO_LEARN_TUNE_TUNE_OTHELLO_H

#include "search/othello/oth_eval.h"

// Error of the evaluation on games that the fit has not seen.
typedef struct tune_error {
    int n[OTH_SQUARES + 1]; // positions, by empties
    double mean_abs[OTH_SQUARES + 1], rms[OTH_SQUARES + 1];
} tune_error;

typedef struct tune_options {
    uint64_t seed;
    const char *model;          // the network: a file or one that ships; NULL = the one that ships
    const char *backend;        // "auto" (or NULL), "cpu", "cuda"
    double minutes;             // stop after so long, all parts together; 0 = no limit
    int threads;                // 0 = one per core; on the CPU the result does not depend on it
    double scale;               // of the numbers of games; 1 = as shipped
    int net_games, lanes;       // games by the network; that many of them at once in a batch
    int search_games, depth;    // games by search; plies
    int net_exact, exact;       // empties from which positions are solved, in either kind of game
    double blend;               // share of the later label in a search game's label, 0 … 1
    double ridge, pull, smooth; // of the first fit towards zero, of the second towards the first, of neighbouring knots
    int iterations;             // of conjugate gradients per fit
    const oth_weights *from;    // start from these, without the network's games and the first fit; NULL = from nothing
    err (*save)(void *ctx, const oth_weights *w); // after each fit, so that little is lost; may be NULL
    void (*say)(void *ctx, const char *line);     // progress for people; may be NULL
    void *ctx;
} tune_options;

tune_options tune_defaults(void);

// *out: caller frees with oth_weights_free. ERR_STOPPED when a stop was requested (base/stop.h).
err tune_othello(const tune_options *o, oth_weights **out, tune_error *error);

// A plot of the errors by empties, as SVG.
err tune_error_svg(const tune_error *e, text_buf *out);

#endif
