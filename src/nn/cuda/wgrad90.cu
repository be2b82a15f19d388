// Weight gradients of a 3x3 convolution on Hopper, 128 channels: dW[tap] = dz * x(shifted)^T by wgmma.
//
// K runs over the cells: both operands have their channels contiguous, so a core matrix is 8 cells by 8 channels, and a tap is
// a constant offset into x, as in tower.h. A tile is some rows of one board (all, if they fit); x has the rows above and
// below as well. On 8x8 boards 8 cells are a row; other boards are walked straight through, and dz is zero between rows. A
// block makes the three taps of one row dy for all 128x128 channels (192 accumulators a thread); the three blocks of a group
// take the same tiles at the same time, so that two of them find them in the cache. One launch makes the gradients of many
// layers (wgrad.cuh): one layer alone would have to be cut into a part for every group, and to write and add these costs as
// much as a small batch's products.
#include "nn/cuda/hopper.cuh"
#include "nn/cuda/wgrad.cuh"

#include <cuda_runtime.h>

enum { THREADS = 384, PLANES = 16, STAGES_LEAST = 4, STAGES_MOST = 6, SMEM_MOST = 232448 };
// A thread carries half of a cell's planes at once; EACH is the most of a tile that it has to.
enum { CARRIERS = 128, EACH = (2 * SMEM_MOST / STAGES_LEAST / (PLANES * 16) + CARRIERS - 1) / CARRIERS };
// Tiles after which a group's start and end no longer count: as many layers go into a launch. More would only spread what is
// read at the same time over more memory.
enum { TILES_ENOUGH = 512 };

typedef struct wgrad90_args {
    wgrad_args a;
    int rows, parts;       // of a tile; tiles a board
    int pitch, group;      // cells from row to row; bytes to the next 8 cells
    int steps;             // of 16 cells
    int dz_plane, x_plane; // bytes
    int stage, stages;     // bytes, how many
    wgrad_split split;
} wgrad90_args;

static bool lay_out(const wgrad_args *a, wgrad90_args *g)
{
    const bool square = a->s.rows == 8 && a->s.cols == 8;
    g->a = *a;
    g->pitch = a->s.cols + 1;
    g->group = square ? g->pitch * 16 : 128;
    for (g->parts = 1; g->parts <= a->s.rows; g->parts++) {
        g->rows = (a->s.rows + g->parts - 1) / g->parts;
        const int cells = square ? g->rows * g->pitch : (g->rows * g->pitch + 15) / 16 * 16;
        g->steps = square ? g->rows / 2 : cells / 16;
        g->dz_plane = cells * 16;
        g->x_plane = (cells + 2 * g->pitch + 2) * 16;
        g->stage = PLANES * (g->dz_plane + g->x_plane);
        g->stages = (SMEM_MOST - 16 * STAGES_MOST) / g->stage;
        if (g->stages >= STAGES_LEAST) break;
    }
    if (g->stages > STAGES_MOST) g->stages = STAGES_MOST;
    g->split.n = a->n, g->split.tiles = a->s.n * g->parts;
    const long all = (long)a->n * g->split.tiles;
    g->split.groups = a->sms / 3 < all ? a->sms / 3 : (int)all;
    return g->parts <= a->s.rows;
}

#if defined(KEIKO_HOPPER)

// A carrying thread takes the same cells of every tile: half of a cell's planes from dz or x.
struct load {
    uint32_t to;   // in the stage
    uint32_t from; // in dz or x from the tile's first row on, in 16 bytes
    int row;       // of the tile
    bool is_x, any;
};

