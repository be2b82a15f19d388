// Private to eval/: the evaluator's parts.
#ifndef KEIKO_EVAL_EVAL_INNER_H
#define KEIKO_EVAL_EVAL_INNER_H

#include "eval/cache.h"
#include "eval/eval.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct lane { // what one call needs; borrowed for its duration
    nn_infer *h;
    uint64_t *bits;  // [max_batch][planes][words]
    float *scalars;  // [max_batch][scalars]
    float *out;      // [max_batch][nn_out_size]
    uint16_t *index; // [max_legal][heads]
    int *at;         // [max_batch] which position of the call a row is
    uint32_t *start; // priors: [max_batch + 1] a row's moves
    float *prior;    // priors: [moves]
    float *rest;     // priors: [max_batch][nn_rest_size]
    size_t moves_room;
    eval_key *key; // [max_batch]
    struct lane *next;
} lane;

typedef struct job { // a call that waits in the queue; lives on the caller's stack
    const mcts_batch *b;
    bool taken, done;
    struct job *next;
} job;

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    job *first, **last;
    int calls, positions; // waiting
} queue;

struct evaluator {
    const game *g;
    const encoding *enc;
    const nn_backend *backend;
    nn_desc desc;
    int head_at[GAME_MAX_HEADS], value_at;
    int margin_at;              // -1: the network knows no margin
    int rest_each, value_rest;  // priors: numbers per position beside them; the value's place there
    int margin_rest;            // and the margin's, -1: none
    size_t bits_each, out_each; // words and floats per position
    eval_options o;
    eval_cache *cache;
    bool narrow;

    pthread_mutex_t lock; // guards the lanes and the error
    pthread_cond_t freed;
    lane *idle, *first;
    int n_lanes;
    err_first failed;

    queue q;

    _Atomic uint64_t positions, hits, batches, run, gathered, nanoseconds, sending, encoding; // the last three: ns
    pthread_mutex_t busy_lock;
    int running; // batches in the network
    double busy_since, busy;
    atomic_int deepest, users;

    // registry
    char *name;
    struct evaluator *next;
    int refs;
};

// Positions of random games, as the network reads them, for narrow numbers' scales. Free with eval_sample_free.
err eval_sample(nn_sample *out, const game *g, const encoding *enc, const nn_desc *d, int n);
void eval_sample_free(nn_sample *s);

void eval_now(evaluator *e, const mcts_batch *b, bool cached);
err eval_queue_init(evaluator *e);
void eval_queue_end(evaluator *e);
void eval_queued(evaluator *e, const mcts_batch *b);

#endif
