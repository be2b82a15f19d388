// What the two halves of the Othello tuner share: games in, weights out. Private to learn/tune_othello*.c.
#ifndef KEIKO_LEARN_TUNE_TUNE_OTHELLO_INNER_H
#define KEIKO_LEARN_TUNE_TUNE_OTHELLO_INNER_H

#include "base/pool.h"
#include "learn/tune/tune_othello.h"

typedef struct tune_row {
    oth_board b;
    int16_t label; // 1/OTH_EVAL_UNIT discs
    uint8_t discs;
    uint8_t held; // out of the fit, for the error
    uint32_t pad;
} tune_row;

typedef struct tune_rows {
    tune_row *row;
    size_t n, cap;
} tune_rows;

err tune_play(const tune_options *o, pool *p, int generation, const tune_generation *g, const oth_weights *w,
              tune_rows *rows); // appends
err tune_fit(const tune_options *o, pool *p, const tune_rows *rows, oth_weights *w);
void tune_measure(const tune_rows *rows, const oth_weights *w, tune_error *error); // on the rows held out

#endif