DEV load load_of(const wgrad90_args &g, int k, uint32_t cells)
{
    const int cols = g.a.s.cols, above = g.parts > 1 ? 1 : 0; // a whole board's halo stays zero
    const int dz_cells = g.rows * cols, all = dz_cells + (g.rows + 2 * above) * cols;
    const int half = k >= all ? 1 : 0, c = k - half * all;
    load l;
    l.any = k < 2 * all, l.is_x = c >= dz_cells;
    const int r = (l.is_x ? c - dz_cells : c) / cols, col = (l.is_x ? c - dz_cells : c) % cols;
    const int planes = half * (PLANES / 2);
    l.row = r - (l.is_x ? above : 0);
    l.from = (uint32_t)planes * cells + (uint32_t)(l.row * cols + col);
    // x: a row above and a cell before the first
    l.to = l.is_x ? (uint32_t)(PLANES * g.dz_plane + planes * g.x_plane + ((r + 1 - above) * g.pitch + col + 1) * 16)
                  : (uint32_t)(planes * g.dz_plane + (r * g.pitch + col) * 16);
    return l;
}

DEV void carry(const wgrad90_args &g, uint32_t sm, uint32_t full, uint32_t empty)
{
    const board_shape s = g.a.s;
    const uint32_t cells = (uint32_t)(s.n * s.rows * s.cols); // times PLANES they fit in 32 bits: layer90_fits
    const int first = split_first(g.split, blockIdx.x / 3), count = split_first(g.split, blockIdx.x / 3 + 1) - first;
    const wgrad_job *job = g.a.jobs + first / g.split.tiles;
    const uint16_t *dz_of = job->dz, *x_of = job->x;
    load own[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) own[k] = load_of(g, (int)(threadIdx.x & (CARRIERS - 1)) + k * CARRIERS, cells);
    uint32_t st = 0, ph = 1;
    for (int i = 0, tile = first % g.split.tiles; i < count; tile++, i++) {
        if (tile == g.split.tiles) tile = 0, job++, dz_of = job->dz, x_of = job->x;
        const uint32_t stage = sm + st * (uint32_t)g.stage;
        const int y0 = tile % g.parts * g.rows;
        const uint32_t begin = (uint32_t)((tile / g.parts * s.rows + y0) * s.cols);
        mbar_wait(empty + 8 * st, ph);
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (!own[k].any) break;
            const int y = y0 + own[k].row, plane = own[k].is_x ? g.x_plane : g.dz_plane;
            const bool there = y >= 0 && y < s.rows; // zeros where the row is not on the board
            const uint4 *from = (const uint4 *)(own[k].is_x ? x_of : dz_of) + (there ? begin + own[k].from : 0u);
            uint32_t to = stage + own[k].to;
#pragma unroll
            for (int p = 0; p < PLANES / 2; p++, to += (uint32_t)plane, from += cells) copy_cell(to, from, there);
        }
        copies_arrive(full + 8 * st);
        if (++st == (uint32_t)g.stages) st = 0, ph ^= 1;
    }
    copies_wait<0>();
}

