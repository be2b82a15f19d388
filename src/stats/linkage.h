// Can these results be rated at all? Found by graph search before any fit, and said in words.
//
// A rating by maximum likelihood is finite only if nobody (player or group) is undefeated against all the rest: the
// graph "took at least half a point from" must be strongly connected. Groups that never met cannot be compared at all.
// The first-move advantage has conditions of its own: it cannot be told from strength if no pair played both ways
// round, and has no limit if it explains every result. These are exact tests (difference constraints), not thresholds
// on a diverging fit.
#ifndef KEIKO_STATS_LINKAGE_H
#define KEIKO_STATS_LINKAGE_H

#include "stats/notes.h"
#include "stats/results.h"

typedef enum advantage_state {
    ADVANTAGE_FINITE,
    ADVANTAGE_UNSEEN,   // any value fits equally well if the ratings shift along
    ADVANTAGE_UNBOUNDED // the larger (or smaller) the better it fits
} advantage_state;

typedef struct linkage {
    int n;
    int n_groups, *group; // group[n]: players linked by games, whoever won; anchors count as linked
    int n_levels, *level; // level[n]: 0 is the highest. Nobody took half a point from a player of a higher level
    advantage_state advantage;
} linkage;

// `anchors`: players whose ratings are given, so that they need no link.
err linkage_examine(linkage *out, const tally *t, const int *anchors, int n_anchors);
// Ratings alone (without the advantage) are finite.
bool linkage_bounded(const linkage *c);
// Which players are the trouble, and what to do. Adds nothing when there is none.
err linkage_explain(const linkage *c, const tally *t, notes *out);
void linkage_free(linkage *c);

// "a, b and c", in quotes, at most `most` names and then "… and 4 more"; for sentences. Players with key[i] == value.
void linkage_names(const roster *who, const int *key, int value, int most, char *buf, size_t size);

#endif
