// GTP, version 2: any game, any agent. Black is the first seat.
//
// The standard commands, set_game and list_games as Othello programs have them, keiko-position to set up a board, and the
// analysis commands of Leela Zero and KataGo (server_gtp_analyse.c).
// A colour that is not to move gets a clear error, except that a forced pass is played for it: many programs leave it out.
#include "agents/protocol.h"
#include "app/server_inner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct call {
    server *s;
    const char *id;   // as sent, "" = none
    const char *args; // rest of the line
    text_buf *out;
    bool quit;
} call;

static void ok(call *c, const char *text)
{
    text_printf(c->out, "=%s%s%s\n\n", c->id, text[0] ? " " : "", text);
}

static void no(call *c, const char *text)
{
    text_printf(c->out, "?%s %s\n\n", c->id, text);
}

static void answer(call *c, err e)
{
    if (e == ERR_OK)
        ok(c, "");
    else
        no(c, err_text());
}

// The next word of the arguments, lower-cased; "" at the end.
static void word(call *c, char *buf, size_t n)
{
    size_t k = 0;
    c->args += strspn(c->args, " ");
    while (*c->args && *c->args != ' ') {
        if (k + 1 < n) buf[k++] = (char)tolower((unsigned char)*c->args);
        c->args++;
    }
    buf[k] = 0;
    c->args += strspn(c->args, " ");
}

static err integer(call *c, const char *what, long low, long high, long *out)
{
    char w[32], *end;
    word(c, w, sizeof w);
    *out = strtol(w, &end, 10);
    if (w[0] == 0 || *end != 0 || *out < low || *out > high)
        return err_set(ERR_USAGE, "%s must be a whole number from %ld to %ld", what, low, high);
    return ERR_OK;
}

static err colour(call *c, int *seat)
{
    char w[32];
    word(c, w, sizeof w);
    if (strcmp(w, "b") == 0 || strcmp(w, "black") == 0)
        *seat = 0;
    else if (strcmp(w, "w") == 0 || strcmp(w, "white") == 0)
        *seat = 1;
    else
        return err_set(ERR_USAGE, "expected a colour, black or white");
    return ERR_OK;
}

static err take_turn(call *c, int seat)
{
    server *s = c->s;
    const game *g = server_game(s);
    if (server_over(s)) return err_set(ERR_USAGE, "the game is over");
    if (session_seat(s->game) == seat) return ERR_OK;
    // The other side is to move. If all it can do is pass, it does.
    move_t *moves = malloc((size_t)g->max_legal * sizeof *moves);
    char text[64] = "";
    if (moves != NULL && session_legal(s->game, moves) == 1) session_choice_text(s->game, moves[0], text, sizeof text);
    move_t only = moves == NULL ? MOVE_NONE : moves[0];
    free(moves);
    if (strcmp(text, "pass") == 0) return session_play(s->game, only, NULL);
    return err_set(ERR_USAGE, "it is %s's turn", seat == 0 ? "white" : "black");
}

// Was the last move a pass by this side, played for it by take_turn?
static bool has_passed(server *s, int seat)
{
    int at = session_at(s->game);
    const session_node *n = session_node_of(s->game, at);
    char last[64];
    if (n->parent == SESSION_NONE || session_seat(s->game) == seat) return false;
    session_move_text(s->game, at, last, sizeof last);
    return strcmp(last, "pass") == 0 && server_game(s)->seat(session_state(s->game, n->parent)) == seat;
}

static void do_play(call *c)
{
    int seat = 0;
    move_t m;
    server *s = c->s;
    err e = colour(c, &seat);
    char first[64];
    const char *rest = c->args;
    word(c, first, sizeof first);
    // A pass for the side whose forced pass was already played is accepted once more.
    if (e == ERR_OK && strcmp(first, "pass") == 0 && has_passed(s, seat)) {
        ok(c, "");
        return;
    }
    if (e == ERR_OK) e = take_turn(c, seat);
    if (e == ERR_OK) e = gtp_parse(server_game(s), server_obs(s), rest, &m);
    if (e == ERR_OK) e = session_play(s->game, m, NULL);
    if (e == ERR_OK)
        ok(c, "");
    else if (e == ERR_USAGE || e == ERR_PARSE)
        text_printf(c->out, "?%s illegal move: %s\n\n", c->id, err_text());
    else
        no(c, err_text());
}

