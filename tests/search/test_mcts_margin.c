// Trees that play for the margin: what their values are made of, that they still know who wins, and what a draw is worth.
#include "search/mcts/mcts_node.h"
#include "search/test_mcts_games.h"

static const game *ttt;

static int setup(void **state)
{
    (void)state;
    return game_find("tictactoe", &ttt) == ERR_OK ? 0 : -1;
}

// Calls every position bad for the seat to move. Knows margins, or does not: the root's is 0.1, all others' -0.3.
typedef struct margin_world {
    const void *root;
    size_t size;
    bool knows;
} margin_world;

static void margin_eval(void *ctx, const mcts_batch *b)
{
    const margin_world *l = ctx;
    for (int i = 0; i < b->n; i++) {
        b->values[i] = -0.9f;
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = 1;
        if (l->knows) b->margins[i] = memcmp(b->obs[i], l->root, l->size) == 0 ? 0.1f : -0.3f;
    }
}

static mcts_move only_move(const mcts *m)
{
    mcts_move moves[64];
    int n = mcts_moves(m, moves), at = -1;
    for (int i = 0; i < n; i++)
        if (moves[i].visits > 0) at = i;
    assert_true(at >= 0);
    return moves[at];
}

static void a_tree_may_play_for_the_margin(void **state)
{
    (void)state;
    four s;
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    margin_world l = {&s, sizeof s, true};
    mcts_evaluator e = {margin_eval, &l};
    mcts *m = tree(&game_four, &(mcts_options){.margin = 0.5f});
    double child = 0.5 * -0.9 + 0.5 * tanh((-0.3 + 0.1) / MCTS_MARGIN_SCALE); // the child is the other seat's
    mcts_set_root(m, &s, 0);
    mcts_run(m, &e, 1);
    assert_float_equal(only_move(m).q, -child, 1e-6);
    assert_float_equal(only_move(m).value, 0.9, 1e-6);
    assert_float_equal(mcts_value(m), 0, 1e-6); // -0.9 and 0.9
    l.knows = false;                            // no margins: the value alone
    mcts_set_root(m, &s, 0);
    mcts_run(m, &e, 1);
    assert_float_equal(only_move(m).q, 0.9, 1e-6);
    mcts_free(m);
}

// Says of a position who stands better by its hash: a value and a margin that have nothing to do with each other.
static void hashed_eval(void *ctx, const mcts_batch *b)
{
    size_t size = *(const size_t *)ctx;
    for (int i = 0; i < b->n; i++) {
        uint64_t h = 0;
        for (size_t k = 0; k < size; k++) h = rng_mix(h ^ ((const unsigned char *)b->obs[i])[k]);
        b->values[i] = (float)(h % 1801) / 1000 - 0.9f;
        b->margins[i] = (float)(h / 1801 % 1801) / 1000 - 0.9f;
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = 1;
    }
}

// Behind each move the mean of the values alone, which together are the root's; also after a move was played and where leaves
// come in batches.
static void such_a_tree_knows_who_wins_behind_each_move(void **state)
{
    (void)state;
    four s;
    size_t size = sizeof s;
    mcts_evaluator e = {hashed_eval, &size};
    for (int leaves = 1; leaves <= 8; leaves += 7) {
        assert_ok(four_init(&s, "", (game_key){0, 0}));
        mcts *m = tree(&game_four, &(mcts_options){.margin = 0.6f, .leaves = leaves, .no_solver = true});
        mcts_set_root(m, &s, 0);
        for (int ply = 0; ply < 4; ply++) {
            mcts_move moves[64];
            mcts_run(m, &e, 200);
            int n = mcts_moves(m, moves), apart = 0;
            double sum = 0, visits = 0;
            for (int i = 0; i < n; i++) {
                assert_true(fabsf(moves[i].value) <= 0.9f + 1e-6f || moves[i].visits == 0);
                apart += moves[i].visits > 0 && fabsf(moves[i].value - moves[i].q) > 0.02f;
                sum += moves[i].visits * (double)moves[i].value, visits += moves[i].visits;
            }
            assert_true(apart >= 2);
            if (ply == 0) { // later the moves' visits are not of this search alone
                float root;
                const void *obs = &s;
                hashed_eval(
                    &size,
                    &(mcts_batch){.n = 1, .obs = &obs, .n_moves = &(int){0}, .values = &root, .margins = &(float){0}});
                assert_float_equal(mcts_value(m), (float)((sum + (double)root) / (visits + 1)), 1e-5);
            }
            assert_ok(mcts_advance(m, mcts_choose(m), NULL));
        }
        mcts_free(m);
    }
}

// Who has the middle of the bottom row stands better.
static void middle_eval(void *ctx, const mcts_batch *b)
{
    (void)ctx;
    for (int i = 0; i < b->n; i++) {
        const four *f = b->obs[i];
        float sign = (f->stones[four_seat(f)] >> 2 & 1) ? 1.0f : -1.0f;
        b->values[i] = sign * 0.8f;
        b->margins[i] = sign * 0.5f;
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = 1;
    }
}

