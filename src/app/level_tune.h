// Measuring the levels of a game: each of the ten plays its neighbours, all results are fitted together, and the rows of
// agents/level_rows.h are written again with what came out.
#ifndef KEIKO_APP_LEVEL_TUNE_H
#define KEIKO_APP_LEVEL_TUNE_H

#include "agents/levels.h"
#include "app/bench.h"

typedef struct level_gap { // from one level to a higher one
    int from, to;          // numbers
    double elo, low, high; // with its 95 % interval
    int least, most;       // what it should be
    bool fits;
} level_gap;

enum { LEVEL_GAPS = LEVELS - 1 + 4 }; // between numbers, then between names

typedef struct level_measured {
    double elo[LEVELS], error[LEVELS]; // level 1 is 1000; half of the 95 % interval, about the mean of all
    level_gap gap[LEVEL_GAPS];
    int n_gaps;
} level_measured;

// Plays `games` per pair of neighbours. `how`: where the run is kept, threads, callbacks.
err level_measure(level_measured *out, const game *g, int64_t games, int64_t seed, const bench_run_options *how);

// Lines for level_rows.h; `date` is YYYY-MM-DD.
void level_rows_text(const game *g, const level_measured *m, const char *date, text_buf *out);
// Puts them in the place of the game's rows in that file.
err level_rows_write(const game *g, const char *path, const char *rows);

#endif
