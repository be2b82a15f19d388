// Rating games of a run: what a checkpoint says of them, the text that 0.1.0 kept them in, and games that do not count.
#include "learn/zero/az_inner.h"
#include "test.h"

static az_ratings fresh(void)
{
    az_ratings r = {0};
    assert_ok(store_open_memory(&r.games));
    return r;
}

static const game *named(const char *name)
{
    const game *g;
    assert_ok(game_find(name, &g));
    return g;
}

static void assert_same_results(const results *a, const results *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->who.n, b->who.n);
    for (int i = 0; i < a->who.n; i++) assert_string_equal(a->who.name[i], b->who.name[i]);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->game[i].first, b->game[i].first);
        assert_int_equal(a->game[i].second, b->game[i].second);
        assert_int_equal(a->game[i].halves, b->game[i].halves);
    }
}

static void the_text_of_0_1_0_is_read_once(void **state)
{
    (void)state;
    const char old[] = "best 1100.5\nmodel 31 model_step_31_elo_1000.safetensors\nplayer step 31\nplayer rule\n"
                       "player random\ngame 0 1 2 0\ngame 1 0 0 0\ngame 0 2 1 1\ngame 2 0 2 1\n";
    az_ratings r = fresh();
    text_buf now = {0};
    assert_ok(az_ratings_read(&r, named("contrast"), old, strlen(old)));
    assert_true(r.has_best && r.best == 1100.5);
    assert_int_equal(r.n_past, 1);
    assert_int_equal(r.past[0].step, 31);
    assert_int_equal(r.all.n, 4);
    assert_int_equal(r.all.who.n, 3);
    assert_int_equal(r.all.game[0].halves, 2);
    assert_int_equal(r.all.game[1].halves, 0);
    assert_int_equal(r.all.game[0].pair, r.all.game[1].pair);
    assert_int_not_equal(r.all.game[1].pair, r.all.game[2].pair);
    // From now on the checkpoint names the run of the store.
    assert_ok(az_ratings_write(&r, &now));
    assert_non_null(strstr(text_str(&now), "run 1\n"));
    assert_null(strstr(text_str(&now), "game"));
    az_ratings again = {.games = r.games};
    assert_ok(az_ratings_read(&again, named("contrast"), now.data, now.len));
    assert_same_results(&r.all, &again.all);
    assert_int_equal(store_runs(r.games), 1);
    again.games = NULL;
    az_ratings_free(&again);
    az_ratings_free(&r);
    text_free(&now);
}

static match_record game_of(uint64_t id, uint16_t first, uint16_t second, uint8_t halves)
{
    static const move_t moves[2] = {0, 1};
    return (match_record){.what = {.id = id, .player = {first, second}, .pair = (uint32_t)(id / 2)},
                          .halves = halves,
                          .plies = 2,
                          .moves = moves,
                          .detail = ""};
}

// A rating that was cut short: half a pair says nothing.
static void half_a_pair_does_not_count(void **state)
{
    (void)state;
    az_ratings r = fresh();
    tour_setup setup = {
        .g = named("tictactoe"), .schedule = SCHEDULE_GAUNTLET, .games = 2, .rating = tour_rating_default};
    int run;
    assert_ok(tour_add_player(&setup, "step 5", "zero"));
    assert_ok(tour_add_player(&setup, "random", "random"));
    assert_ok(tour_add_player(&setup, "greedy", "greedy"));
    assert_ok(store_begin(r.games, &setup, 1, &run));
    const match_record games[] = {game_of(0, 0, 1, 2), game_of(3, 2, 0, 1), game_of(4, 0, 2, 0), game_of(5, 2, 0, 2),
                                  game_of(7, 1, 0, 0)};
    assert_ok(store_add(r.games, run, games, 5));
    assert_ok(az_ratings_count(&r, run));
    assert_int_equal(r.all.n, 2);
    assert_int_equal(r.all.game[0].halves, 0);
    assert_int_equal(r.all.game[1].halves, 2);
    // what the next run adds is in pairs of its own
    assert_ok(store_begin(r.games, &setup, 2, &run));
    assert_ok(store_add(r.games, run, &games[2], 2));
    assert_ok(az_ratings_count(&r, run));
    assert_int_equal(r.all.n, 4);
    assert_true(r.all.game[2].pair > r.all.game[1].pair);
    assert_int_equal(r.all.who.n, 3);
    tour_setup_free(&setup);
    az_ratings_free(&r);
}

static void lost_games_are_done_without(void **state)
{
    (void)state;
    az_ratings r = fresh();
    assert_ok(az_ratings_read(&r, named("tictactoe"), "run 1\nrun 7\nmodel 4 a.safetensors\n", 34));
    assert_int_equal(r.all.n, 0);
    assert_int_equal(r.n_past, 1);
    assert_err(az_ratings_read(&r, named("tictactoe"), "gibberish", 9), "cannot read \"gibberish\"");
    assert_err(az_ratings_read(&r, named("tictactoe"), "game 0 1 2 0", 12), "cannot read");
    az_ratings_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_of_0_1_0_is_read_once),
        cmocka_unit_test(half_a_pair_does_not_count),
        cmocka_unit_test(lost_games_are_done_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
