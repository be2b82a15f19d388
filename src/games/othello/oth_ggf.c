// GGF in and out. See oth_ggf.h for the format.
//
// The reader walks over tags `NAME[value]` between "(;" and ";)". Moves are played as they come, so a record that was
// read is legal throughout; a pass that a file leaves out is put in where the colour of the next move shows it.
#include "games/othello/oth_ggf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_LIMIT = 1000000 }; // whole part of a number, exclusive: thousandths then fit 32 bits

static const char blanks[] = " \t\r\n";

// --- records

void oth_record_init(oth_record *r, const oth_state *start)
{
    memset(r, 0, sizeof *r);
    r->start = start != NULL ? *start : (oth_state){oth_start(), OTH_BLACK};
}

oth_state oth_record_at(const oth_record *r, int ply)
{
    assert(ply >= 0 && ply <= r->n);
    oth_state s = r->start;
    for (int i = 0; i < ply; i++) s = (oth_state){oth_play(s.b, r->moves[i].sq), !s.side};
    return s;
}

void oth_record_push(oth_record *r, oth_state *s, oth_record_move m)
{
    assert(r->n < OTH_RECORD_MOVES);
    r->moves[r->n++] = m;
    *s = (oth_state){oth_play(s->b, m.sq), !s->side};
}

// --- reading

typedef struct reader {
    const char *text;
    size_t at;
    oth_record r;
    oth_state now;
    bool moved; // the board can no longer change
} reader;

// A decimal number at *at as thousandths; finer digits are dropped.
static err read_number(const char *text, size_t *at, int32_t *out)
{
    size_t p = *at, digits = 0;
    bool minus = text[p] == '-';
    if (minus || text[p] == '+') p++;
    int32_t whole = 0, part = 0, unit = 100;
    for (; text[p] >= '0' && text[p] <= '9'; p++, digits++)
        if (whole < NUMBER_LIMIT) whole = whole * 10 + text[p] - '0';
    if (text[p] == '.')
        for (p++; text[p] >= '0' && text[p] <= '9'; p++, digits++, unit /= 10) part += (text[p] - '0') * unit;
    if (digits == 0) return err_parse(text, *at, "expected a number");
    if (whole >= NUMBER_LIMIT) return err_parse(text, *at, "a number must be below %d", NUMBER_LIMIT);
    int32_t v = whole * 1000 + part;
    *out = minus ? -v : v;
    *at = p;
    return ERR_OK;
}

// One of the fields "/evaluation/seconds", which may be empty.
static err read_field(reader *g, bool *has, int32_t *value)
{
    if (g->text[g->at] != '/') return ERR_OK;
    g->at++;
    g->at += strspn(g->text + g->at, blanks);
    if (g->text[g->at] == '/' || g->text[g->at] == ']') return ERR_OK;
    err e = read_number(g->text, &g->at, value);
    if (e != ERR_OK) return e;
    *has = true;
    g->at += strspn(g->text + g->at, blanks);
    return ERR_OK;
}

static err read_move(reader *g, uint64_t side)
{
    oth_record_move m = {0};
    size_t where = g->at;
    int sq = 0;
    err e = oth_square_parse(g->text, &g->at, &sq);
    if (e != ERR_OK) return e;
    g->at += strspn(g->text + g->at, blanks);
    e = read_field(g, &m.has_eval, &m.eval);
    if (e == ERR_OK) e = read_field(g, &m.has_time, &m.time);
    if (e != ERR_OK) return e;
    m.sq = (uint8_t)sq;

    g->moved = true;
    if (oth_over(g->now.b)) return err_parse(g->text, where, "a move after the end of the game");
    uint64_t moves = oth_moves(g->now.b);
    if (side != g->now.side && moves == 0) { // the file leaves the pass out
        oth_record_push(&g->r, &g->now, (oth_record_move){.sq = OTH_PASS});
        moves = oth_moves(g->now.b);
    }
    if (side != g->now.side)
        return err_parse(g->text, where, "%s is to move here", g->now.side == OTH_BLACK ? "black" : "white");
    bool ok = sq == OTH_PASS ? moves == 0 : (moves >> sq & 1) != 0;
    char name[5];
    if (!ok) return err_parse(g->text, where, "%s is not legal as move %d", oth_square_name(sq, name), g->r.n + 1);
    oth_record_push(&g->r, &g->now, m);
    return ERR_OK;
}

