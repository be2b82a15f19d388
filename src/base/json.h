// JSON out, by our own writer; JSON in, through jansson where it was there at build time.
//
// Writing appends to a text_buf and cannot go wrong but for memory: text_check() or json_finish() tell at the end. Numbers
// come back exactly when read; what JSON cannot say (NaN, infinity) is null. Strings are valid UTF-8 whatever went in, and
// '<' is escaped, so the output can stand inside HTML.
//
// Reading hands out json_val, a place in the document that knows its own path, so that every complaint names it:
// "bench.json: players[2].id must be a string". Without jansson, json_read() says so (ERR_MISSING) and nothing else of the
// reading half is ever reached.
#ifndef KEIKO_BASE_JSON_H
#define KEIKO_BASE_JSON_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- writing

enum { JSON_DEPTH = 64 }; // objects and arrays inside each other

typedef struct json_writer {
    text_buf *to; // borrowed
    bool pretty;
    int depth;
    uint64_t is_object, has_items; // a bit a level
    bool after_key;
} json_writer;

json_writer json_begin(text_buf *to, bool pretty);
err json_finish(json_writer *w); // everything must be closed; appends a newline when pretty

void json_open_object(json_writer *w);
void json_open_array(json_writer *w);
void json_close(json_writer *w); // the innermost object or array
void json_key(json_writer *w, const char *key);

void json_put_text(json_writer *w, const char *s); // NULL writes null
void json_put_text_n(json_writer *w, const char *s, size_t n);
void json_put_int(json_writer *w, int64_t v);
void json_put_uint(json_writer *w, uint64_t v);
void json_put_number(json_writer *w, double v); // a short text that reads back as v exactly
void json_put_float(json_writer *w, float v);   // a short text that reads back as this float
void json_put_bool(json_writer *w, bool v);
void json_put_null(json_writer *w);
void json_put_raw(json_writer *w, const char *text, size_t n); // one value that is JSON already

// key and value in one call
void json_pair_object(json_writer *w, const char *key);
void json_pair_array(json_writer *w, const char *key);
void json_pair_text(json_writer *w, const char *key, const char *s);
void json_pair_int(json_writer *w, const char *key, int64_t v);
void json_pair_uint(json_writer *w, const char *key, uint64_t v);
void json_pair_number(json_writer *w, const char *key, double v);
void json_pair_bool(json_writer *w, const char *key, bool v);

// The number alone, as json_put_number writes it; returns its length. Also what CSV uses.
enum { JSON_NUMBER_TEXT = 32 };
size_t json_number_text(double v, char buf[JSON_NUMBER_TEXT]);
size_t json_float_text(float v, char buf[JSON_NUMBER_TEXT]);

// --- reading

typedef struct json_doc json_doc;

// `name` begins every later complaint ("bench.json"; "" for none). Malformed text: "name: line 3, column 7: …".
err json_read(json_doc **out, const char *text, size_t size, const char *name); // caller frees with json_free
err json_read_file(json_doc **out, const char *path, size_t most);              // at most this many bytes
void json_free(json_doc *d);

typedef struct json_val {
    const json_doc *doc;
    void *node;     // NULL: not there
    char path[112]; // "players[2].id", cut short with "..." where it would be longer
} json_val;

typedef enum json_kind { JK_NONE, JK_NULL, JK_BOOL, JK_INT, JK_NUMBER, JK_TEXT, JK_ARRAY, JK_OBJECT } json_kind;

json_val json_root(const json_doc *d);
json_kind json_kind_of(const json_val *v);
json_val json_member(const json_val *v, const char *key); // not there when missing, or when v is no object
json_val json_item(const json_val *v, int i);
int json_count(const json_val *v); // members or items; 0 for anything else

// Walks an object in the order of the file: *iter starts as NULL; false at the end. Key and member are borrowed.
bool json_each(const json_val *v, void **iter, const char **key, json_val *member);

// The value, of the kind asked for and within bounds, or a sentence that names its path. Texts live as long as the doc.
err json_get_text(const json_val *v, const char **out);
err json_get_int(const json_val *v, int64_t low, int64_t high, int64_t *out);
err json_get_number(const json_val *v, double low, double high, double *out);
err json_get_bool(const json_val *v, bool *out);
err json_get_array(const json_val *v, int most, int *n); // checks that it is one, and not too long
err json_get_object(const json_val *v);

// A member of the object `v`. Missing is an error…
err json_need(const json_val *v, const char *key, json_val *out);
err json_need_text(const json_val *v, const char *key, const char **out);
err json_need_int(const json_val *v, const char *key, int64_t low, int64_t high, int64_t *out);
err json_need_number(const json_val *v, const char *key, double low, double high, double *out);
// …or leaves *io as it is, as null does.
err json_maybe_text(const json_val *v, const char *key, const char **io);
err json_maybe_int(const json_val *v, const char *key, int64_t low, int64_t high, int64_t *io);
err json_maybe_number(const json_val *v, const char *key, double low, double high, double *io);
err json_maybe_bool(const json_val *v, const char *key, bool *io);

// The object has no other keys than these; a misspelt one is answered with the nearest.
err json_only(const json_val *v, const char *const *keys, int n);

// A complaint of your own about a place: "bench.json: players[2].id …"
err json_refuse(const json_val *v, const char *fmt, ...) KEIKO_PRINTF(2, 3);

// The value copied out again by our writer; a document read from what was written is the same.
void json_copy_out(json_writer *w, const json_val *v);

#endif
