// The helpers of layer90.cuh: what its block looks like, and the warps that fill, empty and sum its buffers.
#ifndef KEIKO_NN_CUDA_LAYER90_HELP_CUH
#define KEIKO_NN_CUDA_LAYER90_HELP_CUH

#include "nn/cuda/bn.cuh"
#include "nn/cuda/exact.cuh"
#include "nn/cuda/hopper.cuh"
#include "nn/cuda/mma.cuh"
#include "nn/cuda/train_kern.h"

#include <cuda_runtime.h>

typedef struct layer90_args {
    layer_args a;
    int nb, pitch, group, plane, act; // as in tower.h
    int buffer, stages, ring, smem;   // bytes of a buffer; of the ring: stages, where it starts
    int tiles;
    int count, half, cells; // cells of a region, of a unit at most, of a plane of the batch
} layer90_args;

// A unit is what a helper takes at once: half of a region's cells in one plane.
enum { L90_THREADS = 512, L90_HELPERS = 7, L90_HANDS = 16, L90_UNITS = 32, L90_DUMP = 512 };
enum { L90_BARRIERS = 48 }; // bytes of those that are not the ring's
// A stage's bytes; named barriers, own: + warpgroup.
enum { L90_STAGE = 8192, L90_ALL = 1, L90_OWN = 2 };

#if defined(KEIKO_HOPPER)

// Where the small things lie, behind the ring.
struct layer90_places {
    uint32_t full, empty, in, done; // barriers: of the ring's stages; boards ready to multiply; results ready to go
    uint32_t rest;                  // all that the last results need but themselves
    uint32_t dump;
    float *sums;     // [units][16]: a helper's units' own, of all tiles but the last
    float *coef;     // [4][channels]: a, b, c, mean
    uint32_t *spots; // [4][32]: where a lane's cells lie in a plane, two in each: first half's, second half's
    __device__ __forceinline__ layer90_places(const layer90_args &g, uint8_t *sm)
    {
        uint8_t *p = sm + g.ring + g.stages * L90_STAGE;
        full = smem_at(p), empty = full + 8 * (uint32_t)g.stages, in = empty + 8 * (uint32_t)g.stages, done = in + 16;
        rest = done + 16;
        dump = smem_at(p + 16 * g.stages + L90_BARRIERS);
        sums = (float *)(p + 16 * g.stages + L90_BARRIERS + L90_DUMP);
        coef = sums + L90_UNITS * 16;
        spots = (uint32_t *)(coef + 4 * g.a.cout);
    }
};

// The coefficients of channel c, if the launch before left its sums. `write`: for everybody else, too.
template <int C> __device__ __forceinline__ bn_three layer90_bn(const layer_args &a, int c, bool write)
{
    const double sum = exact_sum(a.bn.sums.exact + c, 2 * C), other = exact_sum(a.bn.sums.exact + C + c, 2 * C);
    return a.way == BN_FORWARD ? bn_front(a.bn, c, sum, other, write) : bn_back(a.bn, c, sum, other, write);
}

// --- helping

