// Requests in a random order, good ones and bad ones, on sessions and on a folder with a run and a bench: status and answer of all
// of them are one number for each kind, tests/serve/calls.txt. KEIKO_SHOW_EDITS=1 prints them.
#include "arena/tour_play.h"
#include "ask.h"
#include "base/edits.h"
#include "base/file.h"

// The answer without what is another one each time: ids of sessions, the folder, times.
static void put_plain(text_buf *t, const char *s, const char *id)
{
    static const char *const times[] = {"\"seconds\":", "\"unix\":",  "\"started\":", "\"ended\":",   "\"age\":",
                                        "\"changed\":", "\"saved\":", "\"opened\":",  "\"used\":",    "\"build\":\"",
                                        "\"cpu\":",     "\"time\":",  "\"think\":",   "\"process\":", "\"bytes\":"};
    while (*s) {
        bool known = false;
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            if (strncmp(s, times[i], strlen(times[i])) == 0) {
                text_append(t, times[i]);
                s += strlen(times[i]);
                s += strcspn(s, ",}]");
                known = true;
            }
        if (known) continue;
        if (id[0] != 0 && strncmp(s, id, strlen(id)) == 0)
            text_append(t, "ID"), s += strlen(id);
        else if (strncmp(s, the_dir, strlen(the_dir)) == 0)
            text_append(t, "DIR"), s += strlen(the_dir);
        else
            text_char(t, *s++);
    }
}

static void one(edits *e, const char *method, const char *path, const char *body, const char *id)
{
    text_buf t = {0}, shown = {0};
    int status = ask(method, path, body);
    text_printf(&t, "%d ", status);
    put_plain(&t, the_answer, id);
    text_printf(&shown, "%s ", method);
    put_plain(&shown, path, id);
    text_printf(&shown, " %s", body != NULL ? body : "");
    edits_saw(e, status < 300, text_str(&shown), text_str(&t));
    text_free(&t);
    text_free(&shown);
}

