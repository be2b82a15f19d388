// keiko levels: the playing strengths of the games.
#include "app/catalogue.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    const char *game;
    bool json;
} options;

static const opt args[] = {ARG_GAME(options, false)};
static const opt opts[] = {OPT_JSON(options)};

static void print_levels(const game *g)
{
    for (int i = 0; i < level_count(g); i++) {
        const level_row *l = level_at(g, i);
        char elo[32] = "-", head[128];
        if (l->date[0] != 0) snprintf(elo, sizeof elo, "%.0f ± %.0f", l->elo, l->error);
        int pad = 12 - text_columns(elo, strlen(elo));
        snprintf(head, sizeof head, "%-12s %5d  %-9s %s%*s  %-10s  ", i == 0 ? g->name : "", l->number, l->name, elo,
                 pad > 0 ? pad : 0, "", l->date[0] != 0 ? l->date : "-");
        cli_say(stdout, head, "%s", l->spec);
    }
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g = NULL;
    text_buf t = {0};
    if (o->game != NULL && game_find(o->game, &g) != ERR_OK) return cli_fail("levels");
    if (g != NULL && level_count(g) == 0) {
        err_set(ERR_USAGE, "%s has no levels; choose an agent: keiko agents %s", g->name, g->name);
        return cli_fail("levels");
    }
    if (o->json) {
        json_writer w = json_begin(&t, true);
        catalogue_levels_json(&w, g);
        return cli_put(&t, json_finish(&w)) == ERR_OK ? 0 : cli_fail("levels");
    }
    printf("%-12s %5s  %-9s %-12s  %-10s  %s\n", "game", "level", "name", "Elo", "measured", "agent");
    for (int i = 0; i < game_count(); i++)
        if (g == NULL || g == game_at(i)) print_levels(game_at(i));
    if (!o->all.quiet)
        cli_say(
            stdout, "",
            "\nWrite a level wherever an agent is asked for: its name or its number, e.g. hard, 7 or hard:depth=3.\n"
            "Elo is per game; level 1 is 1000. '-' = not measured yet (keiko tune levels GAME).");
    return 0;
}

const command cmd_levels = {
    CALLED("levels", "List the playing strengths of a game"),
    .about =
        "Lists the levels of every game, or of one: ten numbers from weak to strong, five of them with a name, the agent behind each, and its measured rating with half of the 95 % interval and the date.",
    .examples = "keiko levels\nkeiko levels othello\nkeiko play renju --second medium\nkeiko play othello --second 7\n"
                "keiko levels --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
