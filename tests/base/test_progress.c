// The progress bar: its line for given numbers, its silence where it should be silent, and ticks from many threads.
// labels: threads
#define _XOPEN_SOURCE 700 // pseudo-terminals
#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/pty.h"
#include "base/term.h"
#include "base/text.h"
#include "test.h"

#include <pthread.h>

static const char *line(int width, uint64_t done, uint64_t total, double rate, const char *extra)
{
    static char buf[512];
    size_t n = progress_line(buf, sizeof buf, width, "self-play", "games", done, total, rate, extra);
    assert_int_equal(n, strlen(buf));
    if (text_columns(buf, n) > width) fail_msg("wider than %d: %s", width, buf);
    return buf;
}

static void the_line(void **state)
{
    (void)state;
    assert_string_equal(line(90, 420, 1000, 12.34, "loss 0.5"),
                        "self-play  [==========>              ]   42% 420/1000 games  47.0 s left  12.3/s  loss 0.5");
    assert_string_equal(line(120, 1000, 1000, 2500.0, ""),
                        "self-play  [==============================]  100% 1000/1000 games  2.50k/s");
    assert_string_equal(line(100, 999, 1000, 0.0, ""),
                        "self-play  [=============================>]   99% 999/1000 games");
    assert_string_equal(line(100, 5, 0, 1.0, "x"), "self-play  5 games  1/s  x");
    assert_string_equal(line(100, 7, 5, 1.0, ""), "self-play  [==============================]  100% 7/5 games  1/s");
    assert_string_equal(line(45, 420, 1000, 12.34, "loss 0.5"), "self-play   42% 420/1000 games  47.0 s left");
    // of several words behind it, as many as fit; and a bar of seconds has no speed
    assert_string_equal(line(64, 420, 1000, 12.34, "loss 0.5  Elo 1000  lr 0.001"),
                        "self-play   42% 420/1000 games  47.0 s left  12.3/s  loss 0.5");
    char seconds[200];
    progress_line(seconds, sizeof seconds, 40, "a", "s", 30, 60, 1.0, "");
    assert_string_equal(seconds, "a  [====>   ]   50% 30/60 s  30.0 s left");
    progress_line(seconds, sizeof seconds, 40, "a", "x", 1, 1, 0, ""); // one of one is a share, too
    assert_non_null(strstr(seconds, "100% 1/1 x"));
    progress_line(seconds, sizeof seconds, 40, "a", "s", 30, 60, 0.2, ""); // by the limit, not by how often it was told
    assert_string_equal(seconds, "a  [====>   ]   50% 30/60 s  30.0 s left");
    for (int w = 1; w < 140; w++) {
        line(w, 420, 1000, 12.34, "稽古稽古 loss");
        line(w, UINT64_MAX - 1, UINT64_MAX, 1e30, "");
    }
}

static char *run(FILE *f, const progress_options *o, int ticks, double pause)
{
    progress_options mine = *o;
    mine.screen = f;
    progress *p = progress_new(&mine);
    assert_non_null(p);
    progress_extra(p, "loss %.1f\n", 0.5);
    for (int i = 0; i < ticks; i++) {
        progress_tick(p, 1);
        clock_sleep(pause);
    }
    progress_finish(p);
    long n = ftell(f);
    char *text = calloc(1, n > 0 ? (size_t)n + 1 : 1);
    rewind(f);
    if (n > 0) assert_int_equal(fread(text, 1, (size_t)n, f), n);
    fclose(f);
    return text;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p++) n++;
    return n;
}

static void without_a_terminal(void **state)
{
    (void)state;
    progress_options o = {.label = "work", .unit = "steps", .total = 20, .interval = 0.02};
    char *text = run(tmpfile(), &o, 20, 0.005);
    assert_string_equal(text, "");
    free(text);
    o.verbose = true;
    text = run(tmpfile(), &o, 20, 0.005);
    int lines = count(text, "\n");
    assert_true(lines >= 2 && lines <= 12); // every 20 ms of at least 100, and one at the end
    assert_non_null(strstr(text, "100% 20/20 steps"));
    assert_non_null(strstr(text, "loss 0.5"));
    assert_null(strchr(text, '\r'));
    assert_null(strchr(text, '\x1b'));
    free(text);
    o.quiet = true;
    text = run(tmpfile(), &o, 20, 0.0);
    assert_string_equal(text, "");
    free(text);
    o = (progress_options){.label = "resumed", .total = 100, .start = 90, .verbose = true, .interval = 100};
    text = run(tmpfile(), &o, 10, 0.01);
    assert_int_equal(count(text, "\n"), 1);
    assert_non_null(strstr(text, "100% 100/100")); // ten in at least 0.1 s: the rate counts only those
    double rate = atof(strstr(text, "100/100") + 7);
    assert_true(rate > 1.0 && rate <= 100.0);
    free(text);
    progress_tick(NULL, 1);
    progress_set(NULL, 1);
    progress_total(NULL, 1);
    progress_extra(NULL, "x");
    progress_finish(NULL);
}

