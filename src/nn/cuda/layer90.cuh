// One convolution of a training step on Hopper with all that stands around it (train_kern.h's layer_args), in one launch.
//
// A persistent block of twelve warps: two warpgroups multiply and carry their results out (masking and summing them), three
// warps carry the next boards in (computing what batch-norm and shortcut make of them), the last one streams weights. Two
// buffers of boards, laid out as in tower.h, take turns; a result is written over its input first, so that whole cells leave.
#ifndef KEIKO_NN_CUDA_LAYER90_CUH
#define KEIKO_NN_CUDA_LAYER90_CUH

#include "nn/cuda/hopper.cuh"
#include "nn/cuda/mma.cuh"
#include "nn/cuda/train_kern.h"

#include <cuda_runtime.h>

typedef struct layer90_args {
    layer_args a;
    int nb, pitch, group, plane, act; // as in tower.h
    int buffer, stages, ring, smem;   // bytes of a buffer; of the ring: stages, where it starts
    int tiles;
} layer90_args;

enum { L90_THREADS = 384, L90_CARRIERS = 3, L90_UNITS = 16, L90_ALL = 1, L90_CELLS = 256, L90_DUMP = 512 };

#if defined(KEIKO_HOPPER)

// Where the small things lie, behind the ring.
struct layer90_places {
    uint32_t full, empty, in, out; // barriers: of the ring's stages; boards ready to multiply; results ready to go
    uint16_t *cell;                // cell of a board tile -> its place, in 16 bytes
    uint32_t dump;
    float *sums; // [units][16], each unit's own
    __device__ __forceinline__ layer90_places(const layer90_args &g, uint8_t *sm, int stage)
    {
        uint8_t *p = sm + g.ring + g.stages * stage;
        full = smem_at(p), empty = full + 8 * (uint32_t)g.stages, in = empty + 8 * (uint32_t)g.stages, out = in + 16;
        cell = (uint16_t *)(p + 16 * g.stages + 32);
        dump = smem_at(cell + L90_CELLS);
        sums = (float *)(cell + L90_CELLS) + L90_DUMP / 4;
    }
};

// --- carrying: `warps` warps share the units, a plane of a region each

