// A text against a file in the source tree. Whoever changes what is written there changes the file, too, and sees what else has
// changed: run the test with KEIKO_WRITE_LISTS=1, and look at the difference.
#ifndef KEIKO_TESTS_LISTED_H
#define KEIKO_TESTS_LISTED_H

#include "base/file.h"
#include "base/text.h"
#include "test.h"

// Compares with tests/FILE and frees the text.
static inline void assert_listed(text_buf *now, const char *file)
{
    char path[FILE_PATH], *was = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, KEIKO_SOURCE "/tests/%s", file);
    if (getenv("KEIKO_WRITE_LISTS") != NULL) assert_ok(file_write_atomic(path, text_str(now), now->len));
    assert_ok(file_read(path, 1 << 24, &was, &size));
    if (strcmp(was, text_str(now)) != 0) {
        size_t at = 0;
        while (was[at] == text_str(now)[at]) at++;
        while (at > 0 && was[at - 1] != '\n') at--;
        fail_msg("'%.*s', but tests/%s has '%.*s'; if the change is meant, run this test with KEIKO_WRITE_LISTS=1",
                 (int)strcspn(text_str(now) + at, "\n"), text_str(now) + at, file, (int)strcspn(was + at, "\n"),
                 was + at);
    }
    free(was);
    text_free(now);
}

#endif
