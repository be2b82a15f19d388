// Positions and moves as text, and a board for the terminal.
//
// A position is its rows from the top, '/' between them, X black, O white and numbers for runs of empty points; then
// the side to move (b, w), the point played last ("-" for a position that was set up), and the cap where there is one:
//     15/15/15/15/15/15/8O6/7X7/15/15/15/15/15/15/15 b i9 cap=70
// That is the whole state: whether the game is over, and why, follows from the stones and the last move. Parsing also
// takes a list of moves from the empty board, "h8 i9 g7", and '.' or '-' for an empty point.
#include "games/renju/renju_game.h"
#include "games/renju/renju_tables.h"

#include <string.h>

// --- moves

err rj_move_parse(const void *obs, const char *text, move_t *m)
{
    const rj_state *s = obs;
    int size = rj_variant_of(s)->size, p = 0, used = rj_point_read(size, text, &p);
    if (used == 0) return err_parse(text, 0, "expected a point a1 to %c%d", 'a' + size - 1, size);
    if (text[used] != 0) return err_parse(text, (size_t)used, "expected the end of the move");
    if (s->reason != REASON_NONE) return err_set(ERR_USAGE, "the game is over");
    if (rj_taken(s, p)) return err_set(ERR_USAGE, "%s is taken", text);
    *m = (move_t)p;
    return ERR_OK;
}

int rj_move_print(const void *obs, move_t m, char *buf, size_t n)
{
    const rj_state *s = obs;
    return rj_point_print(rj_variant_of(s)->size, m, buf, n);
}

// --- positions out

static char *print_number(char *at, int v)
{
    if (v >= 100) *at++ = (char)('0' + v / 100);
    if (v >= 10) *at++ = (char)('0' + v / 10 % 10);
    *at++ = (char)('0' + v % 10);
    return at;
}

static char *print_rows(const rj_state *s, char *at)
{
    const rj_variant *v = rj_variant_of(s);
    const uint64_t *black = rj_stones(s, 0), *white = rj_stones(s, 1);
    for (int y = 0, p = 0; y < v->size; y++) {
        int run = 0;
        if (y > 0) *at++ = '/';
        for (int x = 0; x < v->size; x++, p++) {
            bool is_black = black[p / 64] >> p % 64 & 1, is_white = white[p / 64] >> p % 64 & 1;
            if (!is_black && !is_white) {
                run++;
                continue;
            }
            if (run > 0) at = print_number(at, run);
            run = 0;
            *at++ = is_black ? 'X' : 'O';
        }
        if (run > 0) at = print_number(at, run);
    }
    return at;
}

// As snprintf would leave a finished text in a buffer.
static int deliver(const char *text, size_t len, char *buf, size_t n)
{
    if (n > 0) {
        size_t fits = len < n ? len : n - 1;
        memcpy(buf, text, fits);
        buf[fits] = 0;
    }
    return (int)len;
}

int rj_state_print(const void *state, char *buf, size_t n)
{
    const rj_state *s = state;
    char text[RJ_MAX_POINTS + 2 * RJ_MAX_SIZE + 32], *at = print_rows(s, text);
    *at++ = ' ';
    *at++ = s->side ? 'w' : 'b';
    *at++ = ' ';
    if (s->last == RJ_NO_POINT)
        *at++ = '-';
    else
        at += rj_point_print(rj_variant_of(s)->size, s->last, at, 8);
    if (s->cap != 0) {
        memcpy(at, " cap=", 5);
        at = print_number(at + 5, s->cap);
    }
    return deliver(text, (size_t)(at - text), buf, n);
}

// --- positions in

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_blanks(const char *text, size_t at)
{
    while (is_blank(text[at])) at++;
    return at;
}

static err parse_rows(const char *text, size_t *pos, rj_state *s)
{
    int size = rj_variant_of(s)->size;
    size_t at = *pos;
    for (int y = 0; y < size; y++) {
        if (y > 0 && text[at] != '/') return err_parse(text, at, "expected / and row %d of %d", y + 1, size);
        if (y > 0) at++;
        for (int x = 0; x < size;) {
            char c = text[at];
            int run = 1;
            if (c == 'X' || c == 'x' || c == 'O' || c == 'o') {
                rj_state_put(s, y * size + x, c == 'O' || c == 'o');
            } else if (c >= '1' && c <= '9') {
                run = c - '0';
                if (text[at + 1] >= '0' && text[at + 1] <= '9') run = run * 10 + text[++at] - '0';
                if (x + run > size) return err_parse(text, at, "row %d is longer than %d points", y + 1, size);
            } else if (c != '.' && c != '-') {
                return err_parse(text, at, "expected X, O or a number in row %d, which has %d of %d points", y + 1, x,
                                 size);
            }
            x += run;
            at++;
        }
    }
    *pos = at;
    return ERR_OK;
}

