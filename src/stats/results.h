// Game results in memory: what the ratings are computed from.
//
//   roster   the players' names; everything else speaks of players by their index in it
//   results  every game by itself, in the order played, with the pair (or opening) it belongs to
//   tally    the same games added up: one cell per ordered pair of players (who moved first, who second)
//
// The likelihoods need only the tally. The single games are needed where order matters (sequential Elo) and where games
// depend on each other: both games of one opening share luck, so honest errors count pairs, not games. `pair` names
// that cluster: give all games that share an opening between two players the same number.
#ifndef KEIKO_STATS_RESULTS_H
#define KEIKO_STATS_RESULTS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATS_MAX_PLAYERS = 1024, STATS_MAX_NAME = 255 }; // the fit is dense: 1024 players are 8 MiB and a few seconds
#define PAIR_NONE       UINT32_MAX                       // a game that shares its opening with no other
#define STATS_MAX_COUNT 1e12                             // games in one cell of a table

typedef struct roster { // zero is empty
    char **name;        // owned
    int n;
} roster;

err roster_add(roster *r, const char *name, int *index); // finds or appends; refuses "" and control characters
int roster_find(const roster *r, const char *name);      // -1: not there
err roster_copy(roster *out, const roster *r);
void roster_free(roster *r);

typedef struct result {
    uint16_t first, second; // who moved first; never the same player
    uint8_t halves;         // of the first player: 2 win, 1 draw, 0 loss
    uint32_t pair;          // cluster, or PAIR_NONE
} result;

typedef struct results { // zero is empty
    roster who;
    result *game;
    size_t n, room;
} results;

err results_add(results *r, int first, int second, int halves, uint32_t pair);
void results_free(results *r);

typedef struct tally_cell {
    int first, second;
    double wins, draws, losses; // of the first player. Whole in data; expectations and weights may be fractions
} tally_cell;

typedef struct tally { // zero is empty
    roster who;
    tally_cell *cell; // in order of appearance; no two for the same (first, second)
    int n;
} tally;

err tally_of(tally *out, const results *r);
// The table as text: header `first,second,first_wins,draws,second_wins`, then one row per cell; names in "…" where they
// hold a comma or a quote. Rows for the same players are added up. Refuses anything else and names the line.
err tally_parse(tally *out, const char *text, size_t length);
// The same as text; returns the length without NUL, as snprintf.
size_t tally_print(const tally *t, char *buf, size_t size);
err tally_add(tally *t, int first, int second, double wins, double draws, double losses);
void tally_free(tally *t);
// Single games again: cell by cell, wins, draws, losses. For tables without an order, so that an order can be drawn.
err results_of(results *out, const tally *t);

typedef struct player_total {
    double games, wins, draws, losses, first; // `first`: games as first player
} player_total;
void tally_totals(const tally *t, player_total *out); // out[players]
double tally_games(const tally *t);

// Two players' games for a match test, as `a` sees them. n3: lost, drawn, won games. n5: pairs by a's points in them,
// 0, ½, 1, 1½, 2: a pair is exactly two games with sides swapped; anything else is left out of n5 and counted in
// `unpaired`. A cluster is all games of one opening, or one game of none; `spread` is the sum over the clusters of
// (a's points - games * a's score)², and `telling` counts those that add to it.
typedef struct match_counts {
    double n3[3], n5[5], unpaired;
    double clusters, telling, spread;
} match_counts;
err results_match(match_counts *out, const results *r, int a, int b);

#endif
