// What a tree does beyond seed 001's list: agreement with a plain reference, the same tree from every instruction set,
// a golden tree, the solver, shared positions, reuse, the memory limit, leaves in flight, and answers that make no
// sense.
#include "base/cpu.h"
#include "search/mcts/mcts_node.h"
#include "search/test_mcts_games.h"

static const game *ttt;

static int setup(void **state)
{
    (void)state;
    return game_find("tictactoe", &ttt) == ERR_OK ? 0 : -1;
}

// --- against the reference

static void compare_with_reference(const game *g, const char *options, int plies, mcts_options o, uint64_t sims,
                                   uint64_t seed)
{
    char s[256], t[256];
    judge j = {.g = g, .salt = seed};
    mcts_evaluator e = {random_eval, &j};
    int ply = random_position(g, options, seed, plies, s);
    o.no_solver = true;
    o.transpositions = MCTS_OFF;
    mcts *m = tree(g, &o);
    mcts_set_root(m, s, ply);
    mcts_run(m, &e, sims);
    assert_sound(m);

    ref r = {.g = g, .c = m->o.c_puct, .fpu = o.fpu, .fpu_value = o.fpu_value, .salt = seed};
    ref_node root = {0};
    for (uint64_t i = 0; i <= sims; i++) {
        memcpy(t, s, g->state_size);
        ref_simulate(&r, &root, t);
    }
    mcts_move moves[512];
    int n = mcts_moves(m, moves);
    assert_int_equal(n, root.n_moves);
    assert_int_equal(mcts_statistics(m).visits, root.n);
    assert_true(fabs(mcts_value(m) - root.w / root.n) < 1e-6);
    for (int i = 0; i < n; i++) {
        const ref_node *c = &root.child[i];
        assert_int_equal(moves[i].move, c->move);
        assert_int_equal(moves[i].visits, c->n);
        assert_true(moves[i].prior == c->prior);
        float q = c->n == 0 ? 0 : c->seat == root.seat ? (float)(c->w / c->n) : -(float)(c->w / c->n);
        assert_true(fabsf(moves[i].q - q) < 1e-6f);
    }
    ref_free(&root);
    mcts_free(m);
}

static void same_as_the_reference(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        compare_with_reference(ttt, "", (int)seed % 5, (mcts_options){0}, 300, seed);
        compare_with_reference(&game_four, "", (int)seed, (mcts_options){.c_puct = 0.7f}, 800, seed);
        compare_with_reference(&game_four, "", (int)seed, (mcts_options){.store_states = MCTS_OFF}, 300, seed);
        compare_with_reference(&game_wide, "", (int)seed % 4, (mcts_options){0}, 600, seed);
        compare_with_reference(&game_wide, "", (int)seed % 4, (mcts_options){.store_states = MCTS_ON}, 200, seed);
    }
}

static void same_as_the_reference_where_a_seat_moves_twice(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++)
        compare_with_reference(&game_four, "twice", (int)seed, (mcts_options){0}, 800, seed);
}

static void same_as_the_reference_with_other_first_play_values(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        mcts_options fixed = {.fpu = MCTS_FPU_FIXED, .fpu_value = -1},
                     parent = {.fpu = MCTS_FPU_PARENT, .fpu_value = 0.3f};
        compare_with_reference(&game_four, "", (int)seed, fixed, 500, seed);
        compare_with_reference(&game_four, "", (int)seed, parent, 500, seed);
        compare_with_reference(&game_wide, "", 1, fixed, 300, seed);
    }
}

// --- every instruction set, one tree

static uint64_t fingerprint(const mcts *m)
{
    mcts_move moves[512];
    uint64_t h = mcts_statistics(m).nodes;
    for (int i = 0, n = mcts_moves(m, moves); i < n; i++) {
        uint32_t q, p;
        memcpy(&q, &moves[i].q, sizeof q);
        memcpy(&p, &moves[i].policy, sizeof p);
        h = rng_mix(h ^ moves[i].move) + moves[i].visits;
        h = rng_mix(h ^ q) + ((uint64_t)p << 8) + moves[i].proof;
    }
    float v = mcts_value(m);
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return rng_mix(h ^ bits);
}

