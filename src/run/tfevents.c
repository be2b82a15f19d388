// TensorBoard's records and messages. See tfevents.h.
//
// Protobuf in short: a message is a row of fields, each a key (number << 3 | type) and a value. Types: 0 a varint (seven bits
// a byte, low ones first, the top bit says that more follow), 1 eight bytes, 2 a length and that many bytes, 5 four bytes.
//   Event   { 1: double wall_time; 2: int64 step; 3: string file_version; 5: Summary; 7: SessionLog }
//   Summary { 1: repeated Value { 1: string tag; 2: float simple_value } }
//   SessionLog { 1: enum status (1 = START) }
#include "run/tfevents.h"

#include "base/crc32c.h"

#include <string.h>

enum { VARINT = 0, EIGHT = 1, BYTES = 2, FOUR = 5 };

uint32_t tf_mask(uint32_t crc)
{
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

// --- writing

static void put_little(text_buf *t, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++) text_char(t, (char)(unsigned char)(v >> (8 * i)));
}

static void put_varint(text_buf *t, uint64_t v)
{
    for (; v >= 128; v >>= 7) text_char(t, (char)(unsigned char)(v | 128));
    text_char(t, (char)(unsigned char)v);
}

static void put_key(text_buf *t, int field, int type)
{
    put_varint(t, (uint64_t)(field << 3 | type));
}

static void put_bytes(text_buf *t, int field, const char *s, size_t n)
{
    put_key(t, field, BYTES);
    put_varint(t, n);
    text_append_n(t, s, n);
}

static void put_event_head(text_buf *t, double unix_seconds, int64_t step)
{
    uint64_t bits;
    memcpy(&bits, &unix_seconds, sizeof bits);
    put_key(t, 1, EIGHT);
    put_little(t, bits, 8);
    put_key(t, 2, VARINT);
    put_varint(t, (uint64_t)step);
}

static void put_record(text_buf *to, text_buf *event)
{
    char length[8];
    for (int i = 0; i < 8; i++) length[i] = (char)(unsigned char)((uint64_t)event->len >> (8 * i));
    text_append_n(to, length, 8);
    put_little(to, tf_mask(crc32c(0, length, 8)), 4);
    text_append_n(to, text_str(event), event->len);
    put_little(to, tf_mask(crc32c(0, text_str(event), event->len)), 4);
    if (event->failed) to->failed = true;
    text_free(event);
}

void tf_put_version(text_buf *to, double unix_seconds)
{
    text_buf event = {0};
    put_event_head(&event, unix_seconds, 0);
    put_bytes(&event, 3, "brain.Event:2", 13);
    put_record(to, &event);
}

void tf_put_start(text_buf *to, double unix_seconds, int64_t step)
{
    text_buf event = {0};
    put_event_head(&event, unix_seconds, step);
    put_bytes(&event, 7, "\x08\x01", 2); // status: START
    put_record(to, &event);
}

void tf_put_scalars(text_buf *to, double unix_seconds, int64_t step, const tf_scalar *s, int n)
{
    text_buf event = {0}, summary = {0}, value = {0};
    for (int i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &s[i].v, sizeof bits);
        text_clear(&value);
        put_bytes(&value, 1, s[i].tag, strlen(s[i].tag));
        put_key(&value, 2, FOUR);
        put_little(&value, bits, 4);
        put_bytes(&summary, 1, text_str(&value), value.len);
    }
    put_event_head(&event, unix_seconds, step);
    put_bytes(&event, 5, text_str(&summary), summary.len);
    if (summary.failed || value.failed) event.failed = true;
    put_record(to, &event);
    text_free(&summary);
    text_free(&value);
}

// --- reading

typedef struct span {
    const unsigned char *p, *end;
} span;

static uint64_t little(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static bool get_varint(span *s, uint64_t *v)
{
    *v = 0;
    for (int shift = 0; shift < 64 && s->p < s->end; shift += 7) {
        unsigned char c = *s->p++;
        *v |= (uint64_t)(c & 127) << shift;
        if (c < 128) return true;
    }
    return false;
}

typedef struct field {
    int number, type;
    uint64_t v; // varint, or the bits of a fixed value
    span bytes;
} field;

// The next field; false at the end and on nonsense (then s->p < s->end).
static bool get_field(span *s, field *f)
{
    span at = *s;
    uint64_t key;
    if (at.p == at.end || !get_varint(&at, &key)) return false;
    f->number = (int)(key >> 3 & 0xffff);
    f->type = (int)(key & 7);
    f->v = 0;
    int fixed = f->type == EIGHT ? 8 : f->type == FOUR ? 4 : 0;
    if (f->type == VARINT) {
        if (!get_varint(&at, &f->v)) return false;
    } else if (fixed > 0) {
        if (at.end - at.p < fixed) return false;
        f->v = little(at.p, fixed);
        at.p += fixed;
    } else if (f->type == BYTES) {
        uint64_t n;
        if (!get_varint(&at, &n) || n > (uint64_t)(at.end - at.p)) return false;
        f->bytes = (span){at.p, at.p + n};
        at.p += n;
    } else {
        return false;
    }
    *s = at;
    return true;
}

static bool read_value(span s, double when, int64_t step, tf_see *see, void *ctx)
{
    field f;
    span tag = {0};
    float v = 0.0f;
    bool has = false;
    while (get_field(&s, &f)) {
        if (f.number == 1 && f.type == BYTES) tag = f.bytes;
        if (f.number == 2 && f.type == FOUR) {
            uint32_t bits = (uint32_t)f.v;
            memcpy(&v, &bits, sizeof v);
            has = true;
        }
    }
    if (s.p != s.end) return false;
    if (has && tag.p != NULL) see(ctx, when, step, (const char *)tag.p, (size_t)(tag.end - tag.p), v);
    return true;
}

static bool read_event(span s, tf_see *see, void *ctx)
{
    field f;
    span summary = {0};
    double when = 0.0;
    int64_t step = 0;
    while (get_field(&s, &f)) {
        if (f.number == 1 && f.type == EIGHT) memcpy(&when, &f.v, sizeof when);
        if (f.number == 2 && f.type == VARINT) step = (int64_t)f.v;
        if (f.number == 5 && f.type == BYTES) summary = f.bytes;
    }
    if (s.p != s.end) return false;
    while (summary.p != NULL && get_field(&summary, &f))
        if (f.number == 1 && f.type == BYTES && !read_value(f.bytes, when, step, see, ctx)) return false;
    return summary.p == summary.end;
}

err tf_read(const char *data, size_t size, tf_see *see, void *ctx)
{
    enum { HEAD = 12, TAIL = 4 };
    const unsigned char *p = (const unsigned char *)data;
    for (size_t at = 0; at < size;) {
        const char *why = NULL;
        uint64_t n = 0;
        if (size - at < HEAD + TAIL)
            why = "the record is cut short";
        else if (little(p + at + 8, 4) != tf_mask(crc32c(0, p + at, 8)))
            why = "the checksum of the length is wrong";
        else if ((n = little(p + at, 8)) > size - at - HEAD - TAIL)
            why = "the record is cut short";
        else if (little(p + at + HEAD + n, 4) != tf_mask(crc32c(0, p + at + HEAD, n)))
            why = "the checksum of the record is wrong";
        else if (!read_event((span){p + at + HEAD, p + at + HEAD + n}, see, ctx))
            why = "the message makes no sense";
        if (why != NULL) return err_set(ERR_PARSE, "byte %zu: %s", at, why);
        at += HEAD + n + TAIL;
    }
    return ERR_OK;
}
