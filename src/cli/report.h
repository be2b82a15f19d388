// Kinds of runs that `keiko report` can write about. A kind is one row of the table in cmd_report.c.
#ifndef KEIKO_CLI_REPORT_H
#define KEIKO_CLI_REPORT_H

#include "arena/view.h"
#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>

typedef struct report_options {
    const char *dir;    // or file, as typed
    const char *format; // "html", "markdown"
    bool by_time;
    int run, replays;  // bench
    view_options view; // bench: how results become ratings
} report_options;

typedef struct report_kind {
    const char *name;               // "training run"
    bool (*fits)(const char *path); // is this one of ours? Cheap; no error
    const char *formats;            // "html" or "html|markdown"
    err (*write)(const report_options *o, text_buf *to);
} report_kind;

#endif
