// The disk half of replay.h. A file: magic, where it begins, how it is packed, a checksum, then blocks of samples.
#include "base/file.h"
#include "base/rng.h"
#include "learn/zero/replay_inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(KEIKO_ZSTD)
#include <zstd.h>
#endif

enum { PACK_NONE = 0, PACK_ZSTD = 1, ZSTD_LEVEL = 3 };
#define MAX_FILE ((size_t)1 << 33)
#define MAGIC    "KEIKORP1"

typedef struct head {
    char magic[8];
    uint64_t first; // number of the first sample
    uint64_t n;
    uint64_t raw;    // bytes unpacked
    uint64_t stored; // bytes that follow
    uint64_t sum;    // of these
    uint64_t packing;
} head;

static uint64_t checksum(const char *p, size_t n)
{
    uint64_t h = n;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = rng_mix(h ^ w);
    }
    for (; n > 0; p++, n--) h = rng_mix(h ^ (uint8_t)*p);
    return h;
}

// Packs `raw` into `out` where zstd is there and it pays; `*packing` says what was done.
static err pack(const text_buf *raw, text_buf *out, uint64_t *packing)
{
    *packing = PACK_NONE;
#if defined(KEIKO_ZSTD)
    size_t bound = ZSTD_compressBound(raw->len);
    char *to = text_reserve(out, bound);
    if (to == NULL) return text_check(out);
    size_t n = ZSTD_compress(to, bound, raw->data, raw->len, ZSTD_LEVEL);
    if (!ZSTD_isError(n)) {
        out->len += n;
        *packing = PACK_ZSTD;
        return ERR_OK;
    }
#endif
    text_append_n(out, raw->data, raw->len);
    return text_check(out);
}

// The blocks' bytes; `*owned` is to be freed where it is not NULL.
static err unpack(const head *h, const char *stored, const char **raw, char **owned)
{
    *owned = NULL;
    *raw = stored;
    if (h->packing == PACK_NONE)
        return h->raw == h->stored ? ERR_OK : err_set(ERR_PARSE, "its lengths contradict each other");
#if defined(KEIKO_ZSTD)
    if (ZSTD_getFrameContentSize(stored, h->stored) != h->raw)
        return err_set(ERR_PARSE, "its lengths contradict each other");
    if ((*owned = malloc(h->raw + 1)) == NULL) return err_set(ERR_MEMORY, "no memory for %" PRIu64 " bytes", h->raw);
    size_t n = ZSTD_decompress(*owned, h->raw, stored, h->stored);
    if (ZSTD_isError(n) || n != h->raw) return err_set(ERR_PARSE, "it cannot be unpacked");
    *raw = *owned;
    return ERR_OK;
#else
    return err_set(ERR_MISSING, "it is packed with zstd, which this program was built without");
#endif
}

err replay_parse(const samples_shape *sh, const void *data, size_t size, uint64_t *first, samples *s)
{
    head h;
    if (size < sizeof h) return err_set(ERR_PARSE, "the file is cut short");
    memcpy(&h, data, sizeof h);
    if (memcmp(h.magic, MAGIC, 8) != 0) return err_set(ERR_PARSE, "this is no replay file");
    if (h.packing > PACK_ZSTD || h.stored != size - sizeof h || h.raw > MAX_FILE || h.first > (uint64_t)1 << 60)
        return err_set(ERR_PARSE, "its lengths contradict each other");
    const char *stored = (const char *)data + sizeof h, *raw;
    if (checksum(stored, h.stored) != h.sum) return err_set(ERR_PARSE, "its checksum is wrong: the file is damaged");
    char *owned;
    size_t before = s->n;
    err e = unpack(&h, stored, &raw, &owned);
    for (size_t at = 0, used = 0; e == ERR_OK && at < h.raw; at += used)
        e = samples_read(s, sh, raw + at, h.raw - at, &used);
    if (e == ERR_OK && s->n - before != h.n)
        e = err_set(ERR_PARSE, "it has %zu samples instead of %" PRIu64, s->n - before, h.n);
    if (e == ERR_OK) *first = h.first;
    free(owned);
    return e;
}

