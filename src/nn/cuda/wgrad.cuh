// How the weight gradients of several convolutions are shared among the blocks of one launch.
//
// Each convolution is `tiles` pieces of the batch. All convolutions' pieces, one after the other, go to `groups` in even runs,
// so a group may end one convolution and begin the next. What group g sums up of convolution j is part g + j: groups and
// convolutions only go up together, so no two parts fall on one place, and a convolution's parts lie side by side.
#ifndef KEIKO_NN_CUDA_WGRAD_CUH
#define KEIKO_NN_CUDA_WGRAD_CUH

#include "nn/cuda/train_kern.h"

typedef struct wgrad_split {
    int n, tiles, groups; // groups <= n * tiles
} wgrad_split;

static __host__ __device__ __forceinline__ int split_first(const wgrad_split &s, int group) // its first piece
{
    return (int)((long)s.n * s.tiles * group / s.groups);
}

static __host__ __device__ __forceinline__ int split_group(const wgrad_split &s, int piece) // whose it is
{
    return (int)((((long)piece + 1) * s.groups - 1) / ((long)s.n * s.tiles));
}

// Adds up the parts, in order, into the jobs' gradients.
int wgrad_add_run(const wgrad_args *a, const wgrad_split *s, void *stream);

#endif
