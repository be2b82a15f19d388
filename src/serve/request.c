// See request.h.
#include "serve/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- answers

void reply_free(reply *r)
{
    text_free(&r->body);
    *r = (reply){0};
}

void reply_refuse(reply *r, int status, const char *fmt, ...)
{
    text_buf words = {0};
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&words, fmt, ap);
    va_end(ap);
    text_clear(&r->body);
    json_writer w = json_begin(&r->body, false);
    json_open_object(&w);
    json_pair_text(&w, "error", text_str(&words));
    json_close(&w);
    text_free(&words);
    r->status = status;
}

void reply_err(reply *r, err e)
{
    static const int status[] = {[ERR_OK] = 200,     [ERR_USAGE] = 400, [ERR_PARSE] = 400,   [ERR_IO] = 500,
                                 [ERR_MEMORY] = 503, [ERR_LIMIT] = 400, [ERR_MISSING] = 404, [ERR_STOPPED] = 503};
    reply_refuse(r, status[e], "%s", err_text());
}

json_writer reply_begin(reply *r)
{
    text_clear(&r->body);
    json_writer w = json_begin(&r->body, false);
    json_open_object(&w);
    return w;
}

void reply_end(reply *r, json_writer *w, int status)
{
    json_close(w);
    err e = json_finish(w);
    if (e == ERR_OK)
        r->status = status;
    else
        reply_err(r, e);
}

// --- bodies

static err read_body(const request *q, json_doc **doc)
{
    bool blank = true;
    for (size_t i = 0; i < q->size && blank; i++) blank = strchr(" \t\r\n", q->body[i]) != NULL && q->body[i] != 0;
    if (blank) return json_read(doc, "{}", 2, "body");
    return json_read(doc, q->body, q->size, "body");
}

static err read_member(request_args *a, const char *key, const json_val *v)
{
    double number;
    int64_t whole = 0;
    bool yes;
    err e = ERR_OK;
    call_arg *to = &a->arg[a->n];
    json_kind kind = json_kind_of(v);
    if (kind == JK_NULL) return ERR_OK;
    if (a->n == REQUEST_ARGS) return err_set(ERR_LIMIT, "body: at most %d texts", REQUEST_ARGS);
    to->key = key;
    if (kind == JK_INT) {
        e = json_get_int(v, INT64_MIN, INT64_MAX, &whole);
        snprintf(a->number[a->n], JSON_NUMBER_TEXT, "%" PRId64, whole);
        to->value = a->number[a->n];
    } else if (kind == JK_NUMBER) {
        e = json_get_number(v, -1e300, 1e300, &number);
        if (e == ERR_OK) json_number_text(number, a->number[a->n]);
        to->value = a->number[a->n];
    } else if (kind == JK_BOOL) {
        e = json_get_bool(v, &yes);
        to->value = yes ? "yes" : "no";
    } else {
        e = json_get_text(v, &to->value);
    }
    if (e == ERR_OK) a->n++;
    return e;
}

err request_args_read(request_args **out, const request *q, const char *member)
{
    request_args *a = calloc(1, sizeof *a);
    void *iter = NULL;
    const char *key;
    json_val one;
    if (a == NULL) return err_set(ERR_MEMORY, "no memory for a request");
    err e = read_body(q, &a->doc);
    if (e != ERR_OK) {
        free(a);
        return e;
    }
    json_val v = json_root(a->doc);
    e = json_get_object(&v);
    if (e == ERR_OK && member != NULL) {
        v = json_member(&v, member);
        if (json_kind_of(&v) != JK_NONE && json_kind_of(&v) != JK_NULL) e = json_get_object(&v);
    }
    while (e == ERR_OK && json_kind_of(&v) == JK_OBJECT && json_each(&v, &iter, &key, &one))
        e = read_member(a, key, &one);
    return HAND_OVER(e, out, a, request_args_free);
}

void request_args_free(request_args *a)
{
    if (a == NULL) return;
    json_free(a->doc);
    free(a);
}

const char *request_arg(const request_args *a, const char *key, const char *otherwise)
{
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->arg[i].key, key) == 0) return a->arg[i].value;
    return otherwise;
}

err request_keys(const request *q, const char *keys)
{
    json_doc *doc = NULL;
    void *iter = NULL;
    const char *key;
    json_val one;
    err e = read_body(q, &doc);
    if (e != ERR_OK) return e;
    json_val v = json_root(doc);
    e = json_get_object(&v);
    while (e == ERR_OK && json_each(&v, &iter, &key, &one)) e = session_call_keys(keys, key);
    json_free(doc);
    return e;
}

err request_text(const request *q, const char *member, char **out)
{
    json_doc *doc = NULL;
    const char *text = NULL;
    *out = NULL;
    err e = read_body(q, &doc);
    if (e != ERR_OK) return e;
    json_val v = json_root(doc);
    e = json_get_object(&v);
    if (e == ERR_OK) e = json_maybe_text(&v, member, &text);
    if (e == ERR_OK && text != NULL && (*out = strdup(text)) == NULL)
        e = err_set(ERR_MEMORY, "no memory for a request");
    json_free(doc);
    return e;
}

// --- queries

const char *request_query(const request *q, const char *key)
{
    return q->query != NULL ? q->query(q->query_ctx, key) : NULL;
}

err request_whole(const request *q, const char *key, int64_t low, int64_t high, int64_t *io)
{
    const char *text = request_query(q, key);
    char *end;
    if (text == NULL) return ERR_OK;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end != 0 || v < low || v > high)
        return err_set(ERR_USAGE, "'%s' must be a whole number from %" PRId64 " to %" PRId64 ", not '%.40s'", key, low,
                       high, text);
    *io = v;
    return ERR_OK;
}
