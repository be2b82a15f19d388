// A progress bar: how much is done, how fast, how long it will take.
//
// On a terminal one line is redrawn at most ten times a second; log lines appear above it. Without a terminal nothing is
// printed, or, with `verbose`, one line every `interval` seconds and one at the end. With `quiet` nothing at all. Ticks
// are safe from any thread and cost an atomic add and a look at the clock.
#ifndef KEIKO_BASE_PROGRESS_H
#define KEIKO_BASE_PROGRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct progress progress;

typedef struct progress_options {
    const char *label;
    const char *unit; // "games", "positions"; NULL = none
    uint64_t total;   // 0 = unknown: no percentage, no time left
    uint64_t start;   // done before (a resumed run): counts for the bar, not for the rate
    bool quiet, verbose;
    const char *color; // "auto" (or NULL), "always", "never"
    double interval;   // seconds between lines without a terminal; 0 = 10
    FILE *screen;      // NULL = stderr
} progress_options;

progress *progress_new(const progress_options *o); // NULL without memory, which every call below accepts
void progress_tick(progress *p, uint64_t n);       // n more are done
void progress_set(progress *p, uint64_t done);
void progress_total(progress *p, uint64_t total);                          // when it becomes known, or grows
void progress_extra(progress *p, const char *fmt, ...) KEIKO_PRINTF(2, 3); // a few words behind: "loss 0.532"
void progress_finish(progress *p);                                         // the last line stays; frees

// The line itself, for a width: "self-play  [====>     ]  42% 420/1000 games  12.3/s  47.1 s left  loss 0.5". `rate` <= 0
// is unknown. Returns its length in bytes; never wider than `width` columns.
size_t progress_line(char *buf, size_t n, int width, const char *label, const char *unit, uint64_t done, uint64_t total,
                     double rate, const char *extra);

#endif
