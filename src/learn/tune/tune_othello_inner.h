// What the parts of the Othello tuner share: games in, weights out. Private to learn/tune/tune_othello*.c.
#ifndef KEIKO_LEARN_TUNE_TUNE_OTHELLO_INNER_H
#define KEIKO_LEARN_TUNE_TUNE_OTHELLO_INNER_H

#include "base/pool.h"
#include "base/rng.h"
#include "learn/tune/tune_othello.h"

typedef struct tune_row {
    oth_board b;
    int16_t label; // 1/OTH_EVAL_UNIT discs
    uint8_t discs;
    uint8_t held; // out of the fit, for the error
    uint8_t sure; // the label is exact or a search's, not the network's
    uint8_t pad[3];
} tune_row;

// The rows of one task, grouped by stage. Tasks are numbered, so the order of rows does not depend on threads.
typedef struct tune_block {
    tune_row *row;
    uint32_t first[OTH_STAGES + 1]; // where a stage's rows begin; the last: their number
} tune_block;

typedef struct tune_data {
    tune_block *block;
    int n, cap;
    size_t rows;
} tune_data;

err tune_data_room(tune_data *d, int more);                      // for `more` further blocks, empty
err tune_block_fill(tune_block *b, const tune_row *rows, int n); // a copy, sorted by stage
void tune_data_trim(tune_data *d);                               // drops the empty blocks behind the last full one
void tune_data_free(tune_data *d);

// Both append blocks until there are enough or the deadline (clock_seconds(), 0 = none) is reached.
err tune_net(const tune_options *o, pool *p, double deadline, tune_data *d);
err tune_play(const tune_options *o, pool *p, const oth_weights *w, double deadline, tune_data *d);

// What a fit takes: all rows or the sure ones alone, the pull towards the weights it starts from and that of neighbouring
// knots' changes together, both in positions, and when iterations must stop early (clock_seconds(), 0 = never).
typedef struct tune_fit_options {
    bool sure;
    double pull, smooth;
    int iterations;
    double deadline;
} tune_fit_options;
err tune_fit(const tune_fit_options *o, pool *p, const tune_data *d, oth_weights *w);      // from the weights in `w`
void tune_measure(const tune_data *d, bool sure, const oth_weights *w, tune_error *error); // on the rows held out

// A solver's and player's search in one place: the value and best move of a position that has one. `guess` is near the
// value. To the end when it has at most `exact` empties.
struct oth_worker;
int tune_search(struct oth_worker *s, oth_board b, int depth, int exact, int guess, int *value);
int tune_pick(uint64_t moves, rng *r); // one of them, each as likely

#endif
