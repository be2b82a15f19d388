// Small tools for text: an appender that never overflows, a scanner that remembers where it failed, options of init.
//
// Positions are printed and parsed by the million in tests, so neither goes through printf or scanf.
#ifndef KEIKO_GAMES_PUYO_PUYO_TEXT_H
#define KEIKO_GAMES_PUYO_PUYO_TEXT_H

#include "games/game.h"
#include "games/puyo/puyo.h"

#include <stdlib.h>
#include <string.h>

typedef struct py_out {
    char text[GAME_TEXT];
    size_t n;
} py_out;

static inline void out_char(py_out *o, char c)
{
    if (o->n < sizeof o->text - 1) o->text[o->n++] = c;
}

static inline void out_line_end(py_out *o) // without spaces before it
{
    while (o->n > 0 && o->text[o->n - 1] == ' ') o->n--;
    out_char(o, '\n');
}

static inline void out_text(py_out *o, const char *s)
{
    while (*s) out_char(o, *s++);
}

static inline void out_number(py_out *o, const char *label, uint64_t v)
{
    char digits[20];
    int n = 0;
    do digits[n++] = (char)('0' + v % 10);
    while ((v /= 10) != 0);
    out_text(o, label);
    while (n > 0) out_char(o, digits[--n]);
}

static inline void out_hex(py_out *o, const char *label, uint64_t v)
{
    out_text(o, label);
    for (int at = 60; at >= 0; at -= 4) out_char(o, "0123456789abcdef"[v >> at & 15]);
}

static inline void out_pair(py_out *o, uint8_t pair)
{
    out_char(o, py_letter(py_main(pair)));
    out_char(o, py_letter(py_sub(pair)));
}

static inline void out_field(py_out *o, const py_field *f)
{
    char text[PY_FIELD_TEXT];
    py_field_print(f, text, sizeof text);
    out_text(o, text);
}

static inline int out_finish(py_out *o, char *buf, size_t n)
{
    if (n > 0) {
        size_t fits = o->n < n ? o->n : n - 1;
        memcpy(buf, o->text, fits);
        buf[fits] = 0;
    }
    return (int)o->n;
}

void py_draw_row(py_out *o, const py_field *f, const uint8_t window[3], int row, bool colour); // match_text.c

// --- options of init

static const char *const py_switch[] = {"0", "1"};

static inline err option_choice(const char *key, const char *value, const char *const *names, int n, uint8_t *out)
{
    char known[64] = "";
    for (int i = 0; i < n; i++) {
        if (strcmp(value, names[i]) == 0) {
            *out = (uint8_t)i;
            return ERR_OK;
        }
        if (i > 0) strcat(known, ", ");
        strcat(known, names[i]);
    }
    return err_set(ERR_USAGE, "%s=%s: choose one of %s", key, value, known);
}

static inline err option_number(const char *key, const char *value, int low, int high, int *out)
{
    char *end;
    long v = strtol(value, &end, 10);
    if (*end != 0 || end == value || v < low || v > high)
        return err_set(ERR_USAGE, "%s=%s: expected a number from %d to %d", key, value, low, high);
    *out = (int)v;
    return ERR_OK;
}

// --- scanning

// A scanner stops at the first failure: later calls do nothing, so that a parser reads as a list of what is expected.
typedef struct py_in {
    const char *text, *at;
    err failed;
} py_in;

static inline void in_fail(py_in *s, const char *what)
{
    if (s->failed == ERR_OK) s->failed = err_parse(s->text, (size_t)(s->at - s->text), "%s", what);
}

static inline void in_label(py_in *s, const char *label)
{
    if (s->failed != ERR_OK) return;
    size_t n = strlen(label);
    if (strncmp(s->at, label, n) != 0)
        s->failed = err_parse(s->text, (size_t)(s->at - s->text), "expected \"%s\"", label);
    else
        s->at += n;
}

static inline uint32_t in_number(py_in *s, const char *label, uint32_t max)
{
    in_label(s, label);
    if (s->failed != ERR_OK) return 0;
    uint64_t v = 0;
    const char *p = s->at;
    for (; *p >= '0' && *p <= '9' && v <= max; p++) v = v * 10 + (uint64_t)(*p - '0');
    if (p == s->at) in_fail(s, "expected a number");
    if (v > max) in_fail(s, "this number is too large");
    if (s->failed == ERR_OK) s->at = p;
    return (uint32_t)v;
}

