// What is said about a run: every number of run_state has one source in the folder, and one place in the JSON.
#include "base/clock.h"
#include "base/file.h"
#include "base/temp_dir.h"
#include "run/fake_run.h"
#include "run/run_status.h"
#include "test.h"

#include <sys/time.h>
#include <unistd.h>

static char top[64];

static int setup(void **state)
{
    (void)state;
    return temp_dir_make(top) == NULL;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(top);
    return 0;
}

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", top, name);
    assert_ok(file_make_parent(path));
    assert_ok(file_write_atomic(path, text, strlen(text)));
}

static void set_age(const char *name, double seconds)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", top, name);
    time_t at = (time_t)(clock_unix() - seconds);
    struct timeval t[2] = {{.tv_sec = at}, {.tv_sec = at}};
    assert_int_equal(utimes(path, t), 0);
}

static run_state read_run(const char *log)
{
    run_state s;
    write_file("run.txt", "game = contrast\nalgo = zero\nbegan = 2026-11-16T10:00:00Z\nversion = 0.1.0\n");
    write_file("log.jsonl", log);
    assert_ok(run_state_read(&s, top));
    return s;
}

static void near_to(double got, double expected)
{
    if (!(fabs(got - expected) < 1e-9 * fmax(1.0, fabs(expected)))) fail_msg("%.12g, not %.12g", got, expected);
}

static void the_folder(void **state)
{
    (void)state;
    run_state s;
    run_info info;
    assert_err(run_state_read(&s, top), "holds no training run (no run.txt there)");
    assert_int_equal(run_info_read(&info, top), ERR_MISSING);
    write_file("run.txt", "game = contrast\nalgo = zero\nbegan = 2026-11-16T10:00:00Z\nversion = 0.1.0\n");
    assert_ok(run_state_read(&s, top)); // no log yet
    assert_true(isnan(s.age) && isnan(s.elo) && isnan(s.left) && isnan(s.steps_s) && isnan(s.saved_age));
    assert_true(s.step == 0 && s.saved_step == -1 && s.n_losses == 0 && s.n_matches == 0 && s.bad_lines == 0);
    assert_string_equal(s.info.game, "contrast");
    assert_string_equal(s.info.algo, "zero");
    assert_string_equal(s.info.began, "2026-11-16T10:00:00Z");
    assert_string_equal(s.info.version, "0.1.0");
    assert_string_equal(s.ended, "");
    assert_int_equal(s.pid, 0);
    write_file("run.txt", "game = contrast\ncolour = red\n");
    assert_err(run_state_read(&s, top), "colour");
    assert_string_equal(run_step_word("dqn"), "decision");
    assert_string_equal(run_step_word("zero"), "step");
}

static void ages_and_checkpoints(void **state)
{
    (void)state;
    run_state s = read_run("{\"kind\":\"learn\",\"step\":3,\"seconds\":1}\nno line\n{\"kind\":\"learn\",\"step\":");
    assert_int_equal(s.bad_lines, 1);
    assert_in_range((int)s.age, 0, 20);
    set_age("log.jsonl", 500);
    write_file("checkpoints/000009-step-90/net.bin", "x");
    write_file("checkpoints/000010-step-100/net.bin", "x");
    write_file("checkpoints/000002-step-7000/net.bin", "x");
    write_file("checkpoints/000011-step-110.tmp/net.bin", "x"); // not finished
    write_file("checkpoints/notes/net.bin", "x");
    set_age("checkpoints/000010-step-100", 300);
    assert_ok(run_state_read(&s, top));
    assert_int_equal(s.saved_step, 100); // the highest number, not the highest step nor the last by name
    assert_in_range((int)s.saved_age, 299, 320);
    assert_in_range((int)s.age, 499, 520);
    set_age("log.jsonl", -500); // a clock that was set back: not in the future
    set_age("checkpoints/000010-step-100", -500);
    assert_ok(run_state_read(&s, top));
    assert_true(s.age == 0.0 && s.saved_age == 0.0);
}

