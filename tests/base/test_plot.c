// Charts: well-formed whatever the names and numbers, axes with known ticks, and points where they belong.
#include "base/edits.h"
#include "base/plot.h"
#include "base/plot_inner.h"
#include "base/xml_check.h"
#include "test.h"

#include <math.h>

static void well_formed(const text_buf *t)
{
    assert_ok(text_check(t));
    const char *fault = xml_fault(text_str(t));
    if (fault != NULL) fail_msg("not well-formed at: %.80s", fault);
    assert_null(strstr(text_str(t), "nan"));
    assert_null(strstr(text_str(t), "inf"));
}

static int count(const char *s, const char *part)
{
    int n = 0;
    for (; (s = strstr(s, part)) != NULL; s++) n++;
    return n;
}

static void escaping(void **state)
{
    (void)state;
    text_buf t = {0};
    plot_escape(&t, "a<b>&\"'\x01\xff\xed\xa0\x80é日");
    assert_string_equal(text_str(&t), "a&lt;b&gt;&amp;&quot;&#39; \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdé日");
    text_free(&t);
}

static void ticks(void **state)
{
    (void)state;
    char label[TEXT_SHORT];
    static const struct {
        double low, high;
        bool log, seconds, percent;
        double got_low, got_high;
        int n;
        const char *first, *last;
    } known[] = {
        {0, 1, false, false, false, 0, 1, 6, "0.0", "1.0"},
        {0.13, 0.92, false, false, false, 0, 1, 6, "0.0", "1.0"},
        {-3, 12, false, false, false, -5, 15, 5, "-5", "15"},
        {0, 123456, false, false, false, 0, 150000, 4, "0k", "150k"},
        {1000, 1000, false, false, false, 900, 1100, 5, "900", "1100"},
        {0, 0, false, false, false, -1, 1, 5, "-1.0", "1.0"},
        {NAN, NAN, false, false, false, 0, 1, 6, "0.0", "1.0"},
        {0.001, 5, true, false, false, 0.001, 10, 5, "0.001", "10"},
        {0, 3000, false, true, false, 0, 3000, 6, "0s", "50m"},
        {0, 0.9, false, false, true, 0, 1, 6, "0%", "100%"},
        {1e-9, 1e-3, true, false, false, 1e-9, 1e-3, 7, "1e-09", "0.001"},
        {1.2, 1.8, true, false, false, 1.2, 1.8, 2, "1.2", "1.8"},
        {0.8, 1.6, true, false, false, 0.8, 1.6, 2, "0.8", "1.6"}, // 1 alone would give no scale
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        plot_axis x = {.low = known[i].low,
                       .high = known[i].high,
                       .log = known[i].log,
                       .seconds = known[i].seconds,
                       .percent = known[i].percent};
        plot_axis_fit(&x, 5, false);
        assert_true(fabs(x.low - known[i].got_low) <= 1e-9 * fabs(known[i].got_low) + 1e-12);
        assert_true(fabs(x.high - known[i].got_high) <= 1e-9 * fabs(known[i].got_high) + 1e-12);
        assert_int_equal(x.n_ticks, known[i].n);
        plot_axis_label(&x, x.tick[0], label);
        assert_string_equal(label, known[i].first);
        plot_axis_label(&x, x.tick[x.n_ticks - 1], label);
        assert_string_equal(label, known[i].last);
    }
    plot_axis x = {.low = 10, .high = 1000, .log = true, .from = 100, .to = 300};
    plot_axis_fit(&x, 5, true);
    assert_true(fabs(plot_axis_at(&x, 100) - 200) < 1e-9);
}

// Axes between any two of these numbers, broken ones included: ends, ticks, labels and places.
static void axes_of_all_kinds(void **state)
{
    (void)state;
    static const double ends[] = {NAN,  -INFINITY, INFINITY, -3e200,    -1e9, -12.5,        -1, -1e-7,
                                  0,    1e-12,     0.02,     0.5,       1,    1.0000000001, 7,  60,
                                  99.5, 3600,      86400,    123456789, 4e12, 2e201};
    enum { ENDS = sizeof ends / sizeof *ends };
    edits e = {.name = "axes"};
    text_buf list = {0};
    for (int kind = 0; kind < 16; kind++)
        for (int i = 0; i < ENDS * ENDS; i++) {
            char label[TEXT_SHORT];
            text_buf t = {0};
            plot_axis x = {.low = ends[i / ENDS],
                           .high = ends[i % ENDS],
                           .log = kind & 1,
                           .seconds = kind & 2,
                           .percent = kind & 4,
                           .from = 10,
                           .to = 110};
            if (x.log && x.low <= 0) continue;
            plot_axis_fit(&x, 2 + i % 7, kind & 8);
            text_printf(&t, "%.6g %.6g %d %.6g:", x.low, x.high, x.n_ticks, x.step);
            for (int k = 0; k < x.n_ticks; k++) {
                plot_axis_label(&x, x.tick[k], label);
                text_printf(&t, " %.6g '%s' %.4f", x.tick[k], label, plot_axis_at(&x, x.tick[k]));
            }
            edits_saw(&e, true, "", text_str(&t));
            text_free(&t);
        }
    edits_list(&e, &list);
    assert_listed(&list, "base/axes.txt");
}

