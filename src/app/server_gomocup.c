// The Gomocup (Piskvork) protocol: renju, gomoku and freestyle for tournament managers.
//
// The manager sends coordinates "x,y" from the top left, and INFO lines at any time. The rule and the size choose among our
// tables: 15 x 15 freestyle, standard or renju, 20 x 20 freestyle. A board comes as a list of stones without a safe order,
// so it is set up, not replayed: a renju move that is legal in one order may be a foul in another.
#include "app/server_inner.h"
#include "app/session_swap2.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, BOARD, SWAP2 }; // what the lines before DONE belong to
static bool knows(const game *g)
{
    return g->core == CORE_STONES && g->formats != NULL && g->formats->gomocup != NULL;
}

// The number of a game's rule in INFO rule. 0 is freestyle: five or more in a row win.
static int rule_of(const game *g)
{
    return atoi(g->formats->gomocup);
}

static err table_for(int size, int rule, const game **out)
{
    bool known = false;
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        if (!knows(g) || rule_of(g) != rule) continue;
        known = true;
        if (g->cols != size) continue;
        *out = g;
        return ERR_OK;
    }
    if (known) return err_set(ERR_USAGE, "size %d with this rule is not supported; 15, or 20 for freestyle, are", size);
    return err_set(ERR_USAGE, "rule %d is not supported; 0 (five or more), 1 (exactly five) and 4 (renju) are", rule);
}

static void refuse(text_buf *out)
{
    text_printf(out, "ERROR %s\n", err_text());
}

// "x,y" with nothing behind it but `more`.
static err point(const server *s, const char *text, const char *more, move_t *m, const char **rest)
{
    int x, y, used = 0;
    if (sscanf(text, " %d , %d%n", &x, &y, &used) != 2 || used == 0) return err_parse(text, 0, "expected x,y");
    if (x < 0 || y < 0 || x >= server_game(s)->cols || y >= server_game(s)->rows)
        return err_parse(text, 0, "%d,%d is outside the board", x, y);
    const char *p = text + used + strspn(text + used, " \t");
    if (*p != 0 && strchr(more, *p) == NULL) return err_parse(text, (size_t)(p - text), "expected the end of x,y");
    *m = (move_t)(y * server_game(s)->cols + x);
    if (rest != NULL) *rest = p;
    return ERR_OK;
}

static err put(server *s, move_t m)
{
    if (server_over(s)) return err_set(ERR_USAGE, "the game is over");
    if (session_play(s->game, m, NULL) != ERR_OK) return err_set(ERR_USAGE, "the point is taken");
    return ERR_OK;
}

// The manager keeps our clock: the time left for the game, and the most for a move. We may have either colour.
static void set_clock(server *s, const session_clock *c)
{
    for (int i = 0; i < 2; i++) {
        double left = c->left;
        session_set_clock(s->game, i, c);
        session_tell_clock(s->game, i, left, 0);
    }
}

// Our move: chosen, played, answered.
static void answer_move(server *s, text_buf *out)
{
    agent_choice c;
    err e = server_choose(s, &c);
    if (e == ERR_OK) e = session_play(s->game, c.move, NULL);
    if (e != ERR_OK)
        refuse(out);
    else
        text_printf(out, "%d,%d\n", c.move % server_game(s)->cols, c.move / server_game(s)->cols);
}

static void do_start(server *s, int width, int height, text_buf *out)
{
    const game *g;
    err e = width != height ? err_set(ERR_USAGE, "only square boards are supported") : ERR_OK;
    if (e == ERR_OK) e = table_for(width, rule_of(server_game(s)), &g);
    // A manager may send the size before the rule: freestyle is then meant.
    if (e != ERR_OK && width == height) e = table_for(width, 0, &g);
    if (e == ERR_OK) e = server_new_game(s, g, NULL);
    if (e != ERR_OK)
        refuse(out);
    else
        text_append(out, "OK\n");
}

