// Line charts with bands as SVG text, without a library: for `keiko train curves`, whose pictures go into documents. What the
// page and the reports show is drawn in web/.
//
// A function appends one <svg> element. With `alone` the style is in the SVG itself, for a file of its own. Colours follow the
// reader's light or dark preference. Any text may come from users: it is escaped here. Numbers that are not finite are gaps.
// Sizes are in the SVG's own units.
#ifndef KEIKO_BASE_PLOT_H
#define KEIKO_BASE_PLOT_H

#include "base/text.h"

#include <stdbool.h>

typedef enum plot_style {
    PLOT_LINE,
    PLOT_FAINT,
    PLOT_DASHED,
    PLOT_POINTS
} plot_style; // PLOT_FAINT: raw data behind a trend

typedef struct plot_series {
    const char *name; // in the legend; NULL: not there
    const double *x, *y;
    const double *low, *high; // a band around y; NULL = none
    int n;
    plot_style style;
    int colour; // 0 = by place; else 1…8, so that a faint series and its trend can share one
} plot_series;

typedef struct plot_mark { // a line across the chart: at x (a resumed run) or at y (a reference's rating)
    double at;
    const char *name;
} plot_mark;

typedef struct plot_axes {
    const char *title, *x_label, *y_label; // NULL = none
    int width, height;                     // 0 = 520 × 280
    bool x_log, y_log;
    bool x_seconds;   // the x axis is a time: 90 is "1m30"
    bool y_percent;   // y is a share, 0…1, written as percent
    bool y_zero;      // the axis begins at zero
    bool stacked;     // series are parts of a whole and lie on each other; they share x
    double low, high; // of the y axis; both 0 = from the data
    const plot_mark *x_marks, *y_marks;
    int n_x_marks, n_y_marks;
    bool alone; // a file of its own
} plot_axes;

void plot_lines(text_buf *to, const plot_axes *a, const plot_series *s, int n);

void plot_escape(text_buf *to, const char *s); // text for XML and HTML, in quotes too: & < > " '; never malformed UTF-8
const char *plot_css(void);                    // rules of all classes used above

#endif
