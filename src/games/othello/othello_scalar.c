// Othello's hot loops for scalar. See oth_loops.h.
#define OTH_ISA OTH_ISA_SCALAR
#define OTH_OPS oth_ops_scalar
#include "games/othello/oth_loops.h"
