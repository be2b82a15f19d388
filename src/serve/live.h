// Sessions that are open in memory, by id. Others are put away in the store (saved.h) and opened again when asked for.
//
// A session is used by one thread at a time: by whoever holds its lock, or, while `thinking` is set, by a worker that does
// not hold it. So a call that does not search never waits for one that does.
#ifndef KEIKO_SERVE_LIVE_H
#define KEIKO_SERVE_LIVE_H

#include "app/session.h"
#include "serve/events.h"
#include "serve/saved.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    LIVE_ID = 23,
    LIVE_MOST = 512,
    LIVE_AWAKE = 16,
    LIVE_IDLE_SECONDS = 900,
    LIVE_VIEWS = 3
}; // 22 characters: 132 random bits

typedef struct live {
    char id[LIVE_ID];
    pthread_mutex_t lock;
    session *s;              // NULL: not opened yet
    bool gone;               // deleted, or never there
    bool scratch;            // never stored
    bool thinking;           // a worker has the session
    bool awake;              // its agents are open; changed by who uses it, read when nobody does
    char *shown[LIVE_VIEWS]; // meanwhile: the answers to `state` for the referee and both seats
    _Atomic bool stop;       // the search shall end
    double deadline;         // of the search
    double told;             // when lines were last published; the worker's
    agent_watch watch;
    // under the table's lock
    int users;
    double used;
    struct live *next;
} live;

typedef struct live_table live_table;

err live_new(live_table **out, saved *store, hub *events); // caller frees with live_free
void live_free(live_table *t);                             // nobody may use a session any more

// The session of this id, locked and open; from the store where it is put away. ERR_MISSING: there is none.
err live_take(live_table *t, const char *id, live **out);
// A new one with a new id, locked and stored; takes `s` on success. `scratch`: in memory alone, and gone once put away.
err live_make(live_table *t, session *s, bool scratch, live **out);
void live_unlock(live *l); // a worker may still use it: see live_drop
void live_lock(live *l);
void live_drop(live_table *t, live *l); // neither locked nor used by the caller any more

err live_store(live_table *t, live *l);  // as it is now; locked
void live_undo(live *l);                 // forget what could not be stored: the next caller gets what is stored; locked
err live_delete(live_table *t, live *l); // locked

void live_topic(const live *l, char topic[EVENTS_TOPIC]);
int live_count(live_table *t);
void live_rest(live_table *t, double idle); // puts away what was not used for this many seconds
// Agents hold hash tables and trees, up to many MiB each: those of all but the LIVE_AWAKE sessions used last are closed.
void live_rest_agents(live_table *t);
void live_stop_all(live_table *t); // every search shall end

#endif
