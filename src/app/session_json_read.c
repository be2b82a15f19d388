// A session from the JSON that the referee's view gives. See session.h.
//
// What follows from the moves (boards, legal moves, results by the rules) is not read: the moves are played again, so a file
// cannot hold a game that the rules do not allow. Who sat where is kept as a wish: a file must not start programs.
#include "app/session_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(KEIKO_JSON)

enum { MOST_TEXT = 64 << 20, MOST_ID = 1 << 22 };

static err read_hex(const json_val *v, const char *key, uint64_t *out)
{
    const char *text = "0";
    err e = json_maybe_text(v, key, &text);
    if (e != ERR_OK) return e;
    size_t n = strspn(text, "0123456789abcdefABCDEF");
    *out = strtoull(text, NULL, 16);
    return n == 0 || n > 16 || text[n] != 0 ? json_refuse(v, "has no hexadecimal number of 64 bits in %s", key)
                                            : ERR_OK;
}

static err read_start(const json_val *root, session **out)
{
    const char *name = NULL, *options = "", *position = NULL;
    const game *g;
    game_key key = {0};
    int64_t version = 1;
    err e = json_get_object(root);
    if (e == ERR_OK) e = json_need_int(root, "keiko", 1, 1, &version);
    if (e == ERR_OK) e = json_need_text(root, "game", &name);
    if (e == ERR_OK) e = json_maybe_text(root, "options", &options);
    if (e == ERR_OK) e = json_maybe_text(root, "position", &position);
    json_val k = json_member(root, "key");
    if (e == ERR_OK && json_kind_of(&k) == JK_OBJECT) {
        e = read_hex(&k, "run", &key.run);
        if (e == ERR_OK) e = read_hex(&k, "game", &key.game);
    }
    if (e == ERR_OK) e = game_find(name, &g);
    if (e == ERR_OK)
        e = session_open(out, &(session_setup){.g = g, .options = options, .position = position, .key = key});
    return e;
}

static err read_clock(const json_val *v, session_clock *c)
{
    int64_t period_moves = 0, moves_left = 0;
    err e = json_maybe_number(v, "main", 0, 1e9, &c->main);
    if (e == ERR_OK) e = json_maybe_number(v, "increment", 0, 1e9, &c->increment);
    if (e == ERR_OK) e = json_maybe_number(v, "period", 0, 1e9, &c->period);
    if (e == ERR_OK) e = json_maybe_int(v, "period_moves", 0, 1000000, &period_moves);
    if (e == ERR_OK) e = json_maybe_number(v, "turn", 0, 1e9, &c->turn);
    if (e == ERR_OK) e = json_maybe_number(v, "left", 0, 1e9, &c->left);
    if (e == ERR_OK) e = json_maybe_int(v, "moves_left", 0, 1000000, &moves_left);
    if (e == ERR_OK) e = json_maybe_bool(v, "told", &c->told);
    c->period_moves = (int)period_moves;
    c->moves_left = (int)moves_left;
    return e;
}

static err read_seats(session *s, const json_val *root)
{
    json_val seats = json_member(root, "seats");
    int n = 0;
    if (json_kind_of(&seats) == JK_NONE) return ERR_OK;
    err e = json_get_array(&seats, 2, &n);
    for (int i = 0; e == ERR_OK && i < n && i < s->g->n_seats; i++) {
        json_val v = json_item(&seats, i), clock;
        const char *player = "", *name = NULL;
        e = json_get_object(&v);
        if (e == ERR_OK) e = json_maybe_text(&v, "player", &player);
        if (e == ERR_OK) e = json_maybe_text(&v, "name", &name);
        if (e == ERR_OK) e = session_set_wish(s, i, player);
        if (e == ERR_OK && name != NULL && strcmp(name, player) != 0) e = session_set_name(s, i, name);
        clock = json_member(&v, "clock");
        if (e == ERR_OK && json_kind_of(&clock) == JK_OBJECT) e = read_clock(&clock, &s->clock[i]);
    }
    return e;
}

static err read_mark(const json_val *v, session_mark *mark)
{
    const char *text = "";
    err e = json_maybe_text(v, "mark", &text);
    if (e != ERR_OK) return e;
    for (int m = MARK_NONE; m <= MARK_GOOD; m++)
        if (strcmp(text, session_mark_text((session_mark)m)) == 0) {
            *mark = (session_mark)m;
            return ERR_OK;
        }
    return json_refuse(v, "has a mark '%s' that is none of ?!, ?, ?? and !", text);
}

static err read_opinion(const json_val *v, session_opinion *o)
{
    double value = -1, margin = 0;
    int64_t depth = 0, nodes = 0;
    json_val m = json_member(v, "margin");
    err e = json_maybe_number(v, "value", 0, 1, &value);
    if (e == ERR_OK) e = json_maybe_number(v, "margin", -1e6, 1e6, &margin);
    if (e == ERR_OK) e = json_maybe_int(v, "depth", 0, 1000000, &depth);
    if (e == ERR_OK) e = json_maybe_int(v, "nodes", 0, INT64_MAX, &nodes);
    *o = (session_opinion){.value = (float)value,
                           .has_margin = json_kind_of(&m) == JK_NUMBER || json_kind_of(&m) == JK_INT,
                           .margin = (float)margin,
                           .depth = (int)depth,
                           .nodes = (uint64_t)nodes};
    return e;
}

typedef struct id_map { // ours for the file's; SESSION_NONE where there is none yet
    int *node;
    int64_t n;
    bool same; // nodes keep the file's numbers, so that whoever remembers one can go on; not where it has large gaps
} id_map;

