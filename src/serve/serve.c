// See serve.h.
#define _XOPEN_SOURCE 700 // realpath
#include "serve/serve.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "serve/http.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define TICK_SECONDS 0.25

struct server {
    api *a;
    http *h;
    site *page;
    guard guard;
    char site[FILE_PATH];
    int lock; // of the data folder
    pthread_t ticker;
    bool ticking;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool ending;
};

static void *tick(void *ctx)
{
    server *s = ctx;
    pthread_mutex_lock(&s->mutex);
    while (!s->ending) {
        struct timespec until = clock_after(TICK_SECONDS);
        pthread_cond_timedwait(&s->wake, &s->mutex, &until);
        if (s->ending) break;
        pthread_mutex_unlock(&s->mutex);
        double now = clock_seconds();
        api_tick(s->a, now);
        http_tick(s->h, now);
        pthread_mutex_lock(&s->mutex);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

// Two servers on one folder would each keep games of its own in memory.
static err lock_data(server *s)
{
    s->lock = open("serve.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->lock < 0) return err_set(ERR_IO, "cannot write to the data folder: %s", strerror(errno));
    if (flock(s->lock, LOCK_EX | LOCK_NB) == 0) return ERR_OK;
    return err_set(ERR_IO, "another keiko serve uses the folder %s; stop it, or give another --data", s->a->data);
}

static err set_guard(server *s, const serve_options *o)
{
    const char *address = o->bind != NULL ? o->bind : "127.0.0.1";
    err e = ERR_OK;
    s->guard.loopback = guard_is_loopback(address);
    if (strlen(address) >= sizeof s->guard.bound) return err_set(ERR_USAGE, "'%.40s…' is not an address", address);
    snprintf(s->guard.bound, sizeof s->guard.bound, "%s", address);
    if (o->hosts != NULL) {
        if (strlen(o->hosts) >= sizeof s->guard.hosts) return err_set(ERR_LIMIT, "--host: too long");
        snprintf(s->guard.hosts, sizeof s->guard.hosts, "%s", o->hosts);
    }
    if (o->token != NULL) {
        size_t n = strlen(o->token);
        bool plain = strspn(o->token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~") == n;
        if (n < 16 || n >= GUARD_TOKEN || !plain)
            return err_set(ERR_USAGE, "a token has 16 to %d letters, digits, '-', '_', '.' or '~'", GUARD_TOKEN - 1);
        snprintf(s->guard.token, sizeof s->guard.token, "%s", o->token);
    } else if (!s->guard.loopback) {
        e = guard_random(s->guard.token, 33);
    }
    return e;
}

err serve_start(server **out, const serve_options *o)
{
    memory_one_heap(); // sessions are made, moved and put away by whichever thread has the request
    server *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory for a server");
    s->lock = -1;
    pthread_mutex_init(&s->mutex, NULL);
    clock_cond_init(&s->wake);
    err e = set_guard(s, o);
    // Before the data folder becomes the current one: paths may be relative.
    if (e == ERR_OK && o->site != NULL && o->site[0] != 0) {
        char *full = realpath(o->site, NULL);
        e = full != NULL && strlen(full) < sizeof s->site ? ERR_OK
                                                          : err_set(ERR_MISSING, "there is no folder %s", o->site);
        if (e == ERR_OK) snprintf(s->site, sizeof s->site, "%s", full);
        free(full);
        if (e == ERR_OK) e = site_open(&s->page, s->site);
    }
    if (e == ERR_OK)
        e = api_open(&s->a, &(api_options){.data = o->data,
                                           .program = o->program,
                                           .build = o->build,
                                           .workers = o->workers,
                                           .jobs = o->jobs,
                                           .think = o->think,
                                           .nats = o->nats,
                                           .has_page = s->page != NULL});
    if (e == ERR_OK) e = lock_data(s);
    if (e == ERR_OK)
        e = http_start(&s->h, &(http_options){.a = s->a,
                                              .page = s->page,
                                              .guard = &s->guard,
                                              .bind = s->guard.bound,
                                              .port = o->port,
                                              .receive_seconds = o->receive_seconds});
    if (e == ERR_OK) {
        s->ticking = pthread_create(&s->ticker, NULL, tick, s) == 0;
        if (!s->ticking) e = err_set(ERR_LIMIT, "the system has no more threads");
    }
    return HAND_OVER(e, out, s, serve_stop);
}

void serve_stop(server *s)
{
    if (s == NULL) return;
    if (s->h != NULL) http_quit(s->h);
    if (s->ticking) {
        pthread_mutex_lock(&s->mutex);
        s->ending = true;
        pthread_cond_signal(&s->wake);
        pthread_mutex_unlock(&s->mutex);
        pthread_join(s->ticker, NULL);
    }
    if (s->a != NULL) api_end(s->a);
    // Searches answer soon; every connection that waits for one must be awake before the HTTP server ends.
    while (s->h != NULL && workers_busy(s->a->searches) > 0) clock_sleep(0.01);
    http_stop(s->h);
    api_close(s->a);
    site_close(s->page);
    if (s->lock >= 0) close(s->lock);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

int serve_port(const server *s)
{
    return s->guard.port;
}

const char *serve_token(const server *s)
{
    return s->guard.token;
}

const char *serve_data(const server *s)
{
    return s->a->data;
}

const char *serve_site(const server *s)
{
    return s->site;
}
