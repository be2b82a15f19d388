// Files of problems, solved exactly and compared with the answers they list: Othello endgames (OBF) and renju's wins by
// fours. Behind `keiko solve` and `keiko verify`.
#ifndef KEIKO_APP_SOLVE_H
#define KEIKO_APP_SOLVE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct solve_options {
    const char *file;
    int threads, best, hash;                   // hash: 2^hash entries
    bool wld;                                  // Othello: win, draw or loss only
    bool quiet;                                // report only what is wrong
    void (*line)(void *ctx, const char *line); // a problem, and a summary at the end, in words
    void *ctx;
} solve_options;

// Solves every problem of the file. `exact` of `total` agree with their answers.
err solve_othello(const solve_options *o, int *exact, int *total);
err solve_renju(const solve_options *o, int *exact, int *total);

double solve_rate(uint64_t nodes, double seconds); // millions of nodes per second; finite for no time at all

#endif
