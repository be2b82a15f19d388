// One convolution of a training step on Hopper with all that stands around it (train_kern.h's layer_args), in one launch.
//
// A persistent block of sixteen warps: two warpgroups multiply and do nothing else, seven warps help, one streams weights. Two
// buffers of boards, laid out as in tower.h, take turns: while one is multiplied, the helpers empty the other (masking and
// summing the results, which lie over their input) and fill it again (the next boards come by asynchronous copies and are
// then normalised in place). A helper's thread touches the same cells of a buffer on every way, so helpers need no barrier. Before
// its first boards and after its last ones a block has nothing to multiply: there all sixteen warps help.
//
// Batch-norm needs the sums over the whole batch before the next layer can begin. Blocks add theirs to one place (exact.cuh),
// and each block of the next launch reads them while its first boards are on their way.
#ifndef KEIKO_NN_CUDA_LAYER90_CUH
#define KEIKO_NN_CUDA_LAYER90_CUH

#include "nn/cuda/layer90_help.cuh"

#include <limits.h>

#if defined(KEIKO_HOPPER)

// --- multiplying

// N cells in pieces of W (an instruction with more accumulators than a thread has registers at its start does not compile);
// of the last piece LAST are left when the bottom row is skipped.
template <int WM, int N, int NP> struct layer90_group {
    static constexpr int C = 64 * WM, HALVES = WM, STEPS = L90_STAGE / (2048 * WM); // a stage's steps of 16 channels
    static constexpr int PIECES = N > 128 ? 2 : 1, W = N / PIECES, LAST = NP - (PIECES - 1) * W;
    const layer90_args &g;
    const layer90_places &at;
    uint32_t st, ph, prev, valid, base;
    uint64_t adesc;
    int wg, ww, lane;

    __device__ __forceinline__ layer90_group(const layer90_args &args, uint8_t *sm, const layer90_places &places)
        : g(args), at(places)
    {
        const int tid = threadIdx.x & 127;
        wg = threadIdx.x >> 7, ww = tid >> 5, lane = tid & 31;
        st = ph = 0, prev = ~0u;
        base = smem_at(sm) + (WM == 1 ? (uint32_t)(wg * g.act) : 0);
        adesc = wgmma_desc(smem_at(sm + g.ring), 1024, 128) + (WM == 2 ? (uint64_t)(wg * STEPS * 128) : 0);
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

    template <int L> __device__ __forceinline__ void step(float (&acc)[PIECES][W / 2], uint64_t b, bool fresh)
    {
        mbar_wait(at.full + 8 * st, ph);
        wgmma_fence();
        const uint64_t w = adesc + (uint64_t)(st * (L90_STAGE / 16));
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            const uint64_t wk = w + (uint64_t)(k * 128), bk = b + (uint64_t)(k * (g.plane / 8));
            if constexpr (PIECES == 2) wgmma_k<W>::go(acc[0], wk, bk, !(fresh && k == 0));
            wgmma_k<L>::go(acc[PIECES - 1], wk, bk + (uint64_t)((PIECES - 1) * W / 8 * (g.group / 16)),
                           !(fresh && k == 0));
        }
        wgmma_commit();
        wgmma_wait<1>();
        release();
        prev = st;
        if (++st == (uint32_t)g.stages) st = 0, ph ^= 1;
    }

    __device__ __forceinline__ void drain(float (&acc)[PIECES][W / 2])
    {
        wgmma_wait<0>();
#pragma unroll
        for (int p = 0; p < PIECES; p++) hold(acc[p]);
        release();
        prev = ~0u;
    }

    __device__ __forceinline__ uint32_t tap(int i) const
    {
        int row = g.nb * g.pitch;
        return (uint32_t)(i < 3 ? row + i : i < 6 ? i - 3 : 2 * row + i - 6);
    }

    template <int L> __device__ __forceinline__ void taps(float (&acc)[PIECES][W / 2], uint64_t first, int from, int to)
    {
#pragma unroll 1
        for (int h = 0; h < HALVES; h++) {
            const uint64_t b = first + (uint64_t)(h * (g.plane / 2));
#pragma unroll 1
            for (int i = from; i < to; i++)
#pragma unroll 1
                for (int k = 0; k < 4; k += STEPS)
                    step<L>(acc, b + tap(i) + (uint64_t)(k * (g.plane / 8)), (h | i | k) == 0);
        }
        drain(acc);
    }

    __device__ __forceinline__ void conv(float (&acc)[PIECES][W / 2], uint32_t act)
    {
        const uint64_t first = wgmma_desc(act, (uint32_t)g.plane, (uint32_t)g.group);
        taps<W>(acc, first, 0, NP < N ? 6 : 9);
        if constexpr (NP < N) taps<LAST>(acc, first, 6, 9); // the bottom row's lie below the board
    }

    __device__ __forceinline__ void put(const float (&acc)[PIECES][W / 2], uint32_t act)
    {
        const uint32_t to = act + (uint32_t)(((WM == 2 ? wg * 8 : 0) + ww * 2 + ((lane >> 3) & 1)) * g.plane +
                                             (g.nb * g.pitch + 1) * 16 + (lane >> 4) * g.group + (lane & 7) * 16);
#pragma unroll
        for (int j = 0; j < N / 8; j += 2) {
            const float *d = &acc[0][0] + 4 * j;
            uint32_t here = to + (uint32_t)(j * g.group);
            if (NP == N && !(valid >> (j / 2) & 1)) here = at.dump + 16u * (uint32_t)lane;
            store_matrix4(here, pack_bf16(d[0], d[1]), pack_bf16(d[2], d[3]), pack_bf16(d[4], d[5]),
                          pack_bf16(d[6], d[7]));
        }
    }

    __device__ __forceinline__ void run()
    {
        int i = 0;
        for (int tile = (int)blockIdx.x; tile < g.tiles; tile += gridDim.x, i++) {
            const uint32_t act = base + (uint32_t)((i & 1) * g.buffer);
            float acc[PIECES][W / 2];
#pragma unroll
            for (int k = 0; k < N / 2; k++) acc[k / (W / 2)][k % (W / 2)] = 0; // so that it is dead between tiles
            // the first tile's boards are not announced so: a buffer's fills are counted from the next ones on
            if (i > 0) mbar_wait(at.in + 8 * (uint32_t)(i & 1), (uint32_t)((i - 1) >> 1) & 1);
            conv(acc, act);
            // nobody reads the input any more
            if (WM == 2)
                group_sync(L90_ALL, 256);
            else
                group_sync(L90_OWN + wg, 128);
            put(acc, act);
            __syncwarp();
            if (lane == 0) mbar_arrive(at.done + 8 * (uint32_t)(i & 1));
        }
    }
};

