// Signals become a flag; the second one ends the program.
#define _XOPEN_SOURCE 700
#include "base/clock.h"
#include "base/stop.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_signal_sets_the_flag(void **state)
{
    (void)state;
    stop_install(NULL);
    static const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        stop_reset();
        assert_false(stop_requested());
        assert_ok(stop_check());
        raise(signals[i]);
        assert_true(stop_requested());
        assert_int_equal(stop_signal(), signals[i]);
        assert_int_equal(stop_check(), ERR_STOPPED);
    }
    stop_reset();
    stop_request();
    assert_true(stop_requested());
    assert_int_equal(stop_signal(), 0);
    raise(SIGINT); // a request is no signal: this is the first, and must not end us
    assert_int_equal(stop_signal(), SIGINT);
    stop_reset();
}

// A second signal is sent `gap` seconds after the first.
static int child_status(int signals_sent, double gap, char *said, size_t n)
{
    int fds[2], ready[2];
    assert_true(pipe(fds) == 0 && pipe(ready) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fds[1], STDERR_FILENO);
        stop_reset();
        stop_install("stopping\n");
        (void)!write(ready[1], "r", 1);
        while (!stop_requested()) clock_sleep(10.0); // a signal ends the sleep
        (void)!write(ready[1], "s", 1);
        if (signals_sent > 1) clock_sleep(20.0);
        _exit(7); // after the signal, when it did not end us
    }
    char c;
    assert_int_equal(read(ready[0], &c, 1), 1);
    kill(child, SIGINT);
    assert_int_equal(read(ready[0], &c, 1), 1);
    if (gap > 0.0) clock_sleep(gap);
    if (signals_sent > 1) kill(child, SIGINT);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    close(fds[1]);
    ssize_t k = read(fds[0], said, n - 1);
    said[k > 0 ? k : 0] = 0;
    close(fds[0]);
    close(ready[0]);
    close(ready[1]);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void the_second_ends_at_once(void **state)
{
    (void)state;
    char said[64];
    assert_int_equal(child_status(1, 0.0, said, sizeof said), 7);
    assert_string_equal(said, "stopping\n");
    assert_int_equal(child_status(2, 0.6, said, sizeof said), 130);
}

// timeout(1) signals a program and its group: both mean the same stop, and what is to be saved is saved.
static void two_close_together_are_one(void **state)
{
    (void)state;
    char said[64];
    assert_int_equal(child_status(2, 0.0, said, sizeof said), 7);
    assert_string_equal(said, "stopping\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_sets_the_flag),
        cmocka_unit_test(the_second_ends_at_once),
        cmocka_unit_test(two_close_together_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
