// Does this machine compute a network correctly? Every instruction set, every method and int8 against the reference.
#ifndef KEIKO_NN_CHECK_H
#define KEIKO_NN_CHECK_H

#include "nn/net.h"

typedef struct nn_check_row {
    char name[48];   // "avx512 f4", "int8 vnni"
    double worst;    // largest |difference| / (1 + |reference|) over all outputs
    double value;    // largest difference in value heads; 0 when there are none
    int same, of;    // positions whose greatest logit (every policy head) or Q-value is the same
    bool exact_kind; // f32: `worst` must stay below NN_CHECK_LIMIT. int8: rounding is meant to be there
} nn_check_row;

#define NN_CHECK_LIMIT 1e-4
enum { NN_CHECK_ROWS = 16 };

// On n positions (bits and scalars as in infer.h; NULL bits: random ones are made from `seed`). Fills rows, returns how many
// in *count. Slow: the reference is naive.
err nn_check(const nn_net *net, int n, const uint64_t *bits, const float *scalars, uint64_t seed,
             nn_check_row rows[NN_CHECK_ROWS], int *count);
bool nn_check_passed(const nn_check_row *rows, int count);

#endif
