// The fused tower for up to 64 channels: each warpgroup has boards of its own.
#include "nn/cuda/tower.cuh"

extern "C" int tower_run_64(const tower_shape *s, const tower_args *a, int sms, void *stream)
{
    TOWER_CASE(1, 1, 256, 224, false);
    TOWER_CASE(1, 1, 128, 112, false);
    TOWER_CASE(1, 1, 64, 56, false);
    TOWER_CASE(1, 1, 240, 240, false);
    TOWER_CASE(1, 1, 192, 192, false);
    TOWER_CASE(1, 1, 128, 128, false);
    TOWER_CASE(1, 1, 64, 64, false);
    return (int)cudaErrorInvalidValue;
}
