// A session as JSON: what a page needs to show it, and what a file needs to keep it. See session.h.
//
// A viewer of a game that hides something gets the moves of the current line alone, without what the other side thought, and
// without a move of the other side that it could not have seen yet: the last one, where both choose at the same moment. The
// key, from which all chance follows, and the state's text are the referee's.
#include "app/session_inner.h"

#include <stdio.h>
#include <string.h>

static void put_key(json_writer *w, const session *s)
{
    char hex[20];
    json_pair_object(w, "key");
    snprintf(hex, sizeof hex, "%llx", (unsigned long long)s->key.run);
    json_pair_text(w, "run", hex);
    snprintf(hex, sizeof hex, "%llx", (unsigned long long)s->key.game);
    json_pair_text(w, "game", hex);
    json_close(w);
}

static void put_clock(json_writer *w, const session *s, int seat)
{
    const session_clock *c = &s->clock[seat];
    json_key(w, "clock");
    if (!session_has_clock(s, seat)) {
        json_put_null(w);
        return;
    }
    json_open_object(w);
    json_pair_number(w, "main", c->main);
    json_pair_number(w, "increment", c->increment);
    json_pair_number(w, "period", c->period);
    json_pair_int(w, "period_moves", c->period_moves);
    json_pair_number(w, "turn", c->turn);
    json_pair_number(w, "left", c->left);
    json_pair_int(w, "moves_left", c->moves_left);
    json_pair_bool(w, "told", c->told);
    json_close(w);
}

static void put_seats(json_writer *w, const session *s)
{
    char name[GAME_SEAT_TEXT];
    json_pair_array(w, "seats");
    for (int i = 0; i < s->g->n_seats; i++) {
        json_open_object(w);
        json_pair_text(w, "side", game_seat_name(s->g, i, false, name));
        json_pair_text(w, "player", s->seat[i].spec);
        json_pair_text(w, "name", session_name(s, i));
        json_pair_bool(w, "person", session_seat_is_person(s, i));
        put_clock(w, s, i);
        json_close(w);
    }
    json_close(w);
}

static void put_result(json_writer *w, const session *s)
{
    session_result r = session_result_of(s);
    text_buf t = {0};
    json_pair_object(w, "result");
    json_pair_text(w, "end", session_end_name(r.end));
    json_pair_text(w, "reason", reason_name(r.reason));
    json_key(w, "loser");
    if (r.loser == SESSION_NONE)
        json_put_null(w);
    else
        json_put_int(w, r.loser);
    json_pair_array(w, "score");
    for (int i = 0; i < s->g->n_seats; i++) json_put_float(w, r.score[i]);
    json_close(w);
    session_result_text(s, &t);
    json_pair_text(w, "text", text_str(&t));
    text_free(&t);
    json_close(w);
}

static void put_event(json_writer *w, const step_event *ev)
{
    if (ev->chain == 0 && ev->points == 0 && ev->sent == 0 && ev->received == 0 && ev->frames == 0) return;
    json_pair_object(w, "event");
    json_pair_int(w, "chain", ev->chain);
    json_pair_int(w, "points", ev->points);
    json_pair_int(w, "sent", ev->sent);
    json_pair_int(w, "received", ev->received);
    json_pair_int(w, "frames", ev->frames);
    json_pair_bool(w, "all_clear", ev->all_clear);
    json_close(w);
}

static void put_opinion(json_writer *w, const session_opinion *o)
{
    if (o->value >= 0) {
        json_key(w, "value");
        json_put_float(w, o->value);
    }
    if (o->has_margin) {
        json_key(w, "margin");
        json_put_float(w, o->margin);
    }
    if (o->depth > 0) json_pair_int(w, "depth", o->depth);
    if (o->nodes > 0) json_pair_uint(w, "nodes", o->nodes);
}

typedef struct view {
    session *s;
    json_writer *w;
    int viewer;
    bool partial; // the game hides something and a seat looks
} view;

static int mover_of(const session *s, int node)
{
    return s->g->seat(session_state_at(s, s->nodes[node].parent));
}

// The viewer chooses without knowing it: both choose at the same moment.
static bool is_secret(const view *v, int node)
{
    const session *s = v->s;
    return v->partial && (s->g->flags & G_SIMULTANEOUS) && node == s->at && node != 0 &&
           mover_of(s, node) != v->viewer && !session_outcome(s).over;
}

