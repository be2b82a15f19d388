// What this machine does in a second: rows of measurements. A row does a fixed piece of work and says how many units it
// was; speed_measure repeats it for the time it is given, in short windows, and takes the best window: what the machine can
// do, not what else it was doing.
#ifndef KEIKO_APP_SPEED_H
#define KEIKO_APP_SPEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct speed_row {
    const char *group; // a game, or mcts, nn, …: what `keiko speed WHAT` selects
    const char *name, *unit;
    uint64_t (*work)(int arg, uint64_t round); // does some milliseconds of work; returns units done
    int arg;
    // Where a part measures itself: units per second, and a few words for people. `work` is then NULL.
    double (*rate)(int arg, double seconds, char *note, size_t n);
} speed_row;

// All rows; each file of rows has an array of these.
extern const speed_row speed_games[], speed_search[], speed_nn[], speed_learn[], speed_gpu[], speed_env[];
extern const int n_speed_games, n_speed_search, n_speed_nn, n_speed_learn, n_speed_gpu, n_speed_env;

// The rows in order; those of networks are the CPU's or the GPU's. NULL behind the last.
const speed_row *speed_row_at(int i, bool gpu);
bool speed_has_group(const char *group, bool gpu);

// Units per second; `note` gets a few words or "". Ends early after Ctrl-C.
double speed_measure(const speed_row *row, double seconds, char *note, size_t n);

#endif
