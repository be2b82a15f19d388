// Playing on: it finds the choice that wins, is repeatable, keeps to its limits, and copes with a choice it cannot see.
#include "agents/agent.h"
#include "search/puyo/puyo_playout.h"
#include "test.h"

// Seat 0 can fire two links with an all clear (35 nuisance) at a field that six bury.
static py_match can_win(void)
{
    py_match m;
    assert_ok(py_match_init(&m, "", (game_key){1, 1}));
    assert_ok(py_field_parse("G...../R...../RG..../RGG...", &m.side[0].field));
    m.side[0].window[0] = m.side[1].window[0] = m.queue.ring[0] = py_pair(PY_RED, PY_BLUE);
    m.side[0].bonus = 1;
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= (c == PY_SPAWN ? 11 : 10); r++) py_set(&m.side[1].field, c, r, PY_RED + (r + 2 * c) % 4);
    return m;
}

// A placement that fires, and one that does not.
static void two_moves(const py_match *m, int moves[2])
{
    moves[0] = moves[1] = -1;
    const py_side *a = &m->side[0];
    for (uint32_t mask = py_legal_mask(&a->field, a->window[0], true, PY_LOSE_TSU); mask != 0; mask &= mask - 1) {
        py_field f = a->field;
        py_place(&f, __builtin_ctz(mask), a->window[0]);
        moves[py_chain(&f).links > 1] = __builtin_ctz(mask);
    }
    assert_true(moves[0] >= 0 && moves[1] >= 0);
}

static puyo_playout_result play_on(const py_match *m, int seat, const int *moves, int n, puyo_playout_limits l)
{
    puyo_versus *model = puyo_playout_model();
    assert_non_null(model);
    puyo_policy policy = puyo_playout_policy(model);
    py_match obs;
    rng r = rng_at(5, 5, 5);
    puyo_playout_result got;
    py_match_observe(m, seat, &obs);
    puyo_play_on(&policy, &obs, seat, moves, n, l, &r, &got);
    puyo_versus_free(model);
    return got;
}

static void the_winning_choice_is_found(void **state)
{
    (void)state;
    py_match m = can_win();
    int moves[2];
    two_moves(&m, moves);
    puyo_playout_result got = play_on(&m, 0, moves, 2, (puyo_playout_limits){.futures = 12});
    assert_true(got.futures > 0 && got.futures <= 12);
    assert_true(got.share[1] > 0.9);
    assert_true(got.best == 1 || got.share[0] > 0.9); // the other side may bury itself
    assert_true(got.nodes > 0);
    int turned[2] = {moves[1], moves[0]};
    assert_int_equal(play_on(&m, 0, turned, 2, (puyo_playout_limits){.futures = 12}).best, 0);
}

static void the_same_draws_give_the_same_result(void **state)
{
    (void)state;
    py_match m = can_win();
    int moves[2];
    two_moves(&m, moves);
    puyo_playout_result a = play_on(&m, 0, moves, 2, (puyo_playout_limits){.futures = 3}),
                        b = play_on(&m, 0, moves, 2, (puyo_playout_limits){.futures = 3});
    assert_true(a.best == b.best && a.nodes == b.nodes && a.share[0] == b.share[0] && a.share[1] == b.share[1]);
    assert_int_equal(a.futures, 3);
}

typedef struct counted {
    puyo_policy quick;
    int calls, most;
} counted;

static uint64_t count_and_choose(void *ctx, const puyo_turn *turn, int n, int *move)
{
    counted *c = ctx;
    c->calls++;
    if (n > c->most) c->most = n;
    for (int i = 0; i < n; i++) {
        assert_int_equal(turn[i].seen.viewer, 1 + turn[i].seat); // no player sees what is hidden
        assert_int_equal(py_match_seat(&turn[i].seen), turn[i].seat);
    }
    return c->quick.choose(c->quick.ctx, turn, n, move);
}

// A player that is asked for all games at once plays the same games, in fewer calls.
static void many_games_at_once_are_the_same_games(void **state)
{
    (void)state;
    puyo_versus *model = puyo_playout_model();
    assert_non_null(model);
    py_match m = can_win(), obs;
    int moves[2];
    two_moves(&m, moves);
    py_match_observe(&m, 0, &obs);
    puyo_playout_result got[2];
    counted c[2] = {{puyo_playout_policy(model), 0, 0}, {puyo_playout_policy(model), 0, 0}};
    for (int i = 0; i < 2; i++) {
        rng r = rng_at(5, 6, 7);
        puyo_policy policy = {&c[i], count_and_choose, i == 0 ? 1 : PUYO_PLAYOUT_TOGETHER};
        puyo_play_on(&policy, &obs, 0, moves, 2, (puyo_playout_limits){.futures = 2}, &r, &got[i]);
        assert_int_equal(got[i].futures, 2);
    }
    assert_true(got[0].best == got[1].best && got[0].nodes == got[1].nodes);
    assert_true(got[0].share[0] == got[1].share[0] && got[0].share[1] == got[1].share[1]);
    assert_true(c[0].most <= 2 && c[1].most > 2 && c[1].most <= 4); // choices; choices and futures
    assert_true(c[1].calls < c[0].calls);
    // Twelve futures are played in groups of 2, 2, 4 and 4, unless everything is decided before.
    rng r = rng_at(5, 6, 7);
    puyo_policy policy = {&c[1], count_and_choose, 3};
    puyo_play_on(&policy, &obs, 0, moves, 2, (puyo_playout_limits){.futures = 12}, &r, &got[1]);
    assert_true(got[1].futures == 12 || got[1].futures == 4 || got[1].futures == 7 || got[1].futures == 8 ||
                got[1].futures == 11);
    puyo_versus_free(model);
}

