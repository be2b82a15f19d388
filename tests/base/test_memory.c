// Lists that grow, pointers freed together, and one heap for all threads.
#define _GNU_SOURCE // open_memstream
#include "base/memory.h"
#include "test.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void list_grows(void **state)
{
    (void)state;
    int *list = NULL, n = 0, room = 0;
    for (; n < 1000; n++) {
        assert_true(GROW(list, n, room));
        assert_true(room > n);
        list[n] = 3 * n;
    }
    for (int i = 0; i < n; i++) assert_int_equal(list[i], 3 * i);
    assert_true(room < 4 * n);
    free(list);
}

static void full_memory_leaves_list(void **state)
{
    (void)state;
    double *list = NULL;
    size_t n = 0, room = 0;
    assert_true(GROW(list, n, room));
    list[n++] = 7;
    double *before = list;
    size_t full = SIZE_MAX / 8;
    assert_false(GROW(list, full, full)); // more bytes than an address has
    assert_ptr_equal(list, before);
    assert_int_equal(full, SIZE_MAX / 8);
    assert_true(list[0] == 7);
    free(list);
}

static void pointers_are_freed_once(void **state)
{
    (void)state;
    char *a = malloc(3), *next[2] = {malloc(5), NULL}; // a leak or a second free is the sanitizer's to find
    int at = 0;
    FREE_ALL(a, next[at++], next[1], NULL);
    assert_int_equal(at, 1);
}

#ifdef M_ARENA_MAX
static void *hold(void *ctx)
{
    void *p = malloc(50000); // more than a thread's own cache keeps
    (void)pthread_barrier_wait(ctx);
    (void)pthread_barrier_wait(ctx);
    free(p);
    return NULL;
}

static int heaps(void)
{
    char *xml = NULL;
    size_t size = 0;
    int n = 0;
    FILE *f = open_memstream(&xml, &size);
    assert_non_null(f);
    assert_int_equal(malloc_info(0, f), 0);
    fclose(f);
    for (const char *p = xml; (p = strstr(p, "<heap ")) != NULL; p++) n++;
    free(xml);
    return n;
}

// A sanitizer's own malloc has no heaps to count: the release and debug builds show it.
static void threads_share_one_heap(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t t[THREADS];
    pthread_barrier_t together;
    memory_one_heap();
    pthread_barrier_init(&together, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&t[i], NULL, hold, &together), 0);
    pthread_barrier_wait(&together);
    assert_true(heaps() <= 1);
    pthread_barrier_wait(&together);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    pthread_barrier_destroy(&together);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_grows),
        cmocka_unit_test(full_memory_leaves_list),
        cmocka_unit_test(pointers_are_freed_once),
#ifdef M_ARENA_MAX
        cmocka_unit_test(threads_share_one_heap),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
