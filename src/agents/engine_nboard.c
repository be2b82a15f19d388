// An Othello program that speaks NBoard, as a player.
#include "agents/engine.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

// Everything sent before is taken in once the engine answers a ping.
static err synchronise(agent *a, double until)
{
    engine_mind *m = a->mind;
    char line[512];
    unsigned n = ++m->pings, got;
    err e = engine_write(a, "ping %u", n);
    while (e == ERR_OK) {
        e = engine_read(a, until, line, sizeof line);
        if (e == ERR_OK && sscanf(line, "pong %u", &got) == 1 && got == n) break;
    }
    return err_prefix(e, "ping");
}

// The position as a game without moves: whatever the engine thought before, it now knows this.
static err give_game(agent *a, const void *state)
{
    char ggf[GAME_TEXT];
    int n = a->g->formats->ggf(state, ggf, sizeof ggf);
    if (n < 0 || (size_t)n >= sizeof ggf) return err_set(ERR_LIMIT, "the position is too long for GGF");
    return engine_write(a, "set game %s", ggf);
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    engine_mind *m = a->mind;
    const engine_params *p = a->params;
    char line[512];
    double until = clock_seconds() + p->timeout;
    err e = ERR_OK;
    if (m->fresh) {
        e = engine_write(a, "nboard 2");
        if (e == ERR_OK && p->depth > 0) e = engine_write(a, "set depth %d", (int)p->depth);
    }
    if (e == ERR_OK) e = give_game(a, obs);
    if (e == ERR_OK) e = synchronise(a, until);
    if (e == ERR_OK) e = engine_write(a, "go");
    while (e == ERR_OK) {
        e = engine_read(a, until, line, sizeof line);
        if (e == ERR_OK && strncmp(line, "===", 3) == 0) break;
    }
    if (e != ERR_OK) return err_prefix(e, "go");
    char move[32];
    const char *from = line + 3 + strspn(line + 3, " ");
    snprintf(move, sizeof move, "%.*s", (int)strcspn(from, "/ \t"), from); // MOVE/EVALUATION/SECONDS
    return err_prefix(a->g->move_parse(obs, move, &out->move), "answered '%.40s'", line);
}

const engine_protocol engine_nboard = {choose};
