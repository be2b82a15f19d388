// The learner on a small world whose values are known (house.h): prioritized and uniform, Double and plain. Also n-step
// transitions by hand, for matches that end and matches that are cut.
#include "learn/house.h"

#define PLAIN "mlp=32 duel=0:32:3"

static void test_prioritized(void **state)
{
    (void)state;
    solve((kind){.net = PLAIN});
}

static void test_uniform(void **state)
{
    (void)state;
    solve((kind){.net = PLAIN, .uniform = true});
}

static void test_single(void **state)
{
    (void)state;
    solve((kind){.net = PLAIN, .single = true});
}

// --- n steps

static per *steps(int n, int decisions, int how)
{
    dqn_shape s = {.planes = 1, .rows = 1, .cols = 8, .scalars = 1, .actions = 4, .seats = 1};
    nstep *q = NULL;
    per *r = NULL;
    assert_ok(nstep_new(&q, &s, 2, n, 0.5));
    assert_ok(per_new(&r, &(per_options){s, 64, false, 0}));
    for (int t = 0; t < decisions; t++) { // lane 0 must not see lane 1's
        uint64_t bits = (uint64_t)t, other = 77;
        float one = (float)t, two = 77;
        nstep_decide(q, 0, t == 0 ? 1000 : (float)(1 << t), &bits, &one, 1u + (uint32_t)t, t % 4, NULL, 0, r);
        if (t == 0) nstep_decide(q, 1, 0, &other, &two, 1, 0, NULL, 0, r);
    }
    nstep_end(q, 0, (float)(1 << decisions), how, r);
    nstep_free(q);
    return r;
}

static void check(const per *r, uint32_t slot, uint64_t from, uint64_t to, double reward, double discount)
{
    transition t = per_get(r, slot);
    assert_int_equal(*t.bits, from);
    assert_int_equal(t.action, from % 4);
    assert_true(fabs((double)t.reward - reward) < 1e-6);
    assert_true(fabs((double)t.discount - discount) < 1e-6);
    if (discount == 0) return;
    assert_int_equal(*t.next_bits, to);
    assert_true(*t.next_scalars == (float)to);
    assert_int_equal(t.next_mask, 1 + to);
}

// Rewards 2, 4, 8, 16, 32 after decisions 0 … 4.
static void test_three_steps(void **state)
{
    (void)state;
    per *r = steps(3, 5, DQN_OVER);
    assert_int_equal(per_count(r), 5); // the last two steps as well
    check(r, 0, 0, 3, 2 + 2 + 2, 0.125);
    check(r, 1, 1, 4, 4 + 4 + 4, 0.125);
    check(r, 2, 2, 0, 8 + 8 + 8, 0);
    check(r, 3, 3, 0, 16 + 16, 0);
    check(r, 4, 4, 0, 32, 0);
    per_free(r);
}

static void test_cut(void **state)
{
    (void)state;
    per *r = steps(3, 5, DQN_CUT);
    assert_int_equal(per_count(r), 4); // nobody saw what the last decision led to
    check(r, 0, 0, 3, 6, 0.125);
    check(r, 1, 1, 4, 12, 0.125);
    check(r, 2, 2, 4, 8 + 8, 0.25);
    check(r, 3, 3, 4, 16, 0.5);
    per_free(r);
    r = steps(3, 1, DQN_CUT);
    assert_int_equal(per_count(r), 0);
    per_free(r);
}

static void test_short(void **state)
{
    (void)state;
    per *r = steps(3, 2, DQN_OVER);
    assert_int_equal(per_count(r), 2);
    check(r, 0, 0, 0, 2 + 2, 0);
    check(r, 1, 1, 0, 4, 0);
    per_free(r);
    r = steps(1, 2, DQN_OVER);
    check(r, 0, 0, 1, 2, 0.5);
    check(r, 1, 1, 0, 4, 0);
    per_free(r);
}

static void test_best(void **state)
{
    (void)state;
    const float q[4] = {5, 1, 3, 3};
    assert_int_equal(dqn_best(q, 15), 0);
    assert_int_equal(dqn_best(q, 14), 2); // the first of equals; the best is masked
    assert_int_equal(dqn_best(q, 2), 1);
}

static void test_wrong_net(void **state)
{
    (void)state;
    nn_desc desc;
    nn_net *net = NULL;
    dqn *d = NULL;
    dqn_config c;
    opt_values *keep = opt_keep();
    dqn_shape s = house_shape(NULL);
    house_config(&c, "", keep);
    assert_ok(nn_desc_parse("planes=1 scalars=1 size=1x8 mlp=32 duel=0:32:4", &desc));
    assert_ok(nn_net_new(&net, &desc, 5));
    assert_err(dqn_new(&d, &c, &house_machine, net, &house_env, NULL, &s, 1), "does not fit");
    opt_free(keep);
    nn_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prioritized), cmocka_unit_test(test_uniform),   cmocka_unit_test(test_single),
        cmocka_unit_test(test_three_steps), cmocka_unit_test(test_cut),       cmocka_unit_test(test_short),
        cmocka_unit_test(test_best),        cmocka_unit_test(test_wrong_net),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