static void sessions(void **state)
{
    (void)state;
    static const char *const opened[] = {
        "{\"game\":\"othello\",\"second\":\"greedy\"}",
        "{\"game\":\"renju\",\"first\":\"greedy\",\"seed\":\"4\"}",
        "{\"game\":\"tictactoe\",\"moves\":\"b2;a1\",\"helper\":\"mcts:sims=5\"}",
        "{\"game\":\"puyo\",\"second\":\"greedy\",\"seed\":\"7\"}",
        "{\"game\":\"contrast\",\"second\":\"rule\"}",
    };
    static const struct {
        const char *verb, *bodies[6];
    } calls[] = {
        {"state", {"{}", "{\"viewer\":\"1\"}", "{\"viewer\":\"7\"}"}},
        {"play",
         {"{\"move\":\"f5\"}", "{\"move\":\"h8\"}", "{\"move\":\"3u\"}", "{\"move\":\"c1,c2\"}", "{\"move\":\"c3\"}",
          "{}"}},
        {"look", {"{\"move\":\"d6\"}", "{\"move\":\"zz\"}", "{\"move\":4}"}},
        {"think", {"{}", "{\"agent\":\"random\"}", "{\"quiet\":\"1\"}"}},
        {"choose", {"{\"agent\":\"greedy\"}", "{\"agent\":\"nobody\"}", "{}"}},
        {"analyse", {"{\"helper\":\"mcts:sims=6\",\"count\":\"2\"}", "{\"count\":\"x\"}", "{}"}},
        {"review", {"{\"helper\":\"mcts:sims=3\"}", "{\"helper\":\"greedy\"}"}},
        {"back", {"{}"}},
        {"forward", {"{}"}},
        {"undo", {"{}", "{\"seat\":\"0\"}", "{\"seat\":\"5\"}"}},
        {"redo", {"{}", "{\"seat\":\"1\"}"}},
        {"goto", {"{\"node\":\"0\"}", "{\"node\":\"2\"}", "{\"node\":\"77\"}"}},
        {"note", {"{\"mark\":\"?\"}", "{\"comment\":\"<b>\"}", "{\"value\":\"3\"}"}},
        {"promote", {"{\"node\":\"1\"}"}},
        {"delete", {"{\"node\":\"3\"}", "{\"node\":\"0\"}"}},
        {"line", {"{\"moves\":\"\"}", "{\"moves\":\"f5;d6\"}"}},
        {"seats",
         {"{\"second\":\"human\"}", "{\"first\":\"random\",\"firstName\":\"A\"}", "{\"first\":\"engine:gtp=sh\"}"}},
        {"resign", {"{\"seat\":\"0\"}", "{}"}},
        {"flag", {"{\"seat\":\"1\"}", "{\"seat\":\"x\"}"}},
        {"export", {"{\"format\":\"sgf\"}", "{\"format\":\"json\"}", "{\"format\":\"x\"}"}},
        {"swap2", {"{\"choices\":\"\"}", "{\"agent\":\"random\"}"}},
        {"new", {"{\"game\":\"tictactoe\"}", "{\"game\":\"chess\"}", "{\"game\":\"othello\",\"position\":\"x\"}"}},
        {"load", {"{\"text\":\"keiko tictactoe\nmoves: b2\n\"}", "{\"text\":\"?\"}"}},
        {"stop", {"{}", "{\"x\":\"1\"}"}},
        {"dance", {"{}", "[]", "{", ""}},
    };
    text_buf list = {0};
    for (size_t k = 0; k < sizeof opened / sizeof *opened; k++) {
        char path[160], full[220], name[40];
        rng r = rng_at(5, (uint32_t)k, 0);
        snprintf(name, sizeof name, "session %zu", k);
        edits e = {.name = name};
        new_session(opened[k], path);
        const char *id = path + strlen("/sessions/");
        for (int i = 0; i < 160; i++) {
            uint32_t c = rng_below(&r, sizeof calls / sizeof *calls), n = 0;
            while (n < 6 && calls[c].bodies[n] != NULL) n++;
            snprintf(full, sizeof full, "%s/%s", path, calls[c].verb);
            one(&e, "POST", full, calls[c].bodies[rng_below(&r, n)], id);
            if (i % 20 == 19) one(&e, "GET", path, NULL, id);
        }
        one(&e, "GET", "/sessions", NULL, id);
        one(&e, "DELETE", path, NULL, id);
        one(&e, "GET", path, NULL, id);
        one(&e, "POST", full, "{}", id);
        edits_list(&e, &list);
    }
    assert_listed(&list, "serve/calls.txt");
}

static void write_file(const char *path, const char *text)
{
    assert_ok(file_make_parent(path));
    assert_ok(file_write_atomic(path, text, strlen(text)));
}

static void make_bench(const char *path)
{
    tour_setup s = {.games = 4, .seed = 3};
    store *st;
    int run;
    tour_end end;
    assert_ok(file_make_parent(path));
    assert_ok(game_find("tictactoe", &s.g));
    strcpy(s.openings, "start");
    strcpy(s.build, "b");
    for (int i = 0; i < 3; i++) assert_ok(tour_add_player(&s, i == 1 ? "g" : "r", i == 1 ? "greedy" : "random"));
    assert_ok(store_open_file(&st, path, true));
    assert_ok(store_begin(st, &s, 1000, &run));
    assert_ok(tour_play(st, run, &s, &(tour_play_options){.threads = 1, .no_clock = true}, &end));
    store_close(st);
    tour_setup_free(&s);
}

