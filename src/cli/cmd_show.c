// keiko show: draw a position and say what can be done in it.
#include "app/position.h"
#include "cli/cli.h"

typedef struct options {
    common all;
    const char *game, *position, *settings, *moves;
    int64_t seed;
    bool json;
} options;

static const opt args[] = {
    ARG_GAME(options, true),
    ARG_POSITION(options),
};

static const opt opts[] = {
    OPT_SETTINGS(options),
    OPT_MOVES(options),
    OPT_SEED(options),
    OPT_JSON(options),
};

static int run(const void *options_)
{
    const options *o = options_;
    position p;
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    err e = position_open(&p, &(position_request){o->game, o->settings, o->position, o->moves, (uint64_t)o->seed});
    if (e != ERR_OK) return cli_fail("show");
    if (o->json)
        position_json(&p, &w);
    else
        position_print(&p, cli_colour(), &t);
    if (!o->json && (e = text_check(&t)) == ERR_OK) {
        const char *moves = text_str(&t) + t.len - 1; // the last line; the others fit or are for programs
        while (moves > t.data && moves[-1] != '\n') moves--;
        printf("%.*s", (int)(moves - t.data), t.data);
        cli_say_lines(moves);
        text_clear(&t);
    }
    if (e == ERR_OK) e = cli_put(&t, o->json ? json_finish(&w) : ERR_OK);
    position_close(&p);
    return e == ERR_OK ? 0 : cli_fail("show");
}

const command cmd_show = {
    CALLED("show", "Draw a position and list its legal moves"),
    .about =
        "Draws a position (default: the start) after playing --moves, and prints it as text. Every command that takes a position accepts this text.",
    .examples =
        "keiko show othello\nkeiko show othello start --moves f5d6c3\nkeiko show contrast start --moves 'b1,b2 b3g' --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
