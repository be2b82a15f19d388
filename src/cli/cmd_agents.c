// keiko agents: the players, their parameters and defaults.
#include "app/catalogue.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *what;
    bool json;
} options;

static const opt args[] = {
    ROW_TEXT("GAME|AGENT", offsetof(options, what), NULL, NULL, "List only the agents of this game, or only this agent",
             .choices = "games"),
};

static const opt opts[] = {OPT_JSON(options)};

enum { INDENT = 13 };

static void print_row(const opt *o)
{
    const char *value = o->kind == OPT_FLAG ? "yes|no" : o->value ? o->value : o->choices ? o->choices : "…";
    char head[INDENT + 64];
    bool preset = o->preset != NULL && o->preset[0] != 0;
    if (o->name == NULL) {
        printf("%*s  %s:\n", INDENT, "", o->help);
        return;
    }
    snprintf(head, sizeof head, "%*s  %s=%s  ", INDENT, "", o->name, value);
    cli_say(stdout, head, "%s%s%s%s", o->help, preset ? " (default: " : "", preset ? o->preset : "", preset ? ")" : "");
}

// Several kinds may share a name ("alphabeta" is another engine in each game), so theirs tells the games.
static void print_names(const agent_type *const *types, int n, uint32_t of)
{
    int left = __builtin_popcount(of);
    text_buf names = {0};
    for (int i = 0; i < n; i++) {
        if ((of >> i & 1) == 0) continue;
        text_append(&names, types[i]->name);
        if (types[i]->games[0] != 0 && strcmp(types[i]->name, "alphabeta") == 0)
            text_printf(&names, " (%s)", types[i]->games);
        if (--left > 0) text_append(&names, left == 1 ? " and " : ", ");
    }
    cli_say(stdout, "", "\nparameters of %s", text_str(&names));
    text_free(&names);
}

static void print_agents(const agent_type *const *types, int n)
{
    catalogue_row rows[CATALOGUE_ROWS];
    int n_rows = catalogue_rows(types, n, rows);
    for (int i = 0; i < n; i++) {
        char head[64];
        snprintf(head, sizeof head, "%-12s ", types[i]->name);
        cli_say(stdout, head, "%s", types[i]->summary);
        if (types[i]->games[0]) printf("%-12s   plays: %s\n", "", types[i]->games);
        for (int k = 0; k < n_rows; k++)
            if (rows[k].of == 1u << i) print_row(rows[k].row);
    }
    for (int k = 0; k < n_rows; k++) { // each group of sharers once, at its first row
        uint32_t of = rows[k].of;
        bool first = (of & (of - 1)) != 0;
        for (int j = 0; j < k; j++) first &= rows[j].of != of;
        if (!first) continue;
        print_names(types, n, of);
        for (int j = k; j < n_rows; j++)
            if (rows[j].of == of) print_row(rows[j].row);
    }
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g = NULL;
    const agent_type *types[CATALOGUE_AGENTS];
    int n = 0;
    bool named = false;
    text_buf t = {0};
    for (int i = 0; o->what != NULL && i < agent_type_count(); i++)
        named |= strcmp(agent_type_at(i)->name, o->what) == 0;
    if (o->what != NULL && !named && game_find(o->what, &g) != ERR_OK) {
        err_prefix(ERR_USAGE, "neither an agent nor a game");
        return cli_fail("agents");
    }
    if (o->json) {
        json_writer w = json_begin(&t, true);
        catalogue_agents_json(&w, g);
        return cli_put(&t, json_finish(&w)) == ERR_OK ? 0 : cli_fail("agents");
    }
    for (int i = 0; i < agent_type_count() && n < CATALOGUE_AGENTS; i++) {
        const agent_type *a = agent_type_at(i);
        if ((!named || strcmp(a->name, o->what) == 0) && (g == NULL || agent_type_plays(a, g))) types[n++] = a;
    }
    print_agents(types, n);
    if (g != NULL && level_count(g) > 0)
        printf("\nlevels: beginner easy medium hard expert, and 1 to 10 (keiko levels %s)\n", g->name);
    if (!o->all.quiet)
        cli_say(stdout, "", "\nWrite an agent as NAME or NAME:key=value,key=value, or use a level (keiko levels).");
    return 0;
}

const command cmd_agents = {
    CALLED("agents", "List the agents and their parameters"),
    .about =
        "Lists the agents with their parameters and defaults. An agent is written NAME or NAME:key=value,key=value, in every command. Parameters that several agents share are listed once, at the end.",
    .examples =
        "keiko agents\nkeiko agents othello  # agents that play Othello\nkeiko agents beam     # its parameters\n"
        "keiko agents --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
