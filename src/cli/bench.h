// What the files of `keiko bench` share: its options, and the steps between them and a finished run.
#ifndef KEIKO_CLI_BENCH_H
#define KEIKO_CLI_BENCH_H

#include "arena/export.h"
#include "arena/play.h"
#include "base/file.h"
#include "cli/cli.h"

// How results become ratings; the same words in `keiko bench` and `keiko report`.
typedef struct rating_words {
    const char *model, *anchor, *errors;
    double prior, confidence;
} rating_words;

#define BENCH_RATING_OPTS(T) /* ratings */                                                                             \
    {.name = "model",                                                                                                  \
     .kind = OPT_CHOICE,                                                                                               \
     .at = offsetof(T, ratings.model),                                                                                 \
     .value = "NAME",                                                                                                  \
     .preset = "bt-adv",                                                                                               \
     .choices = "bt|bt-adv|rao-kupper|davidson",                                                                       \
     .help = "Bradley-Terry without and with first-move advantage, or a model with draws"},                            \
        {.name = "anchor",                                                                                             \
         .kind = OPT_TEXT,                                                                                             \
         .at = offsetof(T, ratings.anchor),                                                                            \
         .value = "NAME=R;…",                                                                                          \
         .help = "players whose ratings are given; without any the mean is 1500"},                                     \
        {.name = "prior",                                                                                              \
         .kind = OPT_NUMBER,                                                                                           \
         .at = offsetof(T, ratings.prior),                                                                             \
         .value = "N",                                                                                                 \
         .preset = "0",                                                                                                \
         .low = 0,                                                                                                     \
         .high = 1000,                                                                                                 \
         .help = "virtual draws of each player against the mean; 0 = none unless the results need it"},                \
        {.name = "errors",                                                                                             \
         .kind = OPT_CHOICE,                                                                                           \
         .at = offsetof(T, ratings.errors),                                                                            \
         .value = "KIND",                                                                                              \
         .preset = "best",                                                                                             \
         .choices = "best|information|sandwich|pairs|bootstrap",                                                       \
         .help = "how errors are computed; best = by pairs of games where there are enough"},                          \
    {                                                                                                                  \
        .name = "confidence", .kind = OPT_NUMBER, .at = offsetof(T, ratings.confidence), .value = "P",                 \
        .preset = "0.95", .low = 0.5, .high = 0.9999, .help = "level of intervals and verdicts"                        \
    }

typedef struct bench_options {
    common all;
    // who plays what
    const char *game, *settings, *players, *config, *levels, *schedule;
    int64_t games, seed, repeat;
    // openings and ends of games
    const char *openings;
    int64_t opening_count, max_plies, adjudicate, resign_moves;
    double resign;
    // test
    const char *sprt;
    rating_words ratings;
    // running and files
    const char *output, *format;
    int64_t parallel, run;
    bool resume, timing, store, lines;
    // other things to do
    bool calculate_only, compare;
    const char *input, *baseline, *target, *unchanged, *export;
} bench_options;

// From options and config file to a complete setup; openings are not made yet. `asked` is the command line as parsed;
// `settled` a copy with what the config file says about output and openings.
err bench_setup(tour_setup *out, const bench_options *asked, bench_options *settled);
err bench_openings(tour_setup *s, const bench_options *o); // makes or reads the set
bool bench_described(const bench_options *o);              // did anybody say what to play?
// An option that did and that is for playing alone (--seed is for more); NULL = none.
const char *bench_asked_for(const bench_options *o);
err bench_view_options(view_options *out, const rating_words *w, int64_t seed); // seed: of a bootstrap
// Opens each once, so that a wrong name is told before any game; unless quiet, tells which are equal players.
err bench_check_players(const tour_setup *s, bool quiet);

// Files of a run.
typedef struct bench_files {
    char json[FILE_PATH], ratings[FILE_PATH], games[FILE_PATH], store[FILE_PATH];
} bench_files;
err bench_paths(bench_files *f, const char *output, int number); // number > 0: of a repeated run
err bench_write(const tour_view *v, store *s, const bench_options *o, const bench_files *f); // JSON or CSV
int bench_export(const bench_options *o);                                                    // --export
void bench_print(const tour_view *v, const bench_options *o);                                // the tables

int bench_play(const bench_options *o);                             // the usual way
int bench_compare(const bench_options *o);                          // --compare
int bench_levels_check(const tour_view *v, const bench_options *o); // gaps between levels; exit status

enum { LEVEL_GAP_LOW = 200, LEVEL_GAP_HIGH = 400 };

#endif