// A tile's weights in the order of layer90_group::conv. Packed, a tap's 64 input channels are one piece: all output channels'
// tiles of 64, each with its four steps of 16; a stage has some steps of every tile.
// They were packed before a launch that began only when all before it had ended, so this need not wait for the last one.
// Only the stages from `first` up to `end` are fed.
template <int WM, bool SKIP>
__device__ __forceinline__ void layer90_feed(const layer90_args &g, uint8_t *sm, const layer90_places &at, int first,
                                             int end)
{
    constexpr int PIECE = WM * 8192, STEPS = L90_STAGE / (2048 * WM), BYTES = STEPS * 2048, FIRST = SKIP ? 6 : 9;
    const uint32_t ring = smem_at(sm + g.ring);
    uint32_t st = 0, ph = 1;
    int n = 0;
    for (int tile = blockIdx.x; tile < g.tiles; tile += gridDim.x)
        for (int from = 0; from < 9; from = from == 0 ? FIRST : 9)
            for (int h = 0; h < WM; h++)
                for (int i = from; i < (from == 0 ? FIRST : 9); i++)
                    for (int k = 0; k < 4; k += STEPS) {
                        const uint8_t *w = g.a.w90 + (size_t)(h * 9 + i) * PIECE + k * 2048;
                        if (n == end) return;
                        if (n++ >= first) {
                            mbar_wait(at.empty + 8 * st, ph);
                            mbar_expect(at.full + 8 * st, L90_STAGE);
                            for (int t = 0; t < WM; t++)
                                bulk_load(ring + st * L90_STAGE + t * BYTES, w + t * 8192, BYTES, at.full + 8 * st);
                        }
                        if (++st == (uint32_t)g.stages) st = 0, ph ^= 1;
                    }
}

