// Axes, frames and the line chart. See plot.h.
#include "base/plot.h"

#include "base/plot_inner.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- text

void plot_escape(text_buf *to, const char *s)
{
    for (size_t n = strlen(s), i = 0; i < n;) {
        uint32_t c;
        size_t len = text_utf8_next(s + i, n - i, &c);
        if (c == '&')
            text_append(to, "&amp;");
        else if (c == '<')
            text_append(to, "&lt;");
        else if (c == '>')
            text_append(to, "&gt;");
        else if (c == '"')
            text_append(to, "&quot;");
        else if (c == '\'')
            text_append(to, "&#39;");
        else if (c < 0x20 || c == 0x7f) // XML 1.0 has no place for control characters
            text_char(to, ' ');
        else if (c == 0xfffd || c == 0xfffe || c == 0xffff)
            text_append(to, "\xef\xbf\xbd");
        else
            text_append_n(to, s + i, len);
        i += len;
    }
}

double plot_text_width(const char *s)
{
    return PLOT_LETTER * text_columns(s, strlen(s));
}

void plot_text(text_buf *to, double x, double y, const char *kind, const char *s)
{
    text_printf(to, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
    if (kind[0]) text_printf(to, " class=\"%s\"", kind);
    text_char(to, '>');
    plot_escape(to, s);
    text_append(to, "</text>");
}

void plot_title(text_buf *to, const char *fmt, ...)
{
    text_buf t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    text_append(to, "<title>");
    plot_escape(to, text_str(&t));
    text_append(to, "</title>");
    if (t.failed) to->failed = true;
    text_free(&t);
}

// Colours told apart by people with any colour vision (after Okabe and Ito), darker on white and lighter on black.
const char *plot_css(void)
{
    return ".kp{font:13px system-ui,sans-serif;--kp-fg:#1b1f24;--kp-dim:#66707a;--kp-grid:#e3e7ea;--kp-bg:#fff;"
           "--kp-c1:#0067a5;--kp-c2:#c8500a;--kp-c3:#008560;--kp-c4:#a3478a;--kp-c5:#8a6d00;--kp-c6:#3f86c7;"
           "--kp-c7:#b3261e;--kp-c8:#5b6470}"
           "@media(prefers-color-scheme:dark){.kp{--kp-fg:#e6e9ec;--kp-dim:#98a2ac;--kp-grid:#2d343b;--kp-bg:#14181c;"
           "--kp-c1:#4fa8e8;--kp-c2:#f08a4b;--kp-c3:#2fbf94;--kp-c4:#d98bc3;--kp-c5:#d9b93b;--kp-c6:#8fc4f2;"
           "--kp-c7:#f2766d;--kp-c8:#aab3bc}}"
           ".kp text{fill:var(--kp-fg)}.kp .kp-h{font-weight:600;font-size:14px}.kp .kp-d{fill:var(--kp-dim)}"
           ".kp .kp-m{text-anchor:middle}.kp .kp-r{text-anchor:end}"
           ".kp .kp-g{stroke:var(--kp-grid);stroke-width:1;fill:none}.kp "
           ".kp-x{stroke:var(--kp-dim);stroke-width:1;fill:none}"
           ".kp .kp-k{stroke:var(--kp-dim);stroke-dasharray:2 3;fill:none}"
           ".kp .kp-l{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}"
           ".kp .kp-f{fill:none;stroke-width:1;opacity:.3}.kp .kp-t{stroke-dasharray:6 4}.kp "
           ".kp-b{stroke:none;opacity:.18}"
           ".kp .kp-a{stroke:none;opacity:.75}.kp .kp-bg{fill:var(--kp-bg)}"
           ".kp .kp-1{stroke:var(--kp-c1);fill:var(--kp-c1)}.kp .kp-2{stroke:var(--kp-c2);fill:var(--kp-c2)}"
           ".kp .kp-3{stroke:var(--kp-c3);fill:var(--kp-c3)}.kp .kp-4{stroke:var(--kp-c4);fill:var(--kp-c4)}"
           ".kp .kp-5{stroke:var(--kp-c5);fill:var(--kp-c5)}.kp .kp-6{stroke:var(--kp-c6);fill:var(--kp-c6)}"
           ".kp .kp-7{stroke:var(--kp-c7);fill:var(--kp-c7)}.kp .kp-8{stroke:var(--kp-c8);fill:var(--kp-c8)}"
           ".kp .kp-l,.kp .kp-f{fill:none}.kp .kp-b,.kp .kp-a{stroke:none}";
}

void plot_open(text_buf *to, const plot_axes *a, double width, double height)
{
    text_printf(to, "<svg class=\"kp\" viewBox=\"0 0 %.0f %.0f\" role=\"img\"", width, height);
    if (a->alone)
        text_printf(to, " xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\"", width, height);
    else // as large as its text may reasonably grow
        text_printf(to, " style=\"max-width:%.0fpx\"", 1.35 * width);
    if (a->title != NULL) {
        text_append(to, " aria-label=\"");
        plot_escape(to, a->title);
        text_char(to, '"');
    }
    text_char(to, '>');
    if (a->alone) {
        text_append(to, "<style>");
        text_append(to, plot_css());
        text_printf(to, "</style><rect class=\"kp-bg\" width=\"%.0f\" height=\"%.0f\"/>", width, height);
    }
    if (a->title != NULL) plot_text(to, 4.0, 16.0, "kp-h", a->title);
}

void plot_close(text_buf *to)
{
    text_append(to, "</svg>\n");
}

// --- axes

// 1, 2 or 5 times a power of ten, at least v
static double nice_step(double v)
{
    double power = pow(10.0, floor(log10(v))), lead = v / power;
    return power * (lead <= 1.0 + 1e-9 ? 1.0 : lead <= 2.0 + 1e-9 ? 2.0 : lead <= 5.0 + 1e-9 ? 5.0 : 10.0);
}

// People read times in steps of 1, 2, 5, 10, 15, 30 seconds, minutes, hours.
static double nice_seconds(double v)
{
    static const double steps[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (v <= steps[i] * (1.0 + 1e-9)) return v < 1.0 ? nice_step(v) : steps[i];
    return 86400.0 * nice_step(v / 86400.0);
}

static void log_ticks(plot_axis *x, bool fixed)
{
    if (!(x->high > 0.0)) x->high = 1.0;
    if (!(x->low > 0.0)) x->low = x->high / 1000.0;
    double a = floor(log10(x->low) + 1e-9), b = ceil(log10(x->high) - 1e-9);
    if (b <= a) b = a + 1.0;
    double every = ceil((b - a) / 8.0);
    bool between = b - a <= 2.0; // few decades: 2 and 5 as well
    if (!fixed && !between) {
        x->low = pow(10.0, a);
        x->high = pow(10.0, b);
    } else if (!(x->high > x->low * 1.0001)) {
        x->low /= 1.5;
        x->high *= 1.5;
    }
    for (double d = a; d <= b && x->n_ticks + 3 < PLOT_TICKS; d += every)
        for (int k = 0; k < (between ? 3 : 1); k++) {
            double v = pow(10.0, d) * (k == 0 ? 1.0 : k == 1 ? 2.0 : 5.0);
            if (v >= x->low * (1.0 - 1e-9) && v <= x->high * (1.0 + 1e-9)) x->tick[x->n_ticks++] = v;
        }
    if (x->n_ticks < 2) { // no two round numbers lie between, and one alone gives no scale
        x->n_ticks = 0;
        x->tick[x->n_ticks++] = x->low;
        x->tick[x->n_ticks++] = x->high;
    }
}

void plot_axis_fit(plot_axis *x, int want, bool fixed)
{
    x->n_ticks = 0;
    x->step = 0.0;
    if (!isfinite(x->low) || !isfinite(x->high) || x->low > x->high || fabs(x->low) > 1e200 || fabs(x->high) > 1e200) {
        x->low = x->log ? 0.1 : 0.0;
        x->high = 1.0;
    }
    if (x->log) {
        log_ticks(x, fixed);
        return;
    }
    double size = fmax(fabs(x->low), fabs(x->high));
    if (x->high - x->low <= size * 1e-9) { // one value: room around it
        double room = size > 0.0 ? size * 0.1 : 1.0;
        x->low -= room;
        x->high += room;
    }
    double raw = (x->high - x->low) / want;
    x->step = x->seconds ? nice_seconds(raw) : nice_step(raw);
    double a = floor(x->low / x->step + 1e-9), b = ceil(x->high / x->step - 1e-9);
    if (!fixed) {
        x->low = a * x->step;
        x->high = b * x->step;
    }
    for (double k = a; k <= b && x->n_ticks < PLOT_TICKS; k += 1.0) {
        double v = k * x->step, slack = 1e-9 * x->step;
        if (v >= x->low - slack && v <= x->high + slack) x->tick[x->n_ticks++] = v;
    }
}

double plot_axis_at(const plot_axis *x, double v)
{
    double f = x->log ? log(v / x->low) / log(x->high / x->low) : (v - x->low) / (x->high - x->low);
    return x->from + fmin(fmax(f, -0.5), 1.5) * (x->to - x->from);
}

static void seconds_text(double v, char buf[TEXT_SHORT])
{
    long long t = (long long)(v + 0.5);
    if (v < 0.0 || v >= 1e12)
        snprintf(buf, TEXT_SHORT, "%.3g", v);
    else if (t < 60)
        snprintf(buf, TEXT_SHORT, v < 10.0 && v != floor(v) ? "%.1fs" : "%.0fs", v);
    else if (t < 3600)
        snprintf(buf, TEXT_SHORT, t % 60 == 0 ? "%lldm" : "%lldm%02lld", t / 60, t % 60);
    else
        snprintf(buf, TEXT_SHORT, t / 60 % 60 == 0 ? "%lldh" : "%lldh%02lld", t / 3600, t / 60 % 60);
}

void plot_axis_label(const plot_axis *x, double v, char buf[TEXT_SHORT])
{
    static const char units[] = {0, 'k', 'M', 'G', 'T'};
    if (x->seconds) {
        seconds_text(v, buf);
        return;
    }
    double shown = x->percent ? 100.0 * v : v, step = x->percent ? 100.0 * x->step : x->step;
    int k = 0;
    if (x->log) {
        while (shown >= 999.5 && k < 4) {
            shown /= 1000.0;
            k++;
        }
        snprintf(buf, TEXT_SHORT, fabs(shown) < 0.0009995 ? "%.0e" : "%.3g%.1s", shown, k == 0 ? "" : &units[k]);
        if (x->percent) strcat(buf, "%");
        return;
    }
    double most = fmax(fabs(x->low), fabs(x->high)) * (x->percent ? 100.0 : 1.0);
    while (most >= 9999.5 && k < 4) {
        most /= 1000.0;
        shown /= 1000.0;
        step /= 1000.0;
        k++;
    }
    if (fabs(shown) < 1e-9 * most) shown = 0.0;
    int decimals = step > 0.0 ? (int)fmax(0.0, -floor(log10(step) + 1e-9)) : 0;
    if (decimals > 4 || most >= 1e6)
        snprintf(buf, TEXT_SHORT, "%.3g", shown);
    else
        snprintf(buf, TEXT_SHORT, "%.*f%.1s", decimals, shown, k == 0 ? "" : &units[k]);
    if (x->percent) strcat(buf, "%");
}

// --- the line chart

typedef struct chart {
    text_buf *to;
    const plot_axes *a;
    plot_axis x, y;
    double width, height, top; // top: below title and legend
} chart;

static bool shown(const chart *c, const plot_series *s, int i)
{
    return isfinite(s->x[i]) && isfinite(s->y[i]) && (!c->a->x_log || s->x[i] > 0.0) && (!c->a->y_log || s->y[i] > 0.0);
}

static void widen(plot_axis *x, double v)
{
    if (!isfinite(v) || (x->log && v <= 0.0)) return;
    if (!(v >= x->low)) x->low = v; // also when low is NaN
    if (!(v <= x->high)) x->high = v;
}

static void find_ranges(chart *c, const plot_series *s, int n)
{
    c->x = (plot_axis){.low = NAN, .high = NAN, .log = c->a->x_log, .seconds = c->a->x_seconds};
    c->y = (plot_axis){.low = NAN, .high = NAN, .log = c->a->y_log, .percent = c->a->y_percent};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < s[i].n; k++) {
            if (!shown(c, &s[i], k)) continue;
            widen(&c->x, s[i].x[k]);
            widen(&c->y, s[i].y[k]);
            if (s[i].low != NULL) widen(&c->y, s[i].low[k]);
            if (s[i].high != NULL) widen(&c->y, s[i].high[k]);
        }
    for (int i = 0; i < c->a->n_y_marks; i++) widen(&c->y, c->a->y_marks[i].at);
    if (c->a->y_zero && !c->y.log && !isnan(c->y.low)) widen(&c->y, 0.0);
    if (c->a->y_zero && !c->y.log && c->y.low == 0.0 && c->y.high == 0.0) c->y.high = 1.0; // zero is the bottom then
    bool fixed = c->a->low != 0.0 || c->a->high != 0.0;
    if (fixed) {
        c->y.low = c->a->low;
        c->y.high = c->a->high;
    }
    plot_axis_fit(&c->y, 5, fixed);
    plot_axis_fit(&c->x, 6, !c->a->x_log);
}

static int colour_of(const plot_series *s, int place)
{
    return s->colour > 0 ? (s->colour - 1) % PLOT_COLOURS + 1 : place % PLOT_COLOURS + 1;
}

// Names in rows under the title; returns where they end.
static double legend(chart *c, const plot_series *s, int n)
{
    double x = 8.0, y = c->a->title != NULL ? 34.0 : 14.0;
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (s[i].name == NULL) continue;
        double w = 34.0 + plot_text_width(s[i].name);
        if (any && x + w > c->width - 4.0) {
            x = 8.0;
            y += 17.0;
        }
        text_printf(c->to, "<path class=\"kp-l kp-%d%s\" stroke-width=\"3\" d=\"M%.1f,%.1fh14\"/>", colour_of(&s[i], i),
                    s[i].style == PLOT_DASHED ? " kp-t" : "", x, y - 4.0);
        plot_text(c->to, x + 19.0, y, "kp-d", s[i].name);
        x += w;
        any = true;
    }
    return any ? y + 10.0 : c->a->title != NULL ? 26.0 : 8.0;
}

