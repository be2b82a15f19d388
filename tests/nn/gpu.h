// The GPU's backend for tests; only in builds that have it.
#ifndef KEIKO_TESTS_GPU_H
#define KEIKO_TESTS_GPU_H

#include "nn/backend.h"
#include "test.h"

// Skips the test with the reason where there is no GPU.
static inline const nn_backend *gpu(void)
{
    char why[256];
    if (!nn_backend_cuda.available(why, sizeof why)) skip_because("%s", why);
    return &nn_backend_cuda;
}

#endif
