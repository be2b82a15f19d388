// How likely is it that the fold will be finished in time? An exact answer for a field reduced to what the fold needs.
//
// The reduction: how many of the fold's cells each of columns 1 to 3 has, which colour A is and which B (or that B cannot
// be X, because X lies under (3,2) and four B would connect). Puyos that do not belong to the fold can always be put away
// in columns 4 to 6 or on top; nothing pops. That leaves a few hundred states that can be reached from the empty field, and
// the chances follow by working backwards over all pairs that may come, knowing at each choice the current pair and two
// more. Real fields are looked up by their reduction; played on real fields, the policy reaches the computed chances.
#ifndef KEIKO_SEARCH_PUYO_PUYO_ADVISOR_FOLD_H
#define KEIKO_SEARCH_PUYO_PUYO_ADVISOR_FOLD_H

#include "games/puyo/puyo.h"

enum { FOLD_TURNS = 24, FOLD_DEAD = -1 }; // the longest horizon; a fold that cannot be finished unless something pops

typedef struct fold_table fold_table;

// For 3 to 5 colours and a kind of pairs: independent ones for PY_UNIFORM and PY_ARCADE. Made at the first call, which
// takes some 50 to 200 ms and 5 to 25 MB, and kept; safe from any thread. NULL without memory.
const fold_table *fold_table_for(int colours, int kind);

int fold_state(const py_field *f); // the reduction, or FOLD_DEAD
bool fold_is_done(int state);

// The chance that the fold stands after at most `turns` more placements, of `pair` first and `next` then; 0 = not shown.
// `index` is the number of `pair` from the start, which matters for PY_BLOCKS. 0 when dead.
double fold_chance(const fold_table *t, int state, uint8_t pair, uint8_t next, uint32_t index, int turns);

// The mean of that over 0 … FOLD_TURNS turns: prefers sooner to later, whatever the horizon.
double fold_soon(const fold_table *t, int state, uint8_t pair, uint8_t next, uint32_t index);

#endif
