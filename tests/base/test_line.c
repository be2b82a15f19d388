// The line editor, typed at through a pseudo-terminal, and plain lines from files.
#define _XOPEN_SOURCE 700
#include "base/clock.h"
#include "base/line.h"
#include "base/pty.h"
#include "base/stop.h"
#include "base/text.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>

typedef struct session {
    pty t;
    FILE *in, *out;
    line_editor *e;
    // the call in progress
    err result;
    char text[1 << 17];
    char seen[1 << 18];
} session;

static session s;

static int setup(void **state)
{
    (void)state;
    memset(&s, 0, sizeof s);
    stop_reset();
    setenv("TERM", "xterm", 1);
    if (!pty_open(&s.t)) {
        s.t.master = -1;
        return 0;
    }
    s.in = fdopen(dup(s.t.slave), "r");
    s.out = fdopen(dup(s.t.slave), "w");
    s.e = line_new(s.in, s.out);
    return s.e == NULL;
}

static int teardown(void **state)
{
    (void)state;
    if (s.t.master < 0) return 0;
    line_free(s.e);
    fclose(s.in);
    fclose(s.out);
    pty_close(&s.t);
    return 0;
}

static void *reader(void *arg)
{
    const char *text = "";
    (void)arg;
    s.result = line_read(s.e, "> ", &text);
    snprintf(s.text, sizeof s.text, "%s", s.result == ERR_OK ? text : err_text());
    return NULL;
}

// Types `keys` once the prompt is there; returns the line, or the error's sentence.
static const char *type(const char *keys)
{
    if (s.t.master < 0) skip_because("no pseudo-terminals here");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, reader, NULL), 0);
    size_t n = 0;
    double start = clock_seconds();
    s.seen[0] = 0;
    while (strstr(s.seen, "> ") == NULL && clock_seconds() - start < 10.0)
        n += pty_read(&s.t, s.seen + n, sizeof s.seen - n, 20);
    for (size_t k = strlen(keys), i = 0; i < k;) { // in pieces: a terminal's buffer is small
        size_t piece = k - i < 1000 ? k - i : 1000;
        ssize_t w = write(s.t.master, keys + i, piece);
        assert_true(w > 0);
        i += (size_t)w;
        if (k > 1000) n += pty_read(&s.t, s.seen + n, sizeof s.seen - n, 5);
    }
    pthread_join(thread, NULL);
    pty_read(&s.t, s.seen + n, sizeof s.seen - n, 20);
    return s.text;
}

#define types(keys, expected)                                                                                          \
    do {                                                                                                               \
        assert_string_equal(type(keys), expected);                                                                     \
        assert_int_equal(s.result, ERR_OK);                                                                            \
    } while (0)

#define LEFT  "\x1b[D"
#define RIGHT "\x1b[C"
#define UP    "\x1b[A"
#define DOWN  "\x1b[B"

static void editing(void **state)
{
    (void)state;
    types("d3\r", "d3");
    assert_non_null(strstr(s.seen, "> d3"));
    types("\r", "");
    types("ac" LEFT "b\r", "abc");
    types("bc" LEFT LEFT "a" RIGHT RIGHT "d\r", "abcd");
    types("bc\x01"
          "a\x05"
          "d\r",
          "abcd");
    types("bc\x1b[Ha\x1b[Fd\r", "abcd");
    types("bc\x1bOHa\x1bOFd\r", "abcd");
    types("bc\x1b[1~a\x1b[4~d\r", "abcd");
    types("abx\x7f"
          "c\x08"
          "c\r",
          "abc");
    types("abc\x01\x04\r", "bc");
    types("abc\x01\x1b[3~\x1b[3~\r", "c");
    types("abc" LEFT LEFT "\x0b\r", "a");
    types("abc" LEFT LEFT "\x15\r", "bc");
    types("one two  three\x17\x17"
          "2\r",
          "one 2");
    types("one two\x17"
          "x\x19\x19\r",
          "one xtwotwo");
    types("one two\x1b[1;5D"
          "X\x1b[1;5DY\r",
          "one YXtwo");
    types("one two\x01\x1b"
          "fX\r",
          "oneX two");
    types("one two\x1b"
          "bX\r",
          "one Xtwo");
    types("\x02\x06\x7fq\x04\x06\r", "q"); // at both ends nothing happens
}

