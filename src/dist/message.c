// See message.h.
#include "dist/message.h"

#include "base/crc32c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(KEIKO_ZSTD)
#include <zstd.h>
#endif

enum { HEAD = 96, CHECKED_FROM = 12, RAW_MOST = 1 << 28, LEVEL = 1 };
static const char magic[7] = {'k', 'e', 'i', 'k', 'o', 'G', 'M'};

typedef struct wire {
    char magic[7];
    uint8_t format;
    uint32_t crc, raw;
    uint64_t run, incarnation, counter, generation, sims;
    char worker[DIST_NAME];
    uint8_t packed, zero[7];
} wire;
_Static_assert(sizeof(wire) == HEAD, "the message's head has no holes");

struct dist_codec {
    text_buf raw;
#if defined(KEIKO_ZSTD)
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
#endif
};

err dist_codec_new(dist_codec **out)
{
    dist_codec *c = calloc(1, sizeof *c);
    bool ok = c != NULL;
#if defined(KEIKO_ZSTD)
    if (ok) {
        c->pack = ZSTD_createCCtx();
        c->unpack = ZSTD_createDCtx();
        ok = c->pack != NULL && c->unpack != NULL;
    }
#endif
    if (!ok) {
        dist_codec_free(c);
        return err_set(ERR_MEMORY, "no memory to pack games");
    }
    *out = c;
    return ERR_OK;
}

void dist_codec_free(dist_codec *c)
{
    if (c == NULL) return;
#if defined(KEIKO_ZSTD)
    ZSTD_freeCCtx(c->pack);
    ZSTD_freeDCtx(c->unpack);
#endif
    text_free(&c->raw);
    free(c);
}

// Appends the codec's raw bytes, packed if that is possible here.
static err pack(dist_codec *c, text_buf *out, uint8_t *packed)
{
#if defined(KEIKO_ZSTD)
    size_t most = ZSTD_compressBound(c->raw.len);
    char *to = text_reserve(out, most);
    if (to == NULL) return err_set(ERR_MEMORY, "no memory to pack a game");
    size_t n = ZSTD_compressCCtx(c->pack, to, most, c->raw.data, c->raw.len, LEVEL);
    if (ZSTD_isError(n)) return err_set(ERR_LIMIT, "cannot pack a game: %s", ZSTD_getErrorName(n));
    out->len += n;
    *packed = 1;
#else
    text_append_n(out, c->raw.data, c->raw.len);
    *packed = 0;
#endif
    return text_check(out);
}

err dist_game_write(dist_codec *c, const dist_head *h, const finished_game *g, const samples_shape *sh, text_buf *out)
{
    size_t at = out->len;
    wire w = {.format = DIST_FORMAT,
              .run = h->run,
              .incarnation = h->incarnation,
              .counter = h->counter,
              .generation = h->generation,
              .sims = g->sims};
    text_clear(&c->raw);
    err e = finished_game_write(g, sh, &c->raw);
    if (e == ERR_OK && c->raw.len > RAW_MOST) e = err_set(ERR_LIMIT, "a game of %zu bytes is too long", c->raw.len);
    if (e != ERR_OK) return e;
    memcpy(w.magic, magic, sizeof magic);
    snprintf(w.worker, sizeof w.worker, "%s", h->worker);
    w.raw = (uint32_t)c->raw.len;
    text_append_n(out, (const char *)&w, sizeof w);
    e = pack(c, out, &w.packed);
    if (e != ERR_OK) return e;
    memcpy(out->data + at, &w, sizeof w);
    w.crc = crc32c(0, out->data + at + CHECKED_FROM, out->len - at - CHECKED_FROM);
    memcpy(out->data + at, &w, sizeof w);
    return ERR_OK;
}

// --- back

