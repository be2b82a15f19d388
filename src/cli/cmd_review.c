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

static const opt args[] = {
    {.name = "FILE",
     .kind = OPT_FILE,
     .at = offsetof(options, file),
     .required = true,
     .help = "the game: SGF, GGF, keiko's JSON or text, or a list of moves (which needs --game)"},
};

static const opt opts[] = {
    {.name = "agent",
     .letter = 'a',
     .kind = OPT_TEXT,
     .at = offsetof(options, agent),
     .value = "AGENT",
     .choices = "agents",
     .help = "who judges; by default the game's strongest that gives values and needs no file"},
    {.name = "game",
     .letter = 'g',
     .kind = OPT_TEXT,
     .at = offsetof(options, game),
     .value = "GAME",
     .choices = "games",
     .help = "which game; only a bare list of moves needs it"},
    {.name = "number",
     .kind = OPT_INT,
     .at = offsetof(options, number),
     .value = "N",
     .preset = "1",
     .low = 1,
     .high = 1e6,
     .help = "which game of the file"},
    {.name = "save",
     .kind = OPT_FILE,
     .at = offsetof(options, save),
     .value = "FILE",
     .help = "write the game with its marks there: .sgf, .json"},
    OPT_SETTINGS(options),
    OPT_SEED(options),
    OPT_JSON(options),
};

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

static void print_move(session *s, const session_review_move *m)
{
    char played[256], best[256], margin[24] = "", loss[24] = "";
    const session_node *n = session_node_of(s, m->node);
    session_move_text(s, m->node, played, sizeof played);
    session_game(s)->move_print(session_seen(s, n->parent, m->seat), m->best, best, sizeof best);
    bool good = m->best == m->played;
    if (m->has_margin && m->margin_loss > 0) snprintf(margin, sizeof margin, "%.0f", (double)m->margin_loss);
    if (m->loss >= 0.0005f) snprintf(loss, sizeof loss, "%.1f%%", 100 * (double)m->loss);
    cli_print("%3d. %d %-12s%-2s %7s %7s  %s%s%s\n", n->ply, m->seat + 1, played, session_mark_text(m->mark), loss,
              margin, good ? "" : "better: ", good ? "" : best, m->turning ? "   <- turning point" : "");
}

static void print_text(session *s, const session_review *r)
{
    char name[GAME_SEAT_TEXT];
    text_buf result = {0};
    int turning = 0;
    cli_print("%s: %s (1) against %s (2), judged by %s\n", session_game(s)->title, session_name(s, 0),
              session_name(s, 1), session_helper(s));
    printf("%4s %-16s %7s %7s\n", "", "move", "loss", r->n > 0 && r->moves[0].has_margin ? "margin" : "");
    for (int i = 0; i < r->n; i++) {
        print_move(s, &r->moves[i]);
        turning += r->moves[i].turning;
    }
    printf("\n");
    for (int i = 0; i < 2; i++)
        cli_print("%s (%s): %.1f%% lost per move, %d ?!, %d ?, %d ??\n", session_name(s, i),
                  game_seat_name(session_game(s), i, false, name), 100 * r->mean_loss[i], r->marks[i][MARK_DUBIOUS],
                  r->marks[i][MARK_MISTAKE], r->marks[i][MARK_BLUNDER]);
    printf("%d turning point%s", turning, turning == 1 ? "" : "s");
    for (int i = 0, k = 0; i < r->n; i++)
        if (r->moves[i].turning) printf("%s move %d", k++ ? "," : ":", i + 1);
    session_goto(s, session_main_end(s));
    session_result_text(s, &result);
    cli_print("\nresult: %s\n", text_str(&result));
    text_free(&result);
}

static void print_json(session *s, const session_review *r)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, true);
    session_review_json(s, r, &w);
    json_finish(&w);
    printf("%s", text_str(&t));
    text_free(&t);
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g = NULL;
    session *s = NULL;
    session_review r = {0};
    err e = o->game != NULL ? game_find(o->game, &g) : ERR_OK;
    if (e == ERR_OK) e = play_load(o->file, g, o->settings, (game_key){(uint64_t)o->seed, 0}, (int)o->number - 1, &s);
    if (e == ERR_OK) e = session_set_helper(s, o->agent != NULL ? o->agent : session_reviewer(session_game(s)));
    if (e == ERR_OK) {
        static const agent_watch watch = {.stop = {wants_stop, NULL}};
        stop_install(NULL);
        session_watch(s, &watch);
        progress *p = progress_new(&(progress_options){
            .label = "review", .unit = "moves", .total = 1, .quiet = o->all.quiet, .color = o->all.color});
        e = session_review_run(s, each, p, &r);
        progress_finish(p);
    }
    if (e == ERR_OK && o->json)
        print_json(s, &r);
    else if (e == ERR_OK)
        print_text(s, &r);
    if (e == ERR_OK && o->save != NULL) e = play_save(s, o->save);
    int status = e == ERR_OK ? 0 : cli_fail("review");
    session_review_free(&r);
    session_close(s);
    return status;
}

const command cmd_review = {
    .name = "review",
    .summary = "show what each move of a game cost",
    .about =
        "Lets an agent look at every position of a finished or unfinished game and prints, for each move, the expected "
        "score that it lost against the agent's best move (100% is the whole point) and, where the agent knows one, "
        "the margin in discs. Marks: ?! loses 5%, ? 12%, ?? 25% or more. A turning point is a mistake after which "
        "another side is ahead, or nobody any more. Values are those of the agent: a stronger one judges better.",
    .examples = "keiko review game.sgf\n"
                "keiko review game.ggf --agent alphabeta:depth=14\n"
                "keiko review moves.txt --game renju --json",
    .args = args,
    .n_args = COUNT(args),
    .opts = opts,
    .n_opts = COUNT(opts),
    .size = sizeof(options),
    .run = run,
};