static err parse_side(const char *text, size_t *pos, rj_state *s)
{
    const rj_variant *v = rj_variant_of(s);
    int more = 0;
    for (int w = 0; w < v->words; w++)
        more += __builtin_popcountll(rj_stones(s, 0)[w]) - __builtin_popcountll(rj_stones(s, 1)[w]);
    char c = text[*pos];
    if (c == 'b' || c == 'w') {
        s->side = c == 'w';
        (*pos)++;
    } else if (c == 0 && (more == 0 || more == 1)) {
        s->side = (uint8_t)more; // as in a game
    } else {
        return err_parse(text, *pos, "expected the side to move, b or w");
    }
    return ERR_OK;
}

static err parse_last(const char *text, size_t *pos, rj_state *s)
{
    const rj_variant *v = rj_variant_of(s);
    size_t at = *pos;
    int p = 0, used = rj_point_read(v->size, text + at, &p);
    if (text[at] == '-') {
        *pos = at + 1;
        return ERR_OK;
    }
    if (text[at] == 0 || strncmp(text + at, "cap=", 4) == 0) return ERR_OK;
    if (used == 0) return err_parse(text, at, "expected the point played last, or -");
    if ((rj_stones(s, !s->side)[p / 64] >> p % 64 & 1) == 0)
        return err_parse(text, at, "no %s stone was played last there", s->side ? "black" : "white");
    s->last = (uint16_t)p;
    *pos = at + (size_t)used;
    return ERR_OK;
}

static err parse_cap(const char *text, size_t *pos, rj_state *s)
{
    size_t at = *pos;
    if (strncmp(text + at, "cap=", 4) != 0) return ERR_OK;
    int cap = 0, most = rj_variant_of(s)->points;
    for (at += 4; text[at] >= '0' && text[at] <= '9' && cap <= most; at++) cap = cap * 10 + text[at] - '0';
    if (at == *pos + 4 || cap > most)
        return err_parse(text, *pos, "expected cap= and a number of stones, 0 to %d", most);
    s->cap = (uint16_t)cap;
    *pos = at;
    return ERR_OK;
}

// Nobody plays on after a five, so a five that the last move did not make belongs to no game.
static err check_fives(const rj_state *s)
{
    static const char *const names[2] = {"black", "white"};
    for (int c = 0; c < 2; c++)
        if (!(s->reason == REASON_LINE && s->winner == c) && rj_state_has_five(s, c))
            return err_set(ERR_PARSE, "%s already has five in a row, but did not make it with the last move", names[c]);
    return ERR_OK;
}

static err parse_position(const char *text, rj_state *s)
{
    size_t at = skip_blanks(text, 0);
    err e = parse_rows(text, &at, s);
    err (*const fields[])(const char *, size_t *, rj_state *) = {parse_side, parse_last, parse_cap};
    for (int i = 0; e == ERR_OK && i < 3; i++) {
        if (text[at] != 0 && !is_blank(text[at])) return err_parse(text, at, "expected a blank");
        at = skip_blanks(text, at);
        e = fields[i](text, &at, s);
    }
    if (e != ERR_OK) return e;
    at = skip_blanks(text, at);
    if (text[at] != 0) return err_parse(text, at, "expected the end of the position");
    rj_state_judge(s);
    return check_fives(s);
}

static err parse_moves(const char *text, rj_state *s)
{
    const rj_variant *v = rj_variant_of(s);
    for (size_t at = skip_blanks(text, 0); text[at];) {
        int p = 0, used = rj_point_read(v->size, text + at, &p);
        if (used == 0)
            return err_parse(text, at, "expected rows with / between them, or moves a1 to %c%d", 'a' + v->size - 1,
                             v->size);
        if (s->reason != REASON_NONE) return err_parse(text, at, "the game is over before this move");
        if (rj_taken(s, p)) return err_parse(text, at, "this point is taken");
        rj_state_play(s, p);
        at = skip_blanks(text, at + (size_t)used);
    }
    return ERR_OK;
}

