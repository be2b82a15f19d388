// Finished games on their way from a worker to the server, on a thread of their own, so that play goes on meanwhile.
//
// A run's games are numbered and published one by one, in order, each until the server has it on its disk. SENDER_ROOM games of a
// run may wait; then whoever has another one waits, too, until it is clear that the server takes none: from then on the round
// that is being played may end, and sender_ready says to begin no other one. A stream that is full, or a server that is away, thus
// stops play for the runs it concerns and for no others, and nothing is lost or skipped.
#ifndef KEIKO_DIST_SENDER_H
#define KEIKO_DIST_SENDER_H

#include "dist/bus.h"
#include "dist/message.h"

enum { SENDER_ROOM = 256, SENDER_TEXT = 200 };

typedef struct sender sender;

// Where a game goes, and who is sending: one per run. `counter` belongs to the sender once games were put.
typedef struct sender_to {
    const samples_shape *sh;
    char run[DIST_NAME], worker[DIST_NAME];
    uint64_t number, incarnation; // of the run; of this worker
    uint64_t counter;             // games published
    // The sender's own; zero at first.
    size_t waiting;
    double refused,
        later; // when the first of the attempts that failed was made, 0 = none has; no other attempt before this time
    bool leaves;
} sender_to;

// `ledger` (NULL: none) is a file that gets a line "incarnation counter" for every game the server has confirmed.
err sender_new(sender **out, bus *b, const char *ledger);
// Waits up to `seconds` for what is not sent yet, then ends. Returns how many games were left behind.
size_t sender_free(sender *s, double seconds);

// Takes what `g` holds. Waits while there is no room; ERR_STOPPED after base/stop. An error that ended the thread comes back here.
err sender_put(sender *s, sender_to *to, uint64_t generation, finished_game *g);
bool sender_ready(sender *s, const sender_to *to); // shall more games be made for this run?
// `to` will be forgotten. Waits up to `seconds` for its games, then drops them; returns how many.
size_t sender_leave(sender *s, sender_to *to, double seconds);
err sender_check(sender *s); // the error that ended the thread, if any

typedef struct sender_state {
    uint64_t games, bytes; // confirmed
    size_t waiting;        // games
    double blocked;        // seconds since the last success, while attempts fail (of the worst run); 0 = all is well
    char run[DIST_NAME];   // that run
    char why[SENDER_TEXT]; // the last sentence
} sender_state;
void sender_look(sender *s, sender_state *out);

#endif