// Rates are means of the last five lines that have them, counts those of the last line.
static void numbers_of_lines(void **state)
{
    (void)state;
    text_buf t = {0};
    for (int i = 1; i <= 7; i++) {
        text_printf(&t,
                    "{\"kind\":\"selfplay\",\"step\":%d,\"seconds\":%d,\"games\":%d,\"positions\":%d,\"games_s\":%d,"
                    "\"positions_s\":%d,\"sims_s\":%d,\"length\":%d,\"entropy\":%d,\"batch_fill\":%d,\"buffer\":%d}\n",
                    i, i, 10 * i, 100 * i, i, 2 * i, 3 * i, 4 * i, 5 * i, 6 * i, 1000 * i);
        text_printf(&t,
                    "{\"kind\":\"episode\",\"step\":%d,\"seconds\":%d,\"episodes\":%d,\"reward\":%d,\"chain\":%d,"
                    "\"epsilon\":%d,\"win\":%d}\n",
                    i, i, 7 * i, -i, 2 * i, 3 * i, 8 * i);
    }
    text_append(&t, "{\"kind\":\"selfplay\",\"step\":8,\"seconds\":8,\"games\":80}\n"); // without rates: not counted
    run_state s = read_run(text_str(&t));
    const struct {
        double got, expected;
    } rows[] = {{s.games, 80},  {s.positions, 700}, {s.games_s, 5},     {s.positions_s, 10}, {s.sims_s, 15},
                {s.length, 20}, {s.entropy, 25},    {s.batch_fill, 30}, {s.buffer, 7000},    {s.reward, -5},
                {s.chain, 10},  {s.epsilon, 21},    {s.win, 40}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) near_to(rows[i].got, rows[i].expected);
    assert_true(isnan(s.lr));
    assert_int_equal(s.step, 8);
    text_free(&t);
    s = read_run("{\"kind\":\"episode\",\"step\":5,\"seconds\":2,\"episodes\":35}\n");
    near_to(s.games, 35); // a learner that counts episodes
}

static void losses(void **state)
{
    (void)state;
    text_buf t = {0};
    for (int i = 1; i <= 30; i++)
        text_printf(&t,
                    "{\"kind\":\"learn\",\"step\":%d,\"seconds\":%d,\"loss\":%d,\"loss_policy\":%d,\"lossvalue\":%d,"
                    "\"loss_note\":\"x\",\"lr\":0.%03d,\"grad\":1}\n",
                    i, i, i, 2 * i, 3 * i, i);
    run_state s = read_run(text_str(&t));
    assert_int_equal(s.n_losses, 3);
    const char *const names[] = {"loss", "policy", "value"};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(s.loss[i].name, names[i]);
        near_to(s.loss[i].v, 20.5 * (i + 1)); // the mean of 11 to 30
    }
    near_to(s.lr, 0.03);
    text_free(&t);
    text_append(&t, "{\"kind\":\"learn\",\"step\":1,\"seconds\":1");
    for (int i = 0; i < RUN_HEADS + 2; i++) text_printf(&t, ",\"loss_%d\":%d", i, i);
    text_append(&t, "}\n");
    s = read_run(text_str(&t));
    assert_int_equal(s.n_losses, RUN_HEADS);
    assert_string_equal(s.loss[RUN_HEADS - 1].name, "11");
    near_to(s.loss[RUN_HEADS - 1].v, 11);
    text_free(&t);
}

static void ratings(void **state)
{
    (void)state;
    run_state s = read_run("{\"kind\":\"elo\",\"step\":10,\"seconds\":1,\"elo\":-50,\"low\":-90,\"high\":-10}\n"
                           "{\"kind\":\"elo\",\"step\":20,\"seconds\":2,\"elo\":300,\"low\":250,\"high\":350}\n"
                           "{\"kind\":\"elo\",\"step\":30,\"seconds\":3,\"elo\":300,\"low\":260,\"high\":340}\n"
                           "{\"kind\":\"elo\",\"step\":40,\"seconds\":4,\"elo\":200,\"low\":150,\"high\":240}\n"
                           "{\"kind\":\"elo\",\"step\":50,\"seconds\":5,\"note\":1}\n"
                           "{\"kind\":\"other\",\"step\":60,\"seconds\":5,\"elo\":900}\n");
    assert_true(s.elo == 200 && s.elo_low == 150 && s.elo_high == 240 && s.elo_step == 40);
    assert_true(s.best_elo == 300);
    assert_int_equal(s.best_step, 20); // the first of equal ones
}

