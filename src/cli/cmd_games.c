// keiko games: what can be played, by whom, and how large it is.
#include "agents/agent.h"
#include "base/json.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct options {
    common all;
    bool json;
} options;

static const opt opts[] = {
    OPT_JSON(options),
};

static void print_json(void)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    json_open_array(&w);
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        json_open_object(&w);
        json_pair_text(&w, "name", g->name);
        json_pair_text(&w, "title", g->title);
        json_pair_text(&w, "options", g->options);
        json_pair_int(&w, "seats", g->n_seats);
        json_pair_int(&w, "moves", g->n_moves);
        json_pair_int(&w, "rows", g->rows);
        json_pair_int(&w, "cols", g->cols);
        json_pair_int(&w, "symmetries", g->n_syms);
        json_pair_int(&w, "state_bytes", g->state_size);
        json_pair_array(&w, "agents");
        for (int k = 0; k < agent_type_count(); k++)
            if (agent_type_plays(agent_type_at(k), g)) json_put_text(&w, agent_type_at(k)->name);
        json_close(&w);
        json_close(&w);
    }
    json_close(&w);
    json_finish(&w);
    printf("%s", text_str(&t));
    text_free(&t);
}

static int run(const void *options_)
{
    const options *o = options_;
    if (o->json) {
        print_json();
        return 0;
    }
    printf("%-12s %-28s %6s %6s %6s %5s  %s\n", "game", "title", "board", "moves", "bytes", "syms", "agents");
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        char board[16];
        snprintf(board, sizeof board, "%dx%d", g->cols, g->rows);
        printf("%-12s %-28s %6s %6d %6u %5d  ", g->name, g->title, board, g->n_moves, g->state_size, g->n_syms);
        for (int k = 0, n = 0; k < agent_type_count(); k++)
            if (agent_type_plays(agent_type_at(k), g)) printf("%s%s", n++ ? " " : "", agent_type_at(k)->name);
        printf("\n");
        if (o->all.verbose && g->options[0]) printf("%-12s   options: %s\n", "", g->options);
    }
    if (!o->all.quiet) printf("\nkeiko play GAME starts one; keiko games --verbose shows their options.\n");
    return 0;
}

const command cmd_games = {
    .name = "games",
    .summary = "list the games, their sizes and agents",
    .about =
        "Lists every game with its network board, the size of its move space, the bytes of a position, its symmetries "
        "and the agents that play it. With --verbose also the options each game takes.",
    .examples = "keiko games\nkeiko games --json  # for programs",
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
