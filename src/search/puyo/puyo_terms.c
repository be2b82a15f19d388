// See puyo_terms.h. The chains themselves run in puyo_potential_kernel.h.
#include "search/puyo/puyo_terms.h"

#include "games/puyo/puyo_match.h"

unsigned puyo_columns(const py_field *f, bool reach, int lose)
{
    // A pair of one colour has the upright rotation of every column that it can be brought to.
    uint32_t mask = py_legal_mask(f, py_pair(PY_RED, PY_RED), reach, lose);
    unsigned columns = 0;
    for (int c = 0; c < PY_COLS; c++) columns |= (unsigned)(mask >> 4 * c & 1) << c;
    return columns;
}

puyo_terms puyo_terms_of(const py_field *f, uint8_t pair, bool reach, int lose, int colours)
{
    puyo_terms t = {0};
    int h[PY_COLS], sum = 0, squares = 0, high = 0;
    py_heights(f, h);
    for (int c = 0; c < PY_COLS; c++) {
        sum += h[c];
        squares += h[c] * h[c];
        if (h[c] > high) high = h[c];
    }
    t.height = (float)sum / PY_COLS;
    float variance = (float)squares / PY_COLS - t.height * t.height;
    t.balance = 1.0f - variance / 30.0f - (high >= 10 ? (float)((high - 9) * (high - 9)) / 10.0f : 0.0f);
    if (t.balance < 0) t.balance = 0;
    t.danger = high <= 8 ? 0.0f : high >= 12 ? 1.0f : (float)(high - 8) / 4.0f;
    puyo_potential p = puyo_potential_of(f, puyo_columns(f, reach, lose), colours);
    t.chain = p.chain;
    t.triggers = p.triggers;
    t.threat = py_best_points(f, pair, reach, lose) / PY_RATE;
    return t;
}
