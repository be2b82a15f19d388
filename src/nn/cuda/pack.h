// Weights as the CUDA kernels read them: batch-norm folded, rounded to bf16, in the order of consumption. No CUDA here, so
// this file is compiled and tested on every machine that builds the backend.
#ifndef KEIKO_NN_CUDA_PACK_H
#define KEIKO_NN_CUDA_PACK_H

#include "nn/cuda/layers.h"
#include "nn/cuda/rows.h"
#include "nn/cuda/tower.h"
#include "nn/net.h"

uint16_t bf16_of(float v); // rounded to nearest, ties to even
uint8_t e4m3_of(float v);  // the same; what is too large becomes the largest, 448

// The heads' 1x1 filters in one list: those with batch-norm and ReLU first, then the board heads'.
typedef struct head_filters {
    int filters, normed;
    int first[NN_MAX_HEADS]; // of each head; 0 where it has none
} head_filters;

head_filters head_filters_of(const nn_net *net);

// The tower for `channels` (64, 128, 256; at least the network's). Sizes first, then the arrays. With `high` (quant.h's
// nn_channel_highs) its blocks are e4m3: every channel of an activation has its own scale, which the weights behind it
// take in, and every output channel of the weights has one.
size_t tower_weights_size(const nn_net *net, int channels, bool fp8); // bytes
size_t tower_bias_size(const nn_net *net, int channels, bool fp8);    // floats
err tower_pack(const nn_net *net, int channels, const float *high, uint8_t *w, float *bias);

// A 3x3 convolution for layers_conv; cin, cout padded to 32. scale[cout] or NULL.
size_t conv_weights_size(int cin, int cout); // bytes
void conv_pack(const float *w, int cin, int cout, const float *scale, uint16_t *to);

// Fully connected layers and heads: fills everything of `a` but the batch and the pointers; sizes as above.
err rows_plan(const nn_net *net, rows_args *a, size_t *w_bytes, size_t *b_floats);
void rows_pack(const nn_net *net, const rows_args *a, uint8_t *w, float *b);

#endif
