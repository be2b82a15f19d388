// The sentence of an error: kept a thread, placed in a text, prefixed on the way up.
// labels: threads
#include "base/err.h"
#include "test.h"

#include <pthread.h>

static void setting(void **state)
{
    (void)state;
    assert_int_equal(err_set(ERR_IO, "cannot open %s", "a"), ERR_IO);
    assert_string_equal(err_text(), "cannot open a");
    assert_int_equal(err_set(ERR_IO, "again: %s", err_text()), ERR_IO); // its own text as an argument
    assert_string_equal(err_text(), "again: cannot open a");
    assert_int_equal(err_prefix(ERR_IO, "run %d", 7), ERR_IO);
    assert_string_equal(err_text(), "run 7: again: cannot open a");
    assert_int_equal(err_prefix(ERR_OK, "run %d", 8), ERR_OK); // success leaves it alone
    assert_string_equal(err_text(), "run 7: again: cannot open a");
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    err_set(ERR_IO, "%s", longest);
    size_t n = strlen(err_text());
    assert_true(n > 500 && n < 5000);
    for (int i = 0; i < 10; i++) err_prefix(ERR_IO, "%s", longest);
    assert_true(strlen(err_text()) <= n);
}

static void places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at;
        const char *says;
    } known[] = {
        {"d3zz", 2, "column 3, at \"zz\": bad"},
        {"abc", 3, "column 4, at the end: bad"},
        {"", 0, "column 1, at the end: bad"},
        {"one\ntwo\nxyz", 9, "line 3, column 2, at \"yz\": bad"},
        {"abcdefghijklmnopq", 0, "column 1, at \"abcdefghijkl...\": bad"},
        {"a\x01\xffz", 0, "column 1, at \"a??z\": bad"},
        {"ab\ncd", 1, "column 2, at \"b\": bad"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(err_parse(known[i].text, known[i].at, "bad"), ERR_PARSE);
        assert_string_equal(err_text(), known[i].says);
    }
}

static void *other(void *arg)
{
    (void)arg;
    if (err_text()[0] != 0) return (void *)1; // a fresh thread has no sentence
    for (int i = 0; i < 1000; i++) {
        char mine[32];
        snprintf(mine, sizeof mine, "thread %p %d", (void *)&mine, i);
        err_set(ERR_USAGE, "%s", mine);
        if (strcmp(err_text(), mine) != 0) return (void *)2;
    }
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    err_set(ERR_USAGE, "mine");
    pthread_t t[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&t[i], NULL, other, NULL), 0);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(t[i], &result);
        assert_null(result);
    }
    assert_string_equal(err_text(), "mine");
}

static void first_error_is_kept(void **state)
{
    (void)state;
    err_first f = {0};
    err_keep(&f, ERR_OK);
    assert_int_equal(err_repeat(&f), ERR_OK);
    err_keep(&f, err_set(ERR_IO, "the first"));
    err_keep(&f, err_set(ERR_PARSE, "the second"));
    err_set(ERR_USAGE, "something else");
    assert_int_equal(err_repeat(&f), ERR_IO);
    assert_string_equal(err_text(), "the first");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(setting), cmocka_unit_test(places), cmocka_unit_test(threads),
                                       cmocka_unit_test(first_error_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
