// Fields as people write them, and what makes a field a field.
#include "games/puyo/puyo.h"

#include <string.h>

static const char letters[PY_CODES + 1] = ".ORYGBP";

char py_letter(int code)
{
    return letters[code];
}

int py_code(char letter)
{
    static const uint8_t one_more[256] = {['.'] = 1, ['O'] = 2, ['R'] = 3, ['Y'] = 4, ['G'] = 5, ['B'] = 6, ['P'] = 7,
                                          ['o'] = 2, ['r'] = 3, ['y'] = 4, ['g'] = 5, ['b'] = 6, ['p'] = 7};
    return one_more[(unsigned char)letter] - 1;
}

void py_settle(py_field *f)
{
    py_field out = {{{0}}};
    for (int c = 0; c < PY_COLS; c++) {
        int top = 0;
        for (int r = 1; r <= PY_GHOST; r++) {
            int code = py_get(f, c, r);
            if (code != PY_EMPTY) py_set(&out, c, ++top, code);
        }
    }
    *f = out;
}

bool py_field_ok(const py_field *f, int colours)
{
    const uint64_t cells = 0x1fff1fff1fff1fffu;
    uint64_t unused = 0, floating = 0;
    for (int w = 0; w < 2; w++) {
        uint64_t p0 = f->plane[0][w], p1 = f->plane[1][w], p2 = f->plane[2][w], all = p0 | p1 | p2;
        unused |= all & ~(w == 0 ? cells : cells & 0xffffffffu);
        floating |= all & ~(all << 1 | 0x0001000100010001u); // row 13's bit never reaches the next column
        unused |= p0 & p1 & p2;                              // code 7
        if (colours < 5) unused |= ~p0 & p1 & p2;            // code 6
        if (colours < 4) unused |= p0 & ~p1 & p2;            // code 5
    }
    return (unused | floating) == 0;
}

int py_field_print(const py_field *f, char *buf, size_t n)
{
    char text[PY_FIELD_TEXT], *p = text;
    int top = 1;
    for (int c = 0; c < PY_COLS; c++) {
        int h = py_height(f, c);
        if (h > top) top = h;
    }
    for (int r = top; r >= 1; r--) {
        for (int c = 0; c < PY_COLS; c++) *p++ = letters[py_get(f, c, r)];
        if (r > 1) *p++ = '/';
    }
    int len = (int)(p - text);
    if (n > 0) {
        size_t fits = (size_t)len < n ? (size_t)len : n - 1;
        memcpy(buf, text, fits);
        buf[fits] = 0;
    }
    return len;
}

err py_field_parse(const char *text, py_field *f)
{
    size_t len = strlen(text), rows = (len + 1) / (PY_COLS + 1);
    for (size_t i = 0; i < len; i++) {
        bool divider = i % (PY_COLS + 1) == PY_COLS;
        if (i >= PY_FIELD_TEXT - 1) return err_parse(text, i, "expected at most 13 rows of six cells");
        if (divider && text[i] != '/') return err_parse(text, i, "expected / after six cells");
        if (!divider && py_code(text[i]) < 0) return err_parse(text, i, "expected one of R Y G B P O . for a cell");
    }
    if (len == 0 || len % (PY_COLS + 1) != PY_COLS) return err_parse(text, len, "expected six cells in each row");
    py_field out = {{{0}}};
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '/') continue;
        int row = (int)(rows - i / (PY_COLS + 1)), col = (int)(i % (PY_COLS + 1));
        int code = py_code(text[i]);
        if (code == PY_EMPTY) continue;
        if (row > 1 && py_code(text[i + PY_COLS + 1]) == PY_EMPTY)
            return err_parse(text, i, "nothing is below this puyo of column %d, row %d", col + 1, row);
        py_set(&out, col, row, code);
    }
    *f = out;
    return ERR_OK;
}
