// The levels: the table is complete, a level may be changed by parameters, each beats the one below, and being careless never
// costs more than it says.
#include "agents/agent.h"
#include "agents/levels.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const char *const levels[] = {"beginner", "easy", "medium", "hard", "expert"};

// Points of `first` in one game after four random plies, all keyed by k.
static double play_one(const game *g, agent *first, agent *second, uint64_t k)
{
    char s[1024];
    agent *seat[2] = {first, second};
    rng r = rng_at(31, k / 2, 0); // both games of a pair begin alike
    assert_true(g->state_size <= sizeof s && g->flags == (g->flags & (uint32_t)~G_HIDDEN));
    assert_ok(g->init(s, "", (game_key){1, k}));
    game_random_playout(g, s, &r, 4);
    for (int i = 0; i < 2; i++) agent_begin(seat[i], (game_key){1, k}, i);
    while (!g->result(s).over) {
        agent_choice c;
        assert_ok(agent_choose(seat[g->seat(s)], s, &c));
        g->play(s, c.move, NULL);
    }
    return (double)g->result(s).score[0];
}

static void levels_are_ordered(void **state)
{
    (void)state;
    static const char *const games[] = {"othello", "contrast"};
    for (int i = 0; i < 2; i++) {
        const game *g;
        assert_ok(game_find(games[i], &g));
        for (int k = 1; k < 4; k++) {
            agent *better, *worse;
            double points = 0;
            assert_ok(agent_open(&better, g, levels[k]));
            assert_ok(agent_open(&worse, g, levels[k - 1]));
            for (uint64_t n = 0; n < 12; n++)
                points += n % 2 ? 1 - play_one(g, worse, better, n) : play_one(g, better, worse, n);
            if (points < 7)
                fail_msg("%s: %s has %.1f of 12 points against %s", g->name, levels[k], points, levels[k - 1]);
            agent_close(better);
            agent_close(worse);
        }
    }
}

static void careless_is_bounded(void **state)
{
    (void)state;
    const game *g;
    agent *a, *judge;
    char s[1024];
    int other = 0;
    assert_ok(game_find("othello", &g));
    assert_ok(agent_open(&a, g, "medium:random=1,within=0.1,depth=2"));
    assert_ok(agent_open(&judge, g, "alphabeta:depth=2"));
    for (uint64_t k = 0; k < 40; k++) {
        rng r = rng_at(32, k, 0);
        agent_choice list[32], c;
        int n, at = 0;
        assert_ok(g->init(s, "", (game_key){0, 0}));
        game_random_playout(g, s, &r, 10 + (int)k % 20);
        if (g->result(s).over) continue;
        agent_begin(a, (game_key){3, k}, g->seat(s));
        agent_begin(judge, (game_key){3, k}, g->seat(s));
        assert_ok(agent_choose(a, s, &c));
        assert_ok(agent_analyse(judge, s, 32, list, &n));
        while (at < n && list[at].move != c.move) at++;
        assert_true(at < n && list[at].value >= list[0].value - 0.1001f);
        other += at > 0;
    }
    assert_true(other > 5); // it does draw
    agent_close(a);
    agent_close(judge);
    assert_err(agent_open(&a, g, "easy:within=2"), "within");
    assert_err(agent_open(&a, g, "master"), "beginner, easy, medium, hard");
}

