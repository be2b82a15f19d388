// See puyo_encode.h.
#include "games/puyo/puyo_encode.h"

#include <string.h>

// Columns of 16 bits to rows of 6, the top row first: bit (13 - row) * 6 + column.
static void to_rows(const uint64_t plane[2], uint64_t out[2])
{
    const uint64_t each = 0x0001000100010001u, gather = 0x0001000200040008u;
    out[0] = out[1] = 0;
    for (int y = 0; y < PY_GHOST; y++) {
        int at = PY_GHOST - 1 - y, bit = y * PY_COLS;
        uint64_t row = ((plane[0] >> at & each) * gather >> 48 & 15) | ((plane[1] >> at & each) * gather >> 48 & 3)
                                                                           << 4;
        out[bit >> 6] |= row << (bit & 63);
        if ((bit & 63) > 64 - PY_COLS) out[1] |= row >> (64 - (bit & 63)); // y = 10 lies across the two words
    }
}

uint64_t *py_encode_field(const py_field *f, uint64_t *bits)
{
    uint64_t p[3][2];
    for (int i = 0; i < 3; i++) to_rows(f->plane[i], p[i]);
    for (int w = 0; w < 2; w++) {
        uint64_t a = p[0][w], b = p[1][w], c = p[2][w], fifth = ~a & b & c;
        bits[0 + w] = (~a & b & ~c) | fifth; // R 2
        bits[2 + w] = (a & b & ~c) | fifth;  // Y 3
        bits[4 + w] = (~a & ~b & c) | fifth; // G 4
        bits[6 + w] = (a & ~b & c) | fifth;  // B 5
        bits[8 + w] = a & ~b & ~c;           // O 1
    }
    return bits + PY_FIELD_PLANES * PY_PLANE_WORDS;
}

float *py_encode_pairs(const uint8_t *pairs, int n, float *scalars)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            int code = k == 0 ? py_main(pairs[i]) : py_sub(pairs[i]);
            for (int c = PY_RED; c <= PY_BLUE; c++) *scalars++ = code == c || code == PY_PURPLE ? 1.0f : 0.0f;
        }
    return scalars;
}

// --- placements in the games' tables

void py_table_heads(const void *obs, const move_t *m, int n, uint16_t *index)
{
    (void)obs;
    for (int i = 0; i < n; i++) index[i] = m[i];
}

void py_table_sym_planes(int sym, const encoding *e, const uint64_t *in, uint64_t *out)
{
    (void)sym;
    memcpy(out, in, (size_t)e->planes * PY_PLANE_WORDS * sizeof *in);
}

move_t py_table_sym_move(int sym, move_t m)
{
    (void)sym;
    return m;
}

int py_table_move_print(const void *obs, move_t m, char *buf, size_t n)
{
    (void)obs;
    return py_move_print(m, buf, n);
}
