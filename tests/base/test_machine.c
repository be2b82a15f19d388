// The machine's numbers are ones that can be, and measuring a disk leaves nothing behind.
#include "base/machine.h"
#include "base/temp_dir.h"
#include "test.h"

static void numbers(void **state)
{
    (void)state;
    size_t l1 = machine_cache(1), l2 = machine_cache(2);
    assert_true(l1 == 0 || (l1 >= 4096 && l1 <= (size_t)16 << 20));
    assert_true(l1 == 0 || l2 == 0 || l2 >= l1);
    assert_int_equal(machine_cache(9), 0);
    assert_true(machine_memory() > 1e7);
    assert_true(machine_available() >= 0.0);
}

static void disk(void **state)
{
    (void)state;
    char dir[64];
    machine_disk d;
    assert_non_null(temp_dir_make(dir));
    assert_ok(machine_disk_measure(dir, (size_t)4 << 20, &d));
    assert_true(d.free_bytes > 0.0 && d.write_bytes_s > 0.0 && d.atomic_s > 0.0);
    assert_int_equal(temp_dir_count(dir), 0);
    assert_err(machine_disk_measure(dir, (size_t)1 << 62, &d), "MB free");
    temp_dir_remove(dir);
    assert_err(machine_disk_measure(dir, 1, &d), "cannot look at the disk");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(disk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