template <int WM> struct layer90_carrier {
    static constexpr int C = 64 * WM, PLANES = C / 8, REGIONS = WM == 1 ? 2 : 1;
    const layer90_args &g;
    uint8_t *sm;
    const layer90_places &at;
    int warp, warps, lane, count; // count: cells of a region
    long cells;

    __device__ __forceinline__ layer90_carrier(const layer90_args &args, uint8_t *smem, const layer90_places &places,
                                               int first, int of)
        : g(args), sm(smem), at(places), warp(first), warps(of)
    {
        lane = threadIdx.x & 31;
        count = g.nb * g.a.s.rows * g.a.s.cols;
        cells = (long)g.a.s.n * g.a.s.rows * g.a.s.cols;
    }

    __device__ __forceinline__ uint4 *spot(int buffer, int region, int plane, int j)
    {
        return (uint4 *)(sm + buffer * g.buffer + region * g.act + plane * g.plane) + at.cell[j];
    }

    __device__ __forceinline__ void load(int tile, int buffer)
    {
        const layer_args &a = g.a;
#pragma unroll 1
        for (int unit = warp; unit < L90_UNITS; unit += warps) {
            const int plane = unit % PLANES, region = unit / PLANES;
            const long base = ((long)tile * REGIONS + region) * count;
            const size_t from = (size_t)plane * cells + base;
            float ca[8], cb[8], cc[8];
#pragma unroll
            for (int e = 0; e < 8; e++) {
                ca[e] = a.a != nullptr ? __ldg(a.a + plane * 8 + e) : 1;
                cb[e] = a.a != nullptr ? __ldg(a.b + plane * 8 + e) : 0;
                cc[e] = a.a != nullptr ? __ldg(a.c + plane * 8 + e) : 0;
            }
#pragma unroll 1
            for (int j0 = lane; j0 < count; j0 += 256) {
                uint4 p[8], q[8];
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    const int j = j0 + 32 * i;
                    const bool real = j < count && base + j < cells;
                    p[i] = real ? __ldg((const uint4 *)a.p + from + j) : make_uint4(0, 0, 0, 0);
                    q[i] = real && a.q != nullptr ? __ldg((const uint4 *)a.q + from + j) : make_uint4(0, 0, 0, 0);
                }
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    const int j = j0 + 32 * i;
                    if (j >= count) break;
                    uint32_t *v = (uint32_t *)&p[i];
                    const uint32_t *w = (const uint32_t *)&q[i];
                    if (a.a != nullptr) {
#pragma unroll
                        for (int e = 0; e < 4; e++) {
                            float lo = ca[2 * e] * bf16_lo(v[e]) + cb[2 * e] * bf16_lo(w[e]) + cc[2 * e];
                            float hi = ca[2 * e + 1] * bf16_hi(v[e]) + cb[2 * e + 1] * bf16_hi(w[e]) + cc[2 * e + 1];
                            v[e] = a.relu ? pack_relu(lo, hi) : pack_bf16(lo, hi);
                        }
                        if (base + j < cells)
                            ((uint4 *)a.keep)[from + j] = p[i];
                        else
                            p[i] = make_uint4(0, 0, 0, 0);
                    }
                    *spot(buffer, region, plane, j) = p[i];
                }
            }
        }
        fence_async();
        __syncwarp();
        if (lane == 0) mbar_arrive(at.in + 8 * (uint32_t)buffer);
    }

    // 16 sums over the warp's lanes: lane 2k ends up with the k-th.
    __device__ __forceinline__ float fold(float (&v)[16])
    {
#pragma unroll
        for (int half = 8; half > 0; half >>= 1) {
            const bool high = (lane & (half * 2)) != 0;
#pragma unroll
            for (int i = 0; i < half; i++) {
                float send = high ? v[i] : v[i + half], keep = high ? v[i + half] : v[i];
                v[i] = keep + __shfl_xor_sync(~0u, send, half * 2);
            }
        }
        return v[0] + __shfl_xor_sync(~0u, v[0], 1);
    }

    __device__ __forceinline__ void store(int tile, int buffer)
    {
        const layer_args &a = g.a;
#pragma unroll 1
        for (int unit = warp; unit < L90_UNITS; unit += warps) {
            const int plane = unit % PLANES, region = unit / PLANES;
            const long base = ((long)tile * REGIONS + region) * count;
            const size_t to = (size_t)plane * cells + base;
            float t[16] = {}, mean[8];
#pragma unroll
            for (int e = 0; e < 8; e++) mean[e] = a.mask != nullptr ? __ldg(a.mean + plane * 8 + e) : 0;
#pragma unroll 1
            for (int j0 = lane; j0 < count; j0 += 128) {
                uint4 r[4], m[4], z[4];
                if (a.mask != nullptr) {
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        const int j = j0 + 32 * i;
                        const bool real = j < count && base + j < cells;
                        r[i] = real && a.res != nullptr ? ((const uint4 *)a.res)[to + j] : make_uint4(0, 0, 0, 0);
                        m[i] = real ? __ldg((const uint4 *)a.mask + to + j) : make_uint4(0, 0, 0, 0);
                        z[i] = real ? __ldg((const uint4 *)a.z + to + j) : make_uint4(0, 0, 0, 0);
                    }
                }
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const int j = j0 + 32 * i;
                    if (j >= count || base + j >= cells) break;
                    uint4 y = *spot(buffer, region, plane, j);
                    uint32_t *v = (uint32_t *)&y;
                    const uint32_t *rr = (const uint32_t *)&r[i], *mm = (const uint32_t *)&m[i],
                                   *zz = (const uint32_t *)&z[i];
#pragma unroll
                    for (int e = 0; e < 4; e++) {
                        float lo = bf16_lo(v[e]), hi = bf16_hi(v[e]), x = lo, w = hi;
                        if (a.mask != nullptr) {
                            lo = bf16_lo(mm[e]) > 0 ? lo + bf16_lo(rr[e]) : 0,
                            hi = bf16_hi(mm[e]) > 0 ? hi + bf16_hi(rr[e]) : 0;
                            v[e] = pack_bf16(lo, hi);
                            x = bf16_lo(zz[e]) - mean[2 * e];
                            w = bf16_hi(zz[e]) - mean[2 * e + 1];
                        }
                        t[2 * e] += lo, t[2 * e + 1] += hi, t[8 + 2 * e] += lo * x, t[9 + 2 * e] += hi * w;
                    }
                    ((uint4 *)a.y)[to + j] = y;
                }
            }
            const float all = fold(t);
            if ((lane & 1) == 0) at.sums[unit * 16 + (lane >> 1)] += all;
        }
    }

    // The boards of every tile in turn, as soon as a buffer is free.
    __device__ __forceinline__ void feed()
    {
        int i = 0;
        for (int tile = blockIdx.x; tile < g.tiles; tile += gridDim.x, i++) {
            if (i >= 2) mbar_wait(at.out + 8 * (uint32_t)(i & 1), (uint32_t)((i >> 1) - 1) & 1);
            load(tile, i & 1);
        }
    }
};

