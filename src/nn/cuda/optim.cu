// The optimiser's part of a training step: the gradient's norm, then weights, their averages and the averaged network at once.
// What is done to a weight stands in optim.h.
#include "nn/cuda/mma.cuh"
#include "nn/cuda/train_kern.h"

#include <cuda_runtime.h>

enum { THREADS = 256 };

__global__ void __launch_bounds__(THREADS) norm_kernel(size_t n, const float *g, double *parts)
{
    in_turn();
    __shared__ double all[THREADS];
    const size_t from = n * blockIdx.x / gridDim.x, to = n * (blockIdx.x + 1) / gridDim.x;
    constexpr int EACH = 8;
    float t[EACH] = {};
    size_t i = from + threadIdx.x;
    for (; i + (EACH - 1) * THREADS < to; i += EACH * THREADS)
#pragma unroll
        for (int k = 0; k < EACH; k++) t[k] += g[i + k * THREADS] * g[i + k * THREADS];
    for (; i < to; i += THREADS) t[0] += g[i] * g[i];
    double sum = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) sum += (double)t[k];
    sum = block_sum(all, sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

enum { OPTIM_BLOCKS = 792 }; // six for each of an H200's multiprocessors

// One weight with its averages.
DEV void optim_one(const optim_step &s, float g, float decay, float &w, float &m, float &v, float &ema)
{
    if (s.kind == 2) { // SGD
        g += decay * w;
        m = s.first ? g : s.momentum * m + g;
        w -= s.lr * (s.momentum > 0 ? m : g);
    } else {
        if (s.kind == 0)
            w *= 1 - s.lr * decay;
        else
            g += decay * w;
        m = s.beta1 * m + (1 - s.beta1) * g, v = s.beta2 * v + (1 - s.beta2) * g * g;
        w -= s.rate * m / (sqrtf(v) * s.root + s.eps);
    }
    ema = s.ema * ema + (1 - s.ema) * w;
}

DEV float4 load_four(const float *from, size_t i) // from: NULL = zeros
{
    return from != nullptr ? ((const float4 *)from)[i] : make_float4(0, 0, 0, 0);
}

__global__ void __launch_bounds__(THREADS) step_kernel(const optim_args a)
{
    in_turn();
    static_assert(MAX_PARTS <= THREADS, "a thread a part");
    __shared__ double all[THREADS];
    const optim_step s = *a.step;
    const double norm = sqrt(block_sum(all, threadIdx.x < MAX_PARTS ? a.parts[threadIdx.x] : 0));
    const float shrink = s.clip > 0 && norm > (double)s.clip ? (float)((double)s.clip / (norm + 1e-6)) : 1;
    const size_t fours = a.n_train / 4, first = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (first == 0) a.report[9] = norm;
    for (size_t i = first; i < fours; i += (size_t)gridDim.x * THREADS) {
        const float4 g = load_four(a.grad, i);
        const uchar4 d = ((const uchar4 *)a.decays)[i];
        float4 w = load_four(a.w, i), m = load_four(a.m, i), v = load_four(a.v, i), ema = load_four(a.ema, i);
        optim_one(s, g.x * shrink, d.x ? s.decay : 0, w.x, m.x, v.x, ema.x);
        optim_one(s, g.y * shrink, d.y ? s.decay : 0, w.y, m.y, v.y, ema.y);
        optim_one(s, g.z * shrink, d.z ? s.decay : 0, w.z, m.z, v.z, ema.z);
        optim_one(s, g.w * shrink, d.w ? s.decay : 0, w.w, m.w, v.w, ema.w);
        ((float4 *)a.w)[i] = w, ((float4 *)a.m)[i] = m;
        if (a.v != nullptr) ((float4 *)a.v)[i] = v;
        if (a.ema != nullptr) ((float4 *)a.ema)[i] = ema;
    }
    for (size_t i = 4 * fours + first; i < a.n_all; i += (size_t)gridDim.x * THREADS) {
        float w = a.w[i], ema = a.ema != nullptr ? a.ema[i] : 0, m = 0, v = 0;
        if (i < a.n_train) {
            m = a.m[i], v = a.v != nullptr ? a.v[i] : 0;
            optim_one(s, a.grad[i] * shrink, a.decays[i] ? s.decay : 0, w, m, v, ema);
            a.w[i] = w, a.m[i] = m;
            if (a.v != nullptr) a.v[i] = v;
        } else {
            ema = w; // running statistics: the averaged network takes them as they are
        }
        if (a.ema != nullptr) a.ema[i] = ema;
    }
}

extern "C" int optim_run(const optim_args *a, void *stream)
{
    const int e = launch_early(norm_kernel, dim3(MAX_PARTS), THREADS, 0, stream, a->n_train, a->grad, a->parts);
    return e == 0 ? launch_early(step_kernel, dim3(OPTIM_BLOCKS), THREADS, 0, stream, *a) : e;
}
