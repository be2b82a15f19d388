// The heads' side of a training step: 1x1 filters with their batch-norm, forward and back, the losses. All
// f32 but the trunk's activations. See train_kern.h; what a loss is stands in loss.h.
#include "nn/cuda/mma.cuh"
#include "nn/cuda/train_kern.h"

#include <cuda_runtime.h>

enum { POLICY, VALUE, SCALAR, BOARD, DUEL, REPLY }; // nn_kind's order
enum { NONE, C51, QR };                      // nn_dist_kind's
enum { THREADS = 256, GROUP = 4 };           // filters a thread takes at once

static unsigned blocks_for(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

__global__ void unpack_rows_kernel(int n, int planes, int hw, const uint64_t *bits, int n_scalars, const float *scalars,
                                   float *x, int ld)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int row = (int)(i / ld), k = (int)(i % ld), words = (hw + 63) / 64;
    if (row >= n) return;
    float v = 0;
    if (k < planes * hw) {
        int sq = k % hw;
        v = (float)(bits[((size_t)row * planes + k / hw) * words + sq / 64] >> (sq & 63) & 1);
    } else if (k < planes * hw + n_scalars) {
        v = scalars[(size_t)row * n_scalars + k - planes * hw];
    }
    x[i] = v;
}

extern "C" int rows_unpack(int n, int planes, int hw, const uint64_t *bits, int n_scalars, const float *scalars,
                           float *x, int ld, void *stream)
{
    unpack_rows_kernel<<<blocks_for((size_t)n * ld), THREADS, 0, (cudaStream_t)stream>>>(n, planes, hw, bits, n_scalars,
                                                                                         scalars, x, ld);
    return (int)cudaGetLastError();
}

// --- filters

__global__ void __launch_bounds__(THREADS)
    filters_forward_kernel(board_shape s, int channels, int filters, const uint16_t *x, const float *w,
                           const size_t *w_at, float *zh)
{
    in_turn();
    extern __shared__ float f[]; // [planes][8][GROUP], zero behind the last channel
    const int hw = s.rows * s.cols, f0 = blockIdx.y * GROUP, planes = (channels + 7) / 8;
    const size_t cells = (size_t)s.n * hw, cell = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (int i = threadIdx.x; i < planes * 8 * GROUP; i += THREADS)
        f[i] = f0 + i % GROUP < filters && i / GROUP < channels ? w[w_at[f0 + i % GROUP] + i / GROUP] : 0;
    __syncthreads();
    if (cell >= cells) return;
    constexpr int AHEAD = 8; // planes on their way at once
    float sum[GROUP] = {};
    for (int p0 = 0; p0 < planes; p0 += AHEAD) {
        uint4 v[AHEAD];
#pragma unroll
        for (int p = 0; p < AHEAD; p++)
            v[p] = p0 + p < planes ? ((const uint4 *)x)[(p0 + p) * cells + cell] : make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < AHEAD * 8; i++) {
            if (p0 + i / 8 >= planes) break;
            const uint32_t u = ((const uint32_t *)&v[i / 8])[i % 8 / 2];
            const float t = i & 1 ? bf16_hi(u) : bf16_lo(u);
#pragma unroll
            for (int k = 0; k < GROUP; k++) sum[k] += t * f[(p0 * 8 + i) * GROUP + k];
        }
    }
    for (int k = 0; k < GROUP && f0 + k < filters; k++) zh[((cell / hw) * filters + f0 + k) * hw + cell % hw] = sum[k];
}

extern "C" int filters_forward(board_shape s, int channels, int filters, const uint16_t *x, const float *w,
                               const size_t *w_at, float *zh, void *stream)
{
    dim3 grid(blocks_for((size_t)s.n * s.rows * s.cols), (unsigned)(filters + GROUP - 1) / GROUP);
    const size_t smem = (size_t)((channels + 7) / 8 * 8) * GROUP * sizeof(float);
    return launch_early(filters_forward_kernel, grid, THREADS, (int)smem, stream, s, channels, filters, x, w, w_at, zh);
}

extern "C" int filters_parts(board_shape s) // few boards each: a part's time is what the step waits for
{
    return s.n < 8 ? 1 : s.n / 8 < 64 ? s.n / 8 : 64;
}

