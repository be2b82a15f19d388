// keiko games: what can be played, and by whom; with --verbose how large it is.
#include "app/catalogue.h"
#include "cli/cli.h"

#include <stdio.h>

typedef struct options {
    common all;
    bool json;
} options;

static const opt opts[] = {OPT_JSON(options)};

static void print_game(const game *g, bool details)
{
    char board[16], head[128];
    text_buf list = {0};
    snprintf(board, sizeof board, "%dx%d", g->cols, g->rows);
    snprintf(head, sizeof head, "%-12s %-28s %6s  ", g->name, g->title, board);
    for (int k = 0; k < agent_type_count(); k++)
        if (agent_type_plays(agent_type_at(k), g)) text_printf(&list, " %s", agent_type_at(k)->name);
    cli_say(stdout, head, "%s%s", text_str(&list) + 1, level_count(g) > 0 ? " and levels" : "");
    text_free(&list);
    if (!details) return;
    snprintf(head, sizeof head, "%-12s   ", "");
    cli_say(stdout, head, "size: %d moves, %u bytes per position, symmetries: %d", g->n_moves, g->state_size,
            g->n_syms);
    if (g->options[0]) cli_say(stdout, head, "options: %s", g->options);
    for (int k = 0; k < g->n_encodings; k++) {
        const encoding *e = &g->encodings[k];
        text_printf(&list, "%s %s (%d planes, %d numbers)", k > 0 ? "," : "", e->name, e->planes, e->scalars);
    }
    cli_say(stdout, head, "encodings:%s", text_str(&list));
    text_free(&list);
}

static int run(const void *options_)
{
    const options *o = options_;
    text_buf t = {0};
    if (o->json) {
        json_writer w = json_begin(&t, true);
        catalogue_games_json(&w);
        return cli_put(&t, json_finish(&w)) == ERR_OK ? 0 : cli_fail("games");
    }
    printf("%-12s %-28s %6s  %s\n", "game", "title", "board", "agents");
    for (int i = 0; i < game_count(); i++) print_game(game_at(i), o->all.verbose);
    if (!o->all.quiet) cli_say(stdout, "", "\nStart a game with keiko play GAME. keiko rules GAME explains its rules.");
    return 0;
}

const command cmd_games = {
    CALLED("games", "List the games and who can play them"),
    .about =
        "Lists the games with their board size and agents. --verbose adds the number of possible moves, bytes per position, symmetries, the options of the rules and the input encodings for networks.",
    .examples = "keiko games\nkeiko games --verbose\nkeiko games --json  # for programs",
    RUNS(run, options, WITH_OPTS(opts)),
};
