// The keiko program as people run it, for the tests in this folder.
#ifndef KEIKO_TESTS_CLI_PROGRAM_H
#define KEIKO_TESTS_CLI_PROGRAM_H

#include "test.h"

#include <sys/wait.h>

static char output[1 << 18];  // both streams of the last run
static char first_words[160]; // shell words that stand before the program: "cd DIR &&"

// Runs `WORDS keiko ARGS` through the shell, so that tests can redirect; returns the exit status.
static inline int keiko_after(const char *words, const char *args)
{
    char line[8192];
    snprintf(line, sizeof line, "%s %s %s 2>&1", words, KEIKO_PROGRAM, args);
    FILE *f = popen(line, "r");
    assert_non_null(f);
    size_t n = fread(output, 1, sizeof output - 1, f);
    output[n] = 0;
    int status = pclose(f);
    if (!WIFEXITED(status)) fail_msg("'%s' was killed by signal %d: %s", args, WTERMSIG(status), output);
    return WEXITSTATUS(status);
}

static inline int keiko(const char *args)
{
    return keiko_after(first_words, args);
}

static inline void said(const char *part)
{
    if (strstr(output, part) == NULL) fail_msg("no \"%s\" in: %s", part, output);
}

static inline void says(const char *args, int status, const char *part)
{
    int got = keiko(args);
    if (got != status) fail_msg("'%s' left with %d, not %d: %s", args, got, status, output);
    if (strstr(output, part) == NULL) fail_msg("'%s' said \"%s\" without \"%s\"", args, output, part);
}

#endif
