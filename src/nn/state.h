// A trainer's state as bytes: everything from which training continues exactly, whichever backend wrote it.
//
// The bytes are a safetensors file: "w" (weights and running statistics), the optimiser's "m" and "v", the averaged
// weights "ema", and in the metadata the network, the optimiser and the step count. The reader refuses what does not fit.
#ifndef KEIKO_NN_STATE_H
#define KEIKO_NN_STATE_H

#include "base/text.h"
#include "nn/desc.h"
#include "nn/optim.h"

typedef struct nn_state {
    const nn_desc *desc;
    nn_optim_kind kind;
    uint64_t step;
    size_t n_train, n_all;
    float *w;   // [n_all]
    float *m;   // [n_train]
    float *v;   // [n_train]; NULL for SGD
    float *ema; // [n_all]; NULL where none is kept
} nn_state;

err nn_state_write(const nn_state *s, text_buf *out); // appended
// Fills s->step and the arrays, which must be there already; desc, kind and which arrays exist say what is expected.
// Nothing is written unless all of it fits.
err nn_state_read(nn_state *s, const void *data, size_t size);

#endif
