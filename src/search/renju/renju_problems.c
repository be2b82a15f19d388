// Files of renju problems, read and checked. See renju_problems.h.
#include "search/renju/renju_problems.h"

#include "base/memory.h"
#include "games/game.h"
#include "games/renju/renju_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 15, POINTS = SIZE * SIZE };

static bool taken(const rj_problem *p, int q)
{
    return (p->stones[0][q / 64] | p->stones[1][q / 64]) >> q % 64 & 1;
}

// Points with blanks or commas between them, or "-" for none, up to the bar.
static err read_points(rj_cursor *c, uint16_t *out, int most, int *n)
{
    *n = 0;
    rj_row_skip(c);
    if (*c->at == '-') {
        c->at++;
        return rj_row_bar(c);
    }
    for (; !rj_row_ends(c) && *c->at != '|'; rj_row_skip(c)) {
        int p = 0, used = rj_point_read(SIZE, c->at, &p);
        if (used == 0) return rj_row_fail(c, "expected a point A1 to O15");
        if (*n == most) return rj_row_fail(c, "too many points");
        out[(*n)++] = (uint16_t)p;
        c->at += used;
        rj_row_skip(c);
        if (*c->at == ',') c->at++;
    }
    return rj_row_bar(c);
}

static err read_stones(rj_cursor *c, rj_problem *p, int colour)
{
    uint16_t point[POINTS];
    int n = 0;
    rj_cursor start = *c;
    err e = read_points(c, point, POINTS, &n);
    for (int i = 0; e == ERR_OK && i < n; i++) {
        if (taken(p, point[i])) return rj_row_fail(&start, "two stones on one point");
        p->stones[colour][point[i] / 64] |= 1ull << point[i] % 64;
    }
    return e;
}

static err read_side(rj_cursor *c, rj_problem *p)
{
    char side[4];
    rj_cursor start = *c;
    err e = rj_row_field(c, side, sizeof side);
    if (e != ERR_OK) return e;
    if (strcmp(side, "B") != 0 && strcmp(side, "W") != 0) return rj_row_fail(&start, "expected the side, B or W");
    p->side = side[0] == 'B' ? RJ_BLACK : RJ_WHITE;
    return ERR_OK;
}

static err read_kind(rj_cursor *c, rj_problem *p)
{
    char kind[200];
    rj_cursor start = *c;
    err e = rj_row_field(c, kind, sizeof kind);
    if (e != ERR_OK) return e;
    p->threes = strstr(kind, "VCT") != NULL;
    if (strncmp(kind, "VC", 2) != 0 || kind[3] == 0) return ERR_OK; // no length is given
    char *end = NULL;
    long length = strtol(kind + 3, &end, 10);
    if (end == kind + 3 || *end != 0 || length < 1 || length > RJ_VCF_MAX)
        return rj_row_fail(&start, "expected a length behind VCF or VCT");
    p->length = (int)length;
    return ERR_OK;
}

static err read_row(rj_cursor *c, rj_problem *p)
{
    char source[8];
    *p = (rj_problem){.number = c->number};
    err e = rj_row_field(c, p->id, sizeof p->id);
    if (e == ERR_OK) e = rj_row_field(c, source, sizeof source);
    if (e == ERR_OK) e = read_side(c, p);
    if (e == ERR_OK) e = read_stones(c, p, RJ_BLACK);
    if (e == ERR_OK) e = read_stones(c, p, RJ_WHITE);
    if (e == ERR_OK) e = read_kind(c, p);
    if (e == ERR_OK) e = read_points(c, p->line, (int)(sizeof p->line / sizeof *p->line), &p->n_line);
    while (e == ERR_OK && !rj_row_ends(c)) c->at++; // the note
    return e;
}

err rj_problems_read(const char *text, rj_problem **out, int *n)
{
    rj_cursor c = {
        .line = text, .at = text, .fields = "id | source | side | black | white | kind | line | note", .number = 1};
    rj_problem *all = NULL;
    int count = 0, room = 0;
    err e = ERR_OK;
    while (*c.at && e == ERR_OK) {
        c.line = c.at;
        rj_row_skip(&c);
        if (*c.at == '#') {
            while (!rj_row_ends(&c)) c.at++;
        } else if (!rj_row_ends(&c)) {
            if (!GROW(all, count, room)) {
                e = err_set(ERR_MEMORY, "no memory for %d problems", count);
                break;
            }
            e = read_row(&c, &all[count]);
            count++;
        }
        if (*c.at == '\n') {
            c.at++;
            c.number++;
        }
    }
    if (e != ERR_OK) {
        free(all);
        return e;
    }
    *out = all;
    *n = count;
    return ERR_OK;
}

void rj_problem_board(const rj_problem *p, rj_board *b)
{
    rj_board_init(b, RJ_RENJU, SIZE);
    rj_board_set(b, p->stones[0], p->stones[1], p->side);
}

