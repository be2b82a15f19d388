// MCTS on every game in the list: whole games, sound trees, legal moves, the same search twice; exact Othello endings;
// and the speed measurement that `keiko speed mcts` prints.
#include "search/mcts/mcts_rollout.h"
#include "search/mcts/mcts_speed.h"
#include "search/test_mcts_games.h"

typedef struct table {
    char *s, *obs;
    move_t *legal;
    mcts_move *moves;
} table;

static table table_for(const game *g)
{
    size_t bytes = g->obs_size > g->state_size ? g->obs_size : g->state_size;
    return (table){calloc(1, bytes), calloc(1, bytes), calloc((size_t)g->max_legal, sizeof(move_t)),
                   calloc((size_t)g->max_legal, sizeof(mcts_move))};
}

static void table_free(table t)
{
    free(t.s);
    free(t.obs);
    free(t.legal);
    free(t.moves);
}

// An opinion from the encoded planes, the way a network would be asked.
static void planes_eval(void *ctx, const mcts_batch *b)
{
    const game *g = ctx;
    const encoding *e = &g->encodings[0];
    size_t words = (size_t)e->planes * (size_t)game_plane_words(g);
    uint64_t *bits = calloc((size_t)b->n * words + 1, sizeof *bits);
    float *scalars = calloc((size_t)b->n * (size_t)e->scalars + 1, sizeof *scalars);
    e->encode(b->obs, b->n, bits, scalars);
    for (int i = 0; i < b->n; i++) {
        uint64_t h = 0;
        for (size_t k = 0; k < words; k++) h = rng_mix(h ^ bits[(size_t)i * words + k]);
        for (int k = 0; k < b->n_moves[i]; k++) {
            uint16_t index[GAME_MAX_HEADS];
            g->heads(b->obs[i], &b->moves[i][k], 1, index);
            b->priors[i][k] = unit_of(h + index[0]);
        }
        b->values[i] = unit_of(h) - 0.5f;
    }
    free(bits);
    free(scalars);
}

// Plays up to `plies` moves; returns a hash of everything the tree said.
static uint64_t play_on(const game *g, const mcts_options *o, int plies, uint64_t sims)
{
    table t = table_for(g);
    mcts_evaluator e = {planes_eval, (void *)(uintptr_t)g};
    mcts *m = tree(g, o);
    uint64_t h = 0;
    assert_ok(g->init(t.s, "", (game_key){o->seed, o->game}));
    game_observe(g, t.s, g->seat(t.s), t.obs);
    mcts_set_root(m, t.obs, 0);
    for (int ply = 0; ply < plies; ply++) {
        mcts_run(m, &e, sims);
        assert_sound(m);
        int n = g->legal(t.s, t.legal), k = mcts_moves(m, t.moves);
        assert_int_equal(n, k);
        for (int i = 0; i < n; i++) {
            assert_int_equal(t.moves[i].move, t.legal[i]);
            h = rng_mix(h ^ t.moves[i].visits) + t.moves[i].proof;
        }
        move_t move = mcts_choose(m);
        if (n == 0) {
            assert_int_equal(move, MOVE_NONE);
            assert_true(g->result(t.s).over);
            break;
        }
        g->play(t.s, move, NULL);
        game_observe(g, t.s, g->seat(t.s), t.obs);
        assert_ok(mcts_advance(m, move, t.obs));
    }
    mcts_free(m);
    table_free(t);
    return h;
}

static void every_game_is_played(void **state)
{
    (void)state;
    const mcts_options kinds[] = {
        {.temperature = 1, .temperature_plies = 10, .noise_epsilon = 0.25f, .points = 100000},
        {.leaves = 8, .points = 100000, .transpositions = MCTS_OFF},
        {.gumbel = 8, .leaves = 2, .points = 100000},
        {.memory = 1 << 17, .leaves = 3, .points = 100000, .fpu = MCTS_FPU_PARENT, .fpu_value = 0.25f},
    };
    for (int i = 0; i < game_count(); i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            mcts_options o = kinds[k];
            o.seed = 3;
            o.game = k;
            uint64_t h = play_on(game_at(i), &o, 24, 60);
            assert_true(play_on(game_at(i), &o, 24, 60) == h);
        }
}