static void frame(chart *c)
{
    char label[TEXT_SHORT];
    const plot_axes *a = c->a;
    double widest = 0.0;
    for (int i = 0; i < c->y.n_ticks; i++) {
        plot_axis_label(&c->y, c->y.tick[i], label);
        widest = fmax(widest, plot_text_width(label));
    }
    c->x.from = 12.0 + widest + (a->y_label != NULL ? 18.0 : 0.0);
    c->x.to = c->width - 14.0;
    c->y.from = c->height - (a->x_label != NULL ? 40.0 : 24.0);
    c->y.to = c->top + 4.0;
    for (int i = 0; i < c->y.n_ticks; i++) {
        double y = plot_axis_at(&c->y, c->y.tick[i]);
        plot_axis_label(&c->y, c->y.tick[i], label);
        text_printf(c->to, "<path class=\"kp-g\" d=\"M%.1f,%.1fH%.1f\"/>", c->x.from, y, c->x.to);
        plot_text(c->to, c->x.from - 6.0, y + 4.5, "kp-r kp-d", label);
    }
    double last = -1e9;
    for (int i = 0; i < c->x.n_ticks; i++) {
        double x = plot_axis_at(&c->x, c->x.tick[i]);
        plot_axis_label(&c->x, c->x.tick[i], label);
        double half = plot_text_width(label) / 2.0;
        text_printf(c->to, "<path class=\"kp-x\" d=\"M%.1f,%.1fv4\"/>", x, c->y.from);
        if (x - half < last + 6.0) continue; // two labels would touch
        bool end = x + half > c->width;
        plot_text(c->to, end ? c->width - 1.0 : x, c->y.from + 17.0, end ? "kp-r kp-d" : "kp-m kp-d", label);
        last = x + half;
    }
    text_printf(c->to, "<path class=\"kp-x\" d=\"M%.1f,%.1fH%.1f\"/>", c->x.from, c->y.from, c->x.to);
    if (a->x_label != NULL) plot_text(c->to, (c->x.from + c->x.to) / 2.0, c->height - 6.0, "kp-m kp-d", a->x_label);
    if (a->y_label != NULL) {
        text_printf(c->to, "<g transform=\"translate(12,%.1f) rotate(-90)\">", (c->y.from + c->y.to) / 2.0);
        plot_text(c->to, 0.0, 0.0, "kp-m kp-d", a->y_label);
        text_append(c->to, "</g>");
    }
}

