// The disk half of replay.h. A file: magic, where it begins, how it is packed, a checksum, then blocks of samples.
#include "base/file.h"
#include "base/log.h"
#include "base/rng.h"
#include "learn/pack.h"
#include "learn/zero/replay_inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ZSTD_LEVEL = 3 };
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
    err e = unpack_bytes(h.packing, stored, h.stored, h.raw, &raw, &owned);
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

// One file of blocks that follow each other.
static err write_file(const char *dir, const samples_shape *sh, const block *b, int n)
{
    text_buf raw = {0}, packed = {0}, file = {0};
    char path[FILE_PATH];
    err e = ERR_OK;
    head h = {.magic = MAGIC, .first = b[0].first};
    h.n = b[n - 1].first + b[n - 1].s.n - h.first;
    for (int i = 0; i < n && e == ERR_OK; i++) e = samples_write(&b[i].s, sh, &raw);
    uint32_t packing = PACK_NONE;
    if (e == ERR_OK) e = pack_bytes(&raw, ZSTD_LEVEL, &packed, &packing);
    h.packing = packing;
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
    text_free(&raw);
    text_free(&packed);
    text_free(&file);
    return e;
}

err replay_save(replay *r, const char *dir, uint64_t oldest)
{
    err e = file_make_dirs(dir);
    if (e == ERR_OK && r->saved < r->n) {
        e = write_file(dir, r->sh, r->block + r->saved, r->n - r->saved);
        if (e == ERR_OK) {
            r->saved = r->n;
            replay_forget_old(r);
        }
    }
    return e == ERR_OK ? remove_files(dir, oldest, r->total) : e;
}

// --- back

typedef struct parts { // what could be read, in order
    block *b;
    int n;
} parts;

// A damaged file is passed over: its positions are lost, but not the run.
static err read_part(const samples_shape *sh, const char *path, parts *to)
{
    char *data;
    size_t size;
    block b = {0};
    err e = file_read(path, MAX_FILE, &data, &size);
    if (e != ERR_OK) return e;
    e = replay_parse(sh, data, size, &b.first, &b.s);
    free(data);
    uint64_t end = to->n > 0 ? to->b[to->n - 1].first + to->b[to->n - 1].s.n : 0;
    if (e == ERR_OK && b.first < end) e = err_set(ERR_PARSE, "its positions are in the file before it, too");
    if (e == ERR_OK && b.s.n > 0) {
        to->b[to->n++] = b;
        return ERR_OK;
    }
    samples_free(&b.s);
    if (e != ERR_PARSE) return err_prefix(e, "%s", path);
    log_warn("%s cannot be used: %s", path, err_text());
    return ERR_OK;
}

static err read_parts(const samples_shape *sh, const char *dir, uint64_t oldest, parts *to)
{
    char **names, path[FILE_PATH];
    int n = 0;
    err e = file_list(dir, ".replay", &names, &n);
    if (e != ERR_OK) return e;
    to->b = calloc((size_t)n + 1, sizeof *to->b);
    if (to->b == NULL) e = err_set(ERR_MEMORY, "no memory for the replay buffer");
    for (int i = 0; i < n && e == ERR_OK; i++) {
        if (i + 1 < n && strtoull(names[i + 1], NULL, 10) <= oldest) continue;
        e = file_join(path, sizeof path, dir, names[i]);
        if (e == ERR_OK) e = read_part(sh, path, to);
    }
    file_list_free(names, n);
    return e;
}

// Samples `from` … `to` - 1 are lost: copies of their neighbours take their place, in memory and on the disk, since every
// sample that a run has made has its number.
static err fill_gap(replay *r, const char *dir, uint64_t from, uint64_t to, const samples *like)
{
    block b = {.first = from};
    err e = ERR_OK;
    log_warn("%s: positions %" PRIu64 " to %" PRIu64
             " are lost; copies of others take their place, and the run goes on",
             dir, from, to - 1);
    while (e == ERR_OK && b.s.n < to - from) {
        size_t n = to - from - b.s.n < like->n ? (size_t)(to - from - b.s.n) : like->n;
        e = samples_append_some(&b.s, r->sh, like, 0, n);
    }
    if (e == ERR_OK) e = write_file(dir, r->sh, &b, 1);
    if (e == ERR_OK) e = replay_add(r, &b.s);
    samples_free(&b.s);
    return e;
}

err replay_load(replay *r, const char *dir, uint64_t total)
{
    parts p = {0};
    if (!file_is_dir(dir)) return total == 0 ? ERR_OK : err_set(ERR_MISSING, "%s is missing", dir);
    replay end = *r; // to ask how large the window will be
    end.total = total;
    uint64_t oldest = replay_oldest(&end);
    err e = remove_files(dir, 0, total);
    if (e == ERR_OK) e = read_parts(r->sh, dir, oldest, &p);
    if (e == ERR_OK && p.n == 0 && total > oldest)
        e = err_set(
            ERR_PARSE,
            "no file of %s can be used, so there is nothing to learn from; start another run from this one's network "
            "(--init best.safetensors)",
            dir);
    if (e == ERR_OK && p.n > 0) r->total = p.b[0].first < oldest ? p.b[0].first : oldest;
    for (int i = 0; i < p.n && e == ERR_OK; i++) {
        if (p.b[i].first > r->total) e = fill_gap(r, dir, r->total, p.b[i].first, &p.b[i].s);
        bool last = i + 1 == p.n && p.b[i].first + p.b[i].s.n < total;
        samples like = {0};
        if (e == ERR_OK && last) e = samples_append(&like, r->sh, &p.b[i].s);
        if (e == ERR_OK) e = replay_add(r, &p.b[i].s);
        if (e == ERR_OK && last) e = fill_gap(r, dir, r->total, total, &like);
        samples_free(&like);
        r->saved = r->n;
    }
    for (int i = 0; i < p.n; i++) samples_free(&p.b[i].s);
    free(p.b);
    if (e == ERR_OK && r->total != total)
        e = err_set(ERR_PARSE, "%s holds %" PRIu64 " positions more than the checkpoint knows of", dir,
                    r->total - total);
    return e;
}
