// Every reward component by hand on made-up moments, the corrections of the seed, and shaping that telescopes over whole
// matches.
#include "search/puyo/puyo_reward.h"
#include "test.h"

#include <math.h>

static puyo_moment before, after;
static puyo_reward_weights weights;

static puyo_step step_of(int me)
{
    return (puyo_step){.before = &before, .after = &after, .me = me, .gamma = 0.99, .w = &weights};
}

static int setup(void **state)
{
    (void)state;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    return puyo_rewards_parse("seed", &weights) == ERR_OK ? 0 : 1;
}

#define EQUAL(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static void test_end(void **state)
{
    (void)state;
    after.over = true;
    after.score[0] = 1;
    puyo_step won = step_of(0), lost = step_of(1);
    double part[PUYO_REWARD_COUNT];
    EQUAL(puyo_reward_win(&won), 10);
    EQUAL(puyo_reward_loss(&won), 0);
    EQUAL(puyo_reward_win(&lost), 0);
    EQUAL(puyo_reward_loss(&lost), -10);
    EQUAL(puyo_reward_survival(&won), 0);
    puyo_reward_total(&won, part);
    EQUAL(part[PUYO_REWARD_win] + part[PUYO_REWARD_loss], 10); // the seed's defaults add up to 0
    puyo_reward_total(&lost, part);
    EQUAL(part[PUYO_REWARD_win] + part[PUYO_REWARD_loss], -10);
    after.score[0] = after.score[1] = 0.5f;
    EQUAL(puyo_reward_win(&won) + puyo_reward_loss(&won), 0);
    after.over = false;
    EQUAL(puyo_reward_survival(&won), 0.01);
    EQUAL(puyo_reward_win(&won) + puyo_reward_loss(&won), 0);
}

static void test_tempo(void **state)
{
    (void)state;
    puyo_step s = step_of(0);
    after.terms[0] = (puyo_terms){.height = 3, .chain = 4};
    after.terms[1] = (puyo_terms){.height = 6, .chain = 12};
    EQUAL(puyo_reward_tempo(&s), 3.0 / 12 * 0.02 + (0.4 - 1.0) * 0.03);
    s.me = 1;
    EQUAL(puyo_reward_tempo(&s), -(3.0 / 12 * 0.02 + (0.4 - 1.0) * 0.03));
}

static void test_position(void **state)
{
    (void)state;
    puyo_step s = step_of(1);
    before.terms[1] = (puyo_terms){.chain = 2, .danger = 0.25f};
    after.terms[1] = (puyo_terms){.chain = 5, .danger = 0.75f, .balance = 0.5f};
    s.cluster = 0.5f;
    EQUAL(puyo_reward_position(&s), 0.5 * 0.05 + 0.5 * 0.03 + 0.3 * 0.02 - 0.5 * 0.04);
    EQUAL(puyo_reward_cluster(&s), 0.5);
}

static void test_setup(void **state)
{
    (void)state;
    puyo_step s = step_of(0);
    before.terms[0] = (puyo_terms){.chain = 3, .triggers = 2};
    after.terms[0] = (puyo_terms){.chain = 4, .triggers = 1};
    EQUAL(puyo_reward_setup(&s), 0.05);
    after.terms[0].chain = 9;
    EQUAL(puyo_reward_setup(&s), 0.2);
}

static void test_defense(void **state)
{
    (void)state;
    puyo_step s = step_of(0);
    before.terms[0].danger = 0.5f;
    EQUAL(puyo_reward_defense(&s), 0.05);
    before.terms[0].danger = 0;
    // ten were on their way, the other sent two more, five fell, four are left: three were cancelled
    before.incoming[0] = 10;
    after.incoming[0] = 4;
    after.sent[1] = 2;
    after.received[0] = 5;
    EQUAL(puyo_reward_defense(&s), 0.03);
    // what fell without being cancelled is no defence
    after.incoming[0] = 0;
    after.sent[1] = 0;
    after.received[0] = 10;
    EQUAL(puyo_reward_defense(&s), 0);
}

static void test_threat(void **state)
{
    (void)state;
    puyo_step s = step_of(0);
    before.terms[1].threat = 50;
    after.terms[1].threat = 20;
    EQUAL(puyo_reward_threat(&s), 0.3 * 0.02);
}

static void test_execution(void **state)
{
    (void)state;
    puyo_step s = step_of(0);
    static const double want[] = {0, 0, 0.15, 0.225, 0.3375};
    for (int chain = 0; chain <= 4; chain++) {
        s.chain = chain;
        EQUAL(puyo_reward_execution(&s), want[chain]);
    }
    s.chain = 19;
    EQUAL(puyo_reward_execution(&s), 2);
}