static void odd_keys(void **state)
{
    (void)state;
    types("a\x1b[99;99Zb\x1b[200~c\r", "abc"); // unknown sequences do nothing
    types("a\x1b\rb\r", "ab");                 // escape, then a lone return byte behind it
    types("\x01\x02\x0e\x10\x1c\x1d\x1f"
          "x\r",
          "x");
    types("a\xff\xfe"
          "b\xc3(\xe3\x81x\r",
          "ab(x");
    types("tab\there\r", "tabhere"); // no completion set
}

static void utf8(void **state)
{
    (void)state;
    types("稽古" LEFT "x\r", "稽x古");
    types("稽古\x7f\r", "稽");
    types("e\xcc\x81"
          "f" LEFT LEFT "x\r",
          "xe\xcc\x81"
          "f"); // a combining mark moves with its letter
    types("ae\xcc\x81\x7f\r", "a");
    types("🎲½" LEFT LEFT "\x04\r", "½");
}

static void history(void **state)
{
    (void)state;
    line_remember(s.e, "first");
    line_remember(s.e, "second");
    line_remember(s.e, "second");
    line_remember(s.e, "");
    types(UP "\r", "second");
    types(UP UP "\r", "first");
    types(UP UP UP UP UP "\r", "first");
    types("new" UP DOWN "er\r", "newer"); // what was being typed comes back
    types("x" UP "!\r", "second!");
    types("\x10\x10\x0e\r", "second");
    for (int i = 0; i < 1000; i++) {
        char text[32];
        snprintf(text, sizeof text, "line %d", i);
        line_remember(s.e, text);
    }
    types(UP "\r", "line 999");
}

static void offer(void *ctx, const char *line, size_t start, size_t cursor, line_words *w)
{
    static const char *const words[] = {"help", "hint", "history", "undo", "d3", "稽古", "稽子"};
    int *calls = ctx;
    ++*calls;
    assert_true(start <= cursor && cursor <= strlen(line));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) line_offer(w, words[i]);
    line_offer(w, "hint"); // twice is once
}

static void completion(void **state)
{
    (void)state;
    int calls = 0;
    if (s.t.master < 0) skip_because("no pseudo-terminals here");
    line_set_completion(s.e, offer, &calls);
    types("u\t\r", "undo ");
    types("go u\tx\r", "go undo x");
    types("h\te\t\r", "help ");
    types("hi\ts\t\r", "history ");
    types("h\t\r", "h");
    assert_non_null(strstr(s.seen, "help"));
    assert_non_null(strstr(s.seen, "history"));
    types("zz\t\r", "zz");
    types("稽\t\r", "稽");                  // the two differ inside a character: nothing is cut in half
    types("x h" LEFT LEFT "u\t\r", "xu h"); // the word is what stands before the cursor
    assert_true(calls >= 8);
    line_set_completion(s.e, NULL, NULL);
}

static void endings(void **state)
{
    (void)state;
    type("\x04");
    assert_int_equal(s.result, ERR_MISSING);
    assert_string_equal(s.text, "end of input");
    type("abc\x03");
    assert_int_equal(s.result, ERR_STOPPED);
    assert_non_null(strstr(s.seen, "^C"));
    types("after\r", "after");
    types("by newline\n", "by newline");
}

