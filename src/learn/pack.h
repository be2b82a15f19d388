// Blocks of a file packed with zstd, where this program was built with it; plain otherwise.
#ifndef KEIKO_LEARN_PACK_H
#define KEIKO_LEARN_PACK_H

#include "base/text.h"

#include <stdint.h>

enum { PACK_NONE, PACK_ZSTD }; // as files say it

err pack_bytes(const text_buf *raw, int level, text_buf *out, uint32_t *packing); // `*packing` says what was done

// The `raw` bytes that were packed into stored[0 … n); `*owned` is to be freed where it is not NULL.
err unpack_bytes(uint64_t packing, const char *stored, size_t n, size_t raw, const char **out, char **owned);

#endif
