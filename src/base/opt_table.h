// Option tables made of other tables.
//
// A struct of options may hold another one that has a table of its own (a trainer's configuration holds the tree search's).
// Its rows are then written down once, there, and the outer table takes them in with one row:
//
//   typedef struct params { mcts_config tree; int64_t rollouts; } params;
//   static const opt opts[] = {
//       ROW_TABLE(AT(tree), mcts_opts, mcts_n_opts, NULL),
//       ROW_INT("rollouts", AT(rollouts), …),
//   };
//
// Everything that takes a table (opt.h) understands such a row. Who lists the rows of a table asks opt_flat for them.
#ifndef KEIKO_BASE_OPT_TABLE_H
#define KEIKO_BASE_OPT_TABLE_H

#include "base/opt_rows.h"

// Another default than the inner table's: where the same option starts from different values in two places.
struct opt_default {
    const char *name, *preset;
};

// `at` is the place of the inner struct; `defaults` (NULL: none) ends with a row without a name.
// clang-format off
#define ROW_TABLE(at_, rows_, n_, defaults_) {.kind = OPT_TABLE, .at = at_, .table = rows_, .n_table = &n_, .defaults = defaults_}
// clang-format on

// The rows with those of inner tables in their place, as they hold for the outer struct. A table without inner ones is
// returned as it is; others are kept until the program ends, so they must be static.
const opt *opt_flat(const opt *rows, int n, int *n_flat);

#endif
