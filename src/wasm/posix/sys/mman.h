// Hints about memory for the browser build: there are none to give.
#ifndef KEIKO_WASM_POSIX_SYS_MMAN_H
#define KEIKO_WASM_POSIX_SYS_MMAN_H

#include <stddef.h>

#define MADV_HUGEPAGE 14

static inline int madvise(void *p, size_t bytes, int advice)
{
    (void)p;
    (void)bytes;
    (void)advice;
    return 0;
}

#endif
