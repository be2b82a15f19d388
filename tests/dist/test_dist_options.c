// The option tables of this layer are those of dist/options.txt.
#include "base/opt_list.h"
#include "dist/learner.h"
#include "dist/status.h"
#include "dist/worker.h"

static void options_are_listed(void **state)
{
    (void)state;
    text_buf t = {0};
    list_rows(&t, "learner", dist_learner_opts, dist_learner_n_opts);
    list_rows(&t, "worker", dist_worker_opts, dist_worker_n_opts);
    list_rows(&t, "status", dist_status_opts, dist_status_n_opts);
    assert_listed(&t, "dist/options.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