__global__ void __launch_bounds__(THREADS)
    filters_sums_kernel(board_shape s, int filters, int normed, const float *zh, const float *yh, float *dh,
                        const float *mean, float *sums)
{
    in_turn();
    const int hw = s.rows * s.cols, f = blockIdx.y, parts = gridDim.x;
    const int from = (int)((long)s.n * blockIdx.x / parts), to = (int)((long)s.n * (blockIdx.x + 1) / parts);
    float a = 0, b = 0;
    for (int i = from * hw + threadIdx.x; i < to * hw; i += THREADS) {
        size_t at = ((size_t)(i / hw) * filters + f) * hw + i % hw;
        float z = zh[at];
        if (dh == nullptr) {
            a += z, b += z * z;
            continue;
        }
        float d = dh[at];
        if (f < normed && yh[at] <= 0) dh[at] = d = 0;
        a += d, b += d * (z - mean[f]);
    }
    __shared__ float all[2][THREADS / 32];
    a = warp_sum(a), b = warp_sum(b);
    if (threadIdx.x % 32 == 0) all[0][threadIdx.x / 32] = a, all[1][threadIdx.x / 32] = b;
    __syncthreads();
    if (threadIdx.x < 2) {
        float t = 0;
        for (int w = 0; w < THREADS / 32; w++) t += all[threadIdx.x][w];
        sums[((size_t)blockIdx.x * 2 + threadIdx.x) * filters + f] = t;
    }
}

extern "C" int filters_sums(board_shape s, int filters, int normed, const float *zh, const float *yh, float *dh,
                            const float *mean, float *sums, void *stream)
{
    dim3 grid((unsigned)filters_parts(s), (unsigned)filters);
    return launch_early(filters_sums_kernel, grid, THREADS, 0, stream, s, filters, normed, zh, yh, dh, mean, sums);
}

// mode 0: yh = relu(scale * zh + shift); 1: dh = a * dh + b * zh + c
__global__ void filters_affine_kernel(size_t size, int filters, int normed, int hw, int back, const float *zh,
                                      const float *coef, float *out)
{
    in_turn();
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= size) return;
    const int f = (int)(i / hw % filters);
    if (f >= normed) return;
    if (back)
        out[i] = coef[BN_A * filters + f] * out[i] + coef[BN_B * filters + f] * zh[i] + coef[BN_C * filters + f];
    else
        out[i] = fmaxf(coef[BN_SCALE * filters + f] * zh[i] + coef[BN_SHIFT * filters + f], 0.f);
}

static int filters_affine(board_shape s, int filters, int normed, int back, const float *zh, const float *coef,
                          float *out, void *stream)
{
    const int hw = s.rows * s.cols;
    size_t size = (size_t)s.n * filters * hw;
    return launch_early(filters_affine_kernel, dim3(blocks_for(size)), THREADS, 0, stream, size, filters, normed, hw, back, zh,
                                                                                  coef, out);
}

extern "C" int filters_normalise(board_shape s, int filters, int normed, const float *zh, const float *coef, float *yh,
                                 void *stream)
{
    return filters_affine(s, filters, normed, 0, zh, coef, yh, stream);
}

extern "C" int filters_dz(board_shape s, int filters, int normed, const float *zh, const float *coef, float *dh,
                          void *stream)
{
    return filters_affine(s, filters, normed, 1, zh, coef, dh, stream);
}

__global__ void filters_back_kernel(board_shape s, int channels, int filters, const float *dzh, const float *w,
                                    const size_t *w_at, uint16_t *d)
{
    in_turn();
    extern __shared__ float f[]; // [filters][8]
    const int hw = s.rows * s.cols, plane = blockIdx.y;
    const size_t cells = (size_t)s.n * hw, cell = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (int i = threadIdx.x; i < filters * 8; i += THREADS)
        f[i] = plane * 8 + i % 8 < channels ? w[w_at[i / 8] + plane * 8 + i % 8] : 0;
    __syncthreads();
    if (cell >= cells) return;
    float sum[8] = {};
    const float *from = dzh + (cell / hw) * filters * hw + cell % hw;
    for (int k = 0; k < filters; k++) {
        float v = from[(size_t)k * hw];
#pragma unroll
        for (int e = 0; e < 8; e++) sum[e] += v * f[k * 8 + e];
    }
    ((uint4 *)d)[plane * cells + cell] = make_uint4(pack_bf16(sum[0], sum[1]), pack_bf16(sum[2], sum[3]),
                                                    pack_bf16(sum[4], sum[5]), pack_bf16(sum[6], sum[7]));
}

