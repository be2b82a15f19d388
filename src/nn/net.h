// A network's weights: one flat array in the order of desc.h's layout, and how they are made, stored and averaged.
//
// The array holds PyTorch's own shapes (conv [out][in][k][k], FC [out][in]), so a stored file opens there unchanged and
// one optimiser loop covers every layer. Kernels repack what they need; nothing here computes an output.
#ifndef KEIKO_NN_NET_H
#define KEIKO_NN_NET_H

#include "base/rng.h"
#include "base/text.h"
#include "nn/desc.h"

#define NN_BN_EPS 1e-5f // added to the variance

typedef struct nn_net {
    nn_desc desc;
    nn_layout at;
    float *w;   // [at.n_all]: trained weights, then running statistics
    char *note; // provenance, any text (how it was trained); NULL = none
} nn_net;

// Caller frees with nn_net_free. Weights: He-normal convs, PyTorch's uniform for FCs, gamma 1, beta 0, noise's widths
// 1/2 over the root of the inputs. Keyed by `seed`.
err nn_net_new(nn_net **out, const nn_desc *d, uint64_t seed);
err nn_net_copy(nn_net **out, const nn_net *n);
void nn_net_free(nn_net *n);
err nn_net_set_note(nn_net *n, const char *note); // copies

// Copies into `to` every tensor that `from` has, too: heads that only one of them has stay as they are. `to` must have no
// trunk or head of another shape; heads that are not in both come last.
void nn_net_take(nn_net *to, const nn_net *from);

// Gives `to` the weights of `from`. It may have more blocks: the further ones, spread evenly, begin as the identity, so both
// compute the same. False, and nothing changed, where they differ in anything else.
bool nn_net_grow(nn_net *to, const nn_net *from);

// ema = decay * ema + (1 - decay) * now, over trained weights; running statistics are copied.
void nn_net_ema(nn_net *ema, const nn_net *now, float decay);

// A weights file is safetensors; its metadata holds the description ("keiko.net") and the note ("keiko.note").
// nn_net_load refuses a file that is truncated, oversized, inconsistent or not finite, and says why.
err nn_net_save(const nn_net *n, const char *path); // atomic
// The same in half the bytes: matrices and convolutions as BF16 (8 bits of precision), the rest as it is. Loading gives F32.
err nn_net_save_bf16(const nn_net *n, const char *path);
err nn_net_load(nn_net **out, const char *path); // a file or a location of base/models.h; caller frees
err nn_net_from_bytes(nn_net **out, const void *data, size_t size);
err nn_net_to_bytes(const nn_net *n, text_buf *out); // the bytes of nn_net_save's file, appended

#endif