static void folders(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/runs",
        "/runs/one",
        "/runs/one/log",
        "/runs/one/games",
        "/runs/none",
        "/runs/none/log",
        "/runs/..",
        "/runs/broken",
        "/benches",
        "/benches/two",
        "/benches/two/games",
        "/benches/two/games/1",
        "/benches/two/games/12",
        "/benches/two/games/13",
        "/benches/two/games/0",
        "/benches/two/games/x",
        "/benches/none",
        "/benches/none/games",
        "/games",
        "/agents",
        "/options",
        "/workers",
        "/nothing",
        "/",
        "/sessions/x",
        "/benches/bad",
    };
    static const char *const queries[][2] = {{NULL, NULL},    {"game", "tictactoe"}, {"game", "chess"}, {"from", "2"},
                                             {"from", "x"},   {"count", "3"},        {"count", "-1"},   {"kind", "elo"},
                                             {"after", "1"},  {"player", "g"},       {"run", "1"},      {"run", "9"},
                                             {"verbose", "1"}};
    static const char *const posts[][2] = {
        {"/runs", "{}"},
        {"/runs", "{\"game\":\"chess\"}"},
        {"/runs", "{\"game\":\"tictactoe\",\"name\":\"one\"}"},
        {"/runs", "{\"game\":\"tictactoe\",\"name\":\"a/b\"}"},
        {"/runs", "{\"game\":\"tictactoe\",\"options\":{\"steps\":\"x\"}}"},
        {"/runs", "{\"game\":\"tictactoe\",\"options\":{\"nothing\":\"1\"}}"},
        {"/runs/none/stop", "{}"},
        {"/runs/one/stop", "{}"},
        {"/runs/none/resume", "{}"},
        {"/runs/one/resume", "{\"options\":{\"sims\":\"3\"}}"},
        {"/benches", "{\"options\":{\"game\":\"chess\"}}"},
        {"/benches", "{\"name\":\"two\",\"options\":{\"game\":\"tictactoe\",\"players\":\"random;greedy\"}}"},
        {"/benches", "{\"options\":{\"games\":\"-1\"}}"},
        {"/benches/none/stop", "{}"},
        {"/benches/two/stop", "{}"},
        {"/benches/none/resume", "{}"},
        {"/advise", "{\"field\":\"RB..../RR....\",\"pair\":\"RG\"}"},
        {"/advise", "{\"pair\":\"XX\"}"},
        {"/advise", "{\"pair\":\"RG\",\"mode\":\"x\"}"},
        {"/advise", "{\"other\":\"1\"}"},
        {"/games", "{}"},
        {"/sessions", "{\"game\":\"x\"}"},
    };
    text_buf list = {0};
    write_file("runs/one/run.txt", "game = tictactoe\nalgo = zero\nbegan = 2026-11-16T10:00:00Z\nversion = 0.1.0\n");
    write_file("runs/one/config.txt", "method = \"zero\"\nseed = 3\nsteps = 6\nsims = 4\n");
    write_file(
        "runs/one/log.jsonl",
        "{\"kind\":\"start\",\"step\":0,\"seconds\":0.005,\"resumed\":0,\"unix\":1794976581,\"cores\":2}\n"
        "{\"kind\":\"limits\",\"step\":0,\"seconds\":0.042,\"steps\":6,\"games\":0,\"seconds_most\":0}\n"
        "{\"kind\":\"elo\",\"step\":0,\"seconds\":0.113,\"elo\":1203,\"low\":785,\"high\":1620,\"games\":4}\n"
        "{\"kind\":\"learn\",\"step\":6,\"seconds\":0.502,\"loss\":2.375,\"loss_policy\":1.75,\"loss_value\":0.625,\"lr\":0.003,\"samples\":96}\n"
        "{\"kind\":\"done\",\"step\":6,\"seconds\":0.6,\"why\":\"limit\"}\n");
    write_file("runs/broken/run.txt", "game = nothing\nalgo = zero\n");
    write_file("benches/bad/bench.db", "this is no store");
    make_bench("benches/two/bench.db");
    edits get = {.name = "get"}, post = {.name = "post"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (size_t k = 0; k < sizeof queries / sizeof *queries; k++) {
            the_query[0][0] = queries[k][0];
            the_query[0][1] = queries[k][1];
            one(&get, "GET", paths[i], NULL, "");
        }
    the_query[0][0] = NULL;
    for (size_t i = 0; i < sizeof posts / sizeof *posts; i++) one(&post, "POST", posts[i][0], posts[i][1], "");
    edits_list(&get, &list);
    edits_list(&post, &list);
    assert_listed(&list, "serve/calls_folders.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sessions), cmocka_unit_test(folders)};
    return cmocka_run_group_tests(tests, open_the_api, close_the_api);
}
