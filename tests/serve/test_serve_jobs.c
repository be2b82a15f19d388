// Training runs and benches through the API: started, watched, stopped, resumed, read. labels: threads
#include "app/bench.h"
#include "app/plugin.h"
#include "app/runs.h"
#include "ask.h"
#include "learn/trainer.h"

#include <signal.h>
#include <sys/stat.h>

enum { PATIENCE = 120 }; // seconds, on a busy machine with sanitizers

// Asks again and again until the answer has `part`.
static void until(const char *path, const char *part)
{
    for (double start = clock_seconds(); clock_seconds() - start < PATIENCE; clock_sleep(0.1)) {
        jobs_poll(the_api->children);
        ask("GET", path, NULL);
        if (strstr(the_answer, part) != NULL) return;
    }
    fail_msg("%s never had %s: %.2000s", path, part, the_answer);
}

static void a_run_is_trained(void **state)
{
    (void)state;
    char buf[1 << 16];
    stream *listener = NULL;
    asks(
        "POST", "/runs",
        "{\"game\":\"tictactoe\",\"name\":\"t1\",\"options\":{\"steps\":40,\"in-flight\":\"8\",\"sims\":\"8\",\"round\":\"64\","
        "\"fill\":\"100\",\"batch\":\"16\",\"net\":\"c=8 b=1\",\"eval-every\":\"20\",\"eval-games\":\"4\",\"threads\":\"1\"}}",
        201);
    answered("{\"name\":\"t1\"}");
    asks("GET", "/runs/t1", NULL, 200); // at once, whether or not there is a folder yet
    answered("\"running\":true");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"name\":\"t1\",\"options\":{\"steps\":\"4\"}}", 409, "t1");
    assert_ok(hub_listen(the_api->events, "runs/t1", &listener, 0));
    until("/runs/t1", "\"ended\":\"limit\"");
    until("/runs/t1", "\"running\":false");
    answered("\"mine\":true");
    answered("\"agent\":\"zero:model=runs/t1/final.safetensors\"");
    answered("\"agent\":\"zero:model=runs/t1/checkpoints/");
    answered("\"label\":\"rated\"");
    // each says which step it is, so that nobody shows one twice
    answered("final.safetensors\",\"bytes\"");
    json_doc *doc = NULL;
    assert_ok(json_read(&doc, the_answer, strlen(the_answer), ""));
    json_val root = json_root(doc), nets = json_member(&root, "networks");
    for (int i = 0; i < json_count(&nets); i++) {
        json_val one = json_item(&nets, i), step = json_member(&one, "step");
        const char *label;
        int64_t at = -1;
        assert_ok(json_need_text(&one, "label", &label));
        assert_ok(json_get_int(&step, 0, 40, &at));
        if (strcmp(label, "final") == 0 || strcmp(label, "checkpoint") == 0) assert_int_equal(at, 40);
    }
    json_free(doc);
    answered("\"in-flight\":\"8\"");
    asks("GET", "/runs", NULL, 200);
    answered("\"total\":1");
    asks("GET", "/runs/t1/log", NULL, 200);
    answered("\"kind\":\"start\"");
    answered("\"kind\":\"done\"");
    the_query[0][0] = "kind", the_query[0][1] = "elo";
    asks("GET", "/runs/t1/log", NULL, 200);
    assert_null(strstr(the_answer, "\"kind\":\"learn\""));
    the_query[0][0] = "from", the_query[0][1] = "-1";
    asks("GET", "/runs/t1/log", NULL, 200);
    assert_null(strstr(the_answer, "\"kind\":\"start\""));
    answered("\"kind\":\"done\"");
    memset(the_query, 0, sizeof the_query);
    asks("GET", "/runs/t1/games", NULL, 200);
    answered("\"text\":\"keiko tictactoe");

    // the stream: every row once, the state, the end
    jobs_settle(the_api->children, "runs/t1");
    api_tick(the_api, clock_seconds());
    size_t n = 0;
    for (long k; (k = stream_read(listener, buf + n, sizeof buf - 1 - n, NULL, NULL)) > 0;) n += (size_t)k;
    buf[n] = 0;
    stream_close(listener);
    static const char *const parts[] = {"id: 1\nevent: row\ndata: {\"kind\":\"start\"",
                                        "event: state\ndata: {\"state\":{", "event: networks\ndata: {\"networks\":[",
                                        "event: done\ndata: {\"ended\":\"limit\"}"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(buf, parts[i]) == NULL) fail_msg("no %s in: %s", parts[i], buf);

    // its network plays
    char s[160];
    new_session("{\"game\":\"tictactoe\",\"second\":\"zero:model=runs/t1/final.safetensors,sims=10\",\"moves\":\"b2\"}",
                s);
    asks("POST", under(s, "think"), "{}", 200);
    answered("\"ply\":2");
}

