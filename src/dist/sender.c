// See sender.h.
#include "dist/sender.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stop.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAY_EVERY 10.0
#define REFUSED   1.0 // seconds of failing after which a run stands back for others, and is tried again

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
    item *queue;          // as they came; one is taken off when the server has it
    size_t n, room;
    sender_to *at_work; // whose game is being published
    bool stood_back;    // the attempt was broken off in favour of other runs
    bool ends;          // no more will come
    double give_up;     // when ending: at this time; 0 = never
    err_first failed;
    sender_state st;
};

// The rest of this part: with the lock.

static bool is_refused(const sender_to *to, double now)
{
    return to->refused > 0 && now - to->refused > REFUSED;
}

// The first game that may be tried now; of each run, the oldest comes first. NULL: none.
static const item *next_of(const sender *s, double now)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->queue[i].to->later <= now && !s->queue[i].to->leaves) return &s->queue[i];
    return NULL;
}

static bool others_wait(const sender *s, const sender_to *to)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->queue[i].to != to) return true;
    return false;
}

// Takes the oldest game of a run off.
static void take_off(sender *s, sender_to *to)
{
    size_t i = 0;
    while (s->queue[i].to != to) i++;
    finished_game_free(&s->queue[i].g);
    memmove(&s->queue[i], &s->queue[i + 1], (--s->n - i) * sizeof *s->queue);
    to->waiting--;
}

// --- sending

// Called by bus_put while it waits.
static bool waits(void *ctx, const char *why, double seconds)
{
    sender *s = ctx;
    sender_to *to = s->at_work;
    double now = clock_seconds();
    pthread_mutex_lock(&s->lock);
    if (to->refused == 0) to->refused = now - seconds;
    double since = now - to->refused;
    snprintf(s->st.why, sizeof s->st.why, "%s", why);
    s->stood_back = is_refused(to, now) && others_wait(s, to);
    bool go_on = (s->give_up == 0 || now < s->give_up) && !to->leaves && !s->stood_back;
    pthread_mutex_unlock(&s->lock);
    if (since > 1 && now - s->said_at > SAY_EVERY) {
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
    return ERR_OK;
}

static void nap(sender *s);

static void *work(void *ctx)
{
    sender *s = ctx;
    pthread_mutex_lock(&s->lock);
    while (s->failed.code == ERR_OK && (s->n > 0 || !s->ends)) {
        const item *next = next_of(s, clock_seconds());
        if (next == NULL) {
            if (s->n == 0)
                pthread_cond_wait(&s->moved, &s->lock);
            else
                nap(s);
            continue;
        }
        item one = *next; // the queue may move meanwhile; the game stays
        sender_to *to = s->at_work = one.to;
        s->stood_back = false;
        pthread_mutex_unlock(&s->lock);
        err e = send_one(s, &one);
        pthread_mutex_lock(&s->lock);
        double now = clock_seconds();
        s->at_work = NULL;
        if (e == ERR_OK) {
            if (s->said_at > 0 && is_refused(to, now)) log_info("the server takes games again");
            to->refused = 0;
            s->st.games++;
            s->st.bytes += s->bytes.len;
            take_off(s, to);
        } else if (s->stood_back && (s->give_up == 0 || now < s->give_up)) {
            to->later = now + REFUSED;
        } else if (!to->leaves) {
            err_keep(&s->failed, e);
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
    clock_cond_init(&s->moved);
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
    for (size_t i = 0; i < s->n; i++) finished_game_free(&s->queue[i].g);
    free(s->queue);
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
    struct timespec t = clock_after(0.5);
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
#define NO_ROOM (to->waiting >= SENDER_ROOM && !is_refused(to, clock_seconds()))
    while (NO_ROOM && s->failed.code == ERR_OK && !stop_requested()) nap(s);
    err e = failure(s);
    if (e == ERR_OK && NO_ROOM) e = err_set(ERR_STOPPED, "stopped");
#undef NO_ROOM
    if (e == ERR_OK && !GROW(s->queue, s->n, s->room)) e = err_set(ERR_MEMORY, "no memory for games to send");
    if (e == ERR_OK) {
        s->queue[s->n++] = (item){to, generation, *g};
        to->waiting++;
        *g = (finished_game){0};
        pthread_cond_broadcast(&s->moved);
    }
    pthread_mutex_unlock(&s->lock);
    if (e != ERR_OK) finished_game_free(g);
    return e;
}

bool sender_ready(sender *s, const sender_to *to)
{
    pthread_mutex_lock(&s->lock);
    bool ready = to->waiting < SENDER_ROOM || !is_refused(to, clock_seconds());
    pthread_mutex_unlock(&s->lock);
    return ready;
}

size_t sender_leave(sender *s, sender_to *to, double seconds)
{
    double until = clock_seconds() + seconds;
    size_t left = 0;
    pthread_mutex_lock(&s->lock);
    while (to->waiting > 0 && s->failed.code == ERR_OK && clock_seconds() < until) nap(s);
    to->leaves = true;
    while (s->at_work == to) nap(s); // its game is in the sender's hands
    for (; to->waiting > 0; left++) take_off(s, to);
    to->refused = to->later = 0;
    to->leaves = false;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    return left;
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
    double now = clock_seconds();
    pthread_mutex_lock(&s->lock);
    *out = s->st;
    out->waiting = s->n;
    for (size_t i = 0; i < s->n; i++) {
        const sender_to *to = s->queue[i].to;
        if (to->refused == 0 || now - to->refused + 0.001 <= out->blocked) continue;
        out->blocked = now - to->refused + 0.001;
        memcpy(out->run, to->run, sizeof out->run);
    }
    pthread_mutex_unlock(&s->lock);
}
