// The training step's tower on any GPU: what stands around a convolution, batch-norm, weight gradients. See train_kern.h.
#include "nn/cuda/bn.cuh"
#include "nn/cuda/exact.cuh"
#include "nn/cuda/mma.cuh"
#include "nn/cuda/train_kern.h"
#include "nn/cuda/wgrad.cuh"

#include <cuda_runtime.h>

enum { THREADS = 256 };

static dim3 cells_grid(board_shape s, int channels)
{
    size_t cells = (size_t)s.n * s.rows * s.cols;
    return dim3((unsigned)((cells + THREADS - 1) / THREADS), (unsigned)(channels / 8));
}

__global__ void __launch_bounds__(THREADS) affine_kernel(const layer_args a)
{
    in_turn();
    const size_t cells = (size_t)a.s.n * a.s.rows * a.s.cols, cell = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int plane = blockIdx.y;
    if (cell >= cells) return;
    const size_t at = plane * cells + cell;
    uint4 p = ((const uint4 *)a.p)[at], q = a.q != nullptr ? ((const uint4 *)a.q)[at] : make_uint4(0, 0, 0, 0);
    uint32_t *u = (uint32_t *)&p;
    const uint32_t *v = (const uint32_t *)&q;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const int c = plane * 8 + 2 * e;
        float lo = a.a[c] * bf16_lo(u[e]) + a.b[c] * bf16_lo(v[e]) + a.c[c];
        float hi = a.a[c + 1] * bf16_hi(u[e]) + a.b[c + 1] * bf16_hi(v[e]) + a.c[c + 1];
        u[e] = a.relu ? pack_relu(lo, hi) : pack_bf16(lo, hi);
    }
    ((uint4 *)a.keep)[at] = p;
    if (a.keep_mask != nullptr) a.keep_mask[at] = (uint8_t)positive_bits(u);
}

extern "C" int affine_run(const layer_args *a, void *stream)
{
    return launch_early(affine_kernel, cells_grid(a->s, a->cin), THREADS, 0, stream, *a);
}

// --- sums

static int sums_parts(const layer_args *a)
{
    size_t cells = (size_t)a->s.n * a->s.rows * a->s.cols, parts = (cells + 511) / 512;
    return parts > 64 ? 64 : (int)parts;
}

extern "C" batch_sums sums_left(const layer_args *a)
{
    return {sums_parts(a), a->sums, nullptr};
}

__global__ void __launch_bounds__(THREADS) sums_kernel(const layer_args a)
{
    in_turn();
    const size_t cells = (size_t)a.s.n * a.s.rows * a.s.cols;
    const int plane = blockIdx.y, parts = gridDim.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t from = cells * blockIdx.x / parts, to = cells * (blockIdx.x + 1) / parts;
    float sum[16] = {};
    for (size_t cell = from + threadIdx.x; cell < to; cell += THREADS) {
        const size_t at = plane * cells + cell;
        uint4 y = ((uint4 *)a.y)[at];
        uint32_t *u = (uint32_t *)&y;
        if (a.mask == nullptr) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                float lo = bf16_lo(u[e]), hi = bf16_hi(u[e]);
                sum[2 * e] += lo, sum[2 * e + 1] += hi, sum[8 + 2 * e] += lo * lo, sum[9 + 2 * e] += hi * hi;
            }
            continue;
        }
        const uint4 z = ((const uint4 *)a.z)[at];
        const uint32_t m = a.mask[at], *zz = (const uint32_t *)&z;
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int c = plane * 8 + 2 * e;
            u[e] &= mask_word(m, e);
            const float lo = bf16_lo(u[e]), hi = bf16_hi(u[e]);
            sum[2 * e] += lo, sum[2 * e + 1] += hi;
            sum[8 + 2 * e] += lo * (bf16_lo(zz[e]) - a.mean[c]);
            sum[9 + 2 * e] += hi * (bf16_hi(zz[e]) - a.mean[c + 1]);
        }
        ((uint4 *)a.y)[at] = y;
    }
    __shared__ float all[THREADS / 32][16];
