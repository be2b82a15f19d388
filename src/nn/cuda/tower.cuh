// The fused tower's kernel. See tower.h for the layout; tower64.cu, tower128.cu and tower256.cu instantiate it.
//
// A persistent block of 384 threads: two warpgroups that multiply (240 registers) and one whose first thread streams weights
// (24). Weights are wgmma's A and activations its B, so D[channel][cell]; a warpgroup owns MT times 64 output channels. With
// 64 channels in all (WM = 1) each warpgroup has boards of its own; otherwise (WM = 2) they share the boards and split the
// channels, and K runs over the first half of the channels first, so that one starts the next layer during the other's
// epilogue. Activations stay in one buffer, in place, for the whole tower; the shortcut stays in registers as bf16.
//
// FP8: what enters a convolution of a block is e4m3, in cells of 16 channels; stem, shortcut and the heads' filters stay bf16.
// Row r of a tile of 16 output channels is channel 2r, row r + 8 is channel 2r + 1: so a thread has both halves of what
// stmatrix moves as one. The last block leaves its channels in bf16 in that order, and the filters' weights follow it.
#ifndef KEIKO_NN_CUDA_TOWER_CUH
#define KEIKO_NN_CUDA_TOWER_CUH

#include "nn/cuda/hopper.cuh"
#include "nn/cuda/tower.h"

#include <cuda_runtime.h>

enum { BAR_OWN = 1, BAR_W0 = 3, BAR_W1 = 4, BAR_R0 = 5, BAR_R1 = 6, BAR_ALL = 7 }; // named barriers; own: + warpgroup

// Bytes of a stage of weights: 64 input channels of one tap; e4m3: of three.
static constexpr __host__ __device__ int tower_stage(int channels, bool fp8)
{
    return channels * (fp8 ? 192 : 128);
}

#if defined(KEIKO_HOPPER)

