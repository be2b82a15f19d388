// Othello endgames with exact labels: positions of a given number of empties, every legal move's final score proven.
//
// Position i is a function of the seed and i alone: a game of random moves, or of some random plies and then a shallow
// search by the plain evaluation with random moves strewn in, cut where its number of empties is reached. No two positions
// share a game. The solver then gives each legal move's score and how best play goes on after it, and the discs at the end.
#ifndef KEIKO_LEARN_TUNE_LABEL_OTHELLO_H
#define KEIKO_LEARN_TUNE_LABEL_OTHELLO_H

#include "base/pool.h"
#include "base/progress.h"
#include "games/othello/othello.h"

enum {
    LABEL_ILLEGAL = -128,
    LABEL_LINE =
        16, // plies kept of how best play goes on after each move: to the end of the game from 14 empties and fewer
    LABEL_END = 255, // there is none: the game ended before
};

typedef struct label_row {
    oth_board b;
    uint64_t final_own, final_opp;         // discs after best play, seen by the side to move; empty squares in neither
    int8_t score[OTH_SQUARES];             // final disc difference of a move; LABEL_ILLEGAL where there is none
    int8_t best;                           // the greatest of them
    uint8_t line[OTH_SQUARES][LABEL_LINE]; // best play after a move: squares, OTH_PASS or LABEL_END
} label_row;

typedef struct label_options {
    uint64_t seed;
    uint64_t first; // number of the first position: other numbers are other games
    int few, many;  // empties, both included
    int depth;      // of the search that plays on after the opening; 0 = all moves are random
    pool *threads;  // borrowed; NULL = this thread. The rows do not depend on it
    progress *bar;  // ticked a position; NULL = none
} label_options;

// rows[n], caller's. ERR_STOPPED when a stop was requested (base/stop.h).
err label_othello(const label_options *o, label_row *rows, int n);

#endif
