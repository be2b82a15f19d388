// Noisy layers. See noise.h.
#include "nn/noise.h"

#include <math.h>
#include <string.h>

size_t nn_noise_size(const nn_desc *d)
{
    size_t n = 0;
    for (int h = 0; h < d->n_heads && d->noisy > 0; h++) {
        const nn_head *q = &d->head[h];
        if (q->kind == NN_DUEL) n += (size_t)(2 * q->hidden + (1 + q->out) * nn_atoms(q));
    }
    return n;
}

void nn_noise_draw(const nn_desc *d, rng *r, float *noise)
{
    for (size_t i = 0, n = nn_noise_size(d); i < n; i++) {
        double x = rng_normal(r);
        noise[i] = (float)copysign(sqrt(fabs(x)), x);
    }
}

int nn_noise_layers(const nn_desc *d, const nn_layout *at, const float *noise, nn_noisy out[2 * NN_MAX_HEADS])
{
    int n = 0;
    for (int h = 0; h < d->n_heads && d->noisy > 0; h++)
        for (int k = 0; k < 2 && d->head[h].kind == NN_DUEL; k++) {
            const nn_fc_at *f = &at->head[h].fc[1 + k];
            out[n++] = (nn_noisy){*f, at->head[h].sigma[k], noise, noise + f->in};
            noise += f->in + f->out;
        }
    return n;
}

void nn_noise_apply(const nn_desc *d, const nn_layout *at, const float *w, const float *noise, float *to)
{
    nn_noisy layer[2 * NN_MAX_HEADS];
    int n = nn_noise_layers(d, at, noise, layer);
    memcpy(to, w, at->n_train * sizeof *to);
    for (int k = 0; k < n; k++) {
        const nn_noisy *y = &layer[k];
        for (int o = 0; o < y->mean.out; o++) {
            size_t row = (size_t)o * (size_t)y->mean.in;
            for (int i = 0; i < y->mean.in; i++)
                to[y->mean.w + row + (size_t)i] += w[y->sigma.w + row + (size_t)i] * y->out[o] * y->in[i];
            to[y->mean.b + (size_t)o] += w[y->sigma.b + (size_t)o] * y->out[o];
        }
    }
}

void nn_noise_grad(const nn_desc *d, const nn_layout *at, const float *noise, float *grad)
{
    nn_noisy layer[2 * NN_MAX_HEADS];
    static const float none[1];
    int n = nn_noise_layers(d, at, noise == NULL ? none : noise, layer);
    for (int k = 0; k < n; k++) {
        const nn_noisy *y = &layer[k];
        size_t weights = (size_t)y->mean.in * (size_t)y->mean.out;
        if (noise == NULL) {
            memset(grad + y->sigma.w, 0, weights * sizeof *grad);
            memset(grad + y->sigma.b, 0, (size_t)y->mean.out * sizeof *grad);
            continue;
        }
        for (int o = 0; o < y->mean.out; o++) {
            size_t row = (size_t)o * (size_t)y->mean.in;
            for (int i = 0; i < y->mean.in; i++)
                grad[y->sigma.w + row + (size_t)i] = grad[y->mean.w + row + (size_t)i] * y->out[o] * y->in[i];
            grad[y->sigma.b + (size_t)o] = grad[y->mean.b + (size_t)o] * y->out[o];
        }
    }
}
