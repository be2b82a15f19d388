// A match as one line of text that carries the whole state, and as a drawing for a terminal.
//
// OPTIONS | FIELD next=RG,YB,RR clock=… … | FIELD … | held=… draws=… key=… made=… tail=… pairs=…
// The last part is what players do not see.
#include "games/puyo/puyo_match.h"
#include "games/puyo/puyo_text.h"

#include <stdio.h>

uint64_t py_hash(const void *bytes, size_t n)
{
    uint64_t h = n, w;
    for (size_t i = 0; i + sizeof w <= n; i += sizeof w) {
        memcpy(&w, (const char *)bytes + i, sizeof w);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return rng_mix(h);
}

// --- moves

static const char rotation_letters[] = "urdl";

int py_move_print(move_t m, char *buf, size_t n)
{
    return snprintf(buf, n, "%d%c", m / 4 + 1, rotation_letters[m % 4]);
}

err py_move_parse(const char *text, const py_field *f, uint8_t pair, bool reach, int lose, move_t *m)
{
    int col = text[0] - '1';
    if (col < 0 || col >= PY_COLS) return err_parse(text, 0, "expected a column 1 to 6");
    const char *turn = text[1] == 0 ? NULL : strchr(rotation_letters, text[1]);
    if (turn == NULL)
        return err_parse(text, 1, "expected u, r, d or l: the second puyo above, right of, below or left of the first");
    if (text[2] != 0) return err_parse(text, 2, "expected the end of the move");
    int rotation = (int)(turn - rotation_letters);
    if ((rotation == 1 && col == PY_COLS - 1) || (rotation == 3 && col == 0))
        return err_set(ERR_USAGE, "%s: the second puyo would be outside the field", text);
    if (py_main(pair) == py_sub(pair) && rotation >= 2) { // the same place, under its usual name
        col -= rotation == 3;
        rotation -= 2;
    }
    int move = col * 4 + rotation;
    if ((py_legal_mask(f, pair, reach, lose) >> move & 1) == 0) {
        bool room = py_legal_mask(f, pair, false, lose) >> move & 1;
        return err_set(ERR_USAGE,
                       room ? "%s: the pair cannot be steered there over the columns between"
                            : "%s: there is no room in that column",
                       text);
    }
    *m = (move_t)move;
    return ERR_OK;
}

// --- positions

int py_match_options_print(const py_match *m, char *buf, size_t n)
{
    return snprintf(buf, n, "timing=%s,pairs=%s,colours=%d,reach=%d,lose=%s,margin=%d,drop=%d,plies=%d",
                    m->timing == PY_TURNS ? "turns" : "frames", py_pair_kind_name[m->queue.kind], m->queue.colours,
                    m->reach, m->lose == PY_LOSE_SEED ? "seed" : "tsu", m->margin, m->drop, m->limit);
}

static uint32_t least_placed(const py_match *m)
{
    return m->side[0].placed < m->side[1].placed ? m->side[0].placed : m->side[1].placed;
}

static uint32_t most_placed(const py_match *m)
{
    return m->side[0].placed > m->side[1].placed ? m->side[0].placed : m->side[1].placed;
}

static void out_side(py_out *o, const py_side *a)
{
    out_text(o, " | ");
    out_field(o, &a->field);
    for (int i = 0; i < PY_SHOWN; i++) {
        out_text(o, i == 0 ? " next=" : ",");
        out_pair(o, a->window[i]);
    }
    out_number(o, " clock=", a->clock);
    out_number(o, " placed=", a->placed);
    out_number(o, " score=", a->score);
    out_number(o, " carry=", a->carry);
    out_number(o, " pending=", a->pending);
    out_number(o, " coming=", a->coming);
    out_number(o, " sent=", a->sent);
    out_number(o, " received=", a->received);
    out_number(o, " bonus=", a->bonus);
    out_number(o, " due=", a->due);
    out_number(o, " buried=", a->buried);
}

int py_match_print(const py_match *m, char *buf, size_t n)
{
    py_out o;
    o.n = (size_t)py_match_options_print(m, o.text, sizeof o.text);
    for (int p = 0; p < 2; p++) out_side(&o, &m->side[p]);
    out_text(&o, " | held=");
    if (m->held == 0) {
        out_char(&o, '-');
    } else {
        out_char(&o, (char)('1' + (m->held - 1) / 4));
        out_char(&o, rotation_letters[(m->held - 1) % 4]);
    }
    out_number(&o, " draws=", m->draws);
    out_queue(&o, &m->queue, least_placed(m));
    return out_finish(&o, buf, n);
}

static void in_side(py_in *s, const py_match *m, py_side *a)
{
    in_label(s, " | ");
    in_field(s, m->queue.colours, &a->field);
    for (int i = 0; i < PY_SHOWN; i++) {
        in_label(s, i == 0 ? " next=" : ",");
        a->window[i] = in_pair(s, m->queue.colours);
    }
    a->clock = in_number(s, " clock=", UINT32_MAX);
    a->placed = in_number(s, " placed=", PY_LIMIT_MAX);
    a->score = in_number(s, " score=", UINT32_MAX);
    a->carry = in_number(s, " carry=", UINT32_MAX);
    a->pending = in_number(s, " pending=", UINT32_MAX);
    a->coming = in_number(s, " coming=", UINT32_MAX);
    a->sent = in_number(s, " sent=", UINT32_MAX);
    a->received = in_number(s, " received=", UINT32_MAX);
    a->bonus = (uint8_t)in_number(s, " bonus=", 1);
    a->due = (uint8_t)in_number(s, " due=", 1);
    a->buried = (uint8_t)in_number(s, " buried=", 1);
}

static err check(const py_match *m)
{
    bool over = py_match_result(m).over;
    uint32_t a = m->side[0].clock, b = m->side[1].clock;
    for (int p = 0; p < 2; p++) {
        const py_side *s = &m->side[p];
        bool buried = py_buried(&s->field, m->lose);
        if (s->buried && !buried) return err_set(ERR_PARSE, "player %d is called buried but is not", p + 1);
        if (!s->buried && !s->due && buried) return err_set(ERR_PARSE, "player %d is buried but not called so", p + 1);
        if (s->due && (m->timing == PY_TURNS || (!over && s->clock <= m->side[!p].clock)))
            return err_set(ERR_PARSE, "player %d's nuisance phase should have run already", p + 1);
        for (uint32_t i = 0; i < PY_SHOWN; i++)
            if (!queue_agrees(&m->queue, s->placed + i, s->window[i]))
                return err_set(ERR_PARSE, "player %d's pairs are not those of the sequence", p + 1);
    }
    if (m->timing == PY_TURNS && (a != b || m->side[0].placed != m->side[1].placed))
        return err_set(ERR_PARSE, "with timing=turns both players have placed as many pairs in the same time");
    if (m->draws > m->side[0].placed + m->side[1].placed)
        return err_set(ERR_PARSE, "draws=%u: nuisance cannot have fallen more often than pairs were placed", m->draws);
    if (m->held != 0 && (over || a != b))
        return err_set(ERR_PARSE, "a choice is held although player 2 need not choose");
    return ERR_OK;
}

static void in_held(py_in *s, py_match *m)
{
    const py_side *first = &m->side[0];
    in_label(s, " | held=");
    if (s->failed != ERR_OK) return;
    if (*s->at == '-') {
        s->at++;
        return;
    }
    char text[3] = {s->at[0], s->at[0] ? s->at[1] : (char)0, 0};
    move_t move;
    if (py_move_parse(text, &first->field, first->window[0], m->reach, m->lose, &move) != ERR_OK) {
        s->failed = err_prefix(ERR_PARSE, "held choice");
        return;
    }
    m->held = (uint8_t)(1 + move);
    s->at += 2;
}

err py_match_parse(const char *text, py_match *m)
{
    py_match fresh;
    char options[128];
    py_in s = {text, text, ERR_OK};
    in_word(&s, options, sizeof options);
    err e = s.failed == ERR_OK ? py_match_options(&fresh, options) : s.failed;
    if (e != ERR_OK) return e;
    for (int p = 0; p < 2; p++) in_side(&s, &fresh, &fresh.side[p]);
    in_held(&s, &fresh);
    fresh.draws = in_number(&s, " draws=", INT32_MAX);
    if (s.failed == ERR_OK) in_queue(&s, &fresh.queue, least_placed(&fresh), most_placed(&fresh) + PY_SHOWN);
    if (s.failed == ERR_OK && *s.at != 0) in_fail(&s, "expected the end of the position");
    if (s.failed != ERR_OK) return s.failed;
    e = check(&fresh);
    if (e == ERR_OK) *m = fresh;
    return e;
}

// --- drawing

// Waiting nuisance as the game shows it: comet, crown, moon, star, rock, large, small; six symbols at most.
static void out_symbols(py_out *o, uint32_t n, size_t width)
{
    static const struct {
        uint32_t worth;
        char symbol;
    } symbols[] = {{1440, '@'}, {720, 'W'}, {360, 'C'}, {180, '*'}, {30, 'R'}, {6, 'O'}, {1, 'o'}};
    size_t used = 0;
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++)
        for (; n >= symbols[k].worth && used < PY_COLS; n -= symbols[k].worth, used++) {
            out_char(o, symbols[k].symbol);
            out_char(o, ' ');
        }
    for (used *= 2; used < width; used++) out_char(o, ' ');
}