static void put_node(const view *v, int node)
{
    session *s = v->s;
    json_writer *w = v->w;
    const session_node *n = &s->nodes[node];
    char move[256];
    json_open_object(w);
    json_pair_int(w, "id", node);
    if (node != 0) {
        bool secret = is_secret(v, node);
        json_pair_int(w, "parent", n->parent);
        json_pair_int(w, "seat", mover_of(s, node));
        session_move_text(s, node, move, sizeof move);
        json_pair_text(w, "move", secret ? NULL : move);
        if (n->mark != MARK_NONE) json_pair_text(w, "mark", session_mark_text(n->mark));
        if (n->seconds >= 0) json_pair_number(w, "seconds", n->seconds);
        if (!secret) put_event(w, &n->event);
    }
    bool own = !v->partial || s->g->seat(session_state_at(s, node)) == v->viewer;
    if (own) put_opinion(w, &n->opinion);
    if (n->comment != NULL && !v->partial) json_pair_text(w, "comment", n->comment);
    json_close(w);
}

static void put_nodes(const view *v)
{
    session *s = v->s;
    json_pair_array(v->w, "nodes");
    if (v->partial) {
        int n = 0;
        for (int k = s->at; k != SESSION_NONE; k = s->nodes[k].parent) s->path[n++] = k;
        while (n > 0) put_node(v, s->path[--n]);
    } else {
        // Depth first, so that parents stand before children and variations in their order.
        for (int k = 0;;) {
            put_node(v, k);
            if (s->nodes[k].child != SESSION_NONE) {
                k = s->nodes[k].child;
                continue;
            }
            while (k != 0 && s->nodes[k].next == SESSION_NONE) k = s->nodes[k].parent;
            if (k == 0) break;
            k = s->nodes[k].next;
        }
    }
    json_close(v->w);
}

static void put_legal(const view *v)
{
    session *s = v->s;
    char move[256];
    int seat = session_seat(s), n = session_result_of(s).end == END_NONE ? session_legal(s, s->moves) : 0;
    json_pair_array(v->w, "legal");
    if (!v->partial || seat == v->viewer)
        for (int i = 0; i < n; i++) {
            session_choice_text(s, s->moves[i], move, sizeof move);
            json_put_text(v->w, move);
        }
    json_close(v->w);
}

static void put_opening(json_writer *w, const session *s)
{
    opening_name name;
    if (!session_opening(s, &name)) return;
    json_pair_object(w, "opening");
    json_pair_text(w, "en", name.en);
    json_pair_text(w, "ja", name.ja);
    json_close(w);
}

void session_json(session *s, int viewer, json_writer *w)
{
    char text[GAME_TEXT];
    bool seated = viewer >= 0 && viewer < s->g->n_seats;
    view v = {s, w, viewer, seated && (s->g->flags & G_HIDDEN) != 0};
    json_open_object(w);
    json_pair_int(w, "keiko", 1);
    json_pair_text(w, "game", s->g->name);
    json_pair_text(w, "options", s->options);
    if (!v.partial) {
        json_pair_text(w, "position", s->position);
        put_key(w, s);
    }
    put_seats(w, s);
    json_pair_int(w, "at", s->at);
    json_pair_int(w, "ply", session_ply(s));
    json_pair_int(w, "seat", session_seat(s));
    session_draw(s, s->at, seated ? viewer : session_seat(s), false, text, sizeof text);
    json_pair_text(w, "board", text);
    if (s->g->view != NULL) {
        json_pair_object(w, "view");
        s->g->view(session_seen(s, s->at, seated ? viewer : session_seat(s)), w);
        json_close(w);
    }
    if (!v.partial) {
        s->g->state_print(session_state_at(s, s->at), text, sizeof text);
        json_pair_text(w, "state", text);
    }
    session_move_text(s, s->at, text, sizeof text);
    json_pair_text(w, "last", s->at == 0 || is_secret(&v, s->at) ? NULL : text);
    put_opening(w, s);
    put_legal(&v);
    put_result(w, s);
    put_nodes(&v);
    json_close(w);
}

void session_lines_json(session *s, const agent_choice *c, int n, json_writer *w)
{
    char move[256];
    json_open_object(w);
    json_pair_text(w, "game", s->g->name);
    json_pair_text(w, "agent", session_helper(s));
    json_pair_array(w, "moves");
    for (int i = 0; i < n; i++) {
        session_choice_text(s, c[i].move, move, sizeof move);
        json_open_object(w);
        json_pair_text(w, "move", move);
        json_key(w, "value");
        if (c[i].value >= 0)
            json_put_float(w, c[i].value);
        else
            json_put_null(w);
        if (c[i].has_margin) {
            json_key(w, "margin");
            json_put_float(w, c[i].margin);
        }
        json_pair_int(w, "depth", c[i].depth);
        json_pair_uint(w, "nodes", c[i].nodes);
        json_pair_text(w, "line", c[i].text);
        json_close(w);
    }
    json_close(w);
    json_close(w);
}

err session_to_json(session *s, int viewer, text_buf *t)
{
    json_writer w = json_begin(t, true);
    session_json(s, viewer, &w);
    return json_finish(&w);
}
