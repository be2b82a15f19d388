// This build held against files of known answers: behind `keiko verify`.
#ifndef KEIKO_APP_VERIFY_H
#define KEIKO_APP_VERIFY_H

#include "base/text.h"

#include <stdbool.h>

#define VERIFY_KINDS "renju-forbidden|renju-vcf|puyo-chains|othello-obf|othello-values|rating-pool"

typedef struct verify_request {
    const char *kind, *file;
    const char *model;                         // rating-pool: "bt", "bt-adv", …
    const char *weights;                       // othello-values: a file; NULL = the built-in ones
    int threads, depth;                        // othello-obf: per position; othello-values: plies
    bool json, verbose;                        // rating-pool: JSON; verbose: every row, not only what differs
    void (*line)(void *ctx, const char *line); // a row that differs
    void *ctx;
} verify_request;

// `exact` of `total` rows come out as written. Kinds without right or wrong (othello-values, rating-pool) answer with a table in
// `out`, and `total` is 0.
err verify_run(const verify_request *r, text_buf *out, int *exact, int *total);

#endif