static void generate(call *c, bool keep)
{
    int seat = 0;
    agent_choice choice = {0};
    char text[256];
    server *s = c->s;
    err e = colour(c, &seat);
    if (e == ERR_OK) e = take_turn(c, seat);
    if (e == ERR_OK) e = server_choose(s, &choice);
    if (e == ERR_OK) {
        gtp_print(server_game(s), server_obs(s), choice.move, text, sizeof text);
        if (keep) e = session_play(s->game, choice.move, NULL);
    }
    if (e == ERR_OK)
        ok(c, text);
    else if (choice.resigns)
        ok(c, "resign");
    else
        no(c, err_text());
}

static void do_genmove(call *c)
{
    generate(c, true);
}

static void do_reg_genmove(call *c)
{
    generate(c, false);
}

// [colour] [interval] {interval N | minmoves N | maxmoves N | further words of KataGo's with a value, which change nothing}
static err analysis_words(call *c, int mode)
{
    static const char *const known[] = {"ownership",    "movesownership", "ownershipstdev",      "pvvisits",
                                        "pvedgevisits", "rootinfo",       "movesownershipstdev", "noresultvalue"};
    server *s = c->s;
    int seat = session_seat(s->game);
    char w[40];
    err e = ERR_OK;
    s->mode = mode;
    s->wanted = 10;
    s->interval = 0.5;
    if (c->args[0] != 0 && strchr("bBwW", c->args[0]) != NULL) e = colour(c, &seat);
    if (e == ERR_OK) e = take_turn(c, seat);
    while (e == ERR_OK && c->args[0] != 0) {
        long n = 0;
        bool number = strchr("0123456789.", c->args[0]) != NULL, found = false;
        if (!number) word(c, w, sizeof w);
        if (number || strcmp(w, "interval") == 0) {
            e = integer(c, "the interval", 0, 1000000, &n);
            s->interval = (double)n / 100;
        } else if (strcmp(w, "minmoves") == 0) {
            e = integer(c, w, 0, 100000, &n);
        } else if (strcmp(w, "maxmoves") == 0) {
            e = integer(c, w, 1, 100000, &n);
            s->wanted = (int)n;
        } else {
            for (size_t i = 0; i < sizeof known / sizeof *known; i++) found = found || strcmp(known[i], w) == 0;
            if (!found) return err_set(ERR_USAGE, "'%s' is not known in an analysis", w);
            word(c, w, sizeof w);
        }
    }
    if (s->wanted > server_game(s)->max_legal) s->wanted = server_game(s)->max_legal;
    return e;
}

static void analyse(call *c, int mode)
{
    err e = analysis_words(c, mode);
    if (e == ERR_OK) {
        text_printf(c->out, "=%s\n", c->id);
        server_flush(c->s);
        (void)server_analyse_on(c->s); // the answer has begun: a failure just ends it
        text_append(c->out, "\n");
    } else {
        no(c, err_text());
    }
}

static void genmove_analyse(call *c, int mode)
{
    agent_choice choice = {0};
    char text[256];
    server *s = c->s;
    err e = analysis_words(c, mode);
    if (e != ERR_OK) {
        no(c, err_text());
        return;
    }
    text_printf(c->out, "=%s\n", c->id);
    e = server_choose_aloud(s, &choice);
    if (e == ERR_OK) {
        gtp_print(server_game(s), server_obs(s), choice.move, text, sizeof text);
        e = session_play(s->game, choice.move, NULL);
    }
    if (e == ERR_OK) text_printf(c->out, "play %s\n", text);
    if (e != ERR_OK && choice.resigns) text_append(c->out, "play resign\n");
    text_append(c->out, "\n");
}