// Everything one warpgroup needs to know while it multiplies.
template <int WM, int MT, int N, int NP, bool FP8> struct tower_group {
    static constexpr int C = 64 * WM * MT, STAGE = tower_stage(C, FP8), HALVES = WM, CHUNKS = C / 64 / WM;
    static constexpr int CELL = FP8 ? 16 : 8; // channels a cell in the blocks

    const tower_args &a;
    uint8_t *act;
    uint32_t full, empty, st, ph, prev, dump, valid, store_at, store8_at;
    uint64_t adesc, bdesc;
    int wg, ww, lane, tid;
    float acc[MT][N / 2];
    uint32_t res[MT][N / 4];

    __device__ __forceinline__ tower_group(const tower_args &args, uint8_t *sm) : a(args)
    {
        tid = threadIdx.x & 127, wg = threadIdx.x >> 7, ww = tid >> 5, lane = tid & 31;
        act = sm + (WM == 1 ? wg * a.act : 0);
        full = smem_at(sm + a.ring) + (uint32_t)(a.stages * STAGE), empty = full + 8 * (uint32_t)a.stages;
        dump = empty + 8 * (uint32_t)a.stages + 16u * (uint32_t)lane;
        st = ph = 0, prev = ~0u;
        adesc = wgmma_desc(smem_at(sm + a.ring), 1024, 128);
        bdesc = wgmma_desc(smem_at(act), (uint32_t)a.plane, (uint32_t)a.group);
        // this lane's cells: one of the first 8 of a pair of groups, or of the second
        int first = (lane >> 4) * 8 + (lane & 7);
        valid = 0;
        for (int j = 0; j < N / 16; j++) {
            int cell = j * 16 + first, x = cell % a.pitch;
            if (cell < a.rows * a.nb * a.pitch && x < a.cols) valid |= 1u << j;
        }
        store_at = smem_at(act) + (uint32_t)((ww * 2 + ((lane >> 3) & 1)) * a.plane + (a.nb * a.pitch + 1) * 16 +
                                             (lane >> 4) * a.group + (lane & 7) * 16);
        store8_at = smem_at(act) +
                    (uint32_t)(ww * a.plane + (a.nb * a.pitch + 1) * 16 + (lane >> 3) * a.group + (lane & 7) * 16);
        if (WM == 2) store_at += (uint32_t)(wg * MT * 8 * a.plane), store8_at += (uint32_t)(wg * MT * 4 * a.plane);
    }

    __device__ __forceinline__ void next_stage()
    {
        if (++st == (uint32_t)a.stages) st = 0, ph ^= 1;
    }

    __device__ __forceinline__ void release()
    {
        if (prev != ~0u && lane == 0) mbar_arrive(empty + 8 * prev);
    }

    // One stage: 64 of K of one tap, or 16 when the stem runs.
    template <int W, int KS> __device__ __forceinline__ void step(uint64_t b, bool fresh)
    {
        mbar_wait(full + 8 * st, ph);
        wgmma_fence();
        const uint64_t w = adesc + (uint64_t)(st * (STAGE / 16)) + (WM == 2 ? (uint64_t)(wg * MT * KS * 128) : 0);
#pragma unroll
        for (int k = 0; k < KS; k++)
#pragma unroll
            for (int m = 0; m < MT; m++)
                wgmma_k<W>::go(acc[m], w + (uint64_t)(m * KS * 128 + k * 128), b + (uint64_t)(k * (a.plane / 8)),
                               !(fresh && k == 0));
        wgmma_commit();
        wgmma_wait<1>();
        release();
        prev = st;
        next_stage();
    }

    // FP8: a stage is 64 of K of the three taps of a row.
    template <int W> __device__ __forceinline__ void step8(uint64_t b, bool fresh)
    {
        mbar_wait(full + 8 * st, ph);
        wgmma_fence();
        const uint64_t w = adesc + (uint64_t)(st * (STAGE / 16)) + (WM == 2 ? (uint64_t)(wg * MT * 6 * 128) : 0);
#pragma unroll
        for (int k = 0; k < 6; k++)
#pragma unroll
            for (int m = 0; m < MT; m++)
                wgmma_8<W>::go(acc[m], w + (uint64_t)(m * 6 * 128 + k * 128),
                               b + (uint64_t)(k / 2 + k % 2 * (a.plane / 8)), !(fresh && k == 0));
        wgmma_commit();
        wgmma_wait<1>();
        release();
        prev = st;
        next_stage();
    }

    // 64 of K: a tap of a convolution, or FP8: three taps.
    template <int W> __device__ __forceinline__ void taps(uint64_t b, int i, int c, bool fresh)
    {
        if constexpr (FP8)
            step8<W>(b + tap(3 * i) + (uint64_t)(c * (a.plane / 4)), fresh);
        else
            step<W, 4>(b + tap(i) + (uint64_t)(c * (a.plane / 2)), fresh);
    }

    // Nothing in flight: the accumulators may be read, or used with another shape.
    __device__ __forceinline__ void drain()
    {
        wgmma_wait<0>();
#pragma unroll
        for (int m = 0; m < MT; m++) hold(acc[m]);
        release();
        prev = ~0u;
    }

    // The tap's offset in cells: dy = 0, -1, then +1, whose bottom row may be skipped.
    __device__ __forceinline__ uint32_t tap(int i) const
    {
        int row = a.nb * a.pitch;
        return (uint32_t)(i < 3 ? row + i : i < 6 ? i - 3 : 2 * row + i - 6);
    }

    __device__ __forceinline__ void conv()
    {
        constexpr int ALL = FP8 ? 3 : 9, FIRST = NP < N ? ALL / 3 * 2 : ALL;
        if (WM == 2 && wg == 1) group_sync(BAR_W0, 256);
#pragma unroll 1
        for (int h = 0; h < HALVES; h++) {
            if (h == 1 && wg == 0) group_sync(BAR_W1, 256);
            const uint64_t b = bdesc + (uint64_t)(h * (C / CELL / HALVES) * (a.plane / 16));
#pragma unroll 1
            for (int i = 0; i < FIRST; i++)
#pragma unroll 1
                for (int c = 0; c < CHUNKS; c++) {
                    taps<N>(b, i, c, (h | i | c) == 0);
                    if (WM == 2 && h == 1 && (i | c) == 0 && wg == 1) group_arrive(BAR_R0, 256);
                }
            if constexpr (NP < N) {
                drain();
#pragma unroll 1
                for (int i = FIRST; i < ALL; i++)
#pragma unroll 1
                    for (int c = 0; c < CHUNKS; c++) taps<NP>(b, i, c, false);
                drain();
            }
        }
        if constexpr (NP == N) drain();
        if (WM == 2) {
            if (wg == 0)
                group_arrive(BAR_R1, 256), group_sync(BAR_R0, 256);
            else
                group_sync(BAR_R1, 256);
        } else {
            group_sync(BAR_OWN + wg, 128);
        }
    }

    __device__ __forceinline__ void stem()
    {
        int chunks = a.stem_steps / 9;
#pragma unroll 1
        for (int i = 0; i < (NP < N ? 6 : 9); i++)
#pragma unroll 1
            for (int c = 0; c < chunks; c++) step<N, 1>(bdesc + tap(i) + (uint64_t)(c * (a.plane / 8)), (i | c) == 0);
        if constexpr (NP < N) {
            drain();
#pragma unroll 1
            for (int i = 6; i < 9; i++)
#pragma unroll 1
                for (int c = 0; c < chunks; c++) step<NP, 1>(bdesc + tap(i) + (uint64_t)(c * (a.plane / 8)), false);
        }
        drain();
        wait_all(); // the input lies where the output goes
    }

    __device__ __forceinline__ void wait_all()
    {
        if (WM == 2)
            group_sync(BAR_ALL, 256);
        else
            group_sync(BAR_OWN + wg, 128);
    }

    __device__ __forceinline__ void store(int m, int j, const uint32_t *r)
    {
        uint32_t at = store_at + (uint32_t)(m * 8 * a.plane + j * a.group);
        if (NP == N && !(valid >> (j / 2) & 1)) at = dump;
        store_matrix4(at, r[0], r[1], r[2], r[3]);
    }

    // relu(acc + bias (+ shortcut)); KEEP: the result is the next shortcut.
    template <bool KEEP, bool ADD> __device__ __forceinline__ void finish(const float *bias)
    {
        bias += (WM == 2 ? wg * MT * 64 : 0) + ww * 16 + (lane >> 2);
#pragma unroll
        for (int m = 0; m < MT; m++) {
            const float b0 = __ldg(bias + m * 64), b1 = __ldg(bias + m * 64 + 8);
#pragma unroll
            for (int j = 0; j < N / 8; j += 2) {
                uint32_t r[4];
#pragma unroll
                for (int q = 0; q < 2; q++) {
                    const float *d = &acc[m][4 * (j + q)];
                    uint32_t *keep = &res[m][2 * (j + q)];
                    float x0 = 0, x1 = 0, x2 = 0, x3 = 0;
                    if (ADD) x0 = bf16_lo(keep[0]), x1 = bf16_hi(keep[0]), x2 = bf16_lo(keep[1]), x3 = bf16_hi(keep[1]);
                    r[2 * q] = pack_relu(d[0] + b0 + x0, d[1] + b0 + x1);
                    r[2 * q + 1] = pack_relu(d[2] + b1 + x2, d[3] + b1 + x3);
                    if (KEEP) keep[0] = r[2 * q], keep[1] = r[2 * q + 1];
                }
                store(m, j, r);
            }
        }
        fence_async();
        group_sync(BAR_OWN + wg, 128);
    }

    // FP8: v = acc * scale + bias (+ shortcut), relu; what leaves is v * out in e4m3, or v in bf16 when LAST. What is kept is
    // v. Inside a block `out` is part of scale and bias. a.bias has the three numbers of a layer's channels one after the other.
    template <bool KEEP, bool ADD, bool LAST> __device__ __forceinline__ void finish8(const float *number)
    {
        number += (WM == 2 ? wg * MT * 64 : 0) + ww * 16 + 2 * (lane >> 2);
#pragma unroll
        for (int m = 0; m < MT; m++) {
            const float2 s = __ldg((const float2 *)(number + m * 64)), b = __ldg((const float2 *)(number + C + m * 64)),
                         o = __ldg((const float2 *)(number + 2 * C + m * 64));
#pragma unroll
            for (int j = 0; j < N / 8; j += 4) {
                uint32_t r[4] = {0, 0, 0, 0};
#pragma unroll
                for (int q = 0; q < 4 && j + q < N / 8; q++) {
                    const float *d = &acc[m][4 * (j + q)];
                    uint32_t *keep = &res[m][2 * (j + q)];
                    float v0 = d[0] * s.x + b.x, v1 = d[1] * s.x + b.x, v2 = d[2] * s.y + b.y, v3 = d[3] * s.y + b.y;
                    if (ADD)
                        v0 += bf16_lo(keep[0]), v1 += bf16_hi(keep[0]), v2 += bf16_lo(keep[1]), v3 += bf16_hi(keep[1]);
                    if (KEEP) keep[0] = pack_relu(v0, v1), keep[1] = pack_relu(v2, v3);
                    if (KEEP)
                        r[q] = pack_e4m3_relu(v0 * o.x, v1 * o.x, v2 * o.y, v3 * o.y);
                    else
                        r[q] = pack_e4m3_relu(v0, v1, v2, v3);
                }
                if (!LAST) {
                    const int group = j + (lane >> 3), cell = group * 8 + (lane & 7);
                    const bool there =
                        group < N / 8 && (NP < N || (cell < a.rows * a.nb * a.pitch && cell % a.pitch < a.cols));
                    store_matrix4(there ? store8_at + (uint32_t)(m * 4 * a.plane + j * a.group) : dump, r[0], r[1],
                                  r[2], r[3]);
                }
            }
            if (LAST)
#pragma unroll
                for (int j = 0; j < N / 8; j += 2) store(m, j, &res[m][2 * j]);
        }
        fence_async();
        group_sync(BAR_OWN + wg, 128);
    }

    // This warpgroup's half may be read by the other.
    __device__ __forceinline__ void announce()
    {
        if (WM == 2) group_arrive(wg == 0 ? BAR_W0 : BAR_W1, 256);
    }

    // Bits and scalars of the tile's boards into the first planes.
    __device__ __forceinline__ void unpack(int tile)
    {
        const int inputs = a.planes + a.n_scalars, planes8 = a.stem_steps / 9 * 2, hw = a.rows * a.cols;
        const int step = WM == 2 ? 256 : 128, first = WM == 2 ? wg * 128 + tid : tid;
        const int board0 = (WM == 2 ? tile : tile * 2 + wg) * a.nb;
        for (int i = first; i < planes8 * a.nb * hw; i += step) {
            int sq = i % hw, b = i / hw % a.nb, p = i / hw / a.nb, board = board0 + b, y = sq / a.cols, x = sq % a.cols;
            uint32_t word[4] = {0, 0, 0, 0};
            if (board < a.n) {
#pragma unroll
                for (int e = 0; e < 8; e++) {
                    int c = p * 8 + e;
                    uint32_t v = 0;
                    if (c < a.planes) {
                        uint64_t bits = __ldg(a.bits + ((size_t)board * a.planes + c) * a.words + sq / 64);
                        v = (bits >> (sq & 63) & 1) ? 0x3f80u : 0;
                    } else if (c < inputs) {
                        float s = __ldg(a.scalars + (size_t)board * a.n_scalars + (c - a.planes));
                        v = pack_bf16(s, 0) & 0xffffu;
                    }
                    word[e / 2] |= v << 16 * (e & 1);
                }
            }
            *(uint4 *)(act + p * a.plane + ((y + 1) * a.nb + b) * a.pitch * 16 + (x + 1) * 16) =
                make_uint4(word[0], word[1], word[2], word[3]);
        }
        fence_async();
        wait_all();
    }

    __device__ __forceinline__ void put(int f, float bias, int cell, float v, int board0)
    {
        int row = cell / a.pitch, x = cell % a.pitch, y = row / a.nb, b = row % a.nb;
        if (a.group != 128) row = cell >> 3, x = cell & 7, y = row / a.nb, b = row % a.nb;
        if (y >= a.rows || x >= a.cols || board0 + b >= a.n) return;
        v += bias;
        if (f < a.normed) v = fmaxf(v, 0.f);
        __nv_bfloat16 *out = (__nv_bfloat16 *)a.flat;
        out[((size_t)(board0 + b) * a.filters + f) * (a.rows * a.cols) + y * a.cols + x] = __float2bfloat16(v);
    }

    // The heads' 1x1 convolutions, 64 filters a pass; with shared boards the second warpgroup only keeps the ring going.
    __device__ __forceinline__ void heads(int tile, const float *bias)
    {
        const int board0 = (WM == 2 ? tile : tile * 2 + wg) * a.nb;
        const bool mine = WM == 1 || wg == 0;
        for (int pass = 0; pass * 64 < a.filters; pass++) {
            if (!mine) {
                for (int k = 0; k < C / 16; k++) {
                    mbar_wait(full + 8 * st, ph);
                    if (lane == 0) mbar_arrive(empty + 8 * st);
                    next_stage();
                }
                continue;
            }
#pragma unroll 1
            for (int k = 0; k < C / 16; k++) {
                mbar_wait(full + 8 * st, ph);
                wgmma_fence();
                wgmma_k<N>::go(acc[0], adesc + (uint64_t)(st * (STAGE / 16)),
                               bdesc + (uint64_t)(a.nb * a.pitch + 1 + k * (a.plane / 8)), k > 0);
                wgmma_commit();
                wgmma_wait<1>();
                release();
                prev = st;
                next_stage();
            }
            drain();
            int f = pass * 64 + ww * 16 + (lane >> 2);
            if (f - (lane >> 2) >= a.filters) continue;
            const float b0 = __ldg(bias + f), b1 = __ldg(bias + f + 8);
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
                int cell = j * 8 + (lane & 3) * 2;
                if (f < a.filters)
                    put(f, b0, cell, acc[0][4 * j], board0), put(f, b0, cell + 1, acc[0][4 * j + 1], board0);
                if (f + 8 < a.filters)
                    put(f + 8, b1, cell, acc[0][4 * j + 2], board0),
                        put(f + 8, b1, cell + 1, acc[0][4 * j + 3], board0);
            }
        }
    }

    __device__ __forceinline__ void blocks(const float *bias)
    {
        finish<true, false>(bias);
        if (a.blocks > 0) announce();
        for (int b = 0; b < a.blocks; b++) {
            conv();
            finish<false, false>(bias += C);
            announce();
            conv();
            finish<true, true>(bias += C);
            if (b + 1 < a.blocks) announce();
        }
    }

    __device__ __forceinline__ void blocks8(const float *number)
    {
        finish8<true, false, false>(number);
        announce();
        for (int b = 0; b < a.blocks; b++) {
            conv();
            finish8<false, false, false>(number += 3 * C);
            announce();
            conv();
            number += 3 * C;
            if (b + 1 < a.blocks) {
                finish8<true, true, false>(number);
                announce();
            } else {
                wait_all(); // twice as wide as what the other still reads
                finish8<true, true, true>(number);
            }
        }
    }

    __device__ __forceinline__ void run()
    {
        const float *heads_bias = a.bias + (1 + 2 * a.blocks) * C * (FP8 ? 3 : 1);
        for (int tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
            wait_all(); // the tile before has left the buffer
            unpack(tile);
            stem();
            if constexpr (FP8)
                blocks8(a.bias);
            else
                blocks(a.bias);
            wait_all(); // the heads read both halves
            heads(tile, heads_bias);
        }
    }
};

