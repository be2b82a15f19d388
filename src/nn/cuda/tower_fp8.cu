// The fused tower with its blocks in e4m3, for all widths.
#include "nn/cuda/tower.cuh"

extern "C" int tower_run_fp8(const tower_shape *s, const tower_args *a, int sms, void *stream)
{
    if (s->channels == 64) {
        TOWER_CASE(1, 1, 256, 224, true);
        TOWER_CASE(1, 1, 128, 112, true);
        TOWER_CASE(1, 1, 64, 56, true);
        TOWER_CASE(1, 1, 240, 240, true);
        TOWER_CASE(1, 1, 192, 192, true);
        TOWER_CASE(1, 1, 128, 128, true);
        TOWER_CASE(1, 1, 64, 64, true);
    } else if (s->channels == 128) {
        TOWER_CASE(2, 1, 256, 224, true);
        TOWER_CASE(2, 1, 128, 112, true);
        TOWER_CASE(2, 1, 64, 56, true);
        TOWER_CASE(2, 1, 240, 240, true);
        TOWER_CASE(2, 1, 192, 192, true);
        TOWER_CASE(2, 1, 128, 128, true);
        TOWER_CASE(2, 1, 64, 64, true);
    } else {
        TOWER_CASE(2, 2, 128, 112, true);
        TOWER_CASE(2, 2, 64, 56, true);
        TOWER_CASE(2, 2, 128, 128, true);
        TOWER_CASE(2, 2, 64, 64, true);
    }
    return (int)cudaErrorInvalidValue;
}
