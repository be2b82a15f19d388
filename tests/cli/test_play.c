// Playing, reviewing and serving as people do it: keiko play, analyse, review and engine.
#define _XOPEN_SOURCE 700 // pseudo-terminals
#include "base/process.h"
#include "base/pty.h"
#include "cli/program.h"
#include "nn/net.h"

#include <math.h>
#include <signal.h>

static char dir[] = "/tmp/keiko-play-XXXXXX";

static int enter(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL) return -1;
    snprintf(first_words, sizeof first_words, "cd %s &&", dir);
    return 0;
}

static int leave(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command);
}

static void not_said(const char *part)
{
    if (strstr(output, part) != NULL) fail_msg("\"%s\" in: %s", part, output);
}

// The shell reads the lines after <<, and the status is then its own: it says nothing about keiko's.
static void the_missing_seat_is_yours(void **state)
{
    (void)state;
    says("play othello -1 easy <<'E'\nquit\nE\n", 0, "You are White (O), moving second, against easy.");
    said("1. easy");
    says("play othello -2 easy <<'E'\nf5\nquit\nE\n", 0, "You are Black (X), moving first, against easy.");
    said("2. easy");
    says("play othello -2 2 <<'E'\nf5\nquit\nE\n", 0, "You are Black (X), moving first, against level 2.");
    said("2. level 2");
    says("play othello <<'E'\nquit\nE\n", 0, "You are Black (X), moving first, against easy.");
    says("play othello -1 human -2 human <<'E'\nquit\nE\n", 0, "Two people play");
    says("play puyo <<'E'\nquit\nE\n", 0, "You are player 1 (left)");
    says("play othello --quiet <<'E'\nquit\nE\n", 0, "unfinished");
    not_said("You are");
    says("play", 2, "name a GAME to play");
}

// A network of zeros whose value is the bias of its last layer: eval shows what it is told to show. One simulation asks it about the
// position after the move, so what it says is the other side's.
static void eval_is_a_bar(void **state)
{
    (void)state;
    static const struct {
        int score, cells;
        const char *words;
    } rows[] = {{34, 7, "you are behind"}, {35, 7, "about even"},     {37, 7, "about even"},
                {38, 8, "about even"},     {50, 10, "about even"},    {65, 13, "about even"},
                {66, 13, "you are ahead"}, {97, 19, "you are ahead"}, {98, 20, "you are ahead"},
                {2, 0, "you are behind"},  {3, 1, "you are behind"}};
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse("planes=2 size=3x3 c=8 b=1 policy=1:9 value=1:4", &d));
    assert_ok(nn_net_new(&net, &d, 1));
    memset(net->w, 0, net->at.n_train * sizeof *net->w);
    assert_ok(nn_net_set_note(net, "game = tictactoe\nencoding = stones\n"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[100], bar[80];
        net->w[net->at.head[1].fc[net->at.head[1].n_fc - 1].b] = (float)atanh(1 - 2 * rows[i].score / 100.0);
        snprintf(path, sizeof path, "%s/even.safetensors", dir);
        assert_ok(nn_net_save(net, path));
        snprintf(bar, sizeof bar, "you %d [%.*s%.*s] %d   %s\n", rows[i].score, rows[i].cells, "####################",
                 20 - rows[i].cells, "--------------------", 100 - rows[i].score, rows[i].words);
        says("play tictactoe -2 random -q --hints zero:model=even.safetensors,sims=1 <<'E'\neval\nquit\nE\n", 0, bar);
    }
    nn_net_free(net);
}

// NAME=AGENT, as in bench.
// What keiko train says to type next works in a game for one, too.
static void alone_there_is_no_second_player(void **state)
{
    (void)state;
    says("play puyo-solo -2 beam", 2, "puyo-solo has one player: give --first, not --second");
    says("puyo label d.labels --positions 50 --width 2 --depth 1 --samples 1 --late 0 -q", 0, "");
    says("train puyo-solo --run solo --data d.labels --net mlp=8 --batch 64 --steps 1 --evaluation-positions 20", 0,
         "play:   keiko play puyo-solo --first afterstate:model=solo/final.safetensors\n");
    says("play puyo-solo --first afterstate:model=solo/final.safetensors --options moves=2 -q", 0, "after 2 plies");
}

static void an_engine_resigns(void **state)
{
    (void)state;
    says("play gomoku -2 rex=\"engine:gtp='while read x; do case \\$x in genmove*) echo = resign;; *) echo =;; esac; "
         "echo; done'\" <<'E'\nh8\nE\n",
         0, "rex resigns: human (Black) wins after 1 plies");
    not_said("fails");
}