template <int WM, int N> struct layer90_helper {
    static constexpr int C = 64 * WM, PLANES = C / 8, REGIONS = WM == 1 ? 2 : 1;
    static constexpr int EACH = N > 128 ? 4 : 2; // cells a lane
    static constexpr bool AHEAD = EACH == 2;     // there are registers to ask for the next unit's rest as well
    typedef uint4 some_cells[EACH];
    const layer90_args &g;
    uint8_t *sm;
    const layer90_places &at;
    int warp, lane, hands; // this warp takes the units warp, warp + hands, …: with all hands two, of the same plane
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
        warp = (threadIdx.x >> 5) ^ 8, lane = threadIdx.x & 31, hands = L90_HANDS; // the helpers are the first
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

    // The unit's cells, as they are, on their way into the buffer.
    __device__ __forceinline__ void fetch(const uint16_t *all, int buffer)
    {
        const uint4 *from = (const uint4 *)all + place;
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (32 * i < inside)
                copy_cell(smem_at(spot(buffer, i)), 32 * i < real ? from + 32 * i : (const uint4 *)all, 32 * i < real);
    }

    __device__ __forceinline__ void fetch_all(int tile, int buffer)
    {
#pragma unroll 1
        for (int unit = warp; tile < g.tiles && unit < L90_UNITS; unit += hands) take(unit, tile), fetch(g.a.p, buffer);
        copies_commit();
    }

    // What the block's last results need on the way back: z into the other buffer, which is free by then, the shortcut into the
    // cache. The helpers do it while the last boards are multiplied. Their sums of the earlier results are there as well then.
    __device__ __forceinline__ void fetch_rest(int tile, int buffer)
    {
#pragma unroll 1
        for (int unit = warp; g.a.mask != nullptr && unit < L90_UNITS; unit += hands) {
            take(unit, tile);
            fetch(g.a.z, buffer);
            if (g.a.res != nullptr) announce(g.a.res);
        }
        copies_commit();
        copies_wait<0>();
        mbar_arrive(at.rest);
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

    // The unit's results out on the way back: shortcut added, masked. LAST: z is in the other buffer.
    template <bool LAST>
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
            const uint4 zi = LAST ? *spot(buffer ^ 1, i) : zs[i];
            uint32_t *v = (uint32_t *)&y;
            const uint32_t *r = (const uint32_t *)&res[i], *z = (const uint32_t *)&zi;
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

    // The last tile's: the shortcut of the next unit is on its way.
    __device__ __forceinline__ void back_last(int unit, int tile, int buffer, float (&t)[16])
    {
        const uint32_t mask = next_mask;
        some_cells res;
#pragma unroll
        for (int i = 0; i < EACH; i++) res[i] = next_res[i];
        if (unit + hands < L90_UNITS) take(unit + hands, tile), ask_last(unit + hands, tile), take(unit, tile);
        store_back<true>(buffer, mask, res, res, t);
    }

    __device__ __forceinline__ void ask_last(int unit, int tile)
    {
        next_mask = __ldg((const uint32_t *)g.a.mask + mask_place(unit, tile));
        if (g.a.res != nullptr) ask(g.a.res, next_res);
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
        store_back<false>(buffer, mask, zs, res, t);
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

    // A tile's results out, the boards of `next` on their way in.
    __device__ __forceinline__ void exchange(int tile, int next, int buffer)
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
            if ((lane & 1) == 0) at.sums[unit * 16 + (lane >> 1)] += all;
            if (next >= g.tiles) continue;
            take(unit, next);
            fetch(g.a.p, buffer);
            if (g.a.q != nullptr) announce(g.a.q);
        }
        copies_commit();
    }

    // The block's first boards: all hands.
    __device__ __forceinline__ void begin()
    {
        const bool helps = threadIdx.x >= 256 && threadIdx.x < 256 + 32 * L90_HELPERS;
        wait_for_last(); // of what an earlier launch has made, only the weights were touched before
        fetch_all(blockIdx.x, 0);
        if (helps) {
            hands = L90_HELPERS;
            fetch_all((int)(blockIdx.x + gridDim.x), 1);
            hands = L90_HANDS;
            coefficients();
        }
        __syncthreads();
        shape(blockIdx.x, 0, helps);
        __syncthreads();
    }

    // The block's last results, the i-th: all hands. Then its sums go to all other blocks'.
    __device__ __forceinline__ void end()
    {
        const int i = (g.tiles - 1 - (int)blockIdx.x) / (int)gridDim.x, tile = (int)(blockIdx.x + i * gridDim.x);
        const bool back = g.a.mask != nullptr;
        float t[16] = {};
        hands = L90_HANDS;
        if (back) take(warp, tile), ask_last(warp, tile);
        mbar_wait(at.done + 8 * (uint32_t)(i & 1), (uint32_t)(i >> 1) & 1);
        mbar_wait(at.rest, 0);
#pragma unroll 1
        for (int unit = warp; unit < L90_UNITS; unit += L90_HANDS) {
            take(unit, tile);
            if (back)
                back_last(unit, tile, i & 1, t);
            else
                store(i & 1, t);
        }
        const float all = fold(t);
        const int k = lane >> 1, from = warp * 16 + k, c = (k >> 3) * C + plane * 8 + (k & 7);
        if ((lane & 1) == 0) exact_add(g.a.exact + c, 2 * C, all + at.sums[from] + at.sums[from + L90_HANDS * 16]);
    }

    // What other launches want, by block 0: batch-norm's numbers, and a clear place for the next one's sums, where the launch
    // before the last left its own.
    __device__ __forceinline__ void for_others()
    {
        const int tid = (int)threadIdx.x - 256;
        if (g.a.way != BN_GIVEN && tid < g.a.bn.channels) layer90_bn<C>(g.a, tid, true);
#pragma unroll 1
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
            exchange(tile, next, i & 1);
            if (next < g.tiles) shape_and_say(next, i & 1);
        }
        fetch_rest(tile, (i + 1) & 1);
    }
};

#endif // KEIKO_HOPPER

#endif