static void do_lz_analyze(call *c)
{
    analyse(c, SERVER_LZ);
}

static void do_kata_analyze(call *c)
{
    analyse(c, SERVER_KATA);
}

static void do_lz_genmove(call *c)
{
    genmove_analyse(c, SERVER_LZ);
}

static void do_kata_genmove(call *c)
{
    genmove_analyse(c, SERVER_KATA);
}

static void do_undo(call *c)
{
    if (session_back(c->s->game))
        ok(c, "");
    else
        no(c, "cannot undo");
}

static void do_boardsize(call *c)
{
    long n;
    err e = integer(c, "the size", 1, 100, &n);
    if (e != ERR_OK)
        no(c, err_text());
    else if (n != server_game(c->s)->rows || n != server_game(c->s)->cols)
        no(c, "unacceptable size");
    else
        answer(c, server_new_game(c->s, server_game(c->s), NULL));
}

static void do_clear(call *c)
{
    answer(c, server_new_game(c->s, server_game(c->s), NULL));
}

static void do_komi(call *c)
{
    char w[32], *end;
    word(c, w, sizeof w);
    strtod(w, &end);
    if (w[0] == 0 || *end != 0)
        no(c, "expected a number");
    else
        ok(c, "");
}

static void do_showboard(call *c)
{
    char board[GAME_TEXT];
    session *played = c->s->game;
    session_draw(played, session_at(played), session_seat(played), false, board, sizeof board);
    size_t n = strlen(board);
    while (n > 0 && board[n - 1] == '\n') board[--n] = 0;
    // An empty line would end the answer.
    text_printf(c->out, "=%s\n", c->id);
    for (char *p = board; *p;) {
        size_t k = strcspn(p, "\n");
        text_append_n(c->out, p, k);
        text_append(c->out, k == 0 ? " \n" : "\n");
        p += k + (p[k] == '\n');
    }
    text_append(c->out, "\n");
}

static void do_final_score(call *c)
{
    outcome r = session_outcome(c->s->game);
    if (!r.over)
        no(c, "the game is not over");
    else
        ok(c, r.score[0] > r.score[1] ? "B+1" : r.score[0] < r.score[1] ? "W+1" : "0");
}

static void do_position(call *c)
{
    if (c->args[0] == 0) {
        char text[GAME_TEXT];
        server_game(c->s)->state_print(session_state(c->s->game, session_at(c->s->game)), text, sizeof text);
        ok(c, text);
        return;
    }
    answer(c, server_new_game(c->s, server_game(c->s), c->args));
}

static void do_set_game(call *c)
{
    char w[64];
    const game *g;
    word(c, w, sizeof w);
    err e = game_find(w, &g);
    if (e == ERR_OK) e = server_new_game(c->s, g, NULL);
    answer(c, e);
}

static void do_list_games(call *c)
{
    text_printf(c->out, "=%s", c->id);
    for (int i = 0; i < game_count(); i++) text_printf(c->out, "%s%s", i ? "\n" : " ", game_at(i)->name);
    text_append(c->out, "\n\n");
}

static void do_time_settings(call *c)
{
    long main_time = 0, byo = 0, stones = 0;
    err e = integer(c, "the main time", 0, 1000000, &main_time);
    if (e == ERR_OK) e = integer(c, "the overtime", 0, 1000000, &byo);
    if (e == ERR_OK) e = integer(c, "the moves of an overtime period", 0, 100000, &stones);
    if (e == ERR_OK) {
        session_clock clock = {
            .main = (double)main_time, .period = (double)byo, .period_moves = (int)stones, .told = true};
        for (int i = 0; i < 2; i++) session_set_clock(c->s->game, i, &clock);
    }
    answer(c, e);
}