static err make_ids(const json_val *nodes, int n, id_map *m)
{
    int64_t most = 0;
    err e = ERR_OK;
    for (int i = 0; e == ERR_OK && i < n; i++) {
        json_val v = json_item(nodes, i);
        int64_t id = 0;
        e = json_get_object(&v);
        if (e == ERR_OK) e = json_need_int(&v, "id", 0, MOST_ID - 1, &id);
        if (i == 0) m->same = id == 0;
        if (id > most) most = id;
    }
    if (e != ERR_OK) return e;
    m->n = most + 1;
    m->same = m->same && m->n <= 4 * (int64_t)n + 64;
    m->node = malloc((size_t)m->n * sizeof *m->node);
    if (m->node == NULL) return err_set(ERR_MEMORY, "no memory for a game");
    for (int64_t i = 0; i < m->n; i++) m->node[i] = SESSION_NONE;
    return ERR_OK;
}

static err read_node(session *s, const json_val *v, id_map *ids, bool first)
{
    int64_t id = 0, parent = 0;
    const char *move = NULL, *comment = NULL;
    err e = json_need_int(v, "id", 0, ids->n - 1, &id);
    if (e == ERR_OK && ids->node[id] != SESSION_NONE) e = json_refuse(v, "has the id of an earlier node");
    if (e == ERR_OK && !first) {
        e = json_need_int(v, "parent", 0, ids->n - 1, &parent);
        if (e == ERR_OK && ids->node[parent] == SESSION_NONE)
            e = json_refuse(v, "stands before its parent %d", (int)parent);
        if (e == ERR_OK) e = json_need_text(v, "move", &move);
        if (e == ERR_OK) e = session_goto(s, ids->node[parent]);
        if (e == ERR_OK) {
            move_t m;
            int before = s->n_nodes, node;
            s->wanted = ids->same ? (int)id : SESSION_NONE;
            e = s->g->move_parse(session_seen(s, s->at, session_seat(s)), move, &m);
            if (e == ERR_OK) e = session_add(s, m, NULL, &node);
            if (e == ERR_OK && (ids->same ? node != id : s->n_nodes == before))
                e = json_refuse(v, "repeats a move of its siblings");
            if (e == ERR_OK) s->at = node;
            e = err_prefix(e, "%s", v->path);
        }
    }
    if (e != ERR_OK) return e;
    ids->node[id] = s->at;
    session_node *n = &s->nodes[s->at];
    e = read_mark(v, &n->mark);
    if (e == ERR_OK) e = read_opinion(v, &n->opinion);
    if (e == ERR_OK) e = json_maybe_number(v, "seconds", 0, 1e9, &n->seconds);
    if (e == ERR_OK) e = json_maybe_text(v, "comment", &comment);
    return e == ERR_OK ? session_set_comment(s, s->at, comment) : e;
}

static err read_nodes(session *s, const json_val *root)
{
    json_val nodes;
    int n = 0;
    int64_t at = 0;
    id_map ids = {0};
    err e = json_need(root, "nodes", &nodes);
    if (e == ERR_OK) e = json_get_array(&nodes, MOST_ID, &n);
    if (e == ERR_OK && n == 0) e = json_refuse(&nodes, "is empty: the first node is the start");
    if (e == ERR_OK) e = make_ids(&nodes, n, &ids);
    if (e == ERR_OK && ids.same) e = session_ids_begin(s, (int)ids.n);
    for (int i = 0; e == ERR_OK && i < n; i++) {
        json_val v = json_item(&nodes, i);
        e = read_node(s, &v, &ids, i == 0);
    }
    session_ids_end(s);
    if (e == ERR_OK) e = json_need_int(root, "at", 0, ids.n - 1, &at);
    if (e == ERR_OK && ids.node[at] == SESSION_NONE) e = json_refuse(root, "has no node %d to be at", (int)at);
    if (e == ERR_OK) e = session_goto(s, ids.node[at]);
    free(ids.node);
    return e;
}

static err read_end(session *s, const json_val *root)
{
    json_val r = json_member(root, "result");
    const char *end = "none";
    int64_t loser = SESSION_NONE;
    if (json_kind_of(&r) != JK_OBJECT) return ERR_OK;
    err e = json_maybe_text(&r, "end", &end);
    if (e == ERR_OK) e = json_maybe_int(&r, "loser", 0, s->g->n_seats - 1, &loser);
    if (e != ERR_OK) return e;
    for (int k = END_NONE; k <= END_IMPORTED; k++) {
        if (strcmp(end, session_end_name((session_end)k)) != 0) continue;
        if (k > END_RULES && !session_outcome(s).over) session_end_here(s, (session_end)k, (int)loser);
        return ERR_OK;
    }
    return json_refuse(&r, "has an end '%s' that is not known", end);
}

err session_from_json(session **out, const char *text, size_t size)
{
    json_doc *doc = NULL;
    session *s = NULL;
    if (size > MOST_TEXT) return err_set(ERR_LIMIT, "a session of more than %d MB", MOST_TEXT >> 20);
    err e = json_read(&doc, text, size, "session");
    if (e != ERR_OK) return e;
    json_val root = json_root(doc);
    e = read_start(&root, &s);
    if (e == ERR_OK) e = read_seats(s, &root);
    if (e == ERR_OK) e = read_nodes(s, &root);
    if (e == ERR_OK) e = read_end(s, &root);
    json_free(doc);
    return HAND_OVER(e, out, s, session_close);
}

#else // the browser reads JSON itself and plays the moves again

err session_from_json(session **out, const char *text, size_t size)
{
    (void)out;
    (void)text;
    (void)size;
    return err_set(ERR_MISSING, "this build cannot read JSON: it was built without jansson");
}

#endif
