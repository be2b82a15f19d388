// The fused tower for 128 channels (and 65 to 127, padded).
#include "nn/cuda/tower.cuh"

extern "C" int tower_run_128(const tower_shape *s, const tower_args *a, int sms, void *stream)
{
    TOWER_CASE(2, 1, 256, 224, false);
    TOWER_CASE(2, 1, 128, 112, false);
    TOWER_CASE(2, 1, 64, 56, false);
    TOWER_CASE(2, 1, 240, 240, false);
    TOWER_CASE(2, 1, 192, 192, false);
    TOWER_CASE(2, 1, 128, 128, false);
    TOWER_CASE(2, 1, 64, 64, false);
    return (int)cudaErrorInvalidValue;
}
