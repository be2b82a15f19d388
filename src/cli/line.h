// A line typed by a person: editing, history and completion on a terminal, plain lines from anything else.
//
// On a terminal libedit edits, with the usual Emacs keys and arrows; ctrl-r searches the history, tab completes, ctrl-c gives
// up the line, ctrl-z suspends. A build without libedit, or TERM=dumb, reads plain lines there too. The terminal is raw only
// inside line_read(), and it is put back on every way out, also when a signal ends the program.
#ifndef KEIKO_CLI_LINE_H
#define KEIKO_CLI_LINE_H

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
// ERR_STOPPED on ctrl-c or a stop signal, ERR_LIMIT for a line of more than LINE_MOST bytes. The prompt is for terminals.
enum { LINE_MOST = 1 << 16 };
err line_read(line_editor *e, const char *prompt, const char **text);
void line_remember(line_editor *e, const char *text); // into the history; empty lines and repeats are not kept

#endif
