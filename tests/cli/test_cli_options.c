// Commands and their options, as the manual page shows them, are those of cli/options.txt. What they are for is not compared.
#include "base/opt_list.h"
#include "cli/program.h"

// The lines that name a command or an option, and those with its bounds, default and choices.
static void options_are_listed(void **state)
{
    (void)state;
    text_buf t = {0};
    static const char *const facts[] = {"\\f", "Range: ", "Default: ", "One of ", "Required.", "Also written "};
    assert_int_equal(keiko("man"), 0);
    const char *examples = strstr(output, ".SS");
    assert_non_null(examples);
    for (const char *line = examples; *line;) {
        size_t n = strcspn(line, "\n");
        bool keep = strncmp(line, ".SS ", 4) == 0;
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
            keep = keep || strncmp(line, facts[i], strlen(facts[i])) == 0;
        if (keep) text_append_n(&t, line, n), text_char(&t, '\n');
        line += n + (line[n] == '\n');
    }
    assert_listed(&t, "cli/options.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(options_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
