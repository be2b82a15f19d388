// See sender.h.
#include "dist/sender.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAY_EVERY 10.0

typedef struct item {
    sender_to *to;
    uint64_t generation;
    finished_game g;
} item;

struct sender {
    bus *b;
    FILE *ledger;
    dist_codec *codec;
    text_buf bytes;
    double said_at;
    pthread_t thread;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t moved; // something was put or taken
    item ring[SENDER_ROOM];
    size_t first, n; // the first one is taken off when the server has it
    bool ends;       // no more will come
    double give_up;  // when ending: at this time; 0 = never
    err_first failed;
    sender_state st;
};

// Called by bus_put while it waits.
static bool waits(void *ctx, const char *why, double seconds)
{
    sender *s = ctx;
    double now = clock_seconds();
    pthread_mutex_lock(&s->lock);
    s->st.blocked = seconds > 0.001 ? seconds : 0.001;
    snprintf(s->st.why, sizeof s->st.why, "%s", why);
    bool go_on = s->give_up == 0 || now < s->give_up;
    pthread_mutex_unlock(&s->lock);
    if (seconds > 1 && now - s->said_at > SAY_EVERY) {
        s->said_at = now;
        log_warn("%s; finished games wait", why);
    }
    return go_on;
}

static err send_one(sender *s, const item *i)
{
    sender_to *to = i->to;
    char subject[128], id[DIST_ID];
    dist_head h = {
        .run = to->number, .incarnation = to->incarnation, .counter = to->counter + 1, .generation = i->generation};
    memcpy(h.worker, to->worker, sizeof h.worker);
    text_clear(&s->bytes);
    err e = dist_game_write(s->codec, &h, &i->g, to->sh, &s->bytes);
    snprintf(subject, sizeof subject, "keiko.%s.games.%s", to->run, to->worker);
    if (e == ERR_OK)
        e = bus_put(s->b, subject, dist_game_id(&h, id), s->bytes.data, s->bytes.len, &(bus_patience){waits, s});
    if (e != ERR_OK) return e;
    to->counter++;
    if (s->ledger != NULL) {
        fprintf(s->ledger, "%016" PRIx64 " %" PRIu64 "\n", h.incarnation, h.counter);
        fflush(s->ledger); // in the system's hands: kill -9 cannot take it back
    }
    if (s->said_at > 0 && s->st.blocked > 1) log_info("the server takes games again");
    return ERR_OK;
}

static void *work(void *ctx)
{
    sender *s = ctx;
    pthread_mutex_lock(&s->lock);
    while (s->failed.code == ERR_OK && (s->n > 0 || !s->ends)) {
        if (s->n == 0) {
            pthread_cond_wait(&s->moved, &s->lock);
            continue;
        }
        item *i = &s->ring[s->first]; // stays where it is while we are at it
        pthread_mutex_unlock(&s->lock);
        err e = send_one(s, i);
        pthread_mutex_lock(&s->lock);
        s->st.blocked = 0;
        err_keep(&s->failed, e);
        if (e == ERR_OK) {
            s->st.games++;
            s->st.bytes += s->bytes.len;
            finished_game_free(&i->g);
            s->first = (s->first + 1) % SENDER_ROOM;
            s->n--;
        }
        pthread_cond_broadcast(&s->moved);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

err sender_new(sender **out, bus *b, const char *ledger)
{
    sender *s = calloc(1, sizeof *s);
    if (s == NULL) return err_set(ERR_MEMORY, "no memory for games to send");
    s->b = b;
    err e = dist_codec_new(&s->codec);
    if (e == ERR_OK && ledger != NULL && *ledger != 0 && (s->ledger = fopen(ledger, "a")) == NULL)
        e = err_set(ERR_IO, "cannot write %s: %s", ledger, strerror(errno));
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
    if (e == ERR_OK && pthread_create(&s->thread, NULL, work, s) != 0)
        e = err_set(ERR_MEMORY, "cannot start a thread to send games");
    if (e != ERR_OK) {
        if (s->ledger != NULL) fclose(s->ledger);
        dist_codec_free(s->codec);
        free(s);
        return e;
    }
    *out = s;
    return ERR_OK;
}

size_t sender_free(sender *s, double seconds)
{
    if (s == NULL) return 0;
    pthread_mutex_lock(&s->lock);
    s->ends = true;
    s->give_up = clock_seconds() + seconds;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    size_t left = s->n;
    for (size_t i = 0; i < s->n; i++) finished_game_free(&s->ring[(s->first + i) % SENDER_ROOM].g);
    if (s->ledger != NULL) fclose(s->ledger);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->moved);
    dist_codec_free(s->codec);
    text_free(&s->bytes);
    free(s);
    return left;
}

// Half a second, or until something moves: a stop must be seen. With the lock.
static void nap(sender *s)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 500000000;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&s->moved, &s->lock, &t);
}

// With the lock.
static err failure(const sender *s)
{
    return err_repeat(&s->failed);
}

err sender_put(sender *s, sender_to *to, uint64_t generation, finished_game *g)
{
    pthread_mutex_lock(&s->lock);
    while (s->n == SENDER_ROOM && s->failed.code == ERR_OK && !stop_requested()) nap(s);
    err e = failure(s);
    if (e == ERR_OK && s->n == SENDER_ROOM) e = err_set(ERR_STOPPED, "stopped");
    if (e == ERR_OK) {
        s->ring[(s->first + s->n++) % SENDER_ROOM] = (item){to, generation, *g};
        *g = (finished_game){0};
        pthread_cond_broadcast(&s->moved);
    }
    pthread_mutex_unlock(&s->lock);
    if (e != ERR_OK) finished_game_free(g);
    return e;
}

err sender_flush(sender *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->n > 0 && s->failed.code == ERR_OK && !stop_requested()) nap(s);
    err e = failure(s);
    pthread_mutex_unlock(&s->lock);
    return e;
}

err sender_check(sender *s)
{
    pthread_mutex_lock(&s->lock);
    err e = failure(s);
    pthread_mutex_unlock(&s->lock);
    return e;
}

void sender_look(sender *s, sender_state *out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->st;
    out->waiting = s->n;
    pthread_mutex_unlock(&s->lock);
}
