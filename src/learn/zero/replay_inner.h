// Private to learn/replay*.c.
#ifndef KEIKO_LEARN_ZERO_REPLAY_INNER_H
#define KEIKO_LEARN_ZERO_REPLAY_INNER_H

#include "learn/zero/replay.h"

typedef struct block {
    uint64_t first; // number of its first sample
    samples s;
} block;

struct replay {
    const samples_shape *sh;
    replay_options o;
    block *block; // in order, without gaps
    int n, room;
    int saved; // blocks that lie on the disk; those before the window are forgotten only then
    uint64_t total;
};

void replay_forget_old(replay *r); // blocks that left the window and are safe on the disk

#endif
