// Matrix products of fully connected layers in training: f32 in memory, bf16 in the multipliers, f32 sums. See train_kern.h.
//
// These matrices are small and what counts is how long one block needs, not how many there are: sixteen warps make 64x64 of
// C, and K goes by in steps of 64 that are fetched into registers while the step before is multiplied. Where C is small and
// K long (weight gradients of large batches), K is split and the parts are added by a second launch, in order.
#include "nn/cuda/mma.cuh"
#include "nn/cuda/train_kern.h"

#include <cuda_runtime.h>

enum { TILE = 64, STEP = 64, LD = STEP + 8, THREADS = 512, EACH = TILE * STEP / THREADS, APART = THREADS / TILE };
static_assert(TILE == STEP, "one thread's place is the same whichever direction memory runs");

// A thread's share of an operand: every eighth row at one k, or every eighth k of one row; memory's fast direction is the
// one in which neighbouring threads lie.
struct operand {
    const float *from;
    long apart, step; // to the thread's next element, to the next step
    int row, k, rows;
    bool k_fast;

    __device__ __forceinline__ operand(const float *p, long row_step, long k_step, int row0, int all_rows, int k0)
    {
        const int fast = threadIdx.x % TILE, slow = threadIdx.x / TILE;
        k_fast = k_step == 1;
        row = k_fast ? slow : fast, k = k_fast ? fast : slow;
        rows = all_rows - row0;
        from = p + (row0 + row) * row_step + (k0 + k) * k_step;
        apart = APART * (k_fast ? row_step : k_step), step = STEP * k_step;
    }

    __device__ __forceinline__ void fetch(float (&r)[EACH], int left) // left: of K
    {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const bool there = k_fast ? row + APART * j < rows && k < left : row < rows && k + APART * j < left;
            r[j] = there ? from[j * apart] : 0.f;
        }
        from += step;
    }

    __device__ __forceinline__ void put(const float (&r)[EACH], __nv_bfloat16 *to) const
    {
        to += row * LD + k;
#pragma unroll
        for (int j = 0; j < EACH; j++) to[j * (k_fast ? APART * LD : APART)] = __float2bfloat16(r[j]);
    }
};

// What is done to a sum before it is stored. Loads of all of a thread's elements come before its first store: C may be where
// they lie, so the compiler would wait for each.
struct ending {
    float bias, mask, old;
    __device__ __forceinline__ ending(const gemm_args &a, int m, int n) : bias(0), mask(1), old(0)
    {
        if (m >= a.m || n >= a.n) return;
        if (a.bias != nullptr) bias = a.bias[n];
        if (a.mask != nullptr) mask = a.mask[m * a.ldc + n];
        if (a.add) old = a.c[m * a.ldc + n];
    }
    __device__ __forceinline__ float of(const gemm_args &a, float v) const
    {
        v += bias;
        if (a.relu) v = fmaxf(v, 0.f);
        return mask <= 0 ? old : old + v;
    }
};