static void agents_may_have_names(void **state)
{
    (void)state;
    says("play othello -1 weak=random -2 'strong=mcts:sims=4' --seed 1", 0, "1. weak ");
    said("2. strong ");
    said("wins after");
    says("play othello -2 boss=2 <<'E'\nlevel 1\nf5\nquit\nE\n", 0, "against boss.");
    said("2. level 1"); // another agent: the name is gone
    says("play tictactoe -1 x=ai -2 =random", 0, "1. x ");
    says("play othello -2 strong=nobody", 2, "unknown agent 'nobody'");
}

static void the_last_move_is_marked(void **state)
{
    (void)state;
    says("play othello -2 human --boards <<'E'\nf5\nquit\nE\n", 0, "(X)");
    says("play tictactoe -2 human --boards <<'E'\nb2\nquit\nE\n", 0, "2 -(X)-");
    says("play contrast -2 human --boards <<'E'\nb1,b2 c3g\nquit\nE\n", 0, "last b1,b2 c3g");
    said("(1)");
}

static void moves_are_grouped(void **state)
{
    (void)state;
    says("play contrast <<'E'\nmoves\nquit\nE\n", 0, "b1,b2 (31 ways)");
    said("155 legal in 5 groups");
    says("play contrast <<'E'\nmoves b1,b2 c\nquit\nE\n", 0, "b1,b2 c3g");
    said("6 of 155 legal begin with b1,b2 c");
    says("play othello <<'E'\nmoves\nquit\nE\n", 0, "d3; c4; f5; e6\n(4 legal)");
    says("play puyo <<'E'\nhelp\nquit\nE\n", 0, "3r drops the pair in column 3");
}

static void games_are_saved_and_loaded(void **state)
{
    (void)state;
    static const char *const files[] = {"a.sgf", "a.ggf", "a.json", "a.keiko", "a.txt", "a.moves"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char args[256];
        snprintf(args, sizeof args,
                 "play othello -2 human <<'E'\nf5\nd6\nundo\nundo\nredo\nc4\nundo\nd6\nc3\nsave %s\nquit\nE\n",
                 files[i]);
        says(args, 0, "saved as");
        snprintf(args, sizeof args, "play othello --load %s -2 human <<'E'\nrecord\nquit\nE\n", files[i]);
        says(args, 0, "f5;d6;c3\n");
        snprintf(args, sizeof args, "analyse othello --load %s --at 2 -a greedy", files[i]);
        says(args, 0, "X to move");
    }
    says("play --load a.sgf -2 human <<'E'\nrecord\nquit\nE\n", 0, "f5;d6;c3\n");
    says("play othello -2 human <<'E'\nf5\nsave a.obf\nsave a.url\nsave\nsave /proc/x/y.sgf\nquit\nE\n", 0,
         "saved as a.obf");
    said("not saved: a puyop address");
    said("save FILE");
    said("not saved: ");
    char line[1400] = "play othello -2 human <<'E'\nf5\nsave ~/home.sgf\nsave ";
    for (int i = 0; i < 300; i++) strcat(line, "./"); // a long name is not cut short
    strcat(line, "long.sgf\nquit\nE\n");
    snprintf(first_words + strlen(first_words), 40, " HOME=%s", dir);
    says(line, 0, "saved as ");
    first_words[strlen(first_words) - strlen(" HOME=") - strlen(dir)] = 0;
    says("play --load home.sgf <<'E'\nquit\nE\n", 0, "unfinished after 2 plies");
    said("You are Black (X), moving first, against easy."); // who plays now, not who the file says did
    said("2. easy");
    says("play othello -2 hard --moves f5 <<'E'\nsave hard.sgf\nquit\nE\n", 0, "2. hard");
    says("play --load hard.sgf -1 easy -2 human <<'E'\nf3\nquit\nE\n", 0, "against easy.");
    not_said("hard");
    says("play --load long.sgf <<'E'\nquit\nE\n", 0, "unfinished after 2 plies");
    says("play othello --number 2", 2, "add --load FILE");
    says("analyse othello --at 3", 2, "--at is about a game in a file: add --load FILE");
    says("play --load a.obf -2 human <<'E'\ntext\nquit\nE\n", 0,
         "---------------------------OX------XXX-------------------------- O");
    says("play puyo-solo -1 random --record r.txt", 0, "points after");
    says("play puyo-solo <<'E'\n3u\n1u\nsave p.url\nquit\nE\n", 0, "saved as p.url");
    says("play --load p.url <<'E'\nrecord\nquit\nE\n", 0, "3u;1u\n");
    says("play renju --load a.sgf", 2, "not of renju");
    says("play --load nothing.sgf", 2, "nothing.sgf");
    says("play othello --load a.sgf --position 'X'", 2, "give one of them");
    says("analyse --load a.sgf --at 9", 2, "the game has 3 moves");
    says("analyse", 2, "name a GAME");
}

