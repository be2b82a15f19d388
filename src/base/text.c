// Growable strings and column layout. See text.h.
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *text_reserve(text_buf *t, size_t n)
{
    if (t->failed) return NULL;
    if (t->cap - t->len <= n) { // one byte more than n, for the NUL
        size_t want = t->len + n + 1;
        size_t cap = t->cap < 64 ? 64 : t->cap;
        while (cap < want && cap <= SIZE_MAX / 2) cap *= 2;
        char *data = want <= t->len || cap < want ? NULL : realloc(t->data, cap);
        if (data == NULL) {
            t->failed = true;
            return NULL;
        }
        t->data = data;
        t->cap = cap;
    }
    return t->data + t->len;
}

void text_append_n(text_buf *t, const char *s, size_t n)
{
    char *to = text_reserve(t, n);
    if (to == NULL) return;
    if (n > 0) memcpy(to, s, n);
    to[n] = 0;
    t->len += n;
}

void text_append(text_buf *t, const char *s)
{
    text_append_n(t, s, strlen(s));
}

void text_char(text_buf *t, char c)
{
    text_append_n(t, &c, 1);
}

void text_repeat(text_buf *t, char c, int n)
{
    if (n <= 0) return;
    char *to = text_reserve(t, (size_t)n);
    if (to == NULL) return;
    memset(to, c, (size_t)n);
    to[n] = 0;
    t->len += (size_t)n;
}

void text_vprintf(text_buf *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    char *to = text_reserve(t, 128); // most pieces are short: one pass then suffices
    if (to != NULL) {
        size_t room = t->cap - t->len;
        int n = vsnprintf(to, room, fmt, ap);
        if (n < 0) {
            to[0] = 0;
            t->failed = true;
        } else if ((size_t)n < room) {
            t->len += (size_t)n;
        } else if ((to = text_reserve(t, (size_t)n)) != NULL) {
            vsnprintf(to, (size_t)n + 1, fmt, again);
            t->len += (size_t)n;
        }
    }
    va_end(again);
}

void text_printf(text_buf *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(t, fmt, ap);
    va_end(ap);
}

void text_truncate(text_buf *t, size_t len)
{
    if (len >= t->len) return;
    t->len = len;
    t->data[len] = 0;
}

const char *text_str(const text_buf *t)
{
    return t->data == NULL ? "" : t->data;
}

err text_check(const text_buf *t)
{
    return t->failed ? err_set(ERR_MEMORY, "out of memory after %zu bytes of text", t->len) : ERR_OK;
}

char *text_take(text_buf *t)
{
    text_append_n(t, "", 0); // an empty buffer gives "" and not NULL
    char *data = t->failed ? NULL : t->data;
    if (data == NULL) free(t->data);
    *t = (text_buf){0};
    return data;
}

void text_clear(text_buf *t)
{
    t->len = 0;
    t->failed = false;
    if (t->data != NULL) t->data[0] = 0;
}

void text_free(text_buf *t)
{
    free(t->data);
    *t = (text_buf){0};
}

// --- UTF-8

size_t text_utf8_next(const char *s, size_t n, uint32_t *code)
{
    const unsigned char *u = (const unsigned char *)s;
    *code = 0xfffd;
    if (n == 0) return 0;
    if (u[0] < 0x80) {
        *code = u[0];
        return 1;
    }
    size_t len = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4 || len > n) return 1;
    uint32_t c = u[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((u[i] & 0xc0) != 0x80) return 1;
        c = c << 6 | (u[i] & 0x3fu);
    }
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 1;
    *code = c;
    return len;
}

size_t text_utf8_put(uint32_t c, char out[4])
{
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)((0xf00u >> len & 0xff) | c);
    return len;
}

bool text_utf8_ok(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t c;
        size_t len = text_utf8_next(s + i, n - i, &c);
        if (len == 1 && c == 0xfffd) return false;
        i += len;
    }
    return true;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool in_ranges(uint32_t c, const range *r, int n)
{
    for (int i = 0; i < n; i++)
        if (c >= r[i].first && c <= r[i].last) return true;
    return false;
}