#pragma unroll
    for (int e = 0; e < 16; e++) {
        float t = warp_sum(sum[e]);
        if (lane == 0) all[warp][e] = t;
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        float t = 0;
        for (int w = 0; w < THREADS / 32; w++) t += all[w][threadIdx.x];
        a.sums[((size_t)blockIdx.x * 2 + threadIdx.x / 8) * a.cout + plane * 8 + threadIdx.x % 8] = t;
    }
}

extern "C" int sums_run(const layer_args *a, void *stream)
{
    dim3 grid((unsigned)sums_parts(a), (unsigned)(a->cout / 8));
    return launch_early(sums_kernel, grid, THREADS, 0, stream, *a);
}

extern "C" batch_sums layer_sums(const layer_args *a)
{
    return a->w90 != nullptr ? layer90_sums(a) : sums_left(a);
}

extern "C" int layer_run(const layer_args *a, void *stream)
{
    if (a->w90 != nullptr) return layer90_run(a, stream);
    conv_args c = {a->s, a->cin, a->cout, a->a != nullptr ? a->keep : a->p, a->w, nullptr, a->res, a->y, 0};
    int e = a->a != nullptr ? affine_run(a, stream) : 0;
    if (e == 0) e = layers_conv(&c, stream);
    return e == 0 ? sums_run(a, stream) : e;
}

// --- batch-norm from the sums: a warp a channel

DEV void total(const bn_args &a, int c, int lane, double &sum, double &other)
{
    sum = other = 0;
    if (a.sums.exact != nullptr) {
        sum = exact_sum(a.sums.exact + c, 2 * a.padded), other = exact_sum(a.sums.exact + a.padded + c, 2 * a.padded);
        return;
    }
    for (int p = lane; p < a.sums.n; p += 32) {
        sum += (double)a.sums.parts[(size_t)(p * 2) * a.padded + c];
        other += (double)a.sums.parts[(size_t)(p * 2 + 1) * a.padded + c];
    }
    for (int o = 16; o > 0; o >>= 1) {
        sum += __shfl_xor_sync(~0u, sum, o);
        other += __shfl_xor_sync(~0u, other, o);
    }
}

typedef struct bn_some {
    bn_args one[BN_MOST];
} bn_some;

template <bool BACK> __global__ void bn_kernel(const __grid_constant__ bn_some some)
{
    in_turn();
    const bn_args &a = some.one[blockIdx.y];
    const int c = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (c >= a.channels) return;
    double sum, other;
    total(a, c, lane, sum, other);
    if (lane != 0) return;
    if (BACK)
        bn_back(a, c, sum, other, true);
    else
        bn_front(a, c, sum, other, true);
}

static int bn_launch(void (*kernel)(bn_some), const bn_args *a, int n, void *stream)
{
    bn_some some = {};
    int most = 0;
    for (int i = 0; i < n; i++) some.one[i] = a[i], most = a[i].channels > most ? a[i].channels : most;
    const dim3 grid((unsigned)(most + 3) / 4, (unsigned)n);
    if (n == 0) return 0;
    return launch_early(kernel, grid, 128, 0, stream, some);
}

extern "C" int bn_forward(const bn_args *a, int n, void *stream)
{
    return bn_launch(bn_kernel<false>, a, n, stream);
}

extern "C" int bn_backward(const bn_args *a, int n, void *stream)
{
    return bn_launch(bn_kernel<true>, a, n, stream);
}

// --- packed weights

DEV float weight_of(const pack_job &j, const float *w, int o, int i, int tap, bool back)
{
    if (back) { // the transposed convolution: channels change places, taps turn round
        if (o >= j.cin || i >= j.cout) return 0;
        return w[j.w + ((size_t)i * j.cin + o) * 9 + 8 - tap];
    }
    return o < j.cout && i < j.cin ? w[j.w + ((size_t)o * j.cin + i) * 9 + tap] : 0;
}

// The k-th half of a packed form: which output, input and tap it is.
DEV void place(int k, int tiles, int &o, int &i, int &tap)
{
    int e = k & 7, lane = k >> 3 & 31, m = (k >> 8) % (tiles * 4), rest = (k >> 8) / (tiles * 4);
    o = m * 16 + lane / 4 + e / 2 % 2 * 8;
    i = rest / 18 * 32 + rest % 2 * 16 + e / 4 * 8 + lane % 4 * 2 + e % 2;
    tap = rest % 18 / 2;
}

