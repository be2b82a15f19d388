// See window_kern.h. A warp makes a sample's row. Sums are made in the order of the moves, as on the host: equal bits.
#include "nn/cuda/hopper.cuh"
#include "nn/cuda/window_kern.h"

#include <cuda_runtime.h>

enum { THREADS = 256, SCAN = 1024 };

// start[n+1]: where each sample's moves go. One block; a thread takes a few samples in a row.
__global__ void __launch_bounds__(SCAN) starts_kernel(const __grid_constant__ gather_args a)
{
    __shared__ uint32_t sums[SCAN / 32];
    const int t = threadIdx.x, lane = t % 32, each = (a.n + SCAN - 1) / SCAN;
    const int from = min(t * each, a.n), to = min(from + each, a.n);
    const uint64_t room = a.view->room;
    const uint16_t *count = a.view->count;
    uint32_t mine = 0;
    for (int i = from; i < to; i++) mine += count[a.pick[i] % room];
    uint32_t upto = mine; // of the threads so far, this one's counted
    for (int o = 1; o < 32; o *= 2) {
        uint32_t v = __shfl_up_sync(~0u, upto, o);
        if (lane >= o) upto += v;
    }
    if (lane == 31) sums[t / 32] = upto;
    __syncthreads();
    for (int w = 0; w < t / 32; w++) upto += sums[w];
    uint32_t at = upto - mine;
    for (int i = from; i < to; i++) {
        a.start[i] = at;
        at += count[a.pick[i] % room];
    }
    if (t == SCAN - 1) a.start[a.n] = at;
}

// Half a word of a plane at a time: a lane brings one square.
DEV void turn_planes(const gather_args &a, const uint64_t *from, const uint16_t *cell, uint64_t *to, int lane)
{
    uint32_t *out = (uint32_t *)to;
    for (int half = 0; half < 2 * a.words; half++) {
        const int c = half * 32 + lane, source = c < a.hw ? cell[c] : 0;
        uint32_t mine = 0;
        for (int p = 0; p < a.planes; p++) {
            const bool set = c < a.hw && (from[p * a.words + source / 64] >> (source & 63) & 1);
            const uint32_t word = __ballot_sync(~0u, set);
            if (lane == (p & 31)) mine = word;
            if ((p & 31) == 31 || p == a.planes - 1) {
                const int q = (p & ~31) + lane;
                if (q <= p) out[q * 2 * a.words + half] = mine;
            }
        }
    }
}

typedef struct move_list {
    const uint16_t *move, *prob; // the rings
    uint64_t room, first;        // first: within the ring
    uint32_t count;
    const uint16_t *place; // of this kind and symmetry
    float scale;           // 0: all alike
} move_list;

DEV uint64_t ring_at(const move_list &l, uint32_t m)
{
    const uint64_t k = l.first + m;
    return k < l.room ? k : k - l.room;
}

DEV float target_of(const move_list &l, uint64_t k)
{
    return l.scale > 0 ? __fmul_rn((float)l.prob[k], l.scale) : __fdiv_rn(1.f, (float)l.count);
}

DEV move_list moves_of(const gather_args &a, const window_view &v, uint64_t slot, int sym, int lane)
{
    move_list l = {v.move, v.prob, v.moves_room, v.first[slot] % v.moves_room, v.count[slot]};
    l.place = v.place + ((size_t)v.kind[slot] * a.syms + sym) * ((size_t)a.moves * a.n_policy);
    uint32_t sum = 0;
    for (uint32_t m = lane; m < l.count; m += 32) sum += l.prob[ring_at(l, m)];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    l.scale = sum > 0 ? __fdiv_rn(1.f, (float)sum) : 0;
    return l;
}

// A policy head's own target. Moves may share an entry: of those in one go the first lane adds them, in order.
DEV void marginal(const gather_args &a, const move_list &l, int k, int i, int lane)
{
    const gather_head &h = a.policy[k];
    float *target = h.target + (size_t)i * h.size;
    uint8_t *mask = h.mask + (size_t)i * h.size;
    for (int j = lane; j < h.size; j += 32) target[j] = 0, mask[j] = 0;
    for (uint32_t base = 0; base < l.count; base += 32) {
        const uint32_t m = base + lane;
        const bool real = m < l.count;
        int to = -1 - lane; // shared with nobody
        float p = 0;
        if (real) {
            const uint64_t at = ring_at(l, m);
            to = l.place[(size_t)l.move[at] * a.n_policy + k];
            p = target_of(l, at);
        }
        const uint32_t same = __match_any_sync(~0u, to);
        const bool adds = real && __ffs(same) - 1 == lane;
        __syncwarp(); // what other lanes wrote before
        float sum = adds ? target[to] : 0;
        for (int q = 0; q < 32; q++) {
            const float theirs = __shfl_sync(~0u, p, q);
            if (adds && (same >> q & 1)) sum = __fadd_rn(sum, theirs);
        }
        if (adds) target[to] = sum, mask[to] = 1;
    }
}

__global__ void __launch_bounds__(THREADS) gather_kernel(const __grid_constant__ gather_args a)
{
    const int i = blockIdx.x * (THREADS / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= a.n) return;
    const window_view v = *a.view;
    const uint64_t slot = a.pick[i] % v.room;
    const int sym = a.sym[i];
    const size_t bits = (size_t)a.planes * a.words;
    turn_planes(a, v.bits + slot * bits, v.cell + sym * a.hw, a.bits + i * bits, lane);
    for (int k = lane; k < a.n_scalars; k += 32)
        a.scalars[(size_t)i * a.n_scalars + k] = v.scalars[slot * a.n_scalars + k];
    if (lane < a.n_heads && a.head[lane].number >= 0) a.head[lane].target[i] = v.number[a.head[lane].number][slot];
    const move_list l = moves_of(a, v, slot, sym, lane);
    if (a.by_head) {
        for (int k = 0; k < a.n_policy; k++) marginal(a, l, k, i, lane);
        return;
    }
    const uint32_t first = a.start[i];
    for (uint32_t m = lane; m < l.count; m += 32) {
        const uint64_t at = ring_at(l, m);
        for (int k = 0; k < a.n_policy; k++)
            a.index[(size_t)(first + m) * a.n_policy + k] = l.place[(size_t)l.move[at] * a.n_policy + k];
        a.prob[first + m] = target_of(l, at);
    }
}

extern "C" int window_gather(const gather_args *a, void *stream)
{
    if (!a->by_head) starts_kernel<<<1, SCAN, 0, (cudaStream_t)stream>>>(*a);
    gather_kernel<<<(unsigned)(a->n + THREADS / 32 - 1) / (THREADS / 32), THREADS, 0, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}
