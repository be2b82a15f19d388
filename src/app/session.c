// The tree of a session and its life. See session.h.
//
// Nodes live in one array and their states in another, whole: states are small, and going anywhere is then exact for every
// game. Deleted nodes are chained and used again.
#include "app/session_inner.h"
#include "base/clock.h"
#include "base/memory.h"
#include "games/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1 << 22, DEAD = -2 }; // DEAD: the parent of a deleted node

char *session_copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy != NULL) memcpy(copy, text, n);
    return copy;
}

void *session_state_at(const session *s, int node)
{
    return s->states + (size_t)node * s->g->state_size;
}

bool session_alive(const session *s, int node)
{
    return node >= 0 && node < s->n_nodes && s->nodes[node].parent != DEAD;
}

bool session_is_behind(const session *s, int ancestor, int node)
{
    if (!session_alive(s, ancestor)) return false;
    while (s->nodes[node].ply > s->nodes[ancestor].ply) node = s->nodes[node].parent;
    return node == ancestor;
}

// --- nodes

static err reserve(session *s)
{
    if (s->n_nodes < s->room) return ERR_OK;
    if (s->room >= MOST_NODES) return err_set(ERR_LIMIT, "a game tree of more than %d moves", MOST_NODES);
    int room = s->room == 0 ? 128 : s->room * 2;
    session_node *nodes = realloc(s->nodes, (size_t)room * sizeof *nodes);
    if (nodes != NULL) s->nodes = nodes;
    char *states = realloc(s->states, (size_t)room * s->g->state_size);
    if (states != NULL) s->states = states;
    int *path = realloc(s->path, (size_t)room * sizeof *path);
    if (path != NULL) s->path = path;
    if (nodes == NULL || states == NULL || path == NULL) return err_set(ERR_MEMORY, "no memory for %d moves", room);
    s->room = room;
    return ERR_OK;
}

static session_node empty_node(void)
{
    return (session_node){.parent = SESSION_NONE,
                          .child = SESSION_NONE,
                          .next = SESSION_NONE,
                          .visited = SESSION_NONE,
                          .move = MOVE_NONE,
                          .opinion = {.value = -1},
                          .seconds = -1};
}

static err take_node(session *s, int *node)
{
    if (s->wanted != SESSION_NONE) {
        *node = s->wanted;
    } else if (s->unused != SESSION_NONE) {
        *node = s->unused;
        s->unused = s->nodes[*node].next;
    } else {
        err e = reserve(s);
        if (e != ERR_OK) return e;
        *node = s->n_nodes++;
    }
    s->nodes[*node] = empty_node();
    return ERR_OK;
}

err session_ids_begin(session *s, int n)
{
    err e = ERR_OK;
    while (s->n_nodes < n && e == ERR_OK) {
        e = reserve(s);
        if (e == ERR_OK) s->nodes[s->n_nodes++] = (session_node){.parent = DEAD, .child = SESSION_NONE};
    }
    return e;
}

void session_ids_end(session *s)
{
    s->wanted = s->unused = SESSION_NONE;
    for (int i = s->n_nodes - 1; i > 0; i--)
        if (s->nodes[i].parent == DEAD) {
            s->nodes[i].next = s->unused;
            s->unused = i;
        }
}

static int find_child(const session *s, int node, move_t m)
{
    int k = s->nodes[node].child;
    while (k != SESSION_NONE && s->nodes[k].move != m) k = s->nodes[k].next;
    return k;
}

err session_add(session *s, move_t m, step_event *ev, int *node)
{
    int k = find_child(s, s->at, m);
    if (k == SESSION_NONE) {
        err e = take_node(s, &k);
        if (e != ERR_OK) return e;
        session_node *n = &s->nodes[k], *parent = &s->nodes[s->at];
        n->parent = s->at;
        n->ply = parent->ply + 1;
        n->move = m;
        int *link = &parent->child;
        while (*link != SESSION_NONE) link = &s->nodes[*link].next;
        *link = k;
        memcpy(session_state_at(s, k), session_state_at(s, s->at), s->g->state_size);
        s->g->play(session_state_at(s, k), m, &n->event);
    }
    s->nodes[s->at].visited = k;
    if (ev != NULL) *ev = s->nodes[k].event;
    *node = k;
    return ERR_OK;
}

// --- life