__global__ void __launch_bounds__(THREADS) pack_kernel(const pack_job *jobs, const float *w)
{
    const pack_job j = jobs[blockIdx.y];
    const int k = blockIdx.x * THREADS + threadIdx.x;
    int o, i, tap;
    for (int form = 0; form < 2; form++) {
        uint16_t *to = form == 0 ? j.front : j.back;
        int cin = form == 0 ? j.cin : j.cout, cout = form == 0 ? j.cout : j.cin, tiles = conv_tiles(cout);
        if (to != nullptr && k < (cin + 31) / 32 * 18 * tiles * 4 * 256) {
            place(k, tiles, o, i, tap);
            ((__nv_bfloat16 *)to)[k] = __float2bfloat16(weight_of(j, w, o, i, tap, form == 1));
        }
    }
}

// The forms for Hopper: [half][tap][tile][step 4][2][64 outputs][8 inputs]. A block makes 64 outputs by 8 inputs of all taps:
// a weight's taps lie side by side in the flat array, so they are read together.
__global__ void __launch_bounds__(THREADS) pack90_kernel(const pack_job *jobs, const float *w)
{
    __shared__ float s[64 * 8 * 9]; // [output][input][tap]
    const pack_job j = jobs[blockIdx.z];
    const int tiles = gridDim.x, t = blockIdx.x, i8 = blockIdx.y >> 1; // which 64 outputs, which 8 inputs
    const bool back = (blockIdx.y & 1) != 0;
    uint16_t *to = back ? j.back90 : j.front90;
    if (to == nullptr) return;
#pragma unroll 6
    for (int k = threadIdx.x; k < 64 * 8 * 9; k += THREADS) {
        const int slow = back ? k / (64 * 9) : k / (8 * 9), rest = back ? k % (64 * 9) : k % (8 * 9);
        const int r = back ? rest / 9 : slow, e = back ? slow : rest / 9, tap = back ? 8 - rest % 9 : rest % 9;
        s[(r * 8 + e) * 9 + tap] = weight_of(j, w, t * 64 + r, i8 * 8 + e, tap, back);
    }
    __syncthreads();
    uint32_t *out = (uint32_t *)to;
    for (int k = threadIdx.x; k < 9 * 256; k += THREADS) {
        const int n = k / 256, two = k % 256, tap = n < 3 ? n + 3 : n < 6 ? n - 3 : n;
        const int place = ((i8 >> 3) * 9 + n) * tiles + t; // i8: half, step, which 8 of 16
        out[(place * 8 + (i8 & 7)) * 256 + two] = pack_bf16(s[two * 18 + tap], s[two * 18 + 9 + tap]);
    }
}

extern "C" int pack_run(const pack_job *jobs, int n, int most, const float *w, void *stream)
{
    dim3 grid((unsigned)((most + THREADS - 1) / THREADS), (unsigned)n);
    pack_kernel<<<grid, THREADS, 0, (cudaStream_t)stream>>>(jobs, w);
    return (int)cudaGetLastError();
}

extern "C" int pack90_run(const pack_job *jobs, int n, int channels, const float *w, void *stream)
{
    dim3 grid((unsigned)(channels / 64), (unsigned)(channels / 8 * 2), (unsigned)n);
    pack90_kernel<<<grid, THREADS, 0, (cudaStream_t)stream>>>(jobs, w);
    return (int)cudaGetLastError();
}

// --- weight gradients: a block makes 64 outputs by 64 inputs by nine taps over a share of the positions

enum { WG_POS = 64 };

