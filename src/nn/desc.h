// What a network is: a trunk and heads, in one struct, one line of text, and one list of tensors.
//
// Glossary:
//   plane    one bit per square of the board; scalars follow the planes as constant planes
//   trunk    a residual tower (stem conv, then blocks), or a plain multi-layer perceptron ("mlp")
//   head     what reads the trunk: policy logits, a value in [-1, 1], auxiliary numbers, planes or logits, or Q-values
//   layout   where each layer's tensors lie in the flat array of weights
//
// The text form is stored in every weights file:
//   planes=3 size=8x8 c=128 b=10 policy=2:65 value=1:256
//   planes=32 scalars=34 size=5x5 c=64 b=4 policy=32:625 policy=16:51 value=4:32
//   planes=10 scalars=64 size=13x6 mlp=512,256 duel=0:128:24
// Keys: planes, scalars, size=ROWSxCOLS, c (channels), b (blocks), se (hidden width of squeeze-excitation), mlp, and heads
//   policy=F:OUT        1x1 conv of F filters, batch-norm, ReLU, FC to OUT logits (several heads' logits add)
//   value=F:HIDDEN      the same conv, FC to HIDDEN, ReLU, FC to 1, tanh
//   scalar=F:HIDDEN:OUT auxiliary numbers without an end function; HIDDEN 0 = one FC
//   board=OUT           1x1 conv to OUT planes, tanh
//   reply=F:OUT         logits of what follows a move, for training; layers as policy, but no part of the policy
//   duel=F:HIDDEN:OUT   Q-values: FC to 2*HIDDEN, ReLU, a value and OUT advantages; Q = V + A - mean(A)
//   duel=F:HIDDEN:OUT:ATOMS  the same for ATOMS numbers an action, [OUT][ATOMS]: a distribution of returns (dist.h)
// F must be 0 when the trunk is an mlp: such heads read its vector. noisy=1 gives every weight of the duel heads' last layers
// a learned width of noise (noise.h); the network that only runs does not use them.
// Nothing here knows a game or runs a network.
#ifndef KEIKO_NN_DESC_H
#define KEIKO_NN_DESC_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NN_MAX_HEADS = 8,
    NN_MAX_BLOCKS = 64,
    NN_MAX_MLP = 8,
    NN_MAX_BOARD = 32,    // rows, cols
    NN_MAX_PLANES = 1024, // planes + scalars
    NN_MAX_CHANNELS = 2048,
    NN_MAX_WIDTH = 65536, // of one fully connected layer
    NN_MAX_ATOMS = 256,   // numbers an action of a duel head
    NN_TEXT = 1024,       // bounds the text form, with its NUL
};

typedef enum nn_kind { NN_POLICY, NN_VALUE, NN_SCALAR, NN_BOARD, NN_DUEL, NN_REPLY, NN_KINDS } nn_kind;

typedef struct nn_head {
    nn_kind kind;
    int filters; // of the 1x1 conv; 0 with an mlp trunk
    int hidden;  // 0 = no hidden layer
    int out;     // logits, numbers, planes or actions; 1 for a value
    int atoms;   // duel: numbers an action; 0 = 1
} nn_head;

typedef struct nn_desc {
    int planes, scalars, rows, cols;
    int channels, blocks, se;   // residual tower; channels 0 = mlp
    int n_mlp, mlp[NN_MAX_MLP]; // widths of the mlp's layers
    int noisy;                  // 1: the duel heads' last layers have widths of noise
    int n_heads;
    nn_head head[NN_MAX_HEADS];
} nn_desc;

// Text both ways. A preset's name is accepted wherever a description is. `*out` is written only on success.
err nn_desc_parse(const char *text, nn_desc *out);
int nn_desc_print(const nn_desc *d, char *buf, size_t n); // length without NUL; NN_TEXT always suffices
err nn_desc_check(const nn_desc *d);                      // is it within the limits above and consistent?
bool nn_desc_equal(const nn_desc *a, const nn_desc *b);

int nn_preset_count(void);
const char *nn_preset_name(int i);
const char *nn_preset_text(int i);

const char *nn_kind_name(nn_kind k);
int nn_words(const nn_desc *d);               // 64-bit words per plane
int nn_inputs(const nn_desc *d);              // planes + scalars
int nn_atoms(const nn_head *h);               // at least 1
size_t nn_in_bits(const nn_desc *d);          // words per position: planes * nn_words
int nn_head_size(const nn_desc *d, int head); // floats a head writes for one position
int nn_head_at(const nn_desc *d, int head);   // where in a position's output
int nn_out_size(const nn_desc *d);            // floats per position
int nn_policy_heads(const nn_desc *d);        // how many of its heads are policies
double nn_flops(const nn_desc *d);            // of one position forward: 2 a multiplication of the plain layers

// --- where the tensors lie

typedef struct nn_bn_at {
    size_t gamma, beta, mean, var; // [c] each
} nn_bn_at;

typedef struct nn_conv_at {
    int cin, cout, k; // k = 3 or 1, zero padding to the same size
    size_t w;         // [cout][cin][k][k]
    bool normed;      // batch-norm follows; else a bias
    nn_bn_at bn;      // normed; otherwise bn.beta is the bias
} nn_conv_at;

typedef struct nn_fc_at {
    int in, out;
    size_t w, b; // [out][in], [out]
} nn_fc_at;

typedef struct nn_block_at {
    nn_conv_at conv[2];
    nn_fc_at se[2]; // squeeze-excitation: C to se, se to C
} nn_block_at;

typedef struct nn_head_layers {
    nn_conv_at conv; // filters > 0, or a board head
    int n_fc;
    nn_fc_at fc[3];    // (in, hidden), (hidden, out); duel: (in, 2*hidden), (hidden, atoms), (hidden, out*atoms)
    nn_fc_at sigma[2]; // noisy duel: widths of the noise of fc[1] and fc[2]; else in is 0
} nn_head_layers;

typedef struct nn_layout {
    size_t n_train; // weights the optimiser moves: [0, n_train)
    size_t n_all;   // then the running statistics of batch-norm
    nn_conv_at stem;
    nn_block_at block[NN_MAX_BLOCKS];
    nn_fc_at mlp[NN_MAX_MLP];
    nn_head_layers head[NN_MAX_HEADS];
} nn_layout;

typedef struct nn_param {
    char name[64]; // as in a PyTorch state dict: "block0.conv1.weight"
    int n_dims, dims[4];
    size_t at, size; // in the flat array
    bool train;      // false for running statistics
    bool matrix;     // a conv or FC weight: weight decay applies; not a bias, gamma or beta
} nn_param;

void nn_layout_make(const nn_desc *d, nn_layout *out);
int nn_params(const nn_desc *d, nn_param *out, int max); // fills up to max, returns how many there are

#endif
