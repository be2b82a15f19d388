// The fused tower for up to 64 channels: each warpgroup has boards of its own.
#include "nn/cuda/tower.cuh"

extern "C" int tower_run_64(const tower_shape *s, const tower_args *a, int sms, void *stream)
{
    TOWER_ALL(1, false);
    return (int)cudaErrorInvalidValue;
}
