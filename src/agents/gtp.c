// GTP, version 2: any game, any agent. Black is the first seat.
//
// The standard commands, set_game and list_games as Othello programs have them, and keiko-position to set up a board.
// A colour that is not to move gets a clear error, except that a forced pass is played for it: many programs leave it out.
#include "agents/server.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One square a move, on a board where GTP's letters differ from ours?
static bool squares(const game *g)
{
    return g->n_moves == g->rows * g->cols && g->cols > 8;
}

int gtp_print(const game *g, const void *obs, move_t m, char *buf, size_t n)
{
    if (!squares(g)) return g->move_print(obs, m, buf, n);
    int x = m % g->cols, y = m / g->cols;
    return snprintf(buf, n, "%c%d", 'A' + x + (x >= 8), g->rows - y);
}

err gtp_parse(const game *g, const void *obs, const char *text, move_t *m)
{
    char word[64];
    if (strlen(text) >= sizeof word) return err_parse(text, 0, "expected a move");
    strcpy(word, text);
    for (char *p = word; *p; p++) *p = (char)tolower((unsigned char)*p);
    if (!squares(g) || !isalpha((unsigned char)word[0])) return g->move_parse(obs, word, m);
    if (word[0] == 'i') return err_parse(text, 0, "GTP has no column I");
    if (word[0] > 'i') word[0]--; // our own letters leave nothing out
    err e = g->move_parse(obs, word, m);
    // The sentence would name a point that was not typed.
    if (e == ERR_PARSE) return err_parse(text, 0, "expected a point A1 to %c%d", 'A' + g->cols, g->rows);
    return e == ERR_OK ? e : err_set(e, "%s cannot be played", text);
}

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
    const void *now = history_now(&s->h);
    if (s->g->result(now).over) return err_set(ERR_USAGE, "the game is over");
    if (s->g->seat(now) == seat) return ERR_OK;
    // The other side is to move. If all it can do is pass, it does.
    move_t *moves = malloc((size_t)s->g->max_legal * sizeof *moves);
    char text[64] = "";
    if (moves != NULL && s->g->legal(now, moves) == 1) s->g->move_print(server_obs(s), moves[0], text, sizeof text);
    move_t only = moves == NULL ? MOVE_NONE : moves[0];
    free(moves);
    if (strcmp(text, "pass") == 0) return server_play(s, only);
    return err_set(ERR_USAGE, "it is %s's turn", seat == 0 ? "white" : "black");
}

static void do_play(call *c)
{
    int seat = 0;
    move_t m;
    err e = colour(c, &seat);
    char first[64];
    const char *rest = c->args;
    word(c, first, sizeof first);
    // A pass for the side whose forced pass was already played is accepted once more.
    bool pass = strcmp(first, "pass") == 0;
    server *s = c->s;
    if (e == ERR_OK && pass && s->h.ply > 0 && s->g->seat(history_now(&s->h)) != seat) {
        char last[64];
        const void *before = history_at(&s->h, s->h.ply - 1);
        game_observe(s->g, before, s->g->seat(before), s->obs);
        s->g->move_print(s->obs, s->h.moves[s->h.ply - 1], last, sizeof last);
        if (strcmp(last, "pass") == 0 && s->g->seat(before) == seat) {
            ok(c, "");
            return;
        }
    }
    if (e == ERR_OK) e = take_turn(c, seat);
    if (e == ERR_OK) e = gtp_parse(s->g, server_obs(s), rest, &m);
    if (e == ERR_OK) e = server_play(s, m);
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
    agent_choice choice;
    char text[256];
    server *s = c->s;
    err e = colour(c, &seat);
    if (e == ERR_OK) e = take_turn(c, seat);
    if (e == ERR_OK) {
        s->player->clock = (agent_clock){.left = s->left[seat], .moves_left = s->left_moves[seat]};
        e = server_choose(s, &choice);
    }
    if (e != ERR_OK) {
        no(c, err_text());
        return;
    }
    gtp_print(s->g, server_obs(s), choice.move, text, sizeof text);
    if (keep) e = server_play(s, choice.move);
    if (e == ERR_OK)
        ok(c, text);
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

static void do_undo(call *c)
{
    if (server_undo(c->s))
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
    else if (n != c->s->g->rows || n != c->s->g->cols)
        no(c, "unacceptable size");
    else
        answer(c, server_new_game(c->s, c->s->g, NULL));
}

static void do_clear(call *c)
{
    answer(c, server_new_game(c->s, c->s->g, NULL));
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
    c->s->g->draw(server_obs(c->s), MOVE_NONE, false, board, sizeof board);
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
    outcome r = c->s->g->result(history_now(&c->s->h));
    if (!r.over)
        no(c, "the game is not over");
    else
        ok(c, r.score[0] > r.score[1] ? "B+1" : r.score[0] < r.score[1] ? "W+1" : "0");
}

static void do_position(call *c)
{
    if (c->args[0] == 0) {
        char text[GAME_TEXT];
        c->s->g->state_print(history_now(&c->s->h), text, sizeof text);
        ok(c, text);
        return;
    }
    answer(c, server_new_game(c->s, c->s->g, c->args));
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
        server *s = c->s;
        s->main_time = (double)main_time;
        s->byo_time = (double)byo;
        s->byo_moves = (int)stones;
        for (int i = 0; i < 2; i++) {
            s->left[i] = main_time > 0 ? (double)main_time : stones > 0 ? (double)byo : 0;
            s->left_moves[i] = main_time > 0 ? 0 : (int)stones;
        }
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
    if (e == ERR_OK) {
        c->s->left[seat] = seconds > 0 ? (double)seconds : 0.01;
        c->s->left_moves[seat] = (int)stones;
    }
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
    ok(c, c->s->player->spec);
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

const protocol protocol_gtp = {.name = "gtp", .games = "", .line = gtp_line};