static void do_info(server *s, const char *rest, text_buf *out)
{
    char key[32];
    double value;
    if (sscanf(rest, "%31s %lf", key, &value) != 2) return; // folder, evaluate and the like: not for us
    session_clock c = *session_clock_of(s->game, 0);
    if (strcmp(key, "timeout_turn") == 0) {
        c.turn = value > 0 ? value / 1000.0 : 0;
        set_clock(s, &c);
    } else if (strcmp(key, "timeout_match") == 0) {
        c.main = value > 0 ? value / 1000.0 : 0;
        if (c.main <= 0) c.left = 0;
        set_clock(s, &c);
    } else if (strcmp(key, "time_left") == 0) {
        c.left = c.main > 0 ? (value > 0 ? value / 1000.0 : 0.01) : 0;
        set_clock(s, &c);
    } else if (strcmp(key, "rule") == 0) {
        const game *g;
        int rule = value >= 0 && value < 100 ? (int)value : -1; // any number may come
        if (table_for(server_game(s)->rows, rule, &g) != ERR_OK)
            refuse(out);
        else if (g != server_game(s) && session_ply(s->game) > 0)
            text_append(out, "ERROR the rule cannot change during a game\n");
        else if (g != server_game(s) && server_new_game(s, g, NULL) != ERR_OK)
            refuse(out);
    }
    // max_memory and game_type need no answer: our searches stay far below any manager's limit.
}

// The gathered lines "x,y,who" (BOARD) or "x,y" (SWAP2BOARD) as a position with us to move.
static err set_up(server *s, int *stones)
{
    char cells[400], text[GAME_TEXT];
    int size = server_game(s)->cols, own = 0, other = 0, n = 0;
    memset(cells, 0, sizeof cells);
    for (const char *p = text_str(&s->gathered); *p;) {
        char line[64];
        size_t k = strcspn(p, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(k < 63 ? k : 63), p);
        p += k + (p[k] == '\n');
        move_t m;
        const char *rest;
        err e = point(s, line, ",", &m, &rest);
        if (e != ERR_OK) return e;
        int who = s->mode == SWAP2 ? 1 + n % 2 : atoi(rest + 1);
        if (who < 1 || who > 2 || (s->mode == BOARD && *rest != ','))
            return err_set(ERR_PARSE, "expected x,y,1 for own stones and x,y,2 for the opponent's, not '%s'", line);
        if (cells[m] != 0) return err_set(ERR_PARSE, "'%s': two stones on one point", line);
        cells[m] = (char)who;
        if (who == 1)
            own++;
        else
            other++;
        n++;
    }
    // In SWAP2 stone 1 is black's. Otherwise the side to move is black when both have as many stones.
    bool one_is_black = s->mode == SWAP2 || own == other;
    int black = one_is_black ? own : other, white = n - black;
    if (black - white != 0 && black - white != 1)
        return err_set(ERR_USAGE, "%d stones against %d are no position of a game", own, other);
    size_t at = 0;
    for (int y = 0; y < size; y++) {
        if (y > 0) text[at++] = '/';
        for (int x = 0; x < size; x++) {
            char c = cells[y * size + x];
            text[at++] = c == 0 ? '.' : (c == 1) == one_is_black ? 'X' : 'O';
        }
    }
    snprintf(text + at, sizeof text - at, " %c -", black == white ? 'b' : 'w');
    *stones = n;
    return server_new_game(s, server_game(s), text);
}

// The last n moves of the line: "x,y x,y".
static void print_last(server *s, int n, text_buf *out)
{
    int at[SWAP2_FIRST], k = 0, cols = server_game(s)->cols;
    for (int node = session_at(s->game); k < n; node = session_node_of(s->game, node)->parent) at[k++] = node;
    while (k-- > 0) {
        move_t m = session_node_of(s->game, at[k])->move;
        text_printf(out, "%d,%d%s", m % cols, m / cols, k > 0 ? " " : "\n");
    }
}

