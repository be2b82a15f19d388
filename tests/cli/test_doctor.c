// keiko doctor: every part answers, and a bad disk is bad.
#include "test.h"

#include <sys/wait.h>

static char output[1 << 16];

static int keiko(const char *args)
{
    char line[1024];
    snprintf(line, sizeof line, "%s %s 2>&1", KEIKO_PROGRAM, args);
    FILE *f = popen(line, "r");
    assert_non_null(f);
    size_t n = fread(output, 1, sizeof output - 1, f);
    output[n] = 0;
    int status = pclose(f);
    if (!WIFEXITED(status)) fail_msg("'%s' was killed: %s", args, output);
    return WEXITSTATUS(status);
}

static void has(const char *part)
{
    if (strstr(output, part) == NULL) fail_msg("no \"%s\" in: %s", part, output);
}

static void machine(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    char args[200];
    snprintf(args, sizeof args, "doctor --no-learn --dir %s", base == NULL ? "/tmp" : base);
    assert_int_equal(keiko(args), 0);
    has("processor");
    has("ways agree with the reference");
    has("positions/s");
    has("MB/s, flushed");
    has("all is well");
}

// Too short to learn much, so the figure may be called bad; what counts is that it is there, beside the untrained one.
static void learning_and_a_bad_disk(void **state)
{
    (void)state;
    assert_int_equal(keiko("doctor --seconds 1 --threads 1 --json --dir /nowhere/at/all"), 1);
    has("cannot look at the disk of /nowhere/at/all");
    has("\"mark\": \"BAD\"");
    has("the raw network plays");
    has("of 4520 positions perfectly");
    has("\"name\": \"trained\"");
    has("\"name\": \"what limits\"");
    assert_int_equal(keiko("doctor --seconds 0"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(machine), cmocka_unit_test(learning_and_a_bad_disk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