DEV void multiply(const wgrad90_args &g, uint32_t sm, uint32_t full, uint32_t empty)
{
    const int wg = threadIdx.x >> 7, ww = threadIdx.x >> 5 & 3, lane = threadIdx.x & 31;
    const int group = blockIdx.x / 3, dy = blockIdx.x % 3;
    const int first = split_first(g.split, group), count = split_first(g.split, group + 1) - first;
    const int o = wg * 64 + ww * 16 + (lane >> 2), c = (lane & 3) * 2;
    float d0[64], d1[64], d2[64];
    int job = first / g.split.tiles, end = (job + 1) * g.split.tiles - first; // where the next layer begins
#pragma unroll 1
    for (int i = 0; i < count; job++, end += g.split.tiles) {
        uint32_t prev = ~0u;
        bool add = false;
        if (end > count) end = count;
#pragma unroll 1
        for (; i < end; i++) {
            const uint32_t st = (uint32_t)(i % g.stages), dz = sm + st * (uint32_t)g.stage,
                           x = dz + (uint32_t)(PLANES * g.dz_plane);
            mbar_wait(full + 8 * st, (uint32_t)(i / g.stages) & 1);
            fence_async(); // the copies were ordinary ones
            // dz: this warpgroup's 64 channels; x: the rows dy away, from the cell to the left on
            uint64_t da = wgmma_desc(dz + (uint32_t)(wg * 8 * g.dz_plane), (uint32_t)g.group, (uint32_t)g.dz_plane);
            uint64_t db = wgmma_desc(x + (uint32_t)(dy * g.pitch * 16), (uint32_t)g.group, (uint32_t)g.x_plane);
#pragma unroll 1
            for (int k = 0; k < g.steps; k++, da += (uint64_t)(g.group / 8), db += (uint64_t)(g.group / 8)) {
                wgmma_fence();
                wgmma_m<128>::go(d0, da, db, add);
                wgmma_m<128>::go(d1, da, db + 1, add);
                wgmma_m<128>::go(d2, da, db + 2, add);
                add = true;
            }
            wgmma_commit();
            wgmma_wait<1>();
            if (prev != ~0u && lane == 0) mbar_arrive(empty + 8 * prev);
            prev = st;
        }
        wgmma_wait<0>();
        hold(d0), hold(d1), hold(d2);
        if (lane == 0) mbar_arrive(empty + 8 * prev);
        float *out = g.a.parts + (size_t)(group + job) * 9 * 128 * 128 + (size_t)(dy * 3) * 128 * 128;
#pragma unroll
        for (int j = 0; j < 16; j++)
#pragma unroll
            for (int e = 0; e < 4; e += 2) {
                const size_t to = (size_t)(o + e * 4) * 128 + j * 8 + c;
                *(float2 *)(out + to) = make_float2(d0[4 * j + e], d0[4 * j + e + 1]);
                *(float2 *)(out + 128 * 128 + to) = make_float2(d1[4 * j + e], d1[4 * j + e + 1]);
                *(float2 *)(out + 2 * 128 * 128 + to) = make_float2(d2[4 * j + e], d2[4 * j + e + 1]);
            }
    }
}

#endif

__global__ void __launch_bounds__(THREADS, 1) wgrad90_kernel(const __grid_constant__ wgrad90_args g)
{
#if defined(KEIKO_HOPPER)
    extern __shared__ __align__(1024) uint8_t sm[];
    const uint32_t base = smem_at(sm), full = base + (uint32_t)(g.stages * g.stage),
                   empty = full + 8 * (uint32_t)g.stages;
    for (int i = threadIdx.x; i < g.stages * g.stage / 16; i += THREADS) ((uint4 *)sm)[i] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x == 0) {
        for (int i = 0; i < g.stages; i++) mbar_init(full + 8 * i, CARRIERS), mbar_init(empty + 8 * i, 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    fence_async();
    next_may_start();
    wait_for_last();
    __syncthreads();
    if (threadIdx.x >= 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        carry(g, base, full, empty);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        multiply(g, base, full, empty);
    }
#endif
}

extern "C" int wgrad90_fits(board_shape s, int cin, int cout)
{
    wgrad_args a = {};
    wgrad90_args g = {};
    a.s = s, a.n = 1, a.sms = 132;
    return cin == 128 && cout == 128 && lay_out(&a, &g);
}

static int some_layers(const wgrad_args *a, void *stream)
{
    wgrad90_args g = {};
    lay_out(a, &g);
    const int smem = g.stages * (g.stage + 16);
    int e = allow_smem<wgrad90_kernel>();
    if (e == 0) e = launch_early(wgrad90_kernel, dim3((unsigned)(3 * g.split.groups)), THREADS, smem, stream, g);
    return e == 0 ? wgrad_add_run(a, &g.split, stream) : e;
}

extern "C" int wgrad90_run(const wgrad_args *a, void *stream)
{
    wgrad90_args g = {};
    if (!wgrad90_fits(a->s, a->cin, a->cout)) return wgrad_run(a, stream);
    lay_out(a, &g);
    const int most = (TILES_ENOUGH * g.split.groups + g.split.tiles - 1) / g.split.tiles, runs = (a->n + most - 1) / most;
    int e = 0;
    for (int r = 0; r < runs && e == 0; r++) {
        const int from = a->n * r / runs;
        wgrad_args some = *a;
        some.jobs = a->jobs + from, some.n = a->n * (r + 1) / runs - from;
        e = some_layers(&some, stream);
    }
    return e;
}
