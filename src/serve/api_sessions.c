// Games being played or analysed: each call of app/session_call over HTTP. See docs/API.md.
#include "base/clock.h"
#include "serve/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REVIEW_TIMES = 10 }; // a review looks at many positions: this many times the limit of one search

static const struct verb {
    const char *name;
    bool searches, changes;
} verbs[] = {
    {"state", false, false}, {"look", false, false},  {"export", false, false}, {"choose", true, true},
    {"think", true, true},   {"analyse", true, true}, {"review", true, true},   {"swap2", true, true},
};

// Every other verb changes the game and does not search.
static struct verb verb_of(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, name) == 0) return verbs[i];
    return (struct verb){name, false, true};
}

// Agents that a call would open, in a game of `g`; NULL: not known, because a record says which it is.
static err check_agents(const request_args *a, const game *g)
{
    static const char *const keys[] = {"first", "second", "helper", "agent"};
    err e = ERR_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && e == ERR_OK; i++) {
        const char *spec = request_arg(a, keys[i], NULL);
        if (spec == NULL) continue;
        if (g != NULL)
            e = names_agent(g, spec);
        else if (strchr(spec, ':') != NULL) // only a plain name is sure to be harmless
            e = err_set(ERR_USAGE, "'%s': an agent with parameters needs 'game'", keys[i]);
    }
    return e;
}

// `new` and `load` may name a game of their own.
static const game *game_of(const char *verb, const request_args *a, const session *s)
{
    const game *g = NULL;
    const char *name = request_arg(a, "game", NULL);
    if (strcmp(verb, "new") != 0 && strcmp(verb, "load") != 0) return session_game(s);
    return name != NULL && game_find(name, &g) == ERR_OK ? g : NULL; // an unknown one is refused by the call itself
}

// --- events

static void publish_changed(api *a, live *l, const char *verb)
{
    char topic[EVENTS_TOPIC], move[256];
    text_buf t = {0};
    live_topic(l, topic);
    if (!hub_has(a->events, topic)) return;
    json_writer w = json_begin(&t, false);
    session_move_text(l->s, session_at(l->s), move, sizeof move);
    json_open_object(&w);
    json_pair_text(&w, "verb", verb);
    json_pair_int(&w, "at", session_at(l->s));
    json_pair_int(&w, "ply", session_ply(l->s));
    json_pair_text(&w, "last", session_at(l->s) == 0 ? NULL : move);
    json_close(&w);
    hub_publish(a->events, topic, "changed", -1, text_str(&t));
    text_free(&t);
}

static void publish_verb(api *a, live *l, const char *event, const char *verb, bool stopped, const char *error)
{
    char topic[EVENTS_TOPIC];
    text_buf t = {0};
    live_topic(l, topic);
    json_writer w = json_begin(&t, false);
    json_open_object(&w);
    json_pair_text(&w, "verb", verb);
    if (strcmp(event, "done") == 0) json_pair_bool(&w, "stopped", stopped);
    if (error != NULL) json_pair_text(&w, "error", error);
    json_close(&w);
    hub_publish(a->events, topic, event, -1, text_str(&t));
    text_free(&t);
}

// --- a search, on a worker

typedef struct search {
    api *a;
    live *l;
    job *j;
    char verb[REQUEST_PART];
    request_args *args;
} search;

// What a scratch session finds is lost with its client; what another one finds is stored.
static bool shall_stop(void *ctx)
{
    search *x = ctx;
    return atomic_load_explicit(&x->l->stop, memory_order_relaxed) || clock_seconds() > x->l->deadline ||
           (x->l->scratch && atomic_load_explicit(&x->j->unwanted, memory_order_relaxed));
}

static void tell_lines(void *ctx, const agent_choice *best, int n)
{
    search *x = ctx;
    char topic[EVENTS_TOPIC];
    double now = clock_seconds();
    live_topic(x->l, topic);
    if (now - x->l->told < 0.1 || !hub_has(x->a->events, topic)) return;
    x->l->told = now;
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    session_lines_json(x->l->s, best, n, &w);
    if (json_finish(&w) == ERR_OK) hub_publish(x->a->events, topic, "lines", -1, text_str(&t));
    text_free(&t);
}

static bool tell_progress(void *ctx, int done, int all)
{
    search *x = ctx;
    char topic[EVENTS_TOPIC], text[64];
    live_topic(x->l, topic);
    snprintf(text, sizeof text, "{\"done\":%d,\"all\":%d}", done, all);
    hub_publish(x->a->events, topic, "progress", -1, text);
    return !shall_stop(x);
}