__global__ void __launch_bounds__(THREADS, 2) gemm_kernel(const gemm_args a, int splits)
{
    in_turn();
    __shared__ __align__(16) __nv_bfloat16 as[2][TILE * LD], bs[2][TILE * LD];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp % 4 * 16, wn = warp / 4 * 16, i = lane >> 3;
    const int m0 = blockIdx.x * TILE, n0 = blockIdx.y * TILE, steps = (a.k + STEP - 1) / STEP;
    const int first = (int)((long)steps * blockIdx.z / splits) * STEP;
    const int last = (int)((long)steps * (blockIdx.z + 1) / splits) * STEP, end = last < a.k ? last : a.k;
    const bool sums = a.a_sums != nullptr && blockIdx.y == 0;
    float acc[2][4] = {}, ra[EACH], rb[EACH], sum = 0;
    operand oa(a.a, a.am, a.ak, m0, a.m, first), ob(a.b, a.bn, a.bk, n0, a.n, first);
    oa.fetch(ra, end - first);
    ob.fetch(rb, end - first);
    int now = 0;
    for (int k = first; k < end; k += STEP, now ^= 1) {
        oa.put(ra, as[now]);
        ob.put(rb, bs[now]);
        __syncthreads(); // the other buffer was read before the last one
        oa.fetch(ra, end - k - STEP);
        ob.fetch(rb, end - k - STEP);
        if (sums) { // eight threads a row
            const uint4 v = *(const uint4 *)(as[now] + threadIdx.x / 8 * LD + threadIdx.x % 8 * 8);
            const uint32_t *u = (const uint32_t *)&v;
#pragma unroll
            for (int e = 0; e < 4; e++) sum += bf16_lo(u[e]) + bf16_hi(u[e]);
        }
#pragma unroll
        for (int s = 0; s < STEP / 16; s++) {
            uint32_t f[4], g[4];
            load_matrix4(f, smem_at(as[now] + (wm + (lane & 15)) * LD + s * 16 + (lane >> 4) * 8));
            load_matrix4(g, smem_at(bs[now] + (wn + (i >> 1) * 8 + (lane & 7)) * LD + s * 16 + (i & 1) * 8));
            mma16816(acc[0], f, g[0], g[1]);
            mma16816(acc[1], f, g[2], g[3]);
        }
    }
    float *part = a.parts + (size_t)blockIdx.z * ((size_t)a.m * a.n + a.m);
    if (sums) {
        for (int o = 4; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
        const int m = m0 + threadIdx.x / 8;
        if (threadIdx.x % 8 == 0 && m < a.m) (splits > 1 ? part + (size_t)a.m * a.n : a.a_sums)[m] = sum;
    }
    const int m = m0 + wm + (lane >> 2), n = n0 + wn + (lane & 3) * 2;
    float v[8];
#pragma unroll
    for (int e = 0; e < 8; e++) v[e] = acc[e >> 2][e & 3];
    if (splits == 1)
#pragma unroll
        for (int e = 0; e < 8; e++) v[e] = ending(a, m + (e >> 1 & 1) * 8, n + (e >> 2) * 8 + (e & 1)).of(a, v[e]);
    float *to = splits > 1 ? part : a.c;
    const long ld = splits > 1 ? a.n : a.ldc;
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int me = m + (e >> 1 & 1) * 8, ne = n + (e >> 2) * 8 + (e & 1);
        if (me < a.m && ne < a.n) to[me * ld + ne] = v[e];
    }
}

__global__ void gemm_add(const gemm_args a, int splits)
{
    in_turn();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, size = (size_t)a.m * a.n, stride = size + a.m;
    float v = 0;
    if (i >= stride) return;
    for (int s = 0; s < splits; s++) v += a.parts[s * stride + i];
    if (i < size)
        a.c[i / a.n * a.ldc + i % a.n] = ending(a, (int)(i / a.n), (int)(i % a.n)).of(a, v);
    else if (a.a_sums != nullptr)
        a.a_sums[i - size] = v;
}

extern "C" int gemm_run(const gemm_args *a, void *stream)
{
    int mt = (a->m + TILE - 1) / TILE, nt = (a->n + TILE - 1) / TILE, splits = 1;
    size_t size = (size_t)a->m * a->n + a->m;
    if (a->parts != nullptr)
        while (splits < 64 && mt * nt * splits < 128 && a->k / (splits * 2) >= 4 * STEP && size * splits * 2 <= a->room)
            splits *= 2;
    const dim3 grid((unsigned)mt, (unsigned)nt, (unsigned)splits);
    const int e = launch_early(gemm_kernel, grid, THREADS, 0, stream, *a, splits);
    if (e != 0 || splits == 1) return e;
    return launch_early(gemm_add, dim3((unsigned)((size + 255) / 256)), 256, 0, stream, *a, splits);
}