err rj_state_parse(int variant, const char *text, rj_state *out)
{
    rj_any_state r;
    rj_state_init(&r.s, variant);
    if (text[skip_blanks(text, 0)] == 0) return err_set(ERR_PARSE, "expected a position, but there is no text");
    err e = strchr(text, '/') != NULL ? parse_position(text, &r.s) : parse_moves(text, &r.s);
    if (e != ERR_OK) return e;
    memcpy(out, &r.s, sizeof(rj_state) + 2 * (size_t)rj_variants[variant].words * 8);
    return ERR_OK;
}

// --- a board for the terminal

static char *append(char *at, const char *text)
{
    while (*text) *at++ = *text++;
    return at;
}

int rj_draw(const void *obs, move_t last, bool colour, char *buf, size_t n)
{
    (void)last; // the state knows it
    enum { EMPTY, BLACK, WHITE, FOUL };
    static const char *const mark[] = {[EMPTY] = ".", [BLACK] = "X", [WHITE] = "O", [FOUL] = "×"};
    static const char *const tint[] = {
        [EMPTY] = "\x1b[90m", [BLACK] = "\x1b[31m", [WHITE] = "\x1b[34m", [FOUL] = "\x1b[33m"};
    const rj_state *s = obs;
    const rj_variant *v = rj_variant_of(s);
    uint64_t fouls[RJ_MAX_WORDS] = {0};
    // A point takes a blank, a tint of five bytes and a mark of two at most; a line 12 bytes more.
    char text[8 * RJ_MAX_POINTS + 16 * (RJ_MAX_SIZE + 1) + 2 * RJ_MAX_SIZE], *at = text;
    if (v->rule == RJ_RENJU && s->side == RJ_BLACK && s->reason == REASON_NONE)
        rj_foul_map(rj_stones(s, 0), rj_stones(s, 1), fouls);
    for (int y = 0; y < v->size; y++) {
        int before = -1; // the tint in force; codes are written only where it changes, to stay within GAME_TEXT
        if (v->size - y < 10) *at++ = ' ';
        at = print_number(at, v->size - y);
        for (int x = 0; x < v->size; x++) {
            int p = y * v->size + x, what = EMPTY;
            if (rj_taken(s, p)) what = rj_stones(s, 1)[p / 64] >> p % 64 & 1 ? WHITE : BLACK;
            if (fouls[p / 64] >> p % 64 & 1) what = FOUL;
            // The last move stands between parentheses, in the place of the blanks around it.
            *at++ = s->last == p ? '(' : x > 0 && s->last == p - 1 ? ')' : ' ';
            if (colour && what != before) at = append(at, tint[what]);
            before = what;
            at = append(at, mark[what]);
        }
        if (s->last == y * v->size + v->size - 1) *at++ = ')';
        at = append(at, colour ? "\x1b[0m\n" : "\n");
    }
    at = append(at, "  ");
    for (int x = 0; x < v->size; x++) {
        *at++ = ' ';
        *at++ = (char)('a' + x);
    }
    *at++ = '\n';
    return deliver(text, (size_t)(at - text), buf, n);
}

// --- for a page

// Black's forbidden points with their kind, while black is to move.
static void view_fouls(const rj_state *s, json_writer *w)
{
    static const char *const kinds[] = {"", "3x3", "4x4", "overline"};
    const rj_variant *v = rj_variant_of(s);
    uint8_t kind[RJ_MAX_POINTS] = {0};
    if (v->rule != RJ_RENJU || s->side != RJ_BLACK || s->reason != REASON_NONE) return;
    rj_foul_kinds(rj_stones(s, 0), rj_stones(s, 1), kind);
    json_pair_array(w, "forbidden");
    for (int p = 0; p < v->points; p++) {
        char at[8];
        if (kind[p] == RJ_FINE) continue;
        rj_point_print(v->size, p, at, sizeof at);
        json_open_object(w);
        json_pair_text(w, "at", at);
        json_pair_text(w, "kind", kinds[kind[p]]);
        json_close(w);
    }
    json_close(w);
}

void rj_view(const void *obs, json_writer *w)
{
    const rj_state *s = obs;
    const rj_variant *v = rj_variant_of(s);
    char cells[RJ_MAX_POINTS + 1] = "";
    for (int p = 0; p < v->points; p++)
        cells[p] = rj_stones(s, 0)[p / 64] >> p % 64 & 1 ? 'X' : rj_stones(s, 1)[p / 64] >> p % 64 & 1 ? 'O' : '.';
    json_pair_int(w, "size", v->size);
    json_pair_text(w, "cells", cells); // as points are numbered: from the top left, row by row
    view_fouls(s, w);
}
