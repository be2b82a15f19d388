// Helpers of the subcommands. See cli.h.
#include "cli/cli.h"

#include "base/term.h"

#include <stdio.h>

int cli_fail(const char *name)
{
    fprintf(stderr, "keiko %s: %s\n", name, err_text());
    return 2;
}

static const char *wanted_colour = "auto";

void cli_set_colour(const char *wanted)
{
    wanted_colour = wanted;
}

bool cli_colour(void)
{
    return term_colour(stdout, wanted_colour);
}
