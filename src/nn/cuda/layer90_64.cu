// layer90 for 64 channels: each multiplying warpgroup has boards of its own.
#include "nn/cuda/layer90.cuh"

extern "C" int layer90_run_64(const layer90_args *g, int width, int skip, int grid, void *stream)
{
    if (skip && width == 256) return layer90_launch<1, 256, 224>(g, grid, stream);
    if (skip && width == 128) return layer90_launch<1, 128, 112>(g, grid, stream);
    return layer90_launch<1, 240, 240>(g, grid, stream);
}