static err name_of(char path[FILE_PATH], const char *dir, uint64_t first)
{
    char name[64];
    snprintf(name, sizeof name, "%014" PRIu64 ".replay", first);
    return file_join(path, FILE_PATH, dir, name);
}

// Files of `dir` that lie wholly before `oldest` (their successor begins no later), or at or beyond `end`.
static err remove_files(const char *dir, uint64_t oldest, uint64_t end)
{
    char **names, path[FILE_PATH];
    int n;
    err e = file_list(dir, ".replay", &names, &n);
    if (e != ERR_OK) return e;
    for (int i = 0; i < n && e == ERR_OK; i++) {
        uint64_t first = strtoull(names[i], NULL, 10);
        bool old = i + 1 < n && strtoull(names[i + 1], NULL, 10) <= oldest;
        if (!old && first < end) continue;
        e = name_of(path, dir, first);
        if (e == ERR_OK) e = file_remove(path);
    }
    file_list_free(names, n);
    return e;
}

err replay_save(replay *r, const char *dir, uint64_t oldest)
{
    text_buf raw = {0}, packed = {0}, file = {0};
    char path[FILE_PATH];
    err e = file_make_dirs(dir);
    if (e != ERR_OK || r->saved == r->n) return e == ERR_OK ? remove_files(dir, oldest, r->total) : e;
    head h = {.magic = MAGIC, .first = r->block[r->saved].first};
    h.n = r->total - h.first;
    for (int i = r->saved; i < r->n && e == ERR_OK; i++) e = samples_write(&r->block[i].s, r->sh, &raw);
    if (e == ERR_OK) e = pack(&raw, &packed, &h.packing);
    if (e == ERR_OK) {
        h.raw = raw.len;
        h.stored = packed.len;
        h.sum = checksum(packed.data, packed.len);
        text_append_n(&file, (const char *)&h, sizeof h);
        text_append_n(&file, packed.data, packed.len);
        e = text_check(&file);
    }
    if (e == ERR_OK) e = name_of(path, dir, h.first);
    if (e == ERR_OK) e = file_write_atomic(path, file.data, file.len);
    if (e == ERR_OK) {
        r->saved = r->n;
        replay_forget_old(r);
        e = remove_files(dir, oldest, r->total);
    }
    text_free(&raw);
    text_free(&packed);
    text_free(&file);
    return e;
}

static err load_file(replay *r, const char *path)
{
    char *data;
    size_t size;
    samples s = {0};
    uint64_t first;
    err e = file_read(path, MAX_FILE, &data, &size);
    if (e != ERR_OK) return e;
    e = err_prefix(replay_parse(r->sh, data, size, &first, &s), "%s", path);
    free(data);
    if (e == ERR_OK && r->n > 0 && first != r->total)
        e = err_set(ERR_PARSE, "%s: samples %" PRIu64 " to %" PRIu64 " are missing before it", path, r->total,
                    first - 1);
    if (e == ERR_OK) {
        r->total = first;
        e = replay_add(r, &s);
        r->saved = r->n;
    }
    samples_free(&s);
    return e;
}

err replay_load(replay *r, const char *dir, uint64_t total)
{
    if (!file_is_dir(dir)) return total == 0 ? ERR_OK : err_set(ERR_MISSING, "%s is missing", dir);
    err e = remove_files(dir, 0, total);
    char **names, path[FILE_PATH];
    int n = 0;
    if (e == ERR_OK) e = file_list(dir, ".replay", &names, &n);
    if (e != ERR_OK) return e;
    replay end = *r; // to ask how large the window will be
    end.total = total;
    uint64_t oldest = replay_oldest(&end);
    for (int i = 0; i < n && e == ERR_OK; i++) {
        if (i + 1 < n && strtoull(names[i + 1], NULL, 10) <= oldest) continue;
        e = file_join(path, sizeof path, dir, names[i]);
        if (e == ERR_OK) e = load_file(r, path);
    }
    file_list_free(names, n);
    if (e == ERR_OK && (r->total != total || (r->n > 0 && r->block[0].first > oldest)))
        e = err_set(ERR_MISSING, "%s: some of samples %" PRIu64 " to %" PRIu64 " are missing", dir, oldest, total);
    return e;
}
