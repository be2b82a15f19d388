// keiko analyse: what an agent thinks of a position, move by move.
#include "agents/agent.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli/cli.h"
#include "games/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct options {
    common all;
    const char *game, *position, *settings, *moves, *agent;
    int64_t multipv, seed;
    bool json;
} options;

static const opt args[] = {
    ARG_GAME(options, true),
    ARG_POSITION(options),
};

static const opt opts[] = {
    {.name = "agent",
     .letter = 'a',
     .kind = OPT_TEXT,
     .at = offsetof(options, agent),
     .value = "AGENT",
     .choices = "agents",
     .help = "who thinks; by default the game's strongest that needs no file"},
    {.name = "multipv",
     .kind = OPT_INT,
     .at = offsetof(options, multipv),
     .value = "N",
     .preset = "3",
     .low = 1,
     .high = 64,
     .help = "how many moves to show"},
    OPT_MOVES(options),
    OPT_SETTINGS(options),
    OPT_SEED(options),
    OPT_JSON(options),
};

static void print_text(const game *g, const void *obs, const agent_choice *c, int n, double seconds)
{
    char board[GAME_TEXT], move[256];
    g->draw(obs, MOVE_NONE, cli_colour(), board, sizeof board);
    printf("%s\n%4s %-12s %6s %6s %12s  %s\n", board, "", "move", "value", "depth", "nodes", "line");
    for (int i = 0; i < n; i++) {
        char value[16] = "-";
        g->move_print(obs, c[i].move, move, sizeof move);
        if (c[i].value >= 0) snprintf(value, sizeof value, "%.1f%%", 100.0 * (double)c[i].value);
        printf("%3d. %-12s %6s %6d %12" PRIu64 "  %s\n", i + 1, move, value, c[i].depth, c[i].nodes, c[i].text);
    }
    printf("%.2f s\n", seconds);
}

static void print_json(const game *g, const void *obs, const char *spec, const agent_choice *c, int n)
{
    char move[256];
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    json_open_object(&w);
    json_pair_text(&w, "game", g->name);
    json_pair_text(&w, "agent", spec);
    json_pair_array(&w, "moves");
    for (int i = 0; i < n; i++) {
        g->move_print(obs, c[i].move, move, sizeof move);
        json_open_object(&w);
        json_pair_text(&w, "move", move);
        json_key(&w, "value");
        if (c[i].value >= 0)
            json_put_float(&w, c[i].value);
        else
            json_put_null(&w);
        json_pair_int(&w, "depth", c[i].depth);
        json_pair_uint(&w, "nodes", c[i].nodes);
        json_pair_text(&w, "line", c[i].text);
        json_close(&w);
    }
    json_close(&w);
    json_close(&w);
    json_finish(&w);
    printf("%s", text_str(&t));
    text_free(&t);
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g;
    if (game_find(o->game, &g) != ERR_OK) return cli_fail("analyse");
    history h = {0};
    agent *a = NULL;
    agent_choice *lines = calloc((size_t)o->multipv, sizeof *lines);
    void *obs = calloc(1, g->obs_size);
    const char *spec = o->agent != NULL ? o->agent : agent_default(g);
    int n = 0, status = 0;
    err e = lines == NULL || obs == NULL ? err_set(ERR_MEMORY, "no memory") : ERR_OK;
    if (e == ERR_OK) e = history_begin(&h, g, o->settings, o->position, (game_key){(uint64_t)o->seed, 0});
    if (e == ERR_OK) e = history_play_list(&h, o->moves);
    if (e == ERR_OK && g->result(history_now(&h)).over) e = err_set(ERR_USAGE, "the game is over in this position");
    if (e == ERR_OK) e = agent_open(&a, g, spec);
    if (e == ERR_OK) {
        int seat = g->seat(history_now(&h));
        double start = clock_seconds();
        agent_begin(a, h.key, seat);
        for (int i = 0; i < h.ply; i++) {
            game_observe(g, history_at(&h, i), seat, obs);
            agent_saw(a, obs, h.moves[i]);
        }
        game_observe(g, history_now(&h), seat, obs);
        e = agent_analyse(a, obs, (int)o->multipv, lines, &n);
        if (e == ERR_OK && o->json)
            print_json(g, obs, spec, lines, n);
        else if (e == ERR_OK)
            print_text(g, obs, lines, n, clock_seconds() - start);
    }
    if (e != ERR_OK) status = cli_fail("analyse");
    agent_close(a);
    history_free(&h);
    free(obs);
    free(lines);
    return status;
}

const command cmd_analyse = {
    .name = "analyse",
    .summary = "show what an agent thinks of a position",
    .about = "Lets an agent think about a position and shows its best moves with their values (the mover's expected "
             "score), depth, "
             "nodes and line of play. Agents that do not analyse show only the move they would play.",
    .examples =
        "keiko analyse othello start --moves 'f5;d6;c3' --multipv 5\nkeiko analyse contrast --agent greedy --json",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
