// Config files: lines of `key = value` with the same names as the options.
//
// A value runs to the end of the line or to a # behind a blank; quotes ('…' or "…") keep blanks and # inside. Every
// mistake names the file and the line. What a person typed on the command line wins over the file.
#include "base/file.h"
#include "base/json.h"
#include "base/opt_inner.h"
#include "base/opt_table.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIG_MOST = 1 << 20 }; // bytes; a larger "config" is some other file

typedef struct span {
    const char *s;
    size_t n;
} span;

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static span trim(const char *s, const char *end)
{
    while (s < end && blank(*s)) s++;
    while (s < end && blank(end[-1])) end--;
    return (span){s, (size_t)(end - s)};
}

// Splits one line; key.n is 0 on an empty line. `where` is "file:line".
static err split_line(const char *s, const char *end, const char *where, span *key, span *value)
{
    span line = trim(s, end);
    *key = *value = (span){line.s, 0};
    if (line.n == 0 || line.s[0] == '#') return ERR_OK;
    if (memchr(line.s, 0, line.n) != NULL) return err_set(ERR_PARSE, "%s: a zero byte; this is no text file", where);
    const char *eq = memchr(line.s, '=', line.n), *stop = line.s + line.n;
    if (eq == NULL || eq == line.s)
        return err_set(ERR_PARSE, "%s: expected key = value, not '%.*s'", where, (int)(line.n < 40 ? line.n : 40),
                       line.s);
    *key = trim(line.s, eq);
    *value = trim(eq + 1, stop);
    if (value->n > 0 && (value->s[0] == '"' || value->s[0] == '\'')) {
        const char *close = memchr(value->s + 1, value->s[0], value->n - 1);
        if (close == NULL) return err_set(ERR_PARSE, "%s: the value begins with a quote that does not end", where);
        span rest = trim(close + 1, stop);
        if (rest.n > 0 && rest.s[0] != '#')
            return err_set(ERR_PARSE, "%s: nothing but a comment may follow the closing quote", where);
        *value = (span){value->s + 1, (size_t)(close - value->s - 1)};
        return ERR_OK;
    }
    for (size_t i = 0; i < value->n; i++)
        if (value->s[i] == '#' && (i == 0 || blank(value->s[i - 1]))) {
            *value = trim(value->s, value->s + i);
            break;
        }
    return ERR_OK;
}

typedef struct config {
    const opt **rows;
    int n;
    void *into;
    const char *name;
    opt_values *keep;
    int *line_of; // where each row was set, 0 = not yet
} config;

static err set_line(void *ctx, const char *where, int line, span key, span value)
{
    config *c = ctx;
    int row = 0;
    while (row < c->n && !opt_is(c->rows[row], key.s, key.n)) row++;
    if (row == c->n) return opt_unknown_key(c->rows, c->n, key.s, key.n, where);
    const opt *o = c->rows[row];
    if (c->line_of[row] != 0)
        return err_set(ERR_USAGE, "%s: '%s' was already set in line %d", where, o->name, c->line_of[row]);
    c->line_of[row] = line;
    char label[FILE_PATH + 16 + OPT_NAME];
    snprintf(label, sizeof label, "%s: %s", where, o->name);
    char *text = opt_keep_text(c->keep, value.s, value.n);
    if (text == NULL) return err_set(ERR_MEMORY, "out of memory while reading %s", c->name);
    if (!opt_on_command_line(c->keep, o)) {
        err e = opt_store(o, c->into, text, label);
        if (e == ERR_OK) opt_mark_filed(c->keep, o);
        return e;
    }
    alignas(max_align_t) char unused[16]; // checked, but the command line's value stays
    opt aside = *o;
    aside.at = 0;
    return opt_store(&aside, unused, text, label);
}

// Hands every line that has a key to `take`.
typedef err take_line(void *ctx, const char *where, int line, span key, span value);

static err read_lines(const char *name, const char *text, size_t size, take_line *take, void *ctx)
{
    const char *p = text, *end = text + size;
    if (size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3; // some editors put a mark first
    for (int line = 1; p < end; line++) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (eol == NULL) eol = end;
        char where[FILE_PATH + 16];
        snprintf(where, sizeof where, "%s:%d", name, line);
        span key, value;
        err e = split_line(p, eol, where, &key, &value);
        if (e == ERR_OK && key.n > 0) e = take(ctx, where, line, key, value);
        if (e != ERR_OK) return e;
        p = eol < end ? eol + 1 : end;
    }
    return ERR_OK;
}

typedef struct each {
    opt_see_pair *see;
    void *ctx;
} each;

