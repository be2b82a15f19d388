// layer90 for 128 channels.
#include "nn/cuda/layer90.cuh"

extern "C" int layer90_run_128(const layer90_args *g, int width, int skip, int grid, void *stream)
{
    if (skip && width == 256) return layer90_launch<2, 256, 224>(g, grid, stream);
    if (skip && width == 128) return layer90_launch<2, 128, 112>(g, grid, stream);
    return layer90_launch<2, 240, 240>(g, grid, stream);
}
