// Other programs as players: keiko against keiko over each protocol, and programs that misbehave in every way.
#include "agents/agent.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

// Plays one game; returns the seat that failed (with err_text()), or -1.
static int play(const game *g, agent *const players[2], game_key key, outcome *result)
{
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    int failed = -1;
    assert_ok(g->init(s, "", key));
    for (int i = 0; i < 2; i++) agent_begin(players[i], key, i);
    while (!g->result(s).over && failed < 0) {
        int seat = g->seat(s);
        agent_choice c;
        game_observe(g, s, seat, obs);
        if (agent_choose(players[seat], obs, &c) != ERR_OK) {
            failed = seat;
            break;
        }
        for (int i = 0; i < 2; i++) {
            game_observe(g, s, i, obs);
            agent_saw(players[i], obs, c.move);
        }
        g->play(s, c.move, NULL);
    }
    *result = g->result(s);
    free(obs);
    free(s);
    return failed;
}

// Two copies of the program, each behind a protocol: every game ends by the rules and both agree on every position.
static void copies_play(const char *name, const char *protocol, int games)
{
    const game *g;
    char spec[512];
    agent *players[2];
    // More games by hand: KEIKO_ENGINE_GAMES=100 build/dev/tests/test_engine
    const char *more = getenv("KEIKO_ENGINE_GAMES");
    if (more != NULL) games = atoi(more);
    assert_ok(game_find(name, &g));
    for (int i = 0; i < 2; i++) {
        snprintf(spec, sizeof spec, "engine:%s='%s engine -g %s -a %s -p %s --seed %d',timeout=60", protocol,
                 KEIKO_PROGRAM, name, i == 0 ? "greedy" : "random", protocol, i + 1);
        assert_ok(agent_open(&players[i], g, spec));
    }
    for (int i = 0; i < games; i++) {
        outcome o;
        agent *seats[2] = {players[i % 2], players[1 - i % 2]};
        if (play(g, seats, (game_key){9, (uint64_t)i}, &o) >= 0)
            fail_msg("%s over %s, game %d: %s", name, protocol, i, err_text());
        assert_true(o.over);
    }
    for (int i = 0; i < 2; i++) agent_close(players[i]);
}

static void keiko_against_keiko(void **state)
{
    (void)state;
    copies_play("othello", "gtp", 4);
    copies_play("othello", "nboard", 4);
    copies_play("contrast", "gtp", 4);
    copies_play("tictactoe", "gtp", 6);
    copies_play("puyo", "gtp", 2);
    copies_play("renju", "gtp", 4);
    copies_play("renju", "gomocup", 4);
    copies_play("gomoku", "gomocup", 4);
    copies_play("freestyle", "gomocup", 4);
    copies_play("freestyle20", "gomocup", 2);
}

// A bad program loses the game it plays, within its time, with a sentence; the next game goes on.
// `seconds`: short where the time limit itself is tested, long where a busy machine must not meet it.
static void bad_program(const char *name, const char *protocol, double seconds, const char *script, const char *part)
{
    const game *g;
    agent *players[2];
    outcome o;
    char path[] = "/tmp/keiko-bad-XXXXXX", spec[256];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "#!/bin/sh\n%s\n", script);
    fclose(f);
    chmod(path, 0700);
    assert_ok(game_find(name, &g));
    snprintf(spec, sizeof spec, "engine:%s=%s,timeout=%g", protocol, path, seconds);
    assert_ok(agent_open(&players[0], g, spec));
    assert_ok(agent_open(&players[1], g, "random"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(play(g, players, (game_key){1, (uint64_t)i}, &o), 0);
        if (strstr(err_text(), part) == NULL) fail_msg("\"%s\" does not say \"%s\"", err_text(), part);
    }
    for (int i = 0; i < 2; i++) agent_close(players[i]);
    remove(path);
}

