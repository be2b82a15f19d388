// How a trainer's configuration is made: one option table, filled in layers.
//
// The layers, each over the one before: the table's defaults; a preset; texts of lines `option = value` (a config file, what
// was typed). A run that is resumed has its own config.txt in the place of defaults and preset, and later layers may then
// change only its limits and what belongs to the machine. cli, api, doctor and the tests all come through here.
#ifndef KEIKO_LEARN_TRAIN_CONFIG_H
#define KEIKO_LEARN_TRAIN_CONFIG_H

#include "base/opt_table.h"
#include "games/game.h"

// Text of one layer; `name` begins the sentences about it ("a.conf"). NULL texts are fine.
typedef struct config_layer {
    const char *name, *text;
} config_layer;

// Every trainer's configuration struct begins with this.
typedef struct train_common {
    const char *method;  // "zero", "dqn", "distil"
    const char *preset;  // the name it began with, NULL = not known
    const char *backend; // auto, cpu, cuda
    int64_t threads;     // 0 = one per core
    int64_t seed;
    double minutes;       // limits; 0 = none
    int64_t steps, games; // dqn: decisions, matches
} train_common;

extern const opt
    train_common_opts[]; // what is named and means the same in all of them: all but preset, steps and games
extern const int train_common_n_opts;

typedef struct train_table {
    const opt *rows;
    int n;
    size_t size;                // of the struct
    const char *const *limits;  // rows that end a run. A layer that sets one puts an end to those of the layers before
    const char *const *machine; // rows that belong to one start: config.txt does not keep them
    const char *const
        *free;          // rows that --resume may change, too; config.txt has the last value. The lists end with NULL
    const char *preset; // used where none is named; NULL: the trainer has no presets
    err (*preset_text)(const game *g, const char *name, const char **text); // lines; borrowed
} train_table;

// `layers` has n rows. Strings live as long as `keep`.
err train_config_make(const train_table *t, void *config, const game *g, const char *preset, const config_layer *layers,
                      int n, opt_values *keep);

// The configuration of the run in `dir`, with what the layers may change of it. Anything else that differs from the run's own
// is an error that names the option.
err train_config_resume(const train_table *t, void *config, const char *dir, const config_layer *layers, int n,
                        opt_values *keep);

bool train_layer_sets(const train_table *t, const config_layer *l, const char *name); // does the text have this option?
bool train_config_limited(const train_table *t, const void *config);                  // is there any limit?

#endif
