// The replay buffer: the sum tree's invariant, draws in proportion to priorities (chi-squared), priorities that land on the
// right transitions, duplicates, overwriting, and a buffer that comes back from a file as it was.
#include "base/temp_dir.h"
#include "learn/dqn/per.h"
#include "test.h"

#include <math.h>

static const dqn_shape shape = {.planes = 1, .rows = 2, .cols = 3, .scalars = 2, .actions = 4, .seats = 1};

static void add(per *r, uint64_t i)
{
    uint64_t bits = i, next = i + 1;
    float rest[4] = {(float)i, 2, 3, 4}, scalars[2] = {(float)i, 0}, after[2] = {(float)i + 1, 0};
    per_add(r, &(transition){&bits, &next, scalars, after, 15, (int)(i % 4), (float)i, 0.5f, rest, (uint32_t)i % 3});
}

static per *make(uint32_t capacity, bool prioritized)
{
    per *r = NULL;
    assert_ok(per_new(&r, &(per_options){shape, capacity, prioritized, 0.6}));
    return r;
}

static void test_tree(void **state)
{
    (void)state;
    sum_tree t;
    rng r = rng_at(1, 0, 0);
    assert_ok(sum_tree_new(&t, 100));
    assert_int_equal(t.leaves, 128);
    for (int i = 0; i < 20000; i++) {
        // wild magnitudes: a tree that adds differences would drift here
        double v = rng_below(&r, 4) == 0 ? 0 : exp(rng_unit(&r) * 60 - 30);
        sum_tree_set(&t, rng_below(&r, 100), v);
    }
    assert_true(sum_tree_ok(&t));
    for (uint32_t i = 0; i < 100; i++) sum_tree_set(&t, i, 0);
    assert_true(sum_tree_total(&t) == 0);
    sum_tree_set(&t, 3, 1);
    sum_tree_set(&t, 77, 2);
    assert_int_equal(sum_tree_find(&t, 0), 3);
    assert_int_equal(sum_tree_find(&t, 0.999), 3);
    assert_int_equal(sum_tree_find(&t, 1), 77);
    assert_int_equal(sum_tree_find(&t, 2.9999), 77);
    assert_int_equal(sum_tree_find(&t, 3), 77); // the very end, as rounding may ask for
    sum_tree_free(&t);
}

// Frequencies over many draws against priority^alpha, 50 transitions with TD errors 0.1 … 5.
static void test_frequencies(void **state)
{
    (void)state;
    enum { N = 50, DRAWS = 4000, BATCH = 32 };
    per *r = make(N, true);
    per_draw d[BATCH], every[N];
    float td[N];
    double share[N], total = 0, chi = 0;
    int seen[N] = {0};
    for (uint64_t i = 0; i < N; i++) add(r, i);
    for (int i = 0; i < N; i++) {
        every[i] = (per_draw){(uint32_t)i, (uint64_t)i + 1, 1};
        td[i] = (i % 2 ? -0.1f : 0.1f) * (float)(i + 1);
        share[i] = pow(fabs((double)td[i]) + 1e-6, 0.6);
        total += share[i];
    }
    per_update(r, N, every, td);
    rng from = rng_at(5, 0, 0);
    for (int k = 0; k < DRAWS; k++) {
        per_sample(r, &from, BATCH, 0.4, d);
        for (int i = 0; i < BATCH; i++) seen[d[i].slot]++;
    }
    for (int i = 0; i < N; i++) {
        double want = share[i] / total * DRAWS * BATCH;
        chi += (seen[i] - want) * (seen[i] - want) / want;
    }
    // 49 degrees of freedom: 85.4 is passed once in a thousand; stratified draws vary less than independent ones
    assert_true(chi < 85.4);
    per_free(r);
}

static void test_weights(void **state)
{
    (void)state;
    per *r = make(4, true);
    per_draw every[2] = {{0, 1, 1}, {1, 2, 1}}, d[64];
    for (uint64_t i = 0; i < 2; i++) add(r, i);
    per_update(r, 2, every, (const float[]){1, 4});
    rng from = rng_at(9, 0, 0);
    per_sample(r, &from, 64, 1, d);
    double ratio = pow((1 + 1e-6) / (4 + 1e-6), 0.6); // the rarer one has the largest weight, 1
    for (int i = 0; i < 64; i++) assert_true(fabs((double)d[i].weight - (d[i].slot == 0 ? 1 : ratio)) < 1e-5);
    per_free(r);
}

static void test_right_place(void **state)
{
    (void)state;
    per *r = make(8, true);
    for (uint64_t i = 0; i < 8; i++) add(r, i);
    rng from = rng_at(2, 0, 0);
    per_draw d[3];
    per_sample(r, &from, 3, 0.4, d);
    // position 0 of the batch is not slot 0 of the memory: only the drawn one may change
    float td[3] = {100, 100, 100};
    per_update(r, 3, d, td);
    assert_true(fabs(per_top(r) - pow(100 + 1e-6, 0.6)) < 1e-9);
    int hits[8] = {0};
    for (int k = 0; k < 200; k++) {
        per_draw one;
        per_sample(r, &from, 1, 0.4, &one);
        hits[one.slot]++;
        transition t = per_get(r, one.slot);
        assert_true(t.reward == (float)one.slot && *t.bits == one.slot && *t.next_bits == one.slot + 1);
        assert_int_equal(t.action, one.slot % 4);
    }
    int on = hits[d[0].slot] + (d[1].slot != d[0].slot ? hits[d[1].slot] : 0);
    if (d[2].slot != d[0].slot && d[2].slot != d[1].slot) on += hits[d[2].slot];
    assert_true(on > 150); // 3 * 15.8 of 52.5
    per_free(r);
}

