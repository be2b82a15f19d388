// The models that ship load by their names, say how they were trained, and beat random placements: one looking ahead, one alone.
#include "base/file.h"
#include "learn/dqn/dqn_actors.h"
#include "nn/net.h"
#include "test.h"

static void test_model(void **state)
{
    (void)state;
    char path[FILE_PATH];
    nn_net *net = NULL;
    assert_ok(file_join(path, sizeof path, KEIKO_SOURCE, "models/puyo-dqn.safetensors"));
    assert_ok(nn_net_load(&net, path));
    assert_non_null(net->note);
    assert_non_null(strstr(net->note, "rewards = shaped"));
    assert_non_null(strstr(net->note, "gamma = 0.98999"));
    nn_net_free(net);

    char spec[FILE_PATH + 16];
    snprintf(spec, sizeof spec, "dqn:model=%s", path);
    dqn_puyo_options env = {"", "none", 0.99, NULL, true};
    dqn_eval v = {.type = &dqn_env_puyo, .options = &env, .games = 6, .seed = 7, .agent = spec};
    dqn_score s;
    assert_ok(dqn_evaluate(&v, "random", &s));
    assert_true(s.wins >= 5);  // it wins 500 of 500
    assert_true(s.chain >= 2); // 4.0 on average
}

static void test_alone(void **state)
{
    (void)state;
    char path[FILE_PATH], spec[FILE_PATH + 32];
    assert_ok(file_join(path, sizeof path, KEIKO_SOURCE, "models/puyo-dqn-alone.safetensors"));
    snprintf(spec, sizeof spec, "dqn:model=%s,search=0", path);
    dqn_puyo_options env = {"", "none", 0.99, NULL, true};
    dqn_eval v = {.type = &dqn_env_puyo, .options = &env, .games = 40, .seed = 7, .agent = spec};
    dqn_score s;
    assert_ok(dqn_evaluate(&v, "random", &s));
    assert_true(s.wins >= 30); // more than 90 % on average
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
