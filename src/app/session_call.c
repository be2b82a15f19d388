// See session_call.h.
#include "app/session_call.h"

#include "app/session_swap2.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 64 };

typedef struct call {
    session **s;
    const call_arg *args;
    int n;
    const call_host *host;
    json_writer w;
} call;

// --- arguments

static const char *text_of(const call *c, const char *key, const char *otherwise)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->args[i].key, key) == 0) return c->args[i].value;
    return otherwise;
}

static err need_text(const call *c, const char *key, const char **out)
{
    *out = text_of(c, key, NULL);
    return *out != NULL ? ERR_OK : err_set(ERR_USAGE, "'%s' is missing", key);
}

static err whole_of(const call *c, const char *key, int64_t low, int64_t high, int64_t *io)
{
    const char *text = text_of(c, key, NULL);
    char *end;
    if (text == NULL) return ERR_OK;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end != 0 || errno != 0 || v < low || v > high)
        return err_set(ERR_USAGE, "'%s' must be a whole number from %" PRId64 " to %" PRId64 ", not '%.40s'", key, low,
                       high, text);
    *io = v;
    return ERR_OK;
}

// All of a game key's 64 bits: games that were read from a file have such keys.
static err seed_of(const call *c, uint64_t *io)
{
    const char *text = text_of(c, "seed", "1");
    char *end;
    errno = 0;
    *io = strtoull(text, &end, 10);
    if (end == text || *end != 0 || errno != 0 || strchr(text, '-') != NULL)
        return err_set(ERR_USAGE, "'seed' must be a whole number from 0 to %" PRIu64 ", not '%.40s'", UINT64_MAX, text);
    return ERR_OK;
}

static err real_of(const call *c, const char *key, float *io)
{
    const char *text = text_of(c, key, NULL);
    char *end;
    if (text == NULL) return ERR_OK;
    double v = strtod(text, &end);
    if (end == text || *end != 0 || !(v >= -1e9 && v <= 1e9))
        return err_set(ERR_USAGE, "'%s' must be a number, not '%.40s'", key, text);
    *io = (float)v;
    return ERR_OK;
}

static err seat_of(const call *c, const char *key, int *seat)
{
    int64_t v = session_seat(*c->s);
    err e = whole_of(c, key, 0, session_game(*c->s)->n_seats - 1, &v);
    *seat = (int)v;
    return e;
}

static err node_of(const call *c, int *node)
{
    int64_t v = session_at(*c->s);
    err e = whole_of(c, "node", 0, INT32_MAX, &v);
    if (e == ERR_OK && session_node_of(*c->s, (int)v) == NULL) e = err_set(ERR_USAGE, "there is no node %d", (int)v);
    *node = (int)v;
    return e;
}

// --- answers

// Whose eyes: a seat, or by default the referee's, who sees everything. "quiet": nobody looks.
static err put_state(call *c)
{
    session *s = *c->s;
    if (text_of(c, "quiet", NULL) != NULL) return ERR_OK;
    const game *g = session_game(s);
    int64_t viewer = SESSION_NONE;
    err e = whole_of(c, "viewer", SESSION_NONE, g->n_seats - 1, &viewer);
    if (e != ERR_OK) return e;
    json_key(&c->w, "session");
    session_json(s, (int)viewer, &c->w);
    if (g->view != NULL) {
        json_pair_object(&c->w, "view");
        g->view(viewer < 0 ? session_state(s, session_at(s)) : session_seen(s, session_at(s), (int)viewer), &c->w);
        json_close(&c->w);
    }
    return ERR_OK;
}

static void put_choice(session *s, const agent_choice *x, json_writer *w)
{
    char move[256];
    session_choice_text(s, x->move, move, sizeof move);
    json_open_object(w);
    json_pair_text(w, "move", move);
    json_key(w, "value");
    if (x->value >= 0)
        json_put_float(w, x->value);
    else
        json_put_null(w);
    if (x->has_margin) {
        json_key(w, "margin");
        json_put_float(w, x->margin);
    }
    json_pair_int(w, "depth", x->depth);
    json_pair_uint(w, "nodes", x->nodes);
    json_pair_text(w, "line", x->text);
    json_close(w);
}

