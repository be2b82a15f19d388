// The program is whole wherever it is copied: alone in an empty folder it solves and plays as it does in the source tree.
#include "base/file.h"
#include "base/temp_dir.h"
#include "cli/program.h"

#define PROBLEM "-XXXXX-OOXXXXXO-OOOOXOO-OXXOOX--OXXXXXX-OXOXX---OXXXOOO-OXXOO--- X;" // 14 empty squares

static char dir[64], at_home[sizeof output];

static int setup(void **state)
{
    (void)state;
    char line[4096];
    unsetenv("KEIKO_MODELS");
    if (temp_dir_make(dir) == NULL) return -1;
    snprintf(line, sizeof line, "cp %s %s/alone && echo '" PROBLEM "' > %s/problem.obf", KEIKO_PROGRAM, dir, dir);
    return system(line);
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

// Runs a line with P in place of the program, in the source tree and alone; what it prints is the same.
static void same(const char *line)
{
#ifndef KEIKO_EMBED
    skip_because("this build embeds no models");
#endif
    char home[4096], alone[4096];
    snprintf(home, sizeof home, "cd %s && p() { %s \"$@\"; } && (%s) 2>&1 #", KEIKO_SOURCE, KEIKO_PROGRAM, line);
    snprintf(alone, sizeof alone, "cd %s && p() { ./alone \"$@\"; } && (%s) 2>&1 #", dir, line);
    assert_int_equal(keiko_after(home, ""), 0);
    memcpy(at_home, output, sizeof output);
    assert_int_equal(keiko_after(alone, ""), 0);
    assert_string_equal(output, at_home);
    assert_null(strstr(output, "warn"));
}

// Node counts depend on the pattern weights; times are taken out.
static void the_solver(void **state)
{
    (void)state;
    char line[256];
    snprintf(line, sizeof line, "p solve othello %s/problem.obf | sed -n 's/ [0-9.]* s  .*//p'", dir);
    same(line);
    said(" nodes");
}

#define MOVES "for i in 1 2 3 4; do echo genmove b; echo genmove w; done; echo keiko-position"

static void the_players(void **state)
{
    (void)state;
    same("(" MOVES ") | p engine -g othello -a hard --seed 5");
    same("(" MOVES ") | p engine -g contrast -a zero:sims=8 --seed 5"); // its network
    same("p play puyo -1 dqn -2 random --seed 3 | tail -n 20");
    same("p agents");
}

// The large networks are not compiled in: what is missing is named, and what to do.
static void the_large_networks(void **state)
{
    (void)state;
    char cd[128];
    snprintf(cd, sizeof cd, "cd %s && ./alone play othello -1 zero -2 random 2>&1 #", dir);
    assert_int_not_equal(keiko_after(cd, ""), 0);
    said("othello.safetensors is in no models folder");
    said("make install");
    assert_null(strstr(output, "ships"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solver),
        cmocka_unit_test(the_players),
        cmocka_unit_test(the_large_networks),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
