// TensorBoard event files: scalars, written by hand.
//
// A file is a row of records (length, its checksum, bytes, their checksum); each record is one protobuf message `Event`.
// We need five fields of it, so there is no protobuf library here: see tfevents.c for the few bytes. The reader below is
// for tests and for cutting; it understands what we write.
#ifndef KEIKO_RUN_TFEVENTS_H
#define KEIKO_RUN_TFEVENTS_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tf_scalar {
    const char *tag; // "learn/loss"
    float v;
} tf_scalar;

// Each appends one whole record.
void tf_put_version(text_buf *to, double unix_seconds); // must be the file's first
void tf_put_start(text_buf *to, double unix_seconds,
                  int64_t step); // from here on: whatever a viewer has at `step` or later is void
void tf_put_scalars(text_buf *to, double unix_seconds, int64_t step, const tf_scalar *s, int n);

uint32_t tf_mask(uint32_t crc); // the checksums are stored masked, since they cover checksums

// Calls `see` for every scalar of the file's text. ERR_PARSE names the byte where it stops to make sense.
typedef void tf_see(void *ctx, double unix_seconds, int64_t step, const char *tag, size_t tag_n, float v);
err tf_read(const char *data, size_t size, tf_see *see, void *ctx);

#endif
