// What a learner has counted: the place in the stream, and each worker's games.
//
// Games are delivered at least once. A worker numbers its games 1, 2, 3, … and publishes them in this order, so a game counts
// if its counter is above the highest one seen from that incarnation; anything else is a repetition. The ledger goes into the
// learner's checkpoint together with the positions, so after a crash both are of the same moment, and reading on from
// `sequence` + 1 counts every game exactly once. `counted` is kept beside `highest` only to be compared with it: they differ
// if a game was lost.
#ifndef KEIKO_DIST_LEDGER_H
#define KEIKO_DIST_LEDGER_H

#include "dist/message.h"

typedef struct ledger_row {
    uint64_t incarnation;
    char worker[DIST_NAME];
    uint64_t highest; // counter of the last game
    uint64_t counted; // games, those that came too late included
    uint64_t stale;   // of these: too old to be learned from
    uint64_t positions;
} ledger_row;

typedef struct ledger { // zero is empty
    uint64_t sequence;  // of the last message read
    int64_t created;    // when its stream was made, in ns; a stream of another age begins anew
    uint64_t repeated;  // messages that had come before
    uint64_t refused;   // messages that were damaged or foreign
    ledger_row *row;    // a hash table: `room` rows, empty where highest is 0
    size_t n, room;
} ledger;

void ledger_free(ledger *l);

// *fresh: the game was not seen before, and counts from now on.
err ledger_count(ledger *l, const dist_head *h, uint64_t positions, bool stale, bool *fresh);
const ledger_row *ledger_find(const ledger *l, uint64_t incarnation); // NULL: nothing came from it
ledger_row ledger_sum(const ledger *l);                               // of all rows; highest is a sum, too

// As text, and back.
err ledger_write(const ledger *l, text_buf *out);
err ledger_read(ledger *l, const char *text, size_t size);

#endif