static void a_run_is_stopped_and_resumed(void **state)
{
    (void)state;
    asks(
        "POST", "/runs",
        "{\"game\":\"tictactoe\",\"name\":\"t2\",\"options\":{\"minutes\":\"30\",\"in-flight\":\"8\",\"sims\":\"8\",\"round\":\"64\","
        "\"fill\":\"100\",\"batch\":\"16\",\"net\":\"c=8 b=1\",\"threads\":\"1\"}}",
        201);
    until("/runs/t2/log", "\"kind\":\"learn\"");
    asks("POST", "/runs/t2/stop", "{}", 200);
    until("/runs/t2", "\"running\":false");
    answered("\"ended\":\"stopped\"");
    jobs_settle(the_api->children, "runs/t2");
    refuses("POST", "/runs/t2/stop", "{}", 409, "not running");
    refuses("POST", "/runs/t2/resume", "{\"options\":{\"sims\":\"9\"}}", 400, "sims");
    asks("POST", "/runs/t2/resume", "{\"options\":{\"minutes\":\"60\"}}", 200);
    until("/runs/t2", "\"running\":true");
    refuses("POST", "/runs/t2/resume", "{}", 409, "running");
    asks("POST", "/runs/t2/stop", "{}", 200);
    until("/runs/t2", "\"running\":false");
    jobs_settle(the_api->children, "runs/t2");
}

// A game from a library: processes that the server starts find it in the environment, as the command line leaves it there.
static void a_library_s_game_is_trained(void **state)
{
    (void)state;
    assert_ok(plugin_load(KEIKO_HEX));
    setenv(PLUGIN_VARIABLE, KEIKO_HEX, 1);
    asks(
        "POST", "/runs",
        "{\"game\":\"hex\",\"name\":\"h1\",\"options\":{\"steps\":\"2\",\"in-flight\":\"8\",\"sims\":\"8\",\"round\":\"64\","
        "\"fill\":\"60\",\"batch\":\"16\",\"net\":\"c=8 b=1\",\"threads\":\"1\",\"eval-every\":\"0\"}}",
        201);
    until("/runs/h1", "\"running\":false");
    answered("\"ended\":\"limit\"");
    jobs_settle(the_api->children, "runs/h1");
    unsetenv(PLUGIN_VARIABLE);
}

static void wrong_runs_are_refused(void **state)
{
    (void)state;
    refuses("POST", "/runs", "{}", 400, "'game' is missing");
    refuses("POST", "/runs", "{\"game\":\"chess\",\"options\":{\"minutes\":\"1\"}}", 400, "chess");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"options\":{}}", 400, "how long");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"options\":{\"minutes\":\"x\"}}", 400, "minutes");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"options\":{\"minuets\":\"1\"}}", 400, "minuets");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"options\":{\"run\":\"/tmp/x\",\"minutes\":\"1\"}}", 400, "run");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"options\":{\"init\":\"/etc/passwd\",\"minutes\":\"1\"}}", 400,
            "not a network");
    refuses("POST", "/runs",
            "{\"game\":\"tictactoe\",\"options\":{\"references\":\"random;engine:gtp=ls\",\"minutes\":\"1\"}}", 400,
            "start programs");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"name\":\"../keiko-out\",\"options\":{\"minutes\":\"1\"}}", 400,
            "letters");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"name\":\"-x\",\"options\":{\"minutes\":\"1\"}}", 400,
            "letters");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"options\":{\"lr\":\"1\\n2\",\"minutes\":\"1\"}}", 400,
            "not allowed");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"minutes\":\"1\"}", 400, "'minutes' is not known here");
    refuses("POST", "/runs", "{\"game\":\"tictactoe\",\"options\":{\"minutes\":\"1\"},\"Name\":\"x\"}", 400, "'Name'");
    refuses("POST", "/runs/nothing/stop", "{\"now\":1}", 400, "'now' is not known here; this takes nothing");
    refuses("POST", "/runs/nothing/resume", "{\"minutes\":1}", 400, "this takes: options");
    refuses("GET", "/runs/nothing", NULL, 404, "no run");
    refuses("GET", "/runs/..", NULL, 400, "letters");
    refuses("GET", "/runs/../log", NULL, 404, "no run");
    refuses("POST", "/runs/nothing/stop", "{}", 404, "no run");
    assert_false(file_exists("../keiko-out"));
}

