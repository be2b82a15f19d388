// The weights of Contrast's evaluation, written by `keiko tune contrast`: do not edit. See docs/lab/CONTRAST.md.
#include "search/contrast/contrast_eval.h"

// clang-format off
const int16_t ctr_weights[CTR_WEIGHTS] = {
    // pieces, by the tile under them and the square: white
    0, 0, 0,
    22, 58, 16,
    -33, 19, 21,
    -44, -21, -24,
    -57, -55, -55,
    // … black
    0, 0, 0,
    -18, 116, 170,
    -36, 55, 87,
    -47, -22, -1,
    -71, -124, -90,
    // … gray
    0, 0, 0,
    31, 236, 290,
    28, 107, 85,
    -70, -20, 13,
    -100, -50, -48,
    // black tiles nobody stands on
    19, 15, 8,
    -10, 7, 4,
    0, 0, 0,
    10, -7, -4,
    -19, -15, -8,
    // … gray
    1, 3, 17,
    10, 0, -17,
    0, 0, 0,
    -10, 0, 17,
    -1, -3, -17,
    // tiles in hand: black by gray
    -95, -19,
    10, 75,
    72, 103,
    107, 46,
    // pieces by steps to go
    0, 0, 48, -6, -10, -11, -1, -1,
    // the race: steps of the mover's nearest piece, by the enemy's
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 54, 151, 165, 136, 231, 121,
    0, 0, -75, 25, 51, 53, -16, 20,
    0, 0, -101, -40, 24, 15, 120, 3,
    0, 0, -112, -100, -23, 14, -13, -13,
    0, 0, -18, -14, -139, -41, 0, -144,
    0, 0, -103, -44, -21, 0, 32, -18,
    // mobility
    -81, -580, -264, -120, -38, -28, -4, -8, -7, 0, 5, 9, 20, 31, 34, 38, 69, 88, 74, 85,
    // faced, column, beside, slant
    1, -12, -7, 9,
    // parity without and with tiles in hand, tempo
    -3, 3, 24,
};
// clang-format on