static uint64_t searched(const game *g, const mcts_options *o, uint64_t sims)
{
    char s[256];
    judge j = {.g = g, .salt = 3};
    mcts_evaluator e = {random_eval, &j};
    mcts *m = tree(g, o);
    int ply = random_position(g, "", 3, 2, s);
    mcts_set_root(m, s, ply);
    mcts_run(m, &e, sims);
    assert_sound(m);
    assert_ok(mcts_advance(m, mcts_choose(m), NULL));
    mcts_run(m, &e, sims / 2);
    assert_sound(m);
    uint64_t h = fingerprint(m);
    mcts_free(m);
    return h;
}

static void every_instruction_set_builds_the_same_tree(void **state)
{
    (void)state;
    const mcts_options kinds[] = {
        {0},
        {.leaves = 8},
        {.leaves = 7, .virtual_loss = -1, .transpositions = MCTS_OFF},
        {.fpu = MCTS_FPU_PARENT, .fpu_value = 0.2f, .noise_epsilon = 0.25f, .forced = 2, .leaves = 3},
        {.gumbel = 8, .leaves = 4},
        {.logits = true, .c_base = 1000},
    };
    const game *games[3] = {ttt, &game_four, &game_wide};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int g = 0; g < 3; g++) {
            uint64_t first = 0;
            for (int level = SIMD_SCALAR; level <= (int)cpu_simd_best(); level++) {
                assert_ok(cpu_limit(cpu_simd_name((simd)level)));
                uint64_t h = searched(games[g], &kinds[k], 700);
                if (level == SIMD_SCALAR) first = h;
                assert_true(h == first);
            }
            assert_ok(cpu_limit("auto"));
        }
}

// --- golden trees: 3000 simulations under a fixed pseudo-random opinion. A change here is a change of the search.

static void golden_trees(void **state)
{
    (void)state;
    static const struct {
        mcts_options o;
        uint32_t visits[FOUR_W], nodes;
        int depth;
        float value;
    } golden[] = {
        {{.no_solver = true, .transpositions = MCTS_OFF}, {70, 327, 315, 1998, 290}, 2975, 13, 0.005308f},
        {{.seed = 0}, {83, 646, 466, 1558, 247}, 2993, 14, 0.015871f},
        {{.leaves = 8}, {81, 908, 658, 1090, 263}, 2993, 13, 0.010715f},
        {{.gumbel = 4, .seed = 1}, {0, 1125, 375, 1125, 375}, 2994, 13, 0.010525f},
        {{.noise_epsilon = 0.25f, .forced = 2, .seed = 1, .fpu = MCTS_FPU_PARENT, .fpu_value = 0.2f},
         {84, 710, 326, 1684, 196},
         2998,
         13,
         0.015760f},
    };
    four s;
    judge j = {.g = &game_four, .salt = 2026};
    mcts_evaluator e = {random_eval, &j};
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    for (size_t k = 0; k < sizeof golden / sizeof *golden; k++) {
        mcts *m = tree(&game_four, &golden[k].o);
        mcts_set_root(m, &s, 0);
        mcts_run(m, &e, 3000);
        mcts_move moves[FOUR_W];
        assert_int_equal(mcts_moves(m, moves), FOUR_W);
        for (int i = 0; i < FOUR_W; i++) assert_int_equal(moves[i].visits, golden[k].visits[i]);
        mcts_stats st = mcts_statistics(m);
        assert_int_equal(st.nodes, golden[k].nodes);
        assert_int_equal(st.depth, golden[k].depth);
        assert_true(fabsf(mcts_value(m) - golden[k].value) < 1e-6f);
        assert_int_equal(mcts_choose(m), 3);
        mcts_free(m);
    }
}