static int start_with(const game *g, const char *option, const char *value)
{
    text_buf t = {0};
    text_printf(&t, "{\"game\":\"%s\",\"name\":\"bad\",\"options\":{\"minutes\":\"1\",\"%s\":\"%s\"}}", g->name, option,
                value);
    int status = ask("POST", "/runs", text_str(&t));
    text_free(&t);
    return status;
}

// The trap is a program that leaves a file; the secret is a file that must not be looked at, so that an answer does not tell
// whether there is one.
static void check_option(const game *g, const char *option)
{
    static const char *const traps[] = {"engine:gtp=touch trap",       " engine:gtp=touch trap",
                                        "60 engine:gtp=touch trap",    "60engine:gtp=touch trap",
                                        "+60 engine:gtp=touch trap",   "6e1 engine:gtp=touch trap",
                                        "random;engine:gtp=touch trap"};
    static const char *const files[] = {"./secret", "zero:model=./secret", "alphabeta:weights=./secret",
                                        "60dqn:model=./secret"};
    char there[2000];
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        int status = start_with(g, option, traps[i]);
        if (status != 400) fail_msg("%s=%s: %d %s", option, traps[i], status, the_answer);
        if (file_exists("trap")) fail_msg("%s=%s started a program", option, traps[i]);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int status = start_with(g, option, files[i]);
        if (status != 400) fail_msg("%s=%s: %d %s", option, files[i], status, the_answer);
        snprintf(there, sizeof there, "%.1999s", the_answer);
        assert_int_equal(rename("secret", "elsewhere"), 0);
        start_with(g, option, files[i]);
        if (strcmp(the_answer, there) != 0)
            fail_msg("%s=%s: %s with a file, %s without", option, files[i], there, the_answer);
        assert_int_equal(rename("elsewhere", "secret"), 0);
    }
}

// Each option of each trainer that takes text, also those that are yet to come.
static void no_option_starts_a_program_or_opens_a_file(void **state)
{
    (void)state;
    int tried = 0;
    assert_ok(file_write_atomic("secret", "secret", 6));
    for (int i = 0; i < trainer_count(); i++) {
        static const char *const games[] = {"othello", "puyo", "puyo-solo"};
        const game *g;
        int n;
        assert_ok(game_find(games[i], &g));
        const opt *rows = opt_flat(trainer_at(i)->table->rows, trainer_at(i)->table->n, &n);
        for (int k = 0; k < n; k++) {
            if (rows[k].name == NULL ||
                (rows[k].kind != OPT_TEXT && rows[k].kind != OPT_FILE && rows[k].kind != OPT_DIR))
                continue;
            check_option(g, rows[k].name);
            tried++;
        }
    }
    assert_true(tried > 10);
}