static err take_any(void *ctx, const char *where, int line, span key, span value)
{
    const each *e = ctx;
    text_buf t = {0};
    (void)line;
    text_append_n(&t, key.s, key.n);
    text_char(&t, 0);
    size_t at = t.len;
    text_append_n(&t, value.s, value.n);
    if (t.failed) return err_set(ERR_MEMORY, "out of memory at %s", where);
    e->see(e->ctx, t.data, t.data + at);
    text_free(&t);
    return ERR_OK;
}

err opt_config_each(const char *name, const char *text, size_t size, opt_see_pair *see, void *ctx)
{
    return read_lines(name, text, size, take_any, &(each){see, ctx});
}

err opt_config_text(const opt *opts, int n, void *into, const char *name, const char *text, size_t size,
                    opt_values *keep)
{
    if (opts != NULL) opts = opt_flat(opts, n, &n);
    for (int i = 0; keep == NULL && i < n; i++) assert(opts[i].name == NULL || !opt_is_text(opts[i].kind));
    opt_values *own = keep == NULL ? opt_keep() : NULL;
    config c = {.into = into, .name = name, .keep = keep == NULL ? own : keep};
    bool line = opts == NULL && into == NULL; // the rows of a whole command line
    assert(!line || keep != NULL);
    int most = line ? opt_values_rows(keep) : n;
    c.rows = calloc((size_t)most + 1, sizeof *c.rows);
    c.line_of = calloc((size_t)most + 1, sizeof *c.line_of);
    err e = ERR_OK;
    if (c.keep == NULL || c.rows == NULL || c.line_of == NULL) {
        e = err_set(ERR_MEMORY, "out of memory while reading %s", name);
        goto done;
    }
    for (int i = 0; i < most; i++) {
        const opt *o = line ? opt_values_row(keep, i) : &opts[i];
        if (o->name != NULL && o->kind != OPT_LIST) c.rows[c.n++] = o;
    }
    if (line) c.into = opt_values_struct(keep);
    e = read_lines(name, text, size, set_line, &c);
done:
    free(c.rows);
    free(c.line_of);
    opt_free(own);
    return e;
}

err opt_config_file(const opt *opts, int n, void *into, const char *path, opt_values *keep)
{
    char *data;
    size_t size;
    err e = file_read(path, CONFIG_MOST, &data, &size);
    if (e != ERR_OK) return e;
    e = opt_config_text(opts, n, into, path, data, size, keep);
    free(data);
    return e;
}

// --- out

// Quotes keep blanks and #; a text with both kinds of quotes can stand bare, unless its ends or a # would be lost.
static err print_text(const opt *o, const char *v, text_buf *to)
{
    char quote = strchr(v, '"') == NULL ? '"' : strchr(v, '\'') == NULL ? '\'' : 0;
    span bare = trim(v, v + strlen(v));
    bool whole = bare.n == strlen(v) && v[0] != '"' && v[0] != '\'' && strchr(v, '#') == NULL;
    if (strchr(v, '\n') != NULL || (quote == 0 && !whole))
        return err_set(ERR_USAGE, "the value of '%s' cannot be written to a config file: %s", o->name, v);
    if (quote != 0)
        text_printf(to, "%s = %c%s%c\n", o->name, quote, v, quote);
    else
        text_printf(to, "%s = %s\n", o->name, v);
    return ERR_OK;
}

err opt_config_print(const opt *opts, int n, const void *values, const char *const *skip, text_buf *to)
{
    opts = opt_flat(opts, n, &n);
    for (int i = 0; i < n; i++) {
        const opt *o = &opts[i];
        const void *at = (const char *)values + o->at;
        char number[JSON_NUMBER_TEXT];
        int k = 0;
        while (o->name != NULL && skip != NULL && skip[k] != NULL && strcmp(skip[k], o->name) != 0) k++;
        if (o->name == NULL || o->kind == OPT_LIST || (skip != NULL && skip[k] != NULL)) continue;
        err e = ERR_OK;
        if (opt_is_text(o->kind)) {
            const char *v = *(const char *const *)at;
            e = v == NULL ? ERR_OK : print_text(o, v, to);
        } else if (o->kind == OPT_FLAG) {
            text_printf(to, "%s = %s\n", o->name, *(const bool *)at ? "yes" : "no");
        } else if (o->kind == OPT_INT) {
            text_printf(to, "%s = %lld\n", o->name, (long long)*(const int64_t *)at);
        } else {
            json_number_text(*(const double *)at, number);
            text_printf(to, "%s = %s\n", o->name, number);
        }
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}
