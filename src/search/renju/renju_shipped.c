// The numbers of the renju engine that ship: compiled in. See renju_weights.h.
#include "search/renju/renju_weights.h"

const rj_weights *rj_weights_shipped(rj_rule rule)
{
    return &rj_weights_of[rule];
}
