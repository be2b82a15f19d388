// A renju or gomoku program that speaks the Gomocup protocol, as a player.
//
// BEGIN and TURN where the program is known to have the position, BOARD where it is not (an opening, a set-up position).
// BOARD lists stones in playing order: programs for renju take the first one as black.
#include "agents/engine.h"
#include "base/clock.h"
#include "games/renju/renju_game.h"

#include <stdio.h>
#include <string.h>

static bool refuses(const char *line)
{
    return strncmp(line, "ERROR", 5) == 0 || strncmp(line, "UNKNOWN", 7) == 0;
}

static bool is_ok(const char *line, int *x, int *y)
{
    (void)x, (void)y;
    return strncmp(line, "OK", 2) == 0;
}

static bool is_point(const char *line, int *x, int *y)
{
    char more;
    return sscanf(line, " %d , %d %c", x, y, &more) == 2;
}

// Reads until a line is the answer. Everything else is chatter, such as the second line of a MESSAGE.
static err answer(agent *a, double until, bool (*fits)(const char *line, int *x, int *y), int *x, int *y)
{
    char line[512], last[81] = "";
    for (;;) {
        err e = engine_read(a, until, line, sizeof line);
        if (e != ERR_OK) return last[0] ? err_prefix(e, "after '%s'", last) : e;
        if (fits(line, x, y)) return ERR_OK;
        if (refuses(line)) return err_set(ERR_USAGE, "answered '%.80s'", line);
        if (line[0] != 0) snprintf(last, sizeof last, "%.80s", line);
    }
}

static err new_game(agent *a, double until)
{
    const engine_params *p = a->params;
    err e = engine_write(a, "START %d", a->g->cols);
    if (e == ERR_OK) e = answer(a, until, is_ok, NULL, NULL);
    if (e == ERR_OK) e = engine_write(a, "INFO rule %s", a->g->formats->gomocup);
    if (e == ERR_OK) e = engine_write(a, "INFO game_type 1");
    if (e == ERR_OK && p->turn > 0) e = engine_write(a, "INFO timeout_turn %d", (int)(p->turn * 1000));
    return err_prefix(e, "START");
}

static bool was_heard(const engine_mind *m, int point)
{
    for (int i = 0; i < m->n; i++)
        if (m->moves[i].move == point) return true;
    return false;
}

// The next stone of a colour that stood there before the first move we heard of, from point *at on; -1 = none.
static int set_up_stone(const engine_mind *m, const rj_state *s, int colour, int points, int *at)
{
    for (; *at < points; ++*at)
        if ((rj_stones(s, colour)[*at / 64] >> (*at % 64) & 1) && !was_heard(m, *at)) return (*at)++;
    return -1;
}

static err send_stone(agent *a, int point, bool own)
{
    int size = a->g->cols;
    return engine_write(a, "%d,%d,%d", point % size, point / size, own ? 1 : 2);
}

// A set-up position comes first, black and white in turn, as if it had been played; then the moves in their order.
static err send_board(agent *a, const rj_state *s)
{
    const engine_mind *m = a->mind;
    int points = a->g->rows * a->g->cols, at[2] = {0, 0}, me = s->side;
    err e = engine_write(a, "BOARD");
    for (int colour = 0, missing = 0; e == ERR_OK && missing < 2; colour = !colour) {
        int point = set_up_stone(m, s, colour, points, &at[colour]);
        missing = point < 0 ? missing + 1 : 0;
        if (point >= 0) e = send_stone(a, point, colour == me);
    }
    for (int i = 0; e == ERR_OK && i < m->n; i++) e = send_stone(a, m->moves[i].move, m->moves[i].seat == me);
    return e == ERR_OK ? engine_write(a, "DONE") : e;
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    engine_mind *m = a->mind;
    const rj_state *s = obs;
    int x, y, size = a->g->cols, stones = rj_stone_count(s), last = m->n > 0 ? m->moves[m->n - 1].move : 0;
    double until = clock_seconds() + engine_params_of(a)->timeout;
    err e = m->fresh ? new_game(a, until) : ERR_OK;
    if (e != ERR_OK) return e;
    if (stones == 0)
        e = engine_write(a, "BEGIN");
    else if (m->n - m->told == 1 && (!m->fresh || stones == 1))
        e = engine_write(a, "TURN %d,%d", last % size, last / size);
    else
        e = send_board(a, s);
    if (e == ERR_OK) e = answer(a, until, is_point, &x, &y);
    if (e != ERR_OK) return e;
    if (x < 0 || y < 0 || x >= size || y >= size)
        return err_set(ERR_USAGE, "answered '%d,%d', which is not on the board", x, y);
    out->move = (move_t)(y * size + x);
    return err_prefix(engine_check(a, obs, out->move), "answered '%d,%d'", x, y);
}

const engine_protocol engine_gomocup = {choose};
