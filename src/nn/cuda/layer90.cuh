// One convolution of a training step on Hopper with all that stands around it (train_kern.h's layer_args), in one launch.
//
// A persistent block of sixteen warps: two warpgroups multiply and do nothing else, seven warps help, one streams weights. Two
// buffers of boards, laid out as in tower.h, take turns: while one is multiplied, the helpers empty the other (masking and
// summing the results, which lie over their input) and fill it again (the next boards come by asynchronous copies and are
// then normalised in place). A helper's thread touches the same cells of a buffer on every way, so helpers need no barrier. Before
// its first boards and after its last ones a block has nothing to multiply: there all fifteen warps help.
//
// Batch-norm needs the sums over the whole batch before the next layer can begin. Blocks add theirs to one place (exact.cuh),
// and each block of the next launch reads them while its first boards are on their way.
#ifndef KEIKO_NN_CUDA_LAYER90_CUH
#define KEIKO_NN_CUDA_LAYER90_CUH

#include "nn/cuda/bn.cuh"
#include "nn/cuda/exact.cuh"
#include "nn/cuda/hopper.cuh"
#include "nn/cuda/mma.cuh"
#include "nn/cuda/train_kern.h"

#include <cuda_runtime.h>
#include <limits.h>

typedef struct layer90_args {
    layer_args a;
    int nb, pitch, group, plane, act; // as in tower.h
    int buffer, stages, ring, smem;   // bytes of a buffer; of the ring: stages, where it starts
    int tiles;
    int count, half, cells; // cells of a region, of a unit at most, of a plane of the batch
} layer90_args;

// A unit is what a helper takes at once: half of a region's cells in one plane.
enum { L90_THREADS = 512, L90_HELPERS = 7, L90_HANDS = 15, L90_UNITS = 32, L90_DUMP = 512 };
// A stage's bytes; named barriers, own: + warpgroup.
enum { L90_STAGE = 8192, L90_ALL = 1, L90_OWN = 2 };

#if defined(KEIKO_HOPPER)

// Where the small things lie, behind the ring.
struct layer90_places {
    uint32_t full, empty, in, done; // barriers: of the ring's stages; boards ready to multiply; results ready to go
    uint32_t dump;
    float *sums; // [units][16]: a helper's units' own, of all tiles but the last
    float *coef; // [4][channels]: a, b, c, mean
    uint32_t *spots; // [4][32]: where a lane's cells lie in a plane, two in each: first half's, second half's
    __device__ __forceinline__ layer90_places(const layer90_args &g, uint8_t *sm)
    {
        uint8_t *p = sm + g.ring + g.stages * L90_STAGE;
        full = smem_at(p), empty = full + 8 * (uint32_t)g.stages, in = empty + 8 * (uint32_t)g.stages, done = in + 16;
        dump = smem_at(p + 16 * g.stages + 32);
        sums = (float *)(p + 16 * g.stages + 32 + L90_DUMP);
        coef = sums + L90_UNITS * 16;
        spots = (uint32_t *)(coef + 4 * g.a.cout);
    }
};

DEV bool layer90_feeds() // this warp streams weights
{
    return threadIdx.x >= 256 + 32 * L90_HELPERS;
}

// The coefficients of channel c, if the launch before left its sums. `write`: for everybody else, too.
template <int C> __device__ __forceinline__ bn_three layer90_bn(const layer_args &a, int c, bool write)
{
    const double sum = exact_sum(a.bn.sums.exact + c, 2 * C), other = exact_sum(a.bn.sums.exact + C + c, 2 * C);
    return a.way == BN_FORWARD ? bn_front(a.bn, c, sum, other, write) : bn_back(a.bn, c, sum, other, write);
}

// --- helping

