// labels: threads
// Success rates of both advisors against the known ones, with the interval a small sample allows; the computed chance of
// the fold against what happens on real fields; results that do not depend on threads.
#include "search/puyo/puyo_advisor_fold.h"
#include "search/puyo/puyo_advisor_sim.h"
#include "test.h"

#include <math.h>

static int games(void)
{
    return soak_or(UNDER_TSAN ? 150 : 600, 5000);
}

static advisor_tally simulate(advisor_trial t, int threads)
{
    advisor_tally out;
    pool *p = pool_new(threads);
    t.config = &advisor_defaults;
    t.colours = t.colours == 0 ? 4 : t.colours;
    assert_ok(advisor_simulate(&t, p, &out));
    pool_free(p);
    assert_int_equal(out.games, t.games);
    int64_t all = out.successes;
    for (int k = 0; k < FAILURES; k++) all += out.failures[k];
    assert_int_equal(all, t.games);
    return out;
}

// Within four standard errors and what the reference itself is uncertain by.
static void expect_rate(const advisor_tally *r, double rate, double slack)
{
    double got = (double)r->successes / (double)r->games, se = sqrt(rate * (1 - rate) / (double)r->games);
    if (fabs(got - rate) > 4 * se + slack) fail_msg("%.4f of %d games, expected %.4f", got, (int)r->games, rate);
}

static void rates_of_the_original(void **state)
{
    (void)state;
    static const struct {
        int kind, turns;
        double rate, slack;
    } known[] = {{PY_BLOCKS, 10, 0.827, 0.007}, {PY_BLOCKS, 15, 0.973, 0.003}, {PY_ARCADE, 10, 0.880, 0.015}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        advisor_tally r = simulate(
            (advisor_trial){.kind = known[i].kind, .turns = known[i].turns, .shown = 1, .seed = 5, .games = games()},
            0);
        expect_rate(&r, known[i].rate, known[i].slack);
        text_free(&r.failed);
    }
}

// On real fields, with pops and steering, the better advisor must do as its table says: the reduction loses nothing.
static void chances_come_true(void **state)
{
    (void)state;
    static const int kinds[] = {PY_BLOCKS, PY_UNIFORM}, turns[] = {10, 15};
    for (int k = 0; k < 2; k++) {
        const fold_table *t = fold_table_for(4, kinds[k]);
        assert_non_null(t);
        for (int i = 0; i < 2; i++) {
            double chance = fold_chance(t, 0, 0, 0, 0, turns[i]);
            advisor_tally r = simulate(
                (advisor_trial){
                    .plus = true, .kind = kinds[k], .turns = turns[i], .shown = 2, .seed = 6, .games = games()},
                0);
            expect_rate(&r, chance, 0.002);
            text_free(&r.failed);
        }
    }
    assert_true(fold_chance(fold_table_for(4, PY_BLOCKS), 0, 0, 0, 0, 15) >= 0.99);
    assert_true(fold_chance(fold_table_for(4, PY_BLOCKS), 0, 0, 0, 0, 10) >= 0.90);
}

static int reduced(const char *text)
{
    py_field f;
    assert_ok(py_field_parse(text, &f));
    return fold_state(&f);
}

