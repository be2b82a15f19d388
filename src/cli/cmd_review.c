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

// "Black (X)", with the player's name where the file has one.
static void put_player(text_buf *t, session *s, int seat)
{
    char side[GAME_SEAT_TEXT];
    const char *name = session_name(s, seat);
    game_seat_name(session_game(s), seat, false, side);
    if (strcmp(name, "human") == 0)
        text_append(t, side);
    else
        text_printf(t, "%s, %s", name, side);
}

// "Black", or "1" where the seats have no names; and how wide the longer one is.
static int side_word(const game *g, int seat, const char **word)
{
    static const char *const numbers[2] = {"1", "2"};
    int width = 1;
    for (int i = 0; i < 2; i++) {
        const char *name = g->seats[i].name != NULL ? g->seats[i].name : numbers[i];
        int columns = text_columns(name, strlen(name));
        if (i == seat) *word = name;
        if (columns > width) width = columns;
    }
    return width;
}

static void put_move(text_buf *t, session *s, const session_review_move *m)
{
    const char *side = "";
    int width = side_word(session_game(s), m->seat, &side);
    char played[256], best[256], margin[24] = "", loss[24] = "";
    const session_node *n = session_node_of(s, m->node);
    session_move_text(s, m->node, played, sizeof played);
    session_game(s)->move_print(session_seen(s, n->parent, m->seat), m->best, best, sizeof best);
    if (m->has_margin && m->margin_loss > 0) snprintf(margin, sizeof margin, "%.0f", (double)m->margin_loss);
    if (m->loss >= 0.0005f) snprintf(loss, sizeof loss, "%.1f%%", 100 * (double)m->loss);
    text_printf(t, "%3d. %s", n->ply, side);
    text_repeat(t, ' ', width - text_columns(side, strlen(side)));
    text_printf(t, " %-12s%-2s %7s %7s", played, session_mark_text(m->mark), loss, margin);
    if (m->best != m->played) text_printf(t, "  better: %s", best);
    if (m->turning) text_append(t, "   <- turning point");
    while (t->len > 0 && t->data[t->len - 1] == ' ') text_truncate(t, t->len - 1);
    text_char(t, '\n');
}

static void print_text(session *s, const session_review *r)
{
    text_buf t = {0};
    int turning = 0;
    const char *side = "";
    int width = side_word(session_game(s), 0, &side);
    text_printf(&t, "%s, judged by %s\n", session_game(s)->title, session_helper(s));
    for (int i = 0; i < 2; i++) {
        text_append(&t, "  ");
        put_player(&t, s, i);
        text_printf(&t, ": %.1f%% lost per move, %d ?!, %d ?, %d ??\n", 100 * r->mean_loss[i],
                    r->marks[i][MARK_DUBIOUS], r->marks[i][MARK_MISTAKE], r->marks[i][MARK_BLUNDER]);
    }
    text_printf(&t, "\n%4s %-*s %7s%s\n", "", width + 15, "move", "loss",
                r->n > 0 && r->moves[0].has_margin ? "  margin" : "");
    for (int i = 0; i < r->n; i++) {
        put_move(&t, s, &r->moves[i]);
        turning += r->moves[i].turning;
    }
    text_printf(&t, "\n%d turning point%s", turning, turning == 1 ? "" : "s");
    for (int i = 0, k = 0; i < r->n; i++)
        if (r->moves[i].turning) text_printf(&t, "%s move %d", k++ ? "," : ":", i + 1);
    session_goto(s, session_main_end(s));
    text_append(&t, "\nresult: ");
    session_result_text(s, &t);
    cli_print("%s\n", text_str(&t));
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
        print_text(s, &r);
    if (e == ERR_OK && o->save != NULL) e = game_file_save(s, o->save);
    int status = e == ERR_OK ? 0 : cli_fail("review");
    session_review_free(&r);
    session_close(s);
    return status;
}

const command cmd_review = {
    CALLED("review", "Show each move's loss and the turning points of a game"),
    .about =
        "Lets an agent look at every position of a finished or unfinished game and prints, for each move, the expected score that it lost against the agent's best move (100% is the whole point) and, where the agent knows one, the margin in discs. Marks: ?! loses 5%, ? 12%, ?? 25% or more. A turning point is a mistake after which another side is ahead, or nobody any more. Values are those of the agent: a stronger one judges better.",
    .examples = "keiko review game.sgf\n"
                "keiko review game.ggf --agent alphabeta:depth=14\n"
                "keiko review moves.txt --game renju --json",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
