// How far a shallow search's value lies from a deeper one's: what cuts by shallow searches (oth_deep.h) are based on.
//
// The root mean square of (value at `depth`) - (value at `probe`) over positions of self-play, by the empties of the
// position they start from; both depths even or both odd. Between one ply and none, the right to move is worth something:
// there the mean difference is told apart, and the spread is about it. The table in oth_spread.c is made by
// `keiko tune othello-probcut` for the weights that ship.
#ifndef KEIKO_SEARCH_OTH_SPREAD_H
#define KEIKO_SEARCH_OTH_SPREAD_H

#include <stdint.h>

enum {
    OTH_SPREAD_STAGES = 10, // of this many empties each:
    OTH_SPREAD_EMPTIES = 6,
    OTH_SPREAD_DEPTH = 12, // the deepest that is measured
    OTH_SPREAD_UNIT = 16,  // of a disc
};

typedef struct oth_spread_table {                                          // in 1/OTH_SPREAD_UNIT discs
    int8_t tempo[OTH_SPREAD_STAGES];                                       // mean of (value of one ply) - (evaluation)
    uint8_t of[OTH_SPREAD_STAGES][OTH_SPREAD_DEPTH + 1][OTH_SPREAD_DEPTH]; // [stage][depth][probe]
} oth_spread_table;
extern const oth_spread_table oth_spread;

static inline int oth_spread_stage(int empties)
{
    int stage = empties / OTH_SPREAD_EMPTIES;
    return stage < OTH_SPREAD_STAGES ? stage : OTH_SPREAD_STAGES - 1;
}

// Beyond the table the last row stands for deeper searches, with probes of the same share.
static inline int oth_spread_of(int empties, int depth, int probe)
{
    if (depth > OTH_SPREAD_DEPTH) {
        int last = OTH_SPREAD_DEPTH - (depth & 1); // as even as the depth
        probe = (probe * last / depth & ~1) | (depth & 1);
        depth = last;
    }
    return oth_spread.of[oth_spread_stage(empties)][depth][probe];
}

#endif
