// Addresses of puyop.com. See url.h.
#include "games/puyo/puyo_url.h"

#include <string.h>

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ[]";
static const char home[] = "http://www.puyop.com/s/";

// Their numbers for ours: cells count from 1, colours of pairs from 0 in the same order.
static const uint8_t to_theirs[PY_CODES] = {0, 6, 1, 4, 2, 3, 5};
static const uint8_t to_ours[8] = {PY_EMPTY, PY_RED, PY_GREEN, PY_BLUE, PY_YELLOW, PY_PURPLE, PY_NUISANCE, 0};

enum { NUISANCE_FROM = 56 };

static int digit(char c)
{
    if (c == 0) return -1;
    if (c == '.') return 62; // the other sites' last two
    if (c == '-') return 63;
    const char *at = strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits);
}

// --- reading

// Where the field begins: behind the address of a site, at once when there is none.
static const char *past_address(const char *text)
{
    const char *slash = strstr(text, "/s/"), *query = strchr(text, '?');
    if (strstr(text, "://") == NULL && strstr(text, "puyop.com") == NULL) return text;
    if (slash != NULL && (query == NULL || slash < query)) return slash + 3;
    return query != NULL ? query + 1 : NULL;
}

static err put_cell(const char *text, size_t at, int number, int theirs, py_field *f)
{
    if (theirs > 6) return err_parse(text, at, "hard puyos, iron and walls are not played here");
    py_set(f, number % PY_COLS, PY_GHOST - number / PY_COLS, to_ours[theirs]);
    return ERR_OK;
}

static err read_field(const char *text, size_t from, size_t end, py_field *f)
{
    int each = 2; // cells a character
    if (from < end && text[from] == '=') {
        each = 1;
        from++;
    }
    size_t most = (size_t)(PY_CELLS / each);
    if (end - from > most)
        return err_parse(text, from + most, "a field has at most %zu characters, this one has %zu", most, end - from);
    int number = PY_CELLS - (int)(end - from) * each;
    for (size_t i = from; i < end; i++, number += each) {
        int d = digit(text[i]);
        if (d < 0)
            return err_parse(text, i, "expected one of 0-9 a-z A-Z [ ] for %s", each == 1 ? "a cell" : "two cells");
        err e = each == 1 ? put_cell(text, i, number, d, f) : put_cell(text, i, number, d >> 3, f);
        if (e == ERR_OK && each == 2) e = put_cell(text, i, number + 1, d & 7, f);
        if (e != ERR_OK) return e;
    }
    py_settle(f);
    return ERR_OK;
}

static err read_step(const char *text, size_t at, py_url_step *s)
{
    int low = digit(text[at]), high = low < 0 ? -1 : digit(text[at + 1]);
    if (low < 0 || high < 0) return err_parse(text, at, "expected two of 0-9 a-z A-Z [ ] for a pair");
    if (high >= NUISANCE_FROM) {
        *s = (py_url_step){.rows = (uint8_t)(high - NUISANCE_FROM), .columns = (uint8_t)low};
        return s->rows <= 5 ? ERR_OK : err_parse(text, at, "at most five rows of nuisance fall at once");
    }
    int code = low | high << 6, colours = code & 127, rotation = code >> 7 & 3, col = code >> 9;
    if (colours >= 25) return err_parse(text, at, "this is no pair of two colours");
    if (col > PY_COLS) return err_parse(text, at, "there is no column %d", col);
    if (col > 0 && ((rotation == 1 && col == PY_COLS) || (rotation == 3 && col == 1)))
        return err_parse(text, at, "the second puyo would be outside the field");
    s->pair = py_pair(to_ours[colours / 5 + 1], to_ours[colours % 5 + 1]);
    s->move = (uint8_t)(col == 0 ? PY_NOT_PLACED : (col - 1) * 4 + rotation);
    return ERR_OK;
}

err py_url_parse(const char *text, py_url *out)
{
    py_url u;
    memset(&u, 0, sizeof u);
    const char *start = past_address(text);
    if (start == NULL) return err_set(ERR_PARSE, "this address has no field: expected %sFIELD", home);
    size_t from = (size_t)(start - text), end = from + strcspn(start, "_&#"), at = end + 1;
    err e = read_field(text, from, end, &u.field);
    if (e != ERR_OK) return e;
    if (text[end] == '_') {
        if (strstr(text, ".html?") != NULL)
            return err_parse(text, end, "moves are read from puyop.com only; leave out what follows the field");
        size_t stop = at + strcspn(text + at, "&#");
        if ((stop - at) % 2 != 0) return err_parse(text, stop, "a pair takes two characters");
        for (; at < stop; at += 2) {
            if (u.n == PY_URL_STEPS) return err_parse(text, at, "at most %d pairs", PY_URL_STEPS);
            e = read_step(text, at, &u.step[u.n++]);
            if (e != ERR_OK) return e;
        }
    }
    *out = u;
    return ERR_OK;
}

// --- writing

static int step_code(const py_url_step *s)
{
    if (s->pair == 0) return s->columns | (NUISANCE_FROM + s->rows) << 6;
    int colours = 5 * (to_theirs[py_main(s->pair)] - 1) + to_theirs[py_sub(s->pair)] - 1;
    if (s->move == PY_NOT_PLACED) return colours;
    return colours | (s->move % 4) << 7 | (s->move / 4 + 1) << 9;
}

int py_url_print(const py_url *u, char *buf, size_t n)
{
    char text[PY_URL_TEXT];
    size_t len = sizeof home - 1;
    memcpy(text, home, len);
    bool begun = false;
    for (int row = PY_GHOST; row >= 1; row--)
        for (int col = 0; col < PY_COLS; col += 2) {
            int d = to_theirs[py_get(&u->field, col, row)] << 3 | to_theirs[py_get(&u->field, col + 1, row)];
            begun |= d != 0;
            if (begun) text[len++] = digits[d];
        }
    if (u->n > 0) text[len++] = '_';
    for (int i = 0; i < u->n; i++) {
        int code = step_code(&u->step[i]);
        text[len++] = digits[code & 63];
        text[len++] = digits[code >> 6];
    }
    if (n > 0) {
        size_t fits = len < n ? len : n - 1;
        memcpy(buf, text, fits);
        buf[fits] = 0;
    }
    return (int)len;
}
