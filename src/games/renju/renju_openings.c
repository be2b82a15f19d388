// Even openings, written by `keiko tune renju-openings`: do not edit. See docs/lab/renju-engine.md.
#include "games/renju/renju_game.h"

// clang-format off
const char rj_even_renju[] =
   "j10;i10;g7;g10;g9;f8;f9;f7\n" "j8;f7;j10;j9;f8;g8;g9;i7\n" "i5;k10;f8;i6\n" "h11;g5;i7;i11;j6;j7;j5\n"
   "f8;g10;i7;f9;f10;j6\n" "j9;g7;g9;j8;i6;h10;j6;j10\n" "h8;j6;d8;d5;f6\n" "e9;l6;k8;h10\n"
   "i8;i9;l5;j6;e8;d7;f12;f4\n" "j5;f6;l7;d4;l11;k4\n" "f7;j8;i7;i10;f10;g8\n" "f9;f6;g6;j10;g7\n"
   "f6;f7;j10;i7;g9;f8;h10;f10\n" "g5;i8;g6;f5\n" "d8;f6;g8;h10;i12;h5\n" "j10;g8;f9;i6;k9;f6;e11;k8\n"
   "h7;h6;f8;g10;j6;i6\n" "f8;j8;g9;f11;i8\n" "j6;j8;j10;g6;i6;f8;f9;j9\n" "k4;f5;i11;h10;g5;e8;k8;l7\n"
   "j11;g5;j5;e10;f8;e6\n" "g10;i10;j10;j8;h9;f9;j6;f7\n" "i7;f8;g7;j10;h8;h7;j8\n" "g9;h9;h12;f11;d11;k5\n";
const char rj_even_gomoku[] =
   "j5;h9;h10\n" "f6;g9;h6;i10;f10\n" "f6;f8;j10;j7;i6\n" "f10;f11;h11;g8;h5;g10;e9\n"
   "g12;i12;k10\n" "j11;g11;g6;i6;e11;f6;f11\n" "h6;i6;i8;h8;f10;g7;g9\n" "f9;g6;j6\n"
   "e7;i5;k5\n" "h8;g10;d9;f10;f7\n" "i6;j5;j11\n" "e11;i10;g6;g9\n"
   "e7;i9;h11;k9;i10\n" "g7;h6;i5;i8;j10\n" "e5;g8;d10;h7;k7;d12\n" "i6;h9;j10;g8;f7\n"
   "k7;i8;f10\n" "j5;g7;e8\n" "f7;h9;j6;g6;g8;j8;j9;g10\n" "j7;h9;f7;i7;i10\n"
   "g6;k11;g9;j9;g7;k9;f10\n" "k11;k9;j9;e7;e5;d10;j4;h7\n" "f4;j8;i10;g9\n" "g10;h9;f7;j10;i10\n";
const char rj_even_freestyle[] =
   "i10;h12;h6;j7;d10;g7;g12\n" "k5;h10;e6;f7;j11;i9;h9;k7\n" "e6;d10;f12;i12;i11\n" "f6;f10;j6\n"
   "f8;e10;j5\n" "h6;f7;i8;f8;g7\n" "d9;d12;i4;k8;h8;j11;j4\n" "d4;l4;g9\n"
   "h5;i9;h11\n" "g5;e7;k10;j6;e10;f9\n" "i6;l6;d9\n" "i6;h9;f8;i8;h10\n"
   "j8;f9;i10;f6;h9\n" "i8;g10;j10;g9;h9\n" "i10;h9;g5\n" "e10;h9;j10\n"
   "g10;f8;j7;f7;f6;i9;j10\n" "g9;h7;l5;d9;l4\n" "k7;i9;e8;e5;i11\n" "g10;g7;g6;k7;f6;j5;j7;k6\n"
   "j5;e12;d9;e8;d5;l7;i10;f9\n" "k10;l4;g6\n" "g10;i10;j10;j8;f7;f9;h10\n" "i8;k7;f5;f9;d11\n";
const char rj_even_freestyle20[] =
   "l8;m7;m11;k7;i7;j10;m13\n" "g9;m9;m13;j13;m7;i7;g11\n" "h7;h13;m8;l13;l11;m13;l7\n" "n10;h8;k12;k10;i11\n"
   "l13;m14;n7\n" "h10;o12;o14\n" "i13;h11;m11\n" "m10;l11;m12;l9;l8;m9;k12\n"
   "o10;m8;k14\n" "h7;k8;l8;i11;m9;l12;h11\n" "k14;n10;o11\n" "o7;n6;o14;l8\n"
   "j12;l9;h7;i8;l8\n" "n12;i13;j11\n" "i10;l12;n10\n" "m12;k9;h13;j9;j13;m13;j7\n"
   "i8;l10;l12;i12;m10\n" "n9;l8;n13\n" "j12;m8;h7;g13;o9;h13\n" "i8;m8;i11;j10;m7\n"
   "n10;i7;h12;m9;k9\n" "j11;k9;m8;i11;l12\n" "n7;n10;n8;l6;g13\n" "l9;m7;h11\n";
// clang-format on
