// safetensors in and out. See safetensors.h.
//
// The header is a small subset of JSON (one object of objects), read by the recursive reader below; anything it meets in
// an unexpected place is refused with the offset in the header.
#include "nn/safetensors.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} dtypes[ST_DTYPES] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"U16", 2}, {"F16", 2}, {"BF16", 2},
                       {"I32", 4},  {"U32", 4}, {"F32", 4}, {"F64", 8}, {"I64", 8}, {"U64", 8}};

struct st_file {
    st_tensor *t; // sorted by name after parsing
    int n, room;
    const st_tensor **by_place;
    char **meta; // key, value, key, value
    int n_meta, meta_room;
};

// --- the JSON subset

typedef struct reader {
    const char *s;
    size_t n, at;
    size_t data_size; // bytes behind the header
    const char *data;
} reader;

static err bad(const reader *r, const char *what)
{
    return err_set(ERR_PARSE, "safetensors header, byte %zu: %s", r->at, what);
}

static char peek(reader *r)
{
    while (r->at < r->n && (r->s[r->at] == ' ' || r->s[r->at] == '\n' || r->s[r->at] == '\t' || r->s[r->at] == '\r'))
        r->at++;
    return r->at < r->n ? r->s[r->at] : 0;
}

static err expect(reader *r, char c)
{
    char what[] = "expected 'x'";
    what[10] = c;
    if (peek(r) != c) return bad(r, what);
    r->at++;
    return ERR_OK;
}

static int hex4(const reader *r)
{
    int v = 0;
    if (r->at + 4 > r->n) return -1;
    for (size_t i = r->at; i < r->at + 4; i++) {
        char c = r->s[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return -1;
        v = v * 16 + digit;
    }
    return v;
}

static size_t put_utf8(char *out, unsigned c)
{
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000)
        return out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)), out[2] = (char)(0x80 | (c & 63)),
               3;
    out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 63));
    return out[2] = (char)(0x80 | (c >> 6 & 63)), out[3] = (char)(0x80 | (c & 63)), 4;
}

