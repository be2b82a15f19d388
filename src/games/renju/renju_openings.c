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
   "g10;i8;h7;f9;j6;j10;h10\n" "g7;h6;i5;i8;j10\n" "g8;f8;h9;g6;i10\n" "j5;g7;e8\n"
   "f10;i8;j7;g7;j9\n" "k4;l10;h12;e12;i12\n" "f4;j8;i10;g9\n" "e11;d7;d5;e7\n"
   "i10;k9;e9\n" "e9;l11;j11\n" "h8;j7;f6;f8;f7\n" "i6;f7;g8;i7;f10\n"
   "e12;e10;e7;l8;i12\n" "f10;f6;i8;i9;h10;g10;j7;f7\n" "g10;d4;k11;g11;h4\n" "k9;j9;e9;g10;e6;f10\n"
   "g6;g9;h6;f6;j10;g7\n" "g9;g10;i9\n" "j5;i6;e11;e5\n" "k8;e7;e5;h7\n"
   "f5;g10;g9;h10;i10;j11\n" "f6;g8;g10\n" "k10;h7;g9;f9\n" "i5;j6;i10\n"
   "e11;i10;g6;g9\n" "f11;h10;e6\n" "d11;e9;g8\n" "g7;f7;j6;g9;g10;i7\n"
   "g6;g8;j10\n" "h10;g12;g5;h12;i11\n" "j7;i6;h9;i7;i9;h8;h10\n" "f9;h7;j8;i9;f7;h9;i10\n"
   "g10;j9;i8;i6;g6;j6\n" "g8;l9;j7;d10;g10;f8;e12\n" "j7;h9;f7;i7;i10\n" "g9;h8;i9;i8;j6;h6;j7\n"
   "g12;l9;i8\n" "i10;h9;i6;i8\n" "g10;h9;f7;j10;i10\n" "e7;i5;k5\n"
   "f5;g8;g9;i9;i8\n" "k8;k7;k11\n" "j8;g9;h10;i8;f10;g10\n" "f6;f8;j10;j7;i6\n"
   "j8;k12;d7;k9\n" "f7;h6;i10;i9;h10;j9;f6\n" "h6;i9;i6;f10;g10;j8;j7\n" "h11;i9;g6;f10;j10\n"
   "j10;h7;j7;h8;i7\n" "i10;h9;i7\n";
const char rj_even_freestyle[] =
   "j6;g7;d10;e4\n" "f11;g10;e6\n" "e6;k8;k7;k10\n" "k10;h8;h7;j9;j10;j5;g6\n"
   "j5;h7;k9\n" "i9;g8;j9;h7;g9;h9\n" "g10;g5;e5;k7;k6;k9\n" "l4;i8;i7;j4;l8;e8;e10\n"
   "i10;e8;f7\n" "j5;e12;d9;e8;d5;l7;i10;f9\n" "g9;i9;g6;f7;j6;h6;i7\n" "f8;g9;i7;h6;i10;g6;h8;g8\n"
   "e4;k7;i8\n" "i7;h7;j12\n" "h8;i7;k8;i8;g9;i9\n" "g10;f8;j7;f7;f6;i9;j10\n"
   "h5;k10;k6;f6;f10;k9;k8\n" "f7;h6;h7;g8;i10;j8\n" "j8;g10;f5;h10\n" "e11;f7;f5\n"
   "f6;e5;e7;f8;k8\n" "j5;e8;g7;i8;e9\n" "f10;i6;h7\n" "e6;d10;f12;i12;i11\n"
   "j9;g6;f7\n" "f7;h10;j6;h6;f6;f8;h8\n" "f9;e8;k7;i11;f6;g8;e6\n" "i6;g9;f10;f9;h8\n"
   "g9;f10;j8;g7;i7;f9;i10\n" "e9;e10;e11;i8;g7\n" "i6;k9;i11\n" "i4;d6;e8;e7\n"
   "i9;j9;g9;i10;f8;f9;h7\n" "k5;e10;i5;e8;j8\n" "e9;f10;e11;e12;h8\n" "j6;h6;j9;h9;g7\n"
   "f8;g11;j9\n" "g5;e7;k10;j6;e10;f9\n" "h8;j8;i9;h9;j6;i6;h10\n" "i7;h7;e12;k6;f7;j6;h4;e10\n"
   "k8;j6;k5;k7\n";
const char rj_even_freestyle20[] =
   "j12;m9;m10;k8;m12;l11;i9\n" "k9;i12;j12;j9;l8\n" "o7;m6;o11\n" "m11;l12;l8\n"
   "n9;n10;j7\n" "m8;h10;o12;m10;i7\n" "j12;l8;l11;h10;m6;i7;k13\n" "n10;j7;i7\n"
   "i8;m9;m12;j11;k8\n" "k11;l9;i9;k12;m12\n" "m10;l11;m12;l9;l8;m9;k12\n" "k8;h10;h11\n"
   "m10;i9;i8;m9;j7;m11;n13\n" "h8;h10;i12\n" "i8;j12;j10;l10\n" "i12;l9;i10;k11;m8;l11;k12\n"
   "i12;k8;l10;l9;l8;m9;j11;i8\n" "l11;i11;j8\n" "i12;h10;j9;i11;l7;h8\n" "k8;k10;i12;i9;m10;m12;k11\n"
   "m11;m12;l8\n" "j12;l9;h7;i8;l8\n" "k10;l12;g9;j10;i10\n" "n9;l8;n13\n"
   "i7;l8;m8;k10\n" "h12;g11;k11;k8;l7\n" "n12;n7;h13;k12;l7;h12;j11\n" "k11;o6;g7;h8;l7;i8;i9;g8\n"
   "l11;j10;l7;k10;i8;j12\n" "k12;i12;j9;l10;j10;m9;k9;k11\n" "i13;m13;g7;h9;o13;j14;k12\n" "m11;l9;j8\n"
   "j9;m10;i8;k9;l12;m12;m11\n" "l10;k11;i10;l9;j9\n" "h7;k8;l8;i11;m9;l12;h11\n" "l7;g7;n12\n"
   "m8;m11;k10\n" "i10;l12;n10\n" "j12;k7;n7;m9\n" "l9;o11;j13;m8;l10\n"
   "h10;j13;m12\n" "i9;o7;n8\n" "i8;i9;l12;m8;j10\n" "i10;m8;k9;l10;m12;k11;m11;k12\n"
   "l8;l9;l10;m10;j12\n" "j8;l9;m9;l11;j12;m11\n" "n9;h10;j8;k12;i13;m9\n" "l12;m12;k8;k12;i8\n"
   "k7;j7;i7;i8;m12;k11;j10\n" "l11;m10;k10;l12;i9\n";
// clang-format on
