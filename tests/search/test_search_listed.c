// What the searches answer on fixed positions, with each option in turn, as their agents show it: tests/search/answers.txt. Moves,
// values, nodes and lines of play; whoever changes a search on purpose writes the list anew. Renju has lists of its own.
#include "agents/answers.h"

static const char *const specs[][2] = {
    {"othello", "alphabeta:depth=1,exact=0"},
    {"othello", "alphabeta:depth=5,exact=10,hash=14"},
    {"othello", "alphabeta:depth=0,nodes=3000,hash=12"},
    {"othello", "alphabeta:depth=4,random=0.5,within=0.2"},
    {"othello", "greedy"},
    {"othello", "mcts:sims=120"},
    {"contrast", "alphabeta:depth=3"},
    {"contrast", "alphabeta:nodes=4000"},
    {"contrast", "rule"},
    {"contrast", "greedy"},
    {"contrast", "mcts:sims=60"},
    {"tictactoe", "mcts:sims=200"},
    {"renju", "greedy"},
    {"puyo-solo", "beam:width=8,depth=5,samples=2"},
    {"puyo-solo", "beam:width=5,depth=8,samples=1,visible=2"},
    {"puyo-solo", "greedy"},
    {"puyo", "versus:width=6,depth=5"},
    {"puyo", "mcts:sims=40"},
    {"puyo", "greedy"},
};

static void answers(void **state)
{
    (void)state;
    text_buf t = {0};
    put_answers(&t, specs, sizeof specs / sizeof *specs);
    assert_listed(&t, "search/answers.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
