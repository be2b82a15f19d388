// Did a change make players stronger? Two sets of results, one before and one after it.
//
// The seed calls a difference within ±20 Elo equal, +30 better and -30 worse. With 50 games a pairing two runs of
// unchanged players differ by 30 or more most of the time, so the labels are printed beside an interval and a verdict
// that states how often it errs:
//   stronger / weaker  a difference of this size would rarely come from chance. Over all players compared, the chance
//                      that any such verdict is wrong is at most 1 - level (Holm's method).
//   equal              the interval, widened for the number of players (Bonferroni), lies within ±20.
//   undecided          neither; the text says how many games would settle 30 Elo.
//
// How two runs can be compared at all: if some players are known to be the same in both (same configuration), all games
// of both runs are fitted as one pool in which those players appear once. Otherwise each run is fitted alone, and a
// player's difference is relative to the mean of the players compared: a gain that all share does not show.
#ifndef KEIKO_STATS_COMPARE_H
#define KEIKO_STATS_COMPARE_H

#include "stats/rating.h"

#define COMPARE_EQUAL_WITHIN 20.0
#define COMPARE_SEED_STEP    30.0

typedef enum compare_verdict { COMPARE_UNDECIDED, COMPARE_STRONGER, COMPARE_WEAKER, COMPARE_EQUAL } compare_verdict;

typedef struct compare_link {
    const char *baseline, *target; // names; the two need not be equal
} compare_link;

typedef struct compare_options {  // zero is the default
    double level;                 // 0 = 0.95
    rating_options rating;        // model and priors; anchors are not used
    const char *const *unchanged; // names of players that are the same in both runs
    int n_unchanged;
    bool all_same;             // nobody changed, so nobody is named: all are compared, to see what chance does
    const compare_link *links; // who is compared with whom; none = every name in both runs that is not `unchanged`
    int n_links;
} compare_options;

typedef struct compare_row {
    char *name;              // "medium", or "old -> new" where the names differ
    double baseline, target; // ratings in a common frame
    double difference, se;   // target - baseline; the error already holds the small-sample factor
    interval interval;       // at `level`, for this player alone
    double p;                // two-sided: chance of a difference this large without a change
    double games;            // of the player with fewer games in the two runs
    double more_games;       // games a run still needed to show 30 Elo four times in five; 0 when decided
    double sequential[2];    // seed's K = 32 ratings, baseline and target
    compare_verdict verdict;
    const char *label;  // the seed's: "equal", "better", "worse", or "between" from 20 to 30
    double label_error; // how often the label says better or worse of an unchanged player at this number of games
    char *text;         // all of it in sentences
} compare_row;

typedef struct comparison {
    compare_row *row;
    int n;
    double level;
    bool joint; // fitted as one pool over the unchanged players
    notes notes;
} comparison;

err compare_results(comparison *out, const results *baseline, const results *target, const compare_options *o);
void comparison_free(comparison *c);

const char *compare_verdict_name(compare_verdict v); // "undecided", "stronger", "weaker", "equal"
const char *compare_seed_label(double difference);

#endif
