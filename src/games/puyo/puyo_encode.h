// Fields and pairs for a network; shared by the match and solo play.
//
// Planes are 13 x 6, y = 0 the ghost row. A field is five planes: R, Y, G, B and nuisance. The fifth colour, played only
// with colours=5, is a cell set in all four colour planes, so that the layout need not change with the option. A puyo of a
// pair is four scalars in the same way.
#ifndef KEIKO_GAMES_PUYO_PUYO_ENCODE_H
#define KEIKO_GAMES_PUYO_PUYO_ENCODE_H

#include "games/puyo/puyo_match.h"

enum { PY_FIELD_PLANES = 5, PY_PAIR_SCALARS = 8, PY_PLANE_WORDS = 2 };

#define PY_SHOWS_FIELD(whose) whose " red;" whose " yellow;" whose " green;" whose " blue;" whose " nuisance"
// A pair is main puyo, then sub puyo, each as red, yellow, green, blue.
#define PY_SHOWS_PAIRS(whose) whose " pair#8;" whose " next pair#8;" whose " pair after next#8"

uint64_t *py_encode_field(const py_field *f, uint64_t *bits);        // [5][2]; returns the end
float *py_encode_pairs(const uint8_t *pairs, int n, float *scalars); // [n][8]; returns the end
static inline float py_squash(uint32_t x, float half)
{
    return (float)x / ((float)x + half);
} // 0 to 1, ½ at `half`

// Placements are the same in both games. The pair enters left of the middle, so a mirror image is another game: the identity
// is the only symmetry.
void py_table_heads(const void *obs, const move_t *m, int n, uint16_t *index);
void py_table_sym_planes(int sym, const encoding *e, const uint64_t *in, uint64_t *out);
move_t py_table_sym_move(int sym, move_t m);
int py_table_move_print(const void *obs, move_t m, char *buf, size_t n);

// What both games' tables say of placements; inside the initialiser.
#define PY_TABLE_PLACEMENTS                                                                                            \
    .notation = PY_NOTATION, .n_moves = PY_MOVES, .max_legal = PY_MAX_LEGAL, .rows = PY_GHOST, .cols = PY_COLS,        \
    .n_heads = 1, .head_dim = {PY_MOVES}, .n_syms = 1, .heads = py_table_heads, .sym_planes = py_table_sym_planes,     \
    .sym_move = py_table_sym_move, .move_print = py_table_move_print

#endif
