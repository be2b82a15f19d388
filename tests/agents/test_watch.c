// Which parameters a spec sets, and that whoever watches an agent hears it and can stop it.
#include "agents/agent.h"
#include "base/clock.h"
#include "test.h"

static agent *open_agent(const char *name, const char *spec)
{
    const game *g;
    agent *a = NULL;
    assert_ok(game_find(name, &g));
    assert_ok(agent_open(&a, g, spec));
    return a;
}

static void given_parameters(void **state)
{
    (void)state;
    agent *a = open_agent("othello", "alphabeta:weights='none',depth=3");
    assert_true(agent_given(a, "depth"));
    assert_true(agent_given(a, "weights"));
    assert_false(agent_given(a, "nodes"));
    assert_false(agent_given(a, "dept"));
    strcpy(a->spec, "alphabeta:weights='a,nodes=5,''x',depth=3"); // a comma inside quotes ends nothing
    assert_false(agent_given(a, "nodes"));
    assert_true(agent_given(a, "depth"));
    strcpy(a->spec, "alphabeta");
    assert_false(agent_given(a, "depth"));
    strcpy(a->spec, "hard"); // what a level sets makes the level
    assert_true(agent_given(a, "depth"));
    agent_close(a);
}

// The start; in renju a few moves later, where there is something to think about.
static void begin(const game *g, void *s)
{
    if (g->core == CORE_STONES)
        assert_ok(g->state_parse("h8 i9 g7 h10", s));
    else
        assert_ok(g->init(s, "", (game_key){1, 1}));
}

typedef struct watcher {
    int asked, heard, most;
} watcher;

static bool enough(void *ctx)
{
    watcher *w = ctx;
    return ++w->asked > w->most;
}

static void hear(void *ctx, const agent_choice *best, int n)
{
    watcher *w = ctx;
    assert_true(n >= 1 && best[0].move != MOVE_NONE && best[0].value >= 0);
    w->heard++;
}

static void watched(const char *name, const char *spec)
{
    agent *a = open_agent(name, spec);
    char *s = calloc(1, a->g->state_size);
    watcher w = {.most = 40};
    agent_watch watch = {.stop = {enough, &w}, .lines = hear, .ctx = &w};
    agent_choice c[4];
    int n = 0;
    double start = clock_seconds();
    begin(a->g, s);
    agent_begin(a, (game_key){1, 1}, 0);
    a->watch = &watch;
    assert_ok(agent_analyse(a, s, 4, c, &n)); // would take for ever
    assert_true(n >= 1);
    assert_true(w.asked > w.most);
    assert_true(clock_seconds() - start < 60);
    a->watch = NULL;
    free(s);
    agent_close(a);
}

static void a_watcher_ends_it(void **state)
{
    (void)state;
    watched("othello", "alphabeta:depth=60,exact=0");
    watched("othello", "alphabeta:depth=60,exact=0,threads=2");
    watched("contrast", "alphabeta:depth=48");
    watched("contrast", "alphabeta:depth=48,threads=2");
    watched("renju", "alphabeta:nodes=0,ms=1000000000");
    watched("renju", "alphabeta:nodes=0,ms=1000000000,threads=2");
    watched("othello", "mcts:sims=1000000000");
}

// Agents that choose but do not analyse.
static void a_watcher_ends_a_choice(void **state)
{
    (void)state;
    static const char *const specs[][2] = {{"puyo", "versus:width=20000,depth=40,samples=64"},
                                           {"puyo", "versus:ms=100000000"},
                                           {"puyo", "beam:width=20000,depth=40,samples=64"},
                                           {"puyo-solo", "beam:width=20000,depth=40,samples=64,threads=2"}};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        agent *a = open_agent(specs[i][0], specs[i][1]);
        char *s = calloc(1, a->g->state_size), *obs = calloc(1, a->g->obs_size);
        watcher w = {.most = 5};
        agent_watch watch = {.stop = {enough, &w}};
        agent_choice c = {.move = MOVE_NONE};
        double start = clock_seconds();
        begin(a->g, s);
        a->g->observe(s, 0, obs);
        agent_begin(a, (game_key){1, 1}, 0);
        a->watch = &watch;
        assert_ok(agent_choose(a, obs, &c)); // would take minutes
        assert_true(c.move != MOVE_NONE && w.asked > w.most);
        assert_true(clock_seconds() - start < 60);
        a->watch = NULL;
        free(s);
        free(obs);
        agent_close(a);
    }
}

// Watching changes nothing: the same move, value and nodes as alone.
static void a_watcher_changes_nothing(void **state)
{
    (void)state;
    static const char *const specs[][2] = {{"othello", "alphabeta:depth=6"},
                                           {"contrast", "alphabeta:depth=3"},
                                           {"renju", "alphabeta:nodes=20000"},
                                           {"othello", "mcts:sims=200"}};
    for (int i = 0; i < 4; i++) {
        agent_choice c[2];
        watcher w = {.most = 1 << 30};
        agent_watch watch = {.stop = {enough, &w}, .lines = hear, .ctx = &w};
        for (int k = 0; k < 2; k++) {
            agent *a = open_agent(specs[i][0], specs[i][1]);
            char *s = calloc(1, a->g->state_size);
            begin(a->g, s);
            agent_begin(a, (game_key){1, 1}, 0);
            a->watch = k == 0 ? NULL : &watch;
            assert_ok(agent_choose(a, s, &c[k]));
            free(s);
            agent_close(a);
        }
        assert_int_equal(c[0].move, c[1].move);
        assert_true(c[0].value == c[1].value && c[0].nodes == c[1].nodes);
        if (i < 3) assert_true(w.heard > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_parameters),
        cmocka_unit_test(a_watcher_ends_it),
        cmocka_unit_test(a_watcher_ends_a_choice),
        cmocka_unit_test(a_watcher_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
