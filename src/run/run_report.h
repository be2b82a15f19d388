// A training run as one HTML page: curves, ratings, where time went, options.
#ifndef KEIKO_RUN_RUN_REPORT_H
#define KEIKO_RUN_RUN_REPORT_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>

typedef struct run_report_options {
    bool by_time; // curves over the time trained instead of steps
} run_report_options;

err run_report(const char *dir, const run_report_options *o, text_buf *to); // o may be NULL

#endif
