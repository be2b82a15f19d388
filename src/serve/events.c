// See events.h.
#include "serve/events.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct stream {
    hub *h;
    stream *next;
    char topic[EVENTS_TOPIC];
    text_buf out;
    size_t sent;  // of out
    bool ended;   // nothing more will come
    bool waiting; // its connection sleeps
    void (*wake)(void *ctx);
    void *ctx;
    stream_place place;
};

struct hub {
    pthread_mutex_t lock;
    stream *first;
    int n;
    bool ended;
};

err hub_new(hub **out)
{
    hub *h = calloc(1, sizeof *h);
    if (h == NULL) return err_set(ERR_MEMORY, "no memory for events");
    pthread_mutex_init(&h->lock, NULL);
    *out = h;
    return ERR_OK;
}

void hub_free(hub *h)
{
    if (h == NULL) return;
    while (h->first != NULL) stream_close(h->first);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

err hub_listen(hub *h, const char *topic, stream **out, int64_t skip)
{
    stream *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory for events");
    s->h = h;
    s->place.skip = skip;
    memcpy(s->topic, topic, strlen(topic) < EVENTS_TOPIC ? strlen(topic) : EVENTS_TOPIC - 1);
    text_append(&s->out, "retry: 1000\n\n");
    pthread_mutex_lock(&h->lock);
    bool full = h->n >= EVENTS_STREAMS || h->ended;
    if (!full) {
        s->next = h->first;
        h->first = s;
        h->n++;
    }
    pthread_mutex_unlock(&h->lock);
    if (!full) {
        *out = s;
        return ERR_OK;
    }
    text_free(&s->out);
    free(s);
    return err_set(ERR_STOPPED, "too many clients listen to events; at most %d can", EVENTS_STREAMS);
}

void stream_close(stream *s)
{
    hub *h = s->h;
    pthread_mutex_lock(&h->lock);
    stream **at = &h->first;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    h->n--;
    pthread_mutex_unlock(&h->lock);
    text_free(&s->out);
    for (int i = 0; i < 2; i++) free(s->place.last[i]);
    free(s);
}

void stream_on_news(stream *s, void (*wake)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&s->h->lock);
    s->wake = wake;
    s->ctx = ctx;
    pthread_mutex_unlock(&s->h->lock);
}

long stream_read(stream *s, char *buf, size_t n, void (*wait)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&s->h->lock);
    size_t left = s->out.len - s->sent, k = left < n ? left : n;
    long result = k > 0 ? (long)k : s->ended ? -1 : 0;
    if (k > 0) {
        memcpy(buf, s->out.data + s->sent, k);
        s->sent += k;
        if (s->sent == s->out.len) {
            text_clear(&s->out);
            s->sent = 0;
        }
    } else if (result == 0) {
        s->waiting = true;
        if (wait != NULL) wait(ctx);
    }
    pthread_mutex_unlock(&s->h->lock);
    return result;
}

// --- under the lock

static void wake(stream *s)
{
    if (!s->waiting) return;
    s->waiting = false;
    if (s->wake != NULL) s->wake(s->ctx);
}

static void append(stream *s, const char *text)
{
    if (s->ended) return;
    if (s->out.len - s->sent > EVENTS_BUFFER) { // it does not read: it may come again
        s->ended = true;
        text_truncate(&s->out, s->sent);
    } else {
        text_append(&s->out, text);
        if (s->out.failed) s->ended = true;
    }
    wake(s);
}

void stream_send(stream *s, const char *event, int64_t id, const char *json)
{
    text_buf t = {0};
    if (id >= 0) text_printf(&t, "id: %" PRId64 "\n", id);
    text_printf(&t, "event: %s\ndata: %s\n\n", event, json);
    append(s, text_str(&t));
    text_free(&t);
}

void stream_end(stream *s)
{
    s->ended = true;
    wake(s);
}

// --- with it

bool hub_has(hub *h, const char *topic)
{
    bool found = false;
    pthread_mutex_lock(&h->lock);
    for (stream *s = h->first; s != NULL && !found; s = s->next) found = !s->ended && strcmp(s->topic, topic) == 0;
    pthread_mutex_unlock(&h->lock);
    return found;
}

int hub_count(hub *h)
{
    pthread_mutex_lock(&h->lock);
    int n = h->n;
    pthread_mutex_unlock(&h->lock);
    return n;
}

void hub_publish(hub *h, const char *topic, const char *event, int64_t id, const char *json)
{
    pthread_mutex_lock(&h->lock);
    for (stream *s = h->first; s != NULL; s = s->next)
        if (strcmp(s->topic, topic) == 0) stream_send(s, event, id, json);
    pthread_mutex_unlock(&h->lock);
}

void hub_end_topic(hub *h, const char *topic)
{
    pthread_mutex_lock(&h->lock);
    for (stream *s = h->first; s != NULL; s = s->next)
        if (strcmp(s->topic, topic) == 0) stream_end(s);
    pthread_mutex_unlock(&h->lock);
}

void hub_breathe(hub *h)
{
    pthread_mutex_lock(&h->lock);
    for (stream *s = h->first; s != NULL; s = s->next) append(s, ":\n\n");
    pthread_mutex_unlock(&h->lock);
}

void hub_end(hub *h)
{
    pthread_mutex_lock(&h->lock);
    h->ended = true;
    for (stream *s = h->first; s != NULL; s = s->next) stream_end(s);
    pthread_mutex_unlock(&h->lock);
}

void hub_each(hub *h, void (*see)(void *ctx, stream *s, const char *topic, stream_place *place), void *ctx)
{
    pthread_mutex_lock(&h->lock);
    for (stream *s = h->first; s != NULL; s = s->next)
        if (!s->ended) see(ctx, s, s->topic, &s->place);
    pthread_mutex_unlock(&h->lock);
}
