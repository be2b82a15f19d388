// See pack.h.
#include "learn/pack.h"

#include <stdlib.h>
#if defined(KEIKO_ZSTD)
#include <zstd.h>
#endif

err pack_bytes(const text_buf *raw, int level, text_buf *out, uint32_t *packing)
{
    (void)level; // without zstd
    *packing = PACK_NONE;
#if defined(KEIKO_ZSTD)
    size_t bound = ZSTD_compressBound(raw->len);
    char *to = text_reserve(out, bound);
    if (to == NULL) return text_check(out);
    size_t n = ZSTD_compress(to, bound, raw->data, raw->len, level);
    if (!ZSTD_isError(n)) {
        out->len += n;
        *packing = PACK_ZSTD;
        return ERR_OK;
    }
#endif
    text_append_n(out, raw->data, raw->len);
    return text_check(out);
}

err unpack_bytes(uint64_t packing, const char *stored, size_t n, size_t raw, const char **out, char **owned)
{
    *owned = NULL;
    *out = stored;
    if (packing == PACK_NONE) return raw == n ? ERR_OK : err_set(ERR_PARSE, "its lengths contradict each other");
#if defined(KEIKO_ZSTD)
    if (ZSTD_getFrameContentSize(stored, n) != raw) return err_set(ERR_PARSE, "its lengths contradict each other");
    if ((*owned = malloc(raw + 1)) == NULL) return err_set(ERR_MEMORY, "no memory for %zu bytes", raw);
    size_t got = ZSTD_decompress(*owned, raw, stored, n);
    if (ZSTD_isError(got) || got != raw) return err_set(ERR_PARSE, "it cannot be unpacked");
    *out = *owned;
    return ERR_OK;
#else
    return err_set(ERR_MISSING, "it is packed with zstd, which this program was built without");
#endif
}