static void run_search(job *j)
{
    search *x = j->ctx;
    live *l = x->l;
    reply *r = &j->answer;
    l->deadline = clock_seconds() + x->a->think * (strcmp(x->verb, "review") == 0 ? REVIEW_TIMES : 1);
    l->watch = (agent_watch){.stop = {shall_stop, x}, .lines = tell_lines, .ctx = x};
    session_watch(l->s, &l->watch);
    publish_verb(x->a, l, "thinking", x->verb, false, NULL);
    err e = session_call(&l->s, x->verb, x->args->arg, x->args->n,
                         &(call_host){.each = tell_progress, .ctx = x, .later = true}, &r->body);
    bool stopped = session_stopped(l->s);
    session_watch(l->s, NULL);
    if (e == ERR_OK)
        r->status = 200;
    else
        reply_err(r, e);
    live_lock(l);
    if (e == ERR_OK && (e = live_store(x->a->sessions, l)) != ERR_OK) {
        reply_err(r, e);
        live_undo(l);
    }
    l->thinking = false;
    if (e == ERR_OK && strcmp(x->verb, "choose") != 0 && strcmp(x->verb, "analyse") != 0)
        publish_changed(x->a, l, x->verb);
    publish_verb(x->a, l, "done", x->verb, stopped, e == ERR_OK ? NULL : err_text());
    l->awake = true;
    live_unlock(l);
    live_drop(x->a->sessions, l);
    x->l = NULL;
    live_rest_agents(x->a->sessions);
}

static void free_search(job *j)
{
    search *x = j->ctx;
    if (x->l != NULL) { // it never ran
        live_lock(x->l);
        x->l->thinking = false;
        live_unlock(x->l);
        live_drop(x->a->sessions, x->l);
    }
    request_args_free(x->args);
}

// What is shown while the worker has the session.
static err keep_shown(live *l)
{
    for (int i = 0; i < LIVE_VIEWS; i++) {
        char viewer[4];
        text_buf t = {0};
        snprintf(viewer, sizeof viewer, "%d", i - 1);
        if (i > session_game(l->s)->n_seats) break;
        err e = session_call(&l->s, "state", &(call_arg){"viewer", viewer}, 1, NULL, &t);
        if (e == ERR_OK) l->shown[i] = text_take(&t);
        text_free(&t);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

// Locked; unlocks. The job has the session until it is done.
static void begin_search(api *a, live *l, const char *verb, request_args *args, reply *r)
{
    job *j = NULL;
    err e = keep_shown(l);
    if (e == ERR_OK) e = job_new(&j, a->searches, sizeof(search));
    if (e != ERR_OK) {
        reply_err(r, e);
        live_unlock(l);
        live_drop(a->sessions, l);
        request_args_free(args);
        return;
    }
    search *x = j->ctx;
    *x = (search){.a = a, .l = l, .j = j, .args = args};
    snprintf(x->verb, sizeof x->verb, "%s", verb);
    j->run = run_search;
    j->free = free_search;
    atomic_store(&l->stop, false);
    if (atomic_load(&a->ending)) atomic_store(&l->stop, true);
    l->thinking = true;
    live_unlock(l);
    r->later = j;
}

// --- calls

// A locked session that a worker has.
static void answer_meanwhile(live *l, const char *verb, const request_args *args, reply *r)
{
    int viewer = args != NULL ? atoi(request_arg(args, "viewer", "-1")) : -1;
    const char *shown = viewer >= -1 && viewer < LIVE_VIEWS - 1 ? l->shown[viewer + 1] : NULL;
    if (strcmp(verb, "state") != 0 || shown == NULL) {
        reply_refuse(r, 409, "an agent is thinking about this game; wait for its answer, or stop it");
        return;
    }
    text_append(&r->body, shown);
    r->status = 200;
}

static void answer_now(api *a, live *l, const struct verb *v, const request_args *args, reply *r)
{
    err e = session_call(&l->s, v->name, args->arg, args->n, &(call_host){.later = true}, &r->body);
    if (e == ERR_OK && v->changes && (e = live_store(a->sessions, l)) != ERR_OK) {
        live_undo(l);
        text_clear(&r->body);
    }
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    r->status = 200;
    if (v->changes) publish_changed(a, l, v->name);
}

void api_session_call(api *a, const request *q, reply *r)
{
    request_args *args = NULL;
    live *l = NULL;
    struct verb v = verb_of(q->verb);
    err e = request_args_read(&args, q, NULL);
    if (e == ERR_OK) e = live_take(a->sessions, q->part[0], &l);
    if (e != ERR_OK) {
        request_args_free(args);
        reply_err(r, e);
        return;
    }
    if (l->thinking) {
        answer_meanwhile(l, v.name, args, r);
    } else if ((e = check_agents(args, game_of(v.name, args, l->s))) != ERR_OK) {
        reply_err(r, e);
    } else if (v.searches) {
        begin_search(a, l, v.name, args, r);
        return;
    } else {
        answer_now(a, l, &v, args, r);
    }
    live_unlock(l);
    live_drop(a->sessions, l);
    request_args_free(args);
}

// An answer with more members in front: {"id":…,} and the rest.
static void put_before(reply *r, const char *members)
{
    text_buf t = {0};
    text_printf(&t, "{%s%s%s", members, r->body.len > 2 ? "," : "", r->body.len > 0 ? text_str(&r->body) + 1 : "}");
    text_free(&r->body);
    r->body = t;
}

// Takes an argument out, for the server itself.
static bool take_yes(request_args *a, const char *key)
{
    const char *value = request_arg(a, key, "no");
    bool yes = strcmp(value, "yes") == 0 || strcmp(value, "1") == 0;
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->arg[i].key, key) == 0) a->arg[i] = a->arg[--a->n];
    return yes;
}

