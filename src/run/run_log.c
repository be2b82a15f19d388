// Lines of log.jsonl, out and in. See run_log.h.
//
// The reader works in place: the file's text is kept, names and texts are unescaped where they stand (what is written
// never grows by that), and records point into it.
#include "run/run_log.h"

#include "base/json.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- writing

void run_log_line(text_buf *to, const char *kind, int64_t step, double seconds, const run_value *values, int n)
{
    json_writer w = json_begin(to, false);
    json_open_object(&w);
    json_pair_text(&w, "kind", kind);
    json_pair_int(&w, "step", step);
    json_pair_number(&w, "seconds", round(seconds * 1000.0) / 1000.0);
    for (int i = 0; i < n; i++) {
        if (values[i].text != NULL)
            json_pair_text(&w, values[i].name, values[i].text);
        else
            json_pair_number(&w, values[i].name, values[i].v);
    }
    json_close(&w);
    text_char(to, '\n');
}

// --- reading one line

enum { LINE_VALUES = 256 }; // more names than any line of ours has

typedef struct cursor {
    char *p, *end;
    const char *why;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\r')) c->p++;
}

static bool refuse(cursor *c, const char *why)
{
    c->why = why;
    return false;
}

static bool take(cursor *c, char want, const char *why)
{
    skip_blanks(c);
    if (c->p == c->end || *c->p != want) return refuse(c, why);
    c->p++;
    return true;
}

static bool hex4(const char *p, const char *end, uint32_t *code)
{
    *code = 0;
    if (end - p < 4) return false;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        uint32_t v = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                            : 16;
        if (v == 16) return false;
        *code = *code << 4 | v;
    }
    return true;
}

// \uXXXX, or a pair of them for one character beyond the first 65536. `p` is behind the 'u'; returns bytes taken, 0 = bad.
static size_t read_unicode(const char *p, const char *end, uint32_t *code)
{
    uint32_t low;
    if (!hex4(p, end, code)) return 0;
    if (*code >= 0xd800 && *code < 0xdc00 && end - p >= 10 && p[4] == '\\' && p[5] == 'u' && hex4(p + 6, end, &low) &&
        low >= 0xdc00 && low < 0xe000) {
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
        return 10;
    }
    if (*code == 0) *code = 0xfffd; // a zero would end the text early
    return 4;
}

// A quoted text, unescaped in place and ended by a NUL (where the closing quote or something before it stood).
static bool read_text(cursor *c, const char **out)
{
    if (!take(c, '"', "expected a quoted name or text")) return false;
    char *to = c->p;
    *out = to;
    while (c->p < c->end && *c->p != '"') {
        unsigned char ch = (unsigned char)*c->p++;
        if (ch < 0x20) return refuse(c, "a control character inside a text");
        if (ch != '\\') {
            *to++ = (char)ch;
            continue;
        }
        static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
        if (c->p == c->end) break;
        char kind = *c->p++;
        const char *known = kind != 0 ? strchr(from, kind) : NULL;
        if (known != NULL) {
            *to++ = into[known - from];
        } else if (kind == 'u') {
            uint32_t code;
            char utf8[4];
            size_t n = read_unicode(c->p, c->end, &code);
            if (n == 0) return refuse(c, "\\u needs four hexadecimal digits");
            c->p += n;
            size_t len = text_utf8_put(code, utf8);
            memcpy(to, utf8, len);
            to += len;
        } else {
            return refuse(c, "an unknown escape behind \\");
        }
    }
    if (c->p == c->end) return refuse(c, "a text without its closing quote");
    c->p++;
    *to = 0;
    return true;
}

static bool read_word(cursor *c, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return false;
    c->p += n;
    return true;
}

static bool read_number(cursor *c, double *v)
{
    size_t n = 0, most = (size_t)(c->end - c->p);
    while (n < most && (strchr("+-.eE", c->p[n]) != NULL ? c->p[n] != 0 : c->p[n] >= '0' && c->p[n] <= '9')) n++;
    char text[64], *stop;
    if (n == 0 || n >= sizeof text || c->p[0] == '+' || c->p[0] == '.') return refuse(c, "expected a value");
    memcpy(text, c->p, n);
    text[n] = 0;
    *v = strtod(text, &stop);
    if (*stop != 0) return refuse(c, "a malformed number");
    c->p += n;
    return true;
}

static bool read_value(cursor *c, run_value *v)
{
    skip_blanks(c);
    v->text = NULL;
    v->v = NAN;
    if (c->p < c->end && *c->p == '"') return read_text(c, &v->text);
    if (c->p < c->end && (*c->p == '{' || *c->p == '[')) return refuse(c, "an object or array inside; lines are flat");
    if (read_word(c, "null")) return true;
    if (read_word(c, "true") || read_word(c, "false")) {
        v->v = c->p[-2] == 'u' ? 1.0 : 0.0; // tr-u-e, fal-s-e
        return true;
    }
    return read_number(c, &v->v);
}

// kind, step and seconds leave the list for their own places.
static bool place(run_record *r, run_value *v, cursor *c)
{
    if (strcmp(v->name, "kind") == 0 && v->text != NULL)
        r->kind = v->text;
    else if (strcmp(v->name, "step") == 0 && v->text == NULL) {
        if (!(fabs(v->v) <= 9e15)) return refuse(c, "the step is no whole number");
        r->step = (int64_t)v->v;
    } else if (strcmp(v->name, "seconds") == 0 && v->text == NULL)
        r->seconds = v->v;
    else
        r->n++;
    return true;
}

