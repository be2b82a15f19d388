// keiko doctor: every part answers, and a bad disk is bad.
#include "cli/program.h"

static void machine(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    char args[200];
    snprintf(args, sizeof args, "doctor --no-learn --dir %s", base == NULL ? "/tmp" : base);
    assert_int_equal(keiko(args), 0);
    said("processor");
    said("ways agree with the reference");
    said("positions/s");
    said("MB/s, flushed");
    said("no problems found");
}

// Too short to learn much, so the figure may be called bad; what counts is that it is there, beside the untrained one.
static void learning_and_a_bad_disk(void **state)
{
    (void)state;
    int play = -1, learn = -1;
    assert_int_equal(keiko("doctor --seconds 1.5 --threads 1 --json --dir /nowhere/at/all"), 1);
    said("cannot look at the disk of /nowhere/at/all");
    said("\"mark\": \"BAD\"");
    said("the raw network plays");
    said("of 4520 positions perfectly");
    said("\"name\": \"trained\"");
    said("\"name\": \"what limits\"");
    const char *time = strstr(output, "\"self-play ");
    assert_true(time != NULL && sscanf(time, "\"self-play %d %%, learning %d %%\"", &play, &learn) == 2);
    assert_true(play > 0 && learn >= 0 && abs(play + learn - 100) <= 1); // all of its time: it neither rates nor saves
    assert_int_equal(keiko("doctor --seconds 0"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(machine), cmocka_unit_test(learning_and_a_bad_disk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
