// Distributional and noisy learners on the small world whose values are known (house.h).
#include "learn/house.h"

// A softmax gives up its last mass on far grid points slowly, and values go through it again and again: hence the wider bound.
static void test_c51(void **state)
{
    (void)state;
    solve((kind){.net = "mlp=32 duel=0:32:3:21", .dist = "c51", .support = 4, .lr = 1e-2f, .bound = 0.025});
}

static void test_quantiles(void **state)
{
    (void)state;
    solve((kind){.net = "mlp=32 duel=0:32:3:8", .dist = "qr", .huber = 0.1f});
}

static void test_noisy(void **state)
{
    (void)state;
    solve((kind){.net = "mlp=32 duel=0:32:3 noisy=1"});
}

// Playing with noise: keyed by its number, different for another, and unlike the means.
static void test_explore(void **state)
{
    (void)state;
    nn_desc desc;
    nn_net *net = NULL;
    dqn *d = NULL;
    dqn_config set;
    opt_values *keep = opt_keep();
    dqn_shape s = house_shape(NULL);
    house_config(&set, "seed=7", keep);
    uint64_t bits = 4;
    float one = 1, mean[DOORS], a[DOORS], b[DOORS], c[DOORS];
    assert_ok(nn_desc_parse("planes=1 scalars=1 size=1x8 mlp=32 duel=0:32:3 noisy=1", &desc));
    assert_ok(nn_net_new(&net, &desc, 5));
    assert_ok(dqn_new(&d, &set, &house_machine, net, &house_env, NULL, &s, 1));
    assert_ok(dqn_values(d, 1, &bits, &one, mean));
    assert_ok(dqn_explore(d, 3, false));
    assert_ok(dqn_explore_values(d, 1, &bits, &one, a));
    assert_ok(dqn_explore(d, 4, false));
    assert_ok(dqn_explore_values(d, 1, &bits, &one, b));
    assert_ok(dqn_explore(d, 3, true)); // the target network is the same at the start
    assert_ok(dqn_explore_values(d, 1, &bits, &one, c));
    assert_memory_equal(a, c, sizeof a);
    assert_memory_not_equal(a, b, sizeof a);
    assert_memory_not_equal(a, mean, sizeof a);
    dqn_free(d);
    nn_net_free(net);
    opt_free(keep);
}

static void test_wrong_head(void **state)
{
    (void)state;
    nn_desc desc;
    dqn_shape s = house_shape(NULL);
    nn_dist none = {0}, qr = {NN_DIST_QR, 0};
    assert_ok(nn_desc_parse("planes=1 scalars=1 size=1x8 mlp=32 duel=0:32:3", &desc));
    assert_ok(dqn_fits(&desc, &s, &none));
    assert_err(dqn_fits(&desc, &s, &qr), "for a distribution");
    assert_ok(nn_desc_parse("planes=1 scalars=1 size=1x8 mlp=32 duel=0:32:3:5", &desc));
    assert_ok(dqn_fits(&desc, &s, &qr));
    assert_err(dqn_fits(&desc, &s, &none), "does not fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c51),     cmocka_unit_test(test_quantiles),  cmocka_unit_test(test_noisy),
        cmocka_unit_test(test_explore), cmocka_unit_test(test_wrong_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
