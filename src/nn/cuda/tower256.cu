// The fused tower for 256 channels (and 129 to 255, padded): two tiles of 64 channels a warpgroup, half as many boards.
#include "nn/cuda/tower.cuh"

extern "C" int tower_run_256(const tower_shape *s, const tower_args *a, int sms, void *stream)
{
    TOWER_NARROW(2, 2, false);
    return (int)cudaErrorInvalidValue;
}