static void bad_programs_lose(void **state)
{
    (void)state;
    bad_program("othello", "gtp", 0.5, "sleep 100", "no answer within");
    bad_program("othello", "gtp", 60, "exit 1", "ended");
    bad_program("othello", "gtp", 60, "yes", "MiB");
    bad_program("othello", "gtp", 60, "head -c 1000000 /dev/zero", "line end");
    bad_program("othello", "gtp", 60,
                "while read x; do case $x in genmove*) echo '= a1'; echo;; *) echo '='; echo;; esac; done", "a1");
    bad_program("othello", "gtp", 60,
                "while read x; do case $x in genmove*) kill -9 $$;; *) echo '='; echo;; esac; done", "ended");
    bad_program("othello", "gtp", 60, "while read x; do echo '? no'; echo; done", "no");
    bad_program("othello", "nboard", 60,
                "while read x; do case $x in go) echo '=== a1';; ping*) echo pong${x#ping};; esac; done",
                "a1 turns no disc");
    bad_program("othello", "nboard", 0.5, "while read x; do case $x in ping*) echo pong${x#ping};; esac; done",
                "no answer");
    bad_program("renju", "gomocup", 60, "while read x; do case $x in START*) echo OK;; BEGIN*) echo 99,99;; esac; done",
                "99,99");
    bad_program("renju", "gomocup", 60, "while read x; do case $x in START*) echo ERROR small;; esac; done", "small");
    bad_program("renju", "gomocup", 0.5,
                "while read x; do case $x in START*) echo OK;; BEGIN*) echo MESSAGE hm; echo DEBUG hm;; esac; done",
                "no answer");
}

// `resign` is said in the choice, whoever asks; the program stays for the next game, which it begins by counting on.
static void a_program_resigns(void **state)
{
    (void)state;
    static const char spec[] =
        "engine:gtp='n=0; while read x; do case $x in genmove*) n=$((n+1)); "
        "if test $n -lt 3; then echo = RESIGN; else echo = d3; fi;; *) echo =;; esac; echo; done'";
    const game *g;
    agent *a;
    agent_choice c;
    assert_ok(game_find("othello", &g));
    assert_ok(agent_open(&a, g, spec));
    void *s = calloc(1, g->state_size);
    assert_ok(g->init(s, "", (game_key){1, 1}));
    for (int i = 0; i < 2; i++) {
        agent_begin(a, (game_key){1, (uint64_t)i}, 0);
        assert_err(agent_choose(a, s, &c), "resigns");
        assert_true(c.resigns);
    }
    assert_ok(agent_choose(a, s, &c)); // asked once more: it is still the same program
    assert_false(c.resigns);
    free(s);
    agent_close(a);
}

static void wrong_parameters(void **state)
{
    (void)state;
    const game *g;
    agent *a;
    assert_ok(game_find("contrast", &g));
    assert_err(agent_open(&a, g, "engine"), "exactly one");
    assert_err(agent_open(&a, g, "engine:gtp=x,nboard=y"), "exactly one");
    assert_err(agent_open(&a, g, "engine:nboard=x"), "not for contrast");
    assert_err(agent_open(&a, g, "engine:gomocup=x"), "not for contrast");
    assert_err(agent_open(&a, g, "engine:gtp=x,timeout=never"), "timeout");
    assert_err(agent_open(&a, g, "engine:gtp=no-such-program"), "there is no program 'no-such-program'");
    assert_err(agent_open(&a, g, "engine:gtp='/no/such/program --fast'"), "there is no program '/no/such/program'");
    assert_err(agent_open(&a, g, "engine:gtp='\"/no/such dir/program\" -x'"),
               "there is no program '/no/such dir/program'");
    assert_err(agent_open(&a, g, "engine:gtp=/no\\ such/program"), "there is no program '/no such/program'");
    assert_err(agent_open(&a, g, "engine:gtp=/tmp"), "'/tmp' is not a program that can be run");
    assert_err(agent_open(&a, g, "engine:gtp=/etc/passwd"), "not a program that can be run");
    static const char *const fine[] = {"engine:gtp=/bin/sh", "engine:gtp='A=1 no-such'", "engine:gtp='$HOME/no-such'",
                                       "engine:gtp='exec sh'"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) { // what only a shell can read is taken on trust
        assert_ok(agent_open(&a, g, fine[i]));
        agent_close(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keiko_against_keiko),
        cmocka_unit_test(bad_programs_lose),
        cmocka_unit_test(a_program_resigns),
        cmocka_unit_test(wrong_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
