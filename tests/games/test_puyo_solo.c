// Building alone.
#include "games/conformance.h"
#include "games/puyo/puyo_solo.h"
#include "test.h"

static const game *g;

static int setup(void **state)
{
    (void)state;
    return game_find("puyo-solo", &g) == ERR_OK ? 0 : -1;
}

// Random play; returns the plies played.
static int play_random(void *s, rng *r, int plies)
{
    return game_random_playout(g, s, r, plies);
}

static void points_are_the_chains(void **state)
{
    (void)state;
    char *s = malloc(g->state_size);
    int fired = 0, finished = 0;
    for (uint64_t i = 0; i < 500; i++) {
        rng r = rng_at(1, i, 0);
        int sum = 0, plies = 0;
        assert_ok(g->init(s, "", (game_key){2, i}));
        for (;; plies++) {
            move_t moves[PY_MAX_LEGAL];
            step_event ev;
            int n = g->legal(s, moves);
            if (n == 0) break;
            g->play(s, moves[rng_below(&r, (uint32_t)n)], &ev);
            assert_true((ev.points > 0) == (ev.chain > 0));
            assert_int_equal(ev.sent + ev.received + ev.seat, 0);
            assert_true(ev.frames >= 12 + 20);
            sum += ev.points;
            fired += ev.chain > 0;
            assert_true(g->result(s).score[0] == (float)sum);
        }
        outcome o = g->result(s);
        assert_true(o.over && o.score[0] == (float)sum);
        assert_true(plies <= 50);
        if (plies < 50) assert_int_equal(o.reason, REASON_BURIED);
        finished += o.reason == REASON_PLIES;
    }
    assert_true(fired > 500);
    assert_true(finished > 50);
    free(s);
}

static void moves_option(void **state)
{
    (void)state;
    char *s = malloc(g->state_size);
    assert_ok(g->init(s, "moves=3,pairs=uniform,colours=5", (game_key){1, 1}));
    rng r = rng_at(1, 1, 0);
    assert_int_equal(play_random(s, &r, 100), 3);
    assert_int_equal(g->result(s).reason, REASON_PLIES);
    assert_err(g->init(s, "moves=0", (game_key){1, 1}), "1 to 10000");
    assert_err(g->init(s, "timing=turns", (game_key){1, 1}), "no option 'timing'");
    free(s);
}

static const char *const kinds[] = {"pairs=arcade", "pairs=blocks", "pairs=uniform,colours=5"};

static void same_key_same_game(void **state)
{
    (void)state;
    char *a = malloc(g->state_size), *b = malloc(g->state_size);
    for (int k = 0; k < 3; k++)
        for (uint64_t i = 0; i < 100; i++) {
            rng ra = rng_at(3, i, 0), rb = ra;
            assert_ok(g->init(a, kinds[k], (game_key){4, i}));
            assert_ok(g->init(b, kinds[k], (game_key){4, i}));
            play_random(a, &ra, 50);
            play_random(b, &rb, 50);
            assert_memory_equal(a, b, g->state_size);
        }
    free(a);
    free(b);
}

// A sample looks like what it was drawn from, and two samples have different futures.
static void samples_fit(void **state)
{
    (void)state;
    char *s = malloc(g->state_size), *obs = malloc(g->obs_size), *again = malloc(g->obs_size);
    char *x = malloc(g->state_size), *y = malloc(g->state_size);
    for (int k = 0; k < 3; k++) {
        int differ = 0, games = 0;
        for (uint64_t i = 0; i < 300; i++) {
            rng r = rng_at(5, i, 0);
            assert_ok(g->init(s, kinds[k], (game_key){6, i}));
            play_random(s, &r, (int)rng_below(&r, 20));
            game_observe(g, s, 0, obs);
            game_sample(g, obs, &r, x);
            game_sample(g, obs, &r, y);
            game_observe(g, x, 0, again);
            assert_memory_equal(obs, again, g->obs_size);
            assert_true(memcmp(x, s, g->state_size) != 0); // the truth is not known
            rng rx = rng_at(7, i, 0), ry = rx;
            play_random(x, &rx, 12);
            play_random(y, &ry, 12);
            game_observe(g, x, 0, obs);
            game_observe(g, y, 0, again);
            differ += memcmp(obs, again, g->obs_size) != 0;
            games++;
        }
        assert_true(differ > games * 9 / 10);
    }
    free(s);
    free(obs);
    free(again);
    free(x);
    free(y);
}

static void positions_are_checked(void **state)
{
    (void)state;
    char *s = malloc(g->state_size), text[GAME_TEXT], bad[GAME_TEXT + 64];
    assert_ok(g->init(s, "pairs=blocks", (game_key){1, 1}));
    g->state_print(s, text, sizeof text);
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"moves=50", "moves=no", "1 to 10000"}, {"......", "....../", "six cells"},
        {"placed=0", "placed=51", "too large"}, {"placed=0", "placed=7", "made="},
        {"buried=0", "buried=1", "is empty"},   {"own", "drawn", "only arcade"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *at = strstr(text, cases[i].from);
        assert_non_null(at);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - text), text, cases[i].to, at + strlen(cases[i].from));
        assert_err(g->state_parse(bad, s), cases[i].says);
    }
    free(s);
}

static void conforms(void **state)
{
    (void)state;
    conform(g, "", 900000, true);
    conform(g, "pairs=blocks,moves=200,reach=0", 50000, true);
    conform(g, "pairs=uniform,colours=5", 50000, true);
}

// What is seen belongs to a seat; what is made up from it is a state again, in which nobody looks.
static void a_sample_has_no_viewer(void **state)
{
    (void)state;
    py_solo s, seen, made;
    rng r = rng_at(8, 1, 0);
    assert_int_equal(sizeof s, g->state_size);
    assert_ok(g->init(&s, "", (game_key){2, 7}));
    play_random(&s, &r, 6);
    g->observe(&s, 0, &seen);
    assert_int_equal(seen.viewer, 1);
    g->sample(&seen, &r, &made);
    assert_int_equal(made.viewer, 0);
    assert_memory_equal(made.window, s.window, sizeof s.window);
    assert_memory_equal(&made.field, &s.field, sizeof s.field);
    assert_int_equal(made.placed, 6);
    char text[GAME_TEXT];
    py_solo back;
    g->state_print(&made, text, sizeof text);
    assert_ok(g->state_parse(text, &back)); // and it prints as one
    assert_true(g->hash(&back) == g->hash(&made));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_no_viewer),
        cmocka_unit_test(points_are_the_chains),
        cmocka_unit_test(moves_option),
        cmocka_unit_test(same_key_same_game),
        cmocka_unit_test(samples_fit),
        cmocka_unit_test(positions_are_checked),
        cmocka_unit_test(conforms),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