// --- multiplying

template <int WM, int N, int NP> struct layer90_group {
    static constexpr int C = 64 * WM, STAGE = C * 128, HALVES = WM;
    const layer90_args &g;
    const layer90_places &at;
    uint32_t st, ph, prev, valid, base;
    uint64_t adesc;
    int wg, ww, lane;
    uint8_t *smem;

    __device__ __forceinline__ layer90_group(const layer90_args &args, uint8_t *sm, const layer90_places &places)
        : g(args), at(places), smem(sm)
    {
        const int tid = threadIdx.x & 127;
        wg = threadIdx.x >> 7, ww = tid >> 5, lane = tid & 31;
        st = ph = 0, prev = ~0u;
        base = smem_at(sm) + (WM == 1 ? (uint32_t)(wg * g.act) : 0);
        adesc = wgmma_desc(smem_at(sm + g.ring), 1024, 128) + (WM == 2 ? (uint64_t)(wg * 512) : 0);
        valid = 0;
        for (int j = 0; j < N / 16; j++) {
            int cell = j * 16 + (lane >> 4) * 8 + (lane & 7);
            if (cell < g.a.s.rows * g.nb * g.pitch && cell % g.pitch < g.a.s.cols) valid |= 1u << j;
        }
    }

    __device__ __forceinline__ void release()
    {
        if (prev != ~0u && lane == 0) mbar_arrive(at.empty + 8 * prev);
    }

    template <int W> __device__ __forceinline__ void step(float (&acc)[N / 2], uint64_t b, bool fresh)
    {
        mbar_wait(at.full + 8 * st, ph);
        wgmma_fence();
        const uint64_t w = adesc + (uint64_t)(st * (STAGE / 16));
#pragma unroll
        for (int k = 0; k < 4; k++)
            wgmma_k<W>::go(acc, w + (uint64_t)(k * 128), b + (uint64_t)(k * (g.plane / 8)), !(fresh && k == 0));
        wgmma_commit();
        wgmma_wait<1>();
        release();
        prev = st;
        if (++st == (uint32_t)g.stages) st = 0, ph ^= 1;
    }

    __device__ __forceinline__ void drain(float (&acc)[N / 2])
    {
        wgmma_wait<0>();
        hold(acc);
        release();
        prev = ~0u;
    }

    __device__ __forceinline__ uint32_t tap(int i) const
    {
        int row = g.nb * g.pitch;
        return (uint32_t)(i < 3 ? row + i : i < 6 ? i - 3 : 2 * row + i - 6);
    }

    __device__ __forceinline__ void conv(float (&acc)[N / 2], uint32_t act)
    {
        const uint64_t first = wgmma_desc(act, (uint32_t)g.plane, (uint32_t)g.group);
#pragma unroll 1
        for (int h = 0; h < HALVES; h++) {
            const uint64_t b = first + (uint64_t)(h * (g.plane / 2));
#pragma unroll 1
            for (int i = 0; i < (NP < N ? 6 : 9); i++) step<N>(acc, b + tap(i), (h | i) == 0);
            if constexpr (NP < N) {
                drain(acc);
#pragma unroll 1
                for (int i = 6; i < 9; i++) step<NP>(acc, b + tap(i), false);
                drain(acc);
            }
        }
        if constexpr (NP == N) drain(acc);
    }

    __device__ __forceinline__ void put(const float (&acc)[N / 2], uint32_t act)
    {
        const uint32_t to = act + (uint32_t)(((WM == 2 ? wg * 8 : 0) + ww * 2 + ((lane >> 3) & 1)) * g.plane +
                                             (g.nb * g.pitch + 1) * 16 + (lane >> 4) * g.group + (lane & 7) * 16);
#pragma unroll
        for (int j = 0; j < N / 8; j += 2) {
            const float *d = &acc[4 * j];
            uint32_t here = to + (uint32_t)(j * g.group);
            if (NP == N && !(valid >> (j / 2) & 1)) here = at.dump + 16u * (uint32_t)lane;
            store_matrix4(here, pack_bf16(d[0], d[1]), pack_bf16(d[2], d[3]), pack_bf16(d[4], d[5]),
                          pack_bf16(d[6], d[7]));
        }
    }

    __device__ __forceinline__ void run()
    {
        layer90_carrier<WM> out(g, smem, at, threadIdx.x >> 5, 8);
        for (int k = threadIdx.x; k < L90_UNITS * 16; k += 256) at.sums[k] = 0;
        int i = 0;
        for (int tile = blockIdx.x; tile < g.tiles; tile += gridDim.x, i++) {
            const uint32_t act = base + (uint32_t)((i & 1) * g.buffer);
            float acc[N / 2];
#pragma unroll
            for (int k = 0; k < N / 2; k++) acc[k] = 0; // so that it is dead while results leave
            mbar_wait(at.in + 8 * (uint32_t)(i & 1), (uint32_t)(i >> 1) & 1);
            conv(acc, act);
            group_sync(L90_ALL, 256); // nobody reads the input any more
            put(acc, act);
            group_sync(L90_ALL, 256);
            out.store(tile, i & 1);
            __syncwarp();
            if (lane == 0) mbar_arrive(at.out + 8 * (uint32_t)(i & 1));
        }
        group_sync(L90_ALL, 256);
        for (int k = threadIdx.x; k < 2 * C; k += 256) {
            const int which = k / C, c = k % C, from = (c / 8) * 16 + which * 8 + c % 8;
            // with 64 channels a plane's second region is eight units further
            g.a.sums[(size_t)blockIdx.x * 2 * C + k] = at.sums[from] + (WM == 1 ? at.sums[from + 128] : 0);
        }
    }
};