static err read_board(reader *g)
{
    int32_t size = 0;
    err e = read_number(g->text, &g->at, &size);
    if (e != ERR_OK) return err_prefix(e, "board size");
    if (size != 8000) return err_parse(g->text, g->at, "only boards of size 8 are known here");
    if (g->moved) return err_parse(g->text, g->at, "a board after the first move");
    e = oth_state_read(g->text, &g->at, blanks, &g->r.start);
    g->now = g->r.start;
    return e;
}

// "+4.000", "-12.00:r"; "?" or nothing means that it is not known.
static err read_result(reader *g)
{
    g->r.has_result = false;
    g->r.ended = 0;
    g->r.result = 0;
    if (g->text[g->at] == '?') {
        g->at++;
        return ERR_OK;
    }
    if (g->text[g->at] == ']') return ERR_OK;
    err e = read_number(g->text, &g->at, &g->r.result);
    if (e != ERR_OK) return e;
    g->r.has_result = true;
    if (g->text[g->at] == ':') {
        char c = g->text[g->at + 1];
        if (c < 'a' || c > 'z') return err_parse(g->text, g->at + 1, "expected a letter for how the game ended");
        g->r.ended = c;
        g->at += 2;
    }
    return ERR_OK;
}

static bool is_blank(char c)
{
    return (unsigned char)c <= 32 || c == 127;
}

// A text up to the bracket, trimmed; control characters become blanks, so that a record stays on one line.
static err read_text(reader *g, char *out)
{
    const char *from = g->text + g->at, *to = from + strcspn(from, "]");
    g->at = (size_t)(to - g->text);
    while (from < to && is_blank(*from)) from++;
    while (from < to && is_blank(to[-1])) to--;
    size_t n = (size_t)(to - from);
    if (n >= OTH_RECORD_TEXT)
        return err_parse(g->text, (size_t)(from - g->text), "a text of more than %d bytes", OTH_RECORD_TEXT - 1);
    for (size_t i = 0; i < n; i++) out[i] = is_blank(from[i]) ? ' ' : from[i];
    memset(out + n, 0, OTH_RECORD_TEXT - n);
    return ERR_OK;
}

static err read_value(reader *g, const char *tag)
{
    if (strcmp(tag, "B") == 0) return read_move(g, OTH_BLACK);
    if (strcmp(tag, "W") == 0) return read_move(g, OTH_WHITE);
    if (strcmp(tag, "BO") == 0) return read_board(g);
    if (strcmp(tag, "RE") == 0) return read_result(g);
    if (strcmp(tag, "GM") == 0) {
        char kind[OTH_RECORD_TEXT];
        size_t where = g->at;
        err e = read_text(g, kind);
        if (e == ERR_OK && strcmp(kind, "Othello") != 0 && strcmp(kind, "othello") != 0)
            e = err_parse(g->text, where, "a game of %s, not of Othello", kind);
        return e;
    }
#define TEXT(name, member)                                                                                             \
    if (strcmp(tag, name) == 0) return read_text(g, g->r.member);
    OTH_RECORD_TEXTS(TEXT)
#undef TEXT
    g->at += strcspn(g->text + g->at, "]"); // a tag we do not keep
    return ERR_OK;
}

// The tags of one game; g->at stands behind "(;" and comes to stand behind ";)".
static err read_game(reader *g)
{
    for (;;) {
        g->at += strspn(g->text + g->at, blanks);
        if (g->text[g->at] == ';') {
            g->at++;
            g->at += strspn(g->text + g->at, blanks);
            if (g->text[g->at] != ')') return err_parse(g->text, g->at, "expected ')' after ';'");
            g->at++;
            return ERR_OK;
        }
        char tag[4];
        size_t n = 0;
        for (; g->text[g->at + n] >= 'A' && g->text[g->at + n] <= 'Z'; n++)
            if (n < sizeof tag) tag[n] = g->text[g->at + n];
        if (n == 0) return err_parse(g->text, g->at, "expected a tag in capitals, or ';)'");
        if (n >= sizeof tag) return err_parse(g->text, g->at, "a tag has at most three letters");
        tag[n] = 0;
        if (g->text[g->at + n] != '[') return err_parse(g->text, g->at + n, "expected '[' after %s", tag);
        g->at += n + 1;
        g->at += strspn(g->text + g->at, blanks);
        err e = read_value(g, tag);
        if (e != ERR_OK) return err_prefix(e, "%s", tag);
        g->at += strspn(g->text + g->at, blanks);
        if (g->text[g->at] != ']') return err_parse(g->text, g->at, "expected ']' at the end of %s", tag);
        g->at++;
    }
}

