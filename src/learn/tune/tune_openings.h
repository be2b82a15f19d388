// Even openings for renju, gomoku and freestyle: lines of a few stones from which neither side is ahead.
//
// Lines are drawn at random and must pass tests: searches of growing length find the sides even, and of games that the engine
// plays against itself from there, with different limits, each side wins some. Then lines are taken so that over the
// whole set black wins as many of the long games as white. Everything is a function of the options; threads change
// nothing.
#ifndef KEIKO_LEARN_TUNE_TUNE_OPENINGS_H
#define KEIKO_LEARN_TUNE_TUNE_OPENINGS_H

#include "base/text.h"
#include "games/renju/renju.h"

enum { RJ_LINE_MOST = 8 }; // stones of a line

typedef struct rj_lines_tune {
    uint64_t seed;
    int threads;                              // 0 = one per core
    int want;                                 // lines per rule
    double effort;                            // of searches and games; 0 or 1 = as shipped
    void (*say)(void *ctx, const char *line); // progress for people; may be NULL
    void *ctx;
} rj_lines_tune;

typedef struct rj_opening {
    int n;
    uint16_t move[RJ_LINE_MOST];
    float black; // what black scored in the games, 0 … 1
} rj_opening;

// `want` lines, no two the same up to the board's symmetry. ERR_STOPPED when a stop was requested.
err rj_tune_openings(const rj_lines_tune *t, int variant, rj_opening *out);

// All lines as the C file that holds them, src/games/renju/renju_openings.c. `lines` has `want` for each of the variants.
void rj_openings_write(const rj_opening *lines, int variants, int want, text_buf *out);

#endif