static bool read_line(cursor *c, run_record *r, run_value *values)
{
    *r = (run_record){.kind = ""};
    if (!take(c, '{', "expected {")) return false;
    skip_blanks(c);
    bool empty = c->p < c->end && *c->p == '}';
    while (!empty) {
        if (r->n == LINE_VALUES) return refuse(c, "more than 256 values");
        run_value *v = &values[r->n];
        if (!read_text(c, &v->name) || !take(c, ':', "expected :") || !read_value(c, v) || !place(r, v, c))
            return false;
        skip_blanks(c);
        if (c->p == c->end || *c->p != ',') break;
        c->p++;
    }
    if (!take(c, '}', "expected , or }")) return false;
    skip_blanks(c);
    return c->p == c->end || refuse(c, "something behind the closing }");
}

// --- the book

struct run_book {
    char *text;
    run_record *records;
    size_t *first; // of each record in `values`; turned into pointers when all are read
    run_value *values;
    int n, cap, bad;
    size_t n_values, cap_values;
    char why[160];
};

void run_book_free(run_book *b)
{
    if (b == NULL) return;
    FREE_ALL(b->text, b->records, b->first, b->values, b);
}

static bool room(run_book *b, int more)
{
    if (b->n == b->cap) {
        int cap = b->cap == 0 ? 256 : 2 * b->cap;
        run_record *r = realloc(b->records, (size_t)cap * sizeof *r);
        if (r != NULL) b->records = r;
        size_t *f = r == NULL ? NULL : realloc(b->first, (size_t)cap * sizeof *f);
        if (f == NULL) return false;
        b->first = f;
        b->cap = cap;
    }
    if (b->n_values + (size_t)more > b->cap_values) {
        size_t cap = 2 * b->cap_values + LINE_VALUES;
        run_value *v = realloc(b->values, cap * sizeof *v);
        if (v == NULL) return false;
        b->values = v;
        b->cap_values = cap;
    }
    return true;
}

static err read_book(run_book *b, size_t size)
{
    run_value values[LINE_VALUES + 1];
    char *p = b->text, *end = b->text + size;
    for (int line = 1; p < end; line++) {
        char *eol = memchr(p, '\n', (size_t)(end - p));
        if (eol == NULL) break; // torn
        cursor c = {p, eol, NULL};
        run_record r;
        p = eol + 1;
        skip_blanks(&c);
        if (c.p == c.end) continue;
        if (!read_line(&c, &r, values)) {
            if (b->bad++ == 0) snprintf(b->why, sizeof b->why, "line %d: %s", line, c.why);
            continue;
        }
        if (!room(b, r.n)) return err_set(ERR_MEMORY, "out of memory while reading the log");
        if (r.n > 0) memcpy(b->values + b->n_values, values, (size_t)r.n * sizeof *values);
        b->first[b->n] = b->n_values;
        b->records[b->n++] = r;
        b->n_values += (size_t)r.n;
    }
    for (int i = 0; i < b->n; i++)
        if (b->values != NULL) b->records[i].values = b->values + b->first[i];
    return ERR_OK;
}

// Takes `text`, which has room for a NUL behind its last byte.
static err book_of(run_book **out, char *text, size_t size)
{
    run_book *b = calloc(1, sizeof *b);
    if (b == NULL) {
        free(text);
        return err_set(ERR_MEMORY, "out of memory while reading the log");
    }
    b->text = text;
    err e = read_book(b, size);
    return HAND_OVER(e, out, b, run_book_free);
}

err run_book_text(run_book **out, const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy == NULL) return err_set(ERR_MEMORY, "out of memory while reading the log");
    if (size > 0) memcpy(copy, text, size);
    copy[size] = 0;
    return book_of(out, copy, size);
}

err run_book_read(run_book **out, const char *dir)
{
    char path[FILE_PATH], *text;
    size_t size;
    err e = file_join(path, sizeof path, dir, "log.jsonl");
    if (e != ERR_OK) return e;
    e = file_read(path, (size_t)1 << 30, &text, &size);
    if (e == ERR_MISSING) return run_book_text(out, "", 0);
    return e == ERR_OK ? book_of(out, text, size) : e;
}

int run_book_count(const run_book *b)
{
    return b->n;
}

const run_record *run_book_at(const run_book *b, int i)
{
    assert(i >= 0 && i < b->n);
    return &b->records[i];
}

int run_book_bad(const run_book *b, char why[160])
{
    memcpy(why, b->why, sizeof b->why);
    return b->bad;
}

double run_record_get(const run_record *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->values[i].name, name) == 0) return r->values[i].text == NULL ? r->values[i].v : NAN;
    return NAN;
}

const char *run_record_text(const run_record *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->values[i].name, name) == 0) return r->values[i].text;
    return NULL;
}

const run_record *run_book_last(const run_book *b, const char *kind)
{
    for (int i = b->n - 1; i >= 0; i--)
        if (strcmp(b->records[i].kind, kind) == 0) return &b->records[i];
    return NULL;
}

double run_book_last_value(const run_book *b, const char *kind, const char *name)
{
    for (int i = b->n - 1; i >= 0; i--) {
        if (strcmp(b->records[i].kind, kind) != 0) continue;
        double v = run_record_get(&b->records[i], name);
        if (!isnan(v)) return v;
    }
    return NAN;
}