static mcts_options any_options(rng *r)
{
    return (mcts_options){
        .c_puct = rng_below(r, 2) ? 0 : (float)rng_unit(r) * 4 + 0.01f,
        .c_base = rng_below(r, 4) ? 0 : 500,
        .fpu = (mcts_fpu)rng_below(r, 3),
        .fpu_value = (float)rng_unit(r),
        .logits = rng_below(r, 4) == 0,
        .leaves = (int)rng_below(r, 12),
        .virtual_loss = (float)rng_below(r, 3) - 1,
        .noise_epsilon = rng_below(r, 2) ? 0 : 0.25f,
        .forced = rng_below(r, 3) ? 0 : 2,
        .temperature = rng_below(r, 2) ? 0 : 1,
        .temperature_plies = (int)rng_below(r, 20),
        .gumbel = rng_below(r, 3) ? 0 : 1 + (int)rng_below(r, 20),
        .gumbel_quiet = rng_below(r, 2),
        .points = 20000,
        .transpositions = rng_below(r, 2) ? MCTS_AUTO : MCTS_OFF,
        .store_states = (mcts_switch)rng_below(r, 3),
        .no_solver = rng_below(r, 4) == 0,
        .no_reuse = rng_below(r, 4) == 0,
        .memory = rng_below(r, 3) ? 0 : (size_t)1 << (8 + rng_below(r, 14)),
        .seed = rng_u64(r),
    };
}

// Any options, any game, searches of any length, moves nobody chose: the tree stays sound and answers.
static void anything_goes(void **state)
{
    (void)state;
    const char *rounds = getenv("KEIKO_MCTS_ROUNDS"); // more of them by hand
    uint64_t n_rounds = rounds != NULL ? strtoull(rounds, NULL, 10) : 60;
    for (uint64_t round = 0; round < n_rounds; round++) {
        rng r = rng_at(round, 4, 2);
        uint32_t pick = rng_below(&r, (uint32_t)game_count() + 2);
        const game *g = pick < 2 ? (pick ? &game_four : &game_wide) : game_at((int)pick - 2);
        mcts_options o = any_options(&r);
        judge j = {.g = g, .salt = round};
        mcts_evaluator e = {random_eval, &j};
        table t = table_for(g);
        mcts *m = tree(g, &o);
        for (int games = 0; games < 2; games++) {
            assert_ok(g->init(t.s, "", (game_key){round, (uint64_t)games}));
            game_observe(g, t.s, g->seat(t.s), t.obs);
            mcts_rekey(m, round, (uint64_t)games);
            mcts_set_root(m, t.obs, 0);
            for (int ply = 0; ply < 30; ply++) {
                mcts_begin(m, rng_below(&r, 4) ? rng_below(&r, 60) : rng_below(&r, 600), rng_below(&r, 3) == 0);
                mcts_run(m, &e, rng_below(&r, 40));
                assert_sound(m);
                int n = g->legal(t.s, t.legal);
                assert_int_equal(mcts_moves(m, t.moves), n);
                if (n == 0) break;
                double sum = 0;
                for (int i = 0; i < n; i++) sum += t.moves[i].policy;
                assert_true(fabs(sum - 1) < 1e-4);
                move_t move = rng_below(&r, 3) ? mcts_choose(m) : t.legal[rng_below(&r, (uint32_t)n)];
                g->play(t.s, move, NULL);
                game_observe(g, t.s, g->seat(t.s), t.obs);
                assert_ok(mcts_advance(m, move, t.obs));
            }
        }
        mcts_free(m);
        table_free(t);
    }
}

static void cyclic_games_may_share_positions_too(void **state)
{
    (void)state;
    const game *g;
    assert_ok(game_find("contrast", &g));
    table t = table_for(g);
    mcts_evaluator e = {planes_eval, (void *)(uintptr_t)g};
    uint64_t shared[2];
    for (int k = 0; k < 2; k++) {
        mcts *m = tree(g, &(mcts_options){.transpositions = k ? MCTS_ON : MCTS_AUTO});
        assert_ok(g->init(t.s, "", (game_key){0, 0}));
        mcts_set_root(m, t.s, 0);
        mcts_run(m, &e, 3000);
        assert_sound(m);
        shared[k] = mcts_statistics(m).shared;
        mcts_free(m);
    }
    assert_int_equal(shared[0], 0);
    assert_true(shared[1] > 0);
    table_free(t);
}