int text_code_columns(uint32_t c)
{
    // Whole blocks of Unicode 15, rounded outwards where a block is nearly uniform.
    static const range marks[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},    {0x64b, 0x65f},
                                  {0x93c, 0x93c},   {0xe34, 0xe3a},   {0xe47, 0xe4e},    {0x1ab0, 0x1aff},
                                  {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x2064},
                                  {0x20d0, 0x20ff}, {0x302a, 0x302d}, {0x3099, 0x309a},  {0xfe00, 0xfe0f},
                                  {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
    static const range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
                                 {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},
                                 {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
                                 {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};
    if (c < 0x300) return c >= 0x20 && (c < 0x7f || c >= 0xa0) && c != 0xad;
    if (in_ranges(c, marks, (int)(sizeof marks / sizeof *marks))) return 0;
    return in_ranges(c, wide, (int)(sizeof wide / sizeof *wide)) ? 2 : 1;
}

int text_columns(const char *s, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n;) {
        if (s[i] == '\x1b' && i + 1 < n && s[i + 1] == '[') {
            size_t k = i + 2;
            while (k < n && ((s[k] >= '0' && s[k] <= '9') || s[k] == ';')) k++;
            if (k < n && s[k] == 'm') {
                i = k + 1;
                continue;
            }
        }
        uint32_t c;
        i += text_utf8_next(s + i, n - i, &c);
        columns += text_code_columns(c);
    }
    return columns;
}

size_t text_short(double v, char buf[TEXT_SHORT])
{
    static const char units[] = {0, 'k', 'M', 'G', 'T'};
    int k = 0, n;
    double size = fabs(v);
    if (size > 0.0 && size < 0.01) {
        n = snprintf(buf, TEXT_SHORT, "%.2g", v);
    } else {
        while (size >= 999.5 && k < 4) {
            size /= 1000.0;
            k++;
        }
        int digits = size >= 99.95 || (k == 0 && size == floor(size)) ? 0 : size >= 9.995 ? 1 : 2;
        n = snprintf(buf, TEXT_SHORT, "%s%.*f%.1s", v < 0.0 ? "-" : "", digits, size, k == 0 ? "" : &units[k]);
    }
    return n < TEXT_SHORT ? (size_t)n : TEXT_SHORT - 1;
}

// --- wrapping

// How much of a word goes on a line with `room` columns: up to its last comma there; 0 = it has none.
static size_t up_to_comma(const char *word, size_t n, int room)
{
    size_t most = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        if (word[i] != ',') continue;
        if (text_columns(word, i + 1) > room) break;
        most = i + 1;
    }
    return most;
}

// One paragraph: from `s` up to `end`, words parted by blanks.
static void wrap_paragraph(text_buf *t, const char *s, const char *end, int column, int indent, int width)
{
    bool first = true;
    for (;;) {
        const char *before = s;
        while (s < end && (*s == ' ' || *s == '\n' || *s == '\t')) s++;
        if (s == end) break;
        const char *word = s;
        int gap = s > before + 1 && before[0] == ' ' && before[1] == ' ' ? 2 : 1;
        while (s < end && *s != ' ' && *s != '\n' && *s != '\t') s++;
        int n = text_columns(word, (size_t)(s - word));
        if (n > width - indent) { // it fits on no line: what does not fit on this one is the next word
            int used = !first ? column + gap : column < indent ? indent : column;
            size_t part = up_to_comma(word, (size_t)(s - word), width - used);
            if (part > 0) s = word + part;
            if (part > 0) n = text_columns(word, part);
        }
        if (!first && column + gap + n > width) {
            text_char(t, '\n');
            column = 0;
            first = true;
            s = word;
            continue;
        }
        if (first) {
            text_repeat(t, ' ', indent - column);
            if (column < indent) column = indent;
        } else {
            text_repeat(t, ' ', gap);
            column += gap;
        }
        text_append_n(t, word, (size_t)(s - word));
        column += n;
        first = false;
    }
    text_char(t, '\n');
}

void text_wrap(text_buf *t, const char *s, int column, int indent, int width)
{
    bool any = false;
    while (*s) {
        if (*s == '\n') { // one blank line, however many there are
            while (*s == '\n') s++;
            if (any && *s) text_char(t, '\n');
            continue;
        }
        const char *end = strchr(s, '\n');
        if (end == NULL) end = s + strlen(s);
        if (*s == ' ') { // kept as it is
            text_repeat(t, ' ', indent - column);
            text_append_n(t, s, (size_t)(end - s));
            text_char(t, '\n');
        } else {
            while (*end && end[1] && end[1] != '\n' && end[1] != ' ') {
                const char *next = strchr(end + 1, '\n');
                end = next == NULL ? end + strlen(end) : next;
            }
            wrap_paragraph(t, s, end, column, indent, width);
        }
        any = true;
        column = 0;
        s = *end ? end + 1 : end;
    }
    if (!any) text_char(t, '\n');
}

bool text_shell_plain(const char *s)
{
    static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:=/+@%";
    return *s != 0 && strspn(s, fine) == strlen(s);
}

void text_shell(text_buf *t, const char *s)
{
    if (text_shell_plain(s)) {
        text_append(t, s);
        return;
    }
    text_char(t, '\'');
    for (; *s; s++) text_append_n(t, *s == '\'' ? "'\\''" : s, *s == '\'' ? 4 : 1);
    text_char(t, '\'');
}

// --- text from outside

// Marks that reorder what follows: a line could read otherwise than it is.
static bool changes_direction(uint32_t code)
{
    return code == 0x200e || code == 0x200f || code == 0x061c || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void text_append_safe(text_buf *t, const char *s, bool lines)
{
    static const char unknown[] = "\xef\xbf\xbd"; // U+FFFD
    size_t n = strlen(s);
    for (size_t i = 0; i < n;) {
        uint32_t code;
        size_t k = text_utf8_next(s + i, n - i, &code);
        if (code == '\n' || code == '\t')
            text_char(t, lines ? s[i] : ' ');
        else if (code < 32 || code == 127)
            text_printf(t, "^%c", (int)(code ^ 64));
        else if ((code >= 0x80 && code < 0xa0) || code == 0xfffd || changes_direction(code))
            text_append_n(t, unknown, 3);
        else
            text_append_n(t, s + i, k);
        i += k;
    }
}
