// What the files of `keiko bench` share: its options and its tables on the terminal.
#ifndef KEIKO_CLI_BENCH_H
#define KEIKO_CLI_BENCH_H

#include "app/bench.h"
#include "cli/cli.h"

typedef struct bench_options {
    common all;
    const char *game; // as an argument; NULL: --game, which is ask.game
    bench_ask ask;
    bench_rating ratings;
    bus_options nats;
    int64_t repeat, parallel, run;
    const char *output, *input, *baseline, *target, *unchanged, *export;
    bool resume, timing, store, lines, calculate_only, compare;
} bench_options;

bench_ask bench_asked(const bench_options *o);                // with what was said on the command line
int bench_play(const bench_options *o);                       // the usual way
void bench_print(const tour_view *v, const bench_options *o); // the tables
int bench_print_gaps(const tour_view *v);                     // between levels; exit status
int bench_print_comparison(const bench_comparison *b);        // exit status

#endif