// --- the solver

static void tictactoe_is_a_draw(void **state)
{
    (void)state;
    char s[16];
    judge j = {.g = ttt};
    mcts_evaluator even = {constant_eval, &j}, odd = {random_eval, &j};
    assert_ok(ttt->init(s, "", (game_key){0, 0}));
    for (int k = 0; k < 8; k++) {
        mcts_options o = {.transpositions = k & 1 ? MCTS_OFF : MCTS_ON, .leaves = k & 2 ? 8 : 1};
        mcts *m = tree(ttt, &o);
        mcts_set_root(m, s, 0);
        mcts_run(m, k & 4 ? &even : &odd, 200000);
        mcts_stats st = mcts_statistics(m);
        assert_int_equal(st.proof, MCTS_DRAW);
        assert_true(mcts_value(m) == 0.0f);
        assert_true(st.sims < 200000);               // it stopped by itself
        if (!(k & 1)) assert_true(st.nodes <= 5478); // the positions there are (Schaefer 2002)
        mcts_move moves[9];
        int n = mcts_moves(m, moves);
        for (int i = 0; i < n; i++) assert_int_equal(moves[i].proof, MCTS_DRAW);
        assert_sound(m);
        mcts_free(m);
    }
}

static void proofs_agree_with_minimax(void **state)
{
    (void)state;
    int seen[3] = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        bool twice = seed % 2;
        four s;
        int ply = random_position(&game_four, twice ? "twice" : "", seed, 10 + (int)(seed % 6), &s);
        if (ply < (seed % 3 ? 10 : 11)) continue; // ended early: too much is left to look at
        judge j = {.g = &game_four, .salt = seed};
        mcts_evaluator e = {random_eval, &j};
        mcts *m = tree(&game_four,
                       &(mcts_options){.leaves = 1 + (int)(seed % 5), .transpositions = seed % 3 ? MCTS_ON : MCTS_OFF});
        mcts_set_root(m, &s, ply);
        mcts_run(m, &e, 100000);
        int value = minimax(&game_four, &s);
        assert_int_equal(mcts_statistics(m).proof, value == 1 ? MCTS_WIN : value == 0 ? MCTS_DRAW : MCTS_LOSS);
        assert_true(mcts_value(m) == (float)value);
        seen[value + 1]++;
        // The move it chooses keeps that value, and every proven move is worth what its proof says.
        mcts_move moves[FOUR_W];
        int n = mcts_moves(m, moves), seat = four_seat(&s);
        move_t choice = mcts_choose(m);
        for (int i = 0; i < n; i++) {
            if (moves[i].proof == MCTS_UNPROVEN && moves[i].move != choice) continue;
            four t = s;
            four_play(&t, moves[i].move, NULL);
            outcome o = four_result(&t);
            int v = o.over                  ? (int)(o.score[seat] - o.score[!seat])
                    : four_seat(&t) == seat ? minimax(&game_four, &t)
                                            : -minimax(&game_four, &t);
            if (moves[i].proof != MCTS_UNPROVEN) assert_int_equal((int)moves[i].proof - MCTS_DRAW, v);
            if (moves[i].move == choice) assert_int_equal(v, value);
        }
        assert_sound(m);
        mcts_free(m);
    }
    assert_true(seen[0] > 10 && seen[1] > 3 && seen[2] > 10);
}

static void the_solver_can_be_turned_off(void **state)
{
    (void)state;
    char s[16];
    judge j = {.g = ttt};
    mcts_evaluator e = {constant_eval, &j};
    assert_ok(ttt->state_parse("XX-OO----", s));
    mcts *m = tree(ttt, &(mcts_options){.no_solver = true});
    mcts_set_root(m, s, 4);
    mcts_run(m, &e, 500);
    assert_int_equal(mcts_statistics(m).sims, 500);
    assert_int_equal(mcts_statistics(m).proof, MCTS_UNPROVEN);
    mcts_free(m);
}

