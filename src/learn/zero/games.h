// Finished games of self-play: the seam between those who play and the one who learns.
//
// A self-play worker puts each finished game into a sink and knows nothing of what becomes of it; the learner takes games from
// a source and knows nothing of who played them. In one process both are a queue. Elsewhere a game travels as bytes.
#ifndef KEIKO_LEARN_ZERO_GAMES_H
#define KEIKO_LEARN_ZERO_GAMES_H

#include "learn/zero/samples.h"

typedef struct finished_game { // zero is empty
    uint64_t id;               // its number in the run; no two games of a run have the same
    uint64_t weights;          // version of the weights at its end: their training steps
    uint32_t plies;            // moves played, also those before the first sample
    uint8_t halves;            // of the first player: 2 win, 1 draw, 0 loss
    bool resigned;
    uint64_t sims; // simulations spent on it; not among its bytes
    samples s;     // its positions, with targets
} finished_game;

void finished_game_free(finished_game *g);

// As bytes, and back: refuses what is truncated, inconsistent or of another shape.
err finished_game_write(const finished_game *g, const samples_shape *sh, text_buf *out);
err finished_game_read(finished_game *g, const samples_shape *sh, const void *data, size_t size);

// Takes what `g` holds, whatever happens, and leaves it empty.
typedef struct game_sink {
    err (*put)(void *ctx, finished_game *g);
    void *ctx;
} game_sink;

// Gives the next game to its caller; *got false: none is waiting.
typedef struct game_source {
    err (*take)(void *ctx, finished_game *g, bool *got);
    void *ctx;
} game_source;

// All games that wait, their positions appended to `to` in the order they come; *games counts them.
err game_source_drain(const game_source *from, const samples_shape *sh, samples *to, uint64_t *games);

// --- both in one process: first in, first out, from any thread

typedef struct game_queue game_queue;

err game_queue_new(game_queue **out); // caller frees
void game_queue_free(game_queue *q);  // NULL is fine
game_sink game_queue_sink(game_queue *q);
game_source game_queue_source(game_queue *q);

#endif
