// The JSON writer. See json.h.
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_writer json_begin(text_buf *to, bool pretty)
{
    return (json_writer){.to = to, .pretty = pretty};
}

err json_finish(json_writer *w)
{
    assert(w->depth == 0 && !w->after_key);
    if (w->pretty) text_char(w->to, '\n');
    return text_check(w->to);
}

static bool bit(uint64_t set, int depth)
{
    return depth > 0 && (set >> (depth - 1) & 1) != 0;
}

static void new_line(json_writer *w)
{
    if (!w->pretty) return;
    text_char(w->to, '\n');
    text_repeat(w->to, ' ', 2 * w->depth);
}

// Before any value or key: the comma and the line.
static void separate(json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->depth == 0) return;
    if (bit(w->has_items, w->depth)) text_char(w->to, ',');
    w->has_items |= (uint64_t)1 << (w->depth - 1);
    new_line(w);
}

static void before_value(json_writer *w)
{
    assert(!bit(w->is_object, w->depth) || w->after_key); // a value in an object needs its key
    separate(w);
}

static void open_level(json_writer *w, bool object)
{
    before_value(w);
    assert(w->depth < JSON_DEPTH);
    text_char(w->to, object ? '{' : '[');
    uint64_t mask = (uint64_t)1 << w->depth;
    w->is_object = object ? w->is_object | mask : w->is_object & ~mask;
    w->has_items &= ~mask;
    w->depth++;
}

void json_open_object(json_writer *w)
{
    open_level(w, true);
}

void json_open_array(json_writer *w)
{
    open_level(w, false);
}

void json_close(json_writer *w)
{
    assert(w->depth > 0 && !w->after_key);
    bool object = bit(w->is_object, w->depth), items = bit(w->has_items, w->depth);
    w->depth--;
    if (items) new_line(w);
    text_char(w->to, object ? '}' : ']');
}

// --- strings

static void escaped(text_buf *t, const char *s, size_t n)
{
    text_char(t, '"');
    for (size_t i = 0; i < n;) {
        size_t run = i; // bytes that need nothing go out together
        while (run < n && (unsigned char)s[run] >= 0x20 && (unsigned char)s[run] < 0x7f && s[run] != '"' &&
               s[run] != '\\' && s[run] != '<')
            run++;
        text_append_n(t, s + i, run - i);
        i = run;
        if (i == n) break;
        uint32_t c;
        size_t len = text_utf8_next(s + i, n - i, &c);
        if (c == '"' || c == '\\')
            text_printf(t, "\\%c", (char)c);
        else if (c == '\n')
            text_append(t, "\\n");
        else if (c == '\t')
            text_append(t, "\\t");
        else if (c == '\r')
            text_append(t, "\\r");
        else if (c < 0x20 || c == 0x7f || c == '<' || c == 0x2028 || c == 0x2029)
            text_printf(t, "\\u%04x", (unsigned)c);
        else if (len == 1) // a stray byte
            text_append(t, "\xef\xbf\xbd");
        else
            text_append_n(t, s + i, len);
        i += len;
    }
    text_char(t, '"');
}

void json_key(json_writer *w, const char *key)
{
    assert(bit(w->is_object, w->depth) && !w->after_key);
    separate(w);
    escaped(w->to, key, strlen(key));
    text_append(w->to, w->pretty ? ": " : ":");
    w->after_key = true;
}

void json_put_text_n(json_writer *w, const char *s, size_t n)
{
    before_value(w);
    escaped(w->to, s, n);
}

void json_put_text(json_writer *w, const char *s)
{
    if (s == NULL)
        json_put_null(w);
    else
        json_put_text_n(w, s, strlen(s));
}

// --- numbers

static size_t uint_text(uint64_t v, char *buf)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v > 0);
    for (size_t i = 0; i < n; i++) buf[i] = digits[n - 1 - i];
    return n;
}