// One row of a field with the shown pairs beside rows 12 to 10.
void py_draw_row(py_out *o, const py_field *f, const uint8_t window[PY_SHOWN], int row, bool colour)
{
    static const char *const tint[PY_CODES] = {"", "37", "1;31", "1;33", "1;32", "1;34", "1;35"};
    int cells[PY_COLS + 2] = {0}, shown = PY_ROWS - row;
    for (int c = 0; c < PY_COLS; c++) cells[c] = py_get(f, c, row);
    bool pair = shown >= 0 && shown < PY_SHOWN;
    if (pair) cells[PY_COLS] = py_main(window[shown]), cells[PY_COLS + 1] = py_sub(window[shown]);
    for (int c = 0; c < PY_COLS + 2; c++) {
        out_text(o, c == 0 ? "|" : c < PY_COLS ? " " : c == PY_COLS ? "| " : "");
        char letter = c >= PY_COLS && !pair ? ' ' : py_letter(cells[c]);
        bool tinted = colour && cells[c] != PY_EMPTY;
        if (tinted) {
            out_text(o, "\x1b[");
            out_text(o, tint[cells[c]]);
            out_char(o, 'm');
        }
        out_char(o, letter);
        if (tinted) out_text(o, "\x1b[0m");
    }
}

int py_match_draw(const py_match *m, bool colour, char *buf, size_t n)
{
    py_out o;
    char line[160];
    o.n = 0;
    for (int p = 0; p < 2; p++) {
        out_char(&o, ' ');
        out_symbols(&o, m->side[p].pending + m->side[p].coming, 18);
    }
    out_line_end(&o);
    for (int row = PY_GHOST; row >= 1; row--) {
        for (int p = 0; p < 2; p++) {
            py_draw_row(&o, &m->side[p].field, m->side[p].window, row, colour);
            if (p == 0) out_text(&o, "   ");
        }
        out_line_end(&o);
    }
    out_text(&o, " 1 2 3 4 5 6        1 2 3 4 5 6\n");
    for (int p = 0; p < 2; p++) {
        const py_side *a = &m->side[p];
        snprintf(line, sizeof line, "player %d: %u points, frame %u, nuisance waiting %u + %u%s%s\n", p + 1, a->score,
                 a->clock, a->pending, a->coming, a->bonus ? ", all clear" : "", a->buried ? ", buried" : "");
        out_text(&o, line);
    }
    return out_finish(&o, buf, n);
}
