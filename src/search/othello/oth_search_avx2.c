// The Othello search for avx2. See oth_deep.h.
#define OTH_ISA        OTH_ISA_AVX2
#define OTH_SEARCH_OPS oth_search_ops_avx2
#include "search/othello/oth_deep.h"
