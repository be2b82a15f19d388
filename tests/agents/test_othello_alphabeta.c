// The agent alphabeta in Othello: parameters, legal games, strength over random, the clock.
#include "agents/agent.h"
#include "base/clock.h"
#include "games/othello/othello.h"
#include "test.h"

static agent *open_ok(const char *spec)
{
    const game *g;
    agent *a;
    assert_ok(game_find("othello", &g));
    assert_ok(agent_open(&a, g, spec));
    return a;
}

static void test_parameters(void **state)
{
    (void)state;
    const game *g;
    agent *a = NULL;
    assert_ok(game_find("othello", &g));
    assert_err(agent_open(&a, g, "alphabeta:depth=0"), "depth=0 needs nodes or seconds");
    assert_err(agent_open(&a, g, "alphabeta:depth=99"), "depth");
    assert_err(agent_open(&a, g, "alphabeta:weights=/nonexistent"), "/nonexistent");
    agent_close(open_ok("alphabeta:depth=3,exact=10,threads=2,hash=12"));
    agent_close(open_ok("alphabeta:depth=0,nodes=1000"));
}

static double play(agent *black, agent *white, uint64_t number)
{
    oth_state s;
    const agent *seats[2] = {black, white};
    assert_ok(black->g->init(&s, "", (game_key){4, number}));
    agent_begin(black, (game_key){4, number}, 0);
    agent_begin(white, (game_key){4, number}, 1);
    while (!black->g->result(&s).over) {
        agent_choice c;
        memset(&c, 0, sizeof c);
        agent *a = (agent *)seats[black->g->seat(&s)];
        assert_ok(agent_choose(a, &s, &c));
        assert_true(c.value <= 1);
        black->g->play(&s, c.move, NULL);
    }
    return (double)black->g->result(&s).score[0];
}

static void test_beats_random(void **state)
{
    (void)state;
    agent *strong = open_ok("alphabeta:depth=3,exact=8,hash=12"),
          *plain = open_ok("alphabeta:depth=3,exact=8,hash=12,weights=none");
    agent *weak = open_ok("random");
    double score = 0, plain_score = 0;
    for (uint64_t i = 0; i < 10; i++) {
        score += i % 2 == 0 ? play(strong, weak, i) : 1 - play(weak, strong, i);
        plain_score += i % 2 == 0 ? play(plain, weak, i) : 1 - play(weak, plain, i);
    }
    assert_true(score == 10);
    assert_true(plain_score >= 9);
    agent_close(strong);
    agent_close(plain);
    agent_close(weak);
}

static void test_answer(void **state)
{
    (void)state;
    agent *a = open_ok("alphabeta:depth=4,multipv=2");
    oth_state s = {oth_start(), OTH_BLACK};
    agent_choice c, d;
    memset(&c, 0, sizeof c);
    memset(&d, 0, sizeof d);
    agent_begin(a, (game_key){1, 1}, 0);
    assert_ok(agent_choose(a, &s, &c));
    assert_int_equal(c.depth, 4);
    assert_true(c.nodes > 4 && c.value > 0.2f && c.value < 0.8f);
    assert_non_null(strstr(c.text, "; about"));
    agent_begin(a, (game_key){1, 2}, 0);
    assert_ok(agent_choose(a, &s, &d));
    assert_int_equal(c.move, d.move);
    assert_int_equal(c.nodes, d.nodes); // a new game forgets the last
    agent_choice best[5];
    int n = 0;
    memset(best, 0, sizeof best);
    assert_ok(agent_analyse(a, &s, 5, best, &n));
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) assert_true(best[i].value <= best[0].value && best[i].text[0] != 0);
    s.b = (oth_board){1, 0};
    assert_err(agent_choose(a, &s, &c), "over");
    agent_close(a);
}

static void test_clock(void **state)
{
    (void)state;
    agent *a = open_ok("alphabeta:depth=40,hash=16");
    oth_state s = {oth_start(), OTH_BLACK};
    agent_choice c;
    memset(&c, 0, sizeof c);
    agent_begin(a, (game_key){1, 1}, 0);
    a->clock = (agent_clock){.left = 3};
    double start = clock_seconds();
    assert_ok(agent_choose(a, &s, &c));
    assert_true(clock_seconds() - start < 2);
    assert_true(c.depth >= 1);
    agent_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_beats_random),
        cmocka_unit_test(test_answer),
        cmocka_unit_test(test_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
