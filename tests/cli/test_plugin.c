// A game from a shared library in the commands: examples/hex, as a newcomer would use it.
#define _XOPEN_SOURCE 700 // realpath, setenv
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
    said("needs --game-lib FILE");
}

// What a library says of its game is what people read.
static void texts_of_the_game(void **state)
{
    (void)state;
    with_lib("rules hex", 0, "# Hex on 5 x 5\n\nTwo players: Red and Blue.\n\nPlayers put a stone");
    said("A move is typed like this: c3: column a to e, row 1 to 5.\n");
    with_lib("show hex", 0, "to move   Red\n");
    with_lib("show hex 'RB...RB...RB...RB...R.... B'", 0, "over      by the rules, score 1 : 0");
    with_lib("show hex xx", 2, "no position of hex: it is 25 of R, B and '.'");
    with_lib("play hex <<'E'\nlevel\nhelp\nlevel random\nquit\nE\n", 0, "has no levels; level AGENT");
    said("against mcts.");
    said("  Blue: mcts\n");
    said("Blue is now random\n");
    assert_null(strstr(output, "level hard"));
    assert_null(strstr(output, ".."));
    with_lib("levels hex", 2, "hex has no levels; choose an agent: keiko agents hex");
    with_lib("play hex --first random --second random --boards", 0, "wins after");
    // After each move but the last, and at the end.
    int boards = 0, moves = 0;
    for (const char *p = output; (p = strstr(p, "a b c d e")) != NULL; p++) boards++;
    for (const char *p = output; (p = strstr(p, ". random")) != NULL; p++) moves++;
    assert_int_equal(boards, moves);
    with_lib("review --game hex -a mcts:sims=20 /dev/stdin <<'E'\nc3;a1\nE\n", 0, "  1. Red  c3");
    said("  2. Blue a1");
}

// The variable stands for the option; the option puts full paths there for processes that are started.
static void by_the_environment(void **state)
{
    (void)state;
    char top[64], args[1024], want[2048], *text;
    setenv("KEIKO_GAME_LIB", KEIKO_HEX, 1);
    says("games", 0, "Hex on 5 x 5");
    setenv("KEIKO_GAME_LIB", "./nothing.so", 1);
    says("games", 2, "KEIKO_GAME_LIB: cannot load the game library");
    with_lib("games", 0, "Hex on 5 x 5");
    unsetenv("KEIKO_GAME_LIB");
    assert_non_null(temp_dir_make(top));
    char *full = realpath(KEIKO_HEX, NULL);
    assert_non_null(full);
    snprintf(args, sizeof args, "cp %s %s/hex.so", full, top);
    assert_int_equal(system(args), 0);
    snprintf(first_words, sizeof first_words, "cd %s &&", top);
    keiko("--game-lib hex.so play tictactoe -1 \"engine:gtp='echo \\$KEIKO_GAME_LIB > seen'\" -2 random");
    first_words[0] = 0;
    snprintf(args, sizeof args, "%s/seen", top);
    assert_ok(file_read(args, 4096, &text, NULL));
    char *there = realpath(top, NULL);
    snprintf(want, sizeof want, "%s/hex.so\n", there);
    assert_string_equal(text, want);
    free(text);
    free(there);
    free(full);
    temp_dir_remove(top);
}

static void crashes_are_named(void **state)
{
    (void)state;
    static const char tricky[] = "--game-lib '" KEIKO_TRICKY "' ";
    char args[2048];
    // A command's name can be a move.
    snprintf(args, sizeof args, "%splay tricky -2 human <<'E'\nquit\ntwo\ntwo\nE\n", tricky);
    says(args, 0, "  1. human    quit");
    // A shell of its own says how it ended.
    snprintf(args, sizeof args, "--version; (TRICK=crash %s %sgames) 2>&1; echo left $?;", KEIKO_PROGRAM, tricky);
    keiko(args);
    said("keiko: game tricky: crashed in legal at ply ");
    said("left 134");
    snprintf(args, sizeof args, "--version; (TRICK=hang timeout -s KILL 60 %s %sgames) 2>&1;", KEIKO_PROGRAM, tricky);
    keiko(args);
    said("keiko: game tricky: stopped in legal at ply ");
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
    said("play:   keiko --game-lib " KEIKO_HEX " play hex");
    char path[128], *written;
    snprintf(path, sizeof path, "%s/run/config.txt", top);
    assert_ok(file_read(path, 1 << 16, &written, NULL));
    assert_non_null(strstr(written, "# keiko --game-lib " KEIKO_HEX " train hex --config FILE reads this.\n"));
    free(written);
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
    said("Ends: by the rules 4");
    snprintf(args, sizeof args, "bench hex --players 'random;greedy' --games 2 --output %s/two", top);
    with_lib(args, 0, "greedy");
    snprintf(args, sizeof args, "status %s/bench", top);
    says(args, 2, "needs --game-lib FILE");
    with_lib(args, 0, "net");
    temp_dir_remove(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(commands_know_the_game), cmocka_unit_test(texts_of_the_game),
                                       cmocka_unit_test(by_the_environment),     cmocka_unit_test(crashes_are_named),
                                       cmocka_unit_test(libraries_are_checked),  cmocka_unit_test(trains_and_rates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
