// See speed.h.
#include "app/speed.h"

#include "base/clock.h"
#include "base/stop.h"

#include <string.h>

enum { WINDOWS = 8 };

double speed_measure(const speed_row *row, double seconds, char *note, size_t n)
{
    double best = 0.0;
    note[0] = 0;
    if (row->rate != NULL) return row->rate(row->arg, seconds, note, n);
    uint64_t round = 0;
    row->work(row->arg, round++); // tables and caches
    for (int w = 0; w < WINDOWS && !stop_requested(); w++) {
        double start = clock_seconds(), spent;
        uint64_t units = 0;
        do {
            units += row->work(row->arg, round++);
            spent = clock_seconds() - start;
        } while (spent < seconds / WINDOWS);
        if ((double)units / spent > best) best = (double)units / spent;
    }
    return best;
}

const speed_row *speed_row_at(int i, bool gpu)
{
    const speed_row *nn = gpu ? speed_gpu : speed_nn;
    const int n_nn = gpu ? n_speed_gpu : n_speed_nn;
    if (i < n_speed_games) return &speed_games[i];
    i -= n_speed_games;
    if (i < n_speed_search) return &speed_search[i];
    i -= n_speed_search;
    if (i < n_nn) return &nn[i];
    i -= n_nn;
    if (i < n_speed_learn) return &speed_learn[i];
    i -= n_speed_learn;
    return i < n_speed_env ? &speed_env[i] : NULL;
}

bool speed_has_group(const char *group, bool gpu)
{
    for (int i = 0; speed_row_at(i, gpu) != NULL; i++)
        if (strcmp(speed_row_at(i, gpu)->group, group) == 0) return true;
    return false;
}
