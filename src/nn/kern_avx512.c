// The kernels for x86-64-v4 (AVX-512). See kern_impl.h and kern_back.h.
#define NN_VEC 512
#include "nn/kern_back.h"

const nn_kern nn_kern_avx512 = KERN_TABLE("avx512");
