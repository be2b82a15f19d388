// What all agents share: specs and their mistakes, which agent a game has, the time for a move, what was given.
#include "agents/agent.h"
#include "test.h"

#include <math.h>

static const game *find(const char *name)
{
    const game *g;
    assert_ok(game_find(name, &g));
    return g;
}

static void time_for_a_move(void **state)
{
    (void)state;
    const struct {
        double left;
        int moves_left;
        double turn, own;
        int to_come;
        double expected;
    } rows[] = {{0, 0, 0, 0, 20, 0},       {0, 0, 0, 3, 20, 3},    {10, 0, 0, 0, 20, 0.45}, {10, 0, 0, 0.1, 20, 0.1},
                {10, 0, 0, 3, 20, 0.45},   {10, 5, 0, 0, 20, 1.8}, {10, 1, 0, 0, 20, 9},    {0, 0, 2, 0, 20, 1.8},
                {0, 0, 2, 1, 20, 1},       {0, 0, 2, 5, 20, 1.8},  {10, 0, 2, 0, 20, 0.45}, {100, 0, 2, 0, 20, 1.8},
                {100, 50, 2, 0.2, 20, 0.2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        agent a = {.clock = {rows[i].left, rows[i].moves_left, rows[i].turn}};
        double got = agent_seconds(&a, rows[i].own, rows[i].to_come);
        if (fabs(got - rows[i].expected) > 1e-12) fail_msg("row %zu: %g, not %g", i, got, rows[i].expected);
        assert_int_equal(agent_has_clock(&a), rows[i].left > 0 || rows[i].turn > 0);
    }
}

static void specs_are_checked(void **state)
{
    (void)state;
    const game *othello = find("othello");
    char spec[1100] = "engine:gtp=";
    assert_ok(agent_check(othello, "alphabeta:depth=3"));
    assert_ok(agent_check(othello, "zero:model=/nowhere")); // files are not opened
    assert_err(agent_check(othello, "nobody"), "unknown agent 'nobody'; for othello there are: random, greedy");
    assert_err(agent_check(othello, "nobody"), "; levels: beginner, easy, medium, hard, expert, 1 to 10");
    assert_err(agent_check(find("puyo-solo"), "nobody"), "unknown agent 'nobody'; for puyo-solo there are: ");
    assert_null(strstr(err_text(), "levels"));
    assert_err(agent_check(othello, "beam"), "'beam' does not play othello; it plays: puyo puyo-solo");
    assert_err(agent_check(othello, "alphabeta:dept=3"), "depth");
    assert_err(agent_check(othello, "alphabeta:depth=-1"), "depth");
    char longer[80];
    memset(longer, 'x', sizeof longer);
    longer[63] = 0;
    assert_err(agent_check(othello, longer), "unknown agent");
    assert_non_null(strstr(err_text(), "there are"));
    longer[63] = 'x', longer[64] = 0;
    assert_err(agent_check(othello, longer), "unknown agent");
    assert_null(strstr(err_text(), "there are"));
    size_t at = strlen(spec);
    memset(spec + at, 'y', sizeof spec - at);
    spec[1023] = 0;
    assert_ok(agent_check(othello, spec));
    spec[1023] = 'y', spec[1024] = 0;
    assert_err(agent_check(othello, spec), "an agent is written with at most 1023 characters");
    assert_string_equal(agent_behind_name("a=alphabeta:depth=3"), "alphabeta:depth=3");
    assert_string_equal(agent_behind_name("alphabeta:depth=3"), "alphabeta:depth=3");
    assert_string_equal(agent_behind_name("random"), "random");
    assert_string_equal(agent_behind_name("=x"), "x");
}

static void games_have_agents(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"othello", "alphabeta"}, {"contrast", "alphabeta"}, {"renju", "alphabeta"},
                                          {"tictactoe", "mcts"},    {"puyo", "versus"},        {"puyo-solo", "beam"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(agent_default(find(rows[i][0])), rows[i][1]);
    const agent_type *t = agent_strongest(find("renju"));
    assert_non_null(t);
    assert_string_equal(t->name, "alphabeta");
    assert_true(agent_type_plays(t, find("renju")));
    assert_true(agent_type_plays(t, find("freestyle20")));
    assert_false(agent_type_plays(t, find("othello")));
    assert_null(agent_strongest(find("tictactoe")));
}

static void what_was_given(void **state)
{
    (void)state;
    const struct {
        const char *spec, *name;
        bool given;
    } rows[] = {{"random", "depth", false},
                {"alphabeta", "depth", false},
                {"alphabeta:depth=3", "depth", true},
                {"alphabeta:depth=3", "dept", false},
                {"alphabeta:depth=3", "exact", false},
                {"alphabeta:depth=3,exact=2", "exact", true},
                {"alphabeta:book=\"a,exact=2\",depth=3", "exact", false},
                {"alphabeta:book=\"a,exact=2\",depth=3", "depth", true},
                {"alphabeta:book='it''s,exact=1',depth=3", "exact", false},
                {"alphabeta:book='it''s,exact=1',depth=3", "depth", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        agent a = {.g = find("othello")};
        snprintf(a.spec, sizeof a.spec, "%s", rows[i].spec);
        if (agent_given(&a, rows[i].name) != rows[i].given) fail_msg("%s: %s", rows[i].spec, rows[i].name);
    }
}

static void lines_are_heard(void *ctx, const agent_choice *best, int n)
{
    (void)best;
    *(int *)ctx += n;
}

static void turns_and_watchers(void **state)
{
    (void)state;
    const game *g = find("tictactoe");
    agent *a;
    char s[256];
    agent_choice c, lines[3];
    int n, heard = 0;
    assert_true(g->state_size <= sizeof s);
    assert_ok(g->init(s, "", (game_key){1, 0}));
    assert_ok(agent_open(&a, g, "random"));
    agent_begin(a, (game_key){5, 6}, 1);
    assert_true(a->key.run == 5 && a->key.game == 6 && a->seat == 1 && a->turn == 0);
    rng first = agent_rng(a);
    assert_ok(agent_choose(a, s, &c));
    assert_int_equal(a->turn, 1);
    rng second = agent_rng(a);
    assert_true(rng_u64(&first) != rng_u64(&second)); // another turn, other luck
    a->seat = 0;
    rng other = agent_rng(a);
    a->seat = 1;
    second = agent_rng(a);
    assert_true(rng_u64(&other) != rng_u64(&second)); // another seat, too
    assert_ok(agent_analyse(a, s, 3, lines, &n));     // it only chooses
    assert_int_equal(n, 1);
    assert_int_equal(a->turn, 2);
    agent_watch w = {.ctx = &heard};
    assert_false(agent_watched(a));
    assert_null(agent_stop_of(a));
    agent_tell_lines(a, lines, 2);
    a->watch = &w;
    assert_false(agent_watched(a)); // nobody to hear lines
    agent_tell_lines(a, lines, 2);
    w.lines = lines_are_heard;
    assert_true(agent_watched(a));
    agent_tell_lines(a, lines, 2);
    assert_int_equal(heard, 2);
    assert_ptr_equal(agent_stop_of(a), &w.stop);
    assert_false(agent_stopped(a));
    agent_begin(a, (game_key){5, 6}, 1);
    assert_int_equal(a->turn, 0);
    agent_saw(a, s, 0); // it does not listen
    agent_close(a);
    agent_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_for_a_move), cmocka_unit_test(specs_are_checked),  cmocka_unit_test(games_have_agents),
        cmocka_unit_test(what_was_given),  cmocka_unit_test(turns_and_watchers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