// \uXXXX behind the 'u', with its second half where it is a surrogate pair.
static err unescape(reader *r, char *out, size_t *len)
{
    int c = hex4(r);
    if (c < 0) return bad(r, "four hexadecimal digits must follow \\u");
    r->at += 4;
    unsigned code = (unsigned)c;
    if (code >= 0xd800 && code < 0xdc00) {
        int low = -1;
        if (r->at + 6 <= r->n && r->s[r->at] == '\\' && r->s[r->at + 1] == 'u') {
            r->at += 2;
            low = hex4(r);
            r->at += 4;
        }
        if (low < 0xdc00 || low > 0xdfff) return bad(r, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + ((unsigned)low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return bad(r, "half of a surrogate pair");
    }
    if (code == 0) return bad(r, "a NUL in a string");
    *len += put_utf8(out + *len, code);
    return ERR_OK;
}

// A string, unescaped and NUL-terminated. Caller frees.
static err read_string(reader *r, char **out)
{
    err e = expect(r, '"');
    if (e != ERR_OK) return e;
    size_t end = r->at;
    while (end < r->n && r->s[end] != '"') end += r->s[end] == '\\' ? 2 : 1;
    if (end >= r->n) return bad(r, "a string without end");
    char *text = malloc(end - r->at + 1); // no escape is shorter than what it stands for
    if (text == NULL) return err_set(ERR_MEMORY, "no memory for a safetensors header");
    size_t len = 0;
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    while (r->at < end && e == ERR_OK) {
        char c = r->s[r->at++];
        if ((unsigned char)c < 32) e = bad(r, "a control character in a string");
        if (c != '\\') {
            text[len++] = c;
            continue;
        }
        c = r->s[r->at++];
        const char *k = c == 0 ? NULL : strchr(from, c);
        if (c == 'u')
            e = unescape(r, text, &len);
        else if (k == NULL)
            e = bad(r, "an unknown escape");
        else
            text[len++] = to[k - from];
    }
    if (e == ERR_OK && r->at != end) e = bad(r, "a broken escape");
    if (e != ERR_OK) {
        free(text);
        return e;
    }
    r->at = end + 1;
    text[len] = 0;
    *out = text;
    return ERR_OK;
}

static err read_u64(reader *r, uint64_t *out)
{
    char c = peek(r);
    uint64_t v = 0;
    if (c < '0' || c > '9') return bad(r, "expected a whole number");
    while (r->at < r->n && r->s[r->at] >= '0' && r->s[r->at] <= '9') {
        if (v > (UINT64_MAX >> 8)) return bad(r, "the number is too large");
        v = v * 10 + (uint64_t)(r->s[r->at++] - '0');
    }
    *out = v;
    return ERR_OK;
}

static err read_numbers(reader *r, uint64_t *out, int max, int *n)
{
    err e = expect(r, '[');
    *n = 0;
    if (e == ERR_OK && peek(r) == ']') return r->at++, ERR_OK;
    while (e == ERR_OK) {
        if (*n == max) return bad(r, "too many numbers in this list");
        e = read_u64(r, &out[(*n)++]);
        if (e == ERR_OK && peek(r) == ']') return r->at++, ERR_OK;
        if (e == ERR_OK) e = expect(r, ',');
    }
    return e;
}

// --- the header's two kinds of entries

static err read_meta(reader *r, st_file *f)
{
    err e = expect(r, '{');
    if (e == ERR_OK && peek(r) == '}') return r->at++, ERR_OK;
    while (e == ERR_OK) {
        if (!GROW(f->meta, f->n_meta + 1, f->meta_room)) // a key and a value
            return err_set(ERR_MEMORY, "no memory for a safetensors header");
        char *key, *value;
        e = read_string(r, &key);
        if (e != ERR_OK) return e;
        f->meta[f->n_meta] = key;
        e = st_find_meta(f, key) != NULL ? bad(r, "a metadata key twice") : expect(r, ':');
        if (e == ERR_OK) e = read_string(r, &value);
        if (e != ERR_OK) {
            free(key);
            return e;
        }
        f->meta[f->n_meta + 1] = value;
        f->n_meta += 2;
        if (peek(r) == '}') return r->at++, ERR_OK;
        e = expect(r, ',');
    }
    return e;
}

static err read_dtype(reader *r, st_tensor *t)
{
    char *text;
    err e = read_string(r, &text);
    if (e != ERR_OK) return e;
    int k = 0;
    while (k < ST_DTYPES && strcmp(text, dtypes[k].name) != 0) k++;
    free(text);
    if (k == ST_DTYPES) return bad(r, "an unknown dtype");
    t->dtype = (st_dtype)k;
    return ERR_OK;
}

static err read_field(reader *r, st_tensor *t, uint64_t place[2], unsigned *seen)
{
    static const char *const fields[] = {"dtype", "shape", "data_offsets"};
    char *key;
    err e = read_string(r, &key);
    if (e != ERR_OK) return e;
    unsigned k = 0;
    while (k < 3 && strcmp(key, fields[k]) != 0) k++;
    free(key);
    if (k == 3) return bad(r, "an unknown field; a tensor has dtype, shape and data_offsets");
    if (*seen >> k & 1) return bad(r, "a field twice");
    *seen |= 1u << k;
    e = expect(r, ':');
    if (e != ERR_OK) return e;
    if (k == 0) return read_dtype(r, t);
    if (k == 1) return read_numbers(r, t->dims, ST_MAX_DIMS, &t->n_dims);
    int n;
    e = read_numbers(r, place, 2, &n);
    return e == ERR_OK && n != 2 ? bad(r, "data_offsets needs two numbers") : e;
}

static err read_tensor(reader *r, st_tensor *t)
{
    uint64_t place[2] = {0};
    unsigned seen = 0;
    err e = expect(r, '{');
    while (e == ERR_OK) {
        e = read_field(r, t, place, &seen);
        if (e != ERR_OK) return e;
        if (peek(r) == '}') break;
        e = expect(r, ',');
    }
    if (e != ERR_OK) return e;
    r->at++;
    if (seen != 7) return bad(r, "a tensor needs dtype, shape and data_offsets");
    if (place[0] > place[1] || place[1] > r->data_size)
        return err_set(ERR_PARSE, "tensor '%s' lies outside the file (bytes %llu to %llu of %zu): truncated?", t->name,
                       (unsigned long long)place[0], (unsigned long long)place[1], r->data_size);
    uint64_t bytes = dtypes[t->dtype].size;
    for (int i = 0; i < t->n_dims; i++) {
        if (t->dims[i] != 0 && bytes > r->data_size / t->dims[i])
            return err_set(ERR_PARSE, "tensor '%s' is larger than the file", t->name);
        bytes *= t->dims[i];
    }
    if (bytes != place[1] - place[0])
        return err_set(ERR_PARSE, "tensor '%s': its shape needs %llu bytes, its offsets give %llu", t->name,
                       (unsigned long long)bytes, (unsigned long long)(place[1] - place[0]));
    t->data = r->data + place[0];
    t->size = (size_t)bytes;
    return ERR_OK;
}

static err read_entry(reader *r, st_file *f, bool *meta_seen)
{
    char *name;
    err e = read_string(r, &name);
    if (e != ERR_OK) return e;
    e = expect(r, ':');
    if (e == ERR_OK && strcmp(name, "__metadata__") == 0) {
        e = *meta_seen ? bad(r, "__metadata__ twice") : read_meta(r, f);
        *meta_seen = true;
    } else if (e == ERR_OK) {
        if (f->n == f->room) {
            int room = f->room * 2 + 64;
            st_tensor *more = room > ST_MAX_TENSORS ? NULL : realloc(f->t, (size_t)room * sizeof *more);
            if (more == NULL)
                e = err_set(ERR_LIMIT, "too many tensors");
            else
                f->t = more, f->room = room;
        }
        if (e == ERR_OK && strlen(name) >= ST_NAME) e = bad(r, "a tensor's name is too long");
        if (e == ERR_OK) {
            st_tensor *t = &f->t[f->n];
            memset(t, 0, sizeof *t);
            memcpy(t->name, name, strlen(name) + 1);
            e = read_tensor(r, t);
            if (e == ERR_OK) f->n++;
        }
    }
    free(name);
    return e;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const st_tensor *)a)->name, ((const st_tensor *)b)->name);
}

