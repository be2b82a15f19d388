// Agents with options that change what they play, on fixed positions: tests/agents/answers.txt. Renju is in test_signature.c.
#include "agents/answers.h"
#include "base/cpu.h"

static const char *const specs[][2] = {
    {"othello", "alphabeta:depth=3,multipv=3"},
    {"othello", "alphabeta:depth=2,random=1,within=0.3"},
    {"othello", "random"},
    {"othello", "mcts:sims=60,c=0.5"},
    {"contrast", "alphabeta:depth=2,random=0.5"},
    {"contrast", "rule"},
    {"freestyle20", "greedy"},
    {"tictactoe", "mcts:sims=30"},
    {"puyo", "dqn:model=puyo-dqn"},
    {"puyo", "versus:width=4,depth=3"},
    {"puyo", "random"},
    {"puyo-solo", "beam:width=4,depth=3,samples=2,late=3"},
    {"puyo-solo", "advisor"},
    {"puyo-solo", "random"},
};

static void answers(void **state)
{
    (void)state;
    text_buf t = {0};
    assert_ok(cpu_limit("scalar")); // networks add in the same order on every machine
    put_answers(&t, specs, sizeof specs / sizeof *specs);
    assert_ok(cpu_limit("auto"));
    assert_listed(&t, "agents/answers.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