// What a move does from here, step by step, where the game can tell.
static void put_steps(call *c, move_t m)
{
    session *s = *c->s;
    const game *g = session_game(s);
    if (g->view_move == NULL) return;
    json_pair_object(&c->w, "steps");
    g->view_move(session_seen(s, session_at(s), session_seat(s)), m, &c->w);
    json_close(&c->w);
}

// --- verbs

static err open_seats(session *s, const call *c)
{
    static const char *const keys[] = {"first", "second"}, *const names[] = {"firstName", "secondName"};
    err e = ERR_OK;
    bool later = c->host != NULL && c->host->later;
    for (int i = 0; i < session_game(s)->n_seats && e == ERR_OK; i++) {
        const char *spec = text_of(c, keys[i], NULL), *name = text_of(c, names[i], NULL);
        if (spec != NULL) e = later ? session_seat_later(s, i, spec) : session_seat_player(s, i, spec);
        if (e == ERR_OK && name != NULL) e = session_set_name(s, i, name);
    }
    const char *helper = text_of(c, "helper", NULL);
    return e == ERR_OK && helper != NULL ? session_set_helper(s, helper) : e;
}

static void replace(call *c, session *fresh)
{
    session_close(*c->s);
    *c->s = fresh;
}

static err do_new(call *c)
{
    session *fresh = NULL;
    const char *name;
    session_setup o = {.options = text_of(c, "options", ""), .position = text_of(c, "position", NULL)};
    err e = need_text(c, "game", &name);
    if (e == ERR_OK) e = game_find(name, &o.g);
    if (e == ERR_OK) e = seed_of(c, &o.key.run);
    if (e == ERR_OK) e = session_open(&fresh, &o);
    if (e == ERR_OK) e = session_play_list(fresh, text_of(c, "moves", ""));
    if (e == ERR_OK) e = open_seats(fresh, c);
    if (e != ERR_OK) {
        session_close(fresh);
        return e;
    }
    replace(c, fresh);
    return put_state(c);
}

// Another line of the same game, from the start. Nodes that are there already are used again, so agents that know the line's
// beginning hear only what is new to them.
static err do_line(call *c)
{
    const char *moves;
    err e = need_text(c, "moves", &moves);
    if (e == ERR_OK) e = session_goto(*c->s, 0);
    if (e == ERR_OK) e = session_play_list(*c->s, moves);
    return e == ERR_OK ? put_state(c) : e;
}

static err do_load(call *c)
{
    session *fresh = NULL;
    const char *game_name = text_of(c, "game", NULL);
    session_source from = {.format = session_format_by_name(text_of(c, "name", "")),
                           .options = text_of(c, "options", "")};
    err e = need_text(c, "text", &from.text);
    if (e == ERR_OK && game_name != NULL) e = game_find(game_name, &from.g);
    if (e != ERR_OK) return e;
    from.size = strlen(from.text);
    e = session_import(&fresh, &from);
    if (e == ERR_OK) e = open_seats(fresh, c);
    if (e != ERR_OK) {
        session_close(fresh);
        return e;
    }
    replace(c, fresh);
    return put_state(c);
}

static err read_move(const call *c, move_t *m)
{
    session *s = *c->s;
    const char *text;
    err e = need_text(c, "move", &text);
    return e == ERR_OK ? session_game(s)->move_parse(session_seen(s, session_at(s), session_seat(s)), text, m) : e;
}

static err do_play(call *c)
{
    move_t m;
    err e = read_move(c, &m);
    if (e != ERR_OK) return e;
    put_steps(c, m);
    e = session_play(*c->s, m, NULL);
    return e == ERR_OK ? put_state(c) : e;
}

// What a move would do, without playing it.
static err do_look(call *c)
{
    session *s = *c->s;
    const game *g = session_game(s);
    move_t m;
    err e = read_move(c, &m);
    if (e != ERR_OK) return e;
    put_steps(c, m);
    if (g->view == NULL || (g->flags & G_HIDDEN)) return ERR_OK;
    void *after = malloc(g->state_size);
    if (after == NULL) return err_set(ERR_MEMORY, "no memory for a position");
    memcpy(after, session_state(s, session_at(s)), g->state_size);
    g->play(after, m, NULL);
    json_pair_object(&c->w, "view");
    g->view(after, &c->w);
    json_close(&c->w);
    free(after);
    return ERR_OK;
}

