// Othello's hot loops for avx512. See oth_loops.h.
#define OTH_ISA OTH_ISA_AVX512
#define OTH_OPS oth_ops_avx512
#include "games/othello/oth_loops.h"
