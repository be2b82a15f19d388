// The sentence of the last error, one buffer per thread.
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef err_set // macros for clang-tidy
#undef err_parse
#undef err_prefix

static _Thread_local char text[ERR_TEXT];

const char *err_text(void)
{
    return text;
}

err err_set(err code, const char *fmt, ...)
{
    char fresh[ERR_TEXT]; // the arguments may point into `text`
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(fresh, sizeof fresh, fmt, ap);
    va_end(ap);
    memcpy(text, fresh, sizeof text);
    return code;
}

err err_prefix(err e, const char *fmt, ...)
{
    if (e == ERR_OK) return e;
    char context[ERR_TEXT / 2], fresh[2 * ERR_TEXT];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(context, sizeof context, fmt, ap);
    va_end(ap);
    snprintf(fresh, sizeof fresh, "%s: %s", context, text);
    memcpy(text, fresh, ERR_TEXT - 1);
    text[ERR_TEXT - 1] = 0;
    return e;
}

err err_parse(const char *source, size_t at, const char *fmt, ...)
{
    char what[ERR_TEXT / 2], near[20] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);

    // Line and column, counted as an editor does; the excerpt shows printable bytes only.
    size_t line = 1, column = 1, n = 0;
    for (size_t i = 0; i < at && source[i]; i++) {
        column++;
        if (source[i] == '\n') {
            line++;
            column = 1;
        }
    }
    for (; n < 12 && source[at + n] && source[at + n] != '\n'; n++) {
        unsigned char c = (unsigned char)source[at + n];
        near[n] = (char)(c >= 32 && c < 127 ? c : '?');
    }
    near[n] = 0;
    const char *more = n == 12 && source[at + n] && source[at + n] != '\n' ? "..." : "";

    char place[64];
    if (line > 1)
        snprintf(place, sizeof place, "line %zu, column %zu", line, column);
    else
        snprintf(place, sizeof place, "column %zu", column);
    if (n == 0) return err_set(ERR_PARSE, "%s, at the end: %s", place, what);
    return err_set(ERR_PARSE, "%s, at \"%s%s\": %s", place, near, more, what);
}

void err_keep(err_first *f, err e)
{
    if (e == ERR_OK || f->code != ERR_OK) return;
    f->code = e;
    snprintf(f->text, sizeof f->text, "%s", text);
}

err err_repeat(const err_first *f)
{
    return f->code == ERR_OK ? ERR_OK : err_set(f->code, "%s", f->text);
}