static void do_time_left(call *c)
{
    int seat = 0;
    long seconds = 0, stones = 0;
    err e = colour(c, &seat);
    if (e == ERR_OK) e = integer(c, "the time", 0, 1000000, &seconds);
    if (e == ERR_OK) e = integer(c, "the moves", 0, 100000, &stones);
    if (e == ERR_OK) session_tell_clock(c->s->game, seat, seconds > 0 ? (double)seconds : 0.01, (int)stones);
    answer(c, e);
}

static void do_protocol_version(call *c)
{
    ok(c, "2");
}

static void do_name(call *c)
{
    ok(c, "keiko");
}

static void do_version(call *c)
{
    char text[SESSION_SPEC + 64];
    snprintf(text, sizeof text, "%s%s%s", c->s->version, c->s->version[0] ? " " : "", session_helper(c->s->game));
    ok(c, text);
}

static void do_quit(call *c)
{
    ok(c, "");
    c->quit = true;
}

static void do_known(call *c);
static void do_list(call *c);

static const struct {
    const char *name;
    void (*run)(call *c);
} commands[] = {
    {"protocol_version", do_protocol_version},
    {"name", do_name},
    {"version", do_version},
    {"known_command", do_known},
    {"list_commands", do_list},
    {"quit", do_quit},
    {"boardsize", do_boardsize},
    {"clear_board", do_clear},
    {"komi", do_komi},
    {"play", do_play},
    {"genmove", do_genmove},
    {"reg_genmove", do_reg_genmove},
    {"undo", do_undo},
    {"showboard", do_showboard},
    {"final_score", do_final_score},
    {"time_settings", do_time_settings},
    {"time_left", do_time_left},
    {"set_game", do_set_game},
    {"list_games", do_list_games},
    {"keiko-position", do_position},
    {"lz-analyze", do_lz_analyze},
    {"kata-analyze", do_kata_analyze},
    {"lz-genmove_analyze", do_lz_genmove},
    {"kata-genmove_analyze", do_kata_genmove},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void do_known(call *c)
{
    char w[64];
    bool found = false;
    word(c, w, sizeof w);
    for (int i = 0; i < N_COMMANDS; i++) found = found || strcmp(commands[i].name, w) == 0;
    ok(c, found ? "true" : "false");
}

static void do_list(call *c)
{
    text_printf(c->out, "=%s", c->id);
    for (int i = 0; i < N_COMMANDS; i++) text_printf(c->out, "%s%s", i ? "\n" : " ", commands[i].name);
    text_append(c->out, "\n\n");
}

// The clean-up GTP asks for: control characters go, tabs become spaces, # begins a comment.
static void clean(const char *line, char *out, size_t n)
{
    size_t k = 0;
    for (const char *p = line; *p && *p != '#' && k + 1 < n; p++) {
        if (*p == '\t')
            out[k++] = ' ';
        else if ((unsigned char)*p >= 32 && *p != 127)
            out[k++] = *p;
    }
    while (k > 0 && out[k - 1] == ' ') k--;
    out[k] = 0;
}

static bool gtp_line(server *s, const char *line, text_buf *out)
{
    char text[GAME_TEXT + 64], id[32] = "", name[64];
    clean(line, text, sizeof text);
    call c = {.s = s, .id = id, .args = text, .out = out};
    c.args += strspn(c.args, " ");
    size_t digits = strspn(c.args, "0123456789");
    if (digits > 0 && digits < sizeof id && (c.args[digits] == ' ' || c.args[digits] == 0)) {
        memcpy(id, c.args, digits);
        id[digits] = 0;
        c.args += digits;
    }
    word(&c, name, sizeof name);
    if (name[0] == 0) return true;
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, name) != 0) continue;
        commands[i].run(&c);
        return !c.quit;
    }
    no(&c, "unknown command");
    return true;
}

const protocol protocol_gtp = {.name = "gtp", .line = gtp_line};
