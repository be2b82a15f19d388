// Clocks against each other, and their texts against known dates.
#include "base/clock.h"
#include "test.h"

#include <math.h>
#include <time.h>

static void clocks_run(void **state)
{
    (void)state;
    double a = clock_seconds(), u = clock_unix(), c = clock_cpu_seconds();
    clock_sleep(0.02);
    double b = clock_seconds();
    assert_true(b - a >= 0.02 && b - a < 10.0);
    assert_true(clock_unix() >= u && fabs(clock_unix() - (double)time(NULL)) < 2.0);
    double spent = clock_thread_cpu_seconds();
    while (clock_thread_cpu_seconds() < spent + 0.01) continue; // asking costs time too
    assert_true(clock_cpu_seconds() > c);
    clock_sleep(-1.0); // returns at once
    clock_sleep(NAN);
}

static void dates(void **state)
{
    (void)state;
    char buf[CLOCK_TEXT];
    assert_string_equal(clock_iso(0.0, buf), "1970-01-01T00:00:00Z");
    assert_string_equal(clock_iso(1000000000.9, buf), "2001-09-09T01:46:40Z");
    assert_string_equal(clock_iso(951782400.0, buf), "2000-02-29T00:00:00Z");
    assert_string_equal(clock_iso(-5.0, buf), "1970-01-01T00:00:00Z");
    assert_string_equal(clock_iso(1e300, buf), "1970-01-01T00:00:00Z");
    assert_string_equal(clock_iso(NAN, buf), "1970-01-01T00:00:00Z");
    setenv("TZ", "JST-9", 1);
    tzset();
    assert_string_equal(clock_stamp(1000000000.0, buf), "20010909_104640");
    assert_string_equal(clock_hms(1000000000.125, buf), "10:46:40.125");
    unsetenv("TZ");
    tzset();
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        double s;
        const char *text;
    } known[] = {{0.0, "0 us"},
                 {12e-6, "12 us"},
                 {0.0008, "800 us"},
                 {0.0123, "12.3 ms"},
                 {0.85, "850 ms"},
                 {0.99996, "1.0 s"},
                 {12.34, "12.3 s"},
                 {59.94, "59.9 s"},
                 {59.96, "1 min 00 s"},
                 {245.0, "4 min 05 s"},
                 {3599.6, "1 h 00 min"},
                 {7500.0, "2 h 05 min"},
                 {86399.0, "23 h 59 min"},
                 {273600.0, "3 d 04 h"},
                 {-1.0, "?"},
                 {INFINITY, "?"},
                 {NAN, "?"}};
    char buf[CLOCK_TEXT];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(clock_duration(known[i].s, buf), known[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_run),
        cmocka_unit_test(dates),
        cmocka_unit_test(durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
