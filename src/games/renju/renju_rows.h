// Files of renju positions, a line each: fields with bars between them, '#' begins a comment line.
#ifndef KEIKO_GAMES_RENJU_RENJU_ROWS_H
#define KEIKO_GAMES_RENJU_RENJU_ROWS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rj_cursor {
    const char *line; // start of the current line
    const char *at;
    const char *fields; // what a line holds, for people: "id | source | …"
    int number;         // of the line, from 1
} rj_cursor;

err rj_row_fail(const rj_cursor *c, const char *what); // ERR_PARSE with line and column
void rj_row_skip(rj_cursor *c);                        // blanks
bool rj_row_ends(const rj_cursor *c);                  // at the end of the line
err rj_row_bar(rj_cursor *c);                          // skips blanks and the bar that must follow
err rj_row_field(rj_cursor *c, char *out,
                 size_t n); // the text up to the next bar, trimmed and cut to fit; goes behind the bar

#endif