extern "C" int filters_back(board_shape s, int channels, int filters, const float *dzh, const float *w,
                            const size_t *w_at, uint16_t *d, void *stream)
{
    dim3 grid(blocks_for((size_t)s.n * s.rows * s.cols), (unsigned)(channels + 31) / 32 * 4);
    return launch_early(filters_back_kernel, grid, THREADS, filters * 8 * (int)sizeof(float), stream, 
        s, channels, filters, dzh, w, w_at, d);
}

// parts[part][filter][channel]
__global__ void __launch_bounds__(THREADS)
    filters_grad_kernel(board_shape s, int channels, int filters, const float *dzh, const uint16_t *x, float *parts)
{
    in_turn();
    const int hw = s.rows * s.cols, plane = blockIdx.y, f0 = blockIdx.z * GROUP, n_parts = gridDim.x;
    const size_t cells = (size_t)s.n * hw, from = cells * blockIdx.x / n_parts, to = cells * (blockIdx.x + 1) / n_parts;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float acc[GROUP][8] = {};
    for (size_t cell = from + threadIdx.x; cell < to; cell += THREADS) {
        uint4 v = ((const uint4 *)x)[plane * cells + cell];
        const uint32_t *u = (const uint32_t *)&v;
        const float *d = dzh + ((cell / hw) * filters + f0) * hw + cell % hw;
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            if (f0 + k >= filters) break;
            float t = d[(size_t)k * hw];
#pragma unroll
            for (int e = 0; e < 4; e++) acc[k][2 * e] += t * bf16_lo(u[e]), acc[k][2 * e + 1] += t * bf16_hi(u[e]);
        }
    }
    __shared__ float all[THREADS / 32][GROUP * 8];
#pragma unroll
    for (int k = 0; k < GROUP; k++)
#pragma unroll
        for (int e = 0; e < 8; e++) {
            float t = warp_sum(acc[k][e]);
            if (lane == 0) all[warp][k * 8 + e] = t;
        }
    __syncthreads();
    const int k = threadIdx.x / 8, c = plane * 8 + threadIdx.x % 8;
    if (threadIdx.x >= GROUP * 8 || f0 + k >= filters || c >= channels) return;
    float t = 0;
    for (int w = 0; w < THREADS / 32; w++) t += all[w][threadIdx.x];
    parts[((size_t)blockIdx.x * filters + f0 + k) * channels + c] = t;
}

__global__ void filters_grad_add(int channels, int filters, int n_parts, const float *parts, float *grad,
                                 const size_t *w_at)
{
    in_turn();
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= filters * channels) return;
    float t = 0;
    for (int p = 0; p < n_parts; p++) t += parts[(size_t)p * filters * channels + i];
    grad[w_at[i / channels] + i % channels] = t;
}

extern "C" int filters_grad(board_shape s, int channels, int filters, const float *dzh, const uint16_t *x, float *parts,
                            float *grad, const size_t *w_at, void *stream)
{
    const int n_parts = filters_parts(s);
    dim3 grid((unsigned)n_parts, (unsigned)(channels + 7) / 8, (unsigned)(filters + GROUP - 1) / GROUP);
    const int e = launch_early(filters_grad_kernel, grid, THREADS, 0, stream, s, channels, filters, dzh, x, parts);
    if (e != 0) return e;
    return launch_early(filters_grad_add, dim3(blocks_for((size_t)filters * channels)), THREADS, 0, stream, 
        channels, filters, n_parts, parts, grad, w_at);
}

__global__ void bias_grads_kernel(int filters, int normed, int parts, const float *sums, float *grad,
                                  const size_t *bias_at)
{
    in_turn();
    const int f = normed + blockIdx.x * 32 + threadIdx.x;
    if (f >= filters) return;
    double t = 0;
    for (int p = 0; p < parts; p++) t += (double)sums[(size_t)p * 2 * filters + f];
    grad[bias_at[f]] = (float)t;
}

extern "C" int bias_grads(int filters, int normed, int parts, const float *sums, float *grad, const size_t *bias_at,
                          void *stream)
{
    if (filters == normed) return 0;
    return launch_early(bias_grads_kernel, dim3((unsigned)(filters - normed + 31) / 32), 32, 0, stream, filters, normed, parts,
                                                                                               sums, grad, bias_at);
}

// --- losses: a warp a position

