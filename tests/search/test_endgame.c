// Othello's last squares: solved like a plain search to the end, and what a tree makes of that.
#include "games/othello/othello.h"
#include "search/endgame.h"
#include "search/test_mcts_games.h"

// Best disc difference for the side to move, by looking at everything.
static int plain(oth_board b)
{
    uint64_t moves = oth_moves(b);
    if (moves == 0) return oth_over(b) ? oth_count(b.own) - oth_count(b.opp) : -plain(oth_pass(b));
    int best = -OTH_SQUARES;
    for (; moves != 0; moves &= moves - 1) {
        int score = -plain(oth_play(b, __builtin_ctzll(moves)));
        if (score > best) best = score;
    }
    return best;
}

// A random game until `empties` are left; false when it ended before.
static bool random_ending(uint64_t seed, int empties, oth_state *s)
{
    rng r = rng_at(seed, 1, 0);
    *s = (oth_state){oth_start(), OTH_BLACK};
    while (oth_count(oth_empty(s->b)) > empties) {
        uint64_t moves = oth_moves(s->b);
        if (moves == 0 && oth_over(s->b)) return false;
        if (moves == 0) {
            s->b = oth_pass(s->b);
        } else {
            for (uint32_t k = rng_below(&r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
            s->b = oth_play(s->b, __builtin_ctzll(moves));
        }
        s->side = !s->side;
    }
    return !oth_over(s->b);
}

static mcts_proof sign(int score)
{
    return score > 0 ? MCTS_WIN : score < 0 ? MCTS_LOSS : MCTS_DRAW;
}

static const game *othello(void)
{
    const game *g;
    assert_ok(game_find("othello", &g));
    return g;
}

static void solved_like_a_plain_search(void **unused)
{
    (void)unused;
    endgame *e;
    int seen[4] = {0};
    assert_ok(endgame_new(&e, othello(), 7));
    for (uint64_t seed = 0; seed < 120; seed++) {
        oth_state s;
        if (!random_ending(seed, 1 + (int)(seed % 7), &s)) continue;
        int score = plain(s.b), margin, n;
        move_t best[ENDGAME_MOVES];
        assert_true(endgame_reached(e, &s));
        assert_int_equal(endgame_prove(e, &s), sign(score));
        seen[sign(score)]++;
        n = endgame_best(e, &s, true, best, &margin);
        assert_int_equal(margin, score);
        assert_true(n > 0);
        int as_good = 0;
        for (uint64_t m = oth_moves(s.b); m != 0; m &= m - 1)
            as_good += -plain(oth_play(s.b, __builtin_ctzll(m))) == score;
        assert_int_equal(n, as_good > 0 ? as_good : 1); // 1: a pass
        for (int i = 0; i < n && best[i] != OTH_PASS; i++) assert_int_equal(-plain(oth_play(s.b, best[i])), score);
        assert_int_equal(endgame_best(e, &s, false, best, &margin), 1);
        assert_int_equal(margin, score);
        if (best[0] != OTH_PASS) assert_int_equal(-plain(oth_play(s.b, best[0])), score);
    }
    assert_true(seen[MCTS_WIN] > 10 && seen[MCTS_LOSS] > 10 && seen[MCTS_DRAW] > 0);
    oth_state s;
    assert_true(random_ending(3, 8, &s));
    assert_false(endgame_reached(e, &s));
    assert_int_equal(endgame_prove(e, &s), MCTS_UNPROVEN);
    endgame_free(e);
}

// Sixteen empty squares, where the evaluation orders the moves: positions of the French federation's endgame test.
static void published_endings_are_solved(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int margin, n_best;
    } known[] = {
        {"--XXXXX--OOOXX---OOOXXXX-OXOXOXXOXXXOXXX--XOXOXX--OXOOO--OOOOO-- X", +14, 1},
        {"----O------OOX---OOOXX-XOOOXOOOOOXXOXXOOOXXXOOOOOXXXOOXO--OOOOOX X", +4, 2},
        {"-XXX------OOOX--XOOOOOXXOXOXOOXXOXXOOOOOXXXOXOOX--OXXO---OOOOO-- X", -2, 1},
    };
    endgame *e;
    assert_ok(endgame_new(&e, othello(), 16));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        oth_state s;
        move_t best[ENDGAME_MOVES];
        int margin;
        assert_ok(othello()->state_parse(known[i].text, &s));
        assert_int_equal(endgame_prove(e, &s), sign(known[i].margin));
        assert_int_equal(endgame_best(e, &s, true, best, &margin), known[i].n_best);
        assert_int_equal(margin, known[i].margin);
    }
    endgame_free(e);
}