// --- shared positions

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Different positions among all nodes of a tree of `four`, each node counted once.
static uint32_t different_positions(const mcts *m)
{
    uint32_t *stack = malloc((m->nodes + 1) * sizeof *stack), top = 0, n = 0, different = 0;
    uint64_t *seen = malloc(m->nodes * sizeof *seen);
    char *met = calloc(m->used / UNIT, 1);
    stack[top++] = m->root;
    while (top > 0) {
        node *nd = node_at(m, stack[--top]);
        edges x = node_edges(m, nd);
        seen[n++] = four_hash(node_state(nd));
        for (int i = 0; i < nd->n_active; i++)
            if (x.child[i] != 0 && !met[x.child[i]]) met[x.child[i]] = 1, stack[top++] = x.child[i];
    }
    assert_int_equal(n, m->nodes);
    qsort(seen, n, sizeof *seen, by_value);
    for (uint32_t i = 0; i < n; i++) different += i == 0 || seen[i] != seen[i - 1];
    free(met);
    free(seen);
    free(stack);
    return different;
}

static void a_shared_position_is_one_node(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        four s;
        judge j = {.g = &game_four, .salt = 5};
        mcts_evaluator e = {random_eval, &j};
        assert_ok(four_init(&s, "", (game_key){0, 0}));
        mcts *m = tree(&game_four, &(mcts_options){.transpositions = k ? MCTS_ON : MCTS_OFF, .no_solver = true});
        mcts_set_root(m, &s, 0);
        mcts_run(m, &e, 5000);
        mcts_stats st = mcts_statistics(m);
        assert_int_equal(st.visits, 5001);
        assert_int_equal(st.shared > 0, k == 1);
        assert_int_equal(different_positions(m) == st.nodes, k == 1);
        assert_sound(m);
        // A node's sum is its own value and its edges'.
        const node *root = node_at(m, m->root);
        edges x = node_edges(m, root);
        double w = root->value;
        for (int i = 0; i < root->n_active; i++) w += (double)x.n[i] * x.q[i];
        assert_true(fabs(w - root->w) < 1e-2);
        mcts_free(m);
    }
}

static void without_transpositions_the_graph_is_the_tree(void **state)
{
    (void)state;
    // In `wide` no position is met twice: both ways of adding up must give the same search.
    uint64_t h[2];
    for (int k = 0; k < 2; k++) {
        mcts_options o = {.transpositions = k ? MCTS_ON : MCTS_OFF, .no_solver = true};
        wide s = {0};
        judge j = {.g = &game_wide};
        mcts_evaluator e = {random_eval, &j};
        mcts *m = tree(&game_wide, &o);
        mcts_set_root(m, &s, 0);
        mcts_run(m, &e, 2000);
        mcts_move moves[300];
        int n = mcts_moves(m, moves);
        h[k] = 0;
        for (int i = 0; i < n; i++) h[k] = rng_mix(h[k] + moves[i].visits);
        mcts_free(m);
    }
    assert_true(h[0] == h[1]);
}

// --- reuse

