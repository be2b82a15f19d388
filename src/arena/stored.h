// Stored moves played again, one by one, for whoever prints or draws them.
//
// A store is a file that anybody may write to, and games take legal moves only: each move is looked for among the legal
// ones before it is played, and one that is not there is told as damage, with its place.
#ifndef KEIKO_ARENA_STORED_H
#define KEIKO_ARENA_STORED_H

#include "arena/tour.h"

typedef struct stored_line {
    const tour_setup *setup;
    const char *path;    // of the store, for the sentence of an error; "" = none
    const char *what;    // "game", "opening"; for that sentence, too
    uint64_t number;     // of it, from 0
    uint32_t opening;    // keys the game's own chance
    const move_t *moves; // NULL: not kept, so there is nothing to replay
    int plies;
} stored_line;

// What the seat to move sees and the move it made; MOVE_NONE after the last one. An error ends the replay.
typedef err stored_see(void *ctx, const void *obs, move_t next);
err stored_replay(const stored_line *r, stored_see *see, void *ctx); // see NULL: the moves are only checked

#endif