static void othello_endings_are_proven(void **state)
{
    (void)state;
    const game *g;
    assert_ok(game_find("othello", &g));
    mcts_evaluator e = {planes_eval, (void *)(uintptr_t)g};
    int seen[3] = {0};
    mcts *m = tree(g, &(mcts_options){.leaves = 4});
    for (uint64_t seed = 0; seed < 60; seed++) {
        char s[256];
        int ply = random_position(g, "", seed, 54, s), value = minimax(g, s);
        mcts_set_root(m, s, ply);
        mcts_run(m, &e, 50000);
        assert_int_equal(mcts_statistics(m).proof, (int)MCTS_DRAW + value);
        seen[value + 1]++;
    }
    assert_true(seen[0] > 5 && seen[2] > 5);
    mcts_free(m);
}

// The search with random games for an evaluator against random moves; returns its points of `games`.
static float against_random(const game *g, uint64_t sims, int games)
{
    table t = table_for(g);
    mcts_rollout r = {.g = g, .seed = 5};
    mcts_evaluator e = mcts_rollout_evaluator(&r);
    mcts *m = tree(g, &(mcts_options){.leaves = 2});
    float points = 0;
    for (int i = 0; i < games; i++) {
        rng draw = rng_at(8, (uint64_t)i, 0);
        assert_ok(g->init(t.s, "", (game_key){1, (uint64_t)i}));
        for (int ply = 0, n; (n = g->legal(t.s, t.legal)) > 0; ply++) {
            move_t move = t.legal[rng_below(&draw, (uint32_t)n)];
            if (g->seat(t.s) == i % 2) {
                game_observe(g, t.s, i % 2, t.obs);
                mcts_set_root(m, t.obs, ply);
                mcts_run(m, &e, sims);
                move = mcts_choose(m);
            }
            g->play(t.s, move, NULL);
        }
        points += g->result(t.s).score[i % 2];
    }
    mcts_free(m);
    table_free(t);
    return points;
}

static void random_games_are_a_judge_too(void **state)
{
    (void)state;
    const game *g;
    assert_ok(game_find("tictactoe", &g));
    assert_true(against_random(g, 300, 40) >= 36);
    if (game_find("othello", &g) == ERR_OK) assert_true(against_random(g, 40, 10) >= 9);
    // The same answer in any batch, and with more games a finer one.
    char s[256];
    mcts_rollout one = {.g = g, .seed = 1}, many = {.g = g, .seed = 1, .games = 50};
    assert_ok(g->init(s, "", (game_key){0, 0}));
    const void *obs[3] = {s, s, s};
    const move_t *moves[3] = {0};
    int n_moves[3] = {0};
    float *priors[3] = {0}, values[3] = {9, 9, 9}, again[3];
    mcts_batch b = {3, obs, moves, n_moves, priors, values, NULL};
    mcts_evaluator e = mcts_rollout_evaluator(&one);
    e.eval(e.ctx, &b);
    assert_true(values[0] == values[1] && values[1] == values[2] && fabsf(values[0]) <= 1);
    b.values = again;
    b.n = 1;
    e.eval(e.ctx, &b);
    assert_true(again[0] == values[0]);
    e = mcts_rollout_evaluator(&many);
    e.eval(e.ctx, &b);
    assert_true(fabsf(again[0]) < 0.5f);
}

static void speed_is_measured(void **state)
{
    (void)state;
    for (int trees = 1; trees <= 8; trees += 7) {
        mcts_speed_report r;
        const game *g = game_at(0);
        assert_ok(mcts_speed(g, &(mcts_options){.leaves = 2},
                             &(mcts_speed_plan){.sims = 50, .seconds = 0.05, .trees = trees, .encode = trees > 1}, &r));
        assert_true(r.sims > 100 && r.sims_per_second > 1000);
        assert_true(r.seconds > 0.04 && r.cpu_seconds > 0);
        assert_true(r.nodes > 20 && r.bytes_per_node > 48 && r.mean_depth >= 1);
        assert_true(r.evals > 0 && r.moves > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_game_is_played),
        cmocka_unit_test(anything_goes),
        cmocka_unit_test(cyclic_games_may_share_positions_too),
        cmocka_unit_test(othello_endings_are_proven),
        cmocka_unit_test(random_games_are_a_judge_too),
        cmocka_unit_test(speed_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
