// See memory.h.
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void free_pointers(void *const *p, size_t n)
{
    for (size_t i = 0; i < n; i++) free(p[i]);
}

bool grow_list(void *list, size_t size, size_t room)
{
    void *p;
    memcpy(&p, list, sizeof p); // a T ** is no void **: copied as bytes, which is allowed for every T
    void *grown = room > SIZE_MAX / size ? NULL : realloc(p, room * size);
    if (grown == NULL) return false;
    memcpy(list, &grown, sizeof grown);
    return true;
}

void memory_one_heap(void)
{
#ifdef M_ARENA_MAX
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}
