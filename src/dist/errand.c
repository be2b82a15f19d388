// See errand.h.
#include "dist/errand.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

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
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    double whole = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + seconds;
    until.tv_sec = (time_t)whole;
    until.tv_nsec = (long)(1e9 * (whole - (double)until.tv_sec));
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
        pthread_cond_init(&e->back, NULL);
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