// What the agent whose turn it is would play. A spec in "agent" takes the seat first.
static err do_choose(call *c)
{
    agent_choice choice;
    session *s = *c->s;
    const char *spec = text_of(c, "agent", NULL);
    int seat = session_seat(s);
    err e = ERR_OK;
    if (spec != NULL && strcmp(spec, session_seat_spec(s, seat)) != 0) e = session_seat_player(s, seat, spec);
    if (e == ERR_OK) e = session_think(s, &choice);
    if (e != ERR_OK) return e;
    json_key(&c->w, "choice");
    put_choice(s, &choice, &c->w);
    return ERR_OK;
}

// The agent whose turn it is moves.
static err do_think(call *c)
{
    agent_choice choice;
    int seat = session_seat(*c->s);
    err e = session_think(*c->s, &choice);
    if (e != ERR_OK && choice.resigns) {
        e = session_resign(*c->s, seat);
        return e == ERR_OK ? put_state(c) : e;
    }
    if (e != ERR_OK) return e;
    json_key(&c->w, "choice");
    put_choice(*c->s, &choice, &c->w);
    put_steps(c, choice.move);
    e = session_play(*c->s, choice.move, NULL);
    return e == ERR_OK ? put_state(c) : e;
}

static err do_analyse(call *c)
{
    int64_t want = 4;
    int n = 0;
    const char *helper = text_of(c, "helper", NULL);
    err e = whole_of(c, "count", 1, MOST_LINES, &want);
    if (e == ERR_OK && helper != NULL && strcmp(helper, session_helper(*c->s)) != 0)
        e = session_set_helper(*c->s, helper);
    if (e != ERR_OK) return e;
    agent_choice *lines = calloc((size_t)want, sizeof *lines);
    if (lines == NULL) return err_set(ERR_MEMORY, "no memory for %d lines", (int)want);
    e = session_analyse(*c->s, (int)want, lines, &n);
    if (e == ERR_OK) {
        json_key(&c->w, "analysis");
        session_lines_json(*c->s, lines, n, &c->w);
    }
    free(lines);
    return e;
}

static err at_node(call *c, err (*fn)(session *s, int node))
{
    int node;
    err e = node_of(c, &node);
    if (e == ERR_OK) e = fn(*c->s, node);
    return e == ERR_OK ? put_state(c) : e;
}

static err do_goto(call *c)
{
    return at_node(c, session_goto);
}

static err do_back(call *c)
{
    session_back(*c->s);
    return put_state(c);
}

static err do_forward(call *c)
{
    session_forward(*c->s);
    return put_state(c);
}

static err do_undo(call *c)
{
    int seat;
    err e = seat_of(c, "seat", &seat);
    if (e == ERR_OK && !session_undo(*c->s, seat)) e = err_set(ERR_USAGE, "there is nothing to take back");
    return e == ERR_OK ? put_state(c) : e;
}

static err do_redo(call *c)
{
    int seat;
    err e = seat_of(c, "seat", &seat);
    if (e == ERR_OK && !session_redo(*c->s, seat)) e = err_set(ERR_USAGE, "there is nothing to play again");
    return e == ERR_OK ? put_state(c) : e;
}

static err do_promote(call *c)
{
    return at_node(c, session_promote);
}

static err do_delete(call *c)
{
    return at_node(c, session_delete);
}

static err set_mark(session *s, int node, const char *mark)
{
    for (int m = MARK_NONE; m <= MARK_GOOD; m++)
        if (strcmp(session_mark_text((session_mark)m), mark) == 0) return session_set_mark(s, node, (session_mark)m);
    return err_set(ERR_USAGE, "'mark' must be ?!, ?, ??, ! or nothing, not '%.40s'", mark);
}

// What somebody thinks of a position (value, margin, depth, nodes), a mark of the move that led there, a comment.
static err do_note(call *c)
{
    int node;
    session *s = *c->s;
    err e = node_of(c, &node);
    if (e != ERR_OK) return e;
    session_opinion o = session_node_of(s, node)->opinion;
    int64_t depth = o.depth, nodes = (int64_t)o.nodes;
    e = real_of(c, "value", &o.value);
    if (e == ERR_OK) e = real_of(c, "margin", &o.margin);
    if (e == ERR_OK) e = whole_of(c, "depth", 0, 100000, &depth);
    if (e == ERR_OK) e = whole_of(c, "nodes", 0, INT64_MAX, &nodes);
    if (e != ERR_OK) return e;
    o.has_margin = o.has_margin || text_of(c, "margin", NULL) != NULL;
    o.depth = (int)depth;
    o.nodes = (uint64_t)nodes;
    e = session_set_opinion(s, node, &o);
    const char *mark = text_of(c, "mark", NULL), *comment = text_of(c, "comment", NULL);
    if (e == ERR_OK && mark != NULL) e = set_mark(s, node, mark);
    if (e == ERR_OK && comment != NULL) e = session_set_comment(s, node, comment);
    return e == ERR_OK ? put_state(c) : e;
}

