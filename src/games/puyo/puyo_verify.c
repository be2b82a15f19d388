// Checks the chain kernel against a file of boards whose outcome is known.
//
// The file: '#' lines and blank lines between boards; a board is a header "= name links score frames left …" (the rest of
// the line is not ours) and 13 rows of six cells, the ghost row first.
#include "games/puyo/puyo.h"

#include <string.h>

typedef struct reader {
    const char *text, *at; // `at` is the start of the current line
    int line;
} reader;

static size_t line_length(const char *p)
{
    size_t n = strcspn(p, "\n");
    return n > 0 && p[n - 1] == '\r' ? n - 1 : n;
}

static void next_line(reader *r)
{
    r->at += strcspn(r->at, "\n");
    if (*r->at == '\n') r->at++;
    r->line++;
}

static err fail(const reader *r, const char *p, const char *what)
{
    return err_parse(r->text, (size_t)(p - r->text), "%s", what);
}

static err read_number(const reader *r, const char **p, int *out)
{
    while (**p == ' ' || **p == '\t') (*p)++;
    int value = 0, digits = 0;
    for (; **p >= '0' && **p <= '9'; (*p)++, digits++) {
        if (digits == 9) return fail(r, *p, "a number of more than nine digits");
        value = value * 10 + (**p - '0');
    }
    if (digits == 0) return fail(r, *p, "expected a number: the header is = name links score frames left");
    *out = value;
    return ERR_OK;
}

static err read_header(reader *r, py_chain_row *row)
{
    const char *p = r->at + 1;
    while (*p == ' ' || *p == '\t') p++;
    size_t n = strcspn(p, " \t\r\n");
    if (n == 0) return fail(r, p, "expected the board's name");
    if (n >= sizeof row->name) return fail(r, p, "a name of more than 63 characters");
    memcpy(row->name, p, n);
    row->name[n] = 0;
    row->line = r->line;
    p += n;
    int *numbers[] = {&row->links, &row->score, &row->frames, &row->left};
    for (int i = 0; i < 4; i++) {
        err e = read_number(r, &p, numbers[i]);
        if (e != ERR_OK) return e;
    }
    if (strchr(" \t\r\n", *p) == NULL) return fail(r, p, "expected a space after the numbers"); // finds the final 0 too
    next_line(r);
    return ERR_OK;
}

static err read_board(reader *r, py_field *f)
{
    py_field out = {{{0}}};
    const char *first = r->at;
    for (int row = PY_GHOST; row >= 1; row--) {
        if (line_length(r->at) != PY_COLS) return fail(r, r->at, "expected 13 rows of six cells after the header");
        for (int c = 0; c < PY_COLS; c++) {
            int code = py_code(r->at[c]);
            if (code < 0) return fail(r, r->at + c, "expected one of R Y G B P O . for a cell");
            py_set(&out, c, row, code);
        }
        next_line(r);
    }
    if (!py_field_ok(&out, 5)) return fail(r, first, "the board has a puyo above a hole");
    *f = out;
    return ERR_OK;
}

err py_verify_chains(const char *text, void (*differ)(void *ctx, const py_chain_row *want, const py_chain_row *got),
                     void *ctx, int *exact, int *total)
{
    reader r = {text, text, 1};
    int right = 0, all = 0;
    while (*r.at != 0) {
        if (line_length(r.at) == 0 || r.at[0] == '#') {
            next_line(&r);
            continue;
        }
        if (r.at[0] != '=') return fail(&r, r.at, "expected a header that begins with =, a # comment or an empty line");
        py_chain_row want, got;
        py_field f;
        err e = read_header(&r, &want);
        if (e == ERR_OK) e = read_board(&r, &f);
        if (e != ERR_OK) return e;
        py_chain_result result = py_chain(&f);
        got = want;
        got.links = result.links, got.score = result.score, got.frames = result.frames, got.left = py_count(&f);
        bool same =
            got.links == want.links && got.score == want.score && got.frames == want.frames && got.left == want.left;
        if (!same && differ != NULL) differ(ctx, &want, &got);
        right += same;
        all++;
    }
    if (all == 0) return err_set(ERR_PARSE, "line 1: there is no board in this file");
    *exact = right;
    *total = all;
    return ERR_OK;
}
