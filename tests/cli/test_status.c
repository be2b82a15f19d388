// keiko status and keiko report on runs: what they say, and that the page is complete.
#include "base/file.h"
#include "base/temp_dir.h"
#include "cli/program.h"
#include "run/fake_run.h"
#include "run/run_status.h"

static char top[64], dir[80];

static int setup(void **state)
{
    (void)state;
    if (temp_dir_make(top) == NULL) return 1;
    snprintf(dir, sizeof dir, "%s/run", top);
    snprintf(first_words, sizeof first_words, "cd %s &&", top);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(top);
    return 0;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) fail_msg("\"%s\" is missing", part);
}

static void refusals(void **state)
{
    (void)state;
    says("status nowhere", 2, "holds no training run");
    says("report nowhere", 2, "there is no nowhere");
    says("report .", 2, "none of the runs that can be reported");
    says("status", 2, "DIR");
    assert_ok(file_make_dirs(dir));
    char path[FILE_PATH];
    assert_ok(file_join(path, sizeof path, dir, "run.txt"));
    assert_ok(file_write_atomic(path, "gmae = x\n", 9));
    says("status run", 2, "run.txt:1"); // the line and the nearest key
    said("game");
}

static void numbers(void **state)
{
    (void)state;
    fake_run(dir, "zero", 400, false);
    run_state s;
    assert_ok(run_state_read(&s, dir));
    assert_string_equal(s.info.game, "contrast");
    assert_int_equal(s.step, 400);
    assert_int_equal(s.limit_steps, 800);
    assert_int_equal(s.pid, 0);
    assert_true(s.games == 1200 && s.positions == 36000 && s.buffer == 36000);
    assert_true(fabs(s.batch_fill - 0.93) < 0.03 && s.lr == 5e-4);
    assert_int_equal(s.n_losses, 3);
    assert_string_equal(s.loss[0].name, "loss");
    assert_string_equal(s.loss[1].name, "policy");
    assert_true(fabs(s.loss[0].v - s.loss[1].v - s.loss[2].v) < 1e-9);
    assert_true(fabs(s.elo - 1300 * (1 - exp(-3))) < 1e-6 && s.best_elo == s.elo);
    assert_int_equal(s.n_matches, 2);
    assert_int_equal(s.saved_step, 400);
    says("status run", 0, "not running");
    said("step 400 of 800 (50 %)");
    said("rule <b>");
    said("lr 0.0005");
    says("status run --json", 0, "\"running\": false");
    said("\"best_step\": 400");
}

static void running_and_done(void **state)
{
    (void)state;
    fake_run(dir, "dqn", 100, true);
    says("status run", 0, "ended: limit");
    said("decision 100");
    said("reward");
    said("epsilon 0");
    run_home *r;
    char part[64];
    assert_ok(run_open(&r, &(run_options){.dir = dir, .game = "contrast", .algo = "dqn", .resume = true}));
    snprintf(part, sizeof part, "running, process %ld", (long)getpid());
    says("status run", 0, part);
    run_close(r);
    says("status run", 0, "not running"); // taken up again, it did not say why it ended
}

static void page_is_whole(void **state)
{
    (void)state;
    char path[FILE_PATH], *text;
    fake_run(dir, "zero", 300, true);
    says("report run -o sub/a.html --template none", 0, "sub/a.html");
    assert_ok(file_join(path, sizeof path, top, "sub/a.html"));
    assert_ok(file_read(path, 1 << 24, &text, NULL));
    static const char *const parts[] = {"make site",        "\"kind\":\"training\"",
                                        "\"loss_policy\":", "\"kind\":\"elo\"",
                                        "\"entropy\":",     "\"kind\":\"time\"",
                                        "\"tree_depth\":", // nobody knows it, but it is there
                                        "rule \\u003cb>",   "a \\u003cnote> & more",
                                        "\"resumed\":1",    "\"ended\":\"limit\"",
                                        "\"lines\":"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) has(text, parts[i]);
    free(text);
    says("report run --over time -o - --template none | head -c 200", 0, "<!doctype html>");
    says("report run --format markdown", 2, "no report as markdown");
    says("report run", 0, "run/report.html");
    says("report run -o /dev/full/x", 2, "Not a directory");
}

// The document goes where the template wants it; anything else in it stays as it is.
static void templates(void **state)
{
    (void)state;
    char path[FILE_PATH];
    fake_run(dir, "dqn", 200, false);
    assert_ok(file_join(path, sizeof path, dir, "log.jsonl"));
    assert_ok(file_append(path, "nonsense\n", 9));
    assert_ok(file_join(path, sizeof path, top, "t.html"));
    assert_ok(file_write_atomic(path, "<p>before</p>@DATA@<p>after", 27));
    says("report run --over time -o - --template t.html | tr -d '\\n'", 0, "<p>before</p>{\"kind\":\"training\"");
    said("]}<p>after");
    said("\"over\":\"time\"");
    said("\"unit\":\"decision\"");
    said("\"reward_survival\":");
    said("\"unreadable\":1");
    assert_ok(file_write_atomic(path, "<p>before</p>", 13));
    says("report run -o - --template t.html", 2, "no template of a report");
    says("report run -o - --template nowhere.html", 2, "nowhere.html");
}

// A folder of runs is listed; what is no run is passed over.
static void a_folder_of_runs(void **state)
{
    (void)state;
    fake_run(dir, "dqn", 200, false);
    says("status .", 0, "run                      contrast (dqn)");
    says("status . --json", 0, "\"name\": \"run\"");
    says("status run", 0, "decision");
}

// A run that has only begun has no lines to draw.
static void just_begun(void **state)
{
    (void)state;
    run_home *r;
    assert_ok(run_open(&r, &(run_options){.dir = dir, .game = "othello", .algo = "zero"}));
    run_close(r);
    says("status run", 0, "step 0");
    says("report run -o a.html", 0, "a.html");
    char path[FILE_PATH];
    assert_ok(file_join(path, sizeof path, dir, "log.jsonl"));
    assert_ok(file_remove(path));
    says("status run", 0, "step 0");
    says("report run -o a.html", 0, "a.html");
}

int main(void)
{
#define ONE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        ONE(refusals),  ONE(numbers),    ONE(running_and_done), ONE(page_is_whole),
        ONE(templates), ONE(just_begun), ONE(a_folder_of_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
