// A copy of the replay window in the learner's own memory (nn/window.h), where its backend offers one.
//
// The window itself stays what it is: it is saved and loaded, and which positions a step takes is decided there. The copy
// follows it before every round of learning, so after a resume it simply has everything to fetch. A step then hands over
// numbers and symmetries only; the batch is the one that replay_draw would make, to the bit.
#ifndef KEIKO_LEARN_ZERO_REPLAY_COPY_H
#define KEIKO_LEARN_ZERO_REPLAY_COPY_H

#include "learn/zero/replay.h"
#include "nn/backend.h"

typedef struct replay_copy replay_copy;

// For `l`, a learner of `b` on o->net; `bytes` as in nn_window_shape. ERR_MISSING: the backend has no such memory, or the game's symmetries are
// no permutations of squares. ERR_MEMORY: it does not fit. Borrows backend, learner and shape; free it before the learner.
err replay_copy_new(replay_copy **out, const nn_backend *b, nn_learner *l, const samples_shape *sh, uint64_t most,
                    size_t bytes, const replay_draw_options *o);
void replay_copy_free(replay_copy *c);

// Fetches what `r` has and the copy has not. ERR_MEMORY: it no longer fits and is of no more use.
err replay_copy_follow(replay_copy *c, const replay *r);
// One training step: replay_draw and learner_step in one. `picks` gets pick, sym and staleness.
err replay_copy_step(replay_copy *c, const replay *r, uint64_t seed, uint64_t step, int n, float lr,
                     replay_batch *picks, nn_step_report *report);

// The tables of a game's symmetries and its moves' places, for nn_window_shape. Free with replay_tables_free.
err replay_tables_make(const samples_shape *sh, const replay_draw_options *o, nn_window_shape *out);
void replay_tables_free(nn_window_shape *w);
nn_packed replay_packed(const samples *s); // a view; borrowed

#endif