static void a_game_is_reviewed(void **state)
{
    (void)state;
    says("play tictactoe -2 human <<'E'\nb2\na2\na1\nc1\nsave t.json\nc3\nE\n", 0, "wins after 5 plies");
    says("review t.json -a mcts:sims=20000 --save marked.json", 0, "turning point: move 2");
    said("a2          ??");
    says("review t.json -a mcts:sims=20000 --json", 0, "\"turning\": true");
    says("review marked.json -a random", 2, "gives no values");
    says("review nothing.sgf", 2, "nothing.sgf");
    says("play --load marked.json -2 human <<'E'\nsave again.sgf\nquit\nE\n", 0, "SGF has no form for tictactoe");
}

// Control characters from files and from what was typed must not reach the terminal.
static void outside_text_cannot_steer(void **state)
{
    (void)state;
    FILE *f;
    char path[128];
    snprintf(path, sizeof path, "%s/evil.sgf", dir);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("(;GM[2]PB[\x1b]0;owned\x07\x1b[31mred]PW[\xc2\x9b"
          "31m];B[fe];W[fd])",
          f);
    fclose(f);
    static const char *const runs[] = {
        "review evil.sgf -a alphabeta:depth=1",
        "show tictactoe start --moves \"$(printf '\\033[31mx')\"",
        "play --load evil.sgf -1 random -2 random",
        "play othello -1 \"$(printf 'nobody\\033[2J')\"",
        "nn init othello-seed -o n.safetensors --note \"$(printf 'made \\033]0;t\\007here')\" && " KEIKO_PROGRAM
        " nn info n.safetensors --seconds 0",
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        keiko(runs[i]);
        if (strchr(output, 0x1b) != NULL || strstr(output, "\xc2\x9b") != NULL || strchr(output, 7) != NULL)
            fail_msg("'%s' lets control characters through", runs[i]);
    }
    said("^["); // the note is shown all the same
}

// --- on a terminal

// Starts keiko on a terminal of its own.
static pid_t on_terminal(pty *p, const char *const *args)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(p->master);
        dup2(p->slave, 0);
        dup2(p->slave, 1);
        dup2(p->slave, 2);
        setenv("TERM", "xterm-256color", 1);
        execv(KEIKO_PROGRAM, (char *const *)(uintptr_t)args);
        _exit(9);
    }
    return child;
}

// Reads until `part` has come, for half a minute at most; output holds everything.
static void wait_for(pty *p, const char *part)
{
    size_t n = strlen(output);
    struct pollfd f = {.fd = p->master, .events = POLLIN};
    while (strstr(output, part) == NULL) {
        if (poll(&f, 1, 30000) <= 0) fail_msg("no \"%s\" in: %s", part, output);
        ssize_t got = read(p->master, output + n, sizeof output - 1 - n);
        if (got <= 0) fail_msg("the program ended without \"%s\": %s", part, output);
        n += (size_t)got;
        output[n] = 0;
    }
}

static void type(pty *p, const char *text)
{
    assert_int_equal(write(p->master, text, strlen(text)), (ssize_t)strlen(text));
}

static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// Ctrl-C while an agent thinks for ever: it is answered, the search ends, its move is not played.
static void ctrl_c_ends_the_thinking(void **state)
{
    (void)state;
    pty p = {.master = -1, .slave = -1};
    if (!pty_open(&p)) skip_because("no terminal can be made here");
    const char *args[] = {"keiko", "play", "othello", "-1", "alphabeta:depth=60,exact=0", NULL};
    output[0] = 0;
    pid_t child = on_terminal(&p, args);
    wait_for(&p, "moving second");
    kill(child, SIGINT);
    wait_for(&p, "stopping; Ctrl-C again to leave at once");
    wait_for(&p, "unfinished after 0 plies");
    assert_int_equal(status_of(child), 1);
    pty_close(&p);
}

// The prompt names the side by the piece that the board shows; a misspelt word is answered with the nearest.
static void the_prompt_and_a_misspelt_word(void **state)
{
    (void)state;
    pty p = {.master = -1, .slave = -1};
    if (!pty_open(&p)) skip_because("no terminal can be made here");
    const char *args[] = {"keiko", "play", "othello", "--color", "always", NULL};
    output[0] = 0;
    setenv("COLUMNS", "48", 1); // the line of a hint goes on below itself
    pid_t child = on_terminal(&p, args);
    unsetenv("COLUMNS");
    wait_for(&p, "Black (●), e.g. f5> ");
    type(&p, "hint\r");
    wait_for(&p, "hint: ");
    wait_for(&p, "\r\n    ");
    type(&p, "hlp\r");
    wait_for(&p, "'hlp' is no move; did you mean help?");
    type(&p, "z9\r");
    wait_for(&p, "expected a square a1 to h8");
    type(&p, "quit\r");
    wait_for(&p, "unfinished after 0 plies");
    assert_int_equal(status_of(child), 1);
    pty_close(&p);
}

