// The Puyo environment against the game table: the same matches, masks, observations and results, in both timing models, for
// any cut into ranges; rewards add up as they should; renaming colours leaves what it must.
#include "games/puyo/puyo_match.h"
#include "learn/dqn/dqn_env.h"
#include "search/puyo/puyo_reward.h"
#include "test.h"

#include <math.h>

extern const game game_puyo;

enum { LANES = 6 };

static uint8_t any_action(uint32_t mask, uint64_t draw)
{
    for (uint64_t skip = rng_mix(draw) % (uint64_t)__builtin_popcount(mask); skip > 0; skip--) mask &= mask - 1;
    return (uint8_t)__builtin_ctz(mask);
}

typedef struct world {
    void *env;
    dqn_view v;
    dqn_shape s;
} world;

static world open_world(const char *options, const char *rewards, int lanes)
{
    world w = {0};
    assert_ok(dqn_env_puyo.open(&w.env, &(dqn_puyo_options){options, rewards, 0.99, NULL, false}, lanes, 42));
    w.s = dqn_env_puyo.shape(w.env);
    assert_ok(dqn_view_new(&w.v, &w.s, lanes));
    dqn_env_puyo.show(w.env, 0, lanes, &w.v);
    return w;
}

static void close_world(world *w)
{
    dqn_env_puyo.close(w->env);
    dqn_view_free(&w->v);
}

static void same_as_game(const char *options)
{
    world w = open_world(options, "none", LANES);
    py_match m[LANES], obs;
    uint64_t number[LANES], words = dqn_words(&w.s);
    int ends = 0;
    for (uint64_t i = 0; i < LANES; i++) {
        number[i] = i;
        assert_ok(game_puyo.init(&m[i], options, (game_key){42, i}));
    }
    for (uint64_t t = 0; t < 400; t++) {
        uint8_t action[LANES];
        for (int i = 0; i < LANES; i++) {
            int seat = game_puyo.seat(&m[i]);
            uint64_t bits[64];
            float scalars[128];
            const void *at = &obs;
            game_observe(&game_puyo, &m[i], seat, &obs);
            game_puyo.encodings[0].encode(&at, 1, bits, scalars);
            assert_int_equal(w.v.seat[i], seat);
            assert_int_equal(w.v.mask[i], py_match_legal(&m[i]));
            assert_memory_equal(bits, w.v.bits + (uint64_t)i * words, words * sizeof *bits);
            assert_memory_equal(scalars, w.v.scalars + i * w.s.scalars, (size_t)w.s.scalars * sizeof *scalars);
            py_match seen;
            game_key key;
            dqn_env_puyo.observe(w.env, i, &seen, &key);
            assert_memory_equal(&seen, &obs, sizeof obs);
            assert_true(key.run == 42 && key.game == number[i]);
            action[i] = any_action(w.v.mask[i], t * LANES + (uint64_t)i);
        }
        dqn_env_puyo.step(w.env, 0, 2, action, &w.v);
        dqn_env_puyo.step(w.env, 2, LANES, action, &w.v);
        for (int i = 0; i < LANES; i++) {
            game_puyo.play(&m[i], action[i], NULL);
            outcome o = game_puyo.result(&m[i]);
            assert_int_equal(w.v.end[i], !o.over ? DQN_GOES_ON : o.reason == REASON_PLIES ? DQN_CUT : DQN_OVER);
            if (!o.over) continue;
            ends++;
            for (int s = 0; s < 2; s++) {
                assert_true(w.v.score[i][s] == o.score[s]);
                float want = o.score[s] == 1.0f ? 10.0f : o.score[s] == 0.0f ? -10.0f : 0.0f;
                assert_true(w.v.last[i][s] == want); // ±10, never both, never 0 for a win
            }
            number[i] += LANES;
            assert_ok(game_puyo.init(&m[i], options, (game_key){42, number[i]}));
        }
    }
    assert_true(ends >= LANES);
    close_world(&w);
}

static void test_frames(void **state)
{
    (void)state;
    same_as_game("");
}

static void test_turns(void **state)
{
    (void)state;
    same_as_game("timing=turns,pairs=uniform,plies=90");
}

// Each seat's discounted shaped rewards of a match sum to the end's ±10, discounted, less Phi at its start, which is 0.
static void test_shaped_sum(void **state)
{
    (void)state;
    world w = open_world("", "shaped", LANES);
    double sum[LANES][2] = {{0}}, factor[LANES][2];
    bool decided[LANES][2] = {{false}};
    int ends = 0;
    for (int i = 0; i < LANES; i++) factor[i][0] = factor[i][1] = 1;
    for (uint64_t t = 0; t < 600; t++) {
        uint8_t action[LANES];
        for (int i = 0; i < LANES; i++) {
            decided[i][w.v.seat[i]] = true;
            action[i] = any_action(w.v.mask[i], t * LANES + (uint64_t)i);
        }
        dqn_env_puyo.step(w.env, 0, LANES, action, &w.v);
        for (int i = 0; i < LANES; i++) {
            int s = w.v.seat[i];
            if (w.v.end[i] == DQN_GOES_ON) {
                if (!decided[i][s]) assert_true(w.v.reward[i] == 0);
                if (!decided[i][s]) continue;
                sum[i][s] += factor[i][s] * (double)w.v.reward[i];
                factor[i][s] *= 0.99;
                continue;
            }
            for (s = 0; s < 2; s++) {
                double end = w.v.score[i][s] == 1.0f ? 10 : w.v.score[i][s] == 0.0f ? -10 : 0;
                sum[i][s] += factor[i][s] * (double)w.v.last[i][s];
                assert_true(fabs(sum[i][s] - factor[i][s] * end) < 1e-5); // rewards are handed out as floats
                sum[i][s] = 0;
                factor[i][s] = 1;
                decided[i][s] = false;
            }
            ends++;
        }
    }
    assert_true(ends >= LANES);
    close_world(&w);
}

