// Boards that people paste: addresses of the chain simulators at puyop.com, read and written.
//
//   http://www.puyop.com/s/FIELD_MOVES
// FIELD has one character for two neighbouring cells, 8 * left + right of 0 empty, 1 R, 2 G, 3 B, 4 Y, 5 P, 6 nuisance, in
// the digits 0-9 a-z A-Z [ ]; three characters a row, the bottom row last, what is empty at the beginning left out. With
// '=' before it there is one character a cell. MOVES has two characters a pair, low six bits first:
//   5 * main + sub (R 0, G 1, B 2, Y 3, P 4) + 128 * rotation + 512 * column, column 0 for a pair not placed yet;
// or, for nuisance, a set of columns and 56 + the number of full rows. The field of ips.karou.jp and ishikawapuyo.net
// ("…/simu/ps.html?FIELD") is the same but for its last two digits, and is read too. Bare FIELD or FIELD_MOVES works.
#ifndef KEIKO_GAMES_PUYO_PUYO_URL_H
#define KEIKO_GAMES_PUYO_PUYO_URL_H

#include "games/puyo/puyo.h"

enum { PY_URL_STEPS = 128, PY_URL_TEXT = 32 + 3 * PY_GHOST + 2 * PY_URL_STEPS + 2, PY_NOT_PLACED = 255 };

typedef struct py_url_step {
    uint8_t pair;          // 0: nuisance falls
    uint8_t move;          // PY_NOT_PLACED: only shown
    uint8_t rows, columns; // nuisance: full rows, and one more in these columns (bits)
} py_url_step;

typedef struct py_url {
    py_field field; // settled: puyos that float in the address have fallen
    py_url_step step[PY_URL_STEPS];
    int n;
} py_url;

err py_url_parse(const char *text, py_url *out);
int py_url_print(const py_url *u, char *buf, size_t n); // as snprintf; PY_URL_TEXT suffices

#endif