DEV float cross_entropy(const loss_head &h, int i, float scale, float *dy, int lane)
{
    const float *y = h.y + i * h.ld, *target = h.target + (size_t)i * h.size;
    const uint8_t *mask = h.mask != nullptr ? h.mask + (size_t)i * h.size : nullptr;
    float high = -INFINITY, sum = 0, mass = 0, loss = 0;
    for (int k = lane; k < h.size; k += 32)
        if (mask == nullptr || mask[k]) high = fmaxf(high, y[k]);
    high = warp_max(high);
    for (int k = lane; k < h.size; k += 32)
        if (mask == nullptr || mask[k]) sum += expf(y[k] - high), mass += target[k];
    sum = warp_sum(sum), mass = warp_sum(mass);
    const float log_sum = high + logf(sum);
    for (int k = lane; k < h.size; k += 32) {
        bool legal = mask == nullptr || mask[k];
        float log_p = y[k] - log_sum;
        if (legal) loss -= target[k] * log_p;
        dy[k] = legal ? scale * (mass * expf(log_p) - target[k]) : 0;
    }
    return warp_sum(loss);
}

// Numbers with an end function: tanh for values and boards.
DEV float squares(const loss_args &a, const loss_head &h, int i, float scale, float *dy, int lane)
{
    float loss = 0;
    for (int k = lane; k < h.size; k += 32) {
        float raw = h.y[i * h.ld + k];
        if (h.kind == BOARD) raw += h.bias[k / a.hw];
        float v = h.kind == SCALAR ? raw : tanhf(raw), slope = h.kind == SCALAR ? 1 : 1 - v * v, g = 0;
        if (h.mask == nullptr || h.mask[(size_t)i * h.size + k]) {
            float diff = v - h.target[(size_t)i * h.size + k];
            loss += diff * diff / (float)h.size;
            g = 2 * scale / (float)h.size * diff * slope;
        }
        dy[k] = g;
    }
    return warp_sum(loss);
}

DEV float huber(float diff, float delta, float *g)
{
    if (fabsf(diff) <= delta) return *g = diff, 0.5f * diff * diff;
    *g = diff > 0 ? delta : -delta;
    return delta * (fabsf(diff) - 0.5f * delta);
}

// The losses of nn/dist.c. `y` and `base` are one action's raw atoms and what is added to each; `dy` gets the gradient by
// the sum. One lane an atom; `off` (the target's mean less the action's) is the same in all lanes.
DEV float c51(const loss_args &a, int atoms, const float *y, const float *base, const float *target, float scale,
              float *dy, float *off, int lane)
{
    const float step = 2.f / (float)(atoms - 1);
    float high = -INFINITY, sum = 0, mass = 0, loss = 0, mean = 0;
    for (int k = lane; k < atoms; k += 32) high = fmaxf(high, y[k] + base[k]);
    high = warp_max(high);
    for (int k = lane; k < atoms; k += 32) sum += expf(y[k] + base[k] - high), mass += target[k];
    sum = warp_sum(sum), mass = warp_sum(mass);
    for (int k = lane; k < atoms; k += 32) {
        float log_p = y[k] + base[k] - high - logf(sum), p = expf(log_p);
        loss -= target[k] * log_p;
        mean += a.support * (step * (float)k - 1.f) * (target[k] - p);
        dy[k] = scale * (mass * p - target[k]);
    }
    *off = warp_sum(mean);
    return warp_sum(loss);
}

DEV float quantiles(const loss_args &a, int atoms, const float *y, const float *base, const float *target, float scale,
                    float *dy, float *off, int lane)
{
    const float share = 1.f / (float)atoms, delta = a.huber;
    float loss = 0, mean = 0;
    for (int k = lane; k < atoms; k += 32) {
        const float q = y[k] + base[k], tau = ((float)k + 0.5f) * share;
        float grad = 0;
        for (int j = 0; j < atoms; j++) {
            float u = target[j] - q, side = u < 0 ? 1 - tau : tau, g;
            loss += share * side * huber(u, delta, &g) / delta;
            grad -= share * side * g / delta;
        }
        dy[k] = scale * grad;
        mean += (target[k] - q) * share;
    }
    *off = warp_sum(mean);
    return warp_sum(loss);
}

