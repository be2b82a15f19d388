// keiko review: what each move of a game cost, and where the game turned.
#include "base/progress.h"
#include "base/stop.h"
#include "cli/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *file, *game, *agent, *settings, *save;
    int64_t number, seed;
    bool json;
} options;

// clang-format off
#define AT(field) offsetof(options, field)
static const opt args[] = {
    ROW_FILE("FILE", AT(file), NULL, "Game to review: SGF, GGF, keiko's JSON or text, or a list of moves (which needs --game)", .required = true),
};

static const opt opts[] = {
    ROW_TEXT("agent", AT(agent), "AGENT", NULL, "Agent that judges. Default: the game's strongest that gives values and needs no file", .letter = 'a', .choices = "agents"),
    ROW_TEXT("game", AT(game), "GAME", NULL, "Name of the game; only a list of moves needs it", .letter = 'g', .choices = "games"),
    OPT_NUMBER(options),
    ROW_FILE("save", AT(save), NULL, "Write the game with its marks to this file (.sgf or .json)"),
    OPT_SETTINGS(options),
    OPT_SEED(options),
    OPT_JSON(options),
};
// clang-format on

static bool each(void *ctx, int done, int all)
{
    progress *p = ctx;
    progress_total(p, (uint64_t)all);
    progress_set(p, (uint64_t)done);
    return !stop_requested();
}

static bool wants_stop(void *ctx)
{
    (void)ctx;
    return stop_requested();
}

static void print_words(session *s, const session_review *r)
{
    text_buf t = {0};
    session_review_print(s, r, &t);
    cli_print("%s", text_str(&t));
    text_free(&t);
}

static void print_json(session *s, const session_review *r)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    session_review_json(s, r, &w);
    cli_put(&t, json_finish(&w));
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g = NULL;
    session *s = NULL;
    session_review r = {0};
    err e = o->game != NULL ? game_find(o->game, &g) : ERR_OK;
    if (e == ERR_OK)
        e = game_file_load(&s, o->file, g, o->settings, (game_key){(uint64_t)o->seed, 0}, (int)o->number - 1);
    if (e == ERR_OK) e = session_set_helper(s, o->agent != NULL ? o->agent : session_reviewer(session_game(s)));
    if (e == ERR_OK) {
        static const agent_watch watch = {.stop = {wants_stop, NULL}};
        stop_install(NULL);
        session_watch(s, &watch);
        progress *p = cli_progress(&o->all, "review", "moves", 1);
        e = session_review_run(s, each, p, &r);
        progress_finish(p);
    }
    if (e == ERR_OK && o->json)
        print_json(s, &r);
    else if (e == ERR_OK)
        print_words(s, &r);
    if (e == ERR_OK && o->save != NULL) e = game_file_save(s, o->save);
    int status = e == ERR_OK ? 0 : cli_fail("review");
    session_review_free(&r);
    session_close(s);
    return status;
}

const command cmd_review = {
    CALLED("review", "Show each move's loss and the turning points of a game"),
    .about =
        "Lets an agent look at every position of a finished or unfinished game and prints, for each move, the expected score that it lost against the agent's best move (100% is the whole point) and, where the agent knows one, the margin in discs. Marks: ?! loses 5%, ? 12%, ?? 25% or more. A turning point is a mistake that changes who is ahead. Values are those of the agent: a stronger one judges better.",
    .examples = "keiko review game.sgf\n"
                "keiko review game.ggf --agent alphabeta:depth=14\n"
                "keiko review moves.txt --game renju --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
