// Checks this build's fouls against a file of positions whose fouls are known. See rj_verify_forbidden() for the
// format.
#include "games/renju/renju.h"
#include "games/renju/renju_rows.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 15, POINTS = SIZE * SIZE };

typedef struct row {
    char id[32];
    uint64_t stones[2][4];
    uint8_t kind[POINTS]; // rj_foul
} row;

static const char *const kind_names[] = {
    [RJ_FINE] = "none", [RJ_DOUBLE_THREE] = "33", [RJ_DOUBLE_FOUR] = "44", [RJ_OVERLINE] = "6"};

static err read_point(rj_cursor *c, int *p)
{
    int used = rj_point_read(SIZE, c->at, p);
    if (used == 0) return rj_row_fail(c, "expected a point A1 to O15");
    c->at += used;
    return ERR_OK;
}

static bool separated(const rj_cursor *c)
{
    return rj_row_ends(c) || *c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '|';
}

// A list of stones, or "-" for none; the cursor goes behind the bar.
static err read_stones(rj_cursor *c, row *r, int colour)
{
    rj_row_skip(c);
    if (*c->at == '-')
        c->at++;
    else if (rj_row_ends(c) || *c->at == '|')
        return rj_row_fail(c, "expected stones, or - for none");
    for (rj_row_skip(c); !rj_row_ends(c) && *c->at != '|'; rj_row_skip(c)) {
        rj_cursor start = *c;
        int p = 0;
        err e = read_point(c, &p);
        if (e != ERR_OK) return e;
        if (!separated(c)) return rj_row_fail(c, "expected a blank between points");
        if ((r->stones[0][p / 64] | r->stones[1][p / 64]) >> p % 64 & 1)
            return rj_row_fail(&start, "a second stone on this point");
        r->stones[colour][p / 64] |= 1ull << p % 64;
    }
    return rj_row_bar(c);
}

static err read_fouls(rj_cursor *c, row *r)
{
    rj_row_skip(c);
    if (*c->at == '-')
        c->at++;
    else if (rj_row_ends(c))
        return rj_row_fail(c, "expected points with their kind, or - for none");
    for (rj_row_skip(c); !rj_row_ends(c); rj_row_skip(c)) {
        rj_cursor start = *c;
        int p = 0, kind = RJ_OVERLINE;
        err e = read_point(c, &p);
        if (e != ERR_OK) return e;
        if ((r->stones[0][p / 64] | r->stones[1][p / 64]) >> p % 64 & 1)
            return rj_row_fail(&start, "a stone stands on this point");
        if (r->kind[p] != RJ_FINE) return rj_row_fail(&start, "this point is named twice");
        if (*c->at != ':') return rj_row_fail(c, "expected : and a kind");
        c->at++;
        size_t len = 0;
        for (; kind > RJ_FINE; kind--) {
            len = strlen(kind_names[kind]);
            if (strncmp(c->at, kind_names[kind], len) == 0) break;
        }
        if (kind == RJ_FINE) return rj_row_fail(c, "expected the kind 33, 44 or 6");
        c->at += len;
        if (!separated(c) || *c->at == '|') return rj_row_fail(c, "expected a blank between points");
        r->kind[p] = (uint8_t)kind;
    }
    return ERR_OK;
}

static err read_row(rj_cursor *c, row *r)
{
    char source[8];
    *r = (row){.id = ""};
    err e = rj_row_field(c, r->id, sizeof r->id);
    if (e == ERR_OK) e = rj_row_field(c, source, sizeof source);
    if (e == ERR_OK) e = read_stones(c, r, RJ_BLACK);
    if (e == ERR_OK) e = read_stones(c, r, RJ_WHITE);
    if (e == ERR_OK) e = read_fouls(c, r);
    return e;
}

// One line that names every difference; "" when there is none.
static void describe(const row *r, const uint8_t *found, int number, char *out, size_t n)
{
    size_t used = 0;
    out[0] = 0;
    for (int p = 0; p < POINTS; p++) {
        if (found[p] == r->kind[p]) continue;
        char point[8];
        rj_point_print(SIZE, p, point, sizeof point);
        if (used == 0) used = (size_t)snprintf(out, n, "line %d, row %s:", number, r->id);
        if (used < n)
            used += (size_t)snprintf(out + used, n - used, " %s is %s, expected %s;", point, kind_names[found[p]],
                                     kind_names[r->kind[p]]);
    }
}

err rj_verify_forbidden(const char *text, void (*report)(void *ctx, const char *line), void *ctx, int *exact,
                        int *total)
{
    rj_cursor c = {.line = text, .at = text, .fields = "id | source | black | white | points", .number = 1};
    int good = 0, all = 0;
    while (*c.at) {
        c.line = c.at;
        rj_row_skip(&c);
        if (*c.at == '#') {
            while (!rj_row_ends(&c)) c.at++;
        } else if (!rj_row_ends(&c)) {
            row r;
            err e = read_row(&c, &r);
            if (e != ERR_OK) return e;
            uint8_t found[POINTS];
            char line[2048];
            rj_foul_kinds(r.stones[0], r.stones[1], found);
            describe(&r, found, c.number, line, sizeof line);
            if (line[0] != 0 && report != NULL) report(ctx, line);
            good += line[0] == 0;
            all++;
        }
        if (*c.at == '\n') {
            c.at++;
            c.number++;
        }
    }
    *exact = good;
    *total = all;
    return ERR_OK;
}