DEV void copy16(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

typedef struct wgrad_stage {
    uint32_t dz, x, ok; // shared addresses: 8 planes of 64 cells; 8 planes of cells with their neighbours; masks
} wgrad_stage;

DEV void wgrad_load(const wgrad_args &a, const wgrad_job &job, const wgrad_stage &st, uint16_t *ok, int co0, int ci0,
                    long p0, long end, int span, long cells)
{
    const int halo = a.s.cols + 1, hw = a.s.rows * a.s.cols;
    for (int i = threadIdx.x; i < 8 * WG_POS; i += THREADS) {
        int plane = i / WG_POS, k = i % WG_POS;
        bool real = p0 + k < end && co0 + plane * 8 < a.cout;
        uint32_t to = st.dz + (uint32_t)i * 16;
        if (real)
            copy16(to, (const uint4 *)job.dz + (co0 / 8 + plane) * cells + p0 + k);
        else
            asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(to), "r"(0) : "memory");
    }
    for (int i = threadIdx.x; i < 8 * span; i += THREADS) {
        int plane = i / span;
        long cell = p0 - halo + i % span;
        if (cell >= 0 && cell < cells && ci0 + plane * 8 < a.cin)
            copy16(st.x + (uint32_t)i * 16, (const uint4 *)job.x + (ci0 / 8 + plane) * cells + cell);
    }
    if (threadIdx.x < WG_POS) {
        long p = p0 + threadIdx.x;
        int sq = (int)(p % hw), y = sq / a.s.cols, x = sq % a.s.cols, m = 0;
        for (int t = 0; t < 9; t++) {
            int yy = y + t / 3 - 1, xx = x + t % 3 - 1;
            if (p < end && yy >= 0 && yy < a.s.rows && xx >= 0 && xx < a.s.cols) m |= 1 << t;
        }
        ok[threadIdx.x] = (uint16_t)m;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void __launch_bounds__(THREADS) wgrad_kernel(const wgrad_args a, int splits)
{
    in_turn();
    extern __shared__ __align__(16) uint8_t sm[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp % 4, wn = warp / 4;
    const int ci0 = blockIdx.x * 64, co0 = blockIdx.y * 64, halo = a.s.cols + 1, span = WG_POS + 2 * halo;
    const long cells = (long)a.s.n * a.s.rows * a.s.cols, blocks = (cells + WG_POS - 1) / WG_POS;
    const int layer = (int)blockIdx.z / splits, split = (int)blockIdx.z % splits;
    const long first = blocks * split / splits * WG_POS, last = blocks * (split + 1) / splits * WG_POS;
    const wgrad_job job = a.jobs[layer];
    const long end = last < cells ? last : cells;
    const uint32_t zero = smem_at(sm), size = (uint32_t)(8 * WG_POS * 16 + 8 * span * 16 + 128);
    if (threadIdx.x == 0) *(uint4 *)sm = make_uint4(0, 0, 0, 0);
    float acc[9][4][4] = {};
    const bool live = ci0 + wn * 32 < a.cin && co0 + wm * 16 < a.cout;
    wgrad_stage st[2];
    for (int i = 0; i < 2; i++)
        st[i].dz = zero + 16 + i * size, st[i].x = st[i].dz + 8 * WG_POS * 16, st[i].ok = st[i].x + 8 * span * 16;
#define OK_OF(i) ((uint16_t *)(sm + (st[i].ok - zero)))
    if (first < end) wgrad_load(a, job, st[0], OK_OF(0), co0, ci0, first, end, span, cells);
    int now = 0;
    for (long p = first; p < end; p += WG_POS, now ^= 1) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (p + WG_POS < end) wgrad_load(a, job, st[now ^ 1], OK_OF(now ^ 1), co0, ci0, p + WG_POS, end, span, cells);
        if (!live) continue;
#pragma unroll 1
        for (int k = 0; k < WG_POS / 16; k++) {
            uint32_t f[4];
            const int i = lane >> 3;
            load_matrix4_turned(
                f, st[now].dz + (uint32_t)(((wm * 2 + (i & 1)) * WG_POS + k * 16 + (i >> 1) * 8 + (lane & 7)) * 16));
            const int pos = k * 16 + (i & 1) * 8 + (lane & 7), ok = OK_OF(now)[pos];
            const uint32_t at = st[now].x + (uint32_t)(((wn * 4 + (i >> 1)) * span + halo + pos) * 16);
#pragma unroll
            for (int t = 0; t < 9; t++) {
                const uint32_t from = at + (uint32_t)(((t / 3 - 1) * a.s.cols + t % 3 - 1) * 16);
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    uint32_t b[4];
                    load_matrix4_turned(b, (ok >> t & 1) ? from + (uint32_t)(h * 2 * span * 16) : zero);
                    mma16816(acc[t][2 * h], f, b[0], b[1]);
                    mma16816(acc[t][2 * h + 1], f, b[2], b[3]);
                }
            }
        }
    }
    if (!live) return;
    float *out = a.parts + (size_t)(blockIdx.z + layer) * 9 * a.cout * a.cin; // a split is a group: wgrad.cuh
#pragma unroll
    for (int t = 0; t < 9; t++)
#pragma unroll
        for (int n = 0; n < 4; n++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int o = co0 + wm * 16 + (lane >> 2) + (e >> 1) * 8,
                    i = ci0 + wn * 32 + n * 8 + (lane & 3) * 2 + (e & 1);
                out[((size_t)t * a.cout + o) * a.cin + i] = acc[t][n][e];
            }
}

// A block adds the nine taps of some pairs of channels: parts have a tap's pairs side by side, a gradient a pair's taps.
enum { ADD_THREADS = 9 * 32, ADD_EACH = 4, ADD_PAIRS = 32 * ADD_EACH, ADD_AHEAD = 4 };

__global__ void __launch_bounds__(ADD_THREADS) wgrad_add(const wgrad_args a, const wgrad_split s)
{
    __shared__ float all[ADD_PAIRS * 9];
    in_turn();
    const int job = blockIdx.y, tap = threadIdx.x / 32, lane = threadIdx.x % 32, p0 = blockIdx.x * ADD_PAIRS;
    const int first = split_group(s, job * s.tiles), last = split_group(s, (job + 1) * s.tiles - 1);
    const size_t plane = (size_t)a.cout * a.cin;
    const float *from = a.parts + (size_t)(first + job) * 9 * plane + tap * plane + p0 + lane;
    float sum[ADD_EACH] = {};
    for (int g = first; g <= last; g += ADD_AHEAD) {
        float v[ADD_AHEAD][ADD_EACH];
#pragma unroll
        for (int k = 0; k < ADD_AHEAD; k++, from += 9 * plane)
#pragma unroll
            for (int e = 0; e < ADD_EACH; e++) v[k][e] = g + k <= last ? from[32 * e] : 0.f;
#pragma unroll
        for (int k = 0; k < ADD_AHEAD; k++)
#pragma unroll
            for (int e = 0; e < ADD_EACH; e++) sum[e] += v[k][e];
    }
#pragma unroll
    for (int e = 0; e < ADD_EACH; e++) all[(lane + 32 * e) * 9 + tap] = sum[e];
    __syncthreads();
    float *grad = a.jobs[job].grad;
    for (int k = threadIdx.x; k < ADD_PAIRS * 9; k += ADD_THREADS) {
        const int o = (p0 + k / 9) / a.cin, i = (p0 + k / 9) % a.cin;
        if (o < a.real_out && i < a.real_in) grad[((size_t)o * a.real_in + i) * 9 + k % 9] = all[k];
    }
}

int wgrad_add_run(const wgrad_args *a, const wgrad_split *s, void *stream)
{
    dim3 grid((unsigned)(a->cout * a->cin / ADD_PAIRS), (unsigned)a->n); // both multiples of 32
    return launch_early(wgrad_add, grid, ADD_THREADS, 0, stream, *a, *s);
}

static int wgrad_splits(int cin, int cout, int n, int sms)
{
    int tiles = ((cin + 63) / 64) * ((cout + 63) / 64) * n, s = sms / tiles;
    return s < 1 ? 1 : s;
}

extern "C" size_t wgrad_room(int cin, int cout, int n, int sms)
{
    size_t groups = (size_t)(wgrad_splits(cin, cout, n, sms) * n), at_least = (size_t)sms / 3;
    return ((groups > at_least ? groups : at_least) + (size_t)n) * 9 * (size_t)cin * (size_t)cout;
}

extern "C" int wgrad_run(const wgrad_args *a, void *stream)
{
    const int splits = wgrad_splits(a->cin, a->cout, a->n, a->sms), span = WG_POS + 2 * (a->s.cols + 1);
    const wgrad_split shared = {a->n, splits, a->n * splits};
    int smem = 16 + 2 * (8 * WG_POS * 16 + 8 * span * 16 + 128);
    int e = allow_smem<wgrad_kernel>();
    if (e != 0) return e;
    dim3 grid((unsigned)(a->cin + 63) / 64, (unsigned)(a->cout + 63) / 64, (unsigned)(a->n * splits));
    e = launch_early(wgrad_kernel, grid, THREADS, smem, stream, *a, splits);
    return e == 0 ? wgrad_add_run(a, &shared, stream) : e;
}
