// Runs of a folder and workers of a server, as tables and JSON.
#include "app/runs.h"
#include "app/workers.h"
#include "base/file.h"
#include "base/temp_dir.h"
#include "test.h"

#include <math.h>
#include <sys/time.h>

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

static void write_bytes(const char *name, const char *data, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", top, name);
    assert_ok(file_make_parent(path));
    assert_ok(file_write_atomic(path, data, size));
}

static void write_file(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static void set_time(const char *name, time_t at)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", top, name);
    struct timeval t[2] = {{.tv_sec = at}, {.tv_sec = at}};
    assert_int_equal(utimes(path, t), 0);
}

// A weights file as far as its header goes: a note with a step.
static void write_network(const char *name, const char *note, time_t at)
{
    char text[200] = {0}, head[180];
    int n = snprintf(head, sizeof head, "{\"__metadata__\":{\"keiko.note\":\"%s\"}}", note);
    text[0] = (char)n;
    memcpy(text + 8, head, (size_t)n);
    write_bytes(name, text, (size_t)n + 8);
    set_time(name, at);
}

static const char *in_run(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", top, name);
    return path;
}

static void runs_are_listed(void **state)
{
    (void)state;
    runs_entry *list = NULL;
    int n = 7;
    assert_ok(runs_list(top, &list, &n));
    assert_int_equal(n, 0);
    free(list);
    write_file("b/run.txt", "game = othello\nalgo = zero\n");
    write_file("b/log.jsonl", "{\"kind\":\"learn\",\"step\":12,\"seconds\":3}\n");
    write_file("a/run.txt", "game = renju\nalgo = zero\n");
    write_file("notes/readme.txt", "no run\n");
    write_file("file.txt", "no folder\n");
    assert_ok(runs_list(top, &list, &n));
    assert_int_equal(n, 2);
    assert_string_equal(list[0].name, "a");
    assert_string_equal(list[1].name, "b");
    assert_int_equal(list[1].s.step, 12);
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    runs_json(list, n, &w);
    assert_ok(json_finish(&w));
    assert_true(strncmp(text_str(&t), "[{\"name\":\"a\",\"state\":{\"game\":\"renju\",", 36) == 0);
    assert_non_null(strstr(text_str(&t), "},{\"name\":\"b\",\"state\":{\"game\":\"othello\","));
    text_free(&t);
    free(list);
    assert_int_not_equal(runs_list(in_run("nowhere"), &list, &n), ERR_OK);
    assert_null(list);
}

static void rows_and_options(void **state)
{
    (void)state;
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    const run_value v[] = {{"loss", 0.5, NULL}, {"who", 0, "x"}};
    json_open_array(&w);
    runs_row_json(&(run_record){"learn", 3, 1.5, v, 2}, &w);
    write_file("r/config.txt", "net = c=8 b=1\n# words\nsims = 16\n");
    assert_ok(runs_options_json(in_run("r"), &w));
    assert_ok(runs_options_json(in_run("nowhere"), &w)); // no file, no options
    write_file("s/config.txt", "no pair\n");
    assert_err(runs_options_json(in_run("s"), &w), "expected key = value");
    json_close(&w);
    assert_ok(json_finish(&w));
    assert_string_equal(text_str(&t), "[{\"kind\":\"learn\",\"step\":3,\"seconds\":1.5,\"loss\":0.5,\"who\":\"x\"},"
                                      "{\"net\":\"c=8 b=1\",\"sims\":\"16\"},{},{}]");
    text_free(&t);
}

static char *networks(void)
{
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    assert_ok(runs_networks_json(in_run("r"), 5000, &w));
    assert_ok(json_finish(&w));
    char *out = malloc(t.len + 1), *to = out;
    const char *dir = in_run("r");
    for (const char *p = text_str(&t); *p;) { // the folder's name is another one each time
        if (strncmp(p, dir, strlen(dir)) == 0) *to++ = 'R', p += strlen(dir);
        *to++ = *p++;
    }
    *to = 0;
    text_free(&t);
    return out;
}

