// How a training layer is laid out for layer90.cuh: boards a tile, buffers, ring.
#include "nn/cuda/layer90.cuh"

enum { SMEM_MOST = 232448 };

extern "C" int layer90_run_64(const layer90_args *g, int width, int skip, int grid, void *stream);
extern "C" int layer90_run_128(const layer90_args *g, int width, int skip, int grid, void *stream);

typedef struct plan {
    layer90_args g;
    int width, skip, grid;
} plan;

static bool lay_out(board_shape s, int channels, int sms, plan *p)
{
    const int skip = s.rows == 8 && s.cols == 8, regions = channels == 64 ? 2 : 1;
    if (channels != 64 && channels != 128) return false;
    if ((long)s.n * s.rows * s.cols * (channels / 8) > 1 << 30) return false; // places are counted in 32 bits
    p->skip = skip;
    p->width = skip ? 256 : 240;
    // few boards: narrower tiles keep more multiprocessors busy
    if (skip && (s.n + 4 * regions - 1) / (4 * regions) < sms) p->width = 128;
    layer90_args &g = p->g;
    g.nb = skip ? p->width / 64 : p->width / (s.rows * (s.cols + 1));
    if (g.nb < 1) return false;
    g.pitch = s.cols + 1;
    g.group = skip ? g.pitch * 16 : 128;
    g.plane = (s.rows + 1) * g.nb * g.pitch * 16;
    g.act = channels / 8 * g.plane + g.nb * g.pitch * 16 + 32;
    g.buffer = regions * g.act;
    g.ring = (2 * g.buffer + 1023) / 1024 * 1024;
    const int more = L90_BARRIERS + L90_DUMP + L90_UNITS * 64 + 16 * channels + 512; // layer90_places
    g.stages = (SMEM_MOST - g.ring - more) / (L90_STAGE + 16);
    if (g.stages > 12) g.stages = 12;
    g.smem = g.ring + g.stages * (L90_STAGE + 16) + more;
    g.tiles = (s.n + g.nb * regions - 1) / (g.nb * regions);
    g.count = g.nb * s.rows * s.cols, g.half = (g.count / 2 + 31) / 32 * 32, g.cells = s.n * s.rows * s.cols;
    const int rounds = (g.tiles + sms - 1) / sms; // no more blocks than it takes: the others are faster for it
    p->grid = (g.tiles + rounds - 1) / rounds;
    return g.stages >= 4;
}

extern "C" int layer90_fits(board_shape s, int cin, int cout)
{
    plan p = {};
    return cin == cout && lay_out(s, cout, 132, &p);
}

extern "C" size_t layer90_mask_size(board_shape s, int channels, int sms)
{
    plan p = {};
    lay_out(s, channels, sms, &p);
    return ((size_t)p.g.tiles + 2 * (size_t)sms + 2) * L90_UNITS * 128; // fewer boards may make more tiles: narrow ones
}

extern "C" size_t layer90_sums_size(int channels)
{
    return EXACT_WORDS * 2 * (size_t)channels * sizeof(uint64_t);
}

extern "C" batch_sums layer90_sums(const layer_args *a)
{
    return {0, nullptr, a->exact};
}

extern "C" int layer90_run(const layer_args *a, void *stream)
{
    plan p = {};
    if (!lay_out(a->s, a->cout, a->sms, &p)) return (int)cudaErrorInvalidConfiguration;
    p.g.a = *a;
    return a->cout == 64 ? layer90_run_64(&p.g, p.width, p.skip, p.grid, stream)
                         : layer90_run_128(&p.g, p.width, p.skip, p.grid, stream);
}