static void do_swap2(server *s, text_buf *out)
{
    int n;
    agent_choice c;
    swap2_choice choice;
    err e = set_up(s, &n);
    if (e == ERR_OK && n != 0 && n != SWAP2_FIRST && n != SWAP2_ALL) {
        text_printf(out, "ERROR swap2 has 0, 3 or 5 stones, not %d\n", n);
        return;
    }
    if (e == ERR_OK && n == 0) {
        e = server_new_game(s, server_game(s), NULL);
        if (e == ERR_OK) e = swap2_open(s->game);
        if (e == ERR_OK) print_last(s, SWAP2_FIRST, out);
    } else if (e == ERR_OK) {
        e = swap2_choose(s->game, n, &choice, &c);
        if (e == ERR_OK && choice == SWAP2_BLACK) {
            text_append(out, "SWAP\n");
            return;
        }
        if (e == ERR_OK) e = choice == SWAP2_TWO ? swap2_two(s->game) : session_play(s->game, c.move, NULL);
        if (e == ERR_OK) print_last(s, choice == SWAP2_TWO ? 2 : 1, out);
    }
    if (e != ERR_OK) refuse(out);
}

static void gather(server *s, const char *line, text_buf *out)
{
    int n;
    if (strncmp(line, "DONE", 4) != 0) {
        if (s->gathered_lines++ < 400) text_printf(&s->gathered, "%s\n", line);
        return;
    }
    if (s->mode == SWAP2)
        do_swap2(s, out);
    else if (set_up(s, &n) != ERR_OK)
        refuse(out);
    else
        answer_move(s, out);
    s->mode = NONE;
}

static void start_gathering(server *s, int mode)
{
    s->mode = mode;
    s->gathered_lines = 0;
    text_clear(&s->gathered);
}

// Only the last move can be taken back, as the protocol says; the board is what counts, not whose move it was.
static void do_takeback(server *s, const char *rest, text_buf *out)
{
    move_t m;
    if (point(s, rest, "", &m, NULL) != ERR_OK)
        refuse(out);
    else if (session_ply(s->game) == 0 || session_node_of(s->game, session_at(s->game))->move != m)
        text_append(out, "ERROR that was not the last move\n");
    else {
        session_back(s->game);
        text_append(out, "OK\n");
    }
}

static bool gomocup_line(server *s, const char *line, text_buf *out)
{
    char word[32];
    int used = 0, w, h;
    move_t m;
    if (sscanf(line, "%31s%n", word, &used) != 1) return true;
    for (char *p = word; *p; p++) *p = (char)toupper((unsigned char)*p);
    const char *rest = line + used + strspn(line + used, " \t");
    if (strcmp(word, "END") == 0) return false;
    if (strcmp(word, "INFO") == 0) {
        do_info(s, rest, out);
    } else if (s->mode != NONE) {
        gather(s, line, out);
    } else if (strcmp(word, "START") == 0) {
        do_start(s, atoi(rest), atoi(rest), out);
    } else if (strcmp(word, "RECTSTART") == 0) {
        if (sscanf(rest, "%d , %d", &w, &h) != 2) w = h = -1;
        do_start(s, w, h, out);
    } else if (strcmp(word, "RESTART") == 0) {
        if (server_new_game(s, server_game(s), NULL) != ERR_OK)
            refuse(out);
        else
            text_append(out, "OK\n");
    } else if (strcmp(word, "BEGIN") == 0) {
        if (session_ply(s->game) > 0)
            text_append(out, "ERROR the game has begun\n");
        else
            answer_move(s, out);
    } else if (strcmp(word, "TURN") == 0) {
        err e = point(s, rest, "", &m, NULL);
        if (e == ERR_OK) e = put(s, m);
        if (e != ERR_OK)
            refuse(out);
        else
            answer_move(s, out);
    } else if (strcmp(word, "BOARD") == 0) {
        start_gathering(s, BOARD);
    } else if (strcmp(word, "SWAP2BOARD") == 0) {
        start_gathering(s, SWAP2);
    } else if (strcmp(word, "TAKEBACK") == 0) {
        do_takeback(s, rest, out);
    } else if (strcmp(word, "ABOUT") == 0) {
        text_printf(out, "name=\"keiko %s\", version=\"%s\", author=\"the keiko authors\", country=\"JP\"\n",
                    session_helper_agent(s->game)->type->name, s->version);
    } else {
        text_printf(out, "UNKNOWN %s\n", word);
    }
    return true;
}

const protocol protocol_gomocup = {.name = "gomocup", .serves = knows, .line = gomocup_line};