// Huber losses of the actions that were not taken but are known, in their means. One lane an action.
DEV float known_rest(const loss_args &a, int actions, int atoms, int i, const float *y, const float *base, float scale,
                     float *dy, int lane)
{
    const uint8_t *mask = a.rest_mask + (size_t)i * a.rest_actions;
    const float *want = a.rest + (size_t)i * a.rest_actions;
    const float step = 2.f / (float)(atoms - 1);
    float known = 0, loss = 0;
    for (int j = lane; j < actions; j += 32) known += mask[j] != 0;
    known = warp_sum(known);
    for (int j = lane; j < actions; j += 32) {
        if (!mask[j]) continue;
        const float *x = y + j * atoms;
        float high = -INFINITY, sum = 0, mean = 0, g;
        if (a.dist == C51) {
            for (int k = 0; k < atoms; k++) high = fmaxf(high, x[k] + base[k]);
            for (int k = 0; k < atoms; k++) {
                float p = expf(x[k] + base[k] - high);
                sum += p, mean += p * a.support * (step * (float)k - 1.f);
            }
            mean /= sum;
        } else {
            for (int k = 0; k < atoms; k++) mean += (x[k] + base[k]) / (float)atoms;
        }
        loss += huber(mean - want[j], a.huber, &g) * a.rest_scale / known;
        g *= scale * a.rest_scale / known;
        for (int k = 0; k < atoms; k++) {
            float slope = 1.f / (float)atoms;
            if (a.dist == C51) slope = expf(x[k] + base[k] - high) / sum * (a.support * (step * (float)k - 1.f) - mean);
            dy[j * atoms + k] += g * slope;
        }
    }
    return warp_sum(loss);
}

// Q = V + A - mean over the actions of A, for each atom. dv holds V - mean(A) until the gradient of V takes its place.
DEV float duel(const loss_args &a, const loss_head &h, int i, float scale, float *dy, int lane)
{
    const int atoms = h.atoms, actions = h.size / atoms, act = h.action[i] * atoms;
    const float *y = h.y + i * h.ld, *target = h.target + (size_t)i * atoms;
    float *base = h.dv + i * h.v_ld, loss, off;
    for (int k = lane; k < atoms; k += 32) {
        float mean = 0;
        for (int j = 0; j < actions; j++) mean += y[j * atoms + k] / (float)actions;
        base[k] = h.v[i * h.v_ld + k] - mean;
    }
    for (int k = lane; k < h.size; k += 32) dy[k] = 0;
    __syncwarp();
    if (a.dist == C51) {
        loss = c51(a, atoms, y + act, base, target, scale, dy + act, &off, lane);
    } else if (a.dist == QR) {
        loss = quantiles(a, atoms, y + act, base, target, scale, dy + act, &off, lane);
    } else {
        float g;
        off = target[0] - y[act] - base[0];
        loss = huber(-off, a.huber, &g);
        if (lane == 0) dy[act] = scale * g;
    }
    if (lane == 0 && a.td != nullptr) a.td[i] = off;
    __syncwarp();
    if (a.rest != nullptr) loss += known_rest(a, actions, atoms, i, y, base, scale, dy, lane);
    __syncwarp();
    for (int k = lane; k < atoms; k += 32) {
        float sum = 0;
        for (int j = 0; j < actions; j++) sum += dy[j * atoms + k];
        for (int j = 0; j < actions; j++) dy[j * atoms + k] -= sum / (float)actions;
        base[k] = sum;
    }
    return loss;
}

// Row i among the rows of its group; see nn_target.group. Every lane has the result.
DEV float in_group(const loss_head &h, int i, float scale, float *dy, int lane)
{
    const uint32_t first = h.group[2 * i], end = h.group[2 * i + 1];
    float high = -INFINITY, sum = 0, mass = 0;
    for (uint32_t j = first + lane; j < end; j += 32) high = fmaxf(high, h.y[j * h.ld]);
    high = warp_max(high);
    for (uint32_t j = first + lane; j < end; j += 32) sum += expf(h.y[j * h.ld] - high), mass += h.target[j];
    sum = warp_sum(sum), mass = warp_sum(mass);
    const float log_p = h.y[i * h.ld] - high - logf(sum), want = h.target[i];
    if (lane == 0) dy[0] = scale * (mass * expf(log_p) - want);
    return -want * log_p;
}

DEV float moves_logit(const loss_args &a, int i, uint32_t m)
{
    float l = 0;
    for (int h = 0, k = 0; h < a.n_heads; h++)
        if (a.head[h].kind == POLICY) l += a.head[h].y[i * a.head[h].ld + a.index[(size_t)m * a.n_policy + k++]];
    return l;
}