static void nothing_is_solved_elsewhere(void **unused)
{
    (void)unused;
    const game *g;
    endgame *e;
    assert_ok(game_find("contrast", &g));
    assert_ok(endgame_new(&e, g, 12));
    assert_null(e);
    assert_ok(endgame_new(&e, othello(), 0));
    assert_null(e);
    assert_false(endgame_reached(e, NULL));
}

// An evaluator that is always wrong: the seat to move is winning, says it, wherever it loses, and the other way round.
static void wrong_eval(void *ctx, const mcts_batch *b)
{
    (void)ctx;
    for (int i = 0; i < b->n; i++) {
        const oth_state *s = b->obs[i];
        int score = plain(s->b);
        b->values[i] = score > 0 ? -1.0f : score < 0 ? 1.0f : 0.9f;
        for (int k = 0; k < b->n_moves[i]; k++)
            b->priors[i][k] = b->moves[i][k] != OTH_PASS && -plain(oth_play(s->b, b->moves[i][k])) == score ? 1e-4f : 1;
    }
}

// With 8 squares left and 7 solved, a tree needs to try each move once, whatever its evaluator says.
static void a_tree_is_proven_by_what_is_known_of_its_leaves(void **unused)
{
    (void)unused;
    const game *g = othello();
    endgame *e;
    mcts_evaluator wrong = {wrong_eval, NULL};
    const mcts_options kind[] = {{0}, {.leaves = 4}, {.gumbel = 16}, {.store_states = MCTS_OFF}, {.memory = 1 << 14}};
    assert_ok(endgame_new(&e, g, 7));
    int tried = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        oth_state s;
        if (!random_ending(seed, 8, &s) || oth_moves(s.b) == 0) continue;
        int score = plain(s.b);
        for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
            mcts_options o = kind[i];
            o.prove = endgame_prove;
            o.prove_ctx = e;
            mcts *m = tree(g, &o);
            mcts_set_root(m, &s, 52);
            mcts_run(m, &wrong, 200);
            assert_sound(m);
            assert_int_equal(mcts_statistics(m).proof, sign(score));
            assert_true(mcts_statistics(m).sims <= 4u * (unsigned)oth_count(oth_moves(s.b)));
            assert_int_equal(mcts_statistics(m).evals, 1); // the root's own
            assert_int_equal(sign(-plain(oth_play(s.b, mcts_choose(m)))), sign(score));
            assert_ok(mcts_advance(m, mcts_choose(m), NULL)); // its moves were not kept: it gets them now
            mcts_run(m, &wrong, 200);
            assert_sound(m);
            mcts_free(m);
            tried++;
        }
    }
    assert_true(tried > 100);
    endgame_free(e);
}

static void without_a_solver_nobody_is_asked(void **unused)
{
    (void)unused;
    const game *g = othello();
    endgame *e;
    oth_state s;
    mcts_evaluator wrong = {wrong_eval, NULL};
    assert_ok(endgame_new(&e, g, 7));
    assert_true(random_ending(3, 8, &s));
    mcts *m = tree(g, &(mcts_options){.no_solver = true, .prove = endgame_prove, .prove_ctx = e});
    mcts_set_root(m, &s, 52);
    mcts_run(m, &wrong, 50);
    assert_true(mcts_statistics(m).evals > 10);
    mcts_free(m);
    endgame_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solved_like_a_plain_search),
        cmocka_unit_test(published_endings_are_solved),
        cmocka_unit_test(nothing_is_solved_elsewhere),
        cmocka_unit_test(a_tree_is_proven_by_what_is_known_of_its_leaves),
        cmocka_unit_test(without_a_solver_nobody_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
