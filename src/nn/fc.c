// Fully connected layers. See fc.h.
#include "nn/fc.h"

#include <stdlib.h>
#include <string.h>

err fc_pack_new(fc_pack *f, int in, int out)
{
    *f = (fc_pack){.in = in, .out = out, .wide = nn_pad16(out)};
    f->w = nn_floats((size_t)in * (size_t)f->wide);
    f->b = nn_floats((size_t)f->wide);
    if (f->w != NULL && f->b != NULL) return ERR_OK;
    fc_pack_free(f);
    return err_set(ERR_MEMORY, "no memory for a layer of %d x %d weights", out, in);
}

void fc_pack_free(fc_pack *f)
{
    free(f->w);
    free(f->b);
    *f = (fc_pack){0};
}

void fc_pack_set(fc_pack *f, const float *w, const float *b)
{
    memcpy(f->b, b, (size_t)f->out * sizeof *b);
    for (int g = 0; g < f->wide; g += NN_GROUP) {
        size_t width = (size_t)(f->wide - g < NN_GROUP ? f->wide - g : NN_GROUP);
        float *to = f->w + (size_t)g * (size_t)f->in;
        for (size_t o = 0; o < width && g + (int)o < f->out; o++)
            for (size_t i = 0; i < (size_t)f->in; i++) to[i * width + o] = w[((size_t)g + o) * (size_t)f->in + i];
    }
}

void fc_run(const nn_kern *k, const fc_pack *f, int n, const float *x, size_t ldx, float *y, size_t ldy, bool relu)
{
    for (int g = 0; g < f->wide; g += NN_GROUP) {
        int width = f->wide - g < NN_GROUP ? f->wide - g : NN_GROUP;
        k->gemm(n, width, f->in, x, ldx, 1, f->w + (size_t)g * (size_t)f->in, (size_t)width, y + g, ldy, false);
    }
    for (int i = 0; i < n; i++) {
        float *row = y + (size_t)i * ldy;
        for (int o = 0; o < f->wide; o++) row[o] += f->b[o];
        for (int o = 0; o < f->wide && relu; o++) row[o] = row[o] > 0 ? row[o] : 0;
    }
}