DEV float over_moves(const loss_args &a, int i, float scale, int lane)
{
    const uint32_t first = a.start[i], end = a.start[i + 1];
    float high = -INFINITY, sum = 0, mass = 0, loss = 0;
    for (uint32_t m = first + lane; m < end; m += 32) high = fmaxf(high, moves_logit(a, i, m));
    high = warp_max(high);
    for (uint32_t m = first + lane; m < end; m += 32) sum += expf(moves_logit(a, i, m) - high), mass += a.prob[m];
    sum = warp_sum(sum), mass = warp_sum(mass);
    const float log_sum = high + logf(sum);
    for (uint32_t m = first + lane; m < end; m += 32) {
        float log_p = moves_logit(a, i, m) - log_sum;
        loss -= a.prob[m] * log_p;
        a.dprob[m] = scale * (mass * expf(log_p) - a.prob[m]);
    }
    for (int h = 0; h < a.n_heads; h++)
        if (a.head[h].kind == POLICY)
            for (int k = lane; k < a.head[h].size; k += 32) a.head[h].dy[i * a.head[h].ld + k] = 0;
    __syncwarp();
    // moves may share an entry: one lane a head adds them in order
    if (lane < a.n_heads && a.head[lane].kind == POLICY) {
        int k = 0;
        for (int h = 0; h < lane; h++) k += a.head[h].kind == POLICY;
        float *dy = a.head[lane].dy + i * a.head[lane].ld;
        for (uint32_t m = first; m < end; m++) dy[a.index[(size_t)m * a.n_policy + k]] += a.dprob[m];
    }
    return warp_sum(loss);
}

__global__ void __launch_bounds__(THREADS) loss_kernel(const __grid_constant__ loss_args a)
{
    in_turn();
    const int i = blockIdx.x * (THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= a.n) return;
    const float weight = a.weight != nullptr ? a.weight[i] : 1, share = weight / (float)a.n;
    float all = 0;
    bool moves_done = a.start == nullptr;
    for (int k = 0; k < a.n_heads; k++) {
        const loss_head &h = a.head[k];
        float *dy = h.dy + i * h.ld, loss = 0;
        if (h.kind == POLICY && a.start != nullptr) {
            if (!moves_done) loss = weight * a.prob_scale * over_moves(a, i, share * a.prob_scale, lane);
            moves_done = true;
        } else if (h.target == nullptr) {
            for (int j = lane; j < h.size; j += 32) dy[j] = 0;
            if (h.kind == DUEL)
                for (int j = lane; j < h.atoms; j += 32) h.dv[i * h.v_ld + j] = 0;
        } else if (h.kind == POLICY || h.kind == REPLY) {
            loss = weight * h.scale * cross_entropy(h, i, share * h.scale, dy, lane);
        } else if (h.group != nullptr) {
            loss = weight * h.scale * in_group(h, i, share * h.scale, dy, lane);
        } else if (h.kind == DUEL) {
            loss = weight * h.scale * duel(a, h, i, share * h.scale, dy, lane);
        } else {
            loss = weight * h.scale * squares(a, h, i, share * h.scale, dy, lane);
        }
        if (lane == 0) a.losses[(size_t)i * 9 + 1 + k] = loss;
        all += loss;
    }
    if (lane == 0) a.losses[(size_t)i * 9] = all;
}

// Means over the batch: a block a column.
__global__ void __launch_bounds__(THREADS) report_kernel(int n, const float *losses, double *report)
{
    in_turn();
    __shared__ double all[THREADS];
    double t = 0;
    for (int i = threadIdx.x; i < n; i += THREADS) t += (double)losses[(size_t)i * 9 + blockIdx.x];
    t = block_sum(all, t);
    if (threadIdx.x == 0) report[blockIdx.x] = t / n;
}

extern "C" int loss_run(const loss_args *a, void *stream)
{
    const dim3 grid((unsigned)(a->n + THREADS / 32 - 1) / (THREADS / 32));
    return launch_early(loss_kernel, grid, THREADS, 0, stream, *a);
}

extern "C" int loss_report(const loss_args *a, void *stream)
{
    return launch_early(report_kernel, dim3((unsigned)(1 + a->n_heads)), THREADS, 0, stream, a->n, a->losses, a->report);
}
