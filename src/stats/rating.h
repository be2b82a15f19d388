// Ratings of a whole pool at once: maximum likelihood with a first-move advantage, and errors one can trust.
//
// All games are fitted together (Newton's method on a concave likelihood, model.h), so the order of play does not
// matter. Frame: without anchors the pool's mean is `centre` (1500), and every error is in that frame; with anchors
// their ratings are held and errors are relative to them.
//
// Four kinds of error, from most to least assuming:
//   ERRORS_INFO       inverse of the information matrix: right if the model is right. With draws as half points it is
//                     too large, since a drawn game varies less than a decided one.
//   ERRORS_GAMES      sandwich, every game by itself: right for any draw rate, if games are independent.
//   ERRORS_PAIRS      sandwich clustered by `pair`: also right when the games of one opening depend on each other.
//   ERRORS_BOOTSTRAP  refits on resampled pairs (bootstrap.h): no formula at all, some 1000 fits.
// ERRORS_BEST takes pairs if the fit had single games, else games. It falls back to INFO where a sandwich would be too
// thin: where the prior had to be lent, and where not more than the parameters and 5 pieces (games or pairs) say anything
// (twenty draws and nothing else would give an error of 0).
//
// The prior is off unless asked for. When the results alone do not bound some rating (linkage.h says exactly when), two
// virtual draws a player are lent so that there is a table to show; `prior_lent` is set and the notes say which players
// and why. With `strict` that is an error instead. Nothing here is ever NaN or infinite.
#ifndef KEIKO_STATS_RATING_H
#define KEIKO_STATS_RATING_H

#include "stats/dist.h"
#include "stats/model.h"
#include "stats/notes.h"
#include "stats/results.h"

typedef struct rating_anchor {
    int player;
    double rating;
} rating_anchor;

typedef struct rating_options { // zero is the headline fit: Bradley-Terry with first-move advantage, mean 1500
    rating_model model;
    bool no_advantage; // hold the first-move advantage at 0
    double centre;     // mean of the pool when there are no anchors; 0 = 1500
    const rating_anchor *anchors;
    int n_anchors;
    // Priors, towards the pool's mean so that they choose no frame; 0 = none. The advantage and the draw parameter get
    // the same weight of virtual games between equals: half drawn, a quarter won and a quarter lost by the first
    // player.
    double prior_draws; // virtual draws of each player against one of the pool's mean strength
    double prior_sd;    // a normal prior of this many Elo about the pool's mean; does not touch advantage and draws
    bool strict;        // refuse results that do not bound every rating, instead of lending a prior
} rating_options;

typedef enum rating_errors {
    ERRORS_BEST,
    ERRORS_INFO,
    ERRORS_GAMES,
    ERRORS_PAIRS,
    ERRORS_BOOTSTRAP,
    ERRORS_KINDS
} rating_errors;

typedef struct rating_fit { // free with rating_free
    int n;
    rating_model model;
    double *rating;               // [n] Elo
    double advantage;             // Elo for moving first
    double draw;                  // Rao-Kupper: threshold in Elo; Davidson: nu; Bradley-Terry: 0
    double loglik;                // of the games, without the prior
    double games;                 // how many
    double clusters;              // independent pieces behind ERRORS_PAIRS; 0 before rating_pairs
    double telling[ERRORS_KINDS]; // games, and pairs, that deviate from their expectation at all
    int parameters;               // fitted
    bool has_advantage, has_draw; // false: held at a fixed value (not asked for, or not to be told from the results)
    bool prior_lent;              // the results do not bound some rating; see the notes
    double prior_draws, prior_sd; // as used
    int iterations;               // of Newton's method
    notes notes;                  // for people; may be empty
    double *cov[ERRORS_KINDS];    // [n+1][n+1] Elo², the advantage last; NULL where not computed
    double *natural, *bread;      // inner: parameters in natural units [n+2], and their inverse information [n+2][n+2]
} rating_fit;

// Fits a table: ERRORS_INFO and ERRORS_GAMES.
err rating_fit_tally(rating_fit *out, const tally *t, const rating_options *o);
// Fits single games: adds ERRORS_PAIRS.
err rating_fit_results(rating_fit *out, const results *r, const rating_options *o);
// The part of it that adds ERRORS_PAIRS to a fit of the same games.
err rating_pairs(rating_fit *f, const results *r);
void rating_free(rating_fit *f);

// What `keiko verify rating-pool` does: the table's text in, table and fit out. `model` as rating_model_parse takes it.
err rating_verify(tally *t, rating_fit *f, const char *text, size_t length, const char *model);
// "bt" (no advantage), "bt-adv" (also NULL and ""), "rao-kupper", "davidson".
err rating_model_parse(const char *name, rating_options *o);
const char *rating_model_name(const rating_options *o);
extern const char *const rating_model_names; // "bt|bt-adv|rao-kupper|davidson", for help

rating_errors rating_errors_used(const rating_fit *f, rating_errors kind); // what ERRORS_BEST stands for here
const char *rating_errors_name(rating_errors kind); // "best", "information", "sandwich", "pairs", "bootstrap"
err rating_errors_parse(const char *name, rating_errors *out); // NULL or "" = best

// Standard errors, Elo. An index of n means the advantage. `kind` must have been computed.
double rating_se(const rating_fit *f, rating_errors kind, int i);
double rating_difference_se(const rating_fit *f, rating_errors kind, int i, int j);
// Intervals: estimate ± quantile * factor * error. A sandwich of G pieces and p parameters is widened by sqrt(G/(G-p))
// and takes Student's quantile with G-p degrees of freedom: without both, intervals of small tournaments are too
// narrow.
interval rating_interval(const rating_fit *f, rating_errors kind, int i, double level);
interval rating_difference_interval(const rating_fit *f, rating_errors kind, int i, int j, double level);
typedef struct rating_scale {
    double factor, df; // df 0 = normal
} rating_scale;
rating_scale rating_scale_of(const rating_fit *f, rating_errors kind);
double rating_quantile(rating_scale s, double p);
// Chance that i is stronger than j, given the errors: normal, flat prior. 1/2 for i = j.
double rating_superiority(const rating_fit *f, rating_errors kind, int i, int j);

#endif
