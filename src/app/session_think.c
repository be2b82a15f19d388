// Agents of a session: telling them the game, asking them, stopping them. See session.h.
#include "app/session_inner.h"

#include <string.h>

// --- what an agent knows

void session_forget_told(session *s)
{
    s->seat[0].told = s->seat[1].told = s->helper.told = SESSION_NONE;
}

// Tells the moves between what the player knows and the current node; from the start when it stands on another line.
static void tell(session *s, session_player *p, int seat)
{
    int n = 0;
    if (p->a->seat != seat || p->told == SESSION_NONE || !session_is_behind(s, p->told, s->at)) {
        agent_begin(p->a, s->key, seat);
        p->told = 0;
    }
    for (int k = s->at; k != p->told; k = s->nodes[k].parent) s->path[n++] = k;
    while (n-- > 0) {
        int k = s->path[n];
        agent_saw(p->a, session_seen(s, s->nodes[k].parent, seat), s->nodes[k].move);
    }
    p->told = s->at;
    // Chance in a choice is keyed by how many the seat made before it on this line, so that a game can be repeated.
    uint32_t turn = 0;
    for (int k = s->at; k != 0; k = s->nodes[k].parent)
        turn += s->g->seat(session_state_at(s, s->nodes[k].parent)) == seat;
    p->a->turn = turn;
}

// --- stopping

static bool shall_stop(void *ctx)
{
    session *s = ctx;
    bool stop =
        atomic_load_explicit(&s->stop, memory_order_relaxed) || (s->watcher != NULL && stop_asked(&s->watcher->stop));
    if (stop) s->stopped = true;
    return stop;
}

static void hear_lines(void *ctx, const agent_choice *best, int n)
{
    session *s = ctx;
    s->watcher->lines(s->watcher->ctx, best, n);
}

void session_watch(session *s, const agent_watch *w)
{
    s->watcher = w;
}

void session_stop(session *s)
{
    atomic_store(&s->stop, true);
}

bool session_stopped(session *s)
{
    return s->stopped;
}

// --- asking

static err prepare(session *s, session_player *p, int *seat)
{
    if (session_result_of(s).end != END_NONE) return err_set(ERR_USAGE, "the game is over");
    *seat = session_seat(s);
    tell(s, p, *seat);
    const session_clock *c = &s->clock[*seat];
    p->a->clock = (agent_clock){.left = c->left, .moves_left = c->moves_left, .turn = c->turn};
    s->watch = (agent_watch){.stop = {shall_stop, s}, .ctx = s};
    if (s->watcher != NULL && s->watcher->lines != NULL) s->watch.lines = hear_lines;
    p->a->watch = &s->watch;
    s->stopped = false;
    atomic_store(&s->stop, false);
    return ERR_OK;
}

static err finish(session *s, session_player *p, err e)
{
    p->a->watch = NULL;
    if (e != ERR_OK) p->told = SESSION_NONE; // what it knows now is not certain
    (void)s;
    return e;
}

static void keep_opinion(session *s, const agent_choice *c)
{
    if (c->value < 0) return;
    s->nodes[s->at].opinion = (session_opinion){
        .value = c->value, .has_margin = c->has_margin, .margin = c->margin, .depth = c->depth, .nodes = c->nodes};
}

err session_think(session *s, agent_choice *out)
{
    int seat = session_seat(s);
    session_player *p = &s->seat[seat];
    *out = (agent_choice){.move = MOVE_NONE, .value = -1};
    if (session_seat_is_person(s, seat)) {
        err e = session_set_helper(s, s->helper.spec);
        if (e != ERR_OK) return e;
        p = &s->helper;
    } else if (p->a == NULL) {
        err e = session_seat_player(s, seat, p->spec);
        if (e != ERR_OK) return e;
    }
    err e = prepare(s, p, &seat);
    if (e != ERR_OK) return e;
    e = finish(s, p, agent_choose(p->a, session_seen(s, s->at, seat), out));
    if (e == ERR_OK) keep_opinion(s, out);
    return e;
}

err session_think_play(session *s, agent_choice *out, step_event *ev)
{
    int seat = session_seat(s);
    err e = session_think(s, out);
    if (e != ERR_OK && out->resigns) return session_resign(s, seat);
    return e == ERR_OK ? session_play(s, out->move, ev) : e;
}

err session_analyse(session *s, int want, agent_choice *out, int *n)
{
    int seat;
    *n = 0;
    err e = session_set_helper(s, s->helper.spec);
    if (e == ERR_OK) e = prepare(s, &s->helper, &seat);
    if (e != ERR_OK) return e;
    s->helper.a->clock = (agent_clock){0}; // an opinion is not a move: the agent's own limits decide
    e = finish(s, &s->helper, agent_analyse(s->helper.a, session_seen(s, s->at, seat), want, out, n));
    if (e == ERR_OK && *n > 0) keep_opinion(s, out);
    return e;
}
