// Memory owned through plain pointers: free several at once, make room for one more element; how threads share the heap.
#ifndef KEIKO_BASE_MEMORY_H
#define KEIKO_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Frees each pointer given; NULL is fine.
#define FREE_ALL(...) free_pointers((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

// Makes room for one more element in a list of `n` elements with space for `room`: when it is full, doubles it.
// False: no memory; the list is as it was. `room` is an int, a uint32_t or a size_t.
#define GROW(list, n, room)                                                                                            \
    ((n) < (room) || (grow_list(&(list), sizeof *(list), 2 * (size_t)(room) + 16) && ((room) = 2 * (room) + 16, true)))

void free_pointers(void *const *p, size_t n);
bool grow_list(void *list, size_t size, size_t room); // `list`: the address of the list's pointer

// One heap for all threads, where the C library lets us say so (glibc); otherwise nothing happens. Call it before there are
// threads. By default glibc gives threads heaps of their own, and memory that one thread takes and another frees leaves holes
// in each of them: a server that holds the same amount for hours would go on growing.
void memory_one_heap(void);

#endif
