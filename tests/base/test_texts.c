// Help, manual page, completion scripts and charts as whole texts: tests/base/texts/.
#include "base/listed.h"
#include "base/opt_demo.h"
#include "base/plot.h"
#include "test.h"

#include <math.h>

// What a function prints, appended.
static FILE *catch (char **data, size_t *size)
{
    FILE *f = open_memstream(data, size);
    assert_non_null(f);
    return f;
}

static void caught(FILE *f, text_buf *t, char **data, const size_t *size)
{
    fclose(f);
    text_append_n(t, *data, *size);
    text_append(t, "\n----\n");
    free(*data);
    *data = NULL;
}

static void help_and_manual(void **state)
{
    (void)state;
    text_buf t = {0};
    char *data = NULL;
    size_t size = 0;
    static const struct {
        int width;
        bool colour;
    } how[] = {{80, false}, {50, true}, {200, false}};
    for (int i = 0; i < 3; i++) {
        FILE *f = catch (&data, &size);
        opt_help(&demo_program, NULL, NULL, f, how[i].width, how[i].colour);
        opt_help(&demo_program, NULL, "nn", f, how[i].width, how[i].colour);
        opt_help(&demo_program, &demo_train_command, NULL, f, how[i].width, how[i].colour);
        opt_help(&demo_program, &demo_check_command, NULL, f, how[i].width, how[i].colour);
        caught(f, &t, &data, &size);
    }
    FILE *f = catch (&data, &size);
    opt_man(&demo_program, f);
    caught(f, &t, &data, &size);
    assert_listed(&t, "base/texts/help.txt");
}

static void completion(void **state)
{
    (void)state;
    text_buf t = {0};
    char *data = NULL;
    size_t size = 0;
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (int i = 0; i < 3; i++) {
        FILE *f = catch (&data, &size);
        assert_ok(opt_completion(&demo_program, shells[i], f));
        caught(f, &t, &data, &size);
    }
    for (int i = 0; i < 6; i++) { // a program without words to offer, and one without a scope
        program less = demo_program;
        if (i % 2 == 0)
            less.hint = NULL;
        else
            less.scope = NULL;
        FILE *f = catch (&data, &size);
        assert_ok(opt_completion(&less, shells[i / 2], f));
        caught(f, &t, &data, &size);
    }
    assert_err(opt_completion(&demo_program, "tcsh", stdout), "tcsh");
    assert_listed(&t, "base/texts/completion.txt");
}

// Each option of a chart in turn.
static void charts(void **state)
{
    (void)state;
    enum { N = 40 };
    double x[N], up[N], wave[N], low[N], high[N], share[N];
    for (int i = 0; i < N; i++) {
        x[i] = 25.0 * i + 1;
        up[i] = i == 7 ? NAN : 3.0 * i - 20;
        wave[i] = 50 + (i % 10) * (i % 3);
        low[i] = wave[i] - 4;
        high[i] = wave[i] + (i % 4);
        share[i] = 0.125 * (i % 9);
    }
    const plot_series s[] = {{"up", x, up, NULL, NULL, N, PLOT_LINE, 0},
                             {"wave <&>", x, wave, low, high, N, PLOT_LINE, 0},
                             {NULL, x, wave, NULL, NULL, N, PLOT_FAINT, 2},
                             {"points", x, wave, NULL, NULL, 5, PLOT_POINTS, 3},
                             {"dashed", x, up, NULL, NULL, 12, PLOT_DASHED, 8}};
    const plot_series parts[] = {{"a", x, share, NULL, NULL, N, PLOT_LINE, 0},
                                 {"b", x, share, NULL, NULL, N, PLOT_LINE, 0},
                                 {"one", x, share, NULL, NULL, 1, PLOT_LINE, 0}};
    const plot_mark marks[] = {{300, "resumed"}, {1e9, "outside"}}, levels[] = {{40, "rule"}, {-500, "below"}};
    const plot_axes axes[] = {
        {.title = "all", .x_label = "steps", .y_label = "Elo", .alone = true},
        {.x_marks = marks, .n_x_marks = 2, .y_marks = levels, .n_y_marks = 2, .y_zero = true},
        {.x_log = true, .y_log = true, .width = 300, .height = 150},
        {.x_seconds = true, .low = -10, .high = 60},
    };
    text_buf t = {0};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        plot_lines(&t, &axes[i], s, 5);
        plot_lines(&t, &axes[i], s + 1, 1);
        text_char(&t, '\n');
    }
    plot_lines(&t, &(plot_axes){.y_percent = true, .low = 0, .high = 1}, parts, 3);
    plot_lines(&t, &(plot_axes){.y_percent = true, .stacked = true}, parts, 2);
    plot_lines(&t, &(plot_axes){.title = "nothing"}, NULL, 0);
    text_buf lines = {0}; // one element per line
    for (const char *p = text_str(&t); *p; p++) {
        if (*p == '<' && p > text_str(&t) && p[-1] == '>') text_char(&lines, '\n');
        text_char(&lines, *p);
    }
    text_char(&lines, '\n');
    text_append(&lines, plot_css());
    text_free(&t);
    assert_listed(&lines, "base/texts/charts.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_manual),
        cmocka_unit_test(completion),
        cmocka_unit_test(charts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
