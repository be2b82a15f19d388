// The program as people run it: exit status and what it prints, for right and wrong words.
#define _XOPEN_SOURCE 700 // pseudo-terminals
#include "base/pty.h"
#include "base/text.h"
#include "cli/program.h"

#include <signal.h>
#include <stdbool.h>

static void help_teaches(void **state)
{
    (void)state;
    static const char *const commands[] = {"games", "play", "show", "perft", "verify", "speed", "agents"};
    says("--help", 0, "perft");
    says("--version", 0, "keiko 0.");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char args[64];
        snprintf(args, sizeof args, "%s --help", commands[i]);
        says(args, 0, commands[i]);
        assert_non_null(strstr(output, "--logs"));
    }
    says("man", 0, ".TH");
    says("completion bash", 0, "complete");
    says("completion zsh", 0, "compdef");
    says("completion fish", 0, "complete -c keiko");
}

// a1 is empty and wins all 64.
#define PROBLEM "-OXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX X;"

static void problems_are_solved(void **state)
{
    (void)state;
    assert_int_equal(keiko_after("printf '\\357\\273\\277%s\\r\\n' '" PROBLEM "' |", "solve othello /dev/stdin"), 0);
    said("1 problem: "); // with the mark and the line ends of other systems
    assert_null(strstr(output, "squares"));
    // One that may not end in our time is told before; this one ends, as all its moves are forced.
    const char *far = "echo '-OX------------------------------------------------------------- X;' |";
    assert_int_equal(keiko_after(far, "solve othello /dev/stdin"), 0);
    said("problem 1 has 62 empty squares");
    said(" a1 +64 ");
    assert_int_equal(keiko_after("echo '" PROBLEM "' |", "solve othello /dev/stdin"), 0);
    said(" a1 +64 ");
    said("1 problem: ");
    assert_int_equal(keiko_after("printf '%s\\n' '" PROBLEM "' '" PROBLEM "' |", "solve othello /dev/stdin --wld"), 0);
    said(" a1 win ");
    said("2 problems: ");
    assert_int_equal(keiko_after("echo '" PROBLEM " a1:-8;' |", "solve othello /dev/stdin --wld"), 1);
    said("a1 win, but a1 -8 is listed");
}

static void wrong_words_are_answered(void **state)
{
    (void)state;
    says("perff othello 3", 2, "perft");
    says("perft othelo 3", 2, "unknown game 'othelo'; did you mean othello?");
    says("perft chess 3", 2, "unknown game 'chess'; there are: othello, ");
    says("hlep", 2, "did you mean help?");
    says("othello --second easy", 2, "did you mean keiko play othello?");
    says("show othello --moves f5d6c3", 0, "opening   Perpendicular");
    says("play othello --first alphabet", 2, "unknown agent 'alphabet'; did you mean alphabeta?");
    says("play othello --first mediun", 2, "unknown agent 'mediun'; did you mean medium?");
    says("perft othello", 2, "DEPTH");
    says("perft othello minus", 2, "DEPTH");
    says("perft othello 3 --postion start", 2, "--position");
    says("play othello --first nobody", 2, "nobody");
    says("play othello --first random:sims=3", 2, "sims");
    says("show othello XXX", 2, "column");
    says("show tictactoe start --moves 'a1;a1'", 2, "taken");
    says("show othello --color sometimes", 2, "always");
    says("speed chess", 2, "chess");
    says("verify everything /dev/null", 2, "renju-forbidden");
    says("verify puyo-chains /no/such/file", 2, "/no/such/file");
    says("games --logs /proc/nowhere", 2, "/proc/nowhere");
    says("agents nobody", 2, "neither an agent nor a game");
    says("agents beam", 0, "patience=");
    assert_null(strstr(output, "alphabeta"));
    assert_int_equal(keiko_after("KEIKO_SIMD=avx9", "perft tictactoe 1"), 0);
    said("KEIKO_SIMD is ignored: unknown instruction set 'avx9'");
    says("nn init tiny", 2, "the name of a preset alone");
    // Hours of work must not end with a file that cannot be written.
    says("tune contrast -o /proc/nowhere/w.c", 2, "/proc/nowhere");
    says("tune", 2, "WHAT is missing (What to tune: othello-patterns, othello-heldout, ");
    says("tune othello-patterns -o /dev", 2, "it is a folder");
    says("play tictactoe -1 random -2 random --record /proc/x", 2, "/proc/x");
}

