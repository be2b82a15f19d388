// The kernels for x86-64-v3 (AVX2, FMA). See kern_impl.h and kern_back.h.
#define NN_VEC 256
#include "nn/kern_back.h"

const nn_kern nn_kern_avx2 = KERN_TABLE("avx2");
