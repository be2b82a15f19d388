// keiko games, agents, levels and models as people run them, and levels as players.
#include "cli/program.h"

static int count(const char *part)
{
    int n = 0;
    for (const char *p = output; (p = strstr(p, part)) != NULL; p++) n++;
    return n;
}

static void levels(void **state)
{
    (void)state;
    says("levels", 0, "freestyle20");
    assert_int_equal(count("expert"), 8); // every game for two
    says("levels othello", 0, "beginner");
    assert_null(strstr(output, "renju"));
    says("levels puyo --json", 0, "\"agent\": \"versus:width=");
    assert_int_equal(count("\"level\":"), 10);
    says("levels puyo-solo", 2, "has no levels");
    says("levels chess", 2, "chess");
    says("tune levels puyo-solo", 2, "has no levels");
}

static void levels_play(void **state)
{
    (void)state;
    says("play puyo -1 random -2 medium --seed 3 -q", 0, "medium (player 2)");
    says("play renju -1 random -2 easy -q", 0, "easy (White) wins");
    says("play othello -1 random -2 4 -q", 0, "4 (White)");
    says("play othello -1 3:depth=2 -2 hard:random=0.5 -q", 0, " wins after ");
    says("play othello -1 11 -2 random -q", 2, "levels: beginner, easy, medium, hard, expert, 1 to 10");
    says("play othello -1 hard:dept=2 -2 random -q", 2, "depth");
}

static void agents(void **state)
{
    (void)state;
    says("agents", 0, "parameters of mcts and zero");
    assert_int_equal(count("sims=N"), 1); // shared: once
    said("enableLMR=yes|no  Search late moves less deeply");
    says("agents mcts", 0, "sims=N");
    assert_null(strstr(output, "parameters of"));
    says("agents othello", 0, "levels: beginner easy medium hard expert, and 1 to 10");
    says("agents othello --json", 0, "\"name\": \"alphabeta\"");
    says("agents nobody", 2, "neither an agent nor a game");
    says("games", 0, "puyo-solo");
    says("games --verbose", 0, "encodings: stones (3 planes, 1 numbers), threats (11 planes, 1 numbers)");
    says("games --json", 0, "\"levels\": [");
}

static void models(void **state)
{
    (void)state;
    says("models", 0, "othello-patterns");
    says("models --verify", 0, "ok");
    assert_int_equal(count("  ok\n"), 10);
    says("models --json", 0, "\"crc32c\"");
    says("models --verbose", 0, "made-by = keiko train othello");
    assert_int_equal(keiko_after("KEIKO_MODELS=/nowhere", "models --verify"), 0); // nothing there, nothing wrong
    said("missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels),
        cmocka_unit_test(levels_play),
        cmocka_unit_test(agents),
        cmocka_unit_test(models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
