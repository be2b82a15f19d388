// The choice of instruction set: lowered on request, never raised above what the machine has.
#include "base/cpu.h"
#include "test.h"

static void limits(void **state)
{
    (void)state;
    simd best = cpu_simd_best();
    static const char *const names[] = {"scalar", "avx2", "avx512"};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(cpu_simd_name((simd)i), names[i]);
        if (i <= (int)best) {
            assert_ok(cpu_limit(names[i]));
            assert_int_equal(cpu_simd(), i);
        } else {
            assert_err(cpu_limit(names[i]), "this machine has no");
        }
    }
    assert_err(cpu_limit("mmx"), "unknown instruction set 'mmx'; choose auto, scalar, avx2 or avx512");
    assert_ok(cpu_limit("auto"));
    assert_int_equal(cpu_simd(), best);
}

static void facts(void **state)
{
    (void)state;
    assert_true(cpu_count() >= 1 && cpu_count() < 100000);
    assert_true(strlen(cpu_model()) > 0);
    assert_null(strchr(cpu_model(), '\n'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(facts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
