// What every subcommand shares: the options before its own, and a few ways to speak to people.
#ifndef KEIKO_CLI_CLI_H
#define KEIKO_CLI_CLI_H

#include "base/opt.h"
#include "games/game.h"

#include <stdbool.h>
#include <stdio.h>

// First member of every subcommand's option struct.
typedef struct common {
    const char *logs;  // folder for log files, NULL = none
    const char *color; // auto, always, never
    const char *simd;  // auto, scalar, avx2, avx512
    bool verbose, debug, quiet;
} common;

program keiko_program(void); // every subcommand, in main.c

// Rows that several commands have, so that the same thing has the same name and meaning everywhere. `T` is the command's
// option struct, with the member named in brackets.
#define ARG_GAME(T, must) /* game */                                                                                   \
    {                                                                                                                  \
        .name = "GAME", .kind = OPT_TEXT, .at = offsetof(T, game), .choices = "games", .required = (must),             \
        .help = "which game (keiko games lists them)"                                                                  \
    }
#define ARG_POSITION(T) /* position */                                                                                 \
    {                                                                                                                  \
        .name = "POSITION", .kind = OPT_TEXT, .at = offsetof(T, position), .help = "the position as text, or 'start'"  \
    }
#define OPT_POSITION(T) /* position */                                                                                 \
    {                                                                                                                  \
        .name = "position", .kind = OPT_TEXT, .at = offsetof(T, position), .value = "TEXT", .preset = "start",         \
        .help = "begin with this position"                                                                             \
    }
#define OPT_SETTINGS(T) /* settings */                                                                                 \
    {                                                                                                                  \
        .name = "options", .kind = OPT_TEXT, .at = offsetof(T, settings), .value = "K=V,…", .preset = "",              \
        .help = "options of the game (keiko games --verbose)"                                                          \
    }
#define OPT_MOVES(T) /* moves */                                                                                       \
    {                                                                                                                  \
        .name = "moves", .kind = OPT_TEXT, .at = offsetof(T, moves), .value = "LIST", .preset = "",                    \
        .help = "moves to play first, separated by ';'"                                                                \
    }
#define OPT_SEED(T) /* seed */                                                                                         \
    {                                                                                                                  \
        .name = "seed", .kind = OPT_INT, .at = offsetof(T, seed), .value = "N", .preset = "1", .low = 0, .high = 9e15, \
        .help = "key of all chance: the same seed gives the same game"                                                 \
    }
#define OPT_JSON(T) /* json */                                                                                         \
    {                                                                                                                  \
        .name = "json", .kind = OPT_FLAG, .at = offsetof(T, json), .help = "print JSON"                                \
    }

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// Prints `head` and a line of words (or several). Where a terminal is too narrow for it, it is broken between words, and goes
// on below its beginning behind `head`. Control characters in the words are made visible.
void cli_say(FILE *out, const char *head, const char *fmt, ...) KEIKO_PRINTF(3, 4);

// printf for text that may come from outside (a file, another program): nothing in it can steer the terminal. Line ends stay.
void cli_print(const char *fmt, ...) KEIKO_PRINTF(1, 2);

// Prints the waiting error sentence and what else to try; returns the exit status.
int cli_fail(const char *name);

// Ends a training command with what to type next. `name` is the game's, `agent` plays the run's network.
typedef enum cli_end {
    CLI_TRAINED,
    CLI_STOPPED,
    CLI_UNTRAINED
} cli_end; // untrained: the limit came before any learning
void cli_print_next(const char *name, const char *agent, const char *run, cli_end how);

void cli_set_colour(const char *wanted); // --color
bool cli_colour(void);                   // colour on stdout, as --color and the terminal say

#endif
