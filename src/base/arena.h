// Memory for many objects of one lifetime: handed out in order, given back all at once.
//
// A chain of chunks; nothing is freed one by one. arena_reset() keeps the chunks, so a search that runs again asks the
// system for nothing. A limit bounds what is taken from the system: beyond it arena_alloc() returns NULL, which a search
// answers by stopping. Zero is an empty arena with the defaults. Not for threads: one arena each.
#ifndef KEIKO_BASE_ARENA_H
#define KEIKO_BASE_ARENA_H

#include <stddef.h>

typedef struct arena_chunk arena_chunk;

typedef struct arena {
    size_t chunk; // bytes a chunk; 0 = 256 KiB. May be set before the first allocation
    size_t limit; // bytes taken from the system at most; 0 = no limit. May be changed any time
    // the rest is the arena's own
    arena_chunk *first, *now;
    size_t before;         // bytes used in the chunks before `now`
    size_t reserved, peak; // bytes taken from the system; most bytes in use so far
} arena;

typedef struct arena_mark_t {
    arena_chunk *chunk;
    size_t used, before;
} arena_mark_t;

void *arena_alloc(arena *a, size_t size,
                  size_t align); // align: a power of two; not zeroed. NULL: no memory, or the limit
void *arena_zalloc(arena *a, size_t size, size_t align); // zeroed
#define arena_make(a, type, n) ((type *)arena_array(a, sizeof(type), (n), _Alignof(type)))
void *arena_array(arena *a, size_t size, size_t n,
                  size_t align);           // n of them, zeroed; NULL also when n * size overflows
char *arena_text(arena *a, const char *s); // a copy

arena_mark_t arena_mark(const arena *a);
void arena_release(arena *a, arena_mark_t m); // gives back all since the mark; marks made after it are void
void arena_reset(arena *a);                   // gives back all; keeps the chunks
void arena_free(arena *a);                    // gives the chunks back too; the arena can be used again

size_t arena_used(const arena *a); // bytes handed out, with padding
size_t arena_peak(const arena *a);
size_t arena_reserved(const arena *a);

#endif
