// What the parts of plot share: an axis with its ticks, and the frame of an SVG. Only plot*.c include this.
#ifndef KEIKO_BASE_PLOT_INNER_H
#define KEIKO_BASE_PLOT_INNER_H

#include "base/plot.h"

enum { PLOT_TICKS = 24, PLOT_COLOURS = 8 };

#define PLOT_LETTER 7.5 // units a column of text takes, at most, about

typedef struct plot_axis {
    double low, high; // of the data's numbers
    double from, to;  // where they lie
    bool log, seconds, percent;
    double tick[PLOT_TICKS];
    int n_ticks;
    double step; // between ticks, decides the decimals
} plot_axis;

// Rounds low and high outwards to whole steps and sets the ticks, about `want` of them. Numbers that make no axis
// (none, not finite, all the same, negative on a log axis) are turned into ones that do. `fixed`: low and high stay.
void plot_axis_fit(plot_axis *x, int want, bool fixed);
double plot_axis_at(const plot_axis *x, double v); // position
void plot_axis_label(const plot_axis *x, double v, char buf[TEXT_SHORT]);

double plot_text_width(const char *s);

void plot_open(text_buf *to, const plot_axes *a, double width, double height);
void plot_close(text_buf *to);
void plot_text(text_buf *to, double x, double y, const char *kind, const char *s); // kind: classes, e.g. "kp-r"
void plot_title(text_buf *to, const char *fmt, ...) KEIKO_PRINTF(2, 3); // <title> of the element that is open

#endif
