// The Othello search for scalar. See oth_deep.h.
#define OTH_ISA        OTH_ISA_SCALAR
#define OTH_SEARCH_OPS oth_search_ops_scalar
#include "search/othello/oth_deep.h"
