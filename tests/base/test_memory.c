// Lists that grow and pointers freed together.
#include "base/memory.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_grows),
        cmocka_unit_test(full_memory_leaves_list),
        cmocka_unit_test(pointers_are_freed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
