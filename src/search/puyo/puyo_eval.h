// What a field is worth to somebody who builds a chain: the weights, and one field's evaluation for people and tests.
//
// The idea: the chain that a field hides is found by dropping one to three puyos of a colour on a column until a group of
// four is there and letting the chain run. The best such trigger counts by its links, its height (room below it is spent,
// room beside it is free), the puyos it still needs, and what it leaves connected, which is what the chain can grow by.
// The shape of the surface and the connections of the whole field are added. Units are hundredths of about a tenth link.
#ifndef KEIKO_SEARCH_PUYO_PUYO_EVAL_H
#define KEIKO_SEARCH_PUYO_PUYO_EVAL_H

#include "games/puyo/puyo.h"

// One list for the struct, the option table of `beam` and the tuner: name, default, what it multiplies.
#define PUYO_WEIGHTS(W)                                                                                                \
    W(chain, 500, "Per link of the best trigger's chain")                                                              \
    W(height, 151, "Per row of height of the trigger's column")                                                        \
    W(key, -156, "Per puyo the trigger needs")                                                                         \
    W(room, 151, "Per neighbouring column that is not higher")                                                         \
    W(rest2, 34, "Per group of two left after the chain")                                                              \
    W(rest3, 162, "Per group of three left after the chain")                                                           \
    W(link2, 70, "Per group of two in the field")                                                                      \
    W(link3, 99, "Per group of three in the field")                                                                    \
    W(shape, -21, "Per row of distance from the ideal surface (left side two rows higher)")                            \
    W(well, -46, "Per row a column is below both neighbours")                                                          \
    W(bump, -123, "Per row a column is above both neighbours")                                                         \
    W(nuisance, -70, "Per nuisance puyo")                                                                              \
    W(ghost, -97, "Per puyo in row 13")                                                                                \
    W(split, -44, "Per row a split puyo falls")                                                                        \
    W(waste, -150, "Per link fired before the main chain")

typedef struct puyo_weights {
#define W(name, preset, help) int name;
    PUYO_WEIGHTS(W)
#undef W
} puyo_weights;

extern const puyo_weights puyo_weights_default;

typedef struct puyo_value {
    int score;                        // all terms but split and waste
    int links, column, needs, colour; // of the best trigger; links 0: there is none of two links or more
} puyo_value;

// The field must have nothing left to pop.
puyo_value puyo_evaluate(const py_field *f, const puyo_weights *w, int colours);

#endif
