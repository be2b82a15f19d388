// Ctrl-C as a flag that long work looks at.
//
// The first SIGINT or SIGTERM only sets the flag: loops see stop_requested(), finish what must not be lost and return
// ERR_STOPPED. The second one ends the program at once with the status a shell expects (128 + signal), unless it comes
// within half a second: timeout(1) signals the program and its group, which is one wish, not two. Blocking calls are not
// restarted, so a wait returns with EINTR. Only cli/ installs the handler.
#ifndef KEIKO_BASE_STOP_H
#define KEIKO_BASE_STOP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

void stop_install(const char *notice); // `notice` is written to stderr on the first signal (NULL: nothing); a constant
bool stop_requested(void);             // cheap: one relaxed load
void stop_request(void);               // as if a signal had come: a time limit, the page's stop button
int stop_signal(void);                 // the first signal, 0 when there was none
void stop_before_exit(void (*fn)(void)); // run before the second signal ends us; must be safe in a handler. NULL: none
void stop_reset(void);                   // forget it all; the handler stays
err stop_check(void);                    // ERR_STOPPED with a sentence once a stop is requested

// A question that one long computation asks now and then: shall it end early, with what it knows? Asked every millisecond or
// so, by one thread at a time. A NULL pointer or function means no.
typedef struct stop_ask {
    bool (*ask)(void *ctx);
    void *ctx;
} stop_ask;

static inline bool stop_asked(const stop_ask *s)
{
    return s != NULL && s->ask != NULL && s->ask(s->ctx);
}

#endif
