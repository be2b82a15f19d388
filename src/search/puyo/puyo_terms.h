// What rewards and learned players look at in a field: heights, the chain it hides, where it can be fired, what it threatens.
//
// These are the quantities that seed 000 names (SPEC: dense rewards), computed once a field and shared by every reward that
// needs them. Nothing here depends on who plays or on what was done: they are functions of a settled field, the pair to
// be placed next and the rules.
#ifndef KEIKO_SEARCH_PUYO_PUYO_TERMS_H
#define KEIKO_SEARCH_PUYO_PUYO_TERMS_H

#include "games/puyo/puyo.h"

typedef struct puyo_potential {
    int chain;    // links of the largest chain over all colour pairs and placements
    int triggers; // cells where a single puyo of some colour would fire
} puyo_potential;

typedef struct puyo_terms {
    float height;  // mean over columns, in rows
    float balance; // 1 = flat; falls with the variance of the heights and with columns of ten and more; at least 0
    float danger;  // 0 up to 8 rows, 1 from 12 on, of the highest column
    int chain, triggers; // see puyo_potential
    int threat;          // nuisance (points / 70) of the largest chain that the current pair can fire
} puyo_terms;

// `columns`: bits of those that a pair can be brought to (puyo_columns).
puyo_potential puyo_potential_of(const py_field *f, unsigned columns, int colours);
unsigned puyo_columns(const py_field *f, bool reach, int lose);

puyo_terms puyo_terms_of(const py_field *f, uint8_t pair, bool reach, int lose, int colours);

#endif
