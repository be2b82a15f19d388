// The seam between those who use networks (evaluators, learners) and those who run them (the CPU, a GPU).
//
// A backend is a const table. Glossary:
//   infer    runs one network on batches of positions. One call at a time on a handle; different handles may run at once.
//   trainer  owns a network and improves it, batch by batch.
//   window   samples that lie with a trainer, so that a batch is asked for by their numbers (window.h). Not every backend has it.
//   state    all a trainer needs to continue exactly: weights, running statistics, moments, averages, step count (state.h).
//            Every backend reads and writes the same bytes, so a run may move from one to another.
// Inputs and outputs are those of infer.h and loss.h on every backend: bit planes in, logits, values and Q-values out.
// On the CPU results do not depend on the number of threads, on the batch or on which handle ran; a GPU may round otherwise.
#ifndef KEIKO_NN_BACKEND_H
#define KEIKO_NN_BACKEND_H

#include "base/pool.h"
#include "base/text.h"
#include "nn/loss.h"
#include "nn/net.h"
#include "nn/train.h"
#include "nn/window.h"

typedef struct nn_infer nn_infer;     // a backend's own; never looked into
typedef struct nn_learner nn_learner; // the same

// Real positions from which a backend may choose the scales of narrow numbers (int8, fp8).
typedef struct nn_sample {
    int n; // some hundreds
    const uint64_t *bits;
    const float *scalars;
} nn_sample;

typedef struct nn_infer_options {
    int max_batch; // most positions per call; 0 = 256
    pool *threads; // CPU: shared by the calls' pieces, borrowed; NULL = the calling thread alone
    int device;    // GPU: which one
    const nn_sample
        *narrow; // NULL = the backend's usual numbers (CPU: f32); else its narrow ones, scaled by these positions
} nn_infer_options;

// The legal moves of a batch and what a search wants to know of it: no more than this comes back from a GPU.
typedef struct nn_moves {
    const uint32_t *start; // [n+1]: position i has moves start[i] … start[i+1]-1; start[0] is 0
    const uint16_t *index; // [moves][policy heads]: a move's logit is the sum over the heads, as in loss.h
    float *prior;          // out, [moves]: softmax over the position's moves
    float *rest;           // out, [n][nn_rest_size]: the outputs of all heads that are no policy, in their order
} nn_moves;

int nn_rest_size(const nn_desc *d);
// From full outputs out[n][nn_out_size], where no kernel did it.
void nn_moves_fill(const nn_desc *d, int n, const float *out, const nn_moves *m);

// What a GPU has done for this process, in seconds of its own clock, since `usage` was asked for the first time. Batches of
// a few positions are not counted.
typedef struct nn_usage {
    double infer;    // while at least one batch's kernels ran, or waited for a multiprocessor that others held
    double learn;    // the same of training steps, from a step's first kernel to its last
    double any;      // of either: the rest of the time nothing ran
    double kernel;   // from each batch's first kernel to its last, all batches together (they overlap)
    double transfer; // each batch's copies to the GPU and back, all together
} nn_usage;

typedef struct nn_backend {
    const char *name; // as typed: "cpu", "cuda"
    bool (*available)(char *why,
                      size_t n); // can this machine run it? `why` gets the sentence: what runs, or what lacks

    // Inference. Caller frees every handle. `net` and `o` are read during the call only; o may be NULL.
    err (*infer_new)(nn_infer **out, const nn_net *net, const nn_infer_options *o);
    // Another handle on the same weights, for another thread or a second batch in flight. An update reaches all of them.
    err (*infer_fork)(nn_infer **out, nn_infer *of);
    void (*infer_free)(nn_infer *h);
    // New weights of the same shape (narrow as in nn_infer_options) in two halves: prepare them, while other threads may run
    // handles on the old ones; then take them, while no handle may be running. nn_infer_update does both.
    err (*infer_stage)(nn_infer *h, const nn_net *net, const nn_sample *narrow);
    err (*infer_swap)(nn_infer *h); // what was staged last; nothing staged: nothing changes
    // n <= max_batch positions: bits[n][planes][words], scalars[n][scalars] (NULL where there are none), out[n][nn_out_size].
    err (*infer_run)(nn_infer *h, int n, const uint64_t *bits, const float *scalars, float *out);
    // The same in two halves: the buffers must live until wait returns. One batch in flight a handle. Where `async` is
    // false, submit does the work at once and wait returns at once, so callers need no second way.
    bool async;
    err (*infer_submit)(nn_infer *h, int n, const uint64_t *bits, const float *scalars, float *out);
    err (*infer_submit_moves)(nn_infer *h, int n, const uint64_t *bits, const float *scalars, const nn_moves *m);
    err (*infer_wait)(nn_infer *h);
    const char *(*infer_text)(const nn_infer *h); // how it runs, for people; borrowed

    // Training. The learner starts from a copy of `net`. o->threads is borrowed (CPU). Caller frees.
    err (*learner_new)(nn_learner **out, const nn_net *net, const nn_train_options *o);
    void (*learner_free)(nn_learner *h);
    // One step; losses, importance weights and where TD errors go are in the batch (loss.h). r may be NULL.
    err (*learner_step)(nn_learner *h, const nn_batch *b, float lr, nn_step_report *r);
    uint64_t (*learner_steps)(const nn_learner *h); // done so far, those before a restore counted
    // Copy the weights out, into a network of the same shape: the newest, or the averaged ones (an error where none are kept).
    err (*learner_weights)(nn_learner *h, bool averaged, nn_net *to);
    err (*learner_state)(nn_learner *h, text_buf *out);                    // appended; for file_write_atomic
    err (*learner_restore)(nn_learner *h, const void *state, size_t size); // refuses another network's or optimiser's

    // A window of samples in the learner's own memory, from which it gathers its batches (window.h). All NULL where batches
    // come from the host alone. `w` and its tables are read during the call only; ERR_MEMORY: the window does not fit.
    err (*window_new)(nn_learner *h, const nn_window_shape *w); // in the place of one that was there
    void (*window_free)(nn_learner *h);
    // The samples number, number+1, …; where they do not follow the newest, the window begins anew. After ERR_MEMORY it is
    // of no more use.
    err (*window_add)(nn_learner *h, uint64_t number, const nn_packed *s);
    err (*window_step)(nn_learner *h, const nn_picks *p, float lr, nn_step_report *r); // learner_step with that batch

    void (*usage)(nn_usage *out); // NULL where the callers' own threads do the work
} nn_backend;

extern const nn_backend nn_backend_cpu;
#if defined(KEIKO_CUDA)
extern const nn_backend nn_backend_cuda; // src/nn/cuda/
#endif

err nn_infer_update(const nn_backend *b, nn_infer *h, const nn_net *net, const nn_sample *narrow);

int nn_backend_count(void); // those in this build, the preferred first
const nn_backend *nn_backend_at(int i);
// "auto" = the first that this machine can run; a name that is unknown, not built in or cannot run here is an error.
err nn_backend_find(const char *name, const nn_backend **out);

#endif