// A line longer than the screen scrolls; no drawn line is wider than the screen.
static void long_lines(void **state)
{
    (void)state;
    setenv("COLUMNS", "40", 1);
    char keys[3100] = "", expected[3100] = "";
    for (int i = 0; i < 150; i++) {
        strcat(keys, i % 10 == 0 ? "稽" : "x");
        strcat(expected, i % 10 == 0 ? "稽" : "x");
    }
    strcat(keys, "\x01"
                 "A\x05"
                 "Z\r");
    char full[3200];
    snprintf(full, sizeof full, "A%sZ", expected);
    types(keys, full);
    for (char *p = s.seen; (p = strstr(p, "\r> ")) != NULL; p++) {
        char *end = strstr(p, "\x1b[K");
        if (end != NULL) assert_true(text_columns(p + 1, (size_t)(end - p - 1)) < 40);
    }
    unsetenv("COLUMNS");
    // pasted at once: beyond the limit letters are dropped, and it stays quick
    size_t n = LINE_MOST + 500;
    char *huge = malloc(n + 2);
    memset(huge, 'y', n);
    huge[n] = '\r';
    huge[n + 1] = 0;
    type(huge);
    assert_int_equal(s.result, ERR_OK);
    assert_int_equal(strlen(s.text), LINE_MOST);
    free(huge);
}

// --- the terminal afterwards

static void is_cooked(void)
{
    struct termios t;
    assert_int_equal(tcgetattr(s.t.slave, &t), 0);
    assert_true((t.c_lflag & ICANON) != 0 && (t.c_lflag & ECHO) != 0 && (t.c_lflag & ISIG) != 0);
}

static void put_back(void **state)
{
    (void)state;
    if (s.t.master < 0) skip_because("no pseudo-terminals here");
    is_cooked();
    type("x\r");
    is_cooked();
    type("\x03");
    is_cooked();
    type("\x04");
    is_cooked();
    struct sigaction a;
    assert_int_equal(sigaction(SIGTERM, NULL, &a), 0);
    assert_true(a.sa_handler == SIG_DFL);
}

// A child in line_read, ended by signals; with or without the stop handler.
static int killed(int sig, bool handler, int times)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const char *text;
        stop_reset();
        if (handler) stop_install(NULL);
        err e = line_read(s.e, "> ", &text);
        _exit(e == ERR_STOPPED ? 3 : 4);
    }
    size_t n = 0;
    s.seen[0] = 0;
    double start = clock_seconds();
    while (strstr(s.seen, "> ") == NULL && clock_seconds() - start < 10.0)
        n += pty_read(&s.t, s.seen + n, sizeof s.seen - n, 20);
    struct termios t;
    assert_int_equal(tcgetattr(s.t.slave, &t), 0);
    assert_true((t.c_lflag & ICANON) == 0); // raw now
    for (int i = 0; i < times; i++) kill(child, sig);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void put_back_after_signals(void **state)
{
    (void)state;
    if (s.t.master < 0) skip_because("no pseudo-terminals here");
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(killed(signals[i], false, 1), 1000 + signals[i]);
        is_cooked();
    }
    assert_int_equal(killed(SIGTERM, true, 1), 3); // the stop flag ends the reading
    is_cooked();
}

// --- not a terminal

static void plain(void **state)
{
    (void)state;
    FILE *f = tmpfile(), *out = tmpfile();
    fputs("one\ntwo\r\n\n稽古\n", f);
    for (int i = 0; i <= LINE_MOST; i++) fputc('z', f);
    fputs("\nlast", f);
    rewind(f);
    line_editor *e = line_new(f, out);
    const char *text;
    static const char *const lines[] = {"one", "two", "", "稽古"};
    for (int i = 0; i < 4; i++) {
        assert_ok(line_read(e, "> ", &text));
        assert_string_equal(text, lines[i]);
    }
    assert_int_equal(line_read(e, "> ", &text), ERR_LIMIT);
    assert_ok(line_read(e, "> ", &text));
    assert_string_equal(text, "last");
    assert_int_equal(line_read(e, "> ", &text), ERR_MISSING);
    assert_int_equal(line_read(e, "> ", &text), ERR_MISSING);
    assert_int_equal(ftell(out), 0); // no prompt into a pipe
    line_free(e);
    line_free(NULL);
    fclose(f);
    fclose(out);
}

int main(void)
{
#define ONE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        ONE(editing),
        ONE(odd_keys),
        ONE(utf8),
        ONE(history),
        ONE(completion),
        ONE(endings),
        ONE(long_lines),
        ONE(put_back),
        ONE(put_back_after_signals),
        cmocka_unit_test(plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