// Lanes put back from their bytes go on as before.
static void test_stored(void **state)
{
    (void)state;
    world a = open_world("", "seed", LANES), b = open_world("", "seed", LANES);
    for (uint64_t t = 0; t < 150; t++) {
        uint8_t action[LANES];
        for (int i = 0; i < LANES; i++) action[i] = any_action(a.v.mask[i], t * LANES + (uint64_t)i);
        dqn_env_puyo.step(a.env, 0, LANES, action, &a.v);
        if (t < 70) continue;
        if (t == 70) {
            for (int i = 0; i < LANES; i++) {
                size_t n, m;
                const void *from = dqn_env_puyo.lane(a.env, i, &n);
                memcpy(dqn_env_puyo.lane(b.env, i, &m), from, n);
                assert_int_equal(n, m);
            }
            continue;
        }
        dqn_env_puyo.step(b.env, 0, LANES, action, &b.v);
        assert_memory_equal(a.v.bits, b.v.bits, LANES * dqn_words(&a.s) * 8);
        assert_memory_equal(a.v.reward, b.v.reward, LANES * sizeof(float));
        assert_memory_equal(a.v.end, b.v.end, LANES);
    }
    close_world(&a);
    close_world(&b);
}

static void test_recolour(void **state)
{
    (void)state;
    world w = open_world("", "none", 1);
    size_t words = dqn_words(&w.s), scalars = (size_t)w.s.scalars;
    for (uint64_t t = 0; t < 30; t++) {
        uint8_t action = any_action(w.v.mask[0], t);
        dqn_env_puyo.step(w.env, 0, 1, &action, &w.v);
    }
    uint64_t bits[2][64], changed = 0;
    float numbers[2][128];
    for (uint32_t k = 0; k < 20; k++) {
        for (int i = 0; i < 2; i++) {
            memcpy(bits[i], w.v.bits, words * sizeof(uint64_t));
            memcpy(numbers[i], w.v.scalars, scalars * sizeof(float));
        }
        rng r = rng_at(3, 0, k);
        dqn_env_puyo.vary(w.env, &r, 2, (uint64_t *[]){bits[0], bits[1]}, (float *[]){numbers[0], numbers[1]});
        assert_memory_equal(bits[0], bits[1], words * sizeof(uint64_t)); // one renaming for both
        assert_memory_equal(numbers[0], numbers[1], scalars * sizeof(float));
        changed += memcmp(bits[0], w.v.bits, words * sizeof(uint64_t)) != 0;
        for (int f = 0; f < 2; f++) { // the same cells are taken, nuisance stays, each field with its own pairs
            uint64_t *now = bits[0] + 10 * f, *was = w.v.bits + 10 * f;
            for (int word = 0; word < 2; word++) {
                assert_true((now[word] | now[2 + word] | now[4 + word] | now[6 + word]) ==
                            (was[word] | was[2 + word] | was[4 + word] | was[6 + word]));
                assert_true(now[8 + word] == was[8 + word]);
            }
        }
        // colour c of the fields became d: then so did it in the pairs
        for (int c = 0; c < 4; c++)
            for (int d = 0; d < 4; d++) {
                if (memcmp(bits[0] + 2 * d, w.v.bits + 2 * c, 16) != 0 || (w.v.bits[2 * c] | w.v.bits[2 * c + 1]) == 0)
                    continue;
                for (int side = 0; side < 2; side++)
                    for (int p = 0; p < 6; p++)
                        assert_true(numbers[0][side * 29 + p * 4 + d] == w.v.scalars[side * 29 + p * 4 + c]);
            }
        for (size_t i = 58; i < scalars; i++) assert_true(numbers[0][i] == w.v.scalars[i]);
    }
    assert_true(changed > 10);
    close_world(&w);
}

static void test_errors(void **state)
{
    (void)state;
    void *env = NULL;
    assert_err(dqn_env_puyo.open(&env, &(dqn_puyo_options){"timing=never", "none", 0.99, NULL, false}, 1, 1), "timing");
    assert_err(dqn_env_puyo.open(&env, &(dqn_puyo_options){"", "dense", 0.99, NULL, false}, 1, 1), "shaped or seed");
    assert_null(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames), cmocka_unit_test(test_turns),    cmocka_unit_test(test_shaped_sum),
        cmocka_unit_test(test_stored), cmocka_unit_test(test_recolour), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
