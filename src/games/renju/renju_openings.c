// Even openings, written by `keiko tune renju-openings`: do not edit. See docs/lab/renju-engine.md.
#include "games/renju/renju_game.h"

// clang-format off
const char rj_even_renju[] =
   "g10;j6;j7;f10;f5\n" "f8;h6;j8;g9;i7;j9;i10;i9\n" "j8;j7;g7\n" "j8;j9;f9;j7;i10;g10;g8\n"
   "l4;k11;f7;g7;f10\n" "i11;f7;g8;h5\n" "i10;g8;h8;j9\n" "h6;i5;k9;i10;e9;g8\n"
   "f6;i6;h9\n" "e5;i9;i7;g7\n" "f8;h6;j7;g8\n" "f5;i9;i10;g6\n"
   "h7;g7;i6;i7;g10;j9\n" "i6;f9;e8;h4\n" "h10;g7;f9;j6;h7;f7;j8\n" "f9;f10;f8;i9\n"
   "h8;i9;k8;e8;e9\n" "i5;k10;k5;j5;h9\n" "g8;i8;h7\n" "g8;f6;i6\n"
   "j7;i6;g7;i8\n" "d6;h5;j6;f12;f4\n" "h10;j9;h6;g8\n" "i9;f7;f6;j7;f8;h8\n"
   "i7;j9;h10;f9;f8\n" "j6;i10;h7;g6;g10;i9\n" "j8;g8;i8;h9;h7;g7\n" "h10;g6;f6;i9;g10\n"
   "f7;g7;h6\n" "j8;g6;h6;i8;g9\n" "j5;g11;k9;k6;h9;i7\n" "h10;g10;h9\n"
   "f7;g8;k8;j5\n" "h7;g6;i6\n" "f11;i5;h8\n" "k9;j4;j12;k11;k10;h10;d7\n"
   "g8;j10;f6;g10;i9;f5;i11\n" "k10;i11;f7;i6;j12\n" "j10;f9;i6;f6;g10;i9\n" "j9;g11;f10;e7;e6;f5;h5;g6\n"
   "g9;f7;j6;j9;g7\n" "h10;h6;g7;g9;i6;j7\n" "i9;g6;f9\n" "h8;j10;i9;h7;g7;j8;h9;i6\n"
   "j6;j8;h6;f10;f9;h9;f8\n" "h10;i7;h9\n" "j8;h8;g7;h7\n" "j10;f7;g9;h9;i9\n"
   "h11;k7;f7\n" "g9;j7;j9;g6;i8;h10;j8\n";
const char rj_even_gomoku[] =
   "f6;j9;j8;g10;h10\n" "f10;f11;h11;g8;h5;g10;e9\n" "j9;g7;g6;h10;g9\n" "f9;h6;k7\n"
   "g5;j6;j10;i6\n" "l7;j7;g10;g8;i5;j6\n" "f10;e6;g7;h9;d10;l9;l12\n" "f8;h10;j10;g9;i6\n"
   "f9;g6;j6\n" "e7;i5;k5\n" "h7;g11;h12;f11\n" "g7;h6;i5;i8;j10\n"
   "h4;e4;h10;e6\n" "h10;g10;j7;k9;g5;g7;k5\n" "g9;i10;l4;l6;i5;j8\n" "j7;g6;e6;g9;j6\n"
   "k7;i8;f10\n" "i10;i7;k6\n" "l9;f5;i6\n" "j5;g7;e8\n"
   "k10;j5;e6;i11;h10\n" "e11;d7;d5;e7\n" "k9;j9;e9;g10;e6;f10\n" "i5;j6;i10\n";
const char rj_even_freestyle[] =
   "f11;g10;e6\n" "i10;h12;h6;j7;d10;g7;g12\n" "f7;k8;j5;g11;k7\n" "k9;j12;l5\n"
   "h6;f7;i8;f8;g7\n" "e9;e10;e11;i8;g7\n" "e7;g7;i11;j9;k9;g11;g8\n" "e5;j8;f9;h6;g7\n"
   "j9;j8;f5;h9;i8\n" "h8;i7;k8;i8;g9;i9\n" "e5;j7;h11;i9\n" "g6;j6;d12;h11;i4;k10;g12\n"
   "i6;l6;d9\n" "i6;h9;f8;i8;h10\n" "i8;g10;j10;g9;h9\n" "g10;f8;j7;f7;f6;i9;j10\n"
   "h11;d6;g7\n" "h10;e10;k7\n" "h12;f6;g8;h8;d4;i11;e12;f11\n" "k10;l4;g6\n"
   "i11;i6;h7\n" "h9;g10;h7;g8;f7;h6;i7\n" "j10;h6;g8;e10;g7;f9;k6\n" "h10;g8;f6;f10;g9;i8;i6\n";
const char rj_even_freestyle20[] =
   "k11;l9;i9;k12;m12\n" "g9;m9;m13;j13;m7;i7;g11\n" "j8;l9;m9;l11;j12;m11\n" "l13;m14;n7\n"
   "h10;j13;m12\n" "l14;g11;l8;i13\n" "h10;o12;o14\n" "h7;k8;l8;i11;m9;l12;h11\n"
   "j11;l6;j6;o6\n" "o7;n6;o14;l8\n" "i12;l9;i10;k11;m8;l11;k12\n" "n12;n10;k12;l10;m8\n"
   "k13;l7;k9;k11;g13\n" "m13;i7;i10\n" "j8;m9;n12\n" "m12;n11;k7;n9;j8;n10\n"
   "n10;i7;h12;m9;k9\n" "g8;h6;m8\n" "j8;j12;k12\n" "m9;l10;i12;j10;m12;k10\n"
   "j8;k8;n12;i13;n9\n" "k8;m8;l10;l9;i12\n" "i9;j9;i7;h8;m11;n9;n7\n" "m8;l8;i10\n";
// clang-format on
