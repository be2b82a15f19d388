// Looking one placement ahead against the match itself: where the other side is busy until our next decision, what was
// foreseen is what happens; rewards are those of the step; a placement that buries its owner is known to.
#include "search/puyo/puyo_lookahead.h"
#include "test.h"

#include <math.h>

static puyo_reward_weights weights;

// Plays random placements and compares wherever the mover moves again at once.
static void foreseen(const char *options)
{
    int compared = 0, over = 0;
    for (uint64_t g = 0; g < 40; g++) {
        py_match m;
        rng r = rng_at(5, g, 0);
        assert_ok(py_match_init(&m, options, (game_key){8, g}));
        while (!py_match_result(&m).over) {
            puyo_ahead ahead[PY_MAX_LEGAL];
            puyo_moment now;
            step_event ev[2];
            int me = py_match_seat(&m);
            puyo_moment_of(&m, &now);
            int n = puyo_look_ahead(&m, me, &now, &weights, 0.99, ahead);
            assert_int_equal(n, __builtin_popcount(py_match_legal(&m)));
            int pick = (int)rng_below(&r, (uint32_t)n);
            py_match next = m;
            py_match_play(&next, ahead[pick].move, ev);
            outcome o = py_match_result(&next);
            bool again =
                m.held == 0 && next.held == 0 && (o.over ? next.side[me].buried != 0 : py_match_seat(&next) == me);
            if (again && next.side[!me].placed == m.side[!me].placed &&
                next.side[!me].received == m.side[!me].received) {
                const py_match *seen = &ahead[pick].after;
                puyo_moment then;
                puyo_moment_of(&next, &then);
                puyo_step s = {
                    .before = &now, .after = &then, .me = me, .chain = ev[me].chain, .gamma = 0.99, .w = &weights};
                assert_int_equal(ahead[pick].over, next.side[me].buried != 0);
                assert_memory_equal(&seen->side[me].field, &next.side[me].field, sizeof(py_field));
                assert_memory_equal(seen->side[me].window, next.side[me].window, PY_SHOWN);
                assert_int_equal(seen->side[me].score, next.side[me].score);
                assert_int_equal(seen->side[me].clock, next.side[me].clock);
                assert_int_equal(seen->side[!me].coming + seen->side[!me].pending,
                                 next.side[!me].coming + next.side[!me].pending);
                assert_int_equal(seen->viewer, 1 + me);
                assert_true(fabs(ahead[pick].reward - puyo_reward_total(&s, NULL)) < 1e-9);
                compared++;
                over += ahead[pick].over;
            }
            m = next;
        }
    }
    assert_true(compared > 50);
    assert_true(over > 0);
}

static void test_frames(void **state)
{
    (void)state;
    assert_ok(puyo_rewards_parse("shaped:dealt=1,received=1,execution=1", &weights));
    foreseen("pairs=uniform");
}

static void test_waits(void **state)
{
    (void)state;
    // both choose at the same moment: each is foreseen as if the other waited, and the match itself is not touched
    py_match m, copy;
    puyo_ahead ahead[PY_MAX_LEGAL];
    puyo_moment now;
    assert_ok(puyo_rewards_parse("shaped:shaping=0", &weights));
    assert_ok(py_match_init(&m, "timing=turns", (game_key){8, 1}));
    puyo_moment_of(&m, &now);
    copy = m;
    for (int me = 0; me < 2; me++) {
        int n = puyo_look_ahead(&m, me, &now, &weights, 0.99, ahead);
        for (int i = 0; i < n; i++) {
            assert_int_equal(ahead[i].after.side[me].placed, 1);
            assert_int_equal(ahead[i].after.side[!me].placed, 0);
            assert_int_equal(ahead[i].after.held, 0);
            assert_true(ahead[i].reward == 0 && !ahead[i].over);
        }
    }
    assert_memory_equal(&m, &copy, sizeof m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