void api_session_new(api *a, const request *q, reply *r)
{
    request_args *args = NULL;
    session *s = NULL;
    live *l = NULL;
    char members[LIVE_ID + 16];
    err e = request_args_read(&args, q, NULL);
    bool scratch = e == ERR_OK && take_yes(args, "scratch");
    if (e == ERR_OK) e = check_agents(args, game_of("new", args, NULL));
    if (e == ERR_OK)
        e = session_call(&s, request_arg(args, "text", NULL) != NULL ? "load" : "new", args->arg, args->n,
                         &(call_host){.later = true}, &r->body);
    if (e == ERR_OK) e = live_make(a->sessions, s, scratch, &l);
    if (e == ERR_OK) {
        snprintf(members, sizeof members, "\"id\":\"%s\"", l->id);
        put_before(r, members);
        r->status = 201;
        live_unlock(l);
        live_drop(a->sessions, l);
    } else {
        session_close(s);
        reply_err(r, e);
    }
    request_args_free(args);
}

// A stored game in a few words: who, how far, how it ended. Nothing but id and time of a text that cannot be read.
static void put_stored(const saved_row *row, json_writer *w)
{
    static const char *const keys[] = {"game", "seats", "result"};
    json_doc *doc = NULL;
    char time[CLOCK_TEXT];
    int64_t plies = 0;
    json_open_object(w);
    json_pair_text(w, "id", row->id);
    json_pair_text(w, "time", clock_iso(row->used, time));
    if (json_read(&doc, row->text, row->size, row->id) == ERR_OK) {
        json_val root = json_root(doc);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            json_val v = json_member(&root, keys[i]);
            if (json_kind_of(&v) == JK_NONE) continue;
            json_key(w, keys[i]);
            json_copy_out(w, &v);
        }
        if (json_maybe_int(&root, "ply", 0, INT32_MAX, &plies) == ERR_OK) json_pair_int(w, "plies", plies);
    }
    json_close(w);
    json_free(doc);
}

void api_sessions(api *a, const request *q, reply *r)
{
    saved_row *row = NULL;
    int n = 0;
    api_page p;
    err e = api_page_read(q, 200, 50, &p);
    if (e == ERR_OK) e = saved_list(a->store, p.from, p.limit, &row, &n);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    json_writer w = reply_begin(r);
    json_pair_array(&w, "items");
    for (int i = 0; i < n; i++) put_stored(&row[i], &w);
    json_close(&w);
    json_pair_int(&w, "total", saved_count(a->store));
    json_pair_int(&w, "from", p.from);
    reply_end(r, &w, 200);
    saved_list_free(row, n);
}

void api_session_get(api *a, const request *q, reply *r)
{
    live *l = NULL;
    char members[LIVE_ID + 40], text[16];
    int64_t viewer = -1;
    err e = request_whole(q, "viewer", -1, 1, &viewer);
    if (e == ERR_OK) e = live_take(a->sessions, q->part[0], &l);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    snprintf(text, sizeof text, "%d", (int)viewer);
    request_args args = {.arg = {{"viewer", text}}, .n = 1};
    bool thinking = l->thinking;
    if (thinking)
        answer_meanwhile(l, "state", &args, r);
    else
        answer_now(a, l, &(struct verb){"state", false, false}, &args, r);
    if (r->status == 200) {
        snprintf(members, sizeof members, "\"id\":\"%s\",\"thinking\":%s", l->id, thinking ? "true" : "false");
        put_before(r, members);
    }
    live_unlock(l);
    live_drop(a->sessions, l);
}

void api_session_delete(api *a, const request *q, reply *r)
{
    live *l = NULL;
    err e = live_take(a->sessions, q->part[0], &l);
    if (e == ERR_OK) {
        e = live_delete(a->sessions, l);
        live_unlock(l);
        live_drop(a->sessions, l);
    }
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    json_writer w = reply_begin(r);
    json_pair_bool(&w, "deleted", true);
    reply_end(r, &w, 200);
}

void api_session_stop(api *a, const request *q, reply *r)
{
    live *l = NULL;
    err e = live_take(a->sessions, q->part[0], &l);
    if (e != ERR_OK) {
        reply_err(r, e);
        return;
    }
    bool thinking = l->thinking;
    if (thinking) atomic_store(&l->stop, true);
    live_unlock(l);
    live_drop(a->sessions, l);
    json_writer w = reply_begin(r);
    json_pair_bool(&w, "stopping", thinking);
    reply_end(r, &w, 200);
}

void api_session_events(api *a, const request *q, reply *r)
{
    live *l = NULL;
    char topic[EVENTS_TOPIC];
    err e = live_take(a->sessions, q->part[0], &l);
    if (e == ERR_OK) {
        live_topic(l, topic);
        e = hub_listen(a->events, topic, &r->events, 0);
        live_unlock(l);
        live_drop(a->sessions, l);
    }
    if (e != ERR_OK)
        reply_err(r, e);
    else
        r->status = 200;
}
