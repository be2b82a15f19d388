// A run as numbers: everything that tables, exports, comparisons and reports print, computed once from its store.
#ifndef KEIKO_ARENA_VIEW_H
#define KEIKO_ARENA_VIEW_H

#include "arena/repeats.h"
#include "arena/tour.h"
#include "base/text.h"
#include "stats/bootstrap.h"
#include "stats/elo.h"
#include "stats/rating.h"

typedef struct view_player { // totals over its games
    double games, wins, draws, losses, first;
    double plies;          // of whole games
    double choices, nodes; // its own
    double seconds;        // thinking
    double cpu;            // seconds of CPU time; 0 in results of versions that did not measure it
    double failures;       // games lost by a crash, a time-out or an illegal move
} view_player;

typedef struct view_pairing {
    int a, b; // a < b
    double wins_a, wins_b, draws;
    match_counts counts; // as a sees them
    match_elo elo;       // by pairs where all games are paired, else by games
} view_pairing;

typedef struct view_options {             // zero: as the run says (tour_setup.rating)
    const char *model, *errors, *anchors; // NULL = as the run says
    bool has_prior;
    double prior;
    double level;  // 0 = as the run says
    int resamples; // with ERRORS_BOOTSTRAP; 0 = 1000
    uint64_t seed; // of the bootstrap
    bool playing;  // somebody plays it just now: no note that it is not finished
} view_options;
// A run's own words with what the options say put in their place.
err view_rating(tour_rating *out, const tour_rating *run, const view_options *o);
// ERR_USAGE where an anchor is wrong or no player of the run: to be known before the games.
err view_rating_fits(const tour_setup *s, const tour_rating *rating);

typedef struct tour_view { // free with view_free
    tour_setup setup;      // its `rating` is what was used, whatever the store says
    tour_state state;
    const char *path;      // of the store, and borrowed from it; "" in memory
    rating_options rating; // how it was rated: setup.rating, read
    rating_errors errors;
    int resamples;
    uint64_t seed;
    results games; // in order of their numbers; `pair` is the cluster for errors
    view_player *player;
    view_pairing *pairing; // those that met, in order of players
    int n_pairings;
    uint64_t planned;
    uint32_t cycle; // pairs until the openings come back; 0 = they do not
    uint64_t reasons[MATCH_FAILED + 1];
    uint64_t *same; // numbers of the games that repeat earlier ones and do not count (repeats.h), ascending
    size_t n_same, room_same;
    uint64_t repeats; // of those that count: games that are an earlier one of the same players move by move
    bool rated;       // there are games, so `fit` and `sequential` are filled
    rating_fit fit;
    bootstrap boot; // with ERRORS_BOOTSTRAP
    double *sequential;
    double n5[5]; // with a test: pairs that count
    sprt_status test;
    notes notes; // about the run; the fit has notes of its own
} tour_view;

err view_load(tour_view *v, store *s, int run, const view_options *o); // run 0 = the last
void view_free(tour_view *v);
// False: played after a test was decided, or a repeat.
bool view_counts(const tour_view *v, const match_record *r);
uint64_t view_played(const tour_view *v); // with repeats

// Games that share an opening between two players are one cluster for errors. Rounds beyond the number of openings come
// back to the same ones: where nothing else varies these are the same games again, and must not count as new evidence.
static inline uint32_t view_cluster(const tour_view *v, const match_record *r)
{
    return v->cycle > 0 ? r->what.pair % v->cycle : r->what.pair;
}

interval view_interval(const tour_view *v, int player); // player n = the first-move advantage
interval view_gap(const tour_view *v, int a, int b);    // of rating a - rating b
double view_score(const view_player *p);                // points per game; 0 without games
const char *view_opening(const tour_view *v, uint32_t opening, char buf[OPENING_NAME]); // its name, or "#12"

int *view_by_rating(const tour_view *v); // players from the strongest; caller frees; NULL: no memory

// Ratings after each number of games, for a convergence curve: at[k] games, rating[k * players + i]. Caller frees both.
err view_convergence(const tour_view *v, int points, double **at, double **rating, int *n);

// --- for people: text tables, as plain text or Markdown
typedef enum table_style { TABLE_TEXT, TABLE_MARKDOWN } table_style;
void table_ratings(const tour_view *v, table_style style, text_buf *out);
void table_statistics(const tour_view *v, table_style style, bool timing, text_buf *out);
void table_matchups(const tour_view *v, table_style style, text_buf *out);
void table_superiority(const tour_view *v, table_style style, text_buf *out);
void table_test(const tour_view *v, table_style style, text_buf *out); // the sequential test, in words; if there is one
void table_notes(const tour_view *v, table_style style, text_buf *out); // whatever must be known to trust the numbers
void table_words(table_style style, const char *words, text_buf *out);  // text from outside, made safe for the style

#endif