static void marks(chart *c)
{
    for (int i = 0; i < c->a->n_x_marks; i++) {
        const plot_mark *m = &c->a->x_marks[i];
        if (!(m->at >= c->x.low && m->at <= c->x.high)) continue;
        text_printf(c->to, "<path class=\"kp-k\" d=\"M%.1f,%.1fV%.1f\">", plot_axis_at(&c->x, m->at), c->y.from,
                    c->y.to);
        plot_title(c->to, "%s", m->name);
        text_append(c->to, "</path>");
    }
    for (int i = 0; i < c->a->n_y_marks; i++) {
        const plot_mark *m = &c->a->y_marks[i];
        if (!(m->at >= c->y.low && m->at <= c->y.high)) continue;
        double y = plot_axis_at(&c->y, m->at);
        text_printf(c->to, "<path class=\"kp-k\" d=\"M%.1f,%.1fH%.1f\"/>", c->x.from, y, c->x.to);
        plot_text(c->to, c->x.from + 4.0, y - 4.0, "kp-d", m->name);
    }
}

// Which points to draw: all of them, or, where there are more than anyone can see, the least and the greatest of each
// stretch, so that no spike is lost. Gaps stay gaps.
static int thin(const chart *c, const plot_series *s, int *keep)
{
    enum { STRETCHES = 250 };
    int n = 0;
    if (s->n <= 2 * STRETCHES) {
        for (int i = 0; i < s->n; i++) keep[n++] = i;
        return n;
    }
    for (int b = 0; b < STRETCHES; b++) {
        int from = (int)((int64_t)s->n * b / STRETCHES), to = (int)((int64_t)s->n * (b + 1) / STRETCHES), lo = -1,
            hi = -1;
        for (int i = from; i < to; i++) {
            if (!shown(c, s, i)) continue;
            if (lo < 0 || s->y[i] < s->y[lo]) lo = i;
            if (hi < 0 || s->y[i] > s->y[hi]) hi = i;
        }
        if (lo < 0) {
            keep[n++] = from; // a gap
            continue;
        }
        keep[n++] = lo < hi ? lo : hi;
        if (lo != hi) keep[n++] = lo < hi ? hi : lo;
    }
    return n;
}

