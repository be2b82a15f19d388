// keiko agents: the players, their parameters and defaults.
#include "agents/agent.h"
#include "base/opt_table.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *what;
} options;

static const opt args[] = {
    {.name = "GAME|AGENT",
     .kind = OPT_TEXT,
     .at = offsetof(options, what),
     .choices = "games",
     .help = "only those that play this game, or only this one"},
};

static int run(const void *options_)
{
    const options *o = options_;
    const game *g = NULL;
    bool named = false;
    for (int i = 0; o->what != NULL && i < agent_type_count(); i++)
        named |= strcmp(agent_type_at(i)->name, o->what) == 0;
    if (o->what != NULL && !named && game_find(o->what, &g) != ERR_OK) {
        err_prefix(ERR_USAGE, "neither an agent nor a game");
        return cli_fail("agents");
    }
    for (int i = 0; i < agent_type_count(); i++) {
        const agent_type *t = agent_type_at(i);
        if (named && strcmp(t->name, o->what) != 0) continue;
        if (g != NULL && !agent_type_plays(t, g)) continue;
        printf("%-12s %s\n", t->name, t->summary);
        if (t->games[0]) printf("%-12s   plays: %s\n", "", t->games);
        int n;
        const opt *rows = opt_flat(t->opts, t->n_opts, &n);
        for (int k = 0; k < n; k++) {
            const opt *p = &rows[k];
            if (p->name == NULL) { // a heading
                printf("%-12s   %s:\n", "", p->help);
                continue;
            }
            printf("%-12s   %s=%s  %s", "", p->name, p->value ? p->value : p->choices ? p->choices : "…", p->help);
            if (p->preset != NULL && p->preset[0]) printf(" (default %s)", p->preset);
            printf("\n");
        }
    }
    if (!o->all.quiet) printf("\nAn agent is written NAME or NAME:key=value,key=value wherever one is asked for.\n");
    return 0;
}

const command cmd_agents = {
    .name = "agents",
    .summary = "list the agents and their parameters",
    .about = "Lists the kinds of players with their parameters and defaults. The same names work in every command.",
    .examples = "keiko agents\nkeiko agents othello  # who plays it\nkeiko agents beam     # its parameters",
    .args = args,
    .n_args = COUNT(args),
    .size = sizeof(options),
    .run = run,
};
