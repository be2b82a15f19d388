// Intervals, bars and heat maps. See plot.h.
#include "base/plot.h"
#include "base/plot_inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 24 }; // height of one row

typedef struct rows_frame {
    plot_axis x;
    double width, height, top, bottom;
} rows_frame;

static double name_width(const plot_interval *rows, int n)
{
    double w = 0.0;
    for (int i = 0; i < n; i++) w = fmax(w, plot_text_width(rows[i].name));
    return fmin(w, 220.0);
}

// The value in words, behind the mark.
static void words(const plot_axis *x, const plot_interval *r, text_buf *to)
{
    char v[TEXT_SHORT], low[TEXT_SHORT], high[TEXT_SHORT];
    plot_number(x, r->value, v);
    plot_number(x, r->low, low);
    plot_number(x, r->high, high);
    text_append(to, v);
    if (isfinite(r->low) && isfinite(r->high)) text_printf(to, " (%s to %s)", low, high);
    if (r->note != NULL && r->note[0]) text_printf(to, "  %s", r->note);
}

static double words_width(const plot_axis *x, const plot_interval *rows, int n)
{
    double w = 0.0;
    for (int i = 0; i < n; i++) {
        text_buf t = {0};
        words(x, &rows[i], &t);
        w = fmax(w, plot_text_width(text_str(&t)));
        text_free(&t);
    }
    return w;
}

static rows_frame open_rows(text_buf *to, const plot_axes *a, const plot_interval *rows, int n, bool zero)
{
    rows_frame f = {.width = a->width > 0 ? a->width : 520};
    f.x = (plot_axis){.low = NAN, .high = NAN, .log = a->x_log, .percent = a->y_percent, .seconds = a->x_seconds};
    for (int i = 0; i < n; i++) {
        const double v[] = {rows[i].value, rows[i].low, rows[i].high};
        for (int k = 0; k < 3; k++) {
            if (!isfinite(v[k])) continue;
            if (!(v[k] >= f.x.low)) f.x.low = v[k];
            if (!(v[k] <= f.x.high)) f.x.high = v[k];
        }
    }
    if (zero && !f.x.log && n > 0) {
        f.x.low = fmin(f.x.low, 0.0);
        f.x.high = fmax(f.x.high, 0.0);
    }
    bool fixed = a->low != 0.0 || a->high != 0.0;
    if (fixed) {
        f.x.low = a->low;
        f.x.high = a->high;
    }
    plot_axis_fit(&f.x, 5, fixed);
    f.top = a->title != NULL ? 28.0 : 8.0;
    f.bottom = f.top + ROW * (double)n;
    f.height = f.bottom + (a->x_label != NULL ? 40.0 : 24.0);
    f.x.from = 14.0 + name_width(rows, n);
    f.x.to = f.width - 14.0 - words_width(&f.x, rows, n);
    if (f.x.to < f.x.from + 180.0) { // long words: the chart gets wider rather than empty
        f.width += f.x.from + 180.0 - f.x.to;
        f.x.to = f.x.from + 180.0;
    }
    plot_open(to, a, f.width, f.height);
    double last = -1e9;
    for (int i = 0; i < f.x.n_ticks; i++) {
        char label[TEXT_SHORT];
        double x = plot_axis_at(&f.x, f.x.tick[i]);
        plot_axis_label(&f.x, f.x.tick[i], label);
        text_printf(to, "<path class=\"kp-g\" d=\"M%.1f,%.1fV%.1f\"/>", x, f.top, f.bottom);
        double half = plot_text_width(label) / 2.0;
        if (x - half < last + 6.0) continue;
        plot_text(to, x, f.bottom + 16.0, "kp-m kp-d", label);
        last = x + half;
    }
    for (int i = 0; i < a->n_x_marks; i++) {
        double at = a->x_marks[i].at;
        if (!(at >= f.x.low && at <= f.x.high)) continue;
        text_printf(to, "<path class=\"kp-k\" d=\"M%.1f,%.1fV%.1f\">", plot_axis_at(&f.x, at), f.top, f.bottom);
        plot_title(to, "%s", a->x_marks[i].name);
        text_append(to, "</path>");
    }
    if (a->x_label != NULL) plot_text(to, (f.x.from + f.x.to) / 2.0, f.height - 6.0, "kp-m kp-d", a->x_label);
    return f;
}

// A name cut to its column, whole in the title that the pointer shows.
static void row_name(text_buf *to, const rows_frame *f, const char *name, double y)
{
    double room = f->x.from - 12.0;
    size_t n = strlen(name), fits = n;
    if (plot_text_width(name) > room) {
        int columns = (int)(room / PLOT_LETTER) - 1, used = 0;
        for (fits = 0; fits < n;) {
            uint32_t c;
            size_t len = text_utf8_next(name + fits, n - fits, &c);
            used += text_code_columns(c);
            if (used > columns) break;
            fits += len;
        }
    }
    text_buf t = {0};
    text_append_n(&t, name, fits);
    if (fits < n) text_append(&t, "…");
    plot_text(to, f->x.from - 8.0, y + 4.5, "kp-r", text_str(&t));
    if (t.failed) to->failed = true;
    text_free(&t);
}

static void row_words(text_buf *to, const rows_frame *f, const plot_interval *r, double y)
{
    text_buf t = {0};
    words(&f->x, r, &t);
    plot_text(to, f->x.to + 10.0, y + 4.5, "kp-d", text_str(&t));
    if (t.failed) to->failed = true;
    text_free(&t);
}

