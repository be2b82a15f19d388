// See timed_call.h.
#include "dist/timed_call.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct timed_call { // of both sides; whoever comes last frees it
    pthread_mutex_t lock;
    pthread_cond_t back;
    void (*f)(void *arg);
    void *arg;
    bool done, left;
} timed_call;

static void timed_call_free(timed_call *c)
{
    pthread_cond_destroy(&c->back);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static void *go(void *arg)
{
    timed_call *c = arg;
    c->f(c->arg);
    pthread_mutex_lock(&c->lock);
    bool left = c->left;
    c->done = true;
    pthread_cond_signal(&c->back);
    pthread_mutex_unlock(&c->lock);
    if (left) timed_call_free(c);
    return NULL;
}

static bool wait_for(timed_call *c, double seconds)
{
    struct timespec until = clock_after(seconds);
    pthread_mutex_lock(&c->lock);
    for (int code = 0; !c->done && code != ETIMEDOUT;) code = pthread_cond_timedwait(&c->back, &c->lock, &until);
    bool done = c->done;
    c->left = !done;
    pthread_mutex_unlock(&c->lock);
    return done;
}

bool timed_call_run(void (*f)(void *arg), void *arg, double seconds)
{
    pthread_t thread;
    timed_call *c = calloc(1, sizeof *c);
    if (c != NULL) {
        *c = (timed_call){.f = f, .arg = arg};
        pthread_mutex_init(&c->lock, NULL);
        clock_cond_init(&c->back);
    }
    if (c == NULL || pthread_create(&thread, NULL, go, c) != 0) { // without a thread there is no choice
        if (c != NULL) timed_call_free(c);
        f(arg);
        return true;
    }
    bool done = wait_for(c, seconds);
    if (!done) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    timed_call_free(c);
    return true;
}