static err check_head(const wire *w, uint64_t run, const void *data, size_t size)
{
    if (memcmp(w->magic, magic, sizeof magic) != 0) return err_set(ERR_PARSE, "this is no game of keiko");
    if (w->format != DIST_FORMAT)
        return err_set(ERR_PARSE,
                       "a game in message format %d, but this keiko reads format %d: run the same version everywhere",
                       w->format, DIST_FORMAT);
    if (crc32c(0, (const char *)data + CHECKED_FROM, size - CHECKED_FROM) != w->crc)
        return err_set(ERR_PARSE, "the message is damaged: its checksum is wrong");
    if (w->run != run)
        return err_set(ERR_PARSE, "a game of another run (%016" PRIx64 ", not %016" PRIx64 ")", w->run, run);
    if (w->worker[DIST_NAME - 1] != 0 || dist_name_check("worker", w->worker) != ERR_OK)
        return err_set(ERR_PARSE, "the worker's name in the message is not one");
    static const uint8_t zero[sizeof w->zero];
    if (w->counter == 0 || memcmp(w->zero, zero, sizeof zero) != 0)
        return err_set(ERR_PARSE, "the message's head contradicts itself");
    if (w->raw > RAW_MOST) return err_set(ERR_PARSE, "the message has an absurd length");
    return ERR_OK;
}

static err unpack(dist_codec *c, const wire *w, const char *from, size_t size)
{
    text_clear(&c->raw);
    if (w->packed == 0) {
        if (size != w->raw) return err_set(ERR_PARSE, "the message has %zu bytes, not %u", size, w->raw);
        text_append_n(&c->raw, from, size);
        return text_check(&c->raw);
    }
    if (w->packed != 1) return err_set(ERR_PARSE, "the message is compressed in an unknown way (%d)", w->packed);
#if defined(KEIKO_ZSTD)
    // The frame itself says how large it is: nothing is reserved for a length that somebody made up.
    if (ZSTD_getFrameContentSize(from, size) != w->raw) return err_set(ERR_PARSE, "the message's length is wrong");
    char *to = text_reserve(&c->raw, (size_t)w->raw + 1);
    if (to == NULL) return err_set(ERR_MEMORY, "no memory to unpack a game");
    size_t n = ZSTD_decompressDCtx(c->unpack, to, w->raw, from, size);
    if (ZSTD_isError(n) || n != w->raw) return err_set(ERR_PARSE, "the message does not unpack to its length");
    c->raw.len += n;
    return ERR_OK;
#else
    (void)from;
    return err_set(ERR_MISSING,
                   "the message is compressed, and this keiko was built without zstd (install libzstd-dev and "
                   "build again)");
#endif
}

err dist_game_read(dist_codec *c, dist_head *h, finished_game *g, const samples_shape *sh, uint64_t run,
                   const void *data, size_t size)
{
    wire w;
    *g = (finished_game){0};
    if (size < sizeof w) return err_set(ERR_PARSE, "this is no game of keiko: %zu bytes", size);
    memcpy(&w, data, sizeof w);
    err e = check_head(&w, run, data, size);
    if (e == ERR_OK) e = unpack(c, &w, (const char *)data + sizeof w, size - sizeof w);
    if (e == ERR_OK) e = finished_game_read(g, sh, c->raw.data, c->raw.len);
    if (e != ERR_OK) return e;
    g->sims = w.sims;
    *h = (dist_head){.run = w.run, .incarnation = w.incarnation, .counter = w.counter, .generation = w.generation};
    memcpy(h->worker, w.worker, sizeof h->worker);
    return ERR_OK;
}

const char *dist_game_id(const dist_head *h, char id[DIST_ID])
{
    snprintf(id, DIST_ID, "%s-%016" PRIx64 "-%" PRIu64, h->worker, h->incarnation, h->counter);
    return id;
}

// --- names

static bool fits(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

err dist_name_check(const char *what, const char *name)
{
    size_t n = strlen(name);
    bool ok = n > 0 && n < DIST_NAME;
    for (size_t i = 0; ok && i < n; i++) ok = fits(name[i]);
    if (ok) return ERR_OK;
    return err_set(ERR_USAGE, "'%.60s' cannot name a %s: use letters, digits, '-' and '_', at most %d", name, what,
                   DIST_NAME - 1);
}

void dist_name_make(char out[DIST_NAME], const char *from)
{
    size_t n = 0;
    for (; from[n] != 0 && n < DIST_NAME - 1; n++) out[n] = fits(from[n]) ? from[n] : '-';
    out[n] = 0;
    if (n == 0) strcpy(out, "-");
}

err dist_draw(uint64_t *out)
{
    FILE *f = fopen("/dev/urandom", "rb");
    bool ok = f != NULL && fread(out, sizeof *out, 1, f) == 1;
    if (f != NULL) fclose(f);
    if (!ok) return err_set(ERR_IO, "cannot read /dev/urandom");
    if (*out == 0) *out = 1;
    return ERR_OK;
}
