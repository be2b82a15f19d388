// Small binary records: numbers and texts one after the other, with a checksum in front. For jobs and their results.
#ifndef KEIKO_DIST_BYTES_H
#define KEIKO_DIST_BYTES_H

#include "base/crc32c.h"
#include "base/text.h"

#include <string.h>

static inline void put_bytes(text_buf *t, const void *p, size_t n)
{
    text_append_n(t, p, n);
}

static inline void put_u32(text_buf *t, uint32_t v)
{
    put_bytes(t, &v, sizeof v);
}

static inline void put_u64(text_buf *t, uint64_t v)
{
    put_bytes(t, &v, sizeof v);
}

static inline void put_double(text_buf *t, double v)
{
    put_bytes(t, &v, sizeof v);
}

static inline void put_text(text_buf *t, const char *s)
{
    uint32_t n = (uint32_t)strlen(s);
    put_u32(t, n);
    put_bytes(t, s, n);
}

typedef struct byte_reader {
    const char *p, *end;
    bool failed; // sticks: look once, at the end
} byte_reader;

static inline void get_bytes(byte_reader *r, void *to, size_t n)
{
    memset(to, 0, n);
    if (r->failed || (size_t)(r->end - r->p) < n) {
        r->failed = true;
        return;
    }
    memcpy(to, r->p, n);
    r->p += n;
}

static inline uint32_t get_u32(byte_reader *r)
{
    uint32_t v;
    get_bytes(r, &v, sizeof v);
    return v;
}

static inline uint64_t get_u64(byte_reader *r)
{
    uint64_t v;
    get_bytes(r, &v, sizeof v);
    return v;
}

static inline double get_double(byte_reader *r)
{
    double v;
    get_bytes(r, &v, sizeof v);
    return v;
}

// A text of less than `room` bytes, without a NUL inside.
static inline void get_text(byte_reader *r, char *to, size_t room)
{
    uint32_t n = get_u32(r);
    if (n >= room) r->failed = true;
    if (r->failed) n = 0;
    get_bytes(r, to, n);
    to[n] = 0;
    if (strlen(to) != n) r->failed = true;
}

// A record: magic (4 bytes), checksum of the rest, the rest.
static inline size_t record_begin(text_buf *t, const char magic[4])
{
    size_t at = t->len;
    put_bytes(t, magic, 4);
    put_u32(t, 0);
    return at;
}

static inline err record_end(text_buf *t, size_t at)
{
    err e = text_check(t);
    if (e != ERR_OK) return e;
    uint32_t crc = crc32c(0, t->data + at + 8, t->len - at - 8);
    memcpy(t->data + at + 4, &crc, sizeof crc);
    return ERR_OK;
}

static inline err record_open(byte_reader *r, const char magic[4], const char *what, const void *data, size_t size)
{
    uint32_t crc;
    *r = (byte_reader){0};
    if (size < 8 || memcmp(data, magic, 4) != 0)
        return err_set(ERR_PARSE, "this is no %s, or one of another version of keiko", what);
    memcpy(&crc, (const char *)data + 4, sizeof crc);
    if (crc32c(0, (const char *)data + 8, size - 8) != crc)
        return err_set(ERR_PARSE, "the %s is damaged: its checksum is wrong", what);
    *r = (byte_reader){(const char *)data + 8, (const char *)data + size, false};
    return ERR_OK;
}

static inline err record_close(const byte_reader *r, const char *what)
{
    if (!r->failed && r->p == r->end) return ERR_OK;
    return err_set(ERR_PARSE, "the %s contradicts itself", what);
}

#endif