static void point(chart *c, char kind, double x, double y)
{
    text_printf(c->to, "%c%.1f,%.1f", kind, plot_axis_at(&c->x, x), plot_axis_at(&c->y, y));
}

static void band(chart *c, const plot_series *s, const int *keep, int n, int colour, const double *low,
                 const double *high, const char *kind)
{
    text_printf(c->to, "<path class=\"%s kp-%d\" d=\"", kind, colour);
    for (int i = 0; i < n;) {
        int from = i;
        while (i < n && shown(c, s, keep[i]) && isfinite(low[keep[i]]) && isfinite(high[keep[i]])) i++;
        for (int k = from; k < i; k++) point(c, k == from ? 'M' : 'L', s->x[keep[k]], high[keep[k]]);
        for (int k = i - 1; k >= from; k--) {
            double v = low[keep[k]];
            point(c, 'L', s->x[keep[k]], c->y.log && v <= 0.0 ? c->y.low : v);
        }
        if (i > from) text_char(c->to, 'Z');
        if (i == from + 1) { // a lone point: its interval as a bar
            double x = plot_axis_at(&c->x, s->x[keep[from]]), top = plot_axis_at(&c->y, high[keep[from]]);
            text_printf(c->to, "M%.1f,%.1fh5V%.1fh-5Z", x - 2.5, top, plot_axis_at(&c->y, low[keep[from]]));
        }
        if (i == from) i++;
    }
    text_append(c->to, "\"/>");
}