static void a_bench_is_played(void **state)
{
    (void)state;
    asks(
        "POST", "/benches",
        "{\"name\":\"b1\",\"options\":{\"game\":\"tictactoe\",\"players\":\"a=mcts:sims=20;b=random;c=greedy\",\"games\":\"10\"}}",
        201);
    asks("GET", "/benches/b1", NULL, 200);
    until("/benches/b1", "\"complete\":true");
    answered("\"played\":30");
    answered("\"pairings\":[{\"a\":0,\"b\":1,");
    answered("\"convergence\":{\"games\":[");
    asks("GET", "/benches", NULL, 200);
    answered("\"total\":1");
    answered("{\"items\":[{\"name\":\"b1\",");
    the_query[0][0] = "limit", the_query[0][1] = "1";
    the_query[1][0] = "from", the_query[1][1] = "1";
    asks("GET", "/benches", NULL, 200);
    answered("{\"items\":[],\"total\":1,\"from\":1}");
    the_query[0][1] = "501";
    refuses("GET", "/benches", NULL, 400, "limit");
    memset(the_query, 0, sizeof the_query);
    the_query[0][0] = "limit", the_query[0][1] = "2";
    the_query[1][0] = "from", the_query[1][1] = "28";
    asks("GET", "/benches/b1/games", NULL, 200);
    answered("\"total\":30,\"from\":28");
    answered("\"number\":29");
    assert_null(strstr(the_answer, "\"number\":27"));
    memset(the_query, 0, sizeof the_query);
    the_query[0][0] = "player", the_query[0][1] = "a";
    the_query[1][0] = "result", the_query[1][1] = "win";
    asks("GET", "/benches/b1/games", NULL, 200);
    assert_null(strstr(the_answer, "\"first\":\"b\",\"second\":\"c\""));
    the_query[0][1] = "nobody";
    refuses("GET", "/benches/b1/games", NULL, 400, "nobody");
    memset(the_query, 0, sizeof the_query);
    asks("GET", "/benches/b1/games/3", NULL, 200);
    answered("\"moves\":\"");
    refuses("GET", "/benches/b1/games/30", NULL, 404, "no game");
    static const char *const none[] = {"x", "3x", "-3", "+3", " 3", "/", "99999999999999999999999"};
    for (int i = 0; i < 7; i++) refuses("GET", under("/benches/b1/games", none[i]), NULL, 404, "");

    // a game's text opens as a session
    json_doc *doc = NULL;
    const char *text;
    asks("GET", "/benches/b1/games/3", NULL, 200);
    assert_ok(json_read(&doc, the_answer, strlen(the_answer), ""));
    json_val root = json_root(doc);
    assert_ok(json_need_text(&root, "text", &text));
    text_buf body = {0};
    json_writer w = json_begin(&body, false);
    json_open_object(&w);
    json_pair_text(&w, "text", text);
    json_close(&w);
    char s[160];
    new_session(text_str(&body), s);
    answered("\"game\":\"tictactoe\"");
    text_free(&body);
    json_free(doc);
    jobs_settle(the_api->children, "benches/b1");
    refuses("POST", "/benches/b1/stop", "{}", 409, "not being played");
}

static void a_test_has_its_course(void **state)
{
    (void)state;
    asks("POST", "/benches",
         "{\"name\":\"s1.json\",\"options\":{\"game\":\"tictactoe\",\"players\":\"a=mcts:sims=50;b=random\","
         "\"sprt\":\"elo0=0,elo1=100\"}}",
         201);
    until("/benches/s1.json", "\"complete\":true");
    answered("\"verdict\":\"accepted\"");
    answered("\"history\":[[2,");
}

static void wrong_benches_are_refused(void **state)
{
    (void)state;
    refuses("POST", "/benches", "{\"options\":{\"game\":\"chess\"}}", 400, "chess");
    refuses("POST", "/benches", "{\"options\":{\"players\":\"a;engine:gtp=ls\"}}", 400, "start programs");
    refuses("POST", "/benches", "{\"options\":{\"players\":\"x=zero:model=/etc/passwd;random\"}}", 400,
            "not a network");
    refuses("POST", "/benches", "{\"options\":{\"players\":\"random;nobody\"}}", 400, "nobody");
    refuses("POST", "/benches", "{\"options\":{\"openings\":\"/etc/passwd\"}}", 400, "openings");
    refuses("POST", "/benches", "{\"options\":{\"config\":\"/etc/passwd\"}}", 400, "config");
    refuses("POST", "/benches", "{\"options\":{\"output\":\"/tmp/x\"}}", 400, "output");
    refuses("POST", "/benches", "{\"options\":{\"games\":\"-1\"}}", 400, "games");
    refuses("POST", "/benches", "{\"game\":\"othello\",\"options\":{\"players\":\"1;2\"}}", 400,
            "'game' is not known here; this takes: name options");
    refuses("POST", "/benches/nothing/stop", "{\"x\":null}", 400, "'x'");
    refuses("POST", "/benches/nothing/resume", "{\"games\":5}", 400, "'games'");
    refuses("POST", "/advise", "{\"pair\":\"RB\",\"colors\":4}", 400, "'colors'");
    refuses("GET", "/benches/nothing", NULL, 404, "no bench");
    refuses("GET", "/benches/nothing/games", NULL, 404, "no bench");
    refuses("POST", "/benches/nothing/resume", "{}", 404, "no bench");
}

