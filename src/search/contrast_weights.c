// The weights of Contrast's evaluation, as `keiko tune contrast` wrote them: see docs/CONTRAST.md for the procedure. Do not edit.
#include "search/contrast_eval.h"

// clang-format off
const int16_t ctr_weights[CTR_WEIGHTS] = {
    // pieces by the tile under them: white
    0, 0, 0,
    -19, 38, 46,
    -34, 8, 32,
    -44, -15, -9,
    -70, -58, -63,
    // … black
    0, 0, 0,
    -61, 96, 112,
    -59, 49, 123,
    -55, -38, 1,
    -120, -103, -145,
    // … gray
    0, 0, 0,
    8, 204, 269,
    22, 104, 191,
    -74, 6, 23,
    -43, -51, -48,
    // empty black tiles
    16, 9, 9,
    -8, 18, 2,
    0, 0, 0,
    8, -18, -2,
    -16, -9, -9,
    // empty gray tiles
    -2, 9, -7,
    23, 4, -15,
    0, 0, 0,
    -23, -4, 15,
    2, -9, 7,
    // hands
    -106, -57,
    -6, 53,
    45, 72,
    61, 108,
    // pieces by steps to go
    0, 0, 36, 0, -6, -10, -10, -6,
    // the race: mover's nearest piece by enemy's
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 94, 161, 159, 138, 134, 109,
    0, 0, -72, 11, 22, 5, -43, -20,
    0, 0, -94, -33, 2, 51, 169, -31,
    0, 0, -58, -53, -28, -64, 19, -50,
    0, 0, -66, -27, -39, 100, 0, 16,
    0, 0, -97, -12, -10, 19, -100, -30,
    // mobility
    -102, -423, -279, -6, 7, 12, 10, 16, 17, 5, 4, 0, 7, 9, 16, 18, 17, 20, 20, 38,
    // faced, column, beside, slant
    2, -18, -13, 10,
    // parity without and with tiles in hand
    -4, 1,
    // tempo
    36,
};
// clang-format on
