// The option tables of this layer are those of learn/options.txt.
#include "base/opt_list.h"
#include "learn/distil/distil_config.h"
#include "learn/dqn/dqn_config.h"
#include "learn/train_config.h"
#include "learn/zero/az_config.h"

static void options_are_listed(void **state)
{
    (void)state;
    text_buf t = {0};
    list_rows(&t, "zero", az_opts, az_n_opts);
    list_rows(&t, "dqn", dqn_opts, dqn_n_opts);
    list_rows(&t, "distil", distil_opts, distil_n_opts);
    list_rows(&t, "common", train_common_opts, train_common_n_opts);
    assert_listed(&t, "learn/options.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