static void a_bench_is_stopped_and_resumed(void **state)
{
    (void)state;
    asks("POST", "/benches",
         "{\"name\":\"long\",\"options\":{\"game\":\"othello\",\"players\":\"a=mcts:sims=300;b=mcts:sims=200\","
         "\"games\":\"2000\",\"parallel\":\"1\"}}",
         201);
    until("/benches/long", "\"rating\""); // a game is finished, so that there is something to resume
    answered("\"playing\":true");
    assert_null(strstr(the_answer, "not finished")); // it is being played: nobody must resume it
    asks("POST", "/benches/long/stop", "{}", 200);
    until("/benches/long", "\"playing\":false");
    answered("\"complete\":false");
    answered("The run is not finished");
    asks("POST", "/benches/long/resume", "{}", 200);
    until("/benches/long", "\"playing\":true");
}

// Two may run; the third waits for a person to choose.
static void jobs_are_limited(void **state)
{
    (void)state;
    static const char body[] =
        "{\"game\":\"tictactoe\",\"options\":{\"minutes\":\"30\",\"net\":\"c=8 b=1\",\"threads\":\"1\"}}";
    while (jobs_count(the_api->children) < 2) asks("POST", "/runs", body, 201);
    refuses("POST", "/runs", body, 409, "no more may");
    asks("GET", "/machine", NULL, 200);
    answered("\"jobs\":2");
}

// A process that fails says why, or how it ended is said for it.
static void a_failure_has_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *script, *message;
    } ends[] = {
        {"echo one; echo two >&2; exit 3", "one\ntwo"},
        {"exit 1", "it ended without saying why: is the disk full?"},
        {"kill -9 $$", "it was ended by signal 9 (is there too little memory?)"},
        {"echo trained; kill -6 $$", "trained\nit was ended by signal 6"},
        {"exit 0", NULL},
    };
    jobs *j;
    assert_ok(jobs_new(&j, "/bin/sh", 1));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        text_buf t = {0};
        const char *const argv[] = {"-c", ends[i].script, NULL};
        assert_ok(jobs_start(j, "runs/ends", argv));
        jobs_settle(j, "runs/ends");
        assert_int_equal(jobs_message(j, "runs/ends", &t), ends[i].message != NULL);
        if (ends[i].message != NULL) assert_string_equal(text_str(&t), ends[i].message);
        text_free(&t);
    }
    jobs_free(j);
}

// The end of the server is the end of its processes, and they have saved.
static void the_end_stops_them(void **state)
{
    (void)state;
    runs_entry *list = NULL;
    int n = 0;
    asks("POST", "/runs/t2/stop", "{}", 409);
    double start = clock_seconds();
    api_close(the_api);
    assert_true(clock_seconds() - start < 40);
    assert_ok(runs_list("runs", &list, &n));
    assert_true(n >= 2);
    for (int i = 0; i < n; i++) assert_int_equal(list[i].s.pid, 0);
    free(list);
    assert_false(bench_is_played("benches/long"));
    api_is_opened();
    asks("GET", "/runs/t1", NULL, 200);
    answered("\"mine\":false");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_trained),
        cmocka_unit_test(a_run_is_stopped_and_resumed),
        cmocka_unit_test(a_library_s_game_is_trained),
        cmocka_unit_test(wrong_runs_are_refused),
        cmocka_unit_test(no_option_starts_a_program_or_opens_a_file),
        cmocka_unit_test(a_bench_is_played),
        cmocka_unit_test(a_test_has_its_course),
        cmocka_unit_test(wrong_benches_are_refused),
        cmocka_unit_test(a_bench_is_stopped_and_resumed),
        cmocka_unit_test(jobs_are_limited),
        cmocka_unit_test(a_failure_has_its_reason),
        cmocka_unit_test(the_end_stops_them),
    };
    return cmocka_run_group_tests(tests, open_the_api, close_the_api);
}
