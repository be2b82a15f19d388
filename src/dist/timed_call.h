// A call that may never come back, made in a thread of its own: closing a connection of libnats 3.4 can lock itself up while
// messages still arrive.
#ifndef KEIKO_DIST_TIMED_CALL_H
#define KEIKO_DIST_TIMED_CALL_H

#include <stdbool.h>

// Calls f(arg) and waits for it, but no longer than `seconds`. False: the call goes on by itself and keeps what it uses.
bool timed_call_run(void (*f)(void *arg), void *arg, double seconds);

#endif
