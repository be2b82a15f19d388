// The Othello tuner in miniature: the same whatever the threads, from given weights, and a plot.
// labels: threads
#include "base/temp_dir.h"
#include "learn/tune/tune_othello_inner.h"
#include "nn/net.h"
#include "test.h"

enum { ITERATIONS = UNDER_TSAN ? 1 : 2 }; // each passes over millions of weights

static char dir[64], model[128];

static int setup(void **state)
{
    (void)state;
    assert_non_null(temp_dir_make(dir));
    snprintf(model, sizeof model, "%s/net.safetensors", dir);
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse("planes=3 size=8x8 c=16 b=1 policy=2:65 value=2:8 scalar=2:8:1", &d));
    assert_ok(nn_net_new(&net, &d, 4));
    assert_ok(nn_net_save(net, model));
    nn_net_free(net);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static tune_options small(void)
{
    tune_options o = tune_defaults();
    o.model = model;
    o.backend = "cpu";
    o.net_games = 32;
    o.lanes = 16;
    o.search_games = 40;
    o.net_exact = 8;
    o.depth = 2;
    o.exact = 9;
    o.iterations = ITERATIONS;
    return o;
}

static void test_reproducible(void **state)
{
    (void)state;
    tune_options o = small();
    oth_weights *four;
    tune_error error;
    o.threads = 4;
    assert_ok(tune_othello(&o, &four, &error));
    if (!UNDER_TSAN) {
        oth_weights *one;
        o.threads = 1;
        assert_ok(tune_othello(&o, &one, NULL));
        assert_memory_equal(one, four, sizeof *one);
        oth_weights_free(one);
    }
    assert_true(error.n[6] > 0 && error.rms[6] > 0);
    text_buf svg = {0};
    assert_ok(tune_error_svg(&error, &svg));
    assert_non_null(strstr(text_str(&svg), "</svg>"));
    text_free(&svg);
    oth_weights_free(four);
}

static err count_saves(void *ctx, const oth_weights *w)
{
    (void)w;
    ++*(int *)ctx;
    return ERR_OK;
}

// From given weights the network is not asked, and only the second fit is made; a limit of no time leaves it as it was.
static void test_from(void **state)
{
    (void)state;
    tune_options o = small();
    oth_weights *from = calloc(1, sizeof *from), *out;
    assert_non_null(from);
    from->bias[40] = 7;
    int saves = 0;
    o.model = "/nonexistent";
    o.from = from;
    o.save = count_saves;
    o.ctx = &saves;
    o.minutes = 1e-9;
    assert_ok(tune_othello(&o, &out, NULL));
    assert_int_equal(saves, 1);
    assert_int_equal(out->bias[40], 7);
    oth_weights_free(out);
    o.minutes = 0;
    assert_ok(tune_othello(&o, &out, NULL));
    assert_memory_not_equal(out, from, sizeof *out);
    oth_weights_free(out);
    oth_weights_free(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_THREADS(test_from),
        cmocka_unit_test(test_reproducible),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
