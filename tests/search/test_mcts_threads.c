// labels: threads
// Many trees on several threads: the games they play depend neither on the threads nor on how leaves meet in batches.
#include "search/mcts/mcts_group.h"
#include "search/test_mcts_games.h"

#include <pthread.h>
#include <stdatomic.h>

enum { TREES = 45, MOVES = 9 };

typedef struct play {
    mcts *trees[TREES];
    uint64_t hash[TREES]; // of everything a tree showed, move by move
    int moves[TREES];
    atomic_int done_calls;
} play;

typedef struct shared_judge {
    const game *g;
    _Atomic uint64_t positions;
    atomic_int calls, at_once, most_at_once;
} shared_judge;

static void shared_eval(void *ctx, const mcts_batch *b)
{
    shared_judge *j = ctx;
    int now = atomic_fetch_add(&j->at_once, 1) + 1, most = atomic_load(&j->most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&j->most_at_once, &most, now)) {}
    atomic_fetch_add(&j->positions, (uint64_t)b->n);
    atomic_fetch_add(&j->calls, 1);
    for (int i = b->n - 1; i >= 0; i--)
        opinion(j->g, 11, b->obs[i], b->moves[i], b->n_moves[i], b->priors[i], &b->values[i]);
    atomic_fetch_sub(&j->at_once, 1);
}

// Read the search, play its move, go on; a finished game is followed by another until enough moves are played.
static bool next_move(void *ctx, int i, mcts *m)
{
    play *p = ctx;
    atomic_fetch_add(&p->done_calls, 1);
    mcts_move moves[FOUR_W];
    uint64_t h = p->hash[i];
    for (int k = 0, n = mcts_moves(m, moves); k < n; k++) {
        uint32_t q;
        memcpy(&q, &moves[k].q, sizeof q);
        h = rng_mix(h ^ ((uint64_t)moves[k].visits << 32 | q)) + moves[k].proof;
    }
    mcts_stats s = mcts_statistics(m);
    p->hash[i] = rng_mix(h + s.nodes) + s.sims;
    if (++p->moves[i] > MOVES) return false;
    move_t move = mcts_choose(m);
    if (move == MOVE_NONE) {
        four start;
        four_init(&start, "", (game_key){0, 0});
        mcts_rekey(m, 5, (uint64_t)i * 100 + (uint64_t)p->moves[i]);
        mcts_set_root(m, &start, 0);
    } else {
        mcts_advance(m, move, NULL);
    }
    mcts_begin(m, 60 + (uint64_t)i, i % 3 == 0);
    return true;
}

static play *games(int threads, int trees_per_call, bool apart, uint64_t rounds, uint64_t *positions)
{
    play *p = calloc(1, sizeof *p);
    shared_judge j = {.g = &game_four};
    mcts_evaluator e = {shared_eval, &j};
    four s;
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    for (int i = 0; i < TREES; i++) {
        mcts_options o = {.leaves = 1 + i % 4,
                          .noise_epsilon = 0.25f,
                          .temperature = 1,
                          .temperature_plies = 6,
                          .gumbel = i % 5 == 4 ? 4 : 0,
                          .seed = 5,
                          .game = (uint64_t)i};
        p->trees[i] = tree(&game_four, &o);
        mcts_set_root(p->trees[i], &s, 0);
        mcts_begin(p->trees[i], 60 + (uint64_t)i, false);
    }
    mcts_group *g = NULL;
    mcts_group_options o = {
        .threads = threads, .trees_per_call = trees_per_call, .apart = apart, .done = next_move, .ctx = p};
    assert_ok(mcts_group_new(p->trees, TREES, &o, &g));
    if (rounds == 0) {
        *positions = mcts_group_run(g, &e, 0);
    } else { // a few rounds at a time, as somebody who looks in between
        *positions = 0;
        for (;;) {
            for (int i = 0; i < TREES; i++) assert_int_equal(mcts_waiting(p->trees[i]), 0);
            uint64_t n = mcts_group_run(g, &e, rounds);
            *positions += n;
            if (n == 0) break;
        }
    }
    mcts_group_free(g);
    assert_int_equal(*positions, j.positions);
    if (trees_per_call == 0) assert_int_equal(j.most_at_once, 1); // one call at a time, whatever the threads
    for (int i = 0; i < TREES; i++) {
        assert_sound(p->trees[i]);
        mcts_free(p->trees[i]);
    }
    return p;
}

static void the_same_games_on_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t positions, first;
    play *one = games(1, 0, false, 0, &first);
    for (int i = 0; i < TREES; i++) assert_true(one->moves[i] == MOVES + 1);
    static const int threads[] = {2, 7, 1, 2, 7, 3, 2, 3, 2}, per_call[] = {0, 0, 4, 4, 1, 100, 4, 100, 7};
    for (int k = 0; k < 9; k++) {
        play *p = games(threads[k], per_call[k], k >= 6, 0, &positions);
        assert_int_equal(positions, first);
        assert_memory_equal(p->hash, one->hash, sizeof p->hash);
        free(p);
    }
    free(one);
}

