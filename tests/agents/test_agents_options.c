// The option tables of this layer are those of agents/options.txt.
#include "agents/agent.h"
#include "agents/tree.h"
#include "base/opt_list.h"

static void options_are_listed(void **state)
{
    (void)state;
    text_buf t = {0};
    for (int i = 0; i < agent_type_count(); i++)
        list_rows(&t, agent_type_at(i)->name, agent_type_at(i)->opts, agent_type_at(i)->n_opts);
    list_rows(&t, "tree", tree_opts, tree_n_opts);
    assert_listed(&t, "agents/options.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