static bool yes(void *ctx)
{
    (void)ctx;
    return true;
}

static void limits_are_kept(void **state)
{
    (void)state;
    py_match m = can_win();
    int moves[2];
    two_moves(&m, moves);
    puyo_playout_result got = play_on(&m, 0, moves, 2, (puyo_playout_limits){.futures = 256, .seconds = 1e-9});
    assert_int_equal(got.futures, 0);
    assert_int_equal(got.best, 0);
    stop_ask stop = {yes, NULL};
    got = play_on(&m, 0, moves, 2, (puyo_playout_limits){.futures = 256, .stop = &stop});
    assert_int_equal(got.futures, 0);
    assert_int_equal(got.best, 0);
    // A game that is lost whatever we do is not played 256 times.
    m.side[0].pending = 400;
    m.side[1].field = (py_field){0};
    got = play_on(&m, 0, moves, 2, (puyo_playout_limits){.futures = 256});
    assert_true(got.futures <= 6);
    assert_true(got.share[0] == 0 && got.share[1] == 0);
}

// At a tie player 1 has chosen already; player 2 does not see what.
static void a_hidden_choice_is_guessed(void **state)
{
    (void)state;
    py_match m;
    step_event ev[2];
    assert_ok(py_match_init(&m, "", (game_key){1, 2}));
    py_match_play(&m, __builtin_ctz(py_match_legal(&m)), ev);
    assert_int_equal(py_match_seat(&m), 1);
    m.side[0].pending = 400;
    m.side[0].field = can_win().side[1].field;
    int moves[1] = {__builtin_ctz(py_match_legal(&m))};
    puyo_playout_result got = play_on(&m, 1, moves, 1, (puyo_playout_limits){.futures = 256});
    assert_int_equal(got.futures, 0); // one choice: nothing to find out
    int two[2] = {moves[0], 31 - __builtin_clz(py_match_legal(&m))};
    got = play_on(&m, 1, two, 2, (puyo_playout_limits){.futures = 2});
    assert_int_equal(got.futures, 2);
    assert_true(got.share[0] == 1 && got.share[1] == 1);
}

// The agent: a level that knows all plays on when it is told to or has time; the placement is legal and repeatable.
static void the_agent_plays_on(void **state)
{
    (void)state;
    static const char *const spec[] = {"versus:width=16,depth=6,samples=1,late=0,playouts=4", "versus:ms=30",
                                       "versus:level=easy,ms=5", "versus:playouts=0,ms=5"};
    const game *g;
    assert_ok(game_find("puyo", &g));
    py_match m = can_win(), obs;
    m.side[0].pending = 30; // a decisive moment
    py_match_observe(&m, 0, &obs);
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        agent *a;
        agent_choice c, again;
        assert_ok(agent_open(&a, g, spec[i]));
        agent_begin(a, (game_key){3, 3}, 0);
        assert_ok(agent_choose(a, &obs, &c));
        assert_true(py_match_legal(&m) >> c.move & 1);
        assert_ok(agent_choose(a, &obs, &again));
        if (i == 0) assert_true(c.nodes > 10000);
        agent_close(a);
    }
}

// A level's games played on come with its beam: a width of one's own leaves them out.
static void a_level_plays_on(void **state)
{
    (void)state;
    static const char *const spec[] = {"expert:depth=5,samples=1,late=0", "versus:depth=5,samples=1,late=0",
                                       "versus:width=150,depth=5,samples=1,late=0",
                                       "versus:depth=5,samples=1,late=0,playouts=0"};
    uint64_t nodes[4];
    const game *g;
    assert_ok(game_find("puyo", &g));
    py_match m = can_win(), obs;
    m.side[0].pending = 30;
    py_match_observe(&m, 0, &obs);
    for (int i = 0; i < 4; i++) {
        agent *a;
        agent_choice c;
        assert_ok(agent_open(&a, g, spec[i]));
        agent_begin(a, (game_key){3, 3}, 0);
        assert_ok(agent_choose(a, &obs, &c));
        nodes[i] = c.nodes;
        agent_close(a);
    }
    assert_true(nodes[0] == nodes[1] && nodes[2] == nodes[3] && nodes[1] > nodes[2] + 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_winning_choice_is_found),
        cmocka_unit_test(the_same_draws_give_the_same_result),
        cmocka_unit_test(many_games_at_once_are_the_same_games),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(a_hidden_choice_is_guessed),
        cmocka_unit_test(the_agent_plays_on),
        cmocka_unit_test(a_level_plays_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
