// The JSON reader: typed getters that name the place, over jansson's tree. See json.h. The only file that sees jansson.
#include "base/json.h"

#include "base/file.h"
#include "base/opt.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#if defined(KEIKO_JSON)
#include <jansson.h>
#endif

struct json_doc {
    void *root;
    char name[200];
};

err json_refuse(const json_val *v, const char *fmt, ...)
{
    char what[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    const char *name = v->doc == NULL ? "" : v->doc->name;
    return err_set(ERR_PARSE, "%s%s%s %s", name, name[0] ? ": " : "", v->path[0] ? v->path : "the document", what);
}

// --- paths

static void path_join(char *out, size_t size, const char *path, const char *more)
{
    size_t n = strlen(path), k = strlen(more);
    memmove(out, path, n < size ? n + 1 : size);
    if (n + k < size) {
        memcpy(out + n, more, k + 1);
        return;
    }
    size_t keep = n < size - 4 ? n : size - 4; // what still fits, then dots
    size_t take = size - 4 - keep < k ? size - 4 - keep : k;
    memcpy(out + keep, more, take);
    memcpy(out + keep + take, "...", 4);
}

static json_val child(const json_val *v, void *node, const char *key, int index)
{
    json_val c = {.doc = v->doc, .node = node};
    char step[80];
    if (key != NULL)
        snprintf(step, sizeof step, "%s%.64s", v->path[0] ? "." : "", key);
    else
        snprintf(step, sizeof step, "[%d]", index);
    path_join(c.path, sizeof c.path, v->path, step);
    return c;
}

// --- over jansson, or without it

#if defined(KEIKO_JSON)

err json_read(json_doc **out, const char *text, size_t size, const char *name)
{
    size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    json_error_t why;
    json_t *root = json_loadb(text + mark, size - mark, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    if (root == NULL) {
        char place[64] = "";
        if (why.line > 0)
            snprintf(place, sizeof place, "line %d, column %d: ", why.line, why.column > 0 ? why.column : 1);
        return err_set(ERR_PARSE, "%s%s%s%s", name, name[0] ? ": " : "", place, why.text);
    }
    json_doc *d = calloc(1, sizeof *d);
    if (d == NULL) {
        json_decref(root);
        return err_set(ERR_MEMORY, "out of memory while reading %s", name);
    }
    d->root = root;
    snprintf(d->name, sizeof d->name, "%s", name);
    *out = d;
    return ERR_OK;
}

void json_free(json_doc *d)
{
    if (d == NULL) return;
    json_decref(d->root);
    free(d);
}

json_kind json_kind_of(const json_val *v)
{
    if (v->node == NULL) return JK_NONE;
    switch (json_typeof((const json_t *)v->node)) {
    case JSON_OBJECT:
        return JK_OBJECT;
    case JSON_ARRAY:
        return JK_ARRAY;
    case JSON_STRING:
        return JK_TEXT;
    case JSON_INTEGER:
        return JK_INT;
    case JSON_REAL:
        return JK_NUMBER;
    case JSON_TRUE:
    case JSON_FALSE:
        return JK_BOOL;
    case JSON_NULL:
        return JK_NULL;
    }
    return JK_NONE;
}

json_val json_member(const json_val *v, const char *key)
{
    return child(v, v->node == NULL ? NULL : json_object_get(v->node, key), key, 0);
}

json_val json_item(const json_val *v, int i)
{
    return child(v, v->node == NULL || i < 0 ? NULL : json_array_get(v->node, (size_t)i), NULL, i);
}

int json_count(const json_val *v)
{
    if (v->node == NULL) return 0;
    size_t n = json_is_array((json_t *)v->node) ? json_array_size(v->node) : json_object_size(v->node);
    return n > INT32_MAX ? INT32_MAX : (int)n;
}

bool json_each(const json_val *v, void **iter, const char **key, json_val *member)
{
    if (v->node == NULL || !json_is_object((json_t *)v->node)) return false;
    *iter = *iter == NULL ? json_object_iter(v->node) : json_object_iter_next(v->node, *iter);
    if (*iter == NULL) return false;
    *key = json_object_iter_key(*iter);
    *member = child(v, json_object_iter_value(*iter), *key, 0);
    return true;
}

static const char *text_of(const json_val *v, size_t *n)
{
    *n = json_string_length(v->node);
    return json_string_value(v->node);
}

static int64_t int_of(const json_val *v)
{
    return json_integer_value(v->node);
}

static double number_of(const json_val *v)
{
    return json_number_value(v->node);
}

static bool bool_of(const json_val *v)
{
    return json_is_true((const json_t *)v->node);
}

#else

err json_read(json_doc **out, const char *text, size_t size, const char *name)
{
    (void)out, (void)text, (void)size;
    return err_set(ERR_MISSING, "%s%sbuilt without JSON reading; install jansson and build again", name,
                   name[0] ? ": " : "");
}

void json_free(json_doc *d)
{
    free(d); // there never is one
}

json_kind json_kind_of(const json_val *v)
{
    (void)v;
    return JK_NONE;
}

json_val json_member(const json_val *v, const char *key)
{
    return child(v, NULL, key, 0);
}

json_val json_item(const json_val *v, int i)
{
    return child(v, NULL, NULL, i);
}

int json_count(const json_val *v)
{
    (void)v;
    return 0;
}

bool json_each(const json_val *v, void **iter, const char **key, json_val *member)
{
    (void)v, (void)iter, (void)key, (void)member;
    return false;
}

static const char *text_of(const json_val *v, size_t *n)
{
    (void)v;
    *n = 0;
    return "";
}

static int64_t int_of(const json_val *v)
{
    (void)v;
    return 0;
}

static double number_of(const json_val *v)
{
    (void)v;
    return 0.0;
}

static bool bool_of(const json_val *v)
{
    (void)v;
    return false;
}

#endif

err json_read_file(json_doc **out, const char *path, size_t most)
{
    char *data;
    size_t size;
    err e = file_read(path, most, &data, &size);
    if (e != ERR_OK) return e;
    e = json_read(out, data, size, path);
    free(data);
    return e;
}

json_val json_root(const json_doc *d)
{
    return (json_val){.doc = d, .node = d->root};
}

// --- typed values

err json_get_text(const json_val *v, const char **out)
{
    size_t n;
    if (json_kind_of(v) != JK_TEXT) return json_refuse(v, "must be a string");
    *out = text_of(v, &n);
    return ERR_OK;
}

err json_get_int(const json_val *v, int64_t low, int64_t high, int64_t *out)
{
    json_kind k = json_kind_of(v);
    int64_t i = k == JK_INT ? int_of(v) : 0;
    bool ok = k == JK_INT;
    if (k == JK_NUMBER) { // 1e3 and 5.0 are whole numbers too
        double d = number_of(v);
        ok = d >= -9007199254740992.0 && d <= 9007199254740992.0 && d == (double)(int64_t)d;
        i = ok ? (int64_t)d : 0;
    }
    if (!ok) return json_refuse(v, "must be a whole number");
    if (i < low || i > high) {
        if (high == INT64_MAX) return json_refuse(v, "must be at least %lld, not %lld", (long long)low, (long long)i);
        return json_refuse(v, "must be from %lld to %lld, not %lld", (long long)low, (long long)high, (long long)i);
    }
    *out = i;
    return ERR_OK;
}

err json_get_number(const json_val *v, double low, double high, double *out)
{
    json_kind k = json_kind_of(v);
    if (k != JK_INT && k != JK_NUMBER) return json_refuse(v, "must be a number");
    double d = number_of(v);
    if (!(d >= low && d <= high)) return json_refuse(v, "must be from %.15g to %.15g, not %.15g", low, high, d);
    *out = d;
    return ERR_OK;
}

err json_get_bool(const json_val *v, bool *out)
{
    if (json_kind_of(v) != JK_BOOL) return json_refuse(v, "must be true or false");
    *out = bool_of(v);
    return ERR_OK;
}

err json_get_array(const json_val *v, int most, int *n)
{
    if (json_kind_of(v) != JK_ARRAY) return json_refuse(v, "must be an array");
    if (json_count(v) > most) return json_refuse(v, "has %d items; at most %d are accepted", json_count(v), most);
    *n = json_count(v);
    return ERR_OK;
}

err json_get_object(const json_val *v)
{
    return json_kind_of(v) == JK_OBJECT ? ERR_OK : json_refuse(v, "must be an object");
}

// --- members

err json_need(const json_val *v, const char *key, json_val *out)
{
    err e = json_get_object(v);
    if (e != ERR_OK) return e;
    json_val m = json_member(v, key);
    if (m.node == NULL) return json_refuse(&m, "is missing");
    *out = m;
    return ERR_OK;
}

err json_need_text(const json_val *v, const char *key, const char **out)
{
    json_val m;
    err e = json_need(v, key, &m);
    return e == ERR_OK ? json_get_text(&m, out) : e;
}

err json_need_int(const json_val *v, const char *key, int64_t low, int64_t high, int64_t *out)
{
    json_val m;
    err e = json_need(v, key, &m);
    return e == ERR_OK ? json_get_int(&m, low, high, out) : e;
}

err json_need_number(const json_val *v, const char *key, double low, double high, double *out)
{
    json_val m;
    err e = json_need(v, key, &m);
    return e == ERR_OK ? json_get_number(&m, low, high, out) : e;
}

// Is there such a member with something to read?
static bool there(const json_val *v, const char *key, json_val *m)
{
    *m = json_member(v, key);
    json_kind k = json_kind_of(m);
    return k != JK_NONE && k != JK_NULL;
}

err json_maybe_text(const json_val *v, const char *key, const char **io)
{
    json_val m;
    return there(v, key, &m) ? json_get_text(&m, io) : ERR_OK;
}

err json_maybe_int(const json_val *v, const char *key, int64_t low, int64_t high, int64_t *io)
{
    json_val m;
    return there(v, key, &m) ? json_get_int(&m, low, high, io) : ERR_OK;
}

err json_maybe_number(const json_val *v, const char *key, double low, double high, double *io)
{
    json_val m;
    return there(v, key, &m) ? json_get_number(&m, low, high, io) : ERR_OK;
}

err json_maybe_bool(const json_val *v, const char *key, bool *io)
{
    json_val m;
    return there(v, key, &m) ? json_get_bool(&m, io) : ERR_OK;
}

err json_only(const json_val *v, const char *const *keys, int n)
{
    err e = json_get_object(v);
    void *iter = NULL;
    const char *key;
    json_val member;
    while (e == ERR_OK && json_each(v, &iter, &key, &member)) {
        bool known = false;
        for (int i = 0; i < n; i++) known = known || strcmp(keys[i], key) == 0;
        if (known) continue;
        const char *near = opt_nearest(key, keys, n);
        if (near != NULL) return json_refuse(&member, "is not known here; did you mean '%s'?", near);
        text_buf t = {0};
        for (int i = 0; i < n; i++) text_printf(&t, "%s%s", i == 0 ? "" : ", ", keys[i]);
        e = json_refuse(&member, "is not known here; there are: %s", text_str(&t));
        text_free(&t);
    }
    return e;
}

// --- out again

void json_copy_out(json_writer *w, const json_val *v)
{
    size_t n;
    const char *s;
    switch (json_kind_of(v)) {
    case JK_BOOL:
        json_put_bool(w, bool_of(v));
        break;
    case JK_INT:
        json_put_int(w, int_of(v));
        break;
    case JK_NUMBER:
        json_put_number(w, number_of(v));
        break;
    case JK_TEXT:
        s = text_of(v, &n);
        json_put_text_n(w, s, n);
        break;
    case JK_ARRAY:
    case JK_OBJECT:
        if (w->depth == JSON_DEPTH) { // deeper than we write
            json_put_null(w);
            break;
        }
        if (json_kind_of(v) == JK_ARRAY) {
            json_open_array(w);
            for (int i = 0; i < json_count(v); i++) {
                json_val item = json_item(v, i);
                json_copy_out(w, &item);
            }
        } else {
            json_open_object(w);
            void *iter = NULL;
            json_val member;
            while (json_each(v, &iter, &s, &member)) {
                json_key(w, s);
                json_copy_out(w, &member);
            }
        }
        json_close(w);
        break;
    case JK_NONE:
    case JK_NULL:
        json_put_null(w);
        break;
    }
}
