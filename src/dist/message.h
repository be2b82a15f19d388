// One finished game as a message: who played it, with which weights, and its positions.
//
// The bytes, in little-endian order:
//    0  char[7]  "keikoGM"
//    7  u8       format, DIST_FORMAT
//    8  u32      CRC-32C of everything behind it
//   12  u32      size of the game's bytes (learn/zero/games.h) before compression
//   16  u64      run: its number; a message of another run is refused
//   24  u64      incarnation of the worker: drawn when the process starts
//   32  u64      counter: games of this incarnation, from 1, without gaps
//   40  u64      generation of the weights at the game's end
//   48  u64      simulations spent on the game
//   56  char[32] worker's name, padded with zeros
//   88  u8       compression: 0 none, 1 zstd; seven bytes of zero follow
//   96           the game
// (worker, incarnation, counter) names a game in all the world: a message that arrives twice is recognised by it.
#ifndef KEIKO_DIST_MESSAGE_H
#define KEIKO_DIST_MESSAGE_H

#include "learn/zero/games.h"

enum { DIST_FORMAT = 1, DIST_NAME = 32, DIST_ID = DIST_NAME + 48 };

typedef struct dist_head {
    uint64_t run, incarnation, counter, generation;
    char worker[DIST_NAME]; // ends in NUL
} dist_head;

// Memory of the compressor, reused from message to message; not for two threads at once.
typedef struct dist_codec dist_codec;
err dist_codec_new(dist_codec **out); // caller frees
void dist_codec_free(dist_codec *c);  // NULL is fine

err dist_game_write(dist_codec *c, const dist_head *h, const finished_game *g, const samples_shape *sh, text_buf *out);
// Refuses what is damaged, of another format, of another run (`run`), or does not fit the shape; the sentence says which.
err dist_game_read(dist_codec *c, dist_head *h, finished_game *g, const samples_shape *sh, uint64_t run,
                   const void *data, size_t size);

const char *dist_game_id(const dist_head *h, char id[DIST_ID]); // "worker-incarnation-counter"

// Names of runs and workers are parts of subjects: letters, digits, '-' and '_', at most 31 of them.
err dist_name_check(const char *what, const char *name);
void dist_name_make(char out[DIST_NAME], const char *from); // a name of any text: other characters become '-'

err dist_draw(uint64_t *out); // a number nobody else has: of the system's random source, never 0

#endif