template <int C>
__device__ __forceinline__ void layer90_feed(const layer90_args &g, uint8_t *sm, const layer90_places &at)
{
    constexpr int STAGE = C * 128, COUNT = 9 * C / 64;
    const uint32_t ring = smem_at(sm + g.ring);
    uint32_t st = 0, ph = 1;
    for (int tile = blockIdx.x; tile < g.tiles; tile += gridDim.x)
        for (int s = 0; s < COUNT; s++) {
            mbar_wait(at.empty + 8 * st, ph);
            mbar_expect(at.full + 8 * st, STAGE);
            bulk_load(ring + st * STAGE, g.a.w90 + (size_t)s * STAGE, STAGE, at.full + 8 * st);
            if (++st == (uint32_t)g.stages) st = 0, ph ^= 1;
        }
}

#endif // KEIKO_HOPPER

template <int WM, int N, int NP>
__global__ void __launch_bounds__(L90_THREADS, 1) layer90_kernel(const __grid_constant__ layer90_args g)
{
#if defined(KEIKO_HOPPER)
    extern __shared__ __align__(1024) uint8_t sm[];
    constexpr int C = 64 * WM;
    const layer90_places at(g, sm, C * 128);
    const int hw = g.a.s.rows * g.a.s.cols;
    for (int i = threadIdx.x; i < g.ring / 16; i += L90_THREADS) ((uint4 *)sm)[i] = make_uint4(0, 0, 0, 0);
    for (int j = threadIdx.x; j < g.nb * hw; j += L90_THREADS) {
        int b = j / hw, y = j % hw / g.a.s.cols, x = j % hw % g.a.s.cols;
        at.cell[j] = (uint16_t)(((y + 1) * g.nb + b) * g.pitch + x + 1);
    }
    if (threadIdx.x == 0) {
        for (int i = 0; i < g.stages; i++) mbar_init(at.full + 8 * i, 1), mbar_init(at.empty + 8 * i, 8);
        for (int i = 0; i < 2; i++) mbar_init(at.in + 8 * i, L90_CARRIERS), mbar_init(at.out + 8 * i, 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    fence_async();
    __syncthreads();
    if (threadIdx.x >= 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 136;");
        if (threadIdx.x >= 256 + 32 * L90_CARRIERS) {
            if (threadIdx.x == 256 + 32 * L90_CARRIERS) layer90_feed<C>(g, sm, at);
            __syncwarp();
        } else {
            layer90_carrier<WM> c(g, sm, at, (threadIdx.x >> 5) - 8, L90_CARRIERS);
            c.feed();
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 184;");
        layer90_group<WM, N, NP> m(g, sm, at);
        m.run();
    }
#endif
}

template <int WM, int N, int NP> static int layer90_launch(const layer90_args *g, int grid, void *stream)
{
    auto *k = layer90_kernel<WM, N, NP>;
    cudaError_t e = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, g->smem);
    if (e != cudaSuccess) return (int)e;
    // clang-format off
    k<<<grid, L90_THREADS, (size_t)g->smem, (cudaStream_t)stream>>>(*g);
    // clang-format on
    return (int)cudaGetLastError();
}

#endif
