// Arenas: alignment, limits, marks, and that nothing handed out overlaps.
#include "base/arena.h"
#include "base/rng.h"
#include "test.h"

static void aligned_and_apart(void **state)
{
    (void)state;
    enum { N = 3000 };
    static struct {
        unsigned char *p;
        size_t n;
    } got[N];
    arena a = {.chunk = 4096};
    rng r = rng_at(5, 0, 0);
    for (int round = 0; round < 3; round++) {
        size_t asked = 0;
        for (int i = 0; i < N; i++) {
            size_t align = (size_t)1 << rng_below(&r, 9); // 1 … 256
            got[i].n = rng_below(&r, 50) == 0 ? rng_below(&r, 20000) : rng_below(&r, 100);
            got[i].p = arena_alloc(&a, got[i].n, align);
            assert_non_null(got[i].p);
            assert_int_equal((uintptr_t)got[i].p % align, 0);
            memset(got[i].p, i & 0xff, got[i].n);
            asked += got[i].n;
        }
        for (int i = 0; i < N; i++)
            for (size_t k = 0; k < got[i].n; k++) assert_int_equal(got[i].p[k], i & 0xff);
        assert_true(arena_used(&a) >= asked && arena_used(&a) <= arena_reserved(&a) &&
                    arena_peak(&a) >= arena_used(&a));
        arena_reset(&a);
        assert_int_equal(arena_used(&a), 0);
    }
    arena_free(&a);
    assert_int_equal(arena_reserved(&a), 0);
    assert_int_equal(a.chunk, 4096);
}

static void a_reset_keeps_the_chunks(void **state)
{
    (void)state;
    arena a = {.chunk = 2048};
    void *first = arena_alloc(&a, 100, 8);
    for (int i = 0; i < 100; i++) assert_non_null(arena_alloc(&a, 100, 8));
    size_t reserved = arena_reserved(&a), peak = arena_peak(&a);
    for (int round = 0; round < 10; round++) {
        arena_reset(&a);
        assert_ptr_equal(arena_alloc(&a, 100, 8), first);
        for (int i = 0; i < 100; i++) assert_non_null(arena_alloc(&a, 100, 8));
        assert_int_equal(arena_reserved(&a), reserved);
        assert_int_equal(arena_peak(&a), peak);
    }
    arena_free(&a);
}

static void limits(void **state)
{
    (void)state;
    arena a = {.chunk = 4096, .limit = 10000};
    size_t total = 0;
    while (arena_alloc(&a, 64, 64) != NULL) total += 64;
    assert_true(total > 8000 && total <= 10000);
    assert_true(arena_reserved(&a) <= 10000);
    assert_null(arena_alloc(&a, 1, 1));
    a.limit = 20000; // raised: it goes on
    assert_non_null(arena_alloc(&a, 64, 64));
    assert_null(arena_alloc(&a, 30000, 1));
    assert_null(arena_alloc(&a, SIZE_MAX, 1));
    assert_null(arena_alloc(&a, SIZE_MAX - 10, 64));
    assert_null(arena_array(&a, SIZE_MAX / 2, 3, 1));
    arena_reset(&a);
    assert_non_null(arena_alloc(&a, 64, 64));
    arena_free(&a);
    arena tiny = {.limit = 10};
    assert_null(arena_alloc(&tiny, 1, 1));
    arena_free(&tiny);
}

static void marks(void **state)
{
    (void)state;
    arena a = {.chunk = 1024};
    arena_mark_t empty = arena_mark(&a);
    char *keep = arena_text(&a, "kept");
    arena_mark_t m = arena_mark(&a);
    size_t used = arena_used(&a);
    void *next = NULL;
    for (int round = 0; round < 5; round++) {
        void *p = arena_alloc(&a, 40, 8);
        if (round > 0) assert_ptr_equal(p, next); // the same place every time
        next = p;
        for (int i = 0; i < 200; i++) assert_non_null(arena_alloc(&a, 40, 8)); // over several chunks
        arena_release(&a, m);
        assert_int_equal(arena_used(&a), used);
    }
    assert_string_equal(keep, "kept");
    arena_release(&a, empty);
    assert_int_equal(arena_used(&a), 0);
    arena_free(&a);
}

static void zeroed(void **state)
{
    (void)state;
    arena a = {0};
    unsigned char *p = arena_alloc(&a, 1000, 1);
    memset(p, 0xff, 1000);
    arena_reset(&a);
    uint32_t *v = arena_make(&a, uint32_t, 100);
    for (int i = 0; i < 100; i++) assert_int_equal(v[i], 0);
    p = arena_zalloc(&a, 0, 1);
    assert_non_null(p);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_and_apart),
        cmocka_unit_test(a_reset_keeps_the_chunks),
        cmocka_unit_test(limits),
        cmocka_unit_test(marks),
        cmocka_unit_test(zeroed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
