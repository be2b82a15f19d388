// keiko completion, keiko man: texts made from the same tables as --help.
#include "cli/cli.h"

#include <stdio.h>

typedef struct options {
    common all;
    const char *shell;
} options;

#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_CHOICE("SHELL", AT(shell), NULL, NULL, "bash|zsh|fish", "Name of the shell", .required = true),
};

static int run_completion(const void *options_)
{
    const options *o = options_;
    program p = keiko_program();
    return opt_completion(&p, o->shell, stdout) == ERR_OK ? 0 : cli_fail("completion");
}

const command cmd_completion = {
    CALLED("completion", "Print a completion script for your shell"),
    .about = "Prints a script that completes commands, options, games and agents. make install installs it.",
    .examples = "eval \"$(keiko completion bash)\"  # in ~/.bashrc\nkeiko completion fish | source",
    RUNS(run_completion, options, WITH_ARGS(args)),
};

static int run_man(const void *options_)
{
    (void)options_;
    program p = keiko_program();
    opt_man(&p, stdout);
    return 0;
}

const command cmd_man = {
    CALLED("man", "Print the manual page"),
    .about = "Prints the manual page in roff. `make install` installs it as keiko(1).",
    .examples = "keiko man | man -l -",
    .run = run_man,
    .size = sizeof(common),
};