static void chains_move_on_a_terminal(void **state)
{
    (void)state;
    pty p = {.master = -1, .slave = -1};
    if (!pty_open(&p)) skip_because("no terminal can be made here");
    // A field where one red more pops four: the picture is drawn again, link by link.
    const char *args[] = {"keiko",
                          "play",
                          "puyo-solo",
                          "--position",
                          "pairs=uniform,colours=4,moves=50,reach=0 | RRR... next=RY,RR,RR placed=0 score=0 best=0 "
                          "longest=0 frames=0 buried=0 | key=0000000000000000.0000000000000000 made=4 tail=own "
                          "pairs=RYRRRRRR",
                          NULL};
    output[0] = 0;
    pid_t child = on_terminal(&p, args);
    wait_for(&p, "e.g. 3r> "); // the prompt teaches until a move was typed
    type(&p, "4u\r");
    wait_for(&p, "link 1: 40 points");
    said("\x1b[J");
    wait_for(&p, "1-chain, 4");
    wait_for(&p, "player> ");
    type(&p, "quit\r");
    wait_for(&p, "unfinished after 1 plies");
    assert_int_equal(status_of(child), 1);
    pty_close(&p);
    // Without a terminal there is nothing to move.
    says("play puyo-solo -1 greedy --seed 2", 0, "points after");
    not_said("link 1");
}

// --- engines

static void hear(process *p, const char *part)
{
    char line[4096] = "";
    while (strstr(line, part) == NULL) assert_ok(process_read(p, 60, line, sizeof line));
}

// NBoard: a ping ends a search at once, though its depth would take for ever.
static void a_ping_interrupts(void **state)
{
    (void)state;
    process *p = NULL;
    assert_ok(process_start(&p, KEIKO_PROGRAM " engine -g othello -a alphabeta:exact=0 -p nboard"));
    static const char *const thinking[] = {"hint 3", "go", "analyze"};
    assert_ok(process_write(p, 10, "nboard 2"));
    assert_ok(process_write(p, 10, "set depth 60"));
    for (size_t i = 0; i < 3; i++) {
        assert_ok(process_write(p, 10, thinking[i]));
        hear(p, i < 2 ? "search" : "status thinking"); // what is known comes on the way
        assert_ok(process_write(p, 10, "ping 7"));
        char line[256] = "";
        while (strcmp(line, "pong 7") != 0) {
            assert_ok(process_read(p, 60, line, sizeof line));
            assert_null(strstr(line, "===")); // an answer nobody wants any more
        }
    }
    assert_ok(process_write(p, 10, "set depth 4"));
    assert_ok(process_write(p, 10, "hint 3"));
    hear(p, "status thinking");
    char line[256] = "";
    int last = 0;
    while (strcmp(line, "status") != 0) {
        assert_ok(process_read(p, 60, line, sizeof line));
        last = strncmp(line, "search", 6) == 0 && strcmp(strrchr(line, ' '), " 4") == 0 ? last + 1 : last;
    }
    assert_true(last >= 3); // three lines of the full depth
    assert_ok(process_write(p, 10, "go"));
    hear(p, "=== ");
    assert_ok(process_write(p, 10, "quit"));
    assert_true(process_read(p, 60, line, sizeof line) == ERR_OK || !process_alive(p));
    process_stop(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_missing_seat_is_yours),
        cmocka_unit_test(eval_is_a_bar),
        cmocka_unit_test(alone_there_is_no_second_player),
        cmocka_unit_test(agents_may_have_names),
        cmocka_unit_test(an_engine_resigns),
        cmocka_unit_test(the_last_move_is_marked),
        cmocka_unit_test(moves_are_grouped),
        cmocka_unit_test(games_are_saved_and_loaded),
        cmocka_unit_test(a_game_is_reviewed),
        cmocka_unit_test(outside_text_cannot_steer),
        cmocka_unit_test(ctrl_c_ends_the_thinking),
        cmocka_unit_test(the_prompt_and_a_misspelt_word),
        cmocka_unit_test(chains_move_on_a_terminal),
        cmocka_unit_test(a_ping_interrupts),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
