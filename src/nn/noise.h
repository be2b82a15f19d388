// Noisy layers: the last layers of a duel head with weights mean + width * noise, where both are learned (noisy networks).
//
// The noise is factorised: a layer draws one number an input and one an output, bends each by f(x) = sign(x) sqrt(|x|), and
// the noise of a weight is the product of its two, that of a bias its output's. Whoever trains or plays draws it, so a run
// stays a function of its seed. A network that only runs uses the means; to explore, it is given the weights of nn_noise_apply.
#ifndef KEIKO_NN_NOISE_H
#define KEIKO_NN_NOISE_H

#include "base/rng.h"
#include "nn/desc.h"

typedef struct nn_noisy { // one layer and its drawn numbers
    nn_fc_at mean, sigma;
    const float *in, *out;
} nn_noisy;

size_t nn_noise_size(const nn_desc *d); // numbers a draw; 0 = the network has no noisy layer
void nn_noise_draw(const nn_desc *d, rng *r, float *noise);
int nn_noise_layers(const nn_desc *d, const nn_layout *at, const float *noise, nn_noisy out[2 * NN_MAX_HEADS]);

// to[n_train] = w, with every noisy layer's means moved by width * noise.
void nn_noise_apply(const nn_desc *d, const nn_layout *at, const float *w, const float *noise, float *to);
// The widths' gradients from those of the moved weights, which lie where the means do; 0 without noise (NULL).
void nn_noise_grad(const nn_desc *d, const nn_layout *at, const float *noise, float *grad);

#endif
