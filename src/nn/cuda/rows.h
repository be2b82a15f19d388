// Fully connected layers of a batch in one launch: the heads behind a tower, or a whole mlp with its heads, and the softmax
// over legal moves. bf16 with f32 sums, mma.sync: any GPU from sm_80 on.
//
// A block takes 16, 32 or 64 positions through all layers; a position's numbers lie in one row of shared memory, bf16 inputs
// and hidden layers in `x`, f32 results in `y`. Weights stream from the cache in the order the fragments want them (pack.h).
#ifndef KEIKO_NN_CUDA_ROWS_H
#define KEIKO_NN_CUDA_ROWS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ROWS_LAYERS = 24, ROWS_HEADS = 8 };

typedef struct rows_layer {
    int k32, n8, out; // steps of 32 inputs, tiles of 8 outputs, outputs that exist
    int src;          // in x
    int dst;          // in x after ReLU, or in y
    int relu;         // 1: to x; 0: to y
    uint32_t w, b;    // in 16-byte units of `w`; in floats of `b`
} rows_layer;

typedef struct rows_head {
    int kind;            // nn_kind
    int size, y_at, out; // floats; where in y; where in a position's output
    int flat;            // board heads: where in x
    int atoms;           // duel: numbers an action; the value's follow the advantages in y
} rows_head;

typedef struct rows_args {
    // input: the tower's filters, or bits and scalars
    const uint16_t *flat; // bf16 [n][flat_ld]; NULL = bits
    int flat_ld;
    const uint64_t *bits;
    const float *scalars;
    int planes, n_scalars, hw, words;
    int n_pieces; // of flat, each to its own aligned place in x
    struct {
        int from, size, to;
    } piece[ROWS_HEADS];
    int n, x_ld, y_ld; // positions; floats and halves a row
    // layers and heads
    int n_layers, n_heads;
    rows_layer layer[ROWS_LAYERS];
    rows_head head[ROWS_HEADS];
    const void *w;
    const float *b;
    // output: all, or the legal moves' probabilities and what is not a policy
    float *out; // [n][out_size]
    int out_size, rest_size, n_policy;
    const uint32_t *start; // [n+1]; NULL = all
    const uint16_t *index; // [moves][n_policy]
    float *prior, *rest;   // [moves], [n][rest_size]
    uint32_t *flag;        // in the host's memory, or NULL: gets flag_value when all is written (one block's launches)
    uint32_t flag_value;
    int early; // sm_90: may begin while the tower runs
} rows_args;

int rows_smem(const rows_args *a, int rows); // bytes; the caller picks 16, 32 or 64 rows that fit
int rows_run(const rows_args *a, int rows, void *stream);

#ifdef __cplusplus
}
#endif

#endif