// --- the referee

typedef struct referee {
    const game *g;
    rj_any_state *now;
    int attacker;
} referee;

// The state of a problem, through its text: the referee's own way in.
static err referee_open(referee *r, rj_any_state *now, const rj_problem *p)
{
    char text[POINTS + SIZE + 8];
    int n = 0;
    for (int q = 0; q < POINTS; q++) {
        if (q > 0 && q % SIZE == 0) text[n++] = '/';
        bool black = p->stones[0][q / 64] >> q % 64 & 1;
        text[n++] = black ? 'X' : taken(p, q) ? 'O' : '.';
    }
    snprintf(text + n, sizeof text - (size_t)n, " %c -", p->side == RJ_BLACK ? 'b' : 'w');
    r->attacker = p->side;
    r->now = now;
    memset(now, 0, sizeof *now);
    err e = game_find("renju", &r->g);
    return e != ERR_OK ? e : r->g->state_parse(text, now);
}

// 1 if the mover wins at once with m, -1 if the move loses at once, 0 otherwise.
static int result_after(const referee *r, move_t m)
{
    rj_any_state s = *r->now;
    int mover = r->g->seat(&s);
    r->g->play(&s, m, NULL);
    outcome o = r->g->result(&s);
    if (!o.over) return 0;
    return o.score[mover] > 0.75f ? 1 : o.score[mover] < 0.25f ? -1 : 0;
}

// The points where `seat` would win at once if it were its move.
static int winning_points(const referee *r, int seat, move_t *out)
{
    rj_any_state turned = *r->now;
    turned.s.side = (uint8_t)seat;
    referee there = {.g = r->g, .now = &turned};
    move_t legal[POINTS];
    int n = there.g->legal(&turned, legal), found = 0;
    for (int i = 0; i < n; i++)
        if (result_after(&there, legal[i]) > 0) out[found++] = legal[i];
    return found;
}

static bool is_empty(const referee *r, int p)
{
    return p < POINTS && ((r->now->s.stones[p / 64] | r->now->s.stones[4 + p / 64]) >> p % 64 & 1) == 0;
}

static bool wrong(char *why, size_t size, int i, const uint16_t *move, const char *what)
{
    char point[8] = "?";
    if (move[i] < POINTS) rj_point_print(SIZE, move[i], point, sizeof point);
    snprintf(why, size, "move %d, %s: %s", i + 1, point, what);
    return false;
}

bool rj_line_legal(const rj_problem *p, const uint16_t *move, int n, char *why, size_t size)
{
    referee r;
    rj_any_state now;
    if (referee_open(&r, &now, p) != ERR_OK) {
        snprintf(why, size, "%s", err_text());
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!is_empty(&r, move[i])) return wrong(why, size, i, move, "is taken");
        int result = result_after(&r, move[i]);
        if (result < 0) return wrong(why, size, i, move, "is a foul");
        if (result > 0 && (i + 1 < n || i % 2 == 1)) return wrong(why, size, i, move, "ends the game too early");
        r.g->play(&now, move[i], NULL);
    }
    return true;
}

bool rj_line_wins(const rj_problem *p, const uint16_t *move, int n, char *why, size_t size)
{
    referee r;
    rj_any_state now;
    move_t own[POINTS], other[POINTS];
    if (!rj_line_legal(p, move, n, why, size)) return false;
    if (n == 0 || n % 2 == 0) return snprintf(why, size, "the line does not end with a move of the attacker"), false;
    if (referee_open(&r, &now, p) != ERR_OK) return snprintf(why, size, "%s", err_text()), false;
    for (int i = 0;; i++) {
        bool five = result_after(&r, move[i]) > 0;
        r.g->play(&now, move[i], NULL);
        if (five) return true; // only the last move can be one
        if (winning_points(&r, r.attacker ^ 1, other) > 0) return wrong(why, size, i, move, "lets the other side win");
        int fives = winning_points(&r, r.attacker, own);
        if (fives == 0) return wrong(why, size, i, move, "is no four");
        bool over = fives > 1 || result_after(&r, own[0]) < 0;
        if (i + 1 == n) return over ? true : wrong(why, size, i, move, "can still be answered");
        if (over) return wrong(why, size, i, move, "wins already, but the line goes on");
        i++;
        if (move[i] != own[0]) return wrong(why, size, i, move, "does not stop the five");
        r.g->play(&now, move[i], NULL);
    }
}

int rj_line_print(int size, const uint16_t *move, int n, char *buf, size_t room)
{
    size_t used = 0;
    if (room > 0) buf[0] = 0;
    for (int i = 0; i < n; i++) {
        char point[8];
        rj_point_print(size, move[i], point, sizeof point);
        size_t left = used < room ? room - used : 0;
        used += (size_t)snprintf(left > 0 ? buf + used : NULL, left, "%s%s", i > 0 ? " " : "", point);
    }
    return (int)used;
}
