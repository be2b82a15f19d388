// Lines from people: libedit typed at through a pseudo-terminal, and plain lines from files.
#define _XOPEN_SOURCE 700
#include "base/pty.h"
#include "base/stop.h"
#include "cli/line.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>

// ncurses keeps what it reads of a terminal's description.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:_nc_trim_sgr0\n";
}

typedef struct session {
    pty t;
    FILE *in, *out;
    line_editor *e;
    int done[2]; // a pipe: the reader writes when line_read has returned
    // the call in progress
    err result;
    char text[1 << 17];
    char prompt[16];    // another for each call: what the terminal shows late does not pass for it
    char seen[1 << 20]; // what the terminal shows
    size_t n_seen;
    int calls;
} session;

static session s;

static int setup(void **state)
{
    (void)state;
    memset(&s, 0, sizeof s);
    stop_reset();
    setenv("TERM", "xterm", 1);
    if (pipe(s.done) != 0) return -1;
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
    close(s.done[0]);
    close(s.done[1]);
    if (s.t.master < 0) return 0;
    line_free(s.e);
    fclose(s.in);
    fclose(s.out);
    pty_close(&s.t);
    return 0;
}

static void needs_terminal(void)
{
    if (s.t.master < 0) skip_because("no pseudo-terminals here");
}

// Editing is libedit's; without it a terminal gives plain lines.
static void needs_libedit(void)
{
    needs_terminal();
#ifndef KEIKO_LIBEDIT
    skip_because("this build has no libedit");
#endif
}

static void *reader(void *arg)
{
    const char *text = "";
    (void)arg;
    s.result = line_read(s.e, s.prompt, &text);
    snprintf(s.text, sizeof s.text, "%s", s.result == ERR_OK ? text : err_text());
    assert_int_equal(write(s.done[1], "", 1), 1);
    return NULL;
}

static void see(void)
{
    assert_true(s.n_seen + 1 < sizeof s.seen);
    ssize_t n = read(s.t.master, s.seen + s.n_seen, sizeof s.seen - 1 - s.n_seen);
    if (n > 0) s.n_seen += (size_t)n;
    s.seen[s.n_seen] = 0;
}

static void new_prompt(void)
{
    snprintf(s.prompt, sizeof s.prompt, "%d> ", ++s.calls);
    s.n_seen = 0;
    s.seen[0] = 0;
}

enum { PATIENCE = 60000 }; // milliseconds; only a test that fails waits so long

// The terminal shows what the program writes until `part` is there.
static void see_until(const char *part)
{
    struct pollfd p = {.fd = s.t.master, .events = POLLIN};
    while (strstr(s.seen, part) == NULL) {
        if (poll(&p, 1, PATIENCE) <= 0) fail_msg("no '%s' came, but: %s", part, s.seen);
        see();
    }
}

// Types `keys` once the prompt is there; returns the line, or the error's sentence. Both directions are served at once, as
// a terminal does: neither side ever waits for the other.
static const char *type(const char *keys)
{
    needs_terminal();
    pthread_t thread;
    new_prompt();
    assert_int_equal(pthread_create(&thread, NULL, reader, NULL), 0);
    see_until(s.prompt);
    size_t n = strlen(keys), at = 0;
    for (bool done = false; !done;) {
        struct pollfd p[2] = {{.fd = s.t.master, .events = (short)(POLLIN | (at < n ? POLLOUT : 0))},
                              {.fd = s.done[0], .events = POLLIN}};
        if (poll(p, 2, PATIENCE) <= 0) fail_msg("nothing happens after %zu of %zu keys: %s", at, n, s.seen);
        if (p[0].revents & POLLIN) see();
        if (p[0].revents & POLLOUT) {
            ssize_t w = write(s.t.master, keys + at, n - at < 64 ? n - at : 64);
            assert_true(w > 0);
            at += (size_t)w;
        }
        char byte;
        if (p[1].revents & POLLIN) done = read(s.done[0], &byte, 1) == 1;
    }
    pthread_join(thread, NULL);
    struct pollfd rest = {.fd = s.t.master, .events = POLLIN};
    while (poll(&rest, 1, 0) > 0) see(); // what was written before line_read returned
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
    needs_libedit();
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
    needs_libedit();
    types("a\xff\xfe"
          "b\xc3(\xe3\x81x\r",
          "ab(x");                   // what is no UTF-8 is dropped
    types("tab\there\r", "tabhere"); // no completion set
}

static void utf8(void **state)
{
    (void)state;
    needs_libedit();
    types("稽古" LEFT "x\r", "稽x古");
    types("稽古\x7f\r", "稽");
    types("🎲½" LEFT LEFT "\x04\r", "½");
}

static void history(void **state)
{
    (void)state;
    needs_libedit();
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
    needs_libedit();
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
    needs_libedit();
    type("\x04");
    assert_int_equal(s.result, ERR_MISSING);
    assert_string_equal(s.text, "end of input");
    type("abc\x03");
    assert_int_equal(s.result, ERR_STOPPED);
    assert_non_null(strstr(s.seen, "^C"));
    types("after\r", "after");
    types("by newline\n", "by newline");
}

// Pasted at once: it stays quick, and beyond the limit it is refused.
static void long_lines(void **state)
{
    (void)state;
    needs_libedit();
    enum { LONG = 3000 };
    static char keys[LINE_MOST + 16];
    memset(keys, 'y', LONG);
    strcpy(keys + LONG, "\x01"
                        "A\x05"
                        "Z\r");
    type(keys);
    assert_int_equal(s.result, ERR_OK);
    assert_int_equal(strlen(s.text), LONG + 2);
    assert_true(s.text[0] == 'A' && s.text[1] == 'y' && s.text[LONG + 1] == 'Z');
    memset(keys, 'y', LINE_MOST + 1);
    strcpy(keys + LINE_MOST + 1, "\r");
    type(keys);
    assert_int_equal(s.result, ERR_LIMIT);
    types("after\r", "after");
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
    needs_libedit();
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
    new_prompt();
    pid_t child = fork();
    if (child == 0) {
        const char *text;
        stop_reset();
        if (handler) stop_install(NULL);
        err e = line_read(s.e, s.prompt, &text);
        _exit(e == ERR_STOPPED ? 3 : 4);
    }
    see_until(s.prompt);
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
    needs_libedit();
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(killed(signals[i], false, 1), 1000 + signals[i]);
        is_cooked();
    }
    assert_int_equal(killed(SIGTERM, true, 1), 3); // the stop flag ends the reading
    is_cooked();
}

// --- no editing

// A terminal that cannot be edited on: the prompt, and a line as the terminal hands it over.
static void dumb_terminals(void **state)
{
    (void)state;
    needs_terminal();
    setenv("TERM", "dumb", 1);
    types("plain words\n", "plain words");
    assert_non_null(strstr(s.seen, "> "));
}

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
        ONE(editing),        ONE(odd_keys),           ONE(utf8),
        ONE(history),        ONE(completion),         ONE(endings),
        ONE(long_lines),     ONE(put_back),           ONE(put_back_after_signals),
        ONE(dumb_terminals), cmocka_unit_test(plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
