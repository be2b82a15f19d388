// The part of cmocka that our tests use, for cross builds, where the target's own cmocka is seldom installed. Same names, same
// meaning; no mocks, no checks for leaks. Everywhere else the real one is used.
#ifndef KEIKO_TESTS_SMALL_CMOCKA_H
#define KEIKO_TESTS_SMALL_CMOCKA_H

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test_func)(void **state);
    int (*setup_func)(void **state);
    int (*teardown_func)(void **state);
    void *initial_state;
};

#define cmocka_unit_test(f)                                                                                            \
    {                                                                                                                  \
#f, f, NULL, NULL, NULL                                                                                        \
    }
#define cmocka_unit_test_setup(f, s)                                                                                   \
    {                                                                                                                  \
#f, f, s, NULL, NULL                                                                                           \
    }
#define cmocka_unit_test_teardown(f, t)                                                                                \
    {                                                                                                                  \
#f, f, NULL, t, NULL                                                                                           \
    }
#define cmocka_unit_test_setup_teardown(f, s, t)                                                                       \
    {                                                                                                                  \
#f, f, s, t, NULL                                                                                              \
    }
#define cmocka_run_group_tests(tests, setup, teardown) small_run(tests, 0, setup, teardown) // test.h has its own
#define skip()                                         _skip(__FILE__, __LINE__)

static jmp_buf small_end;
static const char *small_filter;

static inline void cmocka_set_test_filter(const char *pattern)
{
    small_filter = pattern;
}

_Noreturn static inline void _skip(const char *file, int line)
{
    (void)file;
    (void)line;
    longjmp(small_end, 2);
}

_Noreturn static inline void small_fail(const char *file, int line, const char *what)
{
    printf("%s:%d: %s\n", file, line, what);
    longjmp(small_end, 1);
}

#define SMALL_CHECK(good, what)                                                                                        \
    do {                                                                                                               \
        if (!(good)) small_fail(__FILE__, __LINE__, what);                                                             \
    } while (0)
#define fail() small_fail(__FILE__, __LINE__, "failed")
#define fail_msg(...)                                                                                                  \
    do {                                                                                                               \
        printf(__VA_ARGS__);                                                                                           \
        small_fail(__FILE__, __LINE__, "");                                                                            \
    } while (0)
#define print_message                    printf
#define print_error                      printf
#define assert_true(x)                   SMALL_CHECK(x, #x)
#define assert_false(x)                  SMALL_CHECK(!(x), "not: " #x)
#define assert_null(x)                   SMALL_CHECK((x) == NULL, #x " is not NULL")
#define assert_non_null(x)               SMALL_CHECK((x) != NULL, #x " is NULL")
#define assert_int_equal(a, b)           SMALL_CHECK((unsigned long long)(a) == (unsigned long long)(b), #a " is not " #b)
#define assert_int_not_equal(a, b)       SMALL_CHECK((unsigned long long)(a) != (unsigned long long)(b), #a " is " #b)
#define assert_ptr_equal(a, b)           SMALL_CHECK((const void *)(a) == (const void *)(b), #a " is not " #b)
#define assert_ptr_not_equal(a, b)       SMALL_CHECK((const void *)(a) != (const void *)(b), #a " is " #b)
#define assert_string_equal(a, b)        SMALL_CHECK(strcmp(a, b) == 0, #a " is not " #b)
#define assert_string_not_equal(a, b)    SMALL_CHECK(strcmp(a, b) != 0, #a " is " #b)
#define assert_memory_equal(a, b, n)     SMALL_CHECK(memcmp(a, b, n) == 0, #a " is not " #b)
#define assert_memory_not_equal(a, b, n) SMALL_CHECK(memcmp(a, b, n) != 0, #a " is " #b)
#define assert_float_equal(a, b, e)      SMALL_CHECK(fabs((double)(a) - (double)(b)) <= (double)(e), #a " is not " #b)
#define assert_in_range(x, low, high)                                                                                  \
    SMALL_CHECK((unsigned long long)(x) >= (unsigned long long)(low) &&                                                \
                    (unsigned long long)(x) <= (unsigned long long)(high),                                             \
                #x " is out of range")

// The number of tests that failed, as cmocka counts them.
static inline int _cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t n,
                                          int (*setup)(void **), int (*teardown)(void **))
{
    static void *shared, *own; // survive a longjmp
    static size_t i;
    static int failed;
    (void)group;
    if (setup != NULL && setup(&shared) != 0) return (int)n;
    for (i = 0; i < n; i++) {
        if (small_filter != NULL && fnmatch(small_filter, tests[i].name, 0) != 0) continue;
        own = tests[i].initial_state != NULL ? tests[i].initial_state : shared;
        printf("[ RUN      ] %s\n", tests[i].name);
        fflush(stdout);
        int how = setjmp(small_end);
        if (how == 0) {
            if (tests[i].setup_func != NULL && tests[i].setup_func(&own) != 0) longjmp(small_end, 1);
            tests[i].test_func(&own);
        }
        if (tests[i].teardown_func != NULL) tests[i].teardown_func(&own);
        failed += how == 1;
        printf("[ %8s ] %s\n", how == 0 ? "OK" : how == 1 ? "FAILED" : "SKIPPED", tests[i].name);
    }
    if (teardown != NULL) teardown(&shared);
    return failed;
}

#endif
