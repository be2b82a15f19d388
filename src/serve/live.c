// See live.h.
#include "serve/live.h"

#include "base/clock.h"
#include "base/log.h"
#include "serve/guard.h"
#include "serve/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct live_table {
    pthread_mutex_t lock;
    saved *store;
    hub *events;
    live *bucket[BUCKETS];
    int n;
};

err live_new(live_table **out, saved *store, hub *events)
{
    live_table *t = calloc(1, sizeof *t);
    if (t == NULL) return err_set(ERR_MEMORY, "no memory for sessions");
    pthread_mutex_init(&t->lock, NULL);
    t->store = store;
    t->events = events;
    *out = t;
    return ERR_OK;
}

static void forget_shown(live *l)
{
    for (int i = 0; i < LIVE_VIEWS; i++) {
        free(l->shown[i]);
        l->shown[i] = NULL;
    }
}

static void free_live(live *l)
{
    session_close(l->s);
    forget_shown(l);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

void live_free(live_table *t)
{
    if (t == NULL) return;
    for (int i = 0; i < BUCKETS; i++)
        while (t->bucket[i] != NULL) {
            live *l = t->bucket[i];
            t->bucket[i] = l->next;
            free_live(l);
        }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

// --- the table; under its lock

static live **find(live_table *t, const char *id)
{
    uint32_t h = 2166136261u;
    for (const char *p = id; *p != 0; p++) h = (h ^ (unsigned char)*p) * 16777619u;
    live **at = &t->bucket[h % BUCKETS];
    while (*at != NULL && strcmp((*at)->id, id) != 0) at = &(*at)->next;
    return at;
}

static bool is_resting(const live *l)
{
    return l->users == 0; // a search counts as a user
}

// The one not used for the longest time, where there are too many. Everything in it is stored.
static live *take_out_oldest(live_table *t)
{
    live **oldest = NULL;
    for (int i = 0; t->n > LIVE_MOST && i < BUCKETS; i++)
        for (live **at = &t->bucket[i]; *at != NULL; at = &(*at)->next)
            if (is_resting(*at) && (oldest == NULL || (*at)->used < (*oldest)->used)) oldest = at;
    if (oldest == NULL) return NULL;
    live *l = *oldest;
    *oldest = l->next;
    t->n--;
    return l;
}

static live *add(live_table *t, const char *id)
{
    live *l = calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    pthread_mutex_init(&l->lock, NULL);
    snprintf(l->id, sizeof l->id, "%s", id);
    live **at = find(t, id);
    l->next = *at;
    *at = l;
    t->n++;
    return l;
}

static live *use(live_table *t, const char *id)
{
    pthread_mutex_lock(&t->lock);
    live *l = *find(t, id), *old = NULL;
    if (l == NULL) {
        l = add(t, id);
        if (l != NULL) l->users++;
        old = take_out_oldest(t);
    } else {
        l->users++;
    }
    if (l != NULL) l->used = clock_seconds();
    pthread_mutex_unlock(&t->lock);
    if (old != NULL) free_live(old);
    return l;
}

void live_drop(live_table *t, live *l)
{
    pthread_mutex_lock(&t->lock);
    bool last = --l->users == 0 && l->gone; // nobody can set `gone` any more: it takes a user
    if (last) {
        live **at = find(t, l->id);
        while (*at != l) at = &(*at)->next;
        *at = l->next;
        t->n--;
    }
    l->used = clock_seconds();
    pthread_mutex_unlock(&t->lock);
    if (last) free_live(l);
}

void live_rest(live_table *t, double idle)
{
    live *out = NULL;
    double now = clock_seconds();
    pthread_mutex_lock(&t->lock);
    for (int i = 0; i < BUCKETS; i++)
        for (live **at = &t->bucket[i]; *at != NULL;) {
            live *l = *at;
            if (!is_resting(l) || now - l->used < idle) {
                at = &l->next;
                continue;
            }
            *at = l->next;
            t->n--;
            l->next = out;
            out = l;
        }
    pthread_mutex_unlock(&t->lock);
    while (out != NULL) {
        live *l = out;
        out = l->next;
        free_live(l);
    }
}

void live_rest_agents(live_table *t)
{
    for (;;) {
        live *oldest = NULL;
        int n = 0;
        pthread_mutex_lock(&t->lock);
        for (int i = 0; i < BUCKETS; i++)
            for (live *l = t->bucket[i]; l != NULL; l = l->next) {
                if (!is_resting(l) || !l->awake) continue;
                n++;
                if (oldest == NULL || l->used < oldest->used) oldest = l;
            }
        if (n > LIVE_AWAKE) oldest->users++;
        pthread_mutex_unlock(&t->lock);
        if (n <= LIVE_AWAKE) return;
        live_lock(oldest);
        if (!oldest->thinking && oldest->s != NULL) { // somebody may have been faster
            session_rest(oldest->s);
            oldest->awake = false;
        }
        live_unlock(oldest);
        live_drop(t, oldest);
    }
}

int live_count(live_table *t)
{
    pthread_mutex_lock(&t->lock);
    int n = t->n;
    pthread_mutex_unlock(&t->lock);
    return n;
}

void live_stop_all(live_table *t)
{
    pthread_mutex_lock(&t->lock);
    for (int i = 0; i < BUCKETS; i++)
        for (live *l = t->bucket[i]; l != NULL; l = l->next) atomic_store(&l->stop, true);
    pthread_mutex_unlock(&t->lock);
}

// --- one session

// Agents sit down again where they sat; one that cannot (its network is gone) leaves the seat to a person.
static void seat_again(session *s, const char *id)
{
    for (int i = 0; i < session_game(s)->n_seats; i++) {
        const char *wish = session_seat_wish(s, i);
        if (wish[0] == 0 || strcmp(wish, "human") == 0) continue;
        err e = names_agent(session_game(s), wish);
        if (e == ERR_OK) e = session_seat_later(s, i, wish);
        if (e != ERR_OK) log_warn("session %.6s…: %s", id, err_text());
    }
}

static err open_stored(live_table *t, live *l)
{
    char *text = NULL;
    size_t size = 0;
    err e = saved_get(t->store, l->id, &text, &size);
    if (e == ERR_OK) e = session_from_json(&l->s, text, size);
    if (e == ERR_OK) seat_again(l->s, l->id);
    free(text);
    return e;
}

err live_take(live_table *t, const char *id, live **out)
{
    if (strlen(id) != LIVE_ID - 1) return err_set(ERR_MISSING, "there is no session of that id");
    live *l = use(t, id);
    if (l == NULL) return err_set(ERR_MEMORY, "no memory for a session");
    pthread_mutex_lock(&l->lock);
    err e = ERR_OK;
    if (l->gone)
        e = err_set(ERR_MISSING, "there is no session of that id");
    else if (l->s == NULL)
        e = open_stored(t, l);
    if (e == ERR_OK) {
        *out = l;
        return ERR_OK;
    }
    if (e == ERR_MISSING) l->gone = true; // so that ids that were guessed fill no memory
    pthread_mutex_unlock(&l->lock);
    live_drop(t, l);
    return e;
}

err live_make(live_table *t, session *s, bool scratch, live **out)
{
    char id[LIVE_ID];
    err e = guard_random(id, sizeof id);
    if (e != ERR_OK) return e;
    live *l = use(t, id);
    if (l == NULL) return err_set(ERR_MEMORY, "no memory for a session");
    pthread_mutex_lock(&l->lock);
    l->s = s;
    l->scratch = scratch;
    e = live_store(t, l);
    if (e == ERR_OK) {
        *out = l;
        return ERR_OK;
    }
    l->s = NULL;
    l->gone = true;
    pthread_mutex_unlock(&l->lock);
    live_drop(t, l);
    return e;
}

void live_lock(live *l)
{
    pthread_mutex_lock(&l->lock);
}

void live_unlock(live *l)
{
    if (!l->thinking) forget_shown(l);
    pthread_mutex_unlock(&l->lock);
}

err live_store(live_table *t, live *l)
{
    text_buf text = {0};
    if (l->gone || l->scratch) return ERR_OK;
    json_writer w = json_begin(&text, false);
    session_json(l->s, SESSION_NONE, &w);
    err e = json_finish(&w);
    if (e == ERR_OK) e = saved_put(t->store, l->id, text_str(&text), text.len);
    text_free(&text);
    return e;
}

void live_undo(live *l)
{
    session_close(l->s);
    l->s = NULL;
}

err live_delete(live_table *t, live *l)
{
    char topic[EVENTS_TOPIC];
    err e = saved_delete(t->store, l->id);
    if (e != ERR_OK) return e;
    l->gone = true;
    atomic_store(&l->stop, true);
    live_topic(l, topic);
    hub_publish(t->events, topic, "closed", -1, "{}");
    hub_end_topic(t->events, topic);
    return ERR_OK;
}

void live_topic(const live *l, char topic[EVENTS_TOPIC])
{
    snprintf(topic, EVENTS_TOPIC, "sessions/%s", l->id);
}