// All weights of a tile, in order, as fast as the ring empties.
template <int C, bool FP8> __device__ __forceinline__ void tower_feed(const tower_args &a, uint8_t *sm)
{
    constexpr int STAGE = tower_stage(C, FP8);
    const uint32_t ring = smem_at(sm + a.ring), full = ring + (uint32_t)(a.stages * STAGE),
                   empty = full + 8 * (uint32_t)a.stages;
    const int body = a.blocks * 2 * (FP8 ? 3 : 9) * (C / 64), heads = (a.filters + 63) / 64 * (C / 16);
    uint32_t st = 0, ph = 1;
    for (int tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        const uint8_t *from = a.w;
        for (int s = 0; s < a.stem_steps + body + heads; s++) {
            uint32_t bytes = s < a.stem_steps ? C * 32 : s < a.stem_steps + body ? STAGE : 2048;
            mbar_wait(empty + 8 * st, ph);
            mbar_expect(full + 8 * st, bytes);
            bulk_load(ring + st * STAGE, from, bytes, full + 8 * st);
            from += bytes;
            if (++st == (uint32_t)a.stages) st = 0, ph ^= 1;
        }
    }
}

#endif // KEIKO_HOPPER

template <int WM, int MT, int N, int NP, bool FP8>
__global__ void __launch_bounds__(384, 1) tower_kernel(const __grid_constant__ tower_args a)
{
#if defined(KEIKO_HOPPER)
    extern __shared__ __align__(1024) uint8_t sm[];
    constexpr int C = 64 * WM * MT;
    for (int i = threadIdx.x; i < a.ring / 16; i += 384) ((uint4 *)sm)[i] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x == 0) {
        const uint32_t full = smem_at(sm + a.ring) + (uint32_t)(a.stages * tower_stage(C, FP8));
        for (int i = 0; i < a.stages; i++) mbar_init(full + 8 * i, 1), mbar_init(full + 8 * (a.stages + i), 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    fence_async();
    next_may_start(); // nothing but a small batch's rows is ever launched so (infer_cuda.c)
    __syncthreads();
    if (threadIdx.x >= 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 256) tower_feed<C, FP8>(a, sm);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        tower_group<WM, MT, N, NP, FP8> g(a, sm);
        g.run();
    }
#endif
}