err oth_ggf_next(const char *text, size_t *at, oth_record *out, bool *found)
{
    const char *begin = strstr(text + *at, "(;");
    *found = false;
    if (begin == NULL) {
        *at += strlen(text + *at);
        return ERR_OK;
    }
    reader g = {.text = text, .at = (size_t)(begin - text) + 2};
    oth_record_init(&g.r, NULL);
    g.now = g.r.start;
    err e = read_game(&g);
    if (e != ERR_OK) {
        const char *end = strstr(text + g.at, ";)");
        *at = end != NULL ? (size_t)(end - text) + 2 : g.at + strlen(text + g.at);
        return e;
    }
    *at = g.at;
    *out = g.r;
    *found = true;
    return ERR_OK;
}

// --- writing

typedef struct writer {
    char text[OTH_GGF_TEXT];
    size_t n;
} writer;

static void put(writer *w, const char *fmt, ...) KEIKO_PRINTF(2, 3);

static void put(writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(w->text + w->n, sizeof w->text - w->n, fmt, ap);
    va_end(ap);
    assert(n >= 0 && (size_t)n < sizeof w->text - w->n); // OTH_GGF_TEXT suffices for any record
    w->n += (size_t)n;
}

// A bracket would end the text early and GGF cannot escape it; control characters would break the line.
static void put_text(writer *w, const char *tag, const char *text)
{
    if (text[0] == 0) return;
    put(w, "%s[", tag);
    for (; *text != 0; text++) {
        put(w, "%c", *text == ']' ? ')' : is_blank(*text) ? ' ' : *text);
    }
    put(w, "]");
}

static void put_number(writer *w, int32_t v, bool plus, int decimals)
{
    uint32_t size = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
    const char *sign = v < 0 ? "-" : plus ? "+" : "";
    if (decimals == 2 && size % 10 == 0)
        put(w, "%s%u.%02u", sign, size / 1000, size % 1000 / 10);
    else
        put(w, "%s%u.%03u", sign, size / 1000, size % 1000);
}

static void put_board(writer *w, const oth_state *s)
{
    char text[OTH_STATE_TEXT];
    oth_state_write(s, text);
    for (char *c = text; *c != 0; c++)
        if (*c == 'X') *c = '*'; // black is a star in GGF
    put(w, "BO[8 %s]", text);
}

int oth_ggf_print(const oth_record *r, char *buf, size_t n)
{
    writer w;
    w.n = 0;
    put(&w, "(;GM[Othello]");
#define TEXT(tag, member) put_text(&w, tag, r->member);
    OTH_RECORD_TEXTS(TEXT)
#undef TEXT
    put(&w, "RE[");
    if (r->has_result) {
        put_number(&w, r->result, true, 3);
        if (r->ended != 0) put(&w, ":%c", r->ended);
    } else {
        put(&w, "?");
    }
    put(&w, "]");
    put_board(&w, &r->start);
    uint64_t side = r->start.side;
    for (int i = 0; i < r->n; i++, side = !side) {
        const oth_record_move *m = &r->moves[i];
        char name[5];
        put(&w, "%c[%s", side == OTH_BLACK ? 'B' : 'W', oth_square_name(m->sq, name));
        if (m->has_eval || m->has_time) put(&w, "/");
        if (m->has_eval) put_number(&w, m->eval, true, 2);
        if (m->has_time) {
            put(&w, "/");
            put_number(&w, m->time, false, 2);
        }
        put(&w, "]");
    }
    put(&w, ";)");
    return snprintf(buf, n, "%s", w.text);
}

int oth_ggf_position(const void *s, char *buf, size_t n)
{
    oth_record r;
    oth_record_init(&r, s);
    strcpy(r.black, "black");
    strcpy(r.white, "white");
    strcpy(r.type, "8");
    return oth_ggf_print(&r, buf, n);
}
