// How the rows of an option table are written: one macro per kind of value, so that every table in the program reads the
// same way. A row is one or two lines:
//
//   #define AT(field) offsetof(options, field)
//   static const opt opts[] = {
//       ROW_HEADING("Search"),
//       ROW_INT("depth", AT(depth), "N", "8", 0, 60, "Search depth in plies; 0 = no limit", .letter = 'd'),
//       ROW_FLAG("reuse", AT(reuse), "yes", "Keep the tree between moves"),
//   };
//
// `at` is the place of the value in the command's struct, `value` what it is called in help, `preset` its default as text
// (NULL = zero). The help is one sentence without a final stop. It may be followed by further members of `opt`: `.letter`,
// `.synonym`, `.was`, `.required`, `.choices` (a completion hint for texts). Never break a help sentence into several
// string literals: a long line is easier to read and to search for.
#ifndef KEIKO_BASE_OPT_ROWS_H
#define KEIKO_BASE_OPT_ROWS_H

#include "base/opt.h"

// clang-format off
#define ROW_HEADING(text_) {.help = text_}

// Numbers. Bounds are inclusive; both 0 = any number.
#define ROW_INT(name_, at_, value_, preset_, low_, high_, ...) \
    {.name = name_, .kind = OPT_INT, .at = at_, .value = value_, .preset = preset_, .low = low_, .high = high_, .help = __VA_ARGS__}
#define ROW_NUMBER(name_, at_, value_, preset_, low_, high_, ...) \
    {.name = name_, .kind = OPT_NUMBER, .at = at_, .value = value_, .preset = preset_, .low = low_, .high = high_, .help = __VA_ARGS__}

// yes or no. The help says what *yes* does, whatever the default.
#define ROW_FLAG(name_, at_, preset_, ...) \
    {.name = name_, .kind = OPT_FLAG, .at = at_, .preset = preset_, .help = __VA_ARGS__}

// Texts.
#define ROW_TEXT(name_, at_, value_, preset_, ...) \
    {.name = name_, .kind = OPT_TEXT, .at = at_, .value = value_, .preset = preset_, .help = __VA_ARGS__}
#define ROW_CHOICE(name_, at_, value_, preset_, choices_, ...) \
    {.name = name_, .kind = OPT_CHOICE, .at = at_, .value = value_, .preset = preset_, .choices = choices_, .help = __VA_ARGS__}
#define ROW_FILE(name_, at_, preset_, ...) \
    {.name = name_, .kind = OPT_FILE, .at = at_, .value = "FILE", .preset = preset_, .help = __VA_ARGS__}
#define ROW_DIR(name_, at_, preset_, ...) \
    {.name = name_, .kind = OPT_DIR, .at = at_, .value = "DIR", .preset = preset_, .help = __VA_ARGS__}

// The remaining arguments of a command line.
#define ROW_LIST(name_, at_, ...) {.name = name_, .kind = OPT_LIST, .at = at_, .help = __VA_ARGS__}
// clang-format on

// The number of rows of a table.
#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

// A command's or an agent's tables, inside its initialiser.
#define WITH_ARGS(table)                .args = table, .n_args = ROWS(table)
#define WITH_OPTS(table)                .opts = table, .n_opts = ROWS(table)
#define WITH_ROWS(arg_table, opt_table) WITH_ARGS(arg_table), WITH_OPTS(opt_table)

// Inside a command's initialiser: what it is called and does, in a line; what it runs, the struct that its rows fill, and the
// rows (WITH_ARGS, WITH_OPTS or WITH_ROWS).
#define CALLED(command_name, words)       .name = command_name, .summary = words
#define RUNS(function, options_type, ...) .run = function, .size = sizeof(options_type), __VA_ARGS__

#endif
