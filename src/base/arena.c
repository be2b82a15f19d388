// Chunked arenas. See arena.h. Under AddressSanitizer what has been given back is poisoned, so that a pointer kept past
// its lifetime is found at once.
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#endif
#if defined(ARENA_ASAN)
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { CHUNK = 256 * 1024, CHUNK_LEAST = 1024 };

struct arena_chunk {
    arena_chunk *next;
    size_t size, used; // of data
    alignas(64) unsigned char data[];
};

static void count_peak(arena *a)
{
    size_t used = arena_used(a);
    if (used > a->peak) a->peak = used;
}

// Room for `size` more in the chunk: where it begins, or SIZE_MAX.
static size_t place(const arena_chunk *c, size_t size, size_t align)
{
    uintptr_t base = (uintptr_t)c->data;
    size_t at = (size_t)((base + c->used + align - 1) / align * align - base);
    return at <= c->size && size <= c->size - at ? at : SIZE_MAX;
}

// A fresh chunk behind `now` that holds `need` bytes; smaller than usual when the limit is near.
static arena_chunk *add_chunk(arena *a, size_t need)
{
    size_t want = a->chunk == 0 ? CHUNK : a->chunk < CHUNK_LEAST ? CHUNK_LEAST : a->chunk;
    if (need > SIZE_MAX - sizeof(arena_chunk) - 64) return NULL;
    if (want < need) want = need;
    want = (want + 63) / 64 * 64;
    if (a->limit != 0) {
        size_t room = a->limit > a->reserved ? a->limit - a->reserved : 0;
        room = room > sizeof(arena_chunk) ? room - sizeof(arena_chunk) : 0;
        if (want > room) want = room / 64 * 64;
        if (want < need) return NULL;
    }
    // aligned_alloc wants a multiple of the alignment; the header is 64 bytes.
    arena_chunk *c = aligned_alloc(64, sizeof *c + want);
    if (c == NULL) return NULL;
    c->size = want;
    c->used = 0;
    a->reserved += sizeof *c + want;
    if (a->now == NULL) {
        c->next = a->first;
        a->first = c;
    } else {
        c->next = a->now->next;
        a->now->next = c;
    }
    POISON(c->data, c->size);
    return c;
}

void *arena_alloc(arena *a, size_t size, size_t align)
{
    assert(align > 0 && (align & (align - 1)) == 0);
    size_t at = a->now == NULL ? SIZE_MAX : place(a->now, size, align);
    if (at == SIZE_MAX) {
        arena_chunk *next = a->now == NULL ? a->first : a->now->next;
        if (next != NULL) next->used = 0; // left over from before a reset
        if (next == NULL || (at = place(next, size, align)) == SIZE_MAX) {
            if (size > SIZE_MAX - align) return NULL;
            next = add_chunk(a, align > 64 ? size + align : size);
            if (next == NULL) return NULL;
            at = place(next, size, align);
            assert(at != SIZE_MAX);
        }
        if (a->now != NULL) a->before += a->now->used;
        a->now = next;
    }
    a->now->used = at + size;
    count_peak(a);
    UNPOISON(a->now->data + at, size);
    return a->now->data + at;
}

void *arena_zalloc(arena *a, size_t size, size_t align)
{
    void *p = arena_alloc(a, size, align);
    return p == NULL ? NULL : memset(p, 0, size);
}

void *arena_array(arena *a, size_t size, size_t n, size_t align)
{
    if (size != 0 && n > SIZE_MAX / size) return NULL;
    return arena_zalloc(a, size * n, align);
}

char *arena_text(arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = arena_alloc(a, n, 1);
    return copy == NULL ? NULL : memcpy(copy, s, n);
}

arena_mark_t arena_mark(const arena *a)
{
    return (arena_mark_t){a->now, a->now == NULL ? 0 : a->now->used, a->before};
}

// All chunks after the current one; without the sanitizer there is nothing to walk for.
static void poison_behind(const arena *a)
{
#if defined(ARENA_ASAN)
    for (arena_chunk *c = a->now == NULL ? a->first : a->now->next; c != NULL; c = c->next) POISON(c->data, c->size);
#else
    (void)a;
#endif
}

void arena_release(arena *a, arena_mark_t m)
{
    a->now = m.chunk;
    a->before = m.before;
    if (a->now != NULL) {
        assert(m.used <= a->now->used);
        a->now->used = m.used;
        POISON(a->now->data + m.used, a->now->size - m.used);
    }
    poison_behind(a);
}

void arena_reset(arena *a)
{
    arena_release(a, (arena_mark_t){NULL, 0, 0});
}

void arena_free(arena *a)
{
    for (arena_chunk *c = a->first; c != NULL;) {
        arena_chunk *next = c->next;
        UNPOISON(c->data, c->size);
        free(c);
        c = next;
    }
    *a = (arena){.chunk = a->chunk, .limit = a->limit};
}

size_t arena_used(const arena *a)
{
    return a->before + (a->now == NULL ? 0 : a->now->used);
}

size_t arena_peak(const arena *a)
{
    return a->peak;
}

size_t arena_reserved(const arena *a)
{
    return a->reserved;
}