// Words separated by blanks.
static err read_choices(const char *text, swap2_choice made[2], int *n)
{
    char word[8];
    err e = ERR_OK;
    for (*n = 0; e == ERR_OK && *text != 0;) {
        size_t k = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)(k < 8 ? k : 7), text);
        if (*n == 2) return err_set(ERR_USAGE, "swap2 has at most two choices");
        e = swap2_read(word, &made[*n]);
        ++*n;
        text += k + (text[k] == ' ');
    }
    return e;
}

// What an agent does at a step: puts stones, whose moves are listed, or chooses.
static err act_swap2(call *c, const swap2_step *step, const char *spec)
{
    session *s = *c->s;
    swap2_choice choice;
    agent_choice best;
    int nodes[SWAP2_ALL];
    char text[32];
    int from = session_ply(s), n = 0;
    err e = strcmp(spec, session_helper(s)) != 0 ? session_set_helper(s, spec) : ERR_OK;
    if (e == ERR_OK && step->kind == SWAP2_CHOOSE) e = swap2_choose(s, from, &choice, &best);
    if (e == ERR_OK && step->kind == SWAP2_CHOOSE) json_pair_text(&c->w, "choice", swap2_word(choice));
    if (e != ERR_OK || step->kind != SWAP2_PUT) return e;
    if (from != (step->left == SWAP2_FIRST ? 0 : SWAP2_FIRST))
        return err_set(ERR_USAGE, "an agent puts all its stones at once");
    e = from == 0 ? swap2_open(s) : swap2_two(s);
    for (int k = session_at(s); e == ERR_OK && n < step->left; k = session_node_of(s, k)->parent) nodes[n++] = k;
    json_pair_array(&c->w, "moves");
    while (e == ERR_OK && n > 0) {
        session_move_text(s, nodes[--n], text, sizeof text);
        json_put_text(&c->w, text);
    }
    json_close(&c->w);
    return e;
}

// Where the opening rule swap2 stands; with `agent`, the next step by it.
static err do_swap2(call *c)
{
    static const char *const kinds[] = {"put", "choose", "done"};
    session *s = *c->s;
    swap2_choice made[2];
    swap2_step step;
    int n = 0;
    const char *spec = text_of(c, "agent", NULL);
    err e = swap2_check(session_game(s));
    if (e == ERR_OK) e = read_choices(text_of(c, "choices", ""), made, &n);
    if (e == ERR_OK) e = swap2_step_of(session_ply(s), made, n, &step);
    if (e != ERR_OK) return e;
    json_pair_object(&c->w, "swap2");
    json_pair_text(&c->w, "step", kinds[step.kind]);
    json_pair_int(&c->w, "player", step.player);
    json_pair_int(&c->w, "left", step.left);
    json_pair_bool(&c->w, "two", step.two);
    json_pair_int(&c->w, "black", step.black);
    if (spec != NULL) e = act_swap2(c, &step, spec);
    json_close(&c->w);
    return e == ERR_OK ? put_state(c) : e;
}

static err do_seats(call *c)
{
    err e = open_seats(*c->s, c);
    return e == ERR_OK ? put_state(c) : e;
}

static err do_resign(call *c)
{
    int seat;
    err e = seat_of(c, "seat", &seat);
    if (e == ERR_OK) e = session_resign(*c->s, seat);
    return e == ERR_OK ? put_state(c) : e;
}

// The page keeps the clocks itself: it knows when the pointer is lifted, and a search does not stop them.
static err do_flag(call *c)
{
    int seat;
    err e = seat_of(c, "seat", &seat);
    if (e == ERR_OK) e = session_flag(*c->s, seat);
    return e == ERR_OK ? put_state(c) : e;
}

