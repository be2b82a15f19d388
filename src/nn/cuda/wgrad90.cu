// Weight gradients of a 3x3 convolution on Hopper, 128 channels, 8x8 boards: dW[tap] = dz * x(shifted)^T by wgmma.
//
// K runs over the cells: both operands have their channels contiguous, so a core matrix is one row of a board by 8 channels,
// and a tap is a constant offset into x, as in tower.h. A block makes the three taps of one row dy for all 128x128 channels
// (192 accumulators a thread) over a share of the boards; the shares are added by wgrad_add.
#include "nn/cuda/hopper.cuh"
#include "nn/cuda/train_kern.h"

#include <cuda_runtime.h>

extern "C" int wgrad_add_run(const wgrad_args *a, int splits, void *stream);

enum {
    NB = 2, // boards a stage
    PITCH = 9 * 16,
    PLANE = 9 * NB * PITCH,
    ACT = 16 * PLANE + NB * PITCH + 32, // behind the last plane a zero row
    STAGE = (2 * ACT + 127) / 128 * 128,
    STAGES = 2,
    CELLS = NB * 64,
    SMEM = STAGES * STAGE + 64,
    THREADS = 384,
};

#if defined(KEIKO_HOPPER)

DEV void load_cell(uint32_t to, const uint4 *from, bool real)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(real ? 16 : 0) : "memory");
}

DEV void carry(const wgrad_args &a, uint32_t sm, uint32_t full, uint32_t empty, int tiles, int shares)
{
    const int tid = threadIdx.x & 127;
    const long cells = (long)a.s.n * 64;
    int i = 0;
    for (int tile = blockIdx.x / 3; tile < tiles; tile += shares, i++) {
        const uint32_t st = (uint32_t)(i % STAGES), to = sm + st * STAGE;
        mbar_wait(empty + 8 * st, ((uint32_t)(i / STAGES) & 1) ^ 1);
        const long base = (long)tile * CELLS;
        const bool real = base + tid < cells;
        const int b = tid >> 6, y = tid >> 3 & 7, x = tid & 7;
        const uint32_t at = to + (uint32_t)(((y + 1) * NB + b) * PITCH + (x + 1) * 16);
        const size_t from = real ? (size_t)(base + tid) : 0;
#pragma unroll 4
        for (int p = 0; p < 16; p++) {
            load_cell(at + (uint32_t)(p * PLANE), (const uint4 *)a.dz + p * cells + from, real);
            load_cell(at + (uint32_t)(ACT + p * PLANE), (const uint4 *)a.x + p * cells + from, real);
        }
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
        fence_async();
        mbar_arrive(full + 8 * st);
    }
}

DEV void multiply(const wgrad_args &a, uint32_t sm, uint32_t full, uint32_t empty, int tiles, int shares)
{
    const int wg = threadIdx.x >> 7, ww = threadIdx.x >> 5 & 3, lane = threadIdx.x & 31, dy = blockIdx.x % 3;
    float d0[64], d1[64], d2[64];
    int i = 0;
    for (int tile = blockIdx.x / 3; tile < tiles; tile += shares, i++) {
        const uint32_t st = (uint32_t)(i % STAGES), at = sm + st * STAGE;
        mbar_wait(full + 8 * st, (uint32_t)(i / STAGES) & 1);
        // dz: this warpgroup's 64 channels from the first cell on; x: the rows dy away, from the cell left of it
        const uint64_t da = wgmma_desc(at + (uint32_t)(wg * 8 * PLANE + NB * PITCH + 16), PITCH, PLANE);
        const uint64_t db = wgmma_desc(at + (uint32_t)(ACT + dy * NB * PITCH), PITCH, PLANE);
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < CELLS / 16; k++) {
            const uint64_t row = (uint64_t)(k * 2 * PITCH / 16);
            const int add = i > 0 || k > 0;
            wgmma_m<128>::go(d0, da + row, db + row, add);
            wgmma_m<128>::go(d1, da + row, db + row + 1, add);
            wgmma_m<128>::go(d2, da + row, db + row + 2, add);
        }
        wgmma_commit();
        wgmma_wait<0>();
        if (lane == 0) mbar_arrive(empty + 8 * st);
    }
    hold(d0), hold(d1), hold(d2);
    float *out = a.parts + (size_t)(blockIdx.x / 3) * 9 * 128 * 128 + (size_t)(dy * 3) * 128 * 128;
    const int o = wg * 64 + ww * 16 + (lane >> 2), c = (lane & 3) * 2;
#pragma unroll
    for (int j = 0; j < 16; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const size_t to = (size_t)(o + (e >> 1) * 8) * 128 + j * 8 + c + (e & 1);
            out[to] = d0[4 * j + e];
            out[128 * 128 + to] = d1[4 * j + e];
            out[2 * 128 * 128 + to] = d2[4 * j + e];
        }
}

#endif

__global__ void __launch_bounds__(THREADS, 1)
    wgrad90_kernel(const __grid_constant__ wgrad_args a, int tiles, int shares)
{
#if defined(KEIKO_HOPPER)
    extern __shared__ __align__(1024) uint8_t sm[];
    const uint32_t base = smem_at(sm), full = base + STAGES * STAGE, empty = full + 8 * STAGES;
    for (int i = threadIdx.x; i < STAGES * STAGE / 16; i += THREADS) ((uint4 *)sm)[i] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) mbar_init(full + 8 * i, 128), mbar_init(empty + 8 * i, 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    fence_async();
    __syncthreads();
    if (threadIdx.x >= 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        carry(a, base, full, empty, tiles, shares);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        multiply(a, base, full, empty, tiles, shares);
    }
#endif
}

extern "C" int wgrad90_fits(board_shape s, int cin, int cout)
{
    return s.rows == 8 && s.cols == 8 && cin == 128 && cout == 128;
}

extern "C" int wgrad90_run(const wgrad_args *a, void *stream)
{
    if (!wgrad90_fits(a->s, a->cin, a->cout)) return wgrad_run(a, stream);
    int tiles = (a->s.n + NB - 1) / NB, shares = a->sms / 3;
    if (shares > tiles) shares = tiles;
    cudaError_t e = cudaFuncSetAttribute(wgrad90_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
    if (e != cudaSuccess) return (int)e;
    wgrad90_kernel<<<(unsigned)(3 * shares), THREADS, SMEM, (cudaStream_t)stream>>>(*a, tiles, shares);
    e = cudaGetLastError();
    return e == cudaSuccess ? wgrad_add_run(a, shares, stream) : (int)e;
}
