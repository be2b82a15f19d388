// A growable string, and what is needed to lay text out in columns.
//
// Writers (JSON, CSV, reports, help) append to a text_buf and look at success once, at the end: when memory runs out the
// buffer remembers it, further appends do nothing, and text_check() says so. Zero is an empty buffer. The display width
// of UTF-8 is counted by our own small table instead of the C locale, so that it is the same everywhere and in tests.
#ifndef KEIKO_BASE_TEXT_H
#define KEIKO_BASE_TEXT_H

#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text_buf {
    char *data; // NULL while empty; otherwise ends in NUL
    size_t len, cap;
    bool failed; // memory ran out
} text_buf;

void text_append(text_buf *t, const char *s);
void text_append_n(text_buf *t, const char *s, size_t n); // any bytes
void text_char(text_buf *t, char c);
void text_repeat(text_buf *t, char c, int n); // n <= 0 appends nothing
void text_printf(text_buf *t, const char *fmt, ...) KEIKO_PRINTF(2, 3);
void text_vprintf(text_buf *t, const char *fmt, va_list ap);
char *text_reserve(text_buf *t, size_t n); // room for n bytes at the end, NULL without memory; then raise t->len
void text_truncate(text_buf *t, size_t len);

const char *text_str(const text_buf *t); // never NULL; borrowed until the next append
err text_check(const text_buf *t);       // ERR_MEMORY when an append failed
char *text_take(text_buf *t);            // caller frees; NULL when an append failed. Leaves the buffer empty
void text_clear(text_buf *t);            // keeps the memory
void text_free(text_buf *t);

// Decodes one UTF-8 character of s[0…n); returns its length in bytes (>= 1 for n >= 1). A malformed byte counts as one
// character, U+FFFD. Overlong forms, surrogates and values above U+10FFFF are malformed.
size_t text_utf8_next(const char *s, size_t n, uint32_t *code);
size_t text_utf8_put(uint32_t code, char out[4]); // returns the length; an invalid code becomes U+FFFD
bool text_utf8_ok(const char *s, size_t n);
int text_code_columns(uint32_t code); // 0 for combining marks and controls, 2 for East Asian wide, else 1

// Columns a terminal needs for s[0…n). Colour sequences (ESC [ … m) count nothing.
int text_columns(const char *s, size_t n);

// Text from outside (a file's comments, another program's words) for a terminal: control characters, which could move the
// cursor or retitle the window, become visible (^[), and so do malformed bytes and marks that change the direction of
// writing. Line ends and tabs stay with `lines`, and become blanks without.
void text_append_safe(text_buf *t, const char *s, bool lines);

// 999, 12.3k, 4.56M, 0.12, 1.5e-4: about three digits that matter. Returns the length.
enum { TEXT_SHORT = 24 };
size_t text_short(double v, char buf[TEXT_SHORT]);

// Appends `s` wrapped to `width` columns, each line after `indent` spaces; the first line too, unless the buffer's last
// line already has `column` characters on it (column > 0). A blank line parts paragraphs; a line that begins with a space
// is kept as it is; other line ends count as spaces. Two spaces or more between words stay two. A word that is too long for any
// line is broken behind its commas. Ends with a newline.
void text_wrap(text_buf *t, const char *s, int column, int indent, int width);

// One word for a shell: as it is where nothing in it is special, else in single quotes.
void text_shell(text_buf *t, const char *s);
bool text_shell_plain(const char *s); // nothing special in it

#endif
