// The stop flag and its signal handler. See stop.h.
#define _XOPEN_SOURCE 700 // sigaction, clock_gettime
#include "base/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Lock-free atomics are the one thing a handler may share with threads.
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2, "the handler needs lock-free integers");
static _Atomic int requested, first_signal;
static _Atomic long long first_at; // milliseconds, 0 before the first signal
static const char *_Atomic notice_text;
static void (*_Atomic before_exit)(void);

enum { ONE_STOP = 500 }; // milliseconds in which several signals mean one stop

static long long now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t); // safe in a handler
    return 1 + t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void on_signal(int sig)
{
    int code = errno;
    long long at = now(), first = 0;
    if (!atomic_compare_exchange_strong(&first_at, &first, at)) {
        errno = code;
        if (at - first < ONE_STOP) return;
        void (*fn)(void) = atomic_load(&before_exit);
        if (fn != NULL) fn();
        _exit(128 + sig);
    }
    atomic_store(&first_signal, sig);
    atomic_store(&requested, 1);
    const char *s = atomic_load(&notice_text);
    if (s != NULL) (void)!write(STDERR_FILENO, s, strlen(s));
    errno = code;
}

void stop_install(const char *notice)
{
    atomic_store(&notice_text, notice);
    struct sigaction a = {.sa_handler = on_signal}; // no SA_RESTART: waits shall end
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

bool stop_requested(void)
{
    return atomic_load_explicit(&requested, memory_order_relaxed) != 0;
}

void stop_request(void)
{
    atomic_store(&requested, 1);
}

void stop_before_exit(void (*fn)(void))
{
    atomic_store(&before_exit, fn);
}

int stop_signal(void)
{
    return atomic_load(&first_signal);
}

void stop_reset(void)
{
    atomic_store(&first_at, 0);
    atomic_store(&first_signal, 0);
    atomic_store(&requested, 0);
}

err stop_check(void)
{
    return stop_requested() ? err_set(ERR_STOPPED, "stopped on request") : ERR_OK;
}