// Ten rows per game or none, five of them named in order; each opens and is no level itself.
static void table_is_complete(void **state)
{
    (void)state;
    int games = 0;
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        int names = 0;
        if (level_count(g) == 0) {
            assert_null(level_find(g, "hard"));
            continue;
        }
        games++;
        for (int k = 0; k < LEVELS; k++) {
            const level_row *l = level_at(g, k);
            char number[16], full[LEVEL_SPEC];
            agent *a;
            assert_non_null(l);
            snprintf(number, sizeof number, "%d", k + 1);
            assert_int_equal(l->number, k + 1);
            assert_ptr_equal(level_find(g, number), l);
            assert_ok(level_expand(g, number, full, sizeof full));
            assert_string_equal(full, l->spec);
            assert_ok(level_expand(g, l->spec, full, sizeof full)); // it is no level itself
            assert_string_equal(full, l->spec);
            assert_string_equal(level_word(l), l->name[0] ? l->name : number);
            if (l->name[0]) {
                assert_string_equal(l->name, levels[names++]);
                assert_ptr_equal(level_find(g, l->name), l);
            }
            if (l->date[0])
                assert_true(l->elo > 0 && l->error >= 0 && strlen(l->date) == 10);
            else
                assert_true(l->elo == 0 && l->error == 0);
            assert_ok(agent_open(&a, g, number));
            assert_string_equal(a->spec, number);
            agent_close(a);
        }
        assert_int_equal(names, 5);
        assert_null(level_at(g, LEVELS));
    }
    assert_int_equal(games, game_count() - 1); // not puyo-solo, which has one player
}

// What a level stands for, with parameters behind it.
static void levels_expand(void **state)
{
    (void)state;
    const game *g, *puyo, *solo;
    char out[LEVEL_SPEC], small[20];
    agent *a;
    assert_ok(game_find("othello", &g));
    assert_ok(game_find("puyo", &puyo));
    assert_ok(game_find("puyo-solo", &solo));
    assert_ok(level_expand(g, "beginner:depth=3", out, sizeof out));
    char want[LEVEL_SPEC];
    snprintf(want, sizeof want, "%s,depth=3", level_find(g, "1")->spec);
    assert_string_equal(out, want);
    assert_ok(level_expand(g, "mcts:sims=7", out, sizeof out));
    assert_string_equal(out, "mcts:sims=7");
    assert_ok(level_expand(g, "hard:", out, sizeof out)); // nothing behind the colon
    assert_string_equal(out, level_find(g, "hard")->spec);
    assert_err(level_expand(g, "hard", small, sizeof small), "at most 19 characters");
    assert_ok(agent_open(&a, g, "10:multipv=3"));
    agent_close(a);
    assert_err(agent_open(&a, g, "11"), "unknown agent '11'");
    assert_err(agent_open(&a, g, "7:dept=3"), "depth");
    assert_err(agent_open(&a, solo, "hard"), "unknown agent 'hard'");
    // `versus` takes its level from the same table, whatever the order of its parameters.
    assert_ok(agent_open(&a, puyo, "versus:width=9,level=4,slip=0"));
    agent_close(a);
    assert_err(agent_open(&a, puyo, "versus:level=master"), "no level 'master'");
}

// What `ai` means where no network is stronger: the row's agent opens with the row's parameters.
static void strongest_opens(void **state)
{
    (void)state;
    static const char *const want[][2] = {
        {"othello", ""},
        {"contrast", "alphabeta:ms=1000"},
        {"renju", "alphabeta:ms=1000"},
        {"gomoku", "alphabeta:ms=1000"},
        {"freestyle", "alphabeta:ms=1000"},
        {"freestyle20", "alphabeta:ms=1000"},
        {"puyo", "versus:ms=300"},
        {"puyo-solo", ""},
        {"tictactoe", ""},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const game *g;
        assert_ok(game_find(want[i][0], &g));
        const agent_type *t = agent_strongest(g);
        char spec[64] = "";
        if (t != NULL) snprintf(spec, sizeof spec, "%s:%s", t->name, t->strongest);
        assert_string_equal(spec, want[i][1]);
        agent *a = NULL;
        if (t != NULL) assert_ok(agent_open(&a, g, spec));
        agent_close(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_complete),   cmocka_unit_test(levels_expand),   cmocka_unit_test(levels_are_ordered),
        cmocka_unit_test(careless_is_bounded), cmocka_unit_test(strongest_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