static void line(chart *c, const plot_series *s, const int *keep, int n, int colour)
{
    enum { FEW = 30 }; // points that are seen as such, also on a line
    if (s->style == PLOT_POINTS || (n <= FEW && s->style == PLOT_LINE)) {
        for (int i = 0; i < n; i++)
            if (shown(c, s, keep[i]))
                text_printf(c->to, "<circle class=\"kp-%d\" r=\"2.3\" cx=\"%.1f\" cy=\"%.1f\"/>", colour,
                            plot_axis_at(&c->x, s->x[keep[i]]), plot_axis_at(&c->y, s->y[keep[i]]));
    }
    const char *kind = s->style == PLOT_FAINT ? "kp-f" : s->style == PLOT_DASHED ? "kp-l kp-t" : "kp-l";
    text_printf(c->to, "<path class=\"%s kp-%d\"%s", kind, colour, s->style == PLOT_POINTS ? " opacity=\"0\"" : "");
    if (s->name != NULL) { // the page's script reads values off the path
        text_append(c->to, " data-name=\"");
        plot_escape(c->to, s->name);
        text_char(c->to, '"');
    }
    text_append(c->to, " d=\"");
    bool on = false;
    for (int i = 0; i < n; i++) {
        bool ok = shown(c, s, keep[i]);
        bool single = ok && !on && (i + 1 == n || !shown(c, s, keep[i + 1]));
        if (ok) point(c, on ? 'L' : 'M', s->x[keep[i]], s->y[keep[i]]);
        if (single) text_append(c->to, "h0.1"); // a lone point is drawn by its round ends
        on = ok;
    }
    text_append(c->to, "\"/>");
}