// The first word of several commands has a page of its own.
static void groups_have_help(void **state)
{
    (void)state;
    static const char *const ways[] = {"puyo --help", "help puyo", "-h puyo"};
    for (int i = 0; i < 3; i++) {
        says(ways[i], 0, "keiko puyo COMMAND");
        said("puyo build");
        assert_null(strstr(output, "nn check"));
    }
    says("nn --help", 0, "nn check");
    assert_null(strstr(output, "perft"));
    says("--help", 0, "perft");
}

static void nothing_has_no_sign(void **state)
{
    (void)state;
    says("puyo rewards 'greedy vs random' --rewards seed", 0, "player 1: rewards");
    assert_null(strstr(output, "-0.0000"));
}

// What a terminal of so many columns gets, into `output`; its exit status.
static int on_terminal(const char *columns, const char *args)
{
    char line[400];
    pty p = {.master = -1, .slave = -1};
    if (!pty_open(&p)) skip_because("no pseudo-terminals here");
    snprintf(line, sizeof line, "exec %s %s", KEIKO_PROGRAM, args);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(p.slave, STDOUT_FILENO);
        dup2(p.slave, STDERR_FILENO);
        setenv("COLUMNS", columns, 1);
        setenv("TERM", "xterm", 1);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(9);
    }
    int status;
    size_t n = 0;
    do n += pty_read(&p, output + n, sizeof output - n, 50);
    while (waitpid(child, &status, WNOHANG) == 0);
    pty_read(&p, output + n, sizeof output - n, 50);
    close(p.master);
    close(p.slave);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// Returns the number of lines.
static int lines_fit(int columns)
{
    int lines = 0;
    for (char *line = strtok(output, "\r\n"); line != NULL; line = strtok(NULL, "\r\n"), lines++)
        if (text_columns(line, strlen(line)) > columns) fail_msg("too long: %s", line);
    return lines;
}

// On a narrow terminal a sentence is broken between words, a specification behind its commas; what has no room behind a table's
// row goes below it.
static void lines_fit_the_terminal(void **state)
{
    (void)state;
    static const char *const lists[] = {"models",
                                        "levels",
                                        "games --verbose",
                                        "agents",
                                        "show freestyle",
                                        "doctor --no-learn",
                                        "solve othello " KEIKO_SOURCE "/examples/othello-endgames.obf --hash 10",
                                        "analyse contrast --agent mcts:sims=200",
                                        "advise --color never --field 'B...../RR....' --pair RB --next GG"};
    assert_int_equal(on_terminal("40", "play othello --first nobody"), 2);
    said("unknown agent 'nobody';");
    assert_true(lines_fit(40) > 2);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        on_terminal("80", lists[i]);
        assert_true(lines_fit(80) > 5);
    }
    assert_int_equal(on_terminal("80", "levels puyo"), 0);
    said("fire=700,slip=5,answer=0,\r\n    finish=0,harass=0,hold=0\r\n");
}

// No page of help is wider than a terminal of 80 columns, examples included.
static void help_fits_80_columns(void **state)
{
    (void)state;
    static char man[sizeof output];
    int pages = 0;
    assert_int_equal(keiko("man"), 0);
    memcpy(man, output, sizeof man);
    for (const char *at = man; (at = strstr(at, ".SS \"keiko ")) != NULL; pages++) { // .SS "keiko train puyo\-solo"
        char args[64] = "";
        for (at += 11; *at != '"'; at++)
            if (*at != '\\') snprintf(args + strlen(args), sizeof args - strlen(args), "%c", *at);
        strcat(args, " --help");
        assert_int_equal(keiko(args), 0);
        assert_true(lines_fit(80) > 15);
    }
    assert_true(pages > 40);
    assert_int_equal(keiko("help"), 0);
    lines_fit(80);
    // A command that goes on in the next line is one command for the shell.
    says("train curves --help", 0, " \\\n      ");
}