static void networks_of_a_run(void **state)
{
    (void)state;
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    assert_int_equal(runs_networks_json(top, 0, &w), ERR_MISSING);
    text_free(&t);
    write_file("r/run.txt", "game = puyo\nalgo = dqn\n");
    char *got = networks();
    assert_string_equal(got, "[]");
    free(got);
    write_network("r/final.safetensors", "game = puyo\\nstep = 77\\n", 3000);
    write_network("r/best.safetensors", "game = puyo\\n", 4000);
    write_network("r/model_step_50_elo_812.5.safetensors", "step = 1\\n", 6000);
    write_file("r/checkpoints/000001-step-60/net.safetensors", "12345");
    write_file("r/checkpoints/000001-step-60/manifest.txt", "x");
    write_file("r/checkpoints/000002-step-70/model.safetensors", "123");
    write_file("r/checkpoints/000002-step-70/manifest.txt", "x");
    write_file("r/checkpoints/000003-step-80/net.safetensors", "1"); // not whole: no manifest
    set_time("r/checkpoints/000002-step-70/model.safetensors", 3000);
    got = networks();
    assert_string_equal(
        got,
        "[{\"file\":\"model_step_50_elo_812.5.safetensors\",\"agent\":\"dqn:model=R/"
        "model_step_50_elo_812.5.safetensors\",\"bytes\":52,\"age\":0,\"step\":50,\"elo\":812.5,\"label\":\"rated\"},"
        "{\"file\":\"best.safetensors\",\"agent\":\"dqn:model=R/best.safetensors\",\"bytes\":55,\"age\":1000,"
        "\"label\":\"best\"},"
        "{\"file\":\"final.safetensors\",\"agent\":\"dqn:model=R/final.safetensors\",\"bytes\":66,\"age\":2000,"
        "\"step\":77,\"label\":\"final\"},"
        "{\"file\":\"checkpoints/000002-step-70/model.safetensors\",\"agent\":\"dqn:model=R/checkpoints/"
        "000002-step-70/model.safetensors\",\"bytes\":3,\"age\":2000,\"step\":70,\"label\":\"checkpoint\"}]");
    free(got);
    write_file("r/run.txt", "game = othello\nalgo = nobody\n");
    write_file("r/final.safetensors", "12345678"); // no header: no step
    got = networks();
    assert_non_null(strstr(got, "zero:model=R/final.safetensors\",\"bytes\":8,\"age\":"));
    assert_null(strstr(got, "\"step\":77"));
    free(got);
}

static void games_of_a_run(void **state)
{
    (void)state;
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    assert_int_equal(runs_games_json(top, 0, 10, &w), ERR_MISSING);
    write_file("r/run.txt", "game = puyo\nalgo = dqn\n");
    assert_ok(runs_games_json(in_run("r"), 0, 10, &w));
    assert_ok(json_finish(&w));
    assert_string_equal(text_str(&t), "{\"items\":[],\"total\":0,\"from\":0}");
    text_free(&t);
}

static workers_row rows[] = {
    {.s = {.kind = "learner",
           .name = "run1",
           .host = "alpha",
           .version = "0.1.0",
           .run = "run1",
           .backend = "cpu",
           .state = "learns\x1b[2J",
           .generation = 12,
           .games = 34567,
           .step = 8900,
           .positions_s = 1234,
           .lag = 3,
           .stale = 4,
           .refused = 5}},
    {.s = {.kind = "worker",
           .name = "w1",
           .host = "beta",
           .version = "0.1.0",
           .run = "run1",
           .backend = "cpu",
           .state = "plays",
           .threads = 8,
           .generation = 11,
           .games_s = 1.5,
           .positions_s = 60,
           .sims_s = 5000,
           .lag = 2}},
    {.s = {.kind = "worker",
           .name = "w2",
           .host = "gamma",
           .version = "0.1.0",
           .run = "",
           .backend = "cuda",
           .state = "waits",
           .threads = 4,
           .games_s = 2.5,
           .positions_s = 40,
           .sims_s = 3000}},
};

static void workers_in_a_table(void **state)
{
    (void)state;
    text_buf t = {0};
    assert_ok(workers_table(&(workers_view){rows, 3, 3}, &t));
    assert_string_equal(
        text_str(&t),
        "run                  host             generation     step      games     pos/s      lag   stale  refused  state\n"
        "run1                 alpha                    12    8.90k      34.6k     1.23k        3       4        5  "
        "learns^[[2J\n"
        "\n"
        "worker                   host             threads on    run              generation  games/s    pos/s   sims/s   "
        "lag  state\n"
        "w1                       beta                   8 cpu   run1                     11     1.50       60    5.00k   "
        "  2  plays\n"
        "w2                       gamma                  4 cuda                            0     2.50       40    3.00k   "
        "  0  waits\n"
        "2 workers: 4 games/s, 100 positions/s, 8.00k simulations/s\n");
    text_clear(&t);
    assert_ok(workers_table(&(workers_view){rows, 1, 1}, &t));
    assert_non_null(strstr(text_str(&t), "no workers\n"));
    assert_null(strstr(text_str(&t), "no learner"));
    text_clear(&t);
    assert_ok(workers_table(&(workers_view){rows + 1, 1, 1}, &t));
    assert_true(strncmp(text_str(&t), "no learner\n\nworker ", 19) == 0);
    text_free(&t);
}

static void workers_in_json(void **state)
{
    (void)state;
    text_buf t = {0};
    json_writer w = json_begin(&t, false);
    workers_json(&(workers_view){rows, 2, 2}, &w);
    assert_ok(json_finish(&w));
    static const char *const parts[] = {"\"kind\":\"learner\"", "\"name\":\"run1\"",    "\"generation\":12",
                                        "\"games\":34567",      "\"positions-s\":1234", "\"games-s\":1.5",
                                        "\"sims-s\":5000",      "\"threads\":8",        "\"host\":\"beta\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(text_str(&t), parts[i]) == NULL) fail_msg("no %s in %s", parts[i], text_str(&t));
    text_free(&t);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(runs_are_listed), IN_FOLDER(rows_and_options),          IN_FOLDER(networks_of_a_run),
        IN_FOLDER(games_of_a_run),  cmocka_unit_test(workers_in_a_table), cmocka_unit_test(workers_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
