#include "search/renju_weights.h"
const rj_weights rj_weights_of[3] = {0};
