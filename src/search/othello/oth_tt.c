// Memory of the Othello search's hash table. See oth_tt.h.
#define _DEFAULT_SOURCE // madvise
#include "search/othello/oth_tt.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

err oth_tt_new(oth_tt *t, int log2_entries)
{
    if (log2_entries < 10 || log2_entries > 34)
        return err_set(ERR_USAGE, "a hash table of 2^%d entries: 2^10 to 2^34 are possible", log2_entries);
    size_t bytes = sizeof(oth_tt_entry) << log2_entries;
    size_t page = bytes >= 2 << 20 ? 2 << 20 : 64;
    *t = (oth_tt){.entries = aligned_alloc(page, bytes), .shift = 64 - (log2_entries - 2)};
    if (t->entries == NULL) return err_set(ERR_MEMORY, "no memory for a hash table of %zu MiB", bytes >> 20);
#if defined(MADV_HUGEPAGE)
    if (page > 64) madvise(t->entries, bytes, MADV_HUGEPAGE); // fewer address translations; no matter if refused
#endif
    oth_tt_clear(t);
    return ERR_OK;
}

void oth_tt_free(oth_tt *t)
{
    free(t->entries);
    t->entries = NULL;
}

void oth_tt_clear(oth_tt *t)
{
    // An entry of zeros would answer for the position of hash zero: its check must not fit.
    size_t n = (size_t)OTH_TT_WAYS << (64 - t->shift);
    for (size_t i = 0; i < n; i++) {
        atomic_store_explicit(&t->entries[i].check, ~(uint64_t)0, memory_order_relaxed);
        atomic_store_explicit(&t->entries[i].data, 0, memory_order_relaxed);
    }
    t->age = 1;
}
