// The agent `engine`: starts the program, queues what it must hear, and checks what it says. See engine.h.
#include "agents/engine.h"

#include "agents/protocol.h"
#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const engine_protocol *protocol_of(const agent *a)
{
    const engine_params *p = a->params;
    return p->gtp != NULL ? &engine_gtp : p->nboard != NULL ? &engine_nboard : &engine_gomocup;
}

static const char *command_of(const agent *a)
{
    const engine_params *p = a->params;
    return p->gtp != NULL ? p->gtp : p->nboard != NULL ? p->nboard : p->gomocup;
}

err engine_write(agent *a, const char *fmt, ...)
{
    char line[GAME_TEXT + 128];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof line) return err_set(ERR_LIMIT, "a line for the engine is too long");
    return process_write(engine_of(a)->p, engine_params_of(a)->timeout, line);
}

err engine_read(agent *a, double until, char *line, size_t n)
{
    static const double slice = 0.05; // seconds between two looks at the watcher
    for (double all = until - clock_seconds();;) {
        double left = until - clock_seconds();
        if (agent_stop_of(a) == NULL) return process_read(engine_of(a)->p, left > 0 ? left : 0, line, n);
        err e = process_read(engine_of(a)->p, left > slice ? slice : left > 0 ? left : 0, line, n);
        if (e != ERR_STOPPED) return e;
        if (left <= slice) return err_set(ERR_STOPPED, "no answer within %.1f s", all);
        if (agent_stopped(a) || stop_requested()) return err_set(ERR_STOPPED, "it was not waited for");
    }
}

err engine_check(agent *a, const void *obs, move_t m)
{
    // Only board games come here: the observation is the state.
    move_t *moves = malloc((size_t)a->g->max_legal * sizeof *moves);
    if (moves == NULL) return err_set(ERR_MEMORY, "no memory");
    int n = a->g->legal(obs, moves);
    bool found = false;
    for (int i = 0; i < n; i++) found = found || moves[i] == m;
    free(moves);
    return found ? ERR_OK : err_set(ERR_USAGE, "illegal move");
}

static err engine_open(agent *a)
{
    const engine_params *p = a->params;
    int given = (p->gtp != NULL) + (p->nboard != NULL) + (p->gomocup != NULL);
    if (given != 1) return err_set(ERR_USAGE, "agent '%s': give exactly one of gtp=, nboard=, gomocup=", a->spec);
    if (p->nboard != NULL && strcmp(a->g->name, "othello") != 0)
        return err_set(ERR_USAGE, "agent '%s': NBoard is for othello, not for %s", a->spec, a->g->name);
    bool stones = strcmp(a->g->name, "renju") == 0 || strcmp(a->g->name, "gomoku") == 0 ||
                  strncmp(a->g->name, "freestyle", 9) == 0;
    if (p->gomocup != NULL && !stones)
        return err_set(ERR_USAGE, "agent '%s': Gomocup is for renju and gomoku, not for %s", a->spec, a->g->name);
    return err_prefix(process_find(command_of(a)), "agent '%s'", a->spec);
}

static void engine_close(agent *a)
{
    process_stop(engine_of(a)->p);
    free(engine_of(a)->queue);
}

static void engine_begin(agent *a)
{
    engine_mind *e = a->mind;
    e->fresh = true;
    e->n = 0;
    e->own_known = false;
}

static void engine_saw(agent *a, const void *obs_before, move_t m)
{
    engine_mind *e = a->mind;
    if (a->g->flags & G_HIDDEN) return; // such an engine is given the position instead
    int seat = a->g->seat(obs_before);
    if (e->own_known && seat == a->seat && m == e->own) {
        e->own_known = false;
        return;
    }
    if (e->n == e->room) {
        int room = e->room ? e->room * 2 : 64;
        heard *queue = realloc(e->queue, (size_t)room * sizeof *queue);
        if (queue == NULL) return; // the engine will then be wrong about the position and lose by its own answer
        e->queue = queue;
        e->room = room;
    }
    heard *h = &e->queue[e->n++];
    *h = (heard){.seat = seat, .move = m};
    gtp_print(a->g, obs_before, m, h->text, sizeof h->text);
}

static err engine_choose(agent *a, const void *obs, agent_choice *out)
{
    engine_mind *e = a->mind;
    err r = ERR_OK;
    // A program that died in an earlier game gets a new chance in the next one.
    if (e->fresh && (e->p == NULL || !process_alive(e->p))) {
        process_stop(e->p);
        e->p = NULL;
        e->passes = true;
        r = process_start(&e->p, command_of(a));
    }
    if (r == ERR_OK && e->p == NULL) r = err_set(ERR_IO, "the program is not running");
    if (r == ERR_OK) {
        process_calm(e->p);
        r = protocol_of(a)->choose(a, obs, out);
    }
    if (r == ERR_OK) {
        e->fresh = false;
        e->n = 0;
        e->own = out->move;
        e->own_known = true;
        return ERR_OK;
    }
    // After a failure its state is unknown: the next game starts a new process.
    process_stop(e->p);
    e->p = NULL;
    return err_prefix(r, "engine '%s'", command_of(a));
}

static const opt opts[] = {
    {.name = "gtp",
     .kind = OPT_TEXT,
     .at = offsetof(engine_params, gtp),
     .value = "CMD",
     .help = "a program that speaks GTP"},
    {.name = "nboard",
     .kind = OPT_TEXT,
     .at = offsetof(engine_params, nboard),
     .value = "CMD",
     .help = "an Othello program that speaks NBoard"},
    {.name = "gomocup",
     .kind = OPT_TEXT,
     .at = offsetof(engine_params, gomocup),
     .value = "CMD",
     .help = "a renju or gomoku program that speaks the Gomocup protocol"},
    {.name = "timeout",
     .kind = OPT_NUMBER,
     .at = offsetof(engine_params, timeout),
     .value = "S",
     .preset = "60",
     .low = 0.01,
     .high = 86400,
     .help = "seconds within which it must answer"},
    {.name = "turn",
     .kind = OPT_NUMBER,
     .at = offsetof(engine_params, turn),
     .value = "S",
     .preset = "0",
     .low = 0,
     .high = 86400,
     .help = "seconds a move it is told to use; 0 leaves it to the program"},
    {.name = "depth",
     .kind = OPT_INT,
     .at = offsetof(engine_params, depth),
     .value = "N",
     .preset = "0",
     .low = 0,
     .high = 60,
     .help = "NBoard: the depth it is told to search; 0 leaves it to the program"},
};

const agent_type agent_engine = {
    .name = "engine",
    .summary = "another program, over GTP, NBoard or Gomocup",
    .games = "",
    .opts = opts,
    .n_opts = (int)(sizeof opts / sizeof *opts),
    .params_size = sizeof(engine_params),
    .mind_size = sizeof(engine_mind),
    .open = engine_open,
    .close = engine_close,
    .begin = engine_begin,
    .choose = engine_choose,
    .saw = engine_saw,
};
