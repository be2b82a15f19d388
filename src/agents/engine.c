// The agent `engine`: starts the program, queues what it must hear, and checks what it says. See engine.h.
#include "agents/engine.h"

#include "agents/protocol.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/opt_rows.h"

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
    const engine_link *to = &engine_of(a)->link;
    return to->write(to->ctx, engine_params_of(a)->timeout, line);
}

err engine_read(agent *a, double until, char *line, size_t n)
{
    const engine_link *from = &engine_of(a)->link;
    static const double slice = 0.05; // seconds between two looks at the watcher
    for (double all = until - clock_seconds();;) {
        double left = until - clock_seconds();
        if (agent_stop_of(a) == NULL) return from->read(from->ctx, left > 0 ? left : 0, line, n);
        err e = from->read(from->ctx, left > slice ? slice : left > 0 ? left : 0, line, n);
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

static err write_process(void *ctx, double seconds, const char *line)
{
    engine_mind *m = ctx;
    return process_write(m->p, seconds, line);
}

static err read_process(void *ctx, double seconds, char *line, size_t n)
{
    engine_mind *m = ctx;
    err e = process_read(m->p, seconds, line, n);
    m->heard = m->heard || e == ERR_OK;
    return e;
}

void engine_lend(agent *a, engine_link link)
{
    engine_of(a)->link = link;
    engine_of(a)->lent = engine_of(a)->passes = true;
}

static err engine_open(agent *a)
{
    const engine_params *p = a->params;
    int given = (p->gtp != NULL) + (p->nboard != NULL) + (p->gomocup != NULL);
    if (given != 1) return err_set(ERR_USAGE, "agent '%s': give exactly one of gtp=, nboard=, gomocup=", a->spec);
    static const game_formats unknown;
    const game_formats *f = a->g->formats != NULL ? a->g->formats : &unknown;
    if (p->nboard != NULL && f->ggf == NULL)
        return err_set(ERR_USAGE, "agent '%s': NBoard is for othello, not for %s", a->spec, a->g->name);
    if (p->gomocup != NULL && (f->gomocup == NULL || a->g->core != CORE_STONES))
        return err_set(ERR_USAGE, "agent '%s': Gomocup is for renju and gomoku, not for %s", a->spec, a->g->name);
    return err_prefix(process_find(command_of(a)), "agent '%s'", a->spec);
}

static void engine_close(agent *a)
{
    process_stop(engine_of(a)->p);
    free(engine_of(a)->moves);
}

static void engine_begin(agent *a)
{
    engine_mind *e = a->mind;
    e->fresh = true;
    e->n = e->told = 0;
    e->own_known = false;
}

static void engine_saw(agent *a, const void *obs_before, move_t m)
{
    engine_mind *e = a->mind;
    if (a->g->flags & G_HIDDEN) return; // such an engine is given the position instead
    if (!GROW(e->moves, e->n, e->room))
        return; // the engine will then be wrong about the position and lose by its own answer
    heard *h = &e->moves[e->n++];
    *h = (heard){.seat = a->g->seat(obs_before), .move = m};
    gtp_print(a->g, obs_before, m, h->text, sizeof h->text);
    if (!e->own_known) return;
    e->own_known = false;
    if (h->seat == a->seat && m == e->own)
        e->told = e->n;
    else
        e->fresh = true; // another move was played than it answered: it hears the game again
}

static void end_process(engine_mind *e)
{
    if (e->p != NULL) e->cpu += process_cpu(e->p);
    process_stop(e->p);
    e->p = NULL;
}

static err engine_choose(agent *a, const void *obs, agent_choice *out)
{
    engine_mind *e = a->mind;
    err r = ERR_OK;
    if (e->own_known) e->fresh = true; // it was asked before, and nothing was played since
    if (e->fresh) e->told = 0;
    // A program that died in an earlier game gets a new chance in the next one.
    if (e->fresh && !e->lent && (e->p == NULL || !process_alive(e->p))) {
        end_process(e);
        r = process_start(&e->p, command_of(a));
        if (r == ERR_OK) e->link = (engine_link){write_process, read_process, e};
        e->passes = true;
    }
    if (r == ERR_OK && e->p == NULL && !e->lent) r = err_set(ERR_IO, "the program is not running");
    if (r == ERR_OK) {
        if (e->p != NULL) process_calm(e->p);
        r = protocol_of(a)->choose(a, obs, out);
    }
    if (r == ERR_OK || out->resigns) {
        e->fresh = false;
        e->told = e->n;
        e->own = out->move;
        e->own_known = r == ERR_OK;
        return err_prefix(r, "engine '%s'", command_of(a));
    }
    end_process(e); // after a failure its state is unknown: the next game starts a new process
    if (r == ERR_IO && !e->heard && !e->lent)
        return err_set(ERR_MISSING, "engine '%s' ended before its first answer; run this command by itself to see why",
                       command_of(a));
    return err_prefix(r, "engine '%s'", command_of(a));
}

static double engine_cpu(agent *a)
{
    engine_mind *e = a->mind;
    return e->cpu + (e->p != NULL ? process_cpu(e->p) : 0);
}

#define AT(field) offsetof(engine_params, field)
static const opt opts[] = {
    ROW_TEXT("gtp", AT(gtp), "CMD", NULL, "Command that starts a GTP engine"),
    ROW_TEXT("nboard", AT(nboard), "CMD", NULL, "Command that starts an NBoard engine (Othello)"),
    ROW_TEXT("gomocup", AT(gomocup), "CMD", NULL, "Command that starts a Gomocup engine (renju, gomoku)"),
    ROW_NUMBER("timeout", AT(timeout), "S", "60", 0.01, 86400,
               "Seconds the engine may take to answer; afterwards it loses the game"),
    ROW_NUMBER("turn", AT(turn), "S", "0", 0, 86400,
               "Seconds per move to request from the engine; 0 = the engine decides"),
    ROW_INT("depth", AT(depth), "N", "0", 0, 60, "NBoard: search depth to request; 0 = the engine decides"),
};

const agent_type agent_engine = {
    NAMED("engine", "", "An external program that speaks GTP, NBoard or Gomocup"),
    WITH_MIND(opts, engine_params, engine_mind, engine_open, engine_begin, engine_close),
    .choose = engine_choose,
    .saw = engine_saw,
    .cpu = engine_cpu,
};
