// Othello's hot loops for avx2. See oth_loops.h.
#define OTH_ISA OTH_ISA_AVX2
#define OTH_OPS oth_ops_avx2
#include "games/othello/oth_loops.h"