static void lines(void **state)
{
    (void)state;
    enum { N = 50 };
    double x[N], y[N], low[N], high[N];
    for (int i = 0; i < N; i++) {
        x[i] = i * 10;
        y[i] = exp(-i / 10.0);
        low[i] = y[i] * 0.9;
        high[i] = y[i] * 1.1;
    }
    y[20] = NAN;
    y[30] = INFINITY;
    plot_series s[] = {{"<a & \"b\">", x, y, low, high, N, PLOT_LINE, 0},
                       {"日本", x, high, NULL, NULL, N, PLOT_DASHED, 0},
                       {NULL, x, low, NULL, NULL, N, PLOT_FAINT, 2},
                       {"points", x, y, NULL, NULL, N, PLOT_POINTS, 0},
                       {"none", x, y, NULL, NULL, 0, PLOT_LINE, 0}};
    plot_mark mark = {250, "resumed"}, ref = {0.5, "rule"};
    text_buf t = {0};
    for (int kind = 0; kind < 8; kind++) {
        plot_axes a = {.title = kind & 1 ? "t <>" : NULL,
                       .x_label = "step",
                       .y_label = "loss",
                       .y_log = (kind & 2) != 0,
                       .x_log = (kind & 4) != 0,
                       .x_marks = &mark,
                       .n_x_marks = 1,
                       .y_marks = &ref,
                       .n_y_marks = 1,
                       .alone = kind == 3};
        text_clear(&t);
        plot_lines(&t, &a, s, 5);
        well_formed(&t);
        assert_int_equal(count(text_str(&t), "<svg"), 1);
        assert_int_equal(count(text_str(&t), "resumed"), 1);
        assert_int_equal(count(text_str(&t), "data-name=\"&lt;a &amp; &quot;b&quot;&gt;\""), 1);
        assert_int_equal(count(text_str(&t), "<circle"), N - 2 - (a.x_log ? 1 : 0));
        assert_int_equal(count(text_str(&t), "xmlns"), kind == 3);
    }
    text_clear(&t);
    plot_lines(&t, &(plot_axes){.stacked = true, .low = 0, .high = 1, .y_percent = true}, s, 2);
    well_formed(&t);
    text_clear(&t);
    for (int i = 0; i < N; i++) low[i] = 0.0; // a share that is always 0 begins at 0
    plot_lines(&t, &(plot_axes){.y_zero = true, .y_percent = true}, s + 2, 1);
    assert_int_equal(count(text_str(&t), "-100%"), 0);
    assert_int_equal(count(text_str(&t), "100%"), 1);
    text_clear(&t);
    plot_lines(&t, &(plot_axes){.title = "empty"}, s + 4, 1);
    well_formed(&t);
    assert_int_equal(count(text_str(&t), "no data yet"), 1);
    text_clear(&t);
    plot_lines(&t, &(plot_axes){0}, NULL, 0);
    well_formed(&t);
    text_free(&t);
}

// A point lies where the frame's own numbers say it does.
static void places(void **state)
{
    (void)state;
    double x[] = {0, 10}, y[] = {0, 1};
    plot_series s = {"s", x, y, NULL, NULL, 2, PLOT_LINE, 0};
    text_buf t = {0};
    plot_lines(&t, &(plot_axes){0}, &s, 1);
    double ax[4], ay[4], px[2], py[2];
    const char *data = strstr(text_str(&t), "data-x=");
    assert_non_null(data);
    assert_int_equal(sscanf(data, "data-x=\"%lf,%lf,%lf,%lf,0\" data-y=\"%lf,%lf,%lf,%lf", &ax[0], &ax[1], &ax[2],
                            &ax[3], &ay[0], &ay[1], &ay[2], &ay[3]),
                     8);
    const char *path = strstr(text_str(&t), "data-name=\"s\" d=\"");
    assert_non_null(path);
    assert_int_equal(sscanf(path, "data-name=\"s\" d=\"M%lf,%lfL%lf,%lf", &px[0], &py[0], &px[1], &py[1]), 4);
    assert_true(ax[0] == 0 && ax[1] == 10 && ay[0] == 0 && ay[1] == 1);
    assert_true(px[0] == ax[2] && px[1] == ax[3] && py[0] == ay[2] && py[1] == ay[3]);
    assert_true(py[1] < py[0]); // up is up
    text_free(&t);
}

// A hundred thousand points make a small file, and a single spike among them survives.
static void thinning(void **state)
{
    (void)state;
    enum { N = 100000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = 0.5;
    }
    y[77777] = 9.0;
    plot_series s = {"s", x, y, NULL, NULL, N, PLOT_LINE, 0};
    text_buf t = {0};
    plot_lines(&t, &(plot_axes){.low = 0, .high = 10}, &s, 1);
    well_formed(&t);
    assert_true(t.len < 20000);
    plot_axis axis = {.low = 0, .high = 10};
    const char *data = strstr(text_str(&t), "data-y=");
    assert_int_equal(sscanf(data, "data-y=\"%*f,%*f,%lf,%lf", &axis.from, &axis.to), 2);
    char wanted[32];
    snprintf(wanted, sizeof wanted, ",%.1fL", plot_axis_at(&axis, 9.0));
    assert_non_null(strstr(text_str(&t), wanted));
    text_free(&t);
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_of_all_kinds),
        cmocka_unit_test(escaping),
        cmocka_unit_test(ticks),
        cmocka_unit_test(lines),
        cmocka_unit_test(places),
        cmocka_unit_test(thinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
