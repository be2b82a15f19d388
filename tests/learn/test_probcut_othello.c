// The spread of Othello's search values in miniature: the same whatever the threads, larger for probes that see less.
// labels: threads
#include "learn/tune/probcut_othello.h"
#include "test.h"

static void measure(int threads, oth_spread_table *out)
{
    probcut_options o = {.seed = 5, .games = 6, .depth = 4, .weights = oth_weights_shipped()};
    assert_non_null(o.weights);
    o.threads = threads > 1 ? pool_new(threads) : NULL;
    assert_ok(probcut_othello(&o, out));
    pool_free(o.threads);
}

static void test_measure(void **state)
{
    (void)state;
    oth_spread_table one, two;
    measure(1, &one);
    measure(2, &two);
    assert_memory_equal(&one, &two, sizeof one);
    int nearer = 0, tempo = 0;
    for (int s = 3; s < OTH_SPREAD_STAGES - 1; s++) {
        assert_true(one.of[s][4][0] > 0 && one.of[s][4][2] > 0 && one.of[s][4][1] == 0);
        assert_int_equal(one.of[s][6][2], one.of[s][4][0]); // beyond the deepest: as many plies between
        nearer += one.of[s][4][2] < one.of[s][4][0];
        tempo += one.tempo[s];
        assert_in_range(one.of[s][1][0], 1, one.of[s][4][0] + OTH_SPREAD_UNIT);
    }
    assert_true(nearer >= 4);
    assert_true(tempo > 0); // a move is worth something
}

static void test_write(void **state)
{
    (void)state;
    static oth_spread_table t;
    t.of[1][2][0] = 77;
    t.tempo[0] = -3;
    text_buf out = {0};
    assert_ok(probcut_write(&t, 6, &out));
    assert_non_null(strstr(out.data, "from 6 games"));
    assert_non_null(strstr(out.data, "{77, 0, 0"));
    assert_non_null(strstr(out.data, ".tempo = {-3, 0,"));
    text_free(&out);
}

// Every pair of depths that the search may ask for has a spread.
static void test_shipped_table(void **state)
{
    (void)state;
    for (int empties = 6; empties < OTH_SQUARES - 4; empties++)
        for (int depth = 1; depth < 40 && depth < empties; depth++) {
            int probe = depth <= 2 ? 0 : 2 * (depth / 4) + (depth & 1);
            if (probe < depth) assert_in_range(oth_spread_of(empties, depth, probe), 1, 255);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_shipped_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
