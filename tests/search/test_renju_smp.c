// labels: threads
// The renju engine with several threads: they share a table, and the choice is always a legal one.
#include "agents/agent.h"
#include "games/renju/renju.h"
#include "test.h"

static void several_threads_play_a_game(void **state)
{
    (void)state;
    static const char *const names[] = {"renju", "freestyle20"};
    for (int v = 0; v < 2; v++) {
        const game *g;
        agent *a;
        rj_any_state s;
        agent_choice c;
        int choices = 0;
        assert_ok(game_find(names[v], &g));
        assert_ok(agent_open(&a, g, "alphabeta:nodes=3000,threads=3,hash=12"));
        agent_begin(a, (game_key){1, 1}, 0);
        memset(&s, 0, sizeof s);
        assert_ok(g->state_parse("h8 i9 g7 h10", &s));
        for (; s.s.reason == REASON_NONE && choices < 12; choices++) {
            int words = rj_variants[s.s.variant].words;
            assert_ok(agent_choose(a, &s, &c));
            assert_false((s.s.stones[c.move / 64] | s.s.stones[words + c.move / 64]) >> c.move % 64 & 1);
            assert_true(c.nodes > 0);
            g->play(&s, c.move, NULL);
        }
        assert_true(choices > 4);
        agent_close(a);
    }
}

// The limit is on the first thread's positions; the helpers' come on top.
static void helpers_search_too(void **state)
{
    (void)state;
    const game *g;
    agent *a;
    rj_any_state s;
    agent_choice c;
    assert_ok(game_find("renju", &g));
    assert_ok(agent_open(&a, g, "alphabeta:nodes=100000,threads=3"));
    agent_begin(a, (game_key){1, 1}, 0);
    memset(&s, 0, sizeof s);
    assert_ok(g->state_parse("h8 h9 h7 g7 g9 i8 i6", &s)); // quiet
    assert_ok(agent_choose(a, &s, &c));
    assert_true(c.nodes > 110000);
    agent_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_threads_play_a_game),
                                       cmocka_unit_test(helpers_search_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
