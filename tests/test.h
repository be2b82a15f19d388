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

// Opens reference data, or skips the test with a line that says so.
static inline FILE *open_data_or_skip(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", KEIKO_DATA, name);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        printf("skipped: no reference data at %s\n", name);
        skip();
    }
    return f;
}

#endif
