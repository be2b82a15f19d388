// The agent `advisor` in real games: legal whatever happens, a GTR in most solo games, its own constants.
#include "agents/agent.h"
#include "base/file.h"
#include "games/puyo/puyo_solo.h"
#include "search/puyo/puyo_gtr.h"
#include "test.h"

static const game *find(const char *name)
{
    const game *g;
    assert_ok(game_find(name, &g));
    return g;
}

static void builds_alone(void **state)
{
    (void)state;
    static const char *const specs[] = {"advisor", "advisor:mode=plus"};
    const game *g = find("puyo-solo");
    for (int k = 0; k < 2; k++) {
        agent *a;
        int folds = 0;
        assert_ok(agent_open(&a, g, specs[k]));
        for (uint64_t n = 0; n < 20; n++) {
            py_solo s, obs;
            agent_choice c;
            move_t legal[PY_MAX_LEGAL];
            assert_ok(g->init(&s, "moves=15", (game_key){7, n}));
            agent_begin(a, (game_key){7, n}, 0);
            bool stood = false;
            while (!g->result(&s).over) {
                g->observe(&s, 0, &obs);
                assert_ok(agent_choose(a, &obs, &c));
                bool ok = false;
                for (int i = 0, m = g->legal(&s, legal); i < m; i++) ok |= legal[i] == c.move;
                assert_true(ok);
                assert_non_null(strstr(c.text, " = ") != NULL ? c.text : strstr(c.text, "="));
                g->play(&s, c.move, NULL);
                stood |= gtr_stands(&s.field, NULL);
            }
            folds += stood;
        }
        assert_true(folds >= 17);
        agent_close(a);
    }
}

static void survives_a_match(void **state)
{
    (void)state;
    const game *g = find("puyo");
    static const char *const options[] = {"", "timing=turns,lose=seed,reach=0,colours=5", "pairs=blocks,colours=3"};
    for (uint64_t n = 0; n < 6; n++) {
        py_match m, obs;
        agent *players[2];
        move_t legal[PY_MAX_LEGAL];
        assert_ok(agent_open(&players[0], g, n % 2 ? "advisor" : "advisor:mode=plus,turns=10"));
        assert_ok(agent_open(&players[1], g, "greedy"));
        assert_ok(g->init(&m, options[n / 2], (game_key){8, n}));
        for (int i = 0; i < 2; i++) agent_begin(players[i], (game_key){8, n}, i);
        for (int ply = 0; ply < 300 && !g->result(&m).over; ply++) {
            int seat = g->seat(&m);
            agent_choice c;
            g->observe(&m, seat, &obs);
            assert_ok(agent_choose(players[seat], &obs, &c));
            bool ok = false;
            for (int i = 0, k = g->legal(&m, legal); i < k; i++) ok |= legal[i] == c.move;
            assert_true(ok);
            g->play(&m, c.move, NULL);
        }
        for (int i = 0; i < 2; i++) agent_close(players[i]);
    }
}

static void takes_constants(void **state)
{
    (void)state;
    const game *g = find("puyo-solo");
    agent *a;
    assert_err(agent_open(&a, g, "advisor:mode=best"), "plus");
    assert_err(agent_open(&a, g, "advisor:config=nowhere.conf"), "nowhere.conf");
    assert_err(agent_open(&a, find("othello"), "advisor"), "does not play othello");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(builds_alone), cmocka_unit_test(survives_a_match),
                                       cmocka_unit_test(takes_constants)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
