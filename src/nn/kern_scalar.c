// The kernels for any machine. See kern_impl.h and kern_back.h.
#define NN_VEC 0
#include "nn/kern_back.h"

const nn_kern nn_kern_scalar = KERN_TABLE("scalar");