static void free_tree(session *s)
{
    for (int i = 0; i < s->n_nodes; i++) free(s->nodes[i].comment);
    FREE_ALL(s->nodes, s->states, s->path, s->options, s->position, s->obs, s->moves);
}

void session_close(session *s)
{
    if (s == NULL) return;
    for (int i = 0; i < 2; i++) {
        agent_close(s->seat[i].a);
        free(s->name[i]);
        free(s->wish[i]);
    }
    agent_close(s->helper.a);
    free_tree(s);
    free(s);
}

// The tree alone, with its start. On an error what was made is freed.
static err make_tree(session *s, const session_setup *o)
{
    const char *options = o->options == NULL ? "" : o->options;
    bool start = o->position == NULL || o->position[0] == 0 || strcmp(o->position, "start") == 0;
    *s = (session){.g = o->g,
                   .key = o->key,
                   .unused = SESSION_NONE,
                   .wanted = SESSION_NONE,
                   .end_at = SESSION_NONE,
                   .loser = SESSION_NONE};
    if (!start && options[0] != 0)
        return err_set(ERR_USAGE, "a position's text carries its own options: give options with 'start' only");
    err e = reserve(s);
    s->options = session_copy_text(options);
    s->position = start ? NULL : session_copy_text(o->position);
    s->obs = calloc(1, o->g->obs_size);
    s->moves = calloc((size_t)o->g->max_legal, sizeof *s->moves);
    if (e == ERR_OK && (s->options == NULL || (!start && s->position == NULL) || s->obs == NULL || s->moves == NULL))
        e = err_set(ERR_MEMORY, "no memory for a game");
    int root;
    if (e == ERR_OK) e = take_node(s, &root);
    if (e == ERR_OK) {
        memset(s->states, 0, o->g->state_size);
        e = start ? o->g->init(s->states, options, o->key)
                  : err_prefix(o->g->state_parse(o->position, s->states), "position");
    }
    if (e != ERR_OK) {
        free_tree(s);
        *s = (session){0};
    }
    return e;
}