static void matches(void **state)
{
    (void)state;
    run_state s = read_run(
        "{\"kind\":\"match\",\"step\":10,\"seconds\":1,\"opponent\":\"rule\",\"score\":0.1,\"games\":10}\n"
        "{\"kind\":\"match\",\"step\":10,\"seconds\":1,\"opponent\":\"random\",\"score\":0.9,\"games\":20,\"low\":0.7,"
        "\"high\":0.95}\n"
        "{\"kind\":\"other\",\"step\":11,\"seconds\":1,\"opponent\":\"nobody\",\"score\":0.9}\n"
        "{\"kind\":\"match\",\"step\":11,\"seconds\":1,\"score\":0.9}\n"
        "{\"kind\":\"match\",\"step\":20,\"seconds\":2,\"opponent\":\"rule\",\"score\":0.5,\"games\":100}\n"
        "{\"kind\":\"match\",\"step\":21,\"seconds\":2,\"opponent\":\"old\",\"score\":0.5}\n"
        "{\"kind\":\"match\",\"step\":21,\"seconds\":2,\"opponent\":\"odd\",\"score\":1.5,\"games\":10}\n");
    assert_int_equal(s.n_matches, 4); // the newest first, each opponent once
    const char *const names[] = {"odd", "old", "rule", "random"};
    for (int i = 0; i < 4; i++) assert_string_equal(s.match[i].opponent, names[i]);
    assert_true(isnan(s.match[0].low) && isnan(s.match[0].high) && s.match[0].games == 10);
    assert_true(isnan(s.match[1].low) && isnan(s.match[1].games));
    assert_true(s.match[2].step == 20 && s.match[2].score == 0.5 && s.match[2].games == 100);
    assert_true(fabs(s.match[2].low - 0.40383) < 1e-4 && fabs(s.match[2].high - 0.59617) < 1e-4); // Wilson, 50 of 100
    assert_true(s.match[3].low == 0.7 && s.match[3].high == 0.95);
    text_buf t = {0};
    for (int i = 0; i < RUN_OPPONENTS + 1; i++)
        text_printf(&t, "{\"kind\":\"match\",\"step\":%d,\"seconds\":1,\"opponent\":\"o%d\",\"score\":1,\"games\":4}\n",
                    i, i);
    s = read_run(text_str(&t));
    assert_int_equal(s.n_matches, RUN_OPPONENTS);
    assert_string_equal(s.match[0].opponent, "o16");
    assert_string_equal(s.match[RUN_OPPONENTS - 1].opponent, "o1");
    assert_true(s.match[0].high == 1.0 && fabs(s.match[0].low - 0.51011) < 1e-4); // 4 of 4
    text_free(&t);
}

// 100 s: one step per second at first, three per second in the last tenth.
static const char pace_lines[] = "{\"kind\":\"learn\",\"step\":10,\"seconds\":10}\n"
                                 "{\"kind\":\"learn\",\"step\":90,\"seconds\":90}\n"
                                 "{\"kind\":\"learn\",\"step\":105,\"seconds\":95}\n"
                                 "{\"kind\":\"learn\",\"step\":120,\"seconds\":100}\n";

static run_state with_limits(const char *limits, const char *more)
{
    char text[1200];
    snprintf(text, sizeof text, "{\"kind\":\"limits\",\"step\":0,\"seconds\":0%s}\n%s%s", limits, pace_lines, more);
    return read_run(text);
}

static void pace_and_time_left(void **state)
{
    (void)state;
    run_state s = read_run(pace_lines);
    near_to(s.steps_s, 3);
    assert_true(s.step == 120 && s.seconds == 100 && isnan(s.left));
    s = with_limits("", "{\"kind\":\"elo\",\"step\":120,\"seconds\":150,\"elo\":1}\n");
    near_to(s.steps_s, 3); // the rating behind it does not count
    assert_true(s.seconds == 150 && s.limit_steps == 0 && s.limit_games == 0 && s.limit_seconds == 0);
    s = with_limits(",\"steps\":180", "");
    assert_int_equal(s.limit_steps, 180);
    near_to(s.left, 20);
    s = with_limits(",\"steps\":100", "");
    assert_true(s.left == 0.0); // beyond it
    s = with_limits(",\"steps\":-5,\"games\":1e16,\"seconds_most\":-3", "");
    assert_true(s.limit_steps == 0 && s.limit_games == 0 && s.limit_seconds == 0 && isnan(s.left));
    s = with_limits(",\"seconds_most\":115", "");
    assert_true(s.limit_seconds == 115);
    near_to(s.left, 15);
    s = with_limits(",\"seconds_most\":90", "");
    assert_true(s.left == 0.0);
    s = with_limits(",\"seconds_most\":115,\"steps\":180", ""); // the earlier of the two
    near_to(s.left, 15);
    s = with_limits(",\"seconds_most\":130,\"steps\":180", "");
    near_to(s.left, 20);
    const char *games = "{\"kind\":\"selfplay\",\"step\":120,\"seconds\":100,\"games\":50}\n";
    s = with_limits(",\"games\":55", games);
    assert_int_equal(s.limit_games, 55);
    near_to(s.left, 10);
    s = with_limits(",\"games\":45", games);
    assert_true(s.left == 0.0);
    s = with_limits(",\"games\":55,\"steps\":180", games);
    near_to(s.left, 10);
    s = with_limits(",\"games\":75,\"steps\":180", games);
    near_to(s.left, 20);
    s = read_run(
        "{\"kind\":\"selfplay\",\"step\":0,\"seconds\":10}\n{\"kind\":\"selfplay\",\"step\":80,\"seconds\":50}\n");
    near_to(s.steps_s, 2); // nothing learned: by the last line
}

