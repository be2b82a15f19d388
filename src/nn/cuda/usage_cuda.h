// What the GPU did, by its own clock: events around copies and kernels, put on one time line.
//
// Nothing is recorded before somebody has asked for the first time (cuda_usage), so that a caller who wants one answer as
// soon as possible pays nothing for it.
#ifndef KEIKO_NN_CUDA_USAGE_CUDA_H
#define KEIKO_NN_CUDA_USAGE_CUDA_H

#include "nn/backend.h"

#include <cuda_runtime_api.h>

typedef enum cuda_work { CUDA_INFER, CUDA_LEARN } cuda_work;

bool cuda_usage_wanted(void);
// All events are done. The kernels between two of them, or a copy.
void cuda_usage_kernels(cuda_work what, cudaEvent_t from, cudaEvent_t to);
void cuda_usage_copy(cudaEvent_t from, cudaEvent_t to);
void cuda_usage(nn_usage *out);

#endif
