// Fully connected layers on padded rows, for infer.c and train.c.
//
// A packed layer holds w^T in groups of 64 outputs, [in][64] each, so that the product streams it once from front to back.
// Rows of activations are padded with zeros to a multiple of 16 floats.
#ifndef KEIKO_NN_FC_H
#define KEIKO_NN_FC_H

#include "nn/kern.h"

typedef struct fc_pack {
    int in, out, wide; // wide = out padded to 16
    float *w;          // owned
    float *b;          // [wide], owned
} fc_pack;

err fc_pack_new(fc_pack *f, int in, int out);
void fc_pack_free(fc_pack *f);
void fc_pack_set(fc_pack *f, const float *w, const float *b); // w[out][in], b[out]

// y[n][ldy] = x[n][ldx] * w^T + b, then max(., 0) if relu. Writes f->wide floats per row.
void fc_run(const nn_kern *k, const fc_pack *f, int n, const float *x, size_t ldx, float *y, size_t ldy, bool relu);

#endif
