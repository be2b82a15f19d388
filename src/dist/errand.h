// A call that may never come back, made in a thread of its own: closing a connection of libnats 3.4 can lock itself up while
// messages still arrive.
#ifndef KEIKO_DIST_ERRAND_H
#define KEIKO_DIST_ERRAND_H

#include <stdbool.h>

// f(arg), for which it waits at most so many seconds. False: it is still at work and goes on; what it uses is its own then.
bool errand_run(void (*f)(void *arg), void *arg, double seconds);

#endif