template <int WM, int N> struct layer90_helper {
    static constexpr int C = 64 * WM, PLANES = C / 8, REGIONS = WM == 1 ? 2 : 1;
    static constexpr int EACH = N > 128 ? 4 : 2;  // cells a lane
    static constexpr bool AHEAD = EACH == 2;      // there are registers to ask for the next unit's rest as well
    typedef uint4 some_cells[EACH];
    const layer90_args &g;
    uint8_t *sm;
    const layer90_places &at;
    int warp, lane, hands; // this warp takes every so many'th unit
    // the unit at hand
    int plane, region, part;
    int inside, real; // its cell i is there if 32 * i is below: in the buffer, on a board of the batch
    uint32_t place;   // of its cell 0 in global memory, in 16 bytes; cell i is 32 * i further
    // what the next results need on the way back
    uint32_t next_mask;
    some_cells next_z, next_res;

    __device__ __forceinline__ layer90_helper(const layer90_args &args, uint8_t *smem, const layer90_places &places)
        : g(args), sm(smem), at(places)
    {
        warp = threadIdx.x >> 5, lane = threadIdx.x & 31, hands = L90_HANDS;
        warp += warp < 8 ? L90_HELPERS : -8; // those that only help come first
    }

    __device__ __forceinline__ void take(int unit, int tile)
    {
        plane = unit % PLANES, region = unit / PLANES % REGIONS, part = unit / PLANES / REGIONS;
        const int first = part * g.half, last = part == 0 && g.half < g.count ? g.half : g.count;
        const int base = (tile * REGIONS + region) * g.count, all = g.cells - base;
        inside = last - first - lane;
        real = (all < last ? all : last) - first - lane;
        place = (uint32_t)(plane * g.cells + base + first + lane);
    }

    // A unit's masks are the lanes' words one after the other, a byte a cell: this kernel writes and reads them.
    __device__ __forceinline__ uint32_t mask_place(int unit, int tile) const
    {
        return (uint32_t)((tile * L90_UNITS + unit) * 32 + lane);
    }

    __device__ __forceinline__ uint4 *spot(int buffer, int i)
    {
        const uint32_t two = at.spots[(2 * part + i / 2) * 32 + lane];
        return (uint4 *)(sm + buffer * g.buffer + region * g.act + plane * g.plane +
                         (i % 2 == 0 ? two & 0xffffu : two >> 16));
    }

    // The unit's cells of p, as they are, on their way into the buffer.
    __device__ __forceinline__ void fetch(int buffer)
    {
        const uint4 *from = (const uint4 *)g.a.p + place;
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (32 * i < inside)
                copy_cell(smem_at(spot(buffer, i)), 32 * i < real ? from + 32 * i : (const uint4 *)g.a.p,
                          32 * i < real);
    }

    __device__ __forceinline__ void fetch_all(int tile, int buffer)
    {
        if (tile < g.tiles)
            for (int unit = warp; unit < L90_UNITS; unit += hands) take(unit, tile), fetch(buffer);
        copies_commit();
    }

    // Into the cache, where loads that come later find them: eight cells are a line.
    __device__ __forceinline__ void announce(const uint16_t *from) const
    {
        const uint4 *at0 = (const uint4 *)from + place;
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if ((lane & 7) == 0 && 32 * i < real) asm volatile("prefetch.global.L2 [%0];" ::"l"(at0 + 32 * i));
    }

    // Results may go where this comes from: they are this thread's own cells, read before they are written.
    __device__ __forceinline__ void ask(const uint16_t *from, some_cells &to) const
    {
        const uint4 *at0 = (const uint4 *)from + place;
#pragma unroll
        for (int i = 0; i < EACH; i++) to[i] = 32 * i < real ? at0[32 * i] : make_uint4(0, 0, 0, 0);
    }

    // What fetch brought, made ready to be multiplied, and kept. `more`: the next boards' copies are under way as well.
    __device__ __forceinline__ void shape(int tile, int buffer, bool more)
    {
        const bool two = g.a.q != nullptr;
        some_cells q, next;
        take(warp, tile);
        if (two) ask(g.a.q, next);
        if (more)
            copies_wait<1>();
        else
            copies_wait<0>();
#pragma unroll 1
        for (int unit = warp; unit < L90_UNITS; unit += hands) {
#pragma unroll
            for (int i = 0; i < EACH; i++) q[i] = next[i];
            if (two && unit + hands < L90_UNITS) take(unit + hands, tile), ask(g.a.q, next);
            take(unit, tile);
            shape_unit(buffer, two, q, mask_place(unit, tile));
        }
        fence_async();
    }

    __device__ __forceinline__ void shape_and_say(int tile, int buffer)
    {
        shape(tile, buffer, false);
        __syncwarp();
        if (lane == 0) mbar_arrive(at.in + 8 * (uint32_t)buffer);
    }

    // What the boards need before they can be multiplied, and the masks behind them: one thread a channel.
    __device__ __forceinline__ void coefficients()
    {
        const layer_args &a = g.a;
        const int c = (int)threadIdx.x - 256;
        if (c < C) {
            bn_three k = {0, 0, 0};
            if (a.way == BN_GIVEN)
                k = {__ldcg(a.a + c), __ldcg(a.b + c), __ldcg(a.c + c)};
            else if (c < a.bn.channels)
                k = layer90_bn<C>(a, c, false);
            at.coef[c] = k.a, at.coef[C + c] = k.b, at.coef[2 * C + c] = k.c;
            if (a.mask != nullptr) at.coef[3 * C + c] = __ldcg(a.mean + c);
        }
    }

    __device__ __forceinline__ void eight(int row, float (&to)[8]) const // numbers of the plane's channels
    {
        const float4 *from = (const float4 *)(at.coef + row * C + plane * 8), a = from[0], b = from[1];
        to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w, to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
    }

    __device__ __forceinline__ void shape_unit(int buffer, bool two, const some_cells &q, uint32_t mask_at)
    {
        const layer_args &a = g.a;
        float ca[8], cb[8], cc[8];
        eight(0, ca), eight(1, cb), eight(2, cc);
        uint4 *keep = (uint4 *)a.keep + place;
        uint32_t mask = 0;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (32 * i >= inside) break;
            uint4 *here = spot(buffer, i), p = *here;
            uint32_t *v = (uint32_t *)&p;
            const uint32_t *w = (const uint32_t *)&q[i];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                float lo = ca[2 * e] * bf16_lo(v[e]) + cc[2 * e], hi = ca[2 * e + 1] * bf16_hi(v[e]) + cc[2 * e + 1];
                if (two) lo += cb[2 * e] * bf16_lo(w[e]), hi += cb[2 * e + 1] * bf16_hi(w[e]);
                v[e] = a.relu ? pack_relu(lo, hi) : pack_bf16(lo, hi);
            }
            if (32 * i < real) {
                keep[32 * i] = p;
                mask |= positive_bits(v) << (8 * i);
            } else {
                p = make_uint4(0, 0, 0, 0);
            }
            *here = p;
        }
        if (a.keep_mask != nullptr) ((uint32_t *)a.keep_mask)[mask_at] = mask;
    }

    template <int HALF> __device__ __forceinline__ void fold_once(float (&v)[16])
    {
        const bool high = (lane & (HALF * 2)) != 0;
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            const float one = v[i], other = v[i + HALF];
            v[i] = (high ? other : one) + __shfl_xor_sync(~0u, high ? one : other, HALF * 2);
        }
    }

    // 16 sums over the warp's lanes: lane 2k ends up with the k-th.
    __device__ __forceinline__ float fold(float (&v)[16])
    {
        fold_once<8>(v), fold_once<4>(v), fold_once<2>(v), fold_once<1>(v);
        return v[0] + __shfl_xor_sync(~0u, v[0], 1);
    }

    // The unit's results out of the buffer, summed into t.
    __device__ __forceinline__ void store(int buffer, float (&t)[16])
    {
        uint4 *to = (uint4 *)g.a.y + place;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (32 * i >= real) break;
            const uint4 y = *spot(buffer, i);
            const uint32_t *v = (const uint32_t *)&y;
            to[32 * i] = y;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const float lo = bf16_lo(v[e]), hi = bf16_hi(v[e]);
                t[2 * e] += lo, t[2 * e + 1] += hi, t[8 + 2 * e] += lo * lo, t[9 + 2 * e] += hi * hi;
            }
        }
    }

    // The unit's mask, z and shortcut.
    __device__ __forceinline__ void ask_rest(int unit, int tile, uint32_t &mask, some_cells &zs, some_cells &res) const
    {
        mask = __ldg((const uint32_t *)g.a.mask + mask_place(unit, tile));
        ask(g.a.z, zs);
        if (g.a.res != nullptr) ask(g.a.res, res);
    }

    // The unit's results out on the way back: shortcut added, masked.
    __device__ __forceinline__ void store_back(int buffer, uint32_t mask, const some_cells &zs, const some_cells &res,
                                               float (&t)[16])
    {
        const bool add = g.a.res != nullptr;
        float mean[8];
        eight(3, mean);
        uint4 *to = (uint4 *)g.a.y + place;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (32 * i >= real) break;
            uint4 y = *spot(buffer, i);
            uint32_t *v = (uint32_t *)&y;
            const uint32_t *r = (const uint32_t *)&res[i], *z = (const uint32_t *)&zs[i];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                if (add) v[e] = pack_bf16(bf16_lo(v[e]) + bf16_lo(r[e]), bf16_hi(v[e]) + bf16_hi(r[e]));
                v[e] &= mask_word(mask >> (8 * i) & 0xff, e);
                const float lo = bf16_lo(v[e]), hi = bf16_hi(v[e]);
                t[2 * e] += lo, t[8 + 2 * e] += lo * (bf16_lo(z[e]) - mean[2 * e]);
                t[2 * e + 1] += hi, t[9 + 2 * e] += hi * (bf16_hi(z[e]) - mean[2 * e + 1]);
            }
            to[32 * i] = y;
        }
    }

    __device__ __forceinline__ void back_unit(int unit, int tile, int buffer, float (&t)[16])
    {
        uint32_t mask = next_mask;
        some_cells zs, res;
        if constexpr (AHEAD) {
#pragma unroll
            for (int i = 0; i < EACH; i++) zs[i] = next_z[i], res[i] = next_res[i];
            if (unit + hands < L90_UNITS) {
                take(unit + hands, tile);
                ask_rest(unit + hands, tile, next_mask, next_z, next_res);
                take(unit, tile);
            }
        } else {
            ask_rest(unit, tile, mask, zs, res);
        }
        store_back(buffer, mask, zs, res, t);
    }

    // Before a tile's results are there: what they need on the way back.
    __device__ __forceinline__ void expect(int tile)
    {
        if (g.a.mask == nullptr) return;
#pragma unroll 1
        for (int unit = warp; unit < L90_UNITS; unit += hands) {
            take(unit, tile);
            announce(g.a.z);
            if (g.a.res != nullptr) announce(g.a.res);
        }
        if constexpr (AHEAD) take(warp, tile), ask_rest(warp, tile, next_mask, next_z, next_res);
    }

    // The sums that lane 2 * k has of the unit, to all other blocks'.
    __device__ __forceinline__ void add_sums(float sum)
    {
        const int k = lane >> 1, c = (k >> 3) * C + plane * 8 + (k & 7);
        if ((lane & 1) == 0) exact_add(g.a.exact + c, 2 * C, sum);
    }

    // A tile's results out, the boards of `next` on their way in.
    template <bool LAST> __device__ __forceinline__ void exchange(int tile, int next, int buffer)
    {
#pragma unroll 1
        for (int unit = warp; unit < L90_UNITS; unit += hands) {
            float t[16] = {};
            take(unit, tile);
            if (g.a.mask != nullptr)
                back_unit(unit, tile, buffer, t);
            else
                store(buffer, t);
            const float all = fold(t);
            if constexpr (LAST) {
                add_sums(all);
                continue;
            }
            if ((lane & 1) == 0) at.sums[unit * 16 + (lane >> 1)] += all;
            if (next >= g.tiles) continue;
            take(unit, next);
            fetch(buffer);
            if (g.a.q != nullptr) announce(g.a.q);
        }
        copies_commit();
    }

    // The block's first boards: all warps.
    __device__ __forceinline__ void begin()
    {
        const bool helper = threadIdx.x >= 256 && !layer90_feeds();
        wait_for_last(); // of what an earlier launch has made, only the weights were touched before
        if (!layer90_feeds()) fetch_all(blockIdx.x, 0);
        if (helper) {
            hands = L90_HELPERS;
            fetch_all((int)(blockIdx.x + gridDim.x), 1);
            hands = L90_HANDS;
            coefficients();
        }
        __syncthreads();
        if (!layer90_feeds()) shape(blockIdx.x, 0, helper);
        __syncthreads();
    }

    // The block's last results, the i-th: all warps.
    __device__ __forceinline__ void end(int tile, int i)
    {
        hands = L90_HANDS;
        expect(tile);
        mbar_wait(at.done + 8 * (uint32_t)(i & 1), (uint32_t)(i >> 1) & 1);
        exchange<true>(tile, g.tiles, i & 1);
    }

    // What other launches want, by block 0: batch-norm's numbers, and a clear place for the next one's sums, where the launch
    // before the last left its own.
    __device__ __forceinline__ void for_others()
    {
        const int tid = (int)threadIdx.x - 256;
        if (g.a.way != BN_GIVEN && tid < g.a.bn.channels) layer90_bn<C>(g.a, tid, true);
        for (int k = tid; k < EXACT_WORDS * 2 * C; k += 32 * L90_HELPERS) g.a.exact_next[k] = 0;
    }

    __device__ __forceinline__ void run()
    {
        const int step = (int)gridDim.x;
        int tile = (int)blockIdx.x, i = 0;
        hands = L90_HELPERS;
        if (blockIdx.x == 0) for_others();
        if (tile + step < g.tiles) shape_and_say(tile + step, 1);
        for (; tile + step < g.tiles; tile += step, i++) {
            const int next = tile + 2 * step;
            expect(tile);
            mbar_wait(at.done + 8 * (uint32_t)(i & 1), (uint32_t)(i >> 1) & 1);
            exchange<false>(tile, next, i & 1);
            if (next < g.tiles) shape_and_say(next, i & 1);
        }
        for (int unit = warp; unit < L90_UNITS && i > 0; unit += L90_HELPERS) {
            take(unit, tile);
            add_sums((lane & 1) == 0 ? at.sums[unit * 16 + (lane >> 1)] : 0);
        }
        end(tile, i);
    }
};

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

    __device__ __forceinline__ void run(uint8_t *sm)
    {
        int i = 0, tile = (int)blockIdx.x;
        for (;; tile += gridDim.x, i++) {
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
            if (tile + (int)gridDim.x >= g.tiles) break;
        }
        layer90_helper<WM, N>(g, sm, at).end(tile, i);
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
DEV uint32_t layer90_spots(const layer90_args &g, int w, int lane)
{
    const int cols = g.a.s.cols, hw = g.a.s.rows * cols;
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
    for (int k = threadIdx.x; k < 4 * 32; k += L90_THREADS) at.spots[k] = layer90_spots(g, k / 32, k % 32);
    for (int k = threadIdx.x; k < L90_UNITS * 16; k += L90_THREADS) at.sums[k] = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < g.stages; i++) mbar_init(at.full + 8 * i, 1), mbar_init(at.empty + 8 * i, 8);
        for (int i = 0; i < 2; i++) mbar_init(at.in + 8 * i, L90_HELPERS), mbar_init(at.done + 8 * i, 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    fence_async();
    next_may_start();
    __syncthreads();
    const bool feeder = threadIdx.x == 256 + 32 * L90_HELPERS;
    if (feeder) layer90_feed<WM, (NP < N)>(g, sm, at, 0, g.stages);
    __syncwarp();
    layer90_helper<WM, N>(g, sm, at).begin();
    if (threadIdx.x >= 256) {
        if constexpr (N > 128)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 96;");
        else
            asm volatile("setmaxnreg.inc.sync.aligned.u32 152;");
        if (layer90_feeds()) {
            if (feeder) layer90_feed<WM, (NP < N)>(g, sm, at, g.stages, INT_MAX);
            __syncwarp();
        } else {
            layer90_helper<WM, N> help(g, sm, at);
            help.run();
        }
    } else {
        if constexpr (N > 128) // 128 accumulators a thread, or 64
            asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
        else
            asm volatile("setmaxnreg.dec.sync.aligned.u32 104;");
        layer90_group<WM, N, NP> m(g, sm, at);
        m.run(sm);
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
