// keiko games: what can be played, by whom, and how large it is.
#include "app/catalogue.h"
#include "cli/cli.h"

#include <stdio.h>

typedef struct options {
    common all;
    bool json;
} options;

static const opt opts[] = {OPT_JSON(options)};

static int run(const void *options_)
{
    const options *o = options_;
    text_buf t = {0};
    if (o->json) {
        json_writer w = json_begin(&t, true);
        catalogue_games_json(&w);
        return cli_put(&t, json_finish(&w)) == ERR_OK ? 0 : cli_fail("games");
    }
    printf("%-12s %-28s %6s %6s %6s %10s  %s\n", "game", "title", "board", "moves", "bytes", "symmetries", "agents");
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        char board[16];
        snprintf(board, sizeof board, "%dx%d", g->cols, g->rows);
        printf("%-12s %-28s %6s %6d %6u %10d  ", g->name, g->title, board, g->n_moves, g->state_size, g->n_syms);
        for (int k = 0, n = 0; k < agent_type_count(); k++)
            if (agent_type_plays(agent_type_at(k), g)) printf("%s%s", n++ ? " " : "", agent_type_at(k)->name);
        printf("%s\n", level_count(g) > 0 ? " and levels" : "");
        if (o->all.verbose && g->options[0]) printf("%-12s   options: %s\n", "", g->options);
        if (!o->all.verbose) continue;
        printf("%-12s   encodings:", "");
        for (int k = 0; k < g->n_encodings; k++) {
            const encoding *e = &g->encodings[k];
            printf("%s %s (%d planes, %d numbers)", k > 0 ? "," : "", e->name, e->planes, e->scalars);
        }
        printf("\n");
    }
    if (!o->all.quiet) printf("\nStart a game with keiko play GAME. keiko rules GAME explains its rules.\n");
    return 0;
}

const command cmd_games = {
    CALLED("games", "List the games and who can play them"),
    .about =
        "Lists the games with their board size, number of possible moves, bytes per position, symmetries and agents. --verbose adds each game's options and its input encodings for networks.",
    .examples = "keiko games\nkeiko games --verbose\nkeiko games --json  # for programs",
    RUNS(run, options, WITH_OPTS(opts)),
};