static void test_duplicates(void **state)
{
    (void)state;
    per *r = make(4, true);
    for (uint64_t i = 0; i < 4; i++) add(r, i);
    per_draw twice[3] = {{2, 3, 1}, {2, 3, 1}, {1, 2, 1}};
    per_update(r, 3, twice, (const float[]){9, 0.5f, 2});
    rng from = rng_at(2, 0, 0);
    double want = 2 + pow(0.5 + 1e-6, 0.6) + pow(2 + 1e-6, 0.6);
    int hits[4] = {0};
    for (int k = 0; k < 20000; k++) {
        per_draw one;
        per_sample(r, &from, 1, 0, &one);
        hits[one.slot]++;
    }
    assert_true(fabs(hits[2] / 20000.0 - pow(0.5 + 1e-6, 0.6) / want) < 0.015);
    assert_true(fabs(hits[1] / 20000.0 - pow(2 + 1e-6, 0.6) / want) < 0.015);
    per_free(r);
}

static void test_overwritten(void **state)
{
    (void)state;
    per *r = make(4, true);
    for (uint64_t i = 0; i < 4; i++) add(r, i);
    per_draw old = {0, 1, 1}, others[3] = {{1, 2, 1}, {2, 3, 1}, {3, 4, 1}};
    per_update(r, 3, others, (const float[]){0, 0, 0});
    add(r, 4); // takes slot 0
    per_update(r, 1, &old, (const float[]){0});
    rng from = rng_at(2, 0, 0);
    int hits = 0;
    for (int k = 0; k < 200; k++) {
        per_draw one;
        per_sample(r, &from, 1, 0, &one);
        hits += one.slot == 0 && one.serial == 5;
    }
    assert_true(hits > 190); // it entered at the top and kept it
    assert_int_equal(per_count(r), 4);
    assert_int_equal(per_added(r), 5);
    per_free(r);
}

static void test_uniform(void **state)
{
    (void)state;
    per *r = make(10, false);
    for (uint64_t i = 0; i < 10; i++) add(r, i);
    rng from = rng_at(4, 0, 0);
    int seen[10] = {0};
    per_draw d[20];
    double chi = 0;
    for (int k = 0; k < 500; k++) {
        per_sample(r, &from, 20, 0.4, d);
        for (int i = 0; i < 20; i++) {
            seen[d[i].slot]++;
            assert_true(d[i].weight == 1);
        }
        per_update(r, 20, d, (const float[20]){9, 9, 9});
    }
    for (int i = 0; i < 10; i++) chi += (seen[i] - 1000) * (seen[i] - 1000) / 1000.0;
    assert_true(chi < 27.9); // 9 degrees, one in a thousand
    per_free(r);
}

static void test_file(void **state)
{
    (void)state;
    char dir[64], path[100];
    temp_dir_make(dir);
    snprintf(path, sizeof path, "%s/replay.bin", dir);
    per *r = make(6, true), *back = make(6, true), *other = make(7, true);
    for (uint64_t i = 0; i < 9; i++) add(r, i);
    per_draw d[2] = {{4, 5, 1}, {0, 7, 1}};
    per_update(r, 2, d, (const float[]){7, 0.01f});
    assert_ok(per_save(r, path));
    assert_ok(per_load(back, path));
    assert_err(per_load(other, path), "another shape, size or kind");
    assert_true(per_top(back) == per_top(r));
    rng a = rng_at(1, 1, 1), b = a;
    for (uint64_t i = 9; i < 40; i++) { // both go on in the same way
        per_draw x[5], y[5];
        per_sample(r, &a, 5, 0.5, x);
        per_sample(back, &b, 5, 0.5, y);
        for (int k = 0; k < 5; k++) {
            assert_true(x[k].slot == y[k].slot && x[k].serial == y[k].serial && x[k].weight == y[k].weight);
            transition p = per_get(r, x[k].slot), q = per_get(back, y[k].slot);
            assert_true(p.reward == q.reward && p.rest_mask == q.rest_mask && p.rest[0] == q.rest[0]);
        }
        const float td[5] = {1, 2, 3, 4, (float)i};
        per_update(r, 5, x, td);
        per_update(back, 5, y, td);
        add(r, i);
        add(back, i);
    }
    assert_err(per_from_bytes(back, "keiko", 5), "cut off");
    per_free(r);
    per_free(back);
    per_free(other);
    temp_dir_remove(dir);
}

// More transitions than slots have numbers: the size of the tree of priorities would wrap around.
static void test_too_large(void **state)
{
    (void)state;
    sum_tree t;
    per *r = NULL;
    assert_err(sum_tree_new(&t, PER_MOST + 1), "2147483649 priorities are too many");
    assert_err(per_new(&r, &(per_options){shape, PER_MOST + 1, true, 0.6}), "is too large: at most 2147483648");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),        cmocka_unit_test(test_frequencies), cmocka_unit_test(test_weights),
        cmocka_unit_test(test_right_place), cmocka_unit_test(test_duplicates),  cmocka_unit_test(test_overwritten),
        cmocka_unit_test(test_uniform),     cmocka_unit_test(test_file),        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
