// Partners that behave, hang, crash, flood and fork.
#include "base/clock.h"
#include "base/process.h"
#include "test.h"

#include <signal.h>
#include <unistd.h>

static void a_conversation(void **state)
{
    (void)state;
    process *p;
    char line[64];
    assert_ok(process_start(&p, "while read -r x; do echo \"got $x\"; done"));
    for (int i = 0; i < 100; i++) {
        char text[32], want[40];
        snprintf(text, sizeof text, "line %d", i);
        snprintf(want, sizeof want, "got line %d", i);
        assert_ok(process_write(p, 5, text));
        assert_ok(process_read(p, 5, line, sizeof line));
        assert_string_equal(line, want);
    }
    assert_true(process_alive(p));
    process_stop(p);
}

static void long_lines_are_cut_and_crlf_is_an_end(void **state)
{
    (void)state;
    process *p;
    char line[8];
    assert_ok(process_start(&p, "printf 'abcdefghijkl\\r\\nxy\\r\\n'; sleep 5"));
    assert_ok(process_read(p, 5, line, sizeof line));
    assert_string_equal(line, "abcdefg");
    assert_ok(process_read(p, 5, line, sizeof line));
    assert_string_equal(line, "xy");
    process_stop(p);
}

static void a_program_that_hangs(void **state)
{
    (void)state;
    process *p;
    char line[64];
    assert_ok(process_start(&p, "trap '' TERM; while :; do sleep 1; done"));
    double start = clock_seconds();
    assert_int_equal(process_read(p, 0.2, line, sizeof line), ERR_STOPPED);
    process_stop(p); // it ignores SIGTERM: killed all the same
    assert_true(clock_seconds() - start < 5);
}

static void a_program_that_does_not_read(void **state)
{
    (void)state;
    process *p;
    static char big[300000];
    memset(big, 'x', sizeof big - 1);
    assert_ok(process_start(&p, "sleep 30"));
    assert_int_equal(process_write(p, 0.2, big), ERR_STOPPED);
    process_stop(p);
}

static void a_program_that_ends(void **state)
{
    (void)state;
    process *p;
    char line[64];
    assert_ok(process_start(&p, "echo last; exit 3"));
    assert_ok(process_read(p, 5, line, sizeof line));
    assert_string_equal(line, "last");
    assert_int_equal(process_read(p, 5, line, sizeof line), ERR_IO);
    err e = ERR_OK; // no SIGPIPE, only an error, as soon as the system has closed the other end
    for (int i = 0; i < 500 && e == ERR_OK; i++) {
        e = process_write(p, 1, "anybody there?");
        clock_sleep(0.01);
    }
    assert_int_equal(e, ERR_IO);
    process_stop(p);
    assert_ok(process_start(&p, "/no/such/program"));
    assert_int_equal(process_read(p, 5, line, sizeof line), ERR_IO);
    process_stop(p);
}

static void a_program_that_floods(void **state)
{
    (void)state;
    process *p;
    char line[64];
    assert_ok(process_start(&p, "head -c 200000 /dev/zero | tr '\\0' x; sleep 5"));
    assert_int_equal(process_read(p, 5, line, sizeof line), ERR_LIMIT);
    process_stop(p);
    assert_ok(process_start(&p, "yes"));
    err e = ERR_OK;
    for (long i = 0; i < 20000000 && e == ERR_OK; i++) e = process_read(p, 5, line, sizeof line);
    assert_int_equal(e, ERR_LIMIT);
    process_calm(p);
    assert_ok(process_read(p, 5, line, sizeof line));
    process_stop(p);
}

// An orphan may stay a zombie until init looks; it no longer runs.
static bool runs(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    char state_letter = 'X';
    if (f != NULL && fscanf(f, "%*d %*s %c", &state_letter) != 1) state_letter = 'X';
    if (f != NULL) fclose(f);
    return state_letter != 'X' && state_letter != 'Z';
}

// The command prints the number of a process it leaves behind.
static void leaves_nobody(const char *command)
{
    process *p;
    char line[64];
    assert_ok(process_start(&p, command));
    assert_ok(process_read(p, 20, line, sizeof line));
    pid_t child = (pid_t)atoi(line);
    assert_true(child > 1 && runs(child));
    process_stop(p);
    double until = clock_seconds() + 5;
    while (runs(child) && clock_seconds() < until) clock_sleep(0.01);
    bool survived = runs(child);
    if (survived) kill(child, SIGKILL);
    if (survived) fail_msg("a child of '%s' survived", command);
}

