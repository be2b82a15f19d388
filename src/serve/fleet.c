// See fleet.h.
#define _XOPEN_SOURCE 700 // realpath
#include "serve/fleet.h"

#include "app/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROUND 1.0 // seconds between news

struct fleet {
    bus_options nats; // its texts are the fleet's own
    hub *events;
    pthread_t thread;
    bool runs;
    _Atomic bool ending;
    pthread_mutex_t lock; // of what follows
    bool connected;
    char message[300]; // why it is not connected
    text_buf items;    // the list as JSON
};

// A file's whole path, because the server changes its folder; any other text as it is.
static char *keep_path(const char *path)
{
    char *full = realpath(path, NULL);
    return full != NULL ? full : strdup(path);
}

static err keep_url(fleet *c, const char *url)
{
    text_buf t = {0};
    if (url[0] != '@') {
        c->nats.url = strdup(url);
    } else {
        char *path = keep_path(url + 1);
        text_printf(&t, "@%s", path != NULL ? path : "");
        free(path);
        c->nats.url = text_take(&t);
    }
    text_free(&t);
    return c->nats.url != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for an address");
}

err fleet_new(fleet **out, const bus_options *o)
{
    bus *none = NULL;
    if (!bus_built()) return bus_open(&none, o, "", NULL); // says so
    fleet *c = calloc(1, sizeof *c);
    if (c == NULL) return err_set(ERR_MEMORY, "no memory for a list of workers");
    pthread_mutex_init(&c->lock, NULL);
    err e = keep_url(c, o->url);
    const char *const from[] = {o->creds, o->nkey, o->ca, o->cert, o->key};
    const char **to[] = {&c->nats.creds, &c->nats.nkey, &c->nats.ca, &c->nats.cert, &c->nats.key};
    for (size_t i = 0; i < sizeof from / sizeof *from && e == ERR_OK; i++)
        if (from[i] != NULL && from[i][0] != 0 && (*to[i] = keep_path(from[i])) == NULL)
            e = err_set(ERR_MEMORY, "no memory for a path");
    return HAND_OVER(e, out, c, fleet_close);
}

static void say(fleet *c, const char *why)
{
    pthread_mutex_lock(&c->lock);
    c->connected = false;
    snprintf(c->message, sizeof c->message, "%s", why);
    pthread_mutex_unlock(&c->lock);
}

static bool wait_on(void *ctx, const char *why, double seconds)
{
    fleet *c = ctx;
    (void)seconds;
    say(c, why);
    return !atomic_load(&c->ending);
}

static void keep_view(fleet *c, const workers_link *l, const workers_view *v)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    workers_json(v, &w);
    if (json_finish(&w) == ERR_OK) {
        pthread_mutex_lock(&c->lock);
        text_free(&c->items);
        c->items = t;
        t = (text_buf){0};
        c->connected = workers_connected(l);
        snprintf(c->message, sizeof c->message, "%s", c->connected ? "" : "the connection to NATS is lost");
        pthread_mutex_unlock(&c->lock);
    }
    text_free(&t);
}

static void publish(fleet *c)
{
    text_buf t = {0};
    if (!hub_has(c->events, FLEET_TOPIC)) return;
    json_writer w = json_begin(&t, false);
    json_open_object(&w);
    fleet_json(c, &w);
    json_close(&w);
    if (json_finish(&w) == ERR_OK) hub_publish(c->events, FLEET_TOPIC, "workers", -1, text_str(&t));
    text_free(&t);
}

static void *follow(void *ctx)
{
    fleet *c = ctx;
    workers_link *l = NULL;
    workers_view v = {0};
    err e = workers_open(&l, &c->nats, &(bus_patience){wait_on, c});
    while (e == ERR_OK && !atomic_load(&c->ending)) {
        e = workers_listen(l, &v, ROUND, &c->ending);
        if (e == ERR_OK) {
            keep_view(c, l, &v);
            publish(c);
        }
    }
    if (e != ERR_OK) say(c, err_text());
    publish(c);
    workers_view_free(&v);
    workers_close(l);
    return NULL;
}

err fleet_start(fleet *c, hub *events)
{
    c->events = events;
    say(c, "not connected to NATS yet");
    c->runs = pthread_create(&c->thread, NULL, follow, c) == 0;
    return c->runs ? ERR_OK : err_set(ERR_LIMIT, "the system has no more threads");
}

void fleet_end(fleet *c)
{
    if (c != NULL) atomic_store(&c->ending, true);
}

void fleet_close(fleet *c)
{
    if (c == NULL) return;
    fleet_end(c);
    if (c->runs) pthread_join(c->thread, NULL);
    const char *const texts[] = {c->nats.url, c->nats.creds, c->nats.nkey, c->nats.ca, c->nats.cert, c->nats.key};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free((void *)(uintptr_t)texts[i]);
    text_free(&c->items);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void fleet_json(fleet *c, json_writer *w)
{
    pthread_mutex_lock(&c->lock);
    json_pair_bool(w, "connected", c->connected);
    json_pair_text(w, "message", c->message[0] != 0 ? c->message : NULL);
    json_key(w, "items");
    if (c->items.len > 0)
        json_put_raw(w, text_str(&c->items), c->items.len);
    else
        json_put_raw(w, "[]", 2);
    pthread_mutex_unlock(&c->lock);
}
