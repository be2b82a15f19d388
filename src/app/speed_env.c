// The rows of `keiko speed env`: environments with masks, rewards and observations, all cores, moves at random.
#include "app/env.h"
#include "app/speed.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/stop.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"othello", "contrast", "renju", "puyo", "puyo-solo"};
enum { SIZES = 4 };
static const int sizes[SIZES] = {1, 64, 1024, 8192};

// Best of a few windows, in steps per second. 0: it could not be opened.
static double run(env *e, const int32_t *any, int n, double seconds)
{
    enum { WINDOWS = 4 };
    double best = 0;
    for (int w = 0; w < WINDOWS && !stop_requested(); w++) {
        double start = clock_seconds(), spent;
        uint64_t steps = 0;
        do {
            if (env_step(e, any) != ERR_OK) return 0;
            steps += (uint64_t)n;
            spent = clock_seconds() - start;
        } while (spent < seconds / WINDOWS);
        if ((double)steps / spent > best) best = (double)steps / spent;
    }
    return best;
}

static double rate(int arg, double seconds, char *note, size_t room)
{
    const game *g;
    const int n = sizes[arg % SIZES];
    if (game_find(names[arg / SIZES], &g) != ERR_OK) return 0;
    const encoding *enc = &g->encodings[0];
    size_t k = (size_t)n;
    env_buffers b = {.planes = malloc(k * (size_t)(enc->planes * g->rows * g->cols)),
                     .scalars = malloc(k * ((size_t)enc->scalars + 1) * sizeof(float)),
                     .masks = malloc(k * (size_t)g->n_moves),
                     .seats = malloc(k),
                     .rewards = malloc(k * 2 * sizeof(float)),
                     .terminated = malloc(k),
                     .truncated = malloc(k)};
    int32_t *any = malloc(k * sizeof *any);
    env *e = NULL;
    double best = 0;
    for (int i = 0; any != NULL && i < n; i++) any[i] = -1;
    if (b.planes && b.scalars && b.masks && b.seats && b.rewards && b.terminated && b.truncated && any &&
        env_open(&e, &(env_setup){.g = g, .n = n, .seed = 1}, &b) == ERR_OK && env_reset(e, NULL) == ERR_OK)
        best = run(e, any, n, seconds);
    snprintf(note, room, "all cores; %d planes, mask of %d", enc->planes, g->n_moves);
    env_close(e);
    FREE_ALL(b.planes, b.scalars, b.masks, b.seats, b.rewards, b.terminated, b.truncated, any);
    return best;
}

#define ROWS_OF(i, what)                                                                                               \
    {.group = "env", .name = what ", 1 at once", .unit = "steps", .rate = rate, .arg = (i)*SIZES},                     \
        {.group = "env", .name = what ", 64", .unit = "steps", .rate = rate, .arg = (i)*SIZES + 1},                    \
        {.group = "env", .name = what ", 1024", .unit = "steps", .rate = rate, .arg = (i)*SIZES + 2},                  \
    {                                                                                                                  \
        .group = "env", .name = what ", 8192", .unit = "steps", .rate = rate, .arg = (i)*SIZES + 3                     \
    }

const speed_row speed_env[] = {
    ROWS_OF(0, "othello"), ROWS_OF(1, "contrast"), ROWS_OF(2, "renju"), ROWS_OF(3, "puyo"), ROWS_OF(4, "puyo-solo"),
};
const int n_speed_env = (int)(sizeof speed_env / sizeof *speed_env);