err session_open(session **out, const session_setup *o)
{
    session *s = malloc(sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory for a session");
    err e = make_tree(s, o);
    if (e != ERR_OK) {
        free(s);
        return e;
    }
    for (int i = 0; i < 2; i++) strcpy(s->seat[i].spec, "human");
    session_forget_told(s);
    session_turn_begins(s);
    *out = s;
    return ERR_OK;
}

err session_restart(session *s, const session_setup *o)
{
    session fresh;
    err e = make_tree(&fresh, o);
    if (e != ERR_OK) return e;
    bool same = o->g == s->g;
    // An agent plays one game only: for another one each is opened again, and all of them before anything changes.
    agent *opened[3] = {NULL};
    session_player *players[3] = {&s->seat[0], &s->seat[1], &s->helper};
    for (int i = 0; i < 3 && !same && e == ERR_OK; i++)
        if (players[i]->a != NULL) e = agent_open(&opened[i], o->g, players[i]->spec);
    if (e != ERR_OK) {
        for (int i = 0; i < 3; i++) agent_close(opened[i]);
        free_tree(&fresh);
        return e;
    }
    for (int i = 0; i < 3 && !same; i++) {
        if (players[i]->a == NULL) continue;
        agent_close(players[i]->a);
        players[i]->a = opened[i];
    }
    free_tree(s);
    s->g = fresh.g, s->key = fresh.key, s->options = fresh.options, s->position = fresh.position;
    s->nodes = fresh.nodes, s->states = fresh.states, s->path = fresh.path, s->obs = fresh.obs, s->moves = fresh.moves;
    s->n_nodes = fresh.n_nodes, s->room = fresh.room, s->unused = fresh.unused, s->at = 0;
    session_forget_end(s);
    session_forget_told(s);
    session_turn_begins(s);
    return ERR_OK;
}

const game *session_game(const session *s)
{
    return s->g;
}

// --- looking

int session_at(const session *s)
{
    return s->at;
}

const session_node *session_node_of(const session *s, int node)
{
    return session_alive(s, node) ? &s->nodes[node] : NULL;
}

const void *session_state(const session *s, int node)
{
    return session_alive(s, node) ? session_state_at(s, node) : NULL;
}

const void *session_seen(session *s, int node, int seat)
{
    if (!session_alive(s, node)) return NULL;
    game_observe(s->g, session_state_at(s, node), seat, s->obs);
    return s->obs;
}

int session_ply(const session *s)
{
    return s->nodes[s->at].ply;
}

bool session_opening(const session *s, opening_name *out)
{
    enum { FIRST = 24 }; // no named line is longer
    const game_openings *o = s->g->openings;
    move_t first[FIRST];
    int ply = session_ply(s);
    if (o == NULL || o->name == NULL || s->position != NULL) return false;
    for (int n = s->at; n > 0; n = s->nodes[n].parent)
        if (s->nodes[n].ply <= FIRST) first[s->nodes[n].ply - 1] = s->nodes[n].move;
    return o->name(first, ply < FIRST ? ply : FIRST, out);
}

int session_seat(const session *s)
{
    return s->g->seat(session_state_at(s, s->at));
}

int session_legal(const session *s, move_t *moves)
{
    return s->g->legal(session_state_at(s, s->at), moves);
}

outcome session_outcome(const session *s)
{
    return s->g->result(session_state_at(s, s->at));
}

int session_move_text(session *s, int node, char *buf, size_t n)
{
    if (n > 0) buf[0] = 0;
    if (!session_alive(s, node) || node == 0) return 0;
    int before = s->nodes[node].parent;
    const void *obs = session_seen(s, before, s->g->seat(session_state_at(s, before)));
    return s->g->move_print(obs, s->nodes[node].move, buf, n);
}

int session_choice_text(session *s, move_t m, char *buf, size_t n)
{
    return s->g->move_print(session_seen(s, s->at, session_seat(s)), m, buf, n);
}

int session_draw(session *s, int node, int viewer, bool colour, char *buf, size_t n)
{
    if (!session_alive(s, node)) return snprintf(buf, n, "%s", "");
    return s->g->draw(session_seen(s, node, viewer), s->nodes[node].move, colour, buf, n);
}

// --- playing

static bool is_legal(session *s, move_t m, int n)
{
    for (int i = 0; i < n; i++)
        if (s->moves[i] == m) return true;
    return false;
}

err session_play(session *s, move_t m, step_event *ev)
{
    if (s->end != END_NONE && s->end_at == s->at) return err_set(ERR_USAGE, "the game is over");
    int n = session_legal(s, s->moves), seat = session_seat(s), node;
    if (n == 0) return err_set(ERR_USAGE, "the game is over");
    if (!is_legal(s, m, n)) return err_set(ERR_USAGE, "move %u is not legal here", m);
    double seconds = clock_seconds() - s->since;
    if (session_has_clock(s, seat) && !s->clock[seat].told && !session_spend(s, seat, seconds)) {
        s->end = END_TIME, s->end_at = s->at, s->loser = seat;
        return err_set(ERR_STOPPED, "out of time");
    }
    err e = session_add(s, m, ev, &node);
    if (e != ERR_OK) return e;
    if (session_has_clock(s, seat)) s->nodes[node].seconds = seconds;
    s->at = node;
    session_turn_begins(s);
    return ERR_OK;
}

err session_play_text(session *s, const char *move)
{
    move_t m = MOVE_NONE;
    err e = s->g->move_parse(session_seen(s, s->at, session_seat(s)), move, &m);
    return e == ERR_OK ? session_play(s, m, NULL) : e;
}

err session_play_list(session *s, const char *list)
{
    char one[256];
    bool found;
    for (int k = 1;; k++) {
        err e = history_next_move(s->g, &list, k, one, sizeof one, &found);
        if (e != ERR_OK || !found) return e;
        e = session_play_text(s, one);
        if (e != ERR_OK) return err_prefix(e, "move %d ('%s')", k, one);
    }
}

// --- going about

err session_goto(session *s, int node)
{
    if (!session_alive(s, node)) return err_set(ERR_USAGE, "there is no node %d", node);
    for (int k = node; k != 0; k = s->nodes[k].parent) s->nodes[s->nodes[k].parent].visited = k;
    if (s->end != END_NONE && node != s->end_at) session_forget_end(s);
    s->at = node;
    session_turn_begins(s);
    return ERR_OK;
}

bool session_back(session *s)
{
    return s->at != 0 && session_goto(s, s->nodes[s->at].parent) == ERR_OK;
}

static int next_of(const session *s, int node)
{
    const session_node *n = &s->nodes[node];
    return session_alive(s, n->visited) && s->nodes[n->visited].parent == node ? n->visited : n->child;
}

bool session_forward(session *s)
{
    int k = next_of(s, s->at);
    return k != SESSION_NONE && session_goto(s, k) == ERR_OK;
}

bool session_undo(session *s, int seat)
{
    int k = s->at;
    do {
        if (k == 0) return false;
        k = s->nodes[k].parent;
    } while (s->g->seat(session_state_at(s, k)) != seat);
    return session_goto(s, k) == ERR_OK;
}

bool session_redo(session *s, int seat)
{
    int k = next_of(s, s->at);
    if (k == SESSION_NONE) return false;
    while (next_of(s, k) != SESSION_NONE && s->g->seat(session_state_at(s, k)) != seat) k = next_of(s, k);
    return session_goto(s, k) == ERR_OK;
}

int session_main_end(const session *s)
{
    int k = 0;
    while (s->nodes[k].child != SESSION_NONE) k = s->nodes[k].child;
    return k;
}

int session_main_at(const session *s, int ply)
{
    int k = 0;
    while (k != SESSION_NONE && s->nodes[k].ply < ply) k = s->nodes[k].child;
    return ply < 0 ? SESSION_NONE : k;
}

// --- changing the tree

static void unlink_node(session *s, int node)
{
    int *link = &s->nodes[s->nodes[node].parent].child;
    while (*link != node) link = &s->nodes[*link].next;
    *link = s->nodes[node].next;
    s->nodes[node].next = SESSION_NONE;
}

err session_promote(session *s, int node)
{
    if (!session_alive(s, node)) return err_set(ERR_USAGE, "there is no node %d", node);
    for (int k = node; k != 0; k = s->nodes[k].parent) {
        session_node *parent = &s->nodes[s->nodes[k].parent];
        if (parent->child == k) continue;
        unlink_node(s, k);
        s->nodes[k].next = parent->child;
        parent->child = k;
    }
    return ERR_OK;
}

static void bury(session *s, int node)
{
    free(s->nodes[node].comment);
    s->nodes[node] = (session_node){.parent = DEAD, .child = SESSION_NONE, .next = s->unused};
    s->unused = node;
    session_player *players[3] = {&s->seat[0], &s->seat[1], &s->helper};
    for (int i = 0; i < 3; i++)
        if (players[i]->told == node) players[i]->told = SESSION_NONE;
}

err session_delete(session *s, int node)
{
    if (!session_alive(s, node)) return err_set(ERR_USAGE, "there is no node %d", node);
    if (node == 0) return err_set(ERR_USAGE, "the start cannot be deleted");
    int parent = s->nodes[node].parent;
    if (session_is_behind(s, node, s->at)) session_goto(s, parent);
    if (s->nodes[parent].visited == node) s->nodes[parent].visited = SESSION_NONE;
    unlink_node(s, node);
    // Leaves first, without recursion: a line may be thousands of moves long.
    for (int k = node;;) {
        if (s->nodes[k].child != SESSION_NONE) {
            k = s->nodes[k].child;
            continue;
        }
        int up = s->nodes[k].parent, next = s->nodes[k].next;
        bury(s, k);
        if (k == node) return ERR_OK;
        s->nodes[up].child = next;
        k = next != SESSION_NONE ? next : up;
    }
}

err session_set_comment(session *s, int node, const char *text)
{
    if (!session_alive(s, node)) return err_set(ERR_USAGE, "there is no node %d", node);
    bool none = text == NULL || text[0] == 0;
    char *copy = none ? NULL : session_copy_text(text);
    if (!none && copy == NULL) return err_set(ERR_MEMORY, "no memory for a comment");
    free(s->nodes[node].comment);
    s->nodes[node].comment = copy;
    return ERR_OK;
}

err session_set_mark(session *s, int node, session_mark m)
{
    if (!session_alive(s, node)) return err_set(ERR_USAGE, "there is no node %d", node);
    s->nodes[node].mark = m;
    return ERR_OK;
}

err session_set_opinion(session *s, int node, const session_opinion *o)
{
    if (!session_alive(s, node)) return err_set(ERR_USAGE, "there is no node %d", node);
    s->nodes[node].opinion = *o;
    return ERR_OK;
}

const char *session_mark_text(session_mark m)
{
    static const char *const texts[] = {"", "?!", "?", "??", "!"};
    return m >= MARK_NONE && m <= MARK_GOOD ? texts[m] : "";
}
