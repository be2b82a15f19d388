// Inference on the CPU: a plan (packed weights, shared and never written) and a worker's scratch.
//
// A worker takes a chunk of boards through the whole network before the next chunk, so no thread ever waits for another
// inside a network and the activations stay in its own cache. Bit planes go straight from the caller's buffer into the
// first layer. Batch-norm is folded into the convolutions. A board's result depends on that board alone, not on the batch,
// the chunk or the threads; which kernel runs depends on the network's shape only.
#ifndef KEIKO_NN_INFER_H
#define KEIKO_NN_INFER_H

#include "base/pool.h"
#include "nn/kern.h"
#include "nn/net.h"

typedef struct nn_plan nn_plan;
typedef struct nn_scratch nn_scratch;
typedef struct nn_ranges nn_ranges; // quant.h: what int8 needs to know of a network's activations

typedef struct nn_plan_options {
    const nn_kern *kern; // NULL = nn_kern_now()
    int method;          // 1 + nn_method; 0 = by shape
    int chunk;           // boards a worker takes at once; 0 = by shape
    const nn_ranges
        *int8; // run the trunk in int8 with these ranges; NULL = f32. With method NN_DIRECT never by Winograd
} nn_plan_options;

err nn_plan_new(nn_plan **out, const nn_net *net, const nn_plan_options *o); // o may be NULL; caller frees
void nn_plan_free(nn_plan *p);
const nn_desc *nn_plan_desc(const nn_plan *p);
const char *nn_plan_text(const nn_plan *p); // "avx512 f4, chunks of 8": for people

err nn_scratch_new(nn_scratch **out, const nn_plan *p); // one per thread; caller frees
void nn_scratch_free(nn_scratch *s);

// n positions on this thread. bits[n][planes][words], scalars[n][scalars], out[n][nn_out_size]: policy logits, values
// after tanh, Q-values. `scalars` may be NULL where the network has none.
void nn_run(const nn_plan *p, nn_scratch *s, int n, const uint64_t *bits, const float *scalars, float *out);

// A plan with a worker's scratch for each thread of a pool: n positions are cut into pieces, at most a chunk each, that
// threads claim one by one, so a thread that loses its core for a while holds up one piece only.
typedef struct nn_crew nn_crew;
err nn_crew_new(nn_crew **out, const nn_plan *p,
                pool *threads); // both borrowed; threads NULL = this thread; caller frees
void nn_crew_free(nn_crew *c);
void nn_crew_run(nn_crew *c, int n, const uint64_t *bits, const float *scalars, float *out); // one call at a time

// Blocked input planes of n boards, as the stem reads them: x[n][pad16(inputs)/16][hw][16]. For train.c and tests.
void nn_unpack_planes(const nn_desc *d, int n, const uint64_t *bits, const float *scalars, float *x);
// Rows of an mlp's input, `ld` floats apart.
void nn_unpack_rows(const nn_desc *d, int n, const uint64_t *bits, const float *scalars, float *x, size_t ld);

#endif
