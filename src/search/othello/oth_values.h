// How well shallow values agree with better ones: positions whose best move's score is listed, by ranges of empties.
#ifndef KEIKO_SEARCH_OTH_VALUES_H
#define KEIKO_SEARCH_OTH_VALUES_H

#include "games/othello/oth_obf.h"
#include "search/othello/oth_search.h"

enum { OTH_VALUE_RANGES = 5 };
extern const int oth_value_range[OTH_VALUE_RANGES]
                                [2]; // empties, both included; a position counts in each that holds it

typedef struct oth_agreement {
    int n;
    double spread;      // standard deviation of the listed scores
    double correlation; // 0 where it is not defined
    double rms, bias;   // of value - score, in discs
} oth_agreement;

// Values by searches of `depth` plies, the table cleared before each. Problems without a listed move are left out.
void oth_values_measure(oth_engine *e, const oth_problem *p, int n, int depth, oth_agreement out[OTH_VALUE_RANGES]);

#endif