static void reductions(void **state)
{
    (void)state;
    assert_int_equal(reduced("......"), 0);
    assert_int_equal(reduced("...RGB/...RGB"), 0); // what lies elsewhere does not matter
    assert_int_equal(reduced("RB...."), FOLD_DEAD);
    assert_int_equal(reduced("O....."), FOLD_DEAD);
    assert_int_equal(reduced("BBB..."), FOLD_DEAD); // B under (3,2): four would connect
    assert_int_equal(reduced("R...../R...../B....."), reduced("R...../R...../B....G"));
    assert_int_equal(reduced("R...../R...../R...../B....."), FOLD_DEAD); // a fourth A
    assert_true(reduced("G...../R...../R...../B.....") == reduced("R...../R...../B....."));
    assert_true(fold_is_done(reduced("RB..../RRB.../BBG...")));
    assert_true(fold_is_done(reduced("GB..../RB..../RRB.../BBO...")));
    assert_false(fold_is_done(reduced("RB..../RR..../BBG...")));
    const fold_table *t = fold_table_for(4, PY_UNIFORM);
    uint8_t bb = PY_BLUE | PY_BLUE << 4, rg = PY_RED | PY_GREEN << 4;
    int one_left = reduced("R...../RRB.../BBG..."); // only B on (2,3) is missing
    assert_float_equal(fold_chance(t, one_left, bb, rg, 0, 1), 1, 1e-6);
    assert_float_equal(fold_chance(t, one_left, rg, bb, 0, 1), 0, 1e-6);
    assert_float_equal(fold_chance(t, one_left, rg, bb, 0, 2), 1, 1e-6);
    // An unknown pair has a B with probability 7/16.
    assert_float_equal(fold_chance(t, one_left, 0, 0, 0, 1), 7.0 / 16, 1e-6);
    assert_float_equal(fold_chance(t, one_left, 0, 0, 0, 2), 1 - 81.0 / 256, 1e-6);
    assert_float_equal(fold_chance(t, one_left, rg, 0, 0, 2), 7.0 / 16, 1e-6);
    // More turns never hurt.
    const fold_table *b = fold_table_for(4, PY_BLOCKS);
    for (int n = 1; n <= FOLD_TURNS; n++) {
        double c = fold_chance(b, 0, 0, 0, 0, n);
        assert_true(c >= fold_chance(b, 0, 0, 0, 0, n - 1) - 1e-6 && c <= 1 + 1e-5);
    }
    assert_float_equal(fold_chance(b, reduced("RB..../RRB.../BBG..."), 0, 0, 0, 0), 1, 1e-6);
    for (int colours = 3; colours <= 5; colours += 2) assert_non_null(fold_table_for(colours, PY_UNIFORM));
    assert_true(fold_chance(fold_table_for(3, PY_UNIFORM), 0, 0, 0, 0, 10) > fold_chance(t, 0, 0, 0, 0, 10));
    assert_true(fold_chance(fold_table_for(5, PY_UNIFORM), 0, 0, 0, 0, 10) < fold_chance(t, 0, 0, 0, 0, 10));
}

static void any_number_of_threads(void **state)
{
    (void)state;
    for (int plus = 0; plus < 2; plus++) {
        advisor_trial t = {.plus = plus,
                           .kind = PY_BLOCKS,
                           .turns = 8,
                           .shown = 1 + plus,
                           .seed = 9,
                           .games = 300,
                           .keep_failures = true};
        advisor_tally one = simulate(t, 1), three = simulate(t, 3);
        assert_int_equal(one.successes, three.successes);
        assert_int_equal(one.turns, three.turns);
        assert_memory_equal(one.failures, three.failures, sizeof one.failures);
        assert_string_equal(text_str(&one.failed), text_str(&three.failed));
        assert_non_null(strstr(text_str(&one.failed), "turns=8 pairs=blocks colours=4 seed=9 game="));
        text_free(&one.failed);
        text_free(&three.failed);
    }
}

static void whole_games(void **state)
{
    (void)state;
    // Behind the fold, with nuisance and five colours: whatever the field, some placement is advised while there is room.
    for (uint64_t n = 0; n < 12; n++) {
        py_field f = {{{0}}};
        py_queue q;
        rng r = rng_at(3, n, 0);
        py_queue_init(&q, PY_UNIFORM, 4 + (int)(n % 2), 3, n);
        for (uint32_t i = 0; i < 40 && !py_buried(&f, PY_LOSE_TSU); i++) {
            advisor_future x = {
                .next = {py_queue_get(&q, i + 1), py_queue_get(&q, i + 2)}, .colours = q.colours, .index = i};
            advice a;
            uint8_t pair = py_queue_get(&q, i);
            assert_ok(advisor_advise_plus(&advisor_defaults, &f, pair, &x, &a));
            uint32_t legal = py_legal_mask(&f, pair, true, PY_LOSE_TSU);
            assert_true(a.n > 0 && a.n <= __builtin_popcount(legal));
            for (int k = 0; k < a.n; k++) assert_true(legal >> a.best[k].move & 1);
            py_place(&f, a.best[0].move, pair);
            py_links(&f);
            if (n % 3 == 2 && i % 9 == 8) py_nuisance_fall(&f, 4, &r);
            assert_true(py_field_ok(&f, q.colours));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reductions), cmocka_unit_test(rates_of_the_original),
                                       cmocka_unit_test(chances_come_true), cmocka_unit_test(any_number_of_threads),
                                       cmocka_unit_test(whole_games)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
