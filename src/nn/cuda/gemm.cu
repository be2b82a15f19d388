// Matrix products of fully connected layers in training: f32 in memory, bf16 in the multipliers, f32 sums. See train_kern.h.
//
// A block makes 64x64 of C with four warps; K goes by in steps of 32 that are fetched into registers while the step before is
// multiplied. Where C is small and K long (weight gradients), K is split and the parts are added by a second launch, in order.
#include "nn/cuda/mma.cuh"
#include "nn/cuda/train_kern.h"

#include <cuda_runtime.h>

enum { TILE = 64, STEP = 32, LD = STEP + 8, THREADS = 128, EACH = TILE * STEP / THREADS };

// Which element of a 64x32 tile this thread's j-th is: memory's fast direction first.
DEV void spot(int j, bool k_fast, int &row, int &k)
{
    int i = j * THREADS + threadIdx.x;
    if (k_fast)
        row = i / STEP, k = i % STEP;
    else
        row = i % TILE, k = i / TILE;
}

DEV void fetch(float (&r)[EACH], const float *p, long row_step, long k_step, int row0, int rows, int k0, int k_end)
{
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        int row, k;
        spot(j, k_step == 1, row, k);
        r[j] = row0 + row < rows && k0 + k < k_end ? p[(row0 + row) * row_step + (k0 + k) * k_step] : 0.f;
    }
}

DEV void put(const float (&r)[EACH], __nv_bfloat16 *to, bool k_fast)
{
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        int row, k;
        spot(j, k_fast, row, k);
        to[row * LD + k] = __float2bfloat16(r[j]);
    }
}

DEV void finish(const gemm_args &a, int m, int n, float v)
{
    float *c = a.c + m * a.ldc + n;
    if (a.bias != nullptr) v += a.bias[n];
    if (a.relu) v = fmaxf(v, 0.f);
    if (a.mask != nullptr && a.mask[m * a.ldc + n] <= 0) v = 0;
    *c = a.add ? *c + v : v;
}

__global__ void __launch_bounds__(THREADS) gemm_kernel(const gemm_args a, int splits)
{
    __shared__ __align__(16) __nv_bfloat16 as[TILE * LD], bs[TILE * LD];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp % 2 * 32, wn = warp / 2 * 32;
    const int m0 = blockIdx.x * TILE, n0 = blockIdx.y * TILE, steps = (a.k + STEP - 1) / STEP;
    const int first = (int)((long)steps * blockIdx.z / splits) * STEP;
    const int last = (int)((long)steps * (blockIdx.z + 1) / splits) * STEP, end = last < a.k ? last : a.k;
    float acc[2][4][4] = {}, ra[EACH], rb[EACH], sum = 0;
    fetch(ra, a.a, a.am, a.ak, m0, a.m, first, end);
    fetch(rb, a.b, a.bn, a.bk, n0, a.n, first, end);
    for (int k = first; k < end; k += STEP) {
        __syncthreads();
        put(ra, as, a.ak == 1);
        put(rb, bs, a.bk == 1);
        __syncthreads();
        fetch(ra, a.a, a.am, a.ak, m0, a.m, k + STEP, end);
        fetch(rb, a.b, a.bn, a.bk, n0, a.n, k + STEP, end);
        if (a.a_sums != nullptr && blockIdx.y == 0 && threadIdx.x < TILE)
            for (int i = 0; i < STEP; i++) sum += __bfloat162float(as[threadIdx.x * LD + i]);
#pragma unroll
        for (int s = 0; s < 2; s++) {
            uint32_t f[2][4], g[2][4];
            const int i = lane >> 3;
#pragma unroll
            for (int t = 0; t < 2; t++) {
                load_matrix4(f[t], smem_at(as + (wm + t * 16 + (lane & 15)) * LD + s * 16 + (lane >> 4) * 8));
                load_matrix4(g[t], smem_at(bs + (wn + t * 16 + (i >> 1) * 8 + (lane & 7)) * LD + s * 16 + (i & 1) * 8));
            }
#pragma unroll
            for (int t = 0; t < 2; t++)
#pragma unroll
                for (int u = 0; u < 2; u++) {
                    mma16816(acc[t][2 * u], f[t], g[u][0], g[u][1]);
                    mma16816(acc[t][2 * u + 1], f[t], g[u][2], g[u][3]);
                }
        }
    }
    float *part = a.parts + (size_t)blockIdx.z * ((size_t)a.m * a.n + a.m);
    if (a.a_sums != nullptr && blockIdx.y == 0 && threadIdx.x < TILE && m0 + (int)threadIdx.x < a.m)
        (splits > 1 ? part + (size_t)a.m * a.n : a.a_sums)[m0 + threadIdx.x] = sum;
#pragma unroll
    for (int t = 0; t < 2; t++)
#pragma unroll
        for (int u = 0; u < 4; u++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int m = m0 + wm + t * 16 + (lane >> 2) + (e >> 1) * 8, n = n0 + wn + u * 8 + (lane & 3) * 2 + (e & 1);
                if (m >= a.m || n >= a.n) continue;
                if (splits > 1)
                    part[(size_t)m * a.n + n] = acc[t][u][e];
                else
                    finish(a, m, n, acc[t][u][e]);
            }
}

__global__ void gemm_add(const gemm_args a, int splits)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, size = (size_t)a.m * a.n, stride = size + a.m;
    float v = 0;
    if (i >= stride) return;
    for (int s = 0; s < splits; s++) v += a.parts[s * stride + i];
    if (i < size)
        finish(a, (int)(i / a.n), (int)(i % a.n), v);
    else if (a.a_sums != nullptr)
        a.a_sums[i - size] = v;
}

extern "C" int gemm_run(const gemm_args *a, void *stream)
{
    int mt = (a->m + TILE - 1) / TILE, nt = (a->n + TILE - 1) / TILE, splits = 1;
    size_t size = (size_t)a->m * a->n + a->m;
    if (a->parts != nullptr)
        while (splits < 64 && mt * nt * splits < 128 && a->k / (splits * 2) >= 128 && size * splits * 2 <= a->room)
            splits *= 2;
    gemm_kernel<<<dim3((unsigned)mt, (unsigned)nt, (unsigned)splits), THREADS, 0, (cudaStream_t)stream>>>(*a, splits);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess || splits == 1) return (int)e;
    gemm_add<<<(unsigned)((size + 255) / 256), 256, 0, (cudaStream_t)stream>>>(*a, splits);
    return (int)cudaGetLastError();
}
