// The Othello search for avx512. See oth_deep.h.
#define OTH_ISA        OTH_ISA_AVX512
#define OTH_SEARCH_OPS oth_search_ops_avx512
#include "search/othello/oth_deep.h"
