// A renju or gomoku program that speaks the Gomocup protocol, as a player.
//
// BEGIN and TURN where the program is known to have the position, BOARD where it is not (an opening, a set-up position).
#include "agents/engine.h"
#include "base/clock.h"
#include "games/renju/renju_game.h"

#include <stdio.h>
#include <string.h>

// The next line that is an answer: MESSAGE, DEBUG and empty lines are chatter.
static err answer(agent *a, double until, char *line, size_t n)
{
    err e;
    do e = engine_read(a, until, line, n);
    while (e == ERR_OK && (line[0] == 0 || strncmp(line, "MESSAGE", 7) == 0 || strncmp(line, "DEBUG", 5) == 0));
    return e;
}

static err new_game(agent *a, double until)
{
    char line[512];
    const engine_params *p = a->params;
    int rule = strcmp(a->g->name, "renju") == 0 ? 4 : strcmp(a->g->name, "gomoku") == 0 ? 1 : 0;
    err e = engine_write(a, "START %d", a->g->cols);
    if (e == ERR_OK) e = answer(a, until, line, sizeof line);
    if (e == ERR_OK && strncmp(line, "OK", 2) != 0) e = err_set(ERR_USAGE, "START: %.80s", line);
    if (e == ERR_OK) e = engine_write(a, "INFO rule %d", rule);
    if (e == ERR_OK) e = engine_write(a, "INFO game_type 1");
    if (e == ERR_OK && p->turn > 0) e = engine_write(a, "INFO timeout_turn %d", (int)(p->turn * 1000));
    return err_prefix(e, "START");
}

static err send_board(agent *a, const rj_state *s)
{
    int size = a->g->cols, me = s->side;
    err e = engine_write(a, "BOARD");
    for (int p = 0; e == ERR_OK && p < size * size; p++)
        for (int c = 0; c < 2 && e == ERR_OK; c++)
            if (rj_stones(s, c)[p / 64] >> (p % 64) & 1)
                e = engine_write(a, "%d,%d,%d", p % size, p / size, c == me ? 1 : 2);
    return e == ERR_OK ? engine_write(a, "DONE") : e;
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    engine_mind *m = a->mind;
    const rj_state *s = obs;
    char line[512];
    int x, y, size = a->g->cols;
    double until = clock_seconds() + engine_params_of(a)->timeout;
    err e = m->fresh ? new_game(a, until) : ERR_OK;
    if (e != ERR_OK) return e;
    if (rj_stone_count(s) == 0)
        e = engine_write(a, "BEGIN");
    else if (m->n == 1 && (!m->fresh || rj_stone_count(s) == 1))
        e = engine_write(a, "TURN %d,%d", m->queue[0].move % size, m->queue[0].move / size);
    else
        e = send_board(a, s);
    if (e == ERR_OK) e = answer(a, until, line, sizeof line);
    if (e != ERR_OK) return e;
    if (sscanf(line, "%d , %d", &x, &y) != 2 || x < 0 || y < 0 || x >= size || y >= size)
        return err_set(ERR_USAGE, "answered '%.80s'", line);
    out->move = (move_t)(y * size + x);
    return err_prefix(engine_check(a, obs, out->move), "answered '%.40s'", line);
}

const engine_protocol engine_gomocup = {choose};
