// What a browser may send, with one mistake each: names, hosts, tokens, paths and bodies (tests/serve/edits.txt).
#include "ask.h"
#include "base/edits.h"
#include "serve/guard.h"
#include "serve/names.h"

static const game *the_game;

static void one_name(void *ctx, const char *text)
{
    char path[NAMES_PATH] = "";
    edits_saw(ctx, names_plain(text), text, "");
    bool good = names_folder(path, "runs", text) == ERR_OK;
    edits_saw(ctx, good, text, good ? path : err_text());
}

static void one_network(void *ctx, const char *text)
{
    bool good = names_network(text) == ERR_OK;
    edits_saw(ctx, good, text, good ? "" : err_text());
    good = names_agents(the_game, text) == ERR_OK;
    edits_saw(ctx, good, text, good ? "" : err_text());
}

static const guard inside = {.port = 8080, .loopback = true, .bound = "127.0.0.1"};
static const guard outside = {
    .port = 80, .bound = "10.0.0.7", .hosts = "games.example, a.b:8443", .token = "0123456789abcdef"};

static void one_host(void *ctx, const char *text)
{
    edits_saw(ctx, guard_host(&inside, text), text, "");
    edits_saw(ctx, guard_host(&outside, text), text, "");
    edits_saw(ctx, guard_is_loopback(text), text, "");
    edits_saw(ctx, guard_origin(text, "localhost:8080"), text, "");
    edits_saw(ctx, guard_origin("http://localhost:8080", text), text, "");
}

static void one_token(void *ctx, const char *text)
{
    edits_saw(ctx, guard_token(&outside, text, NULL, NULL), text, "");
    edits_saw(ctx, guard_token(&outside, NULL, text, NULL), text, "");
    edits_saw(ctx, guard_token(&outside, NULL, NULL, text), text, "");
    edits_saw(ctx, guard_token(&inside, text, text, text), text, "");
}

// Of what succeeds only that it does: it may tell of the machine.
static void one_path(void *ctx, const char *text)
{
    static const char *const methods[] = {"GET", "DELETE", "PUT"};
    for (int i = 0; i < 3; i++) {
        int status = ask(methods[i], text, NULL);
        char said[300];
        snprintf(said, sizeof said, "%d %.250s", status, status < 300 ? "" : the_answer);
        edits_saw(ctx, status < 300, text, said);
    }
}

// What is no JSON is refused in the words of its library.
static void one_body(void *ctx, const char *text)
{
    int status = ask("POST", "/sessions", text);
    char said[400], path[160];
    bool good = status == 201;
    if (good) snprintf(path, sizeof path, "/sessions/%.22s", the_answer + 7);
    snprintf(said, sizeof said, "%d %.350s", status, good || strstr(the_answer, "line ") != NULL ? "" : the_answer);
    if (good) asks("DELETE", path, NULL, 200);
    edits_saw(ctx, good, text, said);
}

static void all(void **state)
{
    (void)state;
    edits name = {.name = "names"}, network = {.name = "networks and agents"}, host = {.name = "hosts"};
    edits token = {.name = "tokens"}, path = {.name = "paths"}, body = {.name = "bodies"};
    text_buf t = {0};
    assert_ok(game_find("othello", &the_game));
    edits_of("a-b_C.9", "./-_ ~", one_name, &name);
    edits_of("0123456789012345678901234567890123456789012345678901234567890123", ".", one_name, &name);
    edits_of("runs/a/best.safetensors", "./r-", one_network, &network);
    edits_of("runs/a/checkpoints/000012-step-1200/net", "./r", one_network, &network);
    edits_of("20 greedy;zero:model=runs/a/x,sims=3;engine:gtp=x", "/;:=. ", one_network, &network);
    edits_of("localhost:8080", ":0lL.", one_host, &host);
    edits_of("127.0.0.1", ":02.", one_host, &host);
    edits_of("[::1]:8080", ":[]0", one_host, &host);
    edits_of("games.example", ".:,", one_host, &host);
    edits_of("a.b:8443", ".:,8", one_host, &host);
    edits_of("10.0.0.7:80", ".:0", one_host, &host);
    edits_of("http://localhost:8080", ":/s", one_host, &host);
    edits_of("Bearer 0123456789abcdef", "0 Bf", one_token, &token);
    edits_of("x=1; keiko=0123456789abcdef; y=2", "=; 0", one_token, &token);
    edits_of("keiko_token=0123456789abcdef", "=_", one_token, &token);
    edits_of("0123456789abcdef", "0f", one_token, &token);
    static const char *const paths[] = {
        "/games",  "/runs/x/log",       "/sessions/0123456789012345678901", "/benches/b/games/1",
        "/levels", "/sessions/x/events"};
    for (int i = 0; i < 6; i++) edits_of(paths[i], "/.x", one_path, &path);
    edits_of("{\"game\":\"tictactoe\",\"first\":\"human\",\"second\":\"3\",\"seed\":7}", "\"{},:0x", one_body, &body);
    edits_list(&name, &t);
    edits_list(&network, &t);
    edits_list(&host, &t);
    edits_list(&token, &t);
    edits_list(&path, &t);
    edits_list(&body, &t);
    assert_listed(&t, "serve/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, open_the_api, close_the_api);
}
