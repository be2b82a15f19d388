// A call in a thread of its own, and one that does not come back in time. labels: threads
#include "base/date_ahead.h"
#include "dist/timed_call.h"
#include "test.h"

#include <assert.h>
#include <unistd.h>

typedef struct task {
    int wait[2], told[2]; // pipes: it may go on; it has ended
} task;

static void quick(void *arg)
{
    ++*(int *)arg;
}

static void blocked(void *arg)
{
    task *t = arg;
    char c;
    assert(read(t->wait[0], &c, 1) == 1);
    assert(write(t->told[1], &c, 1) == 1);
}

static void waits_for_the_end(void **unused)
{
    (void)unused;
    int calls = 0;
    for (int i = 0; i < 100; i++) assert_true(timed_call_run(quick, &calls, 60));
    assert_int_equal(calls, 100);
}

static void goes_on_without(void **unused)
{
    (void)unused;
    static task t; // it outlives this function
    char c = 'x';
    assert_int_equal(pipe(t.wait), 0);
    assert_int_equal(pipe(t.told), 0);
    assert_false(timed_call_run(blocked, &t, 0.02));
    // It was not ended, only left alone: it still does what it was to do.
    assert_int_equal(write(t.wait[1], &c, 1), 1);
    c = 0;
    assert_int_equal(read(t.told[0], &c, 1), 1);
    assert_int_equal(c, 'x');
    // One that ends in time is waited for, however long it may take.
    assert_int_equal(write(t.wait[1], &c, 1), 1);
    assert_true(timed_call_run(blocked, &t, 60));
    for (int i = 0; i < 2; i++) close(t.wait[i]), close(t.told[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_the_end),
        cmocka_unit_test(goes_on_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
