// A file of Othello positions to measure evaluations by: games between varied strong players, judged by a deep search.
//
// Game i is a function of the seed and i: some random plies that leave the position nearly even, then two players from a
// list (searches of several depths, the network with a few simulations). Two positions of each game are kept: the one at 20
// empties with its exact score, and one at 28 to 44 empties with the value of a 16-ply search. They are written as OBF lines
// with the best move and its score; `keiko verify othello-values` compares an evaluation with them.
#ifndef KEIKO_LEARN_TUNE_HELDOUT_OTHELLO_H
#define KEIKO_LEARN_TUNE_HELDOUT_OTHELLO_H

#include "base/pool.h"
#include "base/progress.h"
#include "base/text.h"

enum {
    HELDOUT_EXACT = 20, // empties at which scores are exact
    HELDOUT_FEW = 28,
    HELDOUT_MANY = 44,  // empties of the positions that a search judges
    HELDOUT_DEPTH = 16, // plies of that search
};

typedef struct heldout_options {
    uint64_t seed;
    int games;
    pool *threads; // borrowed; NULL = this thread. The file does not depend on it
    progress *bar; // ticked per game; NULL = none
} heldout_options;

// The file's text, appended. ERR_STOPPED when a stop was requested (base/stop.h).
err heldout_othello(const heldout_options *o, text_buf *out);

#endif