static void stopping_between_rounds_changes_nothing(void **state)
{
    (void)state;
    uint64_t positions, first;
    play *one = games(1, 0, false, 0, &first);
    for (int k = 0; k < 4; k++) {
        play *p = games(2, k % 2 * 8, k > 1, 17, &positions);
        assert_int_equal(positions, first);
        assert_memory_equal(p->hash, one->hash, sizeof p->hash);
        assert_int_equal(p->done_calls, TREES * (MOVES + 1)); // one call a search, however often the group was stopped
        free(p);
    }
    free(one);
}

// Some trees are answered mostly from memory and some never: the threads still hand over full batches.
static bool often_known(void *ctx, const mcts_batch *b, int at, int n)
{
    shared_judge *j = ctx;
    uint64_t h = 0;
    for (int i = at; i < at + n; i++) h ^= game_four.hash(b->obs[i]);
    if (rng_mix(h) % 4 == 0) return false;
    for (int i = at; i < at + n; i++)
        opinion(j->g, 11, b->obs[i], b->moves[i], b->n_moves[i], b->priors[i], &b->values[i]);
    return true;
}

static void batches_stay_full(void **state)
{
    (void)state;
    enum { N = 64, EACH = 8 };
    mcts *trees[N];
    four s;
    shared_judge j = {.g = &game_four};
    mcts_evaluator e = {shared_eval, &j};
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    for (int i = 0; i < N; i++) {
        trees[i] = tree(&game_four, &(mcts_options){.no_solver = true, .noise_epsilon = 0.5f, .game = (uint64_t)i});
        mcts_set_root(trees[i], &s, 0);
        mcts_begin(trees[i], 400, false);
    }
    mcts_group *g = NULL;
    mcts_group_options o = {.threads = 2, .trees_per_call = EACH, .known = often_known, .ctx = &j};
    assert_ok(mcts_group_new(trees, N, &o, &g));
    mcts_group_run(g, &e, 0);
    double full = (double)j.positions / ((double)j.calls * EACH);
    assert_true(full > 0.9 && full <= 1);
    assert_true(j.positions < N * 400 / 2);
    mcts_group_free(g);
    for (int i = 0; i < N; i++) {
        assert_sound(trees[i]);
        mcts_free(trees[i]);
    }
}

static void one_batch_holds_all_trees(void **state)
{
    (void)state;
    enum { N = 33 };
    mcts *trees[N];
    four s;
    shared_judge j = {.g = &game_four};
    mcts_evaluator e = {shared_eval, &j};
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    for (int i = 0; i < N; i++) {
        trees[i] = tree(&game_four, &(mcts_options){.leaves = 4, .no_solver = true, .game = (uint64_t)i});
        mcts_set_root(trees[i], &s, 0);
        mcts_begin(trees[i], 40, false);
    }
    mcts_group *g = NULL;
    assert_err(mcts_group_new(trees, 0, &(mcts_group_options){0}, &g), "at least one");
    assert_err(mcts_group_new(trees, N, &(mcts_group_options){.threads = -1}, &g), "threads");
    assert_ok(mcts_group_new(trees, N, &(mcts_group_options){.threads = 2}, &g));
    assert_int_equal(mcts_group_run(g, &e, 1), N); // the roots
    assert_int_equal(j.calls, 1);
    assert_int_equal(mcts_group_run(g, &e, 1), 4 * N);
    assert_int_equal(j.calls, 2);
    mcts_group_run(g, &e, 0);
    for (int i = 0; i < N; i++) {
        assert_int_equal(mcts_statistics(trees[i]).visits, 41);
        mcts_free(trees[i]);
    }
    mcts_group_free(g);
}

// Trees of different games in one group are nobody's business but the evaluator's; here two groups share one evaluator.
static void *run_group(void *ctx)
{
    void **x = ctx;
    mcts_group_run(x[0], x[1], 0);
    return NULL;
}

static void two_groups_side_by_side(void **state)
{
    (void)state;
    enum { N = 12 };
    mcts *trees[2][N];
    mcts_group *g[2];
    four s;
    shared_judge j = {.g = &game_four};
    mcts_evaluator e = {shared_eval, &j};
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < N; i++) {
            trees[k][i] = tree(&game_four, &(mcts_options){.leaves = 2, .game = (uint64_t)i});
            mcts_set_root(trees[k][i], &s, 0);
            mcts_begin(trees[k][i], 200, false);
        }
        assert_ok(mcts_group_new(trees[k], N, &(mcts_group_options){.threads = 2}, &g[k]));
    }
    pthread_t other;
    void *first[2] = {g[0], &e}, *second[2] = {g[1], &e};
    assert_int_equal(pthread_create(&other, NULL, run_group, first), 0);
    run_group(second);
    pthread_join(other, NULL);
    for (int i = 0; i < N; i++) {
        mcts_move a[FOUR_W], b[FOUR_W];
        assert_int_equal(mcts_moves(trees[0][i], a), FOUR_W);
        mcts_moves(trees[1][i], b);
        assert_memory_equal(a, b, sizeof a);
    }
    for (int k = 0; k < 2; k++) {
        mcts_group_free(g[k]);
        for (int i = 0; i < N; i++) mcts_free(trees[k][i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_games_on_any_number_of_threads),
        cmocka_unit_test(stopping_between_rounds_changes_nothing),
        cmocka_unit_test(batches_stay_full),
        cmocka_unit_test(one_batch_holds_all_trees),
        cmocka_unit_test(two_groups_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