static void test_damage(void **state)
{
    (void)state;
    puyo_step s = step_of(0);
    before.sent[0] = 5;
    after.sent[0] = 35;
    EQUAL(puyo_reward_dealt(&s), 0.6);
    EQUAL(puyo_reward_received(&s), 0);
    // nuisance lands: its number on the way falls, and that is no gain
    s = step_of(1);
    before.incoming[1] = 30;
    after.received[1] = 30;
    EQUAL(puyo_reward_received(&s), -0.6);
    EQUAL(puyo_reward_dealt(&s), 0);
}

static void test_cluster(void **state)
{
    (void)state;
    py_field f;
    assert_ok(py_field_parse("RB....", &f));
    // red upright on column 1: the red below; the blue above it touches nothing of its own
    EQUAL((double)puyo_cluster(&f, 0 * 4 + 0, py_pair(PY_RED, PY_GREEN)), 1.0 / 16);
    // red on 1, blue on 2: red below red, blue below blue
    EQUAL((double)puyo_cluster(&f, 0 * 4 + 1, py_pair(PY_RED, PY_BLUE)), 2.0 / 16);
    // two reds lying there see each other, and both the red below (the second one diagonally)
    EQUAL((double)puyo_cluster(&f, 0 * 4 + 1, py_pair(PY_RED, PY_RED)), 4.0 / 16);
    EQUAL((double)puyo_cluster(&f, 0 * 4 + 2, py_pair(PY_GREEN, PY_RED)), 1.0 / 16); // the sub puyo lies below
}

static void test_text(void **state)
{
    (void)state;
    char text[1024];
    puyo_reward_weights w, again;
    assert_ok(puyo_rewards_parse("seed:win=2.5,phi_chain=0.125", &w));
    assert_true(w.win == 2.5 && w.phi_chain == 0.125 && w.tempo == 1 && w.shaping == 0);
    puyo_rewards_print(&w, text, sizeof text);
    assert_ok(puyo_rewards_parse(text, &again));
    assert_memory_equal(&w, &again, sizeof w);
    assert_err(puyo_rewards_parse("dense", &w), "begin with shaped or seed");
    assert_err(puyo_rewards_parse("seed:wins=3", &w), "win");
    assert_err(puyo_rewards_parse("seed:win=1e99", &w), "out of range");
}

// Discounted shaping over a seat's steps of a whole match is gamma^T * Phi(end) - Phi(start) = -Phi(start), and without
// the end it is the difference of the two.
static void test_telescopes(void **state)
{
    (void)state;
    int ended = 0;
    for (uint64_t g = 0; g < 12; g++) {
        py_match m, old;
        puyo_moment now, last[2], first[2];
        double sum[2] = {0, 0}, factor[2] = {1, 1};
        bool decided[2] = {false, false};
        assert_ok(puyo_rewards_parse("shaped", &weights));
        assert_ok(py_match_init(&m, g % 2 ? "timing=turns" : "", (game_key){3, g}));
        puyo_moment_of(&m, &now);
        while (!now.over) {
            int s = py_match_seat(&m);
            puyo_step st = {.before = &last[s], .after = &now, .me = s, .gamma = 0.99, .w = &weights};
            if (decided[s]) {
                sum[s] += factor[s] * puyo_reward_shaping(&st);
                factor[s] *= 0.99;
                EQUAL(sum[s], factor[s] * puyo_phi(&now, s, &weights) - puyo_phi(&first[s], s, &weights));
            } else {
                first[s] = now;
            }
            decided[s] = true;
            last[s] = now;
            uint16_t moves[PY_MAX_LEGAL];
            rng r = rng_at(11, g, m.side[0].placed + m.side[1].placed + (uint32_t)s);
            int n = py_move_list(py_match_legal(&m), moves);
            step_event ev[2];
            old = m;
            py_match_play(&m, moves[rng_below(&r, (uint32_t)n)], ev);
            puyo_moment_next(&m, &old, &now, &now);
            puyo_moment whole;
            puyo_moment_of(&m, &whole);
            assert_memory_equal(whole.terms, now.terms, sizeof now.terms);
        }
        for (int s = 0; s < 2; s++) {
            puyo_step st = {.before = &last[s], .after = &now, .me = s, .gamma = 0.99, .w = &weights};
            sum[s] += factor[s] * puyo_reward_shaping(&st);
            EQUAL(sum[s], -puyo_phi(&first[s], s, &weights));
        }
        ended++;
    }
    assert_int_equal(ended, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_end, setup),        cmocka_unit_test_setup(test_tempo, setup),
        cmocka_unit_test_setup(test_position, setup),   cmocka_unit_test_setup(test_setup, setup),
        cmocka_unit_test_setup(test_defense, setup),    cmocka_unit_test_setup(test_threat, setup),
        cmocka_unit_test_setup(test_execution, setup),  cmocka_unit_test_setup(test_damage, setup),
        cmocka_unit_test_setup(test_cluster, setup),    cmocka_unit_test_setup(test_text, setup),
        cmocka_unit_test_setup(test_telescopes, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
