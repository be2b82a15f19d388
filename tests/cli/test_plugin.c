// A game from a shared library in the commands: examples/hex, as a newcomer would use it.
#include "base/file.h"
#include "base/temp_dir.h"
#include "cli/program.h"

static char lib[] = "--game-lib '" KEIKO_HEX "' ";

static void with_lib(const char *args, int status, const char *part)
{
    char all[4096];
    snprintf(all, sizeof all, "%s%s", lib, args);
    says(all, status, part);
}

static void commands_know_the_game(void **state)
{
    (void)state;
    with_lib("games", 0, "Hex on 5 x 5");
    with_lib("perft hex 3", 0, "13800");
    with_lib("play hex --first random --second mcts:sims=20 --seed 3", 0, "wins after");
    assert_null(strstr(output, "(none)"));
    with_lib("show hex 'R.......................B R'", 0, "a b c d e");
    with_lib("show hex 'RR.......................B R'", 2, "no position of hex");
    with_lib("analyse hex start --agent mcts:sims=50 --multipv 2", 0, "c3");
    with_lib("agents hex", 0, "mcts");
    says("play hex --first random --second random", 2, "unknown game 'hex'");
}

static void libraries_are_checked(void **state)
{
    (void)state;
    says("--game-lib ./nothing.so games", 2, "cannot load the game library");
    says("--game-lib '" KEIKO_PROGRAM "' games", 2, "keiko games: ");
    // Twice is once.
    says("--game-lib '" KEIKO_HEX ":" KEIKO_HEX "' games", 0, "Hex on 5 x 5");
}

static void trains_and_rates(void **state)
{
    (void)state;
    char top[64], text[FILE_PATH + 400], args[1024];
    assert_non_null(temp_dir_make(top));
    snprintf(args, sizeof args, "%s/c.conf", top);
    int n = snprintf(text, sizeof text,
                     "  game-lib = \"%s\"\nnet = c=8 b=1\nin-flight = 8\nsims = 8\nround = 16\n"
                     "fill = 60\nbatch = 16\neval-every = 0\nsteps = 3\n",
                     KEIKO_HEX);
    assert_ok(file_write_atomic(args, text, (size_t)n));
    snprintf(args, sizeof args, "train hex --run %s/run --config %s/c.conf --threads 1", top, top);
    says(args, 0, "done at step 3");
    snprintf(args, sizeof args, "train hex --run %s/run --resume --steps 4 --threads 1", top);
    with_lib(args, 0, "done at step 4");
    snprintf(args, sizeof args, "%s/b.json", top);
    n = snprintf(text, sizeof text,
                 "{\"gameLib\": \"%s\", \"game\": \"hex\", \"gamesPerPair\": 4, "
                 "\"players\": [\"random\", \"net=zero:model=%s/run/final,sims=4\"]}",
                 KEIKO_HEX, top);
    assert_ok(file_write_atomic(args, text, (size_t)n));
    snprintf(args, sizeof args, "bench --config %s/b.json --output %s/bench --openings start", top, top);
    says(args, 0, "net");
    temp_dir_remove(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(commands_know_the_game),
                                       cmocka_unit_test(libraries_are_checked), cmocka_unit_test(trains_and_rates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
