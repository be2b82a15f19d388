// One option parser for every subcommand. Its tables are the only place where an option is written down: --help, shell
// completion, the man page and config files all come from them.
//
// A command owns a plain struct for its options; each table row says where in it a value goes. Zero is "not given"
// unless the row has a default. Options may stand before or after arguments; `--name=value`, `--name value`, `-n value`,
// `--no-name` for flags, and `--` to end options. A beginning that fits one name only is enough. An unknown or ambiguous
// name is answered with the nearest known one. --help (-h) and --version (-V) belong to every program and need no row.
// Whole numbers may be written 250k, 1e6 or 0xff. A row without a name is a heading in the help: {.help = "Search"}.
#ifndef KEIKO_BASE_OPT_H
#define KEIKO_BASE_OPT_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum opt_kind {
    OPT_FLAG,   // bool
    OPT_INT,    // int64_t
    OPT_NUMBER, // double
    OPT_TEXT,   // const char *, borrowed from argv or the opt_values
    OPT_CHOICE, // const char *, one of `choices`
    OPT_FILE,   // const char *; completion offers files
    OPT_DIR,    // const char *; completion offers folders
    OPT_LIST,   // opt_list: the remaining arguments (positional only)
    OPT_TABLE,  // no value: the rows of another table, see base/opt_table.h
} opt_kind;

typedef struct opt_list {
    const char **items;
    int n;
} opt_list;

typedef struct opt_default opt_default;

typedef struct opt {
    const char *name; // long name without dashes; for a positional, its name in the usage line
    char letter;      // one-letter form, 0 = none
    opt_kind kind;
    size_t at;               // offsetof the value in the command's struct
    const char *value;       // what the value is called in help ("N", "FILE"); NULL for flags
    const char *preset;      // default, as text; NULL = zero
    double low, high;        // bounds of a number; both 0 = any
    const char *choices;     // "auto|cpu|cuda" for OPT_CHOICE; for OPT_TEXT a hint to completion ("games", "agents")
    bool required;           // positionals come in order, so a required one never follows an optional one
    const char *help;        // one sentence, no final stop; of a flag: what yes does
    const char *synonym;     // another long name that means the same, or NULL
    const char *was;         // a former long name: still understood, mentioned nowhere
    const struct opt *table; // OPT_TABLE: its rows; `at` is where their struct lies
    const int *n_table;
    const opt_default *defaults;
} opt;

typedef struct command {
    const char *name;     // may be two words: "nn info"
    const char *summary;  // one line, for the list of commands
    const char *about;    // paragraphs for --help and the man page
    const char *examples; // lines "command  # what it does"
    const opt *args;      // positionals, in order
    int n_args;
    const opt *opts;
    int n_opts;
    size_t size;                     // of the option struct; its first member is the program's common struct
    int (*run)(const void *options); // exit status
} command;

typedef struct program {
    const char *name, *version, *date, *summary, *about; // date of the version, YYYY-MM-DD
    const opt *common; // options of every command, stored at the start of each command's struct
    int n_common;
    const command *const *commands;
    int n_commands;
    const char *const *headings; // of each command in the overview, equal ones together; NULL: "Commands" for all
    // Completion words of OPT_TEXT rows ("games"): the i-th, NULL at the end; the same word may come again. `within` is a
    // word of the kind `scope` that is on the line, so that "agents" can be those of one game; NULL = none is.
    const char *(*hint)(const char *kind, const char *within, int i);
    const char *scope; // "games"; NULL = nothing narrows the words
} program;

// argv[1…] of a whole program. On ERR_OK `*cmd` is the command and `*values` its filled struct (caller frees with
// opt_free). `*cmd` NULL means that help or the version was asked for (or nothing at all) and should be printed with
// opt_help; opt_struct is then the common struct alone. On an error `*cmd` is the command as far as it was understood.
typedef struct opt_values opt_values;
err opt_parse(const program *p, int argc, char **argv, const command **cmd, opt_values **values);
const void *opt_struct(const opt_values *v);     // the command's option struct
bool opt_wants_help(const opt_values *v);        // --help, -h, `help COMMAND`: print opt_help(p, cmd) and exit 0
const char *opt_help_group(const opt_values *v); // `nn --help`: the word that several commands begin with, or NULL
bool opt_wants_version(const opt_values *v);
bool opt_given(const opt_values *v, const char *name); // was it on the command line or in a config file
const opt_values *opt_values_of(const void *options);  // from what opt_struct gave, as a command's run() receives it
void opt_free(opt_values *v);

// What was typed on the command line of which `options` is the struct, as far as it lies in bytes at … at + size of it: lines
// as opt_config_text reads them.
err opt_typed_text(const void *options, size_t at, size_t size, text_buf *to);

// One table for any "key=value,…" or "key = value" text: agents' parameters, config files. Keys are option names ('_' and
// '-' are the same). `where` begins the error sentence; it may be "". opt_set borrows `text`; the others copy what they
// must keep into `keep`, which may be NULL only if the table has no text.
err opt_set(const opt *opts, int n, void *into, const char *key, const char *text, const char *where);
err opt_defaults(const opt *opts, int n, void *into);         // an error here is a mistake in the table
const opt *opt_find(const opt *opts, int n, const char *key); // the row of this name, synonym or former name, or NULL
opt_values *opt_keep(void);                                   // an empty one to keep strings in; NULL without memory

// "sims=400,model=a.bin": values may be quoted ('…' or "…", the same quote inside doubled); a flag may stand alone. ""
// sets nothing.
err opt_pairs(const opt *opts, int n, void *into, const char *text, const char *where, opt_values *keep);
void opt_pair_value(text_buf *to, const char *value); // as opt_pairs reads it back; in quotes where it must be

// Lines `key = value`, # comments. What stood on the command line that `keep` came from is checked but stays as it was.
// With `opts` and `into` NULL, the keys are all options of that command line and go into its struct.
err opt_config_file(const opt *opts, int n, void *into, const char *path, opt_values *keep);
err opt_config_text(const opt *opts, int n, void *into, const char *name, const char *text, size_t size,
                    opt_values *keep);

// Any config text, whatever its keys: `see` gets each, ended by NULs, valid during the call. Mistakes name the line.
typedef void opt_see_pair(void *ctx, const char *key, const char *value);
err opt_config_each(const char *name, const char *text, size_t size, opt_see_pair *see, void *ctx);

// The other way: lines `key = value` that opt_config_text reads back to the same struct. Texts that are NULL are left out,
// and so are the rows named in `skip` (NULL at its end; may be NULL). ERR_USAGE for a text that no line can hold.
err opt_config_print(const opt *opts, int n, const void *values, const char *const *skip, text_buf *to);

// The known word nearest to a misspelt one, or NULL when none is near.
const char *opt_nearest(const char *word, const char *const *known, int n);

// c NULL: the overview of all commands, or of those that begin with the word `group` (NULL: all).
void opt_help(const program *p, const command *c, const char *group, FILE *out, int width, bool colour);
void opt_man(const program *p, FILE *out);                          // roff, one page for all commands
err opt_completion(const program *p, const char *shell, FILE *out); // bash, zsh, fish

#endif