static err do_export(call *c)
{
    const char *name;
    session_format f = FORMAT_COUNT;
    text_buf t = {0};
    err e = need_text(c, "format", &name);
    for (int i = FORMAT_TEXT; e == ERR_OK && i < FORMAT_COUNT; i++)
        if (strcmp(session_format_name((session_format)i), name) == 0) f = (session_format)i;
    if (e == ERR_OK && f == FORMAT_COUNT) e = err_set(ERR_USAGE, "there is no format '%.40s'", name);
    if (e == ERR_OK) e = session_export(*c->s, f, &t);
    if (e == ERR_OK) json_pair_text(&c->w, "text", text_str(&t));
    text_free(&t);
    return e;
}

static err do_review(call *c)
{
    session_review r = {0};
    const char *helper = text_of(c, "helper", NULL);
    err e = helper != NULL ? session_set_helper(*c->s, helper) : ERR_OK;
    if (e == ERR_OK)
        e = session_review_run(*c->s, c->host != NULL ? c->host->each : NULL, c->host != NULL ? c->host->ctx : NULL,
                               &r);
    if (e == ERR_OK) {
        json_key(&c->w, "review");
        session_review_json(*c->s, &r, &c->w);
    }
    session_review_free(&r);
    return e == ERR_OK ? put_state(c) : e;
}

#define SEAT_KEYS "first second firstName secondName helper"
// `keys`: the arguments that it takes beside those of all.
static const struct verb {
    const char *name;
    err (*run)(call *c);
    const char *keys;
    bool opens; // works without a session
} verbs[] = {
    {"new", do_new, "game options position seed moves " SEAT_KEYS, true},
    {"load", do_load, "text game name options " SEAT_KEYS, true},
    {"state", put_state, "", false},
    {"play", do_play, "move", false},
    {"look", do_look, "move", false},
    {"think", do_think, "", false},
    {"choose", do_choose, "agent", false},
    {"analyse", do_analyse, "helper count", false},
    {"review", do_review, "helper", false},
    {"back", do_back, "", false},
    {"forward", do_forward, "", false},
    {"undo", do_undo, "seat", false},
    {"redo", do_redo, "seat", false},
    {"goto", do_goto, "node", false},
    {"line", do_line, "moves", false},
    {"promote", do_promote, "node", false},
    {"delete", do_delete, "node", false},
    {"seats", do_seats, SEAT_KEYS, false},
    {"resign", do_resign, "seat", false},
    {"flag", do_flag, "seat", false},
    {"note", do_note, "node value margin depth nodes mark comment", false},
    {"export", do_export, "format", false},
    {"swap2", do_swap2, "choices agent", false},
};

static bool is_listed(const char *list, const char *key)
{
    size_t n = strlen(key);
    for (const char *p = list; *p != 0; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == n && strncmp(p, key, n) == 0) return true;
    return false;
}

err session_call_keys(const char *keys, const char *key)
{
    if (is_listed(keys, key)) return ERR_OK;
    if (keys[0] == 0) return err_set(ERR_USAGE, "'%.40s' is not known here; this takes nothing", key);
    return err_set(ERR_USAGE, "'%.40s' is not known here; this takes: %s", key, keys);
}

static err check_keys(const struct verb *v, const call_arg *args, int n)
{
    err e = ERR_OK;
    for (int i = 0; i < n && e == ERR_OK; i++)
        if (!is_listed("viewer quiet", args[i].key)) e = session_call_keys(v->keys, args[i].key);
    return e;
}

const char *session_call_verb(int i)
{
    return i < (int)(sizeof verbs / sizeof *verbs) ? verbs[i].name : NULL;
}

err session_call(session **s, const char *verb, const call_arg *args, int n, const call_host *host, text_buf *out)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, verb) != 0) continue;
        if (!verbs[i].opens && *s == NULL) return err_set(ERR_USAGE, "no game is open: call new or load first");
        err e = check_keys(&verbs[i], args, n);
        if (e != ERR_OK) return e;
        text_buf answer = {0};
        call c = {s, args, n, host, json_begin(&answer, false)};
        json_open_object(&c.w);
        e = verbs[i].run(&c);
        if (e == ERR_OK) {
            json_close(&c.w);
            e = json_finish(&c.w);
        }
        if (e == ERR_OK) text_append(out, text_str(&answer));
        text_free(&answer);
        return e;
    }
    return err_set(ERR_USAGE, "there is no call '%.40s'", verb);
}