// Short decimals, which most of our numbers are, without trying printf: if m / 10^k == v for a whole m below 2^53, then
// v is the double nearest to that decimal (both operands are exact, division rounds correctly), so it reads back as v.
static size_t decimal_text(double v, char *buf)
{
    static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    static const uint64_t whole[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    double a = fabs(v);
    if (!(a < 1e9) || (a < 1e-3 && a != 0.0)) return 0;
    for (int k = 0; k <= 6; k++) {
        double m = rint(a * power[k]);
        if (m / power[k] != a) continue;
        uint64_t u = (uint64_t)m, fraction = u % whole[k];
        size_t n = 0;
        if (signbit(v)) buf[n++] = '-';
        n += uint_text(u / whole[k], buf + n);
        if (k > 0) {
            buf[n++] = '.';
            for (int i = k - 1; i >= 0; i--) buf[n++] = (char)('0' + fraction / whole[i] % 10);
        } else if (u == 0 && signbit(v)) {
            buf[n++] = '.'; // "-0" would be read as an integer and lose its sign
            buf[n++] = '0';
        }
        buf[n] = 0;
        return n;
    }
    return 0;
}

size_t json_number_text(double v, char buf[JSON_NUMBER_TEXT])
{
    if (!isfinite(v)) {
        memcpy(buf, "null", 5);
        return 4;
    }
    size_t n = decimal_text(v, buf);
    for (int digits = 15; n == 0 && digits <= 17; digits++) {
        int k = snprintf(buf, JSON_NUMBER_TEXT, "%.*g", digits, v);
        if (digits == 17 || strtod(buf, NULL) == v) n = (size_t)k;
    }
    return n;
}

size_t json_float_text(float v, char buf[JSON_NUMBER_TEXT])
{
    if (!isfinite(v)) return json_number_text((double)v, buf);
    for (int digits = 6;; digits++) {
        int k = snprintf(buf, JSON_NUMBER_TEXT, "%.*g", digits, (double)v);
        if (digits == 9 || strtof(buf, NULL) == v) {
            if (v == 0.0f && signbit(v)) return json_number_text((double)v, buf);
            return (size_t)k;
        }
    }
}

void json_put_int(json_writer *w, int64_t v)
{
    char buf[24];
    before_value(w);
    size_t n = 0;
    if (v < 0) buf[n++] = '-';
    n += uint_text(v < 0 ? 0u - (uint64_t)v : (uint64_t)v, buf + n);
    text_append_n(w->to, buf, n);
}

void json_put_uint(json_writer *w, uint64_t v)
{
    char buf[24];
    before_value(w);
    text_append_n(w->to, buf, uint_text(v, buf));
}

void json_put_number(json_writer *w, double v)
{
    char buf[JSON_NUMBER_TEXT];
    before_value(w);
    text_append_n(w->to, buf, json_number_text(v, buf));
}

void json_put_float(json_writer *w, float v)
{
    char buf[JSON_NUMBER_TEXT];
    before_value(w);
    text_append_n(w->to, buf, json_float_text(v, buf));
}

void json_put_bool(json_writer *w, bool v)
{
    before_value(w);
    text_append(w->to, v ? "true" : "false");
}

void json_put_null(json_writer *w)
{
    before_value(w);
    text_append(w->to, "null");
}

void json_put_raw(json_writer *w, const char *text, size_t n)
{
    before_value(w);
    text_append_n(w->to, text, n);
}

void json_pair_object(json_writer *w, const char *key)
{
    json_key(w, key);
    json_open_object(w);
}

void json_pair_array(json_writer *w, const char *key)
{
    json_key(w, key);
    json_open_array(w);
}

void json_pair_text(json_writer *w, const char *key, const char *s)
{
    json_key(w, key);
    json_put_text(w, s);
}

void json_pair_int(json_writer *w, const char *key, int64_t v)
{
    json_key(w, key);
    json_put_int(w, v);
}

void json_pair_uint(json_writer *w, const char *key, uint64_t v)
{
    json_key(w, key);
    json_put_uint(w, v);
}

void json_pair_number(json_writer *w, const char *key, double v)
{
    json_key(w, key);
    json_put_number(w, v);
}

void json_pair_bool(json_writer *w, const char *key, bool v)
{
    json_key(w, key);
    json_put_bool(w, v);
}
