// A run of the bench: everything that decides its games, and where its results are kept.
//
// A setup is what a person asked for, complete: with it any game of the run can be played again, on any machine, at any
// time. A store keeps setups and finished games: in a SQLite file (store_sqlite.c), where SQLite was there at build time,
// or in memory (store_memory.c), for runs without a file and for results read from JSON. All that is computed from a run
// (tables, exports, reports) reads a store and does not know which kind it is.
#ifndef KEIKO_ARENA_TOUR_H
#define KEIKO_ARENA_TOUR_H

#include "arena/match.h"
#include "arena/schedule.h"
#include "stats/sprt.h"

enum { TOUR_TEXT = 256, TOUR_CONFIG = 17 };

typedef struct tour_player {
    char name[STATS_MAX_NAME + 1];
    char spec[TOUR_TEXT];
    char config[TOUR_CONFIG]; // hex: what decides its play, so that two runs can tell whether it is the same
} tour_player;

// How results become ratings, in words; kept with the run, so that every table, export and report of it agrees.
typedef struct tour_rating {
    char model[24];   // "bt-adv"; as rating_model_parse reads it
    char errors[24];  // "best"; as rating_errors_parse reads it
    char anchor[512]; // "NAME=RATING;…"; "" = none: the mean is 1500
    double prior;     // virtual draws of each player
    double level;     // of intervals
} tour_rating;
extern const tour_rating tour_rating_default;

typedef struct tour_setup { // free with tour_setup_free
    const game *g;
    char settings[TOUR_TEXT]; // options of the game
    tour_player *player;
    int n_players;
    schedule_kind schedule;
    uint64_t games; // a pairing
    uint64_t seed;
    char openings[TOUR_TEXT]; // the kind, or the name of a file
    openings set;             // and what came of it
    match_rules rules;
    bool has_sprt;
    sprt_test sprt;
    char build[TOUR_TEXT]; // of the program that began the run
    tour_rating rating;    // may be changed later: it decides no game
} tour_setup;

err tour_add_player(tour_setup *s, const char *name, const char *spec); // a name taken already gets "#2", "#3", …
void tour_config_hash(const tour_setup *s, const char *spec, char out[TOUR_CONFIG]);
void tour_setup_free(tour_setup *s);
// ERR_USAGE with a sentence that names the first difference; builds may differ.
err tour_setup_same(const tour_setup *was, const tour_setup *now);

typedef struct tour_state {
    int run;         // number in its store, from 1
    double started;  // unix seconds
    double ended;    // 0 = not finished
    uint64_t stop;   // games with a number from here on do not count: a test was decided before. 0 = all count
    uint64_t played; // games in the store
} tour_state;

typedef struct store store;

bool store_has_files(void);                                     // was SQLite there at build time?
err store_open_file(store **out, const char *path, bool write); // made when missing, if `write`
err store_open_memory(store **out);
bool store_is_written(const char *path); // does some process have it open to write?
void store_close(store *s);              // NULL is fine
const char *store_path(const store *s);  // "" in memory

int store_runs(store *s);
err store_begin(store *s, const tour_setup *r, double now, int *run);
err store_load(store *s, int run, tour_setup *setup, tour_state *state); // 0 = the last one
err store_add(store *s, int run, const match_record *r, int n);          // all or nothing, and on the disk
err store_finish(store *s, int run, uint64_t stop, double now);
err store_rating(store *s, int run, const tour_rating *how); // kept with the run from now on

// Every game of the run in order of its number; the record is borrowed for the call. An error of `fn` ends it.
typedef err store_visit(void *ctx, const match_record *r);
err store_games(store *s, int run, store_visit *fn, void *ctx);

#endif
