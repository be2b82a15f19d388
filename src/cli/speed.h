// One row of `keiko speed`. A row does a fixed piece of work and says how many units it was; the command repeats it for
// the time it is given, in short windows, and reports the best window: what the machine can do, not what else it was doing.
#ifndef KEIKO_CLI_SPEED_H
#define KEIKO_CLI_SPEED_H

#include <stddef.h>
#include <stdint.h>

typedef struct speed_row {
    const char *group; // a game, or mcts, nn, …: what `keiko speed WHAT` selects
    const char *name, *unit;
    uint64_t (*work)(int arg, uint64_t round); // does some milliseconds of work; returns units done
    int arg;
    // Where a part measures itself: units a second, and a few words for people. `work` is then NULL.
    double (*rate)(int arg, double seconds, char *note, size_t n);
} speed_row;

// All rows; each file of rows has an array of these.
extern const speed_row speed_games[], speed_search[], speed_nn[], speed_learn[], speed_gpu[];
extern const int n_speed_games, n_speed_search, n_speed_nn, n_speed_learn, n_speed_gpu;

#endif