// Rows of a table that grows stand above the progress bar, each in a line of its own.
static void rows_stand_above_the_bar(void **state)
{
    (void)state;
    assert_int_equal(on_terminal("80", "advise --simulate --games 64 --turns 10,12 --color never"), 0);
    said("advise  [");
    for (int turns = 10; turns <= 12; turns += 2) {
        char row[32];
        snprintf(row, sizeof row, "%5d        64 ", turns);
        const char *at = strstr(output, row);
        assert_true(at != NULL && (at[-1] == '\n' || strncmp(at - 4, "\r\x1b[K", 4) == 0));
    }
    assert_int_equal(on_terminal("80", "tune renju --scale 1e-6 -t 1 -o /dev/null --color never"), 0);
    said("left");
    said("  renju 1/4");
    said("\r\x1b[Krenju, generation 1: ");
    said("tune  [==============================]  100% 420/420");
}

// A first Ctrl-C while an agent thinks is answered at once: before that agent's move.
static void ctrl_c_is_answered(void **state)
{
    (void)state;
    int ends[2], status;
    size_t n = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execl(KEIKO_PROGRAM, "keiko", "play", "othello", "-1", "random", "-2", "alphabeta:depth=0,seconds=2",
              (char *)NULL);
        _exit(9);
    }
    close(ends[1]);
    bool told = false;
    for (ssize_t got; (got = read(ends[0], output + n, sizeof output - 1 - n)) > 0;) {
        n += (size_t)got;
        output[n] = 0;
        if (!told && strstr(output, "  1. random") != NULL) told = kill(child, SIGINT) == 0; // the other thinks now
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(told && WIFEXITED(status) && WEXITSTATUS(status) == 1);
    said("stopping; Ctrl-C again to leave at once");
    const char *second = strstr(output, "  2. ");
    assert_true(second == NULL || strstr(output, "stopping;") < second);
}

static void perft_prints_lines(void **state)
{
    (void)state;
    says("perft tictactoe 9", 0, "perft 9 = 255168\n");
    assert_non_null(strstr(output, "perft 1 = 9\n"));
    says("perft othello 8", 0, "perft 8 = 390216\n");
    says("perft contrast 2 --slow", 0, "perft 2 = 22625\n");
    says("perft renju 2", 0, "perft 2 = 50400\n");
    says("perft othello 6 --simd scalar --only", 0, "perft 6 = 8200\n");
}

static void games_are_played(void **state)
{
    (void)state;
    static const char *const names[] = {"tictactoe", "othello",     "contrast", "renju",    "gomoku",
                                        "freestyle", "freestyle20", "puyo",     "puyo-solo"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char args[128];
        bool alone = strcmp(names[i], "puyo-solo") == 0;
        snprintf(args, sizeof args, "play %s --first greedy %s --seed 3", names[i], alone ? "" : "--second random");
        says(args, 0, "after");
        snprintf(args, sizeof args, "play %s --first random %s --seed 4", names[i], alone ? "" : "--second greedy");
        says(args, 0, "after");
        snprintf(args, sizeof args, "show %s", names[i]);
        says(args, 0, "legal");
        snprintf(args, sizeof args, "show %s --json", names[i]);
        says(args, 0, "\"legal\"");
    }
}

static void people_play_through_a_pipe(void **state)
{
    (void)state;
    says("play tictactoe --second human </dev/null", 1, "no more input");
    char line[512];
    snprintf(line, sizeof line,
             "play tictactoe --first human --second human <<'E'\nhelp\nb2\nb2\nmoves\na1\nundo\nboard\nresign\nE\n");
    says(line, 0, "resigns");
    assert_non_null(strstr(output, "taken"));
    snprintf(line, sizeof line, "play tictactoe --first human --second human <<'E'\na1\na2\nb1\nb2\nc1\nE\n");
    says(line, 0, "wins after 5 plies (line)");
}

