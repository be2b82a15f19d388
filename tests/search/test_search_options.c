// The option tables of this layer are those of search/options.txt.
#include "base/opt_list.h"
#include "search/mcts/mcts_config.h"
#include "search/puyo/puyo_advisor.h"

static void options_are_listed(void **state)
{
    (void)state;
    text_buf t = {0};
    list_rows(&t, "mcts", mcts_opts, mcts_n_opts);
    list_rows(&t, "advisor", advisor_options, advisor_n_options);
    assert_listed(&t, "search/options.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