static void reuse_keeps_what_can_be_reached(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        mcts_options o = {.transpositions = k & 1 ? MCTS_ON : MCTS_OFF, .no_solver = true, .leaves = k & 2 ? 4 : 1};
        four s;
        judge j = {.g = &game_four, .salt = 8};
        mcts_evaluator e = {random_eval, &j};
        assert_ok(four_init(&s, "", (game_key){0, 0}));
        mcts *m = tree(&game_four, &o);
        mcts_set_root(m, &s, 0);
        for (int ply = 0;; ply++) {
            mcts_run(m, &e, 600);
            assert_sound(m);
            move_t move = mcts_choose(m), line[64];
            if (move == MOVE_NONE) break;
            int length = mcts_pv(m, line, 64);
            uint32_t before = mcts_statistics(m).nodes;
            const node *root = node_at(m, m->root);
            int at = 0;
            while (node_moves(m, root)[at] != move) at++;
            uint32_t visits = node_at(m, node_edges(m, root).child[at])->n;
            four_play(&s, move, NULL);
            assert_ok(mcts_advance(m, move, &s));
            assert_sound(m);
            mcts_stats st = mcts_statistics(m);
            assert_int_equal(st.visits, visits);
            assert_true(st.nodes < before && st.nodes >= (four_result(&s).over ? 1u : 2u));
            // The rest of the line is still there.
            move_t rest[64];
            if (length > 1) {
                assert_true(mcts_pv(m, rest, 64) >= length - 1);
                assert_memory_equal(rest, line + 1, (size_t)(length - 1) * sizeof *rest);
            }
        }
        assert_true(four_result(&s).over);
        mcts_free(m);
    }
}

static void without_reuse_each_move_starts_anew(void **state)
{
    (void)state;
    four s;
    judge j = {.g = &game_four};
    mcts_evaluator e = {random_eval, &j};
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    mcts *m = tree(&game_four, &(mcts_options){.no_reuse = true}), *fresh = tree(&game_four, &(mcts_options){0});
    mcts_set_root(m, &s, 0);
    mcts_run(m, &e, 300);
    move_t move = mcts_choose(m);
    assert_ok(mcts_advance(m, move, NULL));
    assert_int_equal(mcts_statistics(m).visits, 0);
    mcts_run(m, &e, 300);
    four_play(&s, move, NULL);
    mcts_set_root(fresh, &s, 1);
    mcts_run(fresh, &e, 300);
    assert_true(fingerprint(m) == fingerprint(fresh));
    // An observation that is not what the move leads to is believed, and the tree forgotten.
    s.stones[0] = 1u << 2;
    s.stones[1] = 1u << 3;
    s.ply = 2;
    assert_ok(mcts_advance(fresh, 1, &s));
    assert_int_equal(mcts_statistics(fresh).visits, 0);
    mcts_free(m);
    mcts_free(fresh);
}

// --- the memory limit

static void at_the_memory_limit_the_search_goes_on(void **state)
{
    (void)state;
    const game *games[2] = {&game_four, &game_wide};
    for (int k = 0; k < 8; k++) {
        const game *g = games[k & 1];
        mcts_options o = {.memory = (size_t)(k & 1 ? 300 : 60) << 10,
                          .leaves = k & 2 ? 6 : 1,
                          .no_solver = true,
                          .transpositions = k & 4 ? MCTS_ON : MCTS_OFF};
        char s[256];
        judge j = {.g = g, .salt = 4};
        mcts_evaluator e = {random_eval, &j};
        random_position(g, "", 0, 0, s);
        mcts *m = tree(g, &o);
        mcts_set_root(m, s, 0);
        for (int ply = 0; ply < 3; ply++) {
            mcts_run(m, &e, 20000);
            mcts_stats st = mcts_statistics(m);
            assert_int_equal(st.sims, 20000);
            assert_true(st.full);
            assert_true(st.bytes <= st.limit);
            assert_true(st.nodes < 5000);
            assert_true(m->cap + m->spare_cap + m->table_size * sizeof *m->table <= o.memory + 2 * m->reserve + 4096);
            assert_sound(m);
            mcts_move moves[300];
            uint64_t visits = 0;
            for (int i = 0, n = mcts_moves(m, moves); i < n; i++) visits += moves[i].visits;
            assert_true(visits + 1 <= st.visits); // later roots have visits that ended there for want of memory
            if (ply == 0) assert_int_equal(visits + 1, st.visits);
            // After a move there is place again.
            assert_ok(mcts_advance(m, mcts_choose(m), NULL));
            assert_true(mcts_statistics(m).bytes < st.bytes);
            assert_false(mcts_statistics(m).full);
        }
        mcts_free(m);
    }
}

