// The Othello tuner in miniature: the same whatever the threads, better than knowing nothing, and a plot.
// labels: threads
#include "learn/tune/tune_othello.h"
#include "test.h"

static void test_reproducible(void **state)
{
    (void)state;
    tune_options o = tune_defaults();
    o.scale = 0.005;
    o.generations = 2;
    o.iterations = 8;
    oth_weights *one, *four, *other;
    tune_error error;
    o.threads = 1;
    assert_ok(tune_othello(&o, &one, &error));
    o.threads = 4;
    assert_ok(tune_othello(&o, &four, NULL));
    assert_memory_equal(one, four, sizeof *one);
    o.seed = 2;
    assert_ok(tune_othello(&o, &other, NULL));
    assert_memory_not_equal(one, other, sizeof *one);
    // Labels at 8 empties spread over more than 20 discs: something was learned.
    assert_true(error.n[8] > 0 && error.rms[8] < 20);
    text_buf svg = {0};
    assert_ok(tune_error_svg(&error, &svg));
    assert_non_null(strstr(text_str(&svg), "</svg>"));
    text_free(&svg);
    oth_weights_free(one);
    oth_weights_free(four);
    oth_weights_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reproducible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
