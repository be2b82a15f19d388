// What `keiko solve` and `keiko verify` share of a game's problems: one row a game in cmd_solve.c.
#ifndef KEIKO_CLI_SOLVE_H
#define KEIKO_CLI_SOLVE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct solve_options {
    const char *file;
    int64_t threads, best, hash;
    bool wld;
    bool quiet; // only what is wrong
} solve_options;

// Solves every problem of the file, prints one line each and a summary. `exact` of `total` agree with their answers.
err solve_othello(const solve_options *o, int *exact, int *total);
err solve_renju(const solve_options *o, int *exact, int *total);

#endif