static void on_a_terminal(void **state)
{
    (void)state;
    pty t = {-1, -1};
    if (!pty_open(&t)) skip_because("no pseudo-terminals here");
    FILE *f = fdopen(dup(t.slave), "w");
    setenv("TERM", "xterm", 1);
    assert_ok(log_init(&(log_options){.screen = f, .color = "never"}));
    progress *p = progress_new(&(progress_options){.label = "bar", .total = 4000, .screen = f, .color = "never"});
    double start = clock_seconds();
    for (int i = 0; i < 4000; i++) {
        progress_tick(p, 1);
        if (i == 2000) log_warn("in between");
        if (i % 10 == 0) clock_sleep(0.001);
    }
    double seconds = clock_seconds() - start;
    progress_finish(p);
    log_warn("after");
    log_close();
    static char seen[1 << 20];
    pty_read(&t, seen, sizeof seen, 200);
    int draws = count(seen, "\rbar");
    assert_true(draws >= 2 && draws <= (int)(seconds * 10.0) + 2 + 1);
    assert_non_null(strstr(seen, "\r\x1b[K")); // wiped for the log line
    assert_non_null(strstr(seen, "in between"));
    assert_non_null(strstr(seen, "100% 4000/4000"));
    const char *after = strstr(seen, "after");
    assert_non_null(after);
    assert_null(strstr(after, "bar"));
    assert_ok(log_init(NULL));
    fclose(f);
    pty_close(&t);
}

// The longest line leaves the last column free: one letter more in the name, until it is full.
static void a_full_line(void **state)
{
    (void)state;
    pty t = {-1, -1};
    char extra[150] = "", name[20] = "bar", seen[4096];
    long longest = 0;
    if (!pty_open(&t)) skip_because("no pseudo-terminals here");
    FILE *f = fdopen(dup(t.slave), "w");
    while (strlen(extra) < 120) strcat(extra, "x  ");
    for (int i = 0; i < 6; i++) {
        progress *p = progress_new(&(progress_options){.label = name, .total = 4, .screen = f, .color = "never"});
        progress_extra(p, "%s", extra);
        progress_tick(p, 4);
        progress_finish(p);
        pty_read(&t, seen, sizeof seen, 200);
        const char *line = strstr(seen, "\rbar"), *end = line == NULL ? NULL : strstr(line, "\x1b[K");
        assert_non_null(end);
        if (end - line - 1 > longest) longest = end - line - 1;
        strcat(name, "r");
    }
    assert_int_equal(longest, term_width(f) - 1);
    fclose(f);
    pty_close(&t);
}

enum { THREADS = 4, TICKS = 20000 };

// The number before "/s", with its k.
static double rate_in(const char *line)
{
    const char *at = strstr(line, "/s");
    assert_non_null(at);
    while (at > line && at[-1] != ' ') at--;
    char *end;
    double v = strtod(at, &end);
    return *end == 'k' ? 1000 * v : v;
}

// Rates are of what was done since the start of the bar: at its end all of it, before that mostly the last seconds.
static void rates(void **state)
{
    (void)state;
    enum { STEPS = 12, EACH = 100 };
    FILE *f = tmpfile();
    char line[STEPS + 8][200];
    int n = 0;
    progress *p = progress_new(&(progress_options){
        .label = "x", .unit = "games", .start = 100000, .verbose = true, .interval = 0.01, .screen = f});
    double begun = clock_seconds();
    for (int i = 0; i < STEPS; i++) {
        clock_sleep(0.03);
        progress_tick(p, EACH);
    }
    double true_rate = STEPS * EACH / (clock_seconds() - begun);
    progress_finish(p);
    rewind(f);
    while (n < STEPS + 8 && fgets(line[n], sizeof line[0], f) != NULL) n++;
    fclose(f);
    assert_int_equal(n, STEPS + 1);
    assert_int_equal(strncmp(line[0], "x  100100 games  ", 17), 0);
    assert_int_equal(strncmp(line[n - 1], "x  101200 games  ", 17), 0);
    double last = rate_in(line[n - 1]);
    if (!(last > 0.8 * true_rate && last < 1.05 * true_rate)) fail_msg("%s, but %g per second", line[n - 1], true_rate);
    for (int i = 0; i < n; i++) // a busy machine makes single steps slow
        if (!(rate_in(line[i]) > 0.02 * true_rate && rate_in(line[i]) < 20 * true_rate)) fail_msg("%s", line[i]);
}

static void *ticker(void *arg)
{
    for (int i = 0; i < TICKS; i++) {
        progress_tick(arg, 1);
        if (i % 1000 == 0) progress_extra(arg, "at %d", i);
    }
    return NULL;
}

static void many_threads(void **state)
{
    (void)state;
    FILE *f = tmpfile();
    progress *p = progress_new(&(progress_options){
        .label = "threads", .total = THREADS * TICKS, .verbose = true, .interval = 0.001, .screen = f});
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&t[i], NULL, ticker, p), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    progress_finish(p);
    char last[512] = "", text[512];
    rewind(f);
    while (fgets(text, sizeof text, f)) memcpy(last, text, sizeof last);
    assert_non_null(strstr(last, "100% 80000/80000"));
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line),      WITHOUT_THREADS(rates),        cmocka_unit_test(without_a_terminal),
        cmocka_unit_test(on_a_terminal), cmocka_unit_test(a_full_line), cmocka_unit_test(many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