// Gumbel's rule looks at every move; what is learned is the value of the one that it finds, not the mean of all.
static void what_is_learned_is_the_value_of_the_moves_to_be_played(void **state)
{
    (void)state;
    four s;
    float margin;
    mcts_evaluator e = {middle_eval, NULL};
    for (int counts = 0; counts < 2; counts++) {
        assert_ok(four_init(&s, "", (game_key){0, 0}));
        mcts *m = tree(&game_four, &(mcts_options){.margin = counts ? 0.4f : 0, .gumbel = 5, .no_solver = true});
        mcts_set_root(m, &s, 0);
        assert_float_equal(mcts_policy_value(m, &margin), 0, 0); // nothing is known
        assert_true(isnan(margin));
        mcts_run(m, &e, 60);
        assert_true(mcts_value(m) < 0.6f);
        assert_float_equal(mcts_policy_value(m, &margin), 0.8, 1e-3);
        if (counts)
            assert_float_equal(margin, 0.5, 1e-3);
        else
            assert_true(isnan(margin));
        assert_ok(mcts_advance(m, 2, NULL)); // and from the other side
        mcts_run(m, &e, 60);
        assert_float_equal(mcts_policy_value(m, &margin), -0.8, 1e-3);
        if (counts) assert_float_equal(margin, -0.5, 1e-3);
        mcts_free(m);
    }
}

// --- draws

// For one seat, and the opposite for the other: a value that is the same everywhere, one margin at the root, one behind it.
typedef struct steady {
    const game *g;
    const void *root;
    int seat;
    float value, root_margin, margin;
} steady;

static void steady_eval(void *ctx, const mcts_batch *b)
{
    const steady *s = ctx;
    for (int i = 0; i < b->n; i++) {
        float sign = s->g->seat(b->obs[i]) == s->seat ? 1.0f : -1.0f;
        bool root = memcmp(b->obs[i], s->root, s->g->state_size) == 0;
        b->values[i] = sign * s->value;
        b->margins[i] = sign * (root ? s->root_margin : s->margin);
    }
}

// The position after a stone in the corner is said to be drawn.
static int corner_draws(void *ctx, const void *state)
{
    char text[64];
    int stones = 0;
    (void)ctx;
    ttt->state_print(state, text, sizeof text);
    for (int i = 0; i < 9; i++) stones += text[i] != '-';
    return text[0] != '-' && stones == 1 ? MCTS_DRAW : MCTS_UNPROVEN;
}

static mcts_move chosen(const mcts *m)
{
    mcts_move moves[64];
    move_t best = mcts_choose(m);
    int n = mcts_moves(m, moves), at = 0;
    while (at < n && moves[at].move != best) at++;
    assert_true(at < n);
    return moves[at];
}

// Who is all but lost takes the sure draw, though all else looks better than the root did; who has all but won does not, though
// all else looks worse.
static void a_sure_draw_is_worth_a_draw(void **state)
{
    (void)state;
    char s[64];
    assert_ok(ttt->init(s, "", (game_key){1, 1}));
    static const struct {
        float value, root, behind;
        bool draw;
    } known[] = {{0.95f, 0.5f, 0.3f, false},
                 {-0.95f, -0.5f, -0.3f, true},
                 {0.95f, 0.1f, 0.1f, false},
                 {-0.95f, -0.1f, -0.1f, true}};
    for (int k = 0; k < 4; k++)
        for (int counts = 0; counts < 2; counts++) {
            steady x = {ttt, s, ttt->seat(s), known[k].value, known[k].root, known[k].behind};
            mcts_evaluator e = {steady_eval, &x};
            mcts *m = tree(ttt, &(mcts_options){.margin = counts ? 0.6f : 0,
                                                .c_puct = 0.7f,
                                                .fpu = MCTS_FPU_PARENT,
                                                .fpu_value = 0.1f,
                                                .prove = corner_draws});
            mcts_set_root(m, s, 0);
            mcts_run(m, &e, 60);
            mcts_move best = chosen(m);
            assert_int_equal(best.proof, known[k].draw ? MCTS_DRAW : MCTS_UNPROVEN);
            assert_true(known[k].draw ? best.value == 0 : best.value > 0.5f);
            assert_sound(m);
            mcts_free(m);
        }
}

// --- no more memory

// Walks that end at the limit bring means that have the margin in them: they say nothing of who wins.
static void a_full_tree_still_knows_who_wins(void **state)
{
    (void)state;
    const game *g;
    char s[256];
    assert_ok(game_find("othello", &g));
    assert_ok(g->init(s, "", (game_key){1, 1}));
    steady x = {g, s, g->seat(s), 0.5f, 0, -0.4f};
    mcts_evaluator e = {steady_eval, &x};
    mcts *m = tree(g, &(mcts_options){.margin = 0.6f, .memory = 100000});
    mcts_set_root(m, s, 0);
    mcts_run(m, &e, 5000);
    assert_true(mcts_statistics(m).full);
    assert_float_equal(mcts_value(m), 0.5f, 1e-3);
    assert_float_equal(chosen(m).value, 0.5f, 1e-3);
    mcts_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_may_play_for_the_margin),
        cmocka_unit_test(such_a_tree_knows_who_wins_behind_each_move),
        cmocka_unit_test(what_is_learned_is_the_value_of_the_moves_to_be_played),
        cmocka_unit_test(a_sure_draw_is_worth_a_draw),
        cmocka_unit_test(a_full_tree_still_knows_who_wins),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
