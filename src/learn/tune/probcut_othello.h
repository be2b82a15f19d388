// The spread of Othello's search values between depths, measured for the weights at hand: oth_spread.h's table.
//
// Games by a shallow search from random openings, with random moves strewn in; each gives a position per stage, which is
// searched to all depths. Depths up to 8 are searched without cuts by shallow searches; deeper ones with sure cuts, since
// they would take too long. Everything follows from the seed.
#ifndef KEIKO_LEARN_TUNE_PROBCUT_OTHELLO_H
#define KEIKO_LEARN_TUNE_PROBCUT_OTHELLO_H

#include "base/pool.h"
#include "base/progress.h"
#include "base/text.h"
#include "search/othello/oth_eval.h"
#include "search/othello/oth_spread.h"

typedef struct probcut_options {
    uint64_t seed;
    int games;
    int depth; // the deepest search; deeper rows of the table are copied from it. 2 … OTH_SPREAD_DEPTH
    const oth_weights *weights; // borrowed
    pool *threads;              // NULL: one
    progress *bar;              // NULL: none
} probcut_options;

err probcut_othello(const probcut_options *o, oth_spread_table *out);
err probcut_write(const oth_spread_table *t, int games, text_buf *out); // as a C source file

#endif
