// What the terminal can do: is there one, how wide is it, may we colour.
//
// The answer for colours follows, in order: what the person asked for (--color always|never), NO_COLOR, TERM=dumb,
// CLICOLOR_FORCE, and whether the stream is a terminal.
#ifndef KEIKO_BASE_TERM_H
#define KEIKO_BASE_TERM_H

#include <stdbool.h>
#include <stdio.h>

bool term_is(FILE *f);
int term_width(FILE *f);                       // columns: of the terminal, else COLUMNS, else 80; at least 20
bool term_colour(FILE *f, const char *wanted); // wanted: "auto" (or NULL), "always", "never"

#endif