static inline uint64_t in_hex(py_in *s, const char *label)
{
    in_label(s, label);
    uint64_t v = 0;
    for (int i = 0; i < 16 && s->failed == ERR_OK; i++, s->at++) {
        const char *digits = "0123456789abcdef", *d = *s->at ? strchr(digits, *s->at) : NULL;
        if (d == NULL) {
            in_fail(s, "expected 16 hexadecimal digits");
            break;
        }
        v = v << 4 | (uint64_t)(d - digits);
    }
    return v;
}

static inline uint8_t in_pair(py_in *s, int colours)
{
    if (s->failed != ERR_OK) return 0;
    int a = py_code(s->at[0]), b = a < 0 ? -1 : py_code(s->at[1]);
    uint8_t pair = a < 0 || b < 0 ? 0 : py_pair(a, b);
    if (!py_pair_ok(pair, colours))
        in_fail(s, "expected a pair of two colours that are in the game");
    else
        s->at += 2;
    return pair;
}

// A word up to the next space, copied to `out`.
static inline void in_word(py_in *s, char *out, size_t n)
{
    out[0] = 0;
    if (s->failed != ERR_OK) return;
    size_t len = strcspn(s->at, " ");
    if (len == 0 || len >= n) {
        in_fail(s, len == 0 ? "expected a word" : "this word is too long");
        return;
    }
    memcpy(out, s->at, len);
    out[len] = 0;
    s->at += len;
}

static inline void in_field(py_in *s, int colours, py_field *f)
{
    char text[PY_FIELD_TEXT + 1];
    const char *start = s->at;
    in_word(s, text, sizeof text);
    if (s->failed != ERR_OK) return;
    s->at = start;
    if (py_field_parse(text, f) != ERR_OK) {
        s->failed = err_prefix(ERR_PARSE, "field \"%.24s\"", text);
    } else if (!py_field_ok(f, colours)) {
        in_fail(s, "this field has a colour that is not in the game");
    } else {
        s->at += strlen(text);
    }
}

// --- the queue: "key=… … made=4 tail=own pairs=RGYBRRGG", the pairs from the oldest that is needed on

static inline uint32_t queue_text_start(const py_queue *q, uint32_t oldest)
{
    return q->made > PY_RING && q->made - PY_RING > oldest ? q->made - PY_RING : oldest;
}

static inline void out_queue(py_out *o, const py_queue *q, uint32_t oldest)
{
    bool whole = q->kind == PY_ARCADE && !q->sampled;
    out_hex(o, " key=", q->run);
    out_hex(o, ".", q->game);
    out_number(o, " made=", q->made);
    out_text(o, q->sampled ? " tail=drawn pairs=" : " tail=own pairs=");
    uint32_t from = whole ? 0 : queue_text_start(q, oldest), to = whole ? PY_RING : q->made;
    for (uint32_t i = from; i < to; i++) out_pair(o, q->ring[i % PY_RING]);
}

// `q` has its kind and colours already; `shown` pairs have been seen.
static inline void in_queue(py_in *s, py_queue *q, uint32_t oldest, uint32_t shown)
{
    q->run = in_hex(s, " key=");
    q->game = in_hex(s, ".");
    q->made = in_number(s, " made=", 1u << 20);
    in_label(s, " tail=");
    if (s->failed != ERR_OK) return;
    q->sampled = strncmp(s->at, "drawn", 5) == 0;
    if (q->sampled && q->kind != PY_ARCADE) in_fail(s, "only arcade pairs have a drawn tail");
    in_label(s, q->sampled ? "drawn" : "own");
    in_label(s, " pairs=");
    bool whole = q->kind == PY_ARCADE && !q->sampled;
    if (whole ? q->made != 0 : q->made < shown || q->made > shown + 1)
        in_fail(s, "made= does not fit the pairs placed");
    uint32_t from = whole ? 0 : queue_text_start(q, oldest), to = whole ? PY_RING : q->made;
    for (uint32_t i = from; i < to && s->failed == ERR_OK; i++) q->ring[i % PY_RING] = in_pair(s, q->colours);
}

// Does the queue hold this pair, and if so is it the one given?
static inline bool queue_agrees(const py_queue *q, uint32_t index, uint8_t pair)
{
    bool whole = q->kind == PY_ARCADE && !q->sampled;
    if (!whole && index + PY_RING < q->made) return true;
    return q->ring[index % PY_RING] == pair;
}

#endif
