// Weights in chunks: "keiko.RUN.weights.GENERATION.i". See entry.h.
#include "base/crc32c.h"
#include "dist/entry.h"

#include <inttypes.h>
#include <stdio.h>

enum { CHUNK = 512 << 10, WEIGHTS_MOST = 1 << 30 };

static void chunk_subject(char out[DIST_SUBJECT], const char *run, uint64_t generation, uint64_t i)
{
    snprintf(out, DIST_SUBJECT, "keiko.%s.weights.%" PRIu64 ".%" PRIu64, run, generation, i);
}

err weights_put(bus *b, run_entry *e, const char *data, size_t size, const bus_patience *p)
{
    char subject[DIST_SUBJECT], id[DIST_SUBJECT + 32];
    err r = ERR_OK;
    e->size = size;
    e->chunk = CHUNK;
    e->crc = crc32c(0, data, size);
    for (size_t at = 0, i = 0; at < size && r == ERR_OK; at += CHUNK, i++) {
        chunk_subject(subject, e->run, e->generation, i);
        // With the checksum: a learner that died in the middle makes this generation again, of other weights.
        snprintf(id, sizeof id, "%016" PRIx64 "%08" PRIx32 "%s", e->number, e->crc, subject);
        r = bus_put(b, subject, id, data + at, size - at < CHUNK ? size - at : CHUNK, p);
    }
    return r;
}

err weights_get(bus *b, const run_entry *e, text_buf *out)
{
    char name[DIST_SUBJECT], subject[DIST_SUBJECT];
    if (e->size == 0 || e->size > WEIGHTS_MOST || e->chunk == 0 || e->chunk > e->size + CHUNK)
        return err_set(ERR_PARSE, "run %s: its entry is damaged", e->run);
    dist_stream_name(name, STREAM_WEIGHTS, e->run);
    text_clear(out);
    for (uint64_t i = 0; out->len < e->size; i++) {
        size_t before = out->len;
        bool found;
        chunk_subject(subject, e->run, e->generation, i);
        err r = bus_last(b, name, subject, out, &found);
        if (r != ERR_OK) return r;
        if (!found || out->len == before)
            return err_set(ERR_MISSING, "run %s: weights of generation %" PRIu64 " are not all there", e->run,
                           e->generation);
    }
    if (out->len == e->size && crc32c(0, out->data, out->len) == e->crc) return ERR_OK;
    return err_set(ERR_PARSE, "run %s: weights of generation %" PRIu64 " are damaged: their checksum is wrong", e->run,
                   e->generation);
}

err weights_forget(bus *b, const char *run, uint64_t generation)
{
    char name[DIST_SUBJECT], subject[DIST_SUBJECT];
    dist_stream_name(name, STREAM_WEIGHTS, run);
    snprintf(subject, sizeof subject, "keiko.%s.weights.%" PRIu64 ".*", run, generation);
    return bus_stream_purge(b, name, subject, 0);
}
