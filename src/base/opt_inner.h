// What the parts of the option module share: reading one value, and walking the rows that hold for a command.
// Only opt*.c include this.
#ifndef KEIKO_BASE_OPT_INNER_H
#define KEIKO_BASE_OPT_INNER_H

#include "base/opt.h"
#include "base/text.h"

enum { OPT_NAME = 64 }; // room for any option name

extern const opt opt_builtin[2]; // --help and --version
enum { OPT_HELP, OPT_VERSION };

// The rows of a command line, in order of lookup: the command's, the common ones, the built-in ones. `c` may be NULL.
int opt_row_count(const program *p, const command *c);
const opt *opt_row(const program *p, const command *c, int i); // its `name` is NULL where it is a heading

// Is `key` (n bytes) the name or the synonym of `o`? '_' and '-' are the same.
bool opt_is(const opt *o, const char *key, size_t n);

// Checks `text` against the row and stores it; the sentence begins with `label` ("--threads", "a.conf:3: threads").
err opt_store(const opt *o, void *into, const char *text, const char *label);

// opt_find.c: what a word names. `c` may be NULL: the common rows only.
typedef struct opt_found {
    const opt *o;
    bool no; // written --no-name
} opt_found;
err opt_find_long(const program *p, const command *c, const char *key, size_t n, opt_found *out); // or its beginning
const opt *opt_find_letter(const program *p, const command *c, char letter);
bool opt_looks_like(const program *p, const command *c, const char *s); // an option, not a negative number or "-"
bool opt_is_known(const program *p, const command *c, const char *s);   // exactly one of the rows
void opt_program_text(const program *p, const command *c, char *out, size_t n); // "keiko train"
const command *opt_command_named(const program *p, const char *name);
const command *opt_match_command(const program *p, const char *first, const char *second, int *n);
err opt_first_word(const program *p, int argc, char **argv, int *at);
bool opt_is_group(const program *p, const char *word);
bool opt_in_group(const command *c, const char *group); // "nn check" is in "nn"
void opt_usage_text(const command *c, text_buf *t);     // " GAME [FILE...] --run DIR": arguments and required options

bool opt_is_text(opt_kind k);                     // stored as a pointer to the text itself
void opt_range_text(const opt *o, text_buf *t);   // "1 to 64", "at least 1"; nothing without bounds
void opt_choices_text(const opt *o, text_buf *t); // "auto, cpu or cuda"

// A key of `n` bytes that is none of `rows`: the nearest one, or all of them.
err opt_unknown_key(const opt *const *rows, int n_rows, const char *key, size_t n, const char *where);

// "; did you mean 'x'?" for the nearest of `known`, or nothing.
void opt_suggest(text_buf *t, const char *word, const char *const *known, int n, const char *before);

// A copy of s[0…n) that lives as long as `v`; NULL without memory.
char *opt_keep_text(opt_values *v, const char *s, size_t n);

// The rows a config file may set for a parsed command line, and where their values go.
int opt_values_rows(const opt_values *v);
const opt *opt_values_row(const opt_values *v, int i);
void *opt_values_struct(opt_values *v);
bool opt_on_command_line(const opt_values *v, const opt *o);
void opt_mark_filed(opt_values *v, const opt *o);

#endif
