// Batch-norm of one channel from its sums over the batch: what the bn kernels and layer90's beginning share. Nothing here
// divides or takes roots in double: both would be long, and the layers wait for it.
#ifndef KEIKO_NN_CUDA_BN_CUH
#define KEIKO_NN_CUDA_BN_CUH

#include "nn/cuda/hopper.cuh"
#include "nn/cuda/train_kern.h"

typedef struct bn_three { // v = a*p + b*q + c
    float a, b, c;
} bn_three;

DEV double inverse_root(double v)
{
    const double y = (double)rsqrtf((float)v);
    return y * (1.5 - 0.5 * v * y * y);
}

// relu(scale * z + shift + shortcut). `write`: only one thread of a launch may, for its channel.
DEV bn_three bn_front(const bn_args &a, int c, double sum, double square, bool write)
{
    const double mean = sum * a.share, spread = square * a.share - mean * mean, var = spread < 0 ? 0 : spread;
    const float inv = (float)inverse_root(var + 1e-5), scale = a.w[a.gamma + c] * inv;
    const float shift = a.w[a.beta + c] - (float)mean * scale;
    if (write) {
        const double m = (double)a.momentum;
        float *k = a.coef + c;
        k[BN_MEAN * a.padded] = (float)mean;
        k[BN_INV * a.padded] = inv;
        k[BN_SCALE * a.padded] = scale;
        k[BN_SHIFT * a.padded] = shift;
        a.w[a.mean + c] = (float)((1 - m) * (double)a.w[a.mean + c] + m * mean);
        a.w[a.var + c] = (float)((1 - m) * (double)a.w[a.var + c] + m * var * a.unbiased);
    }
    return {scale, 1, shift};
}

// dz = a * d + b * z + c; dot: of d and z - mean.
DEV bn_three bn_back(const bn_args &a, int c, double sum, double dot, bool write)
{
    float *k = a.coef + c;
    const double inv = (double)k[BN_INV * a.padded], mean = (double)k[BN_MEAN * a.padded];
    dot *= inv;
    const double f = (double)a.w[a.gamma + c] * inv, g = -f * inv * dot * a.share;
    const bn_three r = {(float)f, (float)g, (float)(-f * sum * a.share - g * mean)};
    if (write) {
        a.grad[a.beta + c] = (float)sum;
        a.grad[a.gamma + c] = (float)dot;
        k[BN_A * a.padded] = r.a;
        k[BN_B * a.padded] = r.b;
        k[BN_C * a.padded] = r.c;
    }
    return r;
}

#endif