static int compare_places(const void *a, const void *b)
{
    const st_tensor *x = *(const st_tensor *const *)a, *y = *(const st_tensor *const *)b;
    if (x->data != y->data) return (const char *)x->data < (const char *)y->data ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

// Unique names; and the tensors, in the order of their bytes, cover the data without a gap or an overlap.
static err check_whole(st_file *f, const reader *r)
{
    if (f->n > 0) qsort(f->t, (size_t)f->n, sizeof *f->t, compare_names);
    for (int i = 1; i < f->n; i++)
        if (strcmp(f->t[i - 1].name, f->t[i].name) == 0)
            return err_set(ERR_PARSE, "tensor '%s' is there twice", f->t[i].name);
    f->by_place = malloc(((size_t)f->n + 1) * sizeof *f->by_place);
    if (f->by_place == NULL) return err_set(ERR_MEMORY, "no memory for a safetensors header");
    for (int i = 0; i < f->n; i++) f->by_place[i] = &f->t[i];
    qsort(f->by_place, (size_t)f->n, sizeof *f->by_place, compare_places);
    const char *next = r->data;
    for (int i = 0; i < f->n; i++) {
        if ((const char *)f->by_place[i]->data != next)
            return err_set(ERR_PARSE, "tensor '%s' overlaps another or leaves a gap", f->by_place[i]->name);
        next += f->by_place[i]->size;
    }
    size_t used = (size_t)(next - r->data);
    if (used != r->data_size)
        return err_set(ERR_PARSE, "the file has %zu bytes of data, its tensors %zu: oversized", r->data_size, used);
    return ERR_OK;
}

err st_parse(st_file **out, const void *data, size_t size)
{
    const unsigned char *b = data;
    uint64_t header = 0;
    if (size < 8) return err_set(ERR_PARSE, "a file of %zu bytes is too short for safetensors", size);
    for (int i = 7; i >= 0; i--) header = header << 8 | b[i];
    // A zip, or a bare pickle. A header of 640 or 896 bytes begins like a pickle, but '{' follows its length.
    bool json = header <= ST_MAX_HEADER && size > 8 && b[8] == '{';
    if (!json && (memcmp(b, "PK\3\4", 4) == 0 || (b[0] == 0x80 && b[1] >= 2 && b[1] <= 5)))
        return err_set(ERR_PARSE, "this is a PyTorch file (.pth), which is read by running it; convert it once with "
                                  "tools/import_pth.py FILE.pth OUT.safetensors");
    if (header > ST_MAX_HEADER)
        return err_set(ERR_PARSE, "this is no safetensors file: its header would have %llu bytes",
                       (unsigned long long)header);
    if (header > size - 8)
        return err_set(ERR_PARSE, "the header should have %llu bytes, the file has %zu: truncated?",
                       (unsigned long long)header, size - 8);
    st_file *f = calloc(1, sizeof *f);
    if (f == NULL) return err_set(ERR_MEMORY, "no memory for a safetensors header");
    reader r = {(const char *)b + 8, (size_t)header, 0, size - 8 - (size_t)header, (const char *)b + 8 + header};
    bool meta_seen = false;
    err e = expect(&r, '{');
    if (e == ERR_OK && peek(&r) == '}') {
        r.at++;
    } else {
        while (e == ERR_OK) {
            e = read_entry(&r, f, &meta_seen);
            if (e == ERR_OK && peek(&r) == '}') {
                r.at++;
                break;
            }
            if (e == ERR_OK) e = expect(&r, ',');
        }
    }
    if (e == ERR_OK && (peek(&r), r.at != r.n)) e = bad(&r, "something follows the header's end");
    if (e == ERR_OK) e = check_whole(f, &r);
    return HAND_OVER(e, out, f, st_free);
}

void st_free(st_file *f)
{
    if (f == NULL) return;
    for (int i = 0; i < f->n_meta; i++) free(f->meta[i]);
    FREE_ALL(f->meta, f->by_place, f->t, f);
}

int st_count(const st_file *f)
{
    return f->n;
}

const st_tensor *st_at(const st_file *f, int i)
{
    return f->by_place[i];
}

const st_tensor *st_find(const st_file *f, const char *name)
{
    int low = 0, high = f->n - 1;
    while (low <= high) {
        int mid = (low + high) / 2, c = strcmp(name, f->t[mid].name);
        if (c == 0) return &f->t[mid];
        if (c < 0)
            high = mid - 1;
        else
            low = mid + 1;
    }
    return NULL;
}

const char *st_find_meta(const st_file *f, const char *key)
{
    for (int i = 0; i < f->n_meta; i += 2)
        if (strcmp(f->meta[i], key) == 0) return f->meta[i + 1];
    return NULL;
}

int st_meta_count(const st_file *f)
{
    return f->n_meta / 2;
}

st_meta st_meta_at(const st_file *f, int i)
{
    return (st_meta){f->meta[2 * i], f->meta[2 * i + 1]};
}

// --- writing

static void put_string(text_buf *t, const char *s)
{
    text_char(t, '"');
    for (; *s != 0; s++) {
        if (*s == '"' || *s == '\\')
            text_printf(t, "\\%c", *s);
        else if ((unsigned char)*s < 32)
            text_printf(t, "\\u%04x", *s);
        else
            text_char(t, *s);
    }
    text_char(t, '"');
}

static void put_tensor(text_buf *t, const st_tensor *a, uint64_t at)
{
    text_char(t, ',');
    put_string(t, a->name);
    text_append(t, ":{\"dtype\":");
    put_string(t, dtypes[a->dtype].name);
    text_append(t, ",\"shape\":[");
    for (int i = 0; i < a->n_dims; i++) text_printf(t, "%s%llu", i == 0 ? "" : ",", (unsigned long long)a->dims[i]);
    text_printf(t, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)at, (unsigned long long)(at + a->size));
}