// Two of a lane's cells, in bytes from a plane's begin: cells lane + 64 * k and 32 further of half h, with k = w & 1, h = w / 2.
template <bool SKIP> DEV uint32_t layer90_spots(const layer90_args &g, int w, int lane)
{
    const int cols = SKIP ? 8 : g.a.s.cols, hw = SKIP ? 64 : g.a.s.rows * cols;
    uint32_t two = 0;
    for (int k = 0; k < 2; k++) {
        const int j = (w < 2 ? 0 : g.half) + lane + 64 * (w & 1) + 32 * k, y = j % hw / cols, x = j % cols;
        const int to = j < g.count ? (((y + 1) * g.nb + j / hw) * g.pitch + x + 1) * 16 : 0;
        two |= (uint32_t)to << (16 * k);
    }
    return two;
}

// The zero cells around the boards of both buffers (tower.h): a plane's first row, the first cell of every other row, and what
// lies behind the last plane.
template <int WM> __device__ __forceinline__ void layer90_clear(const layer90_args &g, uint8_t *sm)
{
    constexpr int PLANES = 16; // of a buffer, in all its regions
    const int row = g.nb * g.pitch, each = row + g.a.s.rows * g.nb, behind = row + 2, all = PLANES * each;
#pragma unroll 1
    for (int i = threadIdx.x; i < 2 * (all + (WM == 1 ? 2 : 1) * behind); i += L90_THREADS) {
        const int half = all + (WM == 1 ? 2 : 1) * behind, buffer = i >= half, k = i - buffer * half;
        uint8_t *to = sm + buffer * g.buffer;
        if (k < all) {
            const int plane = k / each, cell = k % each, per = PLANES / (WM == 1 ? 2 : 1);
            to += plane / per * g.act + plane % per * g.plane + (cell < row ? cell : row + (cell - row) * g.pitch) * 16;
        } else {
            const int region = (k - all) / behind;
            to += (region + 1) * g.act - behind * 16 + (k - all) % behind * 16;
        }
        *(uint4 *)to = make_uint4(0, 0, 0, 0);
    }
}

#endif // KEIKO_HOPPER

template <int WM, int N, int NP>
__global__ void __launch_bounds__(L90_THREADS, 1) layer90_kernel(const __grid_constant__ layer90_args g)
{
#if defined(KEIKO_HOPPER)
    extern __shared__ __align__(1024) uint8_t sm[];
    const layer90_places at(g, sm);
    layer90_clear<WM>(g, sm);
    const int k = (int)threadIdx.x;
    if (k < 4 * 32) at.spots[k] = layer90_spots<(NP < N)>(g, k / 32, k % 32);
    at.sums[k] = 0;
    if (k >= L90_THREADS - 32) {
        const uint32_t i = (uint32_t)k % 32;
        if (i < (uint32_t)g.stages) mbar_init(at.full + 8 * i, 1), mbar_init(at.empty + 8 * i, 8);
        if (i < 2) mbar_init(at.in + 8 * i, L90_HELPERS), mbar_init(at.done + 8 * i, 8);
        if (i == 2) mbar_init(at.rest, 32 * L90_HELPERS);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    fence_async();
    next_may_start();
    __syncthreads();
    const bool feeder = threadIdx.x == 256 + 32 * L90_HELPERS;
    if (feeder) layer90_feed<WM, (NP < N)>(g, sm, at, 0, g.stages);
    __syncwarp();
    layer90_helper<WM, N>(g, sm, at).begin();
    constexpr int REGS = N > 240 ? 160 : N > 128 ? 152 : 104; // where it multiplies: N / 2 accumulators and more
    if (threadIdx.x >= 256) {
        registers<256 - REGS>();
        layer90_helper<WM, N> help(g, sm, at);
        if (threadIdx.x < 256 + 32 * L90_HELPERS)
            help.run();
        else if (feeder)
            layer90_feed<WM, (NP < N)>(g, sm, at, g.stages, INT_MAX);
        __syncwarp();
        help.end();
    } else {
        registers<REGS>();
        layer90_group<WM, N, NP> m(g, sm, at);
        m.run();
        layer90_helper<WM, N>(g, sm, at).end();
    }
#endif
}

template <int WM, int N, int NP> static int layer90_launch(const layer90_args *g, int grid, void *stream)
{
    auto *k = layer90_kernel<WM, N, NP>;
    int e = allow_smem<layer90_kernel<WM, N, NP>>();
    if (e != 0) return e;
    return launch_early(k, dim3((unsigned)grid), L90_THREADS, g->smem, stream, *g);
}

#endif