static void why_it_ended(void **state)
{
    (void)state;
    run_state s = read_run("{\"kind\":\"done\",\"step\":5,\"seconds\":2,\"why\":\"steps\"}\n");
    assert_string_equal(s.ended, "steps");
    s = read_run("{\"kind\":\"done\",\"step\":5,\"seconds\":2}\n");
    assert_string_equal(s.ended, "done");
    s = read_run("{\"kind\":\"done\",\"step\":5,\"seconds\":2,\"why\":\"steps\"}\n{\"kind\":\"learn\",\"step\":6}\n");
    assert_string_equal(s.ended, ""); // it was taken up again
}

static char *as_json(const run_state *s)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    run_state_json(s, &w);
    assert_ok(json_finish(&w));
    return text_take(&t);
}

static void whole_json(void **state)
{
    (void)state;
    run_state s = {.info = {"contrast", "zero", "now", "0.1.0"}, .saved_step = -1, .step = 7, .seconds = 2.5, .age = 1};
    double *const unknown[] = {&s.left,   &s.steps_s, &s.games,      &s.positions, &s.games_s, &s.positions_s,
                               &s.sims_s, &s.length,  &s.entropy,    &s.buffer,    &s.lr,      &s.reward,
                               &s.chain,  &s.epsilon, &s.batch_fill, &s.win,       &s.elo,     &s.saved_age};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) *unknown[i] = NAN;
    char *got = as_json(&s);
    assert_string_equal(got, "{\"game\":\"contrast\",\"algo\":\"zero\",\"began\":\"now\",\"running\":false,\"age\":1,"
                             "\"step\":7,\"seconds\":2.5,\"losses\":{},\"matches\":[]}");
    free(got);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) *unknown[i] = (double)i + 1;
    s.pid = 99;
    s.limit_steps = s.limit_games = 1;
    s.limit_seconds = 0.5;
    s.n_losses = s.n_matches = 1;
    s.loss[0].v = 0.25;
    memcpy(s.loss[0].name, "loss", 5);
    memcpy(s.ended, "steps", 6);
    s.elo_low = -1, s.elo_high = 40, s.elo_step = 3, s.best_elo = 30, s.best_step = 2;
    s.match[0] = (run_match){"random", 4, 0.5, 0.25, 0.75, 8};
    s.saved_step = 0;
    s.bad_lines = 1;
    got = as_json(&s);
    assert_string_equal(
        got,
        "{\"game\":\"contrast\",\"algo\":\"zero\",\"began\":\"now\",\"running\":true,\"pid\":99,\"ended\":\"steps\","
        "\"age\":1,\"step\":7,\"seconds\":2.5,\"limit_steps\":1,\"limit_games\":1,\"limit_seconds\":0.5,\"left\":1,"
        "\"steps_s\":2,\"games\":3,\"positions\":4,\"games_s\":5,\"positions_s\":6,\"sims_s\":7,\"length\":8,"
        "\"entropy\":9,\"batch_fill\":15,\"buffer\":10,\"lr\":11,\"reward\":12,\"chain\":13,\"epsilon\":14,"
        "\"win\":16,\"losses\":{\"loss\":0.25},\"elo\":{\"elo\":17,\"low\":-1,\"high\":40,\"step\":3,\"best\":30,"
        "\"best_step\":2},\"matches\":[{\"opponent\":\"random\",\"step\":4,\"score\":0.5,\"low\":0.25,\"high\":0.75,"
        "\"games\":8}],\"checkpoint_step\":0,\"checkpoint_age\":18,\"bad_lines\":1}");
    free(got);
}

// A whole run as the learners write it.
static void a_run(void **state)
{
    (void)state;
    run_state s;
    fake_run(top, "zero", 200, true);
    assert_ok(run_state_read(&s, top));
    assert_string_equal(s.ended, "limit");
    assert_true(s.step == 200 && s.limit_steps == 400 && s.saved_step == 200 && s.games == 600 && s.buffer == 18000);
    assert_int_equal(s.pid, 0);
    assert_int_equal(s.n_matches, 2);
    assert_string_equal(s.match[1].opponent, "rule <b>");
    assert_int_equal(s.elo_step, 200);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_folder),
        IN_FOLDER(ages_and_checkpoints),
        IN_FOLDER(numbers_of_lines),
        IN_FOLDER(losses),
        IN_FOLDER(ratings),
        IN_FOLDER(matches),
        IN_FOLDER(pace_and_time_left),
        IN_FOLDER(why_it_ended),
        cmocka_unit_test(whole_json),
        IN_FOLDER(a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