// Sums of the series below and including each; returns NULL without memory.
static double *stack(const plot_series *s, int n)
{
    int most = 0;
    for (int i = 0; i < n; i++) most = s[i].n > most ? s[i].n : most;
    double *sum = calloc((size_t)(n + 1) * (size_t)(most + 1), sizeof *sum);
    for (int i = 0; sum != NULL && i < n; i++)
        for (int k = 0; k < most; k++) {
            double v = k < s[i].n && isfinite(s[i].y[k]) ? s[i].y[k] : 0.0;
            sum[(size_t)(i + 1) * (size_t)most + (size_t)k] = sum[(size_t)i * (size_t)most + (size_t)k] + v;
        }
    return sum;
}

static void draw(chart *c, const plot_series *s, int n, const double *sums)
{
    int most = 0;
    for (int i = 0; i < n; i++) most = s[i].n > most ? s[i].n : most;
    int *keep = malloc(((size_t)most + 1000) * sizeof *keep);
    if (keep == NULL) {
        c->to->failed = true;
        return;
    }
    for (int i = 0; i < n; i++) {
        int k = thin(c, &s[i], keep), colour = colour_of(&s[i], i);
        if (sums != NULL) {
            const double *low = sums + (size_t)i * (size_t)most, *high = low + most;
            band(c, &s[i], keep, k, colour, low, high, "kp-a");
            continue;
        }
        if (s[i].low != NULL && s[i].high != NULL) band(c, &s[i], keep, k, colour, s[i].low, s[i].high, "kp-b");
        line(c, &s[i], keep, k, colour);
    }
    free(keep);
}

void plot_lines(text_buf *to, const plot_axes *a, const plot_series *s, int n)
{
    chart c = {.to = to, .a = a, .width = a->width > 0 ? a->width : 520, .height = a->height > 0 ? a->height : 280};
    double *sums = a->stacked ? stack(s, n) : NULL;
    if (a->stacked && sums == NULL) {
        to->failed = true;
        return;
    }
    find_ranges(&c, s, n);
    if (sums != NULL) {
        int most = 0;
        for (int i = 0; i < n; i++) most = s[i].n > most ? s[i].n : most;
        for (int k = 0; k < most; k++) widen(&c.y, sums[(size_t)n * (size_t)most + (size_t)k]);
        if (a->high == 0.0) plot_axis_fit(&c.y, 5, false);
    }
    plot_open(to, a, c.width, c.height);
    c.top = legend(&c, s, n);
    frame(&c);
    // What the page's script needs to turn places into numbers.
    text_printf(to, "<g class=\"kp-data\" data-x=\"%.9g,%.9g,%.1f,%.1f,%d\" data-y=\"%.9g,%.9g,%.1f,%.1f,%d\">",
                c.x.low, c.x.high, c.x.from, c.x.to,
                c.x.log       ? 1
                : c.x.seconds ? 2
                              : 0,
                c.y.low, c.y.high, c.y.from, c.y.to,
                c.y.log       ? 1
                : c.y.percent ? 3
                              : 0);
    draw(&c, s, n, sums);
    marks(&c);
    text_append(to, "</g>");
    bool any = false;
    for (int i = 0; i < n && !any; i++)
        for (int k = 0; k < s[i].n && !any; k++) any = shown(&c, &s[i], k);
    if (!any) plot_text(to, (c.x.from + c.x.to) / 2.0, (c.y.from + c.y.to) / 2.0, "kp-m kp-d", "no data yet");
    plot_close(to);
    free(sums);
}
