// Covered time against a ruler of single ticks, for spans in disorder.
#include "base/rng.h"
#include "base/spans.h"
#include "test.h"

#include <stdbool.h>
#include <string.h>

enum { TICKS = 4000 };

static int count(const bool *ruler)
{
    int n = 0;
    for (int i = 0; i < TICKS; i++) n += ruler[i];
    return n;
}

static void joins_and_bridges(void **state)
{
    (void)state;
    spans s = {0};
    spans_add(&s, 5, 5);
    spans_add(&s, 7, 6);
    assert_true(spans_covered(&s) == 0);
    spans_add(&s, 15, 18);
    spans_add(&s, 10, 20); // began before the one that ended first
    assert_true(spans_covered(&s) == 10 && s.n == 1);
    spans_add(&s, 30, 40);
    spans_add(&s, 50, 60);
    assert_true(spans_covered(&s) == 30 && s.n == 3);
    spans_add(&s, 20, 30); // touches on both sides
    assert_true(spans_covered(&s) == 40 && s.n == 2);
    spans_add(&s, -5, 70);
    assert_true(spans_covered(&s) == 75 && s.n == 1);
}

// Every order of arrival gives the same sum while all gaps can be kept.
static void like_a_ruler(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        rng r = rng_at(k, 1, 2);
        bool ruler[TICKS] = {false};
        spans s = {0};
        int n = 1 + (int)rng_below(&r, 120), longest = 1 + (int)rng_below(&r, 100);
        for (int i = 0; i < n; i++) {
            int from = (int)rng_below(&r, TICKS - 200), len = 1 + (int)rng_below(&r, (uint32_t)longest);
            memset(ruler + from, 1, (size_t)len);
            spans_add(&s, from, from + len);
            for (int j = 1; j < s.n; j++) assert_true(s.from[j] > s.to[j - 1]);
        }
        assert_true(spans_covered(&s) == count(ruler));
    }
}

// More gaps than are kept: spans that come nearly in order are still counted once each, and none twice.
static void more_than_are_kept(void **state)
{
    (void)state;
    bool ruler[TICKS] = {false};
    spans s = {0};
    rng r = rng_at(1, 1, 1);
    for (int i = 0; i < TICKS / 4 - 8; i++) {
        int from = 4 * (i ^ (int)rng_below(&r, 4));
        memset(ruler + from, 1, 2);
        spans_add(&s, from, from + 2);
        assert_true(s.n <= SPANS_KEPT);
    }
    assert_true(s.let_go > 0);
    assert_true(spans_covered(&s) == count(ruler));
    spans_add(&s, 0, TICKS); // the past that was let go is closed; the rest is joined
    assert_true(spans_covered(&s) <= TICKS);
    spans_add(&s, 0, 1);
    assert_true(spans_covered(&s) <= TICKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_and_bridges),
        cmocka_unit_test(like_a_ruler),
        cmocka_unit_test(more_than_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
