// Even openings, written by `keiko tune renju-openings`: do not edit. See docs/lab/renju-engine.md.
#include "games/renju/renju_game.h"

// clang-format off
const char rj_even_renju[] =
   "j10;i10;g7;g10;g9;f8;f9;f7\n" "i7;f9;i10;g8;e8;k6\n" "j8;f7;j10;j9;f8;g8;g9;i7\n" "i6;g7;g8;g6\n";
const char rj_even_gomoku[] =
   "l11;j6;e4;d5;k6\n" "k4;g5;i7\n" "j5;h9;h10\n" "f6;f8;j10;j7;i6\n";
const char rj_even_freestyle[] =
   "i6;k9;i11\n" "f8;e10;j5\n" "i5;l12;e10\n" "e10;l11;k7;l10\n";
const char rj_even_freestyle20[] =
   "k11;l9;i9;k12;m12\n" "m7;i11;i7;l9;i9\n" "j8;l9;m9;l11;j12;m11\n" "l11;k12;l8;n11;l9;l7;n13\n";
// clang-format on