static void its_children_end_too(void **state)
{
    (void)state;
    leaves_nobody("sleep 1000 & echo $!; wait");
    if (access("/proc/self/environ", R_OK) != 0) return;
    // In a session of their own: the group's signal does not reach them.
    leaves_nobody("setsid sh -c 'echo $$; exec sleep 1000' & wait");
    leaves_nobody("setsid sh -c 'sleep 1000 & echo $!' & wait; sleep 1000"); // and their parent is gone
}

static void cpu_time_counts_children(void **state)
{
    (void)state;
    process *p;
    char line[64];
    static const char burn[] = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; read x";
    char nested[200];
    if (access("/proc/self/stat", R_OK) != 0) return;
    snprintf(nested, sizeof nested, "sh -c '%s'; read y", burn);
    const char *const commands[] = {burn, nested};
    for (int i = 0; i < 2; i++) {
        assert_ok(process_start(&p, commands[i]));
        assert_ok(process_read(p, 60, line, sizeof line));
        double busy = process_cpu(p);
        assert_true(busy > 0.02 && busy < 60);
        clock_sleep(0.1);
        assert_true(process_cpu(p) - busy < 0.05); // it waits now
        process_stop(p);
    }
    // Once it has ended, too.
    assert_ok(process_start(&p, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"));
    double until = clock_seconds() + 60;
    while (process_alive(p) && clock_seconds() < until) clock_sleep(0.01);
    assert_true(process_cpu(p) > 0.02);
    process_stop(p);
}

// Is there such a program? The first word is read as the shell reads it; what only a shell can tell is believed.
static void programs_are_looked_for(void **state)
{
    (void)state;
    static const struct {
        const char *command, *says; // NULL: it is there, or only a shell can tell
    } rows[] = {
        {"sh", NULL},
        {" \t sh -c true", NULL},
        {"'sh' x", NULL},
        {"s\"h\"", NULL},
        {"/bin/sh", NULL},
        {"cd /", NULL}, // one of the shell's own
        {"no-such-thing", "there is no program 'no-such-thing'"},
        {"no-such-thing;sh", "there is no program 'no-such-thing'"},
        {"no-such-thing|sh", "there is no program 'no-such-thing'"},
        {"no-such-thing&", "there is no program 'no-such-thing'"},
        {"no-such-thing>x", "there is no program 'no-such-thing'"},
        {"no-such-thing\tsh", "there is no program 'no-such-thing'"},
        {"no-such-thing\nsh", "there is no program 'no-such-thing'"},
        {"/nowhere/x", "there is no program '/nowhere/x'"},
        {"/tmp", "'/tmp' is not a program that can be run"},
        {"/etc/passwd x", "'/etc/passwd' is not a program that can be run"},
        {"$NOWHERE/x", NULL},
        {"`nowhere`", NULL},
        {"\"$NOWHERE\"", NULL},
        {"'$NOWHERE'", "there is no program '$NOWHERE'"},
        {"\\$NOWHERE", "there is no program '$NOWHERE'"},
        {"A=no-such-thing sh", NULL},
        {"~/no-such-thing", NULL},
        {"no*such", NULL},
        {"'no*such'", "there is no program 'no*such'"},
        {"no\\ such", "there is no program 'no such'"},
        {"\"no such\" x", "there is no program 'no such'"},
        {"\"no'such\"", NULL}, // a quote in its name
        {"'no-such", NULL},    // never closed
        {"-x", NULL},
        {"", NULL},
        {"''", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].says == NULL && process_find(rows[i].command) != ERR_OK)
            fail_msg("%s: %s", rows[i].command, err_text());
        if (rows[i].says != NULL) assert_err(process_find(rows[i].command), rows[i].says);
    }
    char longest[1100];
    memset(longest, 'x', sizeof longest);
    longest[1023] = 0;
    assert_int_equal(process_find(longest), ERR_MISSING);
    longest[1023] = 'x';
    longest[1024] = 0;
    assert_ok(process_find(longest)); // too long to be looked at
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conversation),          cmocka_unit_test(long_lines_are_cut_and_crlf_is_an_end),
        cmocka_unit_test(a_program_that_hangs),    cmocka_unit_test(a_program_that_does_not_read),
        cmocka_unit_test(a_program_that_ends),     cmocka_unit_test(a_program_that_floods),
        cmocka_unit_test(its_children_end_too),    cmocka_unit_test(cpu_time_counts_children),
        cmocka_unit_test(programs_are_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
