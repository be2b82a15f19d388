// keiko analyse: what an agent thinks of a position, move by move.
#include "base/clock.h"
#include "cli/play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct options {
    common all;
    const char *game, *position, *settings, *moves, *load, *agent;
    int64_t multipv, seed, at, number;
    bool json;
} options;

static const opt args[] = {
    ARG_GAME(options, false),
    ARG_POSITION(options),
};

// clang-format off
#define AT(field) offsetof(options, field)
static const opt opts[] = {
    ROW_TEXT("agent", AT(agent), "AGENT", NULL, "Agent that analyses. Default: the game's strongest that needs no file", .letter = 'a', .choices = "agents"),
    ROW_INT("multipv", AT(multipv), "N", "3", 1, 64, "Number of moves to show"),
    OPT_LOAD(options),
    OPT_NUMBER(options),
    ROW_INT("at", AT(at), "PLY", "-1", -1, 1e6, "With --load: the position after this many moves; -1 = the end of the game"),
    OPT_MOVES(options),
    OPT_SETTINGS(options),
    OPT_SEED(options),
    OPT_JSON(options),
};
// clang-format on

static void print_text(session *s, const agent_choice *c, int n, double seconds)
{
    char board[GAME_TEXT], move[256], head[320];
    session_draw(s, session_at(s), session_seat(s), cli_colour(), board, sizeof board);
    printf("%s\n%4s %-12s %6s %6s %12s  %s\n", board, "", "move", "value", "depth", "nodes", "line");
    for (int i = 0; i < n; i++) {
        char value[16] = "-";
        session_choice_text(s, c[i].move, move, sizeof move);
        if (c[i].value >= 0) snprintf(value, sizeof value, "%.1f%%", 100.0 * (double)c[i].value);
        snprintf(head, sizeof head, "%3d. %-12s %6s %6d %12" PRIu64 "  ", i + 1, move, value, c[i].depth, c[i].nodes);
        cli_say(stdout, head, "%s", c[i].text);
    }
    printf("%.2f s\n", seconds);
}

static void print_json(session *s, const agent_choice *c, int n)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    session_lines_json(s, c, n, &w);
    cli_put(&t, json_finish(&w));
}

static err open_position(const options *o, session **s)
{
    const game *g = NULL;
    game_key key = {(uint64_t)o->seed, 0};
    err e = o->game != NULL ? game_find(o->game, &g) : ERR_OK;
    if (e != ERR_OK) return e;
    if (g == NULL && o->load == NULL) return err_set(ERR_USAGE, "name a GAME and a position, or a file with --load");
    if (o->load == NULL && (o->at >= 0 || o->number > 1))
        return err_set(ERR_USAGE, "%s is about a game in a file: add --load FILE", o->at >= 0 ? "--at" : "--number");
    if (o->load == NULL)
        e = session_open(s, &(session_setup){.g = g, .options = o->settings, .position = o->position, .key = key});
    else if (o->position != NULL)
        e = err_set(ERR_USAGE, "--load and POSITION both say where to look: give one of them");
    else
        e = game_file_load(s, o->load, g, o->settings, key, (int)o->number - 1);
    if (e == ERR_OK && o->load != NULL && o->at >= 0) {
        int node = session_main_at(*s, (int)o->at);
        e = node == SESSION_NONE ? err_set(ERR_USAGE, "--at %d: the game has %d moves", (int)o->at,
                                           session_node_of(*s, session_main_end(*s))->ply)
                                 : session_goto(*s, node);
    }
    if (e == ERR_OK) session_forget_end(*s);
    return e == ERR_OK ? session_play_list(*s, o->moves) : e;
}

static int run(const void *options_)
{
    const options *o = options_;
    session *s = NULL;
    agent_choice *lines = calloc((size_t)o->multipv, sizeof *lines);
    int n = 0;
    err e = lines == NULL ? err_set(ERR_MEMORY, "no memory") : open_position(o, &s);
    if (e == ERR_OK && session_outcome(s).over) e = err_set(ERR_USAGE, "the game is over in this position");
    if (e == ERR_OK) e = session_set_helper(s, o->agent);
    double start = clock_seconds();
    if (e == ERR_OK) e = session_analyse(s, (int)o->multipv, lines, &n);
    if (e == ERR_OK && o->json)
        print_json(s, lines, n);
    else if (e == ERR_OK)
        print_text(s, lines, n, clock_seconds() - start);
    int status = e == ERR_OK ? 0 : cli_fail("analyse");
    session_close(s);
    free(lines);
    return status;
}

const command cmd_analyse = {
    CALLED("analyse", "Show an agent's best moves and values for a position"),
    .about =
        "Analyses a position and prints the best moves with their values (expected score of the player to move), depth, nodes and principal variation. Agents without analysis print only the move they would play.",
    .examples = "keiko analyse othello start --moves f5d6c3 --multipv 5\n"
                "keiko analyse --load game.sgf --at 20  # the position after 20 moves\n"
                "keiko analyse contrast --agent greedy --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
