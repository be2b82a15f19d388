// Playing a run: the games that its store does not have yet, on several threads, into the store.
//
// Finished games wait in memory until a batch is written; only then do they count as played. A run that was interrupted,
// by Ctrl-C or by kill -9, is continued by calling this again: every game's chance is keyed by its number, so what is
// played later is what would have been played then.
//
// A sequential test is judged on the games in order of their numbers, never in the order they end, so it stops at the
// same game on any number of threads; later games that were under way are in the store but do not count (tour_state.stop).
// Pairs that only repeat earlier ones (repeats.h) are no evidence for it; when all openings have come back and brought
// nothing new, the test ends undecided.
#ifndef KEIKO_ARENA_TOUR_PLAY_H
#define KEIKO_ARENA_TOUR_PLAY_H

#include "arena/tour.h"

typedef struct tour_cell {
    uint64_t wins[2], draws; // of the pairing's first and second player
} tour_cell;

typedef struct tour_live { // for a watcher; borrowed for the call
    const tour_setup *setup;
    const schedule *plan;
    uint64_t played, total;
    const tour_cell *cell; // [pairings]
    double n5[5];          // with a test: pairs in order, by points of the first player
    sprt_status test;
} tour_live;

typedef struct tour_play_options {
    int threads; // 0 = one per core
    bool no_clock;
    void (*watch)(void *ctx, const tour_live *now); // NULL = nobody; a few times a second, never twice at once
    void *ctx;
    match_runner *run; // who plays the games; NULL = match_run: this process
    void *run_ctx;
} tour_play_options;

typedef struct tour_end {
    uint64_t played, total;
    uint64_t fresh; // played by this call
    uint64_t stop;  // where a test is decided: the games that count; those beyond were under way
    double seconds; // of it
    bool complete;
} tour_end;

// ERR_STOPPED after Ctrl-C: all finished games are in the store. *end is written in any case.
err tour_play(store *st, int run, const tour_setup *setup, const tour_play_options *o, tour_end *end);

#endif