static void a_tiny_limit_still_gives_an_answer(void **state)
{
    (void)state;
    four s;
    judge j = {.g = &game_four};
    mcts_evaluator e = {constant_eval, &j};
    // Three in a row and room for the fourth: the winning move must be found even where hardly a node fits.
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    const move_t played[6] = {1, 0, 2, 0, 3, 1};
    for (int i = 0; i < 6; i++) four_play(&s, played[i], NULL);
    for (int solver = 0; solver < 2; solver++) {
        mcts *m = tree(&game_four, &(mcts_options){.memory = 1, .no_solver = !solver});
        mcts_set_root(m, &s, 6);
        mcts_run(m, &e, 300);
        assert_int_equal(mcts_choose(m), 4);
        assert_sound(m);
        mcts_free(m);
    }
}

// --- leaves in flight

typedef struct watch {
    judge j;
    int batches, full;
} watch;

static void watching_eval(void *ctx, const mcts_batch *b)
{
    watch *w = ctx;
    w->batches++;
    w->full += b->n == 8;
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < i; k++) assert_true(memcmp(b->obs[i], b->obs[k], sizeof(four)) != 0); // no position twice
    counted_random_eval(&w->j, b);
}

static void leaves_in_flight_fill_a_batch(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        four s;
        watch w = {.j = {.g = &game_four, .salt = 6}};
        mcts_evaluator e = {watching_eval, &w};
        assert_ok(four_init(&s, "", (game_key){0, 0}));
        mcts_options o = {.leaves = 8, .virtual_loss = k ? -1.0f : 0.0f, .no_solver = true};
        mcts *m = tree(&game_four, &o);
        mcts_set_root(m, &s, 0);
        mcts_run(m, &e, 4000);
        assert_int_equal(w.j.largest, 8);
        assert_int_equal(mcts_statistics(m).visits, 4001);
        assert_true(w.full * 10 > w.batches * (k ? 3 : 7)); // mostly full
        assert_sound(m);
        mcts_free(m);
    }
}

static void the_phases_by_hand_are_the_run(void **state)
{
    (void)state;
    four s;
    judge j = {.g = &game_four, .salt = 12};
    mcts_evaluator e = {random_eval, &j};
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    mcts_options o = {.leaves = 5};
    mcts *a = tree(&game_four, &o), *b = tree(&game_four, &o);
    mcts_set_root(a, &s, 0);
    mcts_run(a, &e, 333);
    mcts_set_root(b, &s, 0);
    mcts_begin(b, 333, false);
    const void *obs[5];
    const move_t *moves[5];
    int n_moves[5];
    float *priors[5], values[5];
    mcts_batch batch = {0, obs, moves, n_moves, priors, values, NULL};
    while (!mcts_done(b)) {
        batch.n = mcts_collect(b);
        assert_int_equal(mcts_waiting(b), batch.n);
        assert_true(batch.n <= 5);
        mcts_leaves(b, &batch, 0);
        for (int i = batch.n - 1; i >= 0; i--) { // one at a time, in another order
            mcts_batch one = {1, obs + i, moves + i, n_moves + i, priors + i, values + i, NULL};
            random_eval(&j, &one);
        }
        mcts_backup(b, &batch, 0);
    }
    assert_true(fingerprint(a) == fingerprint(b));
    mcts_free(a);
    mcts_free(b);
}

// --- answers that make no sense

typedef struct nonsense {
    int kind;
} nonsense;

static void nonsense_eval(void *ctx, const mcts_batch *b)
{
    int kind = ((nonsense *)ctx)->kind;
    static const float bad[] = {0, NAN, -1, INFINITY, -INFINITY};
    for (int i = 0; i < b->n; i++) {
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = bad[kind];
        b->values[i] = kind == 2 ? -5 : bad[kind];
    }
}

