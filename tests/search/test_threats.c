// Wins by fours as proofs: every one is checked by playing it out, and the answer depends on the position alone.
#include "games/renju/renju.h"
#include "search/mcts/mcts.h"
#include "search/threats.h"
#include "test.h"

#include <string.h>

static const game *named(const char *name)
{
    const game *g;
    assert_ok(game_find(name, &g));
    return g;
}

static void after(const game *g, const char *moves, void *s)
{
    assert_ok(g->init(s, "", (game_key){1, 1}));
    for (char text[8]; *moves != 0; moves += strcspn(moves, " "), moves += *moves == ' ') {
        move_t m;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(moves, " "), moves);
        assert_ok(g->move_parse(s, text, &m));
        g->play(s, m, NULL);
    }
}

static void known_positions(void **unused)
{
    (void)unused;
    threats *t;
    rj_any_state s;
    char text[8];
    assert_ok(threats_new(&t, named("othello"), 100, 100));
    assert_null(t);
    assert_int_equal(threats_win(NULL, &s), MOVE_NONE);
    assert_ok(threats_new(&t, named("gomoku"), 0, 0));
    assert_null(t);
    const game *g = named("gomoku");
    assert_ok(threats_new(&t, g, 200, 0));
    after(g, "", &s);
    assert_int_equal(threats_prove(t, &s), MCTS_UNPROVEN);
    after(g, "h8 a1 i8 a3 j8 a5", &s); // an open three: k8 or g8 makes a straight four
    assert_int_equal(threats_prove(t, &s), MCTS_WIN);
    g->move_print(&s, threats_win(t, &s), text, sizeof text);
    assert_true(strcmp(text, "k8") == 0 || strcmp(text, "g8") == 0);
    after(g, "h8 a1 i8 a3 j8", &s); // white to move has nothing
    assert_int_equal(threats_prove(t, &s), MCTS_UNPROVEN);
    threats_free(t);

    after(g, "h8 a1 i8 o1 j9 a15 j10 o15", &s); // j8 makes two threes
    assert_ok(threats_new(&t, g, 2000, 0));
    assert_int_equal(threats_prove(t, &s), MCTS_UNPROVEN);
    threats_free(t);
    assert_ok(threats_new(&t, g, 0, 2000));
    assert_int_equal(threats_prove(t, &s), MCTS_WIN);
    threats_free(t);
}

// Against each found win the other side tries random answers; the attacker asks again and must still have one.
static void wins_are_wins(int64_t threes)
{
    const char *games[] = {"renju", "gomoku", "freestyle20"};
    for (int k = 0; k < 3; k++) {
        const game *g = named(games[k]);
        threats *t, *fresh;
        rj_any_state s, asked;
        move_t legal[RJ_MAX_POINTS];
        int found = 0;
        assert_ok(threats_new(&t, g, 2000, threes));
        for (uint64_t seed = 0; seed < 60; seed++) {
            rng r = rng_at(seed, 7, 0);
            assert_ok(g->init(&s, "", (game_key){1, seed}));
            move_t win = MOVE_NONE;
            while (win == MOVE_NONE && !g->result(&s).over) { // stones near the centre meet soon
                int n = g->legal(&s, legal), tries = 40;
                move_t m = legal[rng_below(&r, (uint32_t)n)];
                while (tries-- > 0 && (abs(m % g->cols - g->cols / 2) > 3 || abs(m / g->cols - g->rows / 2) > 3))
                    m = legal[rng_below(&r, (uint32_t)n)];
                g->play(&s, m, NULL);
                if (!g->result(&s).over) win = threats_win(t, &s);
            }
            if (win == MOVE_NONE) continue;
            asked = s;
            assert_ok(threats_new(&fresh, g, 2000, threes)); // one that has seen nothing says the same
            assert_int_equal(threats_win(fresh, &asked), win);
            threats_free(fresh);
            int seat = g->seat(&s);
            found++;
            while (!g->result(&s).over) {
                if (g->seat(&s) == seat) {
                    win = g->win != NULL ? g->win(&s, legal, g->legal(&s, legal)) : MOVE_NONE;
                    if (win == MOVE_NONE) win = threats_win(t, &s);
                    assert_int_not_equal(win, MOVE_NONE);
                    g->play(&s, win, NULL);
                } else {
                    int n = g->legal(&s, legal);
                    move_t five = g->win != NULL ? g->win(&s, legal, n) : MOVE_NONE;
                    g->play(&s, five != MOVE_NONE ? five : legal[rng_below(&r, (uint32_t)n)], NULL);
                }
            }
            assert_float_equal(g->result(&s).score[seat], 1, 0);
        }
        assert_true(found > 20);
        threats_free(t);
    }
}

static void wins_by_fours_are_wins(void **unused)
{
    (void)unused;
    wins_are_wins(0);
}

static void wins_by_threes_are_wins(void **unused)
{
    (void)unused;
    wins_are_wins(5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_positions),
        cmocka_unit_test(wins_by_fours_are_wins),
        cmocka_unit_test(wins_by_threes_are_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
