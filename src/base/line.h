// A line typed by a person: editing, history and completion on a terminal, plain lines from anything else.
//
// Keys: left/right (ctrl-b/f), home/end (ctrl-a/e), word left/right (alt-b/f, ctrl-arrows), up/down (ctrl-p/n) through
// earlier lines, backspace, delete (ctrl-d), ctrl-k and ctrl-u cut to the end and to the start, ctrl-w cuts a word,
// ctrl-y puts it back, tab completes, ctrl-l clears, ctrl-z suspends. A line longer than the screen scrolls sideways.
// The terminal is raw only inside line_read(), and it is put back on every way out, also when a signal ends the program.
#ifndef KEIKO_BASE_LINE_H
#define KEIKO_BASE_LINE_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

typedef struct line_editor line_editor;
typedef struct line_words line_words;

// Called on tab: offer every word that could stand in place of line[start…cursor), the word before the cursor. Those that
// do not begin with it are left out by the editor.
typedef void line_complete_fn(void *ctx, const char *line, size_t start, size_t cursor, line_words *words);
void line_offer(line_words *words, const char *word);

line_editor *line_new(FILE *in, FILE *out); // usually stdin, stdout; borrowed. NULL without memory
void line_free(line_editor *e);
void line_set_completion(line_editor *e, line_complete_fn *fn, void *ctx);

// The next line without its end; borrowed until the next call. ERR_MISSING at the end of input (ctrl-d on an empty line),
// ERR_STOPPED on ctrl-c or a stop signal, ERR_LIMIT for a line of more than LINE_MOST bytes.
enum { LINE_MOST = 1 << 16 };
err line_read(line_editor *e, const char *prompt, const char **text);
void line_remember(line_editor *e, const char *text); // into the history; empty lines and repeats are not kept

#endif