static void nothing_known_means_even_priors(void **state)
{
    (void)state;
    char s[16];
    assert_ok(ttt->init(s, "", (game_key){0, 0}));
    for (int logits = 0; logits < 2; logits++)
        for (int kind = 0; kind < 5; kind++) {
            nonsense x = {kind};
            mcts_evaluator e = {nonsense_eval, &x};
            mcts *m = tree(ttt, &(mcts_options){.logits = logits});
            mcts_set_root(m, s, 0);
            mcts_run(m, &e, 0);
            mcts_move moves[9];
            assert_int_equal(mcts_moves(m, moves), 9);
            for (int i = 0; i < 9; i++) assert_true(fabsf(moves[i].prior - 1.0f / 9) < 1e-6f);
            assert_true(mcts_value(m) == (kind == 2 ? -1.0f : 0.0f)); // beyond the range: cut; not a number: even
            mcts_run(m, &e, 100);
            assert_sound(m);
            mcts_free(m);
        }
    mcts_evaluator none = {silent_eval, NULL};
    mcts *m = tree(ttt, &(mcts_options){0});
    mcts_set_root(m, s, 0);
    mcts_run(m, &none, 9);
    mcts_move moves[9];
    mcts_moves(m, moves);
    for (int i = 0; i < 9; i++) assert_int_equal(moves[i].visits, 1);
    mcts_free(m);
}

static void half_nonsense_eval(void *ctx, const mcts_batch *b)
{
    (void)ctx;
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = k == 0 ? 3.0f : k == 1 ? 1.0f : k == 2 ? NAN : -2.0f;
}

static void what_makes_sense_is_kept(void **state)
{
    (void)state;
    char s[16];
    mcts_evaluator e = {half_nonsense_eval, NULL};
    assert_ok(ttt->init(s, "", (game_key){0, 0}));
    mcts *m = tree(ttt, &(mcts_options){0});
    mcts_set_root(m, s, 0);
    mcts_run(m, &e, 0);
    mcts_move moves[9];
    mcts_moves(m, moves);
    assert_true(moves[0].prior == 0.75f && moves[1].prior == 0.25f && moves[2].prior == 0 && moves[8].prior == 0);
    mcts_free(m);
    // As logits: softmax over those that are numbers.
    m = tree(ttt, &(mcts_options){.logits = true});
    mcts_set_root(m, s, 0);
    mcts_run(m, &e, 0);
    mcts_moves(m, moves);
    double sum = exp(3) + exp(1) + 6 * exp(-2);
    assert_true(fabs(moves[0].prior - exp(3) / sum) < 1e-6 && fabs(moves[1].prior - exp(1) / sum) < 1e-6);
    assert_true(moves[2].prior == 0 && fabs(moves[8].prior - exp(-2) / sum) < 1e-6);
    mcts_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_the_reference),
        cmocka_unit_test(same_as_the_reference_where_a_seat_moves_twice),
        cmocka_unit_test(same_as_the_reference_with_other_first_play_values),
        cmocka_unit_test(every_instruction_set_builds_the_same_tree),
        cmocka_unit_test(golden_trees),
        cmocka_unit_test(tictactoe_is_a_draw),
        cmocka_unit_test(proofs_agree_with_minimax),
        cmocka_unit_test(the_solver_can_be_turned_off),
        cmocka_unit_test(a_shared_position_is_one_node),
        cmocka_unit_test(without_transpositions_the_graph_is_the_tree),
        cmocka_unit_test(reuse_keeps_what_can_be_reached),
        cmocka_unit_test(without_reuse_each_move_starts_anew),
        cmocka_unit_test(at_the_memory_limit_the_search_goes_on),
        cmocka_unit_test(a_tiny_limit_still_gives_an_answer),
        cmocka_unit_test(leaves_in_flight_fill_a_batch),
        cmocka_unit_test(the_phases_by_hand_are_the_run),
        cmocka_unit_test(nothing_known_means_even_priors),
        cmocka_unit_test(what_makes_sense_is_kept),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
