// What every subcommand shares: the options before its own, and a few ways to speak to people.
#ifndef KEIKO_CLI_CLI_H
#define KEIKO_CLI_CLI_H

#include "base/file.h"
#include "base/opt_rows.h"
#include "games/game.h"

#include <stdbool.h>
#include <stdio.h>

// First member of every subcommand's option struct.
typedef struct common {
    const char *logs;     // folder for log files, NULL = none
    const char *color;    // auto, always, never
    const char *simd;     // auto, scalar, avx2, avx512
    const char *game_lib; // libraries with games, separated by ':'; NULL = none
    bool verbose, debug, quiet;
} common;

program keiko_program(void); // every subcommand, in main.c

// Rows that several commands have, so that the same thing has the same name and meaning everywhere. `T` is the command's
// option struct, with the member named in brackets.
// clang-format off
#define ARG_GAME(T, must) /* game */ \
    ROW_TEXT("GAME", offsetof(T, game), NULL, NULL, "Name of a game (see keiko games)", .choices = "games", .required = (must))
#define ARG_POSITION(T) /* position */ \
    ROW_TEXT("POSITION", offsetof(T, position), NULL, NULL, "Position as text (see keiko show), or 'start'")
#define OPT_POSITION(T) /* position */ \
    ROW_TEXT("position", offsetof(T, position), "TEXT", "start", "Start from this position (see keiko show)")
#define OPT_SETTINGS(T) /* settings */ \
    ROW_TEXT("options", offsetof(T, settings), "K=V,…", "", "Options of the game's rules (see keiko games --verbose)")
#define OPT_MOVES(T) /* moves */ \
    ROW_TEXT("moves", offsetof(T, moves), "LIST", "", "Moves to play from the position first, separated by ';' (f5d6c3 where a move is one square)")
#define OPT_SEED(T) /* seed */ \
    ROW_INT("seed", offsetof(T, seed), "N", "1", 0, 9e15, "Random seed; the same seed gives the same result")
#define OPT_THREADS(T) /* threads */ \
    ROW_INT("threads", offsetof(T, threads), "N", "0", 0, 256, "Number of threads; 0 = one per core", .letter = 't')
#define OPT_JSON(T) /* json */ \
    ROW_FLAG("json", offsetof(T, json), NULL, "Print JSON instead of text")
// clang-format on

#define COUNT(array) ROWS(array)

// Prints `head` and a line of words (or several). Where a terminal is too narrow for it, it is broken between words, and goes
// on below its beginning behind `head`, or in a line of its own where that leaves too little room. Control characters in the words
// are made visible.
void cli_say(FILE *out, const char *head, const char *fmt, ...) KEIKO_PRINTF(3, 4);

// Prints lines of ours, "label  words" or words alone; at a terminal long ones are broken as above.
void cli_say_lines(const char *text);

void cli_line(void *ctx, const char *line); // prints it, above a progress bar; a callback for work that reports lines
// printf for text that may come from outside (a file, another program): nothing in it can steer the terminal. Line ends stay.
void cli_print(const char *fmt, ...) KEIKO_PRINTF(1, 2);

// Prints what is in `t` if `e` is ERR_OK, and empties it; returns the first error of both.
err cli_put(text_buf *t, err e);

// A progress bar as the common options want it; progress_finish frees it.
struct progress *cli_progress(const common *all, const char *label, const char *unit, uint64_t total);

// The same with `head` before the first line only: a file's note.
void cli_say_note(FILE *out, const char *head, const char *words);

// Prints the waiting error sentence and what else to try; returns the exit status.
int cli_fail(const char *name);

// A file that comes with the program: in build/ while the program is build/release/keiko, in share/keiko once installed.
// False: there is none, and `path` is empty.
bool cli_beside(const char *name, char path[FILE_PATH]);

// Ends a training command with what to type next. `agent` plays the run's network; `stopped`: before its limit; `trained`: it
// has learned something.
void cli_print_next(const game *g, const char *agent, const char *run, bool stopped, bool trained);

// From now on a game library that crashes or hangs while its rules are tried out is named.
void cli_watch_plugins(void);

void cli_set_colour(const char *wanted); // --color
bool cli_colour(void);                   // colour on stdout, as --color and the terminal say

#endif
