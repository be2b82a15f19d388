// See errand.h.
#include "dist/errand.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct errand { // of both sides; whoever comes last frees it
    pthread_mutex_t lock;
    pthread_cond_t back;
    void (*f)(void *arg);
    void *arg;
    bool done, left;
} errand;

static void errand_free(errand *e)
{
    pthread_cond_destroy(&e->back);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

static void *go(void *arg)
{
    errand *e = arg;
    e->f(e->arg);
    pthread_mutex_lock(&e->lock);
    bool left = e->left;
    e->done = true;
    pthread_cond_signal(&e->back);
    pthread_mutex_unlock(&e->lock);
    if (left) errand_free(e);
    return NULL;
}

static bool wait_for(errand *e, double seconds)
{
    struct timespec until = clock_after(seconds);
    pthread_mutex_lock(&e->lock);
    for (int code = 0; !e->done && code != ETIMEDOUT;) code = pthread_cond_timedwait(&e->back, &e->lock, &until);
    bool done = e->done;
    e->left = !done;
    pthread_mutex_unlock(&e->lock);
    return done;
}

bool errand_run(void (*f)(void *arg), void *arg, double seconds)
{
    pthread_t thread;
    errand *e = calloc(1, sizeof *e);
    if (e != NULL) {
        *e = (errand){.f = f, .arg = arg};
        pthread_mutex_init(&e->lock, NULL);
        clock_cond_init(&e->back);
    }
    if (e == NULL || pthread_create(&thread, NULL, go, e) != 0) { // without a thread there is no choice
        if (e != NULL) errand_free(e);
        f(arg);
        return true;
    }
    bool done = wait_for(e, seconds);
    if (!done) {
        pthread_detach(thread);
        return false;
    }
    pthread_join(thread, NULL);
    errand_free(e);
    return true;
}
