// An Othello program that speaks NBoard, as a player.
#include "agents/engine.h"
#include "base/clock.h"
#include "games/othello/oth_ggf.h"

#include <stdio.h>
#include <stdlib.h>
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
static err give_game(agent *a, const oth_state *s)
{
    oth_record *r = malloc(sizeof *r);
    char *ggf = malloc(OTH_GGF_TEXT);
    err e = r == NULL || ggf == NULL ? err_set(ERR_MEMORY, "no memory for a game") : ERR_OK;
    if (e == ERR_OK) {
        oth_record_init(r, s);
        strcpy(r->black, "black");
        strcpy(r->white, "white");
        strcpy(r->type, "8");
        oth_ggf_print(r, ggf, OTH_GGF_TEXT);
        e = engine_write(a, "set game %s", ggf);
    }
    free(ggf);
    free(r);
    return e;
}

static err choose(agent *a, const void *obs, agent_choice *out)
{
    engine_mind *m = a->mind;
    const engine_params *p = a->params;
    const oth_state *s = obs;
    char line[512];
    double until = clock_seconds() + p->timeout;
    err e = ERR_OK;
    if (m->fresh) {
        e = engine_write(a, "nboard 2");
        if (e == ERR_OK && p->depth > 0) e = engine_write(a, "set depth %d", (int)p->depth);
    }
    if (e == ERR_OK) e = give_game(a, s);
    if (e == ERR_OK) e = synchronise(a, until);
    if (e == ERR_OK) e = engine_write(a, "go");
    while (e == ERR_OK) {
        e = engine_read(a, until, line, sizeof line);
        if (e == ERR_OK && strncmp(line, "===", 3) == 0) break;
    }
    if (e != ERR_OK) return err_prefix(e, "go");
    size_t at = 3 + strspn(line + 3, " ");
    int sq;
    e = oth_square_parse(line, &at, &sq);
    if (e != ERR_OK) return err_prefix(e, "answered '%.40s'", line);
    out->move = (move_t)sq;
    return err_prefix(engine_check(a, obs, out->move), "answered '%.40s'", line);
}

const engine_protocol engine_nboard = {choose};
