// A game and a network joined into what a tree search asks: priors of legal moves and a value.
//
// A position is encoded straight into the buffer the network reads, at the place of the next position that the cache does
// not know. A move's logit is the sum over the game's heads. On the CPU the answer is these logits, and the tree takes
// their softmax over the legal moves; a GPU does that itself and sends nothing else back. evaluator_logits tells which
// of both mcts_options.logits must say. The value is the network's, for the seat to move. Any number of threads may call at
// once: each call borrows a lane, which is a handle on the shared weights with buffers of its own.
//
// On the CPU an answer is a function of the position and the weights alone: not of the batch, the cache, the queue or the
// threads. A GPU may round differently from batch to batch.
//
// With `queue` set, calls of several threads are put together into one batch: whoever brings it to `queue` positions, or
// has waited long enough, evaluates for all. That is for a GPU shared by many single trees; on a CPU every thread
// evaluates for itself.
#ifndef KEIKO_EVAL_EVAL_H
#define KEIKO_EVAL_EVAL_H

#include "games/game.h"
#include "nn/backend.h"
#include "search/mcts/mcts.h"

typedef struct evaluator evaluator;

typedef struct eval_options {
    const char *backend;  // "auto" (or NULL), "cpu", "cuda"
    const char *encoding; // of the game; NULL = what the network's note names, else the first that fits
    int max_batch;        // positions the network takes at once; 0 = 64 (CPU) or 1024. Larger calls are cut
    int lanes;            // calls at once; others wait. 0 = 256; made when needed
    size_t cache;         // bytes of position cache; 0 = none
    int queue;            // gather calls until this many positions are together; 0 = never
    double queue_wait;    // seconds that a call waits for others at most; 0 = 0.0005
    bool priors;          // have the backend take the softmax; always so on a GPU
    // "auto" (or NULL): f32 on the CPU, bf16 on a GPU. "int8" on the CPU and "fp8" on a GPU: narrow numbers for the trunk,
    // scaled by positions of random games anew with every update. int8 needs VNNI; without it f32 is faster and used.
    const char *precision;
} eval_options;

typedef struct eval_stats {
    uint64_t positions; // asked for
    uint64_t hits;      // answered by the cache
    uint64_t batches;   // given to the network
    uint64_t run;       // positions in them
    uint64_t room;      // max_batch * batches: run / room is how full they were
    uint64_t gathered;  // batches that joined several calls
    int deepest;        // most calls that waited in the queue at once
    double seconds;     // spent inside the network, all lanes together, `send` included
    double send;        // of those: lists of moves, copies, the launch
    double encode;      // spent before that: encoding, the cache
    double busy;        // while at least one batch was in the network
} eval_stats;

// Which encoding does this network read? A sentence that names both sides when it does not fit the game at all.
err eval_fit(const game *g, const nn_net *net, const char *wanted, const encoding **out);

// Value of `key` in a note's lines "key = value"; false when there is none.
bool eval_note(const char *note, const char *key, char *out, size_t n);

err evaluator_new(evaluator **out, const game *g, const nn_net *net, const eval_options *o); // o may be NULL
err evaluator_update(evaluator *e, const nn_net *net); // new weights, same shape; no call may be running
// The same in two halves: other threads may go on with the old weights during the first.
err evaluator_stage(evaluator *e, const nn_net *net);
err evaluator_swap(evaluator *e);
void evaluator_free(evaluator *e);

// For mcts.h; valid as long as `e`. A backend's failure leaves zeros and is kept for evaluator_check.
mcts_evaluator evaluator_mcts(evaluator *e);
bool evaluator_logits(const evaluator *e); // false: it gives probabilities
bool evaluator_on_gpu(const evaluator *e);
bool evaluator_margins(const evaluator *e); // it knows the margin to expect (a scalar head): mcts_batch.margins
err evaluator_check(evaluator *e);
eval_stats evaluator_statistics(evaluator *e);
const encoding *evaluator_encoding(const evaluator *e);
const char *evaluator_text(const evaluator *e); // how the network runs, for people

// Are entries at … at+n-1 all in the cache? Then they are answered (mcts_group's `known`).
bool evaluator_known(evaluator *e, const mcts_batch *b, int at, int n);

// The answer for n positions without cache and queue.
err evaluator_raw(evaluator *e, const mcts_batch *b);

// --- weights from files, shared: two agents with the same file, game and options use one evaluator

err evaluator_open(evaluator **out, const game *g, const char *file, const eval_options *o); // release when done
void evaluator_release(evaluator *e);                                                        // NULL is fine

#endif