template <int WM, int MT, int N, int NP, bool FP8> static int tower_launch(const tower_args *a, int sms, void *stream)
{
    auto *k = tower_kernel<WM, MT, N, NP, FP8>;
    int e = allow_smem<tower_kernel<WM, MT, N, NP, FP8>>();
    if (e != 0) return e;
    // clang-format off
    k<<<a->tiles < sms ? a->tiles : sms, 384, (size_t)a->smem, (cudaStream_t)stream>>>(*a);
    // clang-format on
    return (int)cudaGetLastError();
}

// The widths there are: of boards of 8x8, whose bottom row is skipped, and of others. With 256 channels half as many cells fit.
#define TOWER_CASE(wm, mt, n, np, fp8)                                                                                 \
    if (s->width == n && s->skip == (np < n)) return tower_launch<wm, mt, n, np, fp8>(a, sms, stream)
#define TOWER_NARROW(wm, mt, fp8)                                                                                      \
    TOWER_CASE(wm, mt, 128, 112, fp8);                                                                                 \
    TOWER_CASE(wm, mt, 64, 56, fp8);                                                                                   \
    TOWER_CASE(wm, mt, 128, 128, fp8);                                                                                 \
    TOWER_CASE(wm, mt, 64, 64, fp8)
#define TOWER_ALL(wm, fp8)                                                                                             \
    TOWER_CASE(wm, 1, 256, 224, fp8);                                                                                  \
    TOWER_CASE(wm, 1, 240, 240, fp8);                                                                                  \
    TOWER_CASE(wm, 1, 192, 192, fp8);                                                                                  \
    TOWER_NARROW(wm, 1, fp8)

#endif