// The 8 bytes of length and the header, padded so that the tensors are aligned in a mapped file.
static void put_header(text_buf *h, const st_tensor *t, int n, const st_meta *meta, int n_meta)
{
    size_t start = h->len;
    bool first = true;
    uint64_t at = 0;
    text_append_n(h, "\0\0\0\0\0\0\0\0", 8);
    text_append(h, "{\"__metadata__\":{");
    for (int i = 0; i < n_meta; i++) {
        if (meta[i].value == NULL) continue;
        if (!first) text_char(h, ',');
        first = false;
        put_string(h, meta[i].key);
        text_char(h, ':');
        put_string(h, meta[i].value);
    }
    text_char(h, '}');
    for (int i = 0; i < n; i++) {
        put_tensor(h, &t[i], at);
        at += t[i].size;
    }
    text_char(h, '}');
    text_repeat(h, ' ', (int)((8 - (h->len - start) % 8) % 8));
    uint64_t length = h->len - start - 8;
    for (int i = 0; i < 8 && !h->failed; i++) h->data[start + (size_t)i] = (char)(unsigned char)(length >> 8 * i);
}

err st_bytes(text_buf *out, const st_tensor *t, int n, const st_meta *meta, int n_meta)
{
    put_header(out, t, n, meta, n_meta);
    for (int i = 0; i < n; i++) text_append_n(out, t[i].data, t[i].size);
    return text_check(out);
}

err st_write(const char *path, const st_tensor *t, int n, const st_meta *meta, int n_meta)
{
    text_buf h = {0};
    put_header(&h, t, n, meta, n_meta);
    err e = err_prefix(text_check(&h), "%s", path);
    file_out *f;
    if (e == ERR_OK) e = file_out_open(&f, path);
    if (e == ERR_OK) {
        file_out_write(f, h.data, h.len); // errors stick until the commit
        for (int i = 0; i < n; i++) file_out_write(f, t[i].data, t[i].size);
        e = file_out_commit(f);
    }
    text_free(&h);
    return e;
}
