// The option tables of this layer are those of serve/options.txt.
#include "base/opt_list.h"
#include "serve/api.h"

static void options_are_listed(void **state)
{
    (void)state;
    text_buf t = {0};
    list_rows(&t, "bench", bench_start_rows, bench_start_n_rows);
    assert_listed(&t, "serve/options.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
