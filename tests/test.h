// What every test file includes: cmocka in the order it wants, and small helpers.
#ifndef KEIKO_TESTS_TEST_H
#define KEIKO_TESTS_TEST_H

#include "base/err.h"

// cmocka wants four headers before it
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The call succeeds; otherwise the test fails and shows its sentence.
#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        if ((call) != ERR_OK) fail_msg("%s: %s", #call, err_text());                                                   \
    } while (0)

// The call fails, and its sentence contains `part`.
#define assert_err(call, part)                                                                                         \
    do {                                                                                                               \
        if ((call) == ERR_OK) fail_msg("%s succeeded, but should have said: %s", #call, part);                         \
        if (strstr(err_text(), part) == NULL) fail_msg("%s said \"%s\" without \"%s\"", #call, err_text(), part);      \
    } while (0)

// A test that cannot run here says why and counts as skipped: its program then leaves with TESTS_SKIPPED, which ctest
// reports as such. A failure counts more.
enum { TESTS_SKIPPED = 77 };
__attribute__((weak)) int tests_skipped;
#undef skip
#define skip_because(...)                                                                                              \
    do {                                                                                                               \
        printf("skipped: " __VA_ARGS__);                                                                               \
        printf("\n");                                                                                                  \
        tests_skipped++;                                                                                               \
        _skip(__FILE__, __LINE__);                                                                                     \
    } while (0)

static inline int tests_named(const struct CMUnitTest *tests, size_t n)
{
    int named = 0;
    for (size_t i = 0; i < n; i++) named += tests[i].name != NULL;
    return named;
}

// The last line is for tools/test.sh, which adds them up.
static inline int tests_status(int all, int failed)
{
    printf("tests: %d passed, %d failed, %d skipped\n", all - failed - tests_skipped, failed, tests_skipped);
    return failed != 0 ? 1 : tests_skipped > 0 ? TESTS_SKIPPED : 0;
}
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                                                 \
    tests_status(tests_named(tests, sizeof(tests) / sizeof *(tests)),                                                  \
                 _cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof *(tests), setup, teardown))

// gcc and clang say in different ways which sanitizer is on.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

// An entry in a list of tests for one without threads: ThreadSanitizer has nothing to find there and is slow. cmocka passes
// over an entry without a name, and it is not counted.
#if UNDER_TSAN
#pragma GCC diagnostic ignored "-Wunused-function"
#define WITHOUT_THREADS(test)                                                                                          \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }
#else
#define WITHOUT_THREADS(test) cmocka_unit_test(test)
#endif

// How often to repeat: `few` times, or `many` in `make soak`, which sets KEIKO_SOAK.
static inline int soak_or(int few, int many)
{
    return getenv("KEIKO_SOAK") == NULL ? few : many;
}

// Opens reference data, or skips the test.
static inline FILE *open_data_or_skip(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", KEIKO_DATA, name);
    FILE *f = fopen(path, "r");
    if (f == NULL) skip_because("no reference data at %s", name);
    return f;
}

#endif