static void people_ask_for_opinions(void **state)
{
    (void)state;
    says("play othello <<'E'\nhint\neval\nanalyse 2\nanalyse 99\nquit\nE\n", 0, "hint: ");
    assert_non_null(strstr(output, "score  5"));
    assert_non_null(strstr(output, "about even"));
    assert_non_null(strstr(output, " 2. "));
    assert_null(strstr(output, " 3. d"));
    assert_non_null(strstr(output, "1 to 64"));
    says("play othello <<'E'\nlevel\nlevel hard\nlevel nobody\nf5\nquit\nE\n", 0,
         "beginner, easy, medium, hard, expert");
    assert_non_null(strstr(output, "White (O) is now hard"));
    assert_non_null(strstr(output, "unknown agent 'nobody'"));
    assert_non_null(strstr(output, "2. hard"));
    says("play puyo <<'E'\nlevel expert\nhint\nquit\nE\n", 0, "player 2 (right) is now expert");
    says("play tictactoe -2 human <<'E'\nlevel hard\nquit\nE\n", 0, "no agent plays here");
    says("play renju --hints beginner <<'E'\nhint\nquit\nE\n", 0, "hint: h8");
    says("play renju --hints nobody <<'E'\nhint\nquit\nE\n", 0, "no opinion: unknown agent");
}

static void the_seed_s_words_are_known(void **state)
{
    (void)state;
    says("play contrast --player1 random --player2 rule", 0, "after");
    says("play contrast --player1 random --player2 ai --simulations 9", 0, "zero:model=contrast,sims=9");
    // Without a model or simulations: the strongest, which is no network here.
    says("play contrast --player1 human --player2 ai </dev/null", 1, "alphabeta:ms=1000");
    says("play freestyle20 --player1 random --player2 ai --simulations 9", 0, "ai plays as alphabeta");
    says("play contrast --player1 human --player2 ai --model /no/such </dev/null", 2, "/no/such");
    says("play tictactoe --player1 ai --player2 random --simulations 20", 0, "mcts:sims=20");
}

static void the_same_seed_gives_the_same_game(void **state)
{
    (void)state;
    static char first[sizeof output];
    keiko("play puyo -1 greedy -2 random --seed 11");
    memcpy(first, output, sizeof first);
    keiko("play puyo -1 greedy -2 random --seed 11");
    assert_string_equal(first, output);
    keiko("play puyo -1 greedy -2 random --seed 12");
    assert_string_not_equal(first, output);
}

static void a_record_is_read_back(void **state)
{
    (void)state;
    char path[] = "/tmp/keiko-record-XXXXXX", args[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(args, sizeof args, "play othello -1 random -2 random --seed 5 --record %s", path);
    says(args, 0, "after");
    snprintf(args, sizeof args, "show othello start --moves \"$(cat %s)\"", path);
    says(args, 0, "over");
    remove(path);
}

static void output_errors_are_noticed(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "test $(%s completion bash 2>&1 >/dev/full | wc -l) = 1", KEIKO_PROGRAM);
    assert_int_equal(system(command), 0); // one message
    snprintf(command, sizeof command, "%s games >/dev/full 2>/dev/null", KEIKO_PROGRAM);
    assert_int_not_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_teaches),
        cmocka_unit_test(problems_are_solved),
        cmocka_unit_test(wrong_words_are_answered),
        cmocka_unit_test(groups_have_help),
        cmocka_unit_test(ctrl_c_is_answered),
        cmocka_unit_test(nothing_has_no_sign),
        cmocka_unit_test(lines_fit_the_terminal),
        cmocka_unit_test(help_fits_80_columns),
        cmocka_unit_test(rows_stand_above_the_bar),
        cmocka_unit_test(perft_prints_lines),
        cmocka_unit_test(games_are_played),
        cmocka_unit_test(people_play_through_a_pipe),
        cmocka_unit_test(people_ask_for_opinions),
        cmocka_unit_test(the_seed_s_words_are_known),
        cmocka_unit_test(the_same_seed_gives_the_same_game),
        cmocka_unit_test(a_record_is_read_back),
        cmocka_unit_test(output_errors_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
