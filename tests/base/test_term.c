// Terminal questions, asked of a pipe-like file and of a pseudo-terminal.
#define _XOPEN_SOURCE   700 // pseudo-terminals
#define _DEFAULT_SOURCE     // TIOCSWINSZ
#include "base/pty.h"
#include "base/term.h"
#include "test.h"

#include <sys/ioctl.h>

static void forget_environment(void)
{
    unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
    unsetenv("COLUMNS");
    setenv("TERM", "xterm", 1);
}

static void a_file_is_no_terminal(void **state)
{
    (void)state;
    forget_environment();
    FILE *f = tmpfile();
    assert_false(term_is(f));
    assert_false(term_is(NULL));
    assert_int_equal(term_width(f), 80);
    setenv("COLUMNS", "132", 1);
    assert_int_equal(term_width(f), 132);
    setenv("COLUMNS", "3", 1);
    assert_int_equal(term_width(f), 20);
    setenv("COLUMNS", "-7", 1);
    assert_int_equal(term_width(f), 80);
    setenv("COLUMNS", "many", 1);
    assert_int_equal(term_width(f), 80);
    forget_environment();
    assert_false(term_colour(f, "auto"));
    assert_false(term_colour(f, NULL));
    assert_true(term_colour(f, "always"));
    setenv("CLICOLOR_FORCE", "1", 1);
    assert_true(term_colour(f, "auto"));
    assert_false(term_colour(f, "never"));
    setenv("NO_COLOR", "1", 1); // the person's own word is stronger than a forced default
    assert_false(term_colour(f, "auto"));
    assert_true(term_colour(f, "always"));
    fclose(f);
}

static void a_terminal(void **state)
{
    (void)state;
    forget_environment();
    pty p = {-1, -1};
    if (!pty_open(&p)) skip_because("no pseudo-terminals here");
    FILE *f = fdopen(dup(p.slave), "w");
    assert_true(term_is(f));
    struct winsize ws = {.ws_row = 24, .ws_col = 97};
    assert_int_equal(ioctl(p.master, TIOCSWINSZ, &ws), 0);
    setenv("COLUMNS", "50", 1); // the terminal knows better than a stale variable
    assert_int_equal(term_width(f), 97);
    assert_true(term_colour(f, "auto"));
    setenv("TERM", "dumb", 1);
    assert_false(term_colour(f, "auto"));
    forget_environment();
    setenv("NO_COLOR", "", 1); // empty counts as unset
    assert_true(term_colour(f, "auto"));
    fclose(f);
    pty_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_no_terminal),
        cmocka_unit_test(a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
