// What every subcommand shares: the options before its own, and a few ways to speak to people.
#ifndef KEIKO_CLI_CLI_H
#define KEIKO_CLI_CLI_H

#include "base/opt.h"
#include "games/game.h"

#include <stdbool.h>

// First member of every subcommand's option struct.
typedef struct common {
    const char *logs;  // folder for log files, NULL = none
    const char *color; // auto, always, never
    const char *simd;  // auto, scalar, avx2, avx512
    bool verbose, debug, quiet;
} common;

program keiko_program(void); // every subcommand, in main.c

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// Prints the waiting error sentence and what else to try; returns the exit status.
int cli_fail(const char *name);

void cli_set_colour(const char *wanted); // --color
bool cli_colour(void);                   // colour on stdout, as --color and the terminal say

#endif
