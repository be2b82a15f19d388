// Several training runs in one chart: groups of runs that differ in their seeds only, each drawn as its mean with a band.
//
// The points are the lines of one kind in the runs' logs ("match" against one opponent, or any other kind). Runs write them at
// steps of their own, so each is read between its points on a common grid; the band goes from the least to the largest of the
// group, which for three seeds says more than an interval would.
#ifndef KEIKO_RUN_RUN_CURVES_H
#define KEIKO_RUN_RUN_CURVES_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>

enum { CURVES_GROUPS = 8, CURVES_RUNS = 16, CURVES_GRID = 48 };

typedef struct curves_group {
    char name[64];
    char *dir[CURVES_RUNS]; // owned by whoever parsed them
    int n;
} curves_group;

typedef struct curves_options {
    const char *title;
    const char *kind, *value; // "match", "score"
    const char *opponent;     // lines whose text `opponent` is this one; NULL = all
    const char *y_label;
    bool percent;
} curves_options;

// "NAME=DIR,DIR"
err curves_parse(const char *text, curves_group *out); // free with curves_free
void curves_free(curves_group *g);

// Appends an SVG. Refuses a run without such lines.
err curves_draw(const curves_group *g, int n, const curves_options *o, text_buf *to);

#endif