static void row_title(text_buf *to, const rows_frame *f, const plot_interval *r)
{
    text_buf t = {0};
    words(&f->x, r, &t);
    plot_title(to, "%s: %s", r->name, text_str(&t));
    text_free(&t);
}

static void interval_mark(text_buf *to, const plot_axis *x, const plot_interval *r, double y)
{
    if (isfinite(r->low) && isfinite(r->high))
        text_printf(to, "<path class=\"kp-l kp-1\" d=\"M%.1f,%.1fH%.1fm0,-4v8M%.1f,%.1fv8\"/>", plot_axis_at(x, r->low),
                    y, plot_axis_at(x, r->high), plot_axis_at(x, r->low), y - 4.0);
    if (isfinite(r->value))
        text_printf(to, "<circle class=\"kp-1\" r=\"4\" cx=\"%.1f\" cy=\"%.1f\"/>", plot_axis_at(x, r->value), y);
}

static void bar_mark(text_buf *to, const plot_axis *x, const plot_interval *r, double y)
{
    if (isfinite(r->value)) {
        double zero = plot_axis_at(x, x->log ? x->low : fmax(x->low, fmin(0.0, x->high))),
               end = plot_axis_at(x, r->value);
        text_printf(to, "<rect class=\"kp-1 kp-a\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\" rx=\"2\"/>",
                    fmin(zero, end), y - 7.0, fabs(end - zero));
    }
    if (isfinite(r->low) && isfinite(r->high))
        text_printf(to, "<path class=\"kp-x\" d=\"M%.1f,%.1fH%.1f\"/>", plot_axis_at(x, r->low), y,
                    plot_axis_at(x, r->high));
}

static void draw_rows(text_buf *to, const plot_axes *a, const plot_interval *rows, int n, bool bars)
{
    rows_frame f = open_rows(to, a, rows, n, bars);
    for (int i = 0; i < n; i++) {
        double y = f.top + ROW * ((double)i + 0.5);
        text_append(to, "<g>");
        row_title(to, &f, &rows[i]);
        row_name(to, &f, rows[i].name, y);
        (bars ? bar_mark : interval_mark)(to, &f.x, &rows[i], y);
        row_words(to, &f, &rows[i], y);
        text_append(to, "</g>");
    }
    plot_close(to);
}

void plot_intervals(text_buf *to, const plot_axes *a, const plot_interval *rows, int n)
{
    draw_rows(to, a, rows, n, false);
}

void plot_bars(text_buf *to, const plot_axes *a, const plot_interval *rows, int n)
{
    draw_rows(to, a, rows, n, true);
}

// --- heat map

static double widest(const char *const *names, int n)
{
    double w = 0.0;
    for (int i = 0; i < n; i++) w = fmax(w, plot_text_width(names[i]));
    return w;
}

static void cell(text_buf *to, const plot_grid *g, int row, int column, double x, double y, double w, double h)
{
    int at = row * g->n_columns + column;
    double v = g->v[at];
    char text[48];
    if (!isfinite(v)) return;
    double span = v >= g->middle ? g->most - g->middle : g->middle - g->least;
    double strength = span > 0.0 ? fmin(1.0, fabs(v - g->middle) / span) : 0.0;
    snprintf(text, sizeof text, "%.*f%s", g->decimals, g->percent ? 100.0 * v : v, g->percent ? "%" : "");
    text_append(to, "<g>");
    if (g->titles != NULL && g->titles[at] != NULL)
        plot_title(to, "%s", g->titles[at]);
    else
        plot_title(to, "%s, %s: %s", g->rows[row], g->columns[column], text);
    text_printf(to,
                "<rect class=\"kp-%d\" stroke=\"none\" style=\"stroke:none;fill-opacity:%.2f\" x=\"%.1f\" y=\"%.1f\" "
                "width=\"%.1f\" "
                "height=\"%.1f\" rx=\"2\"/>",
                v >= g->middle ? 1 : 2, 0.08 + 0.67 * strength, x + 1.0, y + 1.0, w - 2.0, h - 2.0);
    plot_text(to, x + w / 2.0, y + h / 2.0 + 4.5, "kp-m", text);
    text_append(to, "</g>");
}

void plot_heat(text_buf *to, const plot_axes *a, const plot_grid *g)
{
    double h = 26.0, left = 12.0 + fmin(220.0, widest(g->rows, g->n_rows));
    double head = widest(g->columns, g->n_columns), w = 52.0;
    bool slanted = head > w - 6.0; // long names stand up
    double top = (a->title != NULL ? 26.0 : 6.0) + (slanted ? fmin(head, 170.0) + 8.0 : 20.0);
    double width = left + w * g->n_columns + 8.0, height = top + h * g->n_rows + 8.0;
    if (width < a->width) width = a->width;
    plot_open(to, a, width, height);
    for (int k = 0; k < g->n_columns; k++) {
        double x = left + w * ((double)k + 0.5);
        if (slanted) {
            text_printf(to, "<g transform=\"translate(%.1f,%.1f) rotate(-90)\">", x + 4.5, top - 6.0);
            plot_text(to, 0.0, 0.0, "kp-d", g->columns[k]);
            text_append(to, "</g>");
        } else {
            plot_text(to, x, top - 6.0, "kp-m kp-d", g->columns[k]);
        }
    }
    for (int i = 0; i < g->n_rows; i++) {
        plot_text(to, left - 6.0, top + h * ((double)i + 0.5) + 4.5, "kp-r", g->rows[i]);
        for (int k = 0; k < g->n_columns; k++) cell(to, g, i, k, left + w * k, top + h * i, w, h);
    }
    plot_close(to);
}
