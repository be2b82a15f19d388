// POSIX threads for the single-threaded build in the browser: locks always succeed, no thread can be started.
//
// The browser build compiles the same files as the program and finds this header instead of the system's. Code that asks
// for threads gets EAGAIN and goes on with the calling thread alone, as on a machine that has none to spare.
#ifndef KEIKO_WASM_POSIX_PTHREAD_H
#define KEIKO_WASM_POSIX_PTHREAD_H

#include <errno.h>
#include <time.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t, pthread_once_t, pthread_condattr_t;

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER  0
#define PTHREAD_ONCE_INIT         0

static inline int pthread_mutex_init(pthread_mutex_t *m, const void *attr)
{
    (void)attr;
    *m = 0;
    return 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t *m)
{
    (void)m;
    return 0;
}
static inline int pthread_mutex_lock(pthread_mutex_t *m)
{
    (void)m;
    return 0;
}
static inline int pthread_mutex_trylock(pthread_mutex_t *m)
{
    (void)m;
    return 0;
}
static inline int pthread_mutex_unlock(pthread_mutex_t *m)
{
    (void)m;
    return 0;
}

static inline int pthread_condattr_init(pthread_condattr_t *a)
{
    *a = 0;
    return 0;
}
static inline int pthread_condattr_setclock(pthread_condattr_t *a, clockid_t clock)
{
    (void)a;
    (void)clock;
    return 0;
}
static inline int pthread_condattr_destroy(pthread_condattr_t *a)
{
    (void)a;
    return 0;
}
static inline int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    (void)attr;
    *c = 0;
    return 0;
}
static inline int pthread_cond_destroy(pthread_cond_t *c)
{
    (void)c;
    return 0;
}
static inline int pthread_cond_signal(pthread_cond_t *c)
{
    (void)c;
    return 0;
}
static inline int pthread_cond_broadcast(pthread_cond_t *c)
{
    (void)c;
    return 0;
}
// Nobody else could ever signal, so a wait returns at once and a timed wait has timed out.
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    (void)c;
    (void)m;
    return 0;
}
static inline int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    (void)c;
    (void)m;
    (void)until;
    return ETIMEDOUT;
}

static inline int pthread_once(pthread_once_t *once, void (*fn)(void))
{
    if (*once == 0) fn();
    *once = 1;
    return 0;
}

static inline int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    (void)before;
    (void)parent;
    (void)child;
    return 0;
}
static inline int pthread_create(pthread_t *t, const void *attr, void *(*fn)(void *), void *arg)
{
    (void)t;
    (void)attr;
    (void)fn;
    (void)arg;
    return EAGAIN;
}
static inline int pthread_join(pthread_t t, void **result)
{
    (void)t;
    (void)result;
    return EINVAL;
}

#endif
