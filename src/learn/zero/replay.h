// The positions that a network learns from: a window over all that self-play has made, in memory and on the disk.
//
// Every sample has a number, counted from the beginning of the run. The window is the newest `window(total)` of them and
// grows with the run, so early, weak games are forgotten while there is little, and much is kept when there is much. A
// batch is drawn uniformly from the window with replacement, each position turned by a random symmetry of the game; which
// ones is a function of (seed, step) alone.
//
// On the disk a run's samples lie in files that are written whole and never changed, named after their first sample's
// number, zstd-compressed where that library was there at build time. A checkpoint says how many samples there were; what
// lies beyond is removed when a run is resumed, what has left the window when a checkpoint is made.
#ifndef KEIKO_LEARN_ZERO_REPLAY_H
#define KEIKO_LEARN_ZERO_REPLAY_H

#include "base/pool.h"
#include "learn/zero/samples.h"
#include "nn/loss.h"

typedef struct replay replay;

typedef struct replay_options {
    uint64_t least, most; // bounds of the window, in samples
    double share;         // window = share * total within those bounds, at most 1
    bool on_disk;         // replay_save will be called: what was not written yet stays in memory until then
} replay_options;

err replay_new(replay **out, const samples_shape *sh,
               const replay_options *o); // borrows the shape; free with replay_free
void replay_free(replay *r);

err replay_add(replay *r, samples *block); // takes the arrays over and leaves `block` empty; also on failure
uint64_t replay_total(const replay *r);    // made so far
uint64_t replay_window(const replay *r);   // that can be drawn now
size_t replay_bytes(const replay *r);      // in memory

// --- drawing

typedef struct replay_batch { // zero; its memory grows when needed and is freed with replay_batch_free
    nn_batch b;               // ready for a learner
    double staleness;         // mean age of the batch's positions, in steps

    // inner
    uint64_t *pick; // numbers of the positions
    uint8_t *sym;   // how each is turned
    uint64_t *bits;
    float *scalars, *value, *margin, *prob, *owner;
    uint8_t *owner_mask;
    float *reply[GAME_MAX_HEADS];
    uint32_t *start;
    uint16_t *index;
    float *head[GAME_MAX_HEADS];
    uint8_t *mask[GAME_MAX_HEADS];
    size_t picks_room, n_room, moves_room, head_room, owner_room, reply_room;
} replay_batch;

typedef struct replay_draw_options {
    const nn_desc
        *net;     // whose heads get the targets: policy heads in the game's order, the value, a scalar head of one
                  // number (the margin), a board head of one plane (the owners), reply heads in the game's order
    bool by_head; // each policy head learns its own marginal (the seeds); else the moves' joint distribution
    bool symmetries;
    float value_scale, margin_scale, owner_scale, reply_scale; // weights of these losses; the last two: 0 = not learned
    pool *threads;                                             // may be NULL
} replay_draw_options;

// Which positions the batch of training step `step` takes and how they are turned: pick, sym and staleness alone.
err replay_pick(const replay *r, uint64_t seed, uint64_t step, int n, bool symmetries, replay_batch *out);
// The same batch whole.
err replay_draw(const replay *r, uint64_t seed, uint64_t step, int n, const replay_draw_options *o, replay_batch *out);
void replay_batch_free(replay_batch *b);

// --- on the disk

// What is not there yet goes into one new file; then files that lie wholly before sample `oldest` are removed.
err replay_save(replay *r, const char *dir, uint64_t oldest);
// The window of a run that had made `total` samples; files beyond are removed. `r` must be empty.
err replay_load(replay *r, const char *dir, uint64_t total);
uint64_t replay_oldest(const replay *r); // number of the window's first sample

// One file's bytes, checked; appends to `s`. For replay_load and the fuzzer.
err replay_parse(const samples_shape *sh, const void *data, size_t size, uint64_t *first, samples *s);

#endif
