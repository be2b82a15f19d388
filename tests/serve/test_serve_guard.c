// Who may ask, and what a request may name.
#include "serve/guard.h"
#include "serve/names.h"
#include "test.h"

static void hosts_of_a_loopback_server(void **state)
{
    (void)state;
    guard g = {.port = 7878, .loopback = true, .bound = "127.0.0.1"};
    static const char *const good[] = {"127.0.0.1:7878", "localhost:7878", "LOCALHOST:7878", "[::1]:7878"};
    static const char *const bad[] = {"127.0.0.1",
                                      "127.0.0.1:80",
                                      "localhost:7879",
                                      "evil.example:7878",
                                      "192.168.1.2:7878",
                                      "localhost.evil:7878",
                                      "",
                                      ":7878",
                                      "127.0.0.1:7878:7878",
                                      "[::1:7878",
                                      "localhost:78780",
                                      "localhost:"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(guard_host(&g, good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (guard_host(&g, bad[i])) fail_msg("'%s' was let in", bad[i]);
    assert_false(guard_host(&g, NULL));
}

static void hosts_of_an_open_server(void **state)
{
    (void)state;
    guard g = {.port = 80, .bound = "0.0.0.0", .hosts = "keiko.example,other"};
    assert_true(guard_host(&g, "192.168.1.2"));
    assert_true(guard_host(&g, "[fe80::1]"));
    assert_true(guard_host(&g, "keiko.example"));
    assert_true(guard_host(&g, "keiko.example:443")); // behind a proxy
    assert_true(guard_host(&g, "Other:8080"));
    assert_false(guard_host(&g, "evil.example"));
    assert_false(guard_host(&g, "keiko.example.evil"));
    assert_false(guard_host(&g, "192.168.1.2:81"));
}

static void origins(void **state)
{
    (void)state;
    assert_true(guard_origin(NULL, "localhost:7878"));
    assert_true(guard_origin("http://localhost:7878", "localhost:7878"));
    assert_true(guard_origin("https://keiko.example", "keiko.example"));
    assert_false(guard_origin("http://localhost:7879", "localhost:7878"));
    assert_false(guard_origin("http://evil.example", "localhost:7878"));
    assert_false(guard_origin("https://evil.example", "localhost:7878"));
    assert_false(guard_origin("eightchrlocalhost:7878", "localhost:7878"));
    assert_false(guard_origin("null", "localhost:7878"));
    assert_false(guard_origin("http://localhost:7878.evil", "localhost:7878"));
    assert_false(guard_origin("ftp://localhost:7878", "localhost:7878"));
    assert_false(guard_origin("http://localhost:7878", NULL));
}

static void tokens(void **state)
{
    (void)state;
    guard none = {.port = 7878}, g = {.port = 7878, .token = "0123456789abcdef"};
    char cookie[300];
    assert_true(guard_token(&none, NULL, NULL, NULL));
    assert_false(guard_token(&g, NULL, NULL, NULL));
    assert_true(guard_token(&g, "Bearer 0123456789abcdef", NULL, NULL));
    assert_true(guard_token(&g, "bearer 0123456789abcdef", NULL, NULL));
    assert_false(guard_token(&g, "Bearer 0123456789abcde", NULL, NULL));
    assert_false(guard_token(&g, "Bearer 0123456789abcdefg", NULL, NULL));
    assert_false(guard_token(&g, "0123456789abcdef", NULL, NULL));
    assert_true(guard_token(&g, NULL, NULL, "0123456789abcdef"));
    assert_false(guard_token(&g, NULL, NULL, ""));
    assert_true(guard_token(&g, NULL, "keiko-7878=0123456789abcdef", NULL));
    assert_true(guard_token(&g, NULL, "a=b; keiko-7878=0123456789abcdef; c=d", NULL));
    assert_false(guard_token(&g, NULL, "keiko-7879=0123456789abcdef", NULL));
    assert_false(guard_token(&g, NULL, "xkeiko-7878=0123456789abcdef", NULL));
    assert_false(guard_token(&g, NULL, "keiko-7878=", NULL));
    guard_cookie(&g, cookie, sizeof cookie);
    assert_string_equal(cookie, "keiko-7878=0123456789abcdef; Path=/; HttpOnly; SameSite=Strict");
}

static void random_texts_differ(void **state)
{
    (void)state;
    char a[23], b[23];
    assert_ok(guard_random(a, sizeof a));
    assert_ok(guard_random(b, sizeof b));
    assert_int_equal(strlen(a), 22);
    assert_string_not_equal(a, b);
}

// --- names

static void names_of_folders(void **state)
{
    (void)state;
    char path[NAMES_PATH], longest[NAMES_MOST + 2];
    assert_ok(names_folder(path, "runs", "a-b_c.1"));
    assert_string_equal(path, "runs/a-b_c.1");
    static const char *const bad[] = {"",    ".",    "..",   ".a", "-a",   "a/b", "../a",
                                      "a b", "a\\b", "a\nb", "é",  "a%2f", "a;b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_err(names_folder(path, "runs", bad[i]), "letters");
    memset(longest, 'a', sizeof longest);
    longest[NAMES_MOST] = 0;
    assert_ok(names_folder(path, "benches", longest));
    longest[NAMES_MOST] = 'a';
    longest[NAMES_MOST + 1] = 0;
    assert_err(names_folder(path, "benches", longest), "at most");
}

static void names_of_networks(void **state)
{
    (void)state;
    assert_ok(names_network("othello"));
    assert_ok(names_network("runs/a/best.safetensors"));
    assert_ok(names_network("runs/a/checkpoints/000012-step-1200/net.safetensors"));
    static const char *const bad[] = {"",
                                      "/etc/passwd",
                                      "../x",
                                      "runs/../x",
                                      "runs/a/../../x",
                                      "runs/a",
                                      "runs//best",
                                      "benches/a/b",
                                      "runs/a/b/c",
                                      "runs/a/other/b/c",
                                      "runs/a/checkpoints/b/c/d",
                                      "embedded:models/x",
                                      "runs/a/.hidden",
                                      "a/b/c/d/e/f/g/h/i/j"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (names_network(bad[i]) == ERR_OK) fail_msg("'%s' is allowed", bad[i]);
}

static void names_of_agents(void **state)
{
    (void)state;
    const game *othello, *puyo;
    assert_ok(game_find("othello", &othello));
    assert_ok(game_find("puyo", &puyo));
    assert_ok(names_agent(othello, "human"));
    assert_ok(names_agent(othello, "5"));
    assert_ok(names_agent(othello, "hard:depth=3"));
    assert_ok(names_agent(othello, "mcts:sims=100"));
    assert_ok(names_agent(othello, "zero"));
    assert_ok(names_agent(othello, "zero:model=othello,sims=50"));
    assert_err(names_agent(othello, "zero:model=runs/a/best.safetensors"), "there is no");
    assert_err(names_agent(othello, "zero:model=/etc/passwd"), "not a network");
    assert_err(names_agent(othello, "zero:model='../x'"), "not a network");
    assert_err(names_agent(othello, "zero:sims=5,model=\"/dev/zero\""), "not a network");
    assert_err(names_agent(othello, "alphabeta:weights=/etc/passwd"), "not a network");
    assert_err(names_agent(othello, "5:weights=/etc/passwd"), "not a network");
    assert_err(names_agent(puyo, "dqn:model=/etc/passwd"), "not a network");
    assert_err(names_agent(othello, "engine:gtp=rm"), "start programs");
    assert_err(names_agent(othello, "engine"), "start programs");
    assert_err(names_agents(othello, "random;engine:gtp=x"), "start programs");
    assert_ok(names_agents(othello, "random; 5"));
    assert_ok(names_shares(puyo, "60 self;20 past;20 greedy"));
    assert_err(names_shares(puyo, "60 self;20 past;20 dqn:model=/x"), "not a network");
    static const char *const shares[] = {"60engine:gtp=x", "+60 engine:gtp=x", "6e1 engine:gtp=x", "0x3c engine:gtp=x"};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        assert_err(names_shares(othello, shares[i]), "start programs");
    assert_ok(names_teacher(othello, "othello"));
    assert_ok(names_teacher(othello, "runs/a/best.safetensors"));
    assert_ok(names_teacher(othello, "alphabeta:depth=4"));
    assert_ok(names_teacher(othello, ""));
    assert_err(names_teacher(othello, "engine:gtp=x"), "start programs");
    assert_err(names_teacher(othello, "alphabeta:weights=/x"), "not a network");
    assert_err(names_teacher(othello, "/etc/passwd"), "not a network");
    assert_err(names_teacher(othello, "../x"), "not a network");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_of_a_loopback_server),
        cmocka_unit_test(hosts_of_an_open_server),
        cmocka_unit_test(origins),
        cmocka_unit_test(tokens),
        cmocka_unit_test(random_texts_differ),
        cmocka_unit_test(names_of_folders),
        cmocka_unit_test(names_of_networks),
        cmocka_unit_test(names_of_agents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
