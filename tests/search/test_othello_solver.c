// The Othello endgame solver against plain minimax, published endgames and itself in other instruction sets.
// labels: threads
#include "base/rng.h"
#include "games/othello/oth_obf.h"
#include "search/othello/oth_stable.h"
#include "search/othello/oth_verify.h"
#include "search/othello/oth_worker.h"
#include "test.h"

static oth_board random_board(uint64_t seed, uint64_t game, int empties)
{
    for (;; game += 1000003) {
        rng r = rng_at(seed, game, 0);
        oth_board b = oth_start();
        while (oth_count(oth_empty(b)) > empties && !oth_over(b)) {
            uint64_t moves = oth_moves(b);
            if (moves == 0) {
                b = oth_pass(b);
                continue;
            }
            for (uint32_t k = rng_below(&r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
            b = oth_play(b, __builtin_ctzll(moves));
        }
        if (!oth_over(b)) return b;
    }
}

static int minimax(oth_board b)
{
    uint64_t moves = oth_moves(b);
    if (moves == 0) return oth_over(b) ? oth_score(b) : -minimax(oth_pass(b));
    int best = -65;
    for (; moves != 0; moves &= moves - 1) {
        int v = -minimax(oth_play(b, __builtin_ctzll(moves)));
        if (v > best) best = v;
    }
    return best;
}

static oth_engine *engine(int threads)
{
    oth_engine *e;
    assert_ok(
        oth_engine_new(&e, &(oth_engine_options){.hash = 16, .threads = threads, .weights = oth_weights_shipped()}));
    return e;
}

// Every window of the search must agree with minimax: exact inside, a bound outside.
static void test_small_endgames(void **state)
{
    (void)state;
    oth_tables_init();
    oth_eval_init();
    oth_tt tt;
    assert_ok(oth_tt_new(&tt, 12));
    for (simd level = SIMD_SCALAR; level <= cpu_simd_best(); level++) {
        const oth_search_ops *ops = oth_search_ops_for(level);
        for (int i = 0; i < 600; i++) {
            oth_board b = random_board(7, (uint64_t)i, 1 + i % 8);
            int want = minimax(b), empties = oth_count(oth_empty(b));
            oth_tt_clear(&tt);
            oth_worker s = {.tt = &tt, .small = &tt};
            assert_int_equal(ops->search(&s, b, -65, 65, empties, OTH_SURE), want);
            for (int alpha = -64; alpha < 64; alpha += 1 + i % 5) {
                int v = ops->search(&s, b, alpha, alpha + 1, empties, OTH_SURE);
                if (v > alpha)
                    assert_true(v <= want && want > alpha);
                else
                    assert_true(v >= want);
            }
        }
    }
    oth_tt_free(&tt);
}

// A disc called stable never changes its colour in any random continuation.
static void test_stable(void **state)
{
    (void)state;
    oth_tables_init();
    uint64_t found = 0;
    for (int i = 0; i < 20000; i++) {
        rng r = rng_at(3, (uint64_t)i, 1);
        oth_board b = random_board(3, (uint64_t)i, 4 + i % 30);
        uint64_t mine = oth_stable(b.own, b.opp), theirs = oth_stable(b.opp, b.own);
        assert_true((mine & ~b.own) == 0 && (theirs & ~b.opp) == 0);
        found += (uint64_t)oth_count(mine | theirs);
        bool swapped = false;
        while (!oth_over(b)) {
            uint64_t moves = oth_moves(b);
            int sq = OTH_PASS;
            if (moves != 0) {
                for (uint32_t k = rng_below(&r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
                sq = __builtin_ctzll(moves);
            }
            b = oth_play(b, sq);
            swapped = !swapped;
            assert_true((mine & ~(swapped ? b.opp : b.own)) == 0);
            assert_true((theirs & ~(swapped ? b.own : b.opp)) == 0);
        }
    }
    assert_true(found > 100000); // it finds some
}

static void solve_file(const char *name, int most_empties, const oth_limits *limits, int threads, int at_least)
{
    FILE *f = open_data_or_skip(name);
    oth_engine *e = engine(threads);
    char line[OTH_OBF_TEXT], why[160];
    int n = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        oth_problem p;
        if (line[0] == 0 || line[0] == '%' || line[0] == '#') continue;
        assert_ok(oth_obf_parse(line, &p));
        if (oth_count(oth_empty(p.s.b)) > most_empties) continue;
        oth_found found;
        oth_engine_search(e, p.s.b, limits, &found);
        if (!oth_verify(&p, &found, limits->wld, why, sizeof why)) fail_msg("%s: %s", line, why);
        // The line of play leads to the score.
        oth_board b = p.s.b;
        int sign = 1;
        for (int i = 0; i < found.move[0].n_line; i++, sign = -sign) b = oth_play(b, found.move[0].line[i]);
        if (!limits->wld) { // who wins is proven without a whole line
            assert_true(oth_over(b));
            assert_int_equal(sign * oth_score(b), found.move[0].score);
        }
        n++;
    }
    fclose(f);
    oth_engine_free(e);
    assert_true(n >= at_least);
}

static void test_published(void **state)
{
    (void)state;
    solve_file("othello/fforum-1-19.obf", 16, &(oth_limits){.exact = 64}, 1, 19);
    solve_file("othello/fforum-20-39.obf", 18, &(oth_limits){.exact = 64}, 1, 4);
}

static void test_published_best_three(void **state)
{
    (void)state;
    solve_file("othello/fforum-1-19.obf", 15, &(oth_limits){.exact = 64, .best = 3}, 1, 12);
}

static void test_published_who_wins(void **state)
{
    (void)state;
    solve_file("othello/fforum-1-19.obf", 16, &(oth_limits){.exact = 64, .wld = true}, 1, 19);
}

static void test_published_threads(void **state)
{
    (void)state;
    solve_file("othello/fforum-1-19.obf", 16, &(oth_limits){.exact = 64}, 4, 19);
}

static void test_limits(void **state)
{
    (void)state;
    oth_engine *e = engine(1);
    oth_found a, b;
    for (int i = 0; i < 30; i++) {
        oth_board board = random_board(11, (uint64_t)i, 20 + i);
        oth_engine_search(e, board, &(oth_limits){.nodes = 3000, .exact = 30}, &a);
        assert_true(a.n == 1 && (a.move[0].sq == OTH_PASS || (oth_moves(board) >> a.move[0].sq & 1) != 0));
        assert_true(a.nodes < 300000);
        oth_engine_search(e, board, &(oth_limits){.seconds = 1e-3, .exact = 30}, &a);
        assert_true(a.n == 1);
        // The same question to a cleared engine: the same answer and effort.
        oth_engine_clear(e);
        oth_engine_search(e, board, &(oth_limits){.depth = 5}, &a);
        oth_engine_clear(e);
        oth_engine_search(e, board, &(oth_limits){.depth = 5}, &b);
        assert_int_equal(a.nodes, b.nodes);
        assert_int_equal(a.move[0].sq, b.move[0].sq);
        assert_int_equal(a.move[0].score, b.move[0].score);
        assert_int_equal(a.depth, 5);
    }
    oth_engine_free(e);
}

typedef struct patience {
    int asked, most;
} patience;

static bool run_out(void *ctx)
{
    patience *p = ctx;
    return ++p->asked > p->most;
}

// Limits and the wish to stop end a search of several threads too, wherever they are.
static void test_limits_threads(void **state)
{
    (void)state;
    oth_engine *e = engine(4);
    oth_found f;
    for (int i = 0; i < 40; i++) {
        oth_board b = random_board(24, (uint64_t)i, 20 + i % 30);
        oth_engine_search(e, b, &(oth_limits){.nodes = 40000, .exact = 30}, &f);
        assert_true(f.n == 1 && f.nodes < 400000);
        oth_engine_search(e, b, &(oth_limits){.seconds = 2e-3, .exact = 30}, &f);
        assert_true(f.n == 1 && f.seconds < 5);
        patience p = {.most = i};
        oth_engine_search(e, b, &(oth_limits){.depth = 60, .stop = &(stop_ask){run_out, &p}}, &f);
        assert_true(f.n == 1 && (p.asked == i + 1 || f.solved || f.move[0].sq == OTH_PASS));
    }
    oth_engine_free(e);
}

// Cuts by shallow searches make windows contradict each other, and a table that knows the position answers without new
// nodes: deepening must end at its limits all the same.
static void test_limits_hold(void **state)
{
    (void)state;
    oth_engine *e = engine(1);
    oth_found f;
    for (int i = 0; i < 40; i++) {
        oth_board b = random_board(13, (uint64_t)i, 10 + i);
        for (int again = 0; again < 3; again++) {
            oth_engine_search(e, b, &(oth_limits){.nodes = 9500, .exact = 20}, &f);
            assert_true(f.n == 1 && f.nodes < 300000);
        }
    }
    oth_engine_free(e);
}

// Every move's line leads to its score, in positions where the hash table's move alone does not: bounds that meet may have come
// from two searches. Found among 1.5 million lines.
static void keep_told(void *ctx, const oth_found *so_far)
{
    *(oth_found *)ctx = *so_far;
}

// A search of several moves that is cut off has the scores of its last whole depth, no bounds.
static void test_cut_off_scores(void **state)
{
    (void)state;
    oth_engine *e = engine(1);
    for (uint64_t nodes = 20000; nodes <= 200000; nodes += 20000) {
        oth_found told = {0}, f;
        oth_engine_clear(e);
        oth_engine_search(e, random_board(5, nodes, 40),
                          &(oth_limits){.nodes = nodes, .best = OTH_MAX_MOVES, .each = keep_told, .each_ctx = &told},
                          &f);
        assert_true(told.n > 3 && f.n == told.n);
        assert_int_equal(f.depth, told.depth);
        for (int i = 0; i < f.n; i++) {
            assert_int_equal(f.move[i].sq, told.move[i].sq);
            assert_int_equal(f.move[i].score, told.move[i].score);
        }
    }
    oth_engine_free(e);
}

// Several moves are listed by their scores, after each depth too, although each is searched by itself.
static void check_sorted(void *ctx, const oth_found *so_far)
{
    int *lists = ctx;
    for (int i = 1; i < so_far->n; i++) assert_true(so_far->move[i].score <= so_far->move[i - 1].score);
    ++*lists;
}

static void test_best_in_order(void **state)
{
    (void)state;
    oth_engine *e = engine(1);
    for (uint64_t i = 0; i < 30; i++) {
        oth_found f;
        int lists = 0;
        oth_limits l = {.depth = 8, .best = 2 + (int)(i % 4), .each = check_sorted, .each_ctx = &lists};
        oth_engine_search(e, random_board(22, i, 30), &l, &f);
        assert_int_equal(lists, f.n > 0 && f.move[0].sq != OTH_PASS ? 4 : lists);
        check_sorted(&lists, &f);
    }
    oth_engine_free(e);
}

// Threads that help each other in the middlegame come to about the same scores as one.
static void test_middle_threads(void **state)
{
    (void)state;
    oth_engine *one = engine(1), *many = engine(4);
    for (uint64_t i = 0; i < 8; i++) {
        oth_found a, b;
        oth_board at = random_board(23, i, 34);
        oth_engine_search(one, at, &(oth_limits){.depth = 13}, &a);
        oth_engine_search(many, at, &(oth_limits){.depth = 13}, &b);
        assert_int_equal(a.depth, b.depth);
        assert_in_range(a.move[0].score - b.move[0].score + 4, 0, 8);
        assert_true(b.nodes < 4 * a.nodes + 2000);
    }
    oth_engine_free(one);
    oth_engine_free(many);
}

typedef struct told_depths {
    int n, at[OTH_SQUARES];
} told_depths;

static void keep_depth(void *ctx, const oth_found *so_far)
{
    told_depths *t = ctx;
    t->at[t->n++] = so_far->depth;
}

// Two plies at a time, up to the depth asked for; with a limit of nodes, on through depths just short of the end.
static void test_deepening(void **state)
{
    (void)state;
    oth_engine *e = engine(1);
    oth_found f;
    for (int depth = 1; depth <= 8; depth++) {
        told_depths told = {0};
        oth_engine_search(e, random_board(17, (uint64_t)depth, 40),
                          &(oth_limits){.depth = depth, .each = keep_depth, .each_ctx = &told}, &f);
        assert_int_equal(told.n, (depth + 1) / 2);
        for (int i = 0; i < told.n; i++) assert_int_equal(told.at[i], depth - 2 * (told.n - 1 - i));
    }
    int nearer = 0;
    for (uint64_t i = 0; i < 8; i++) {
        oth_engine_clear(e);
        oth_engine_search(e, random_board(18, i, 20), &(oth_limits){.nodes = 60000, .exact = 20}, &f);
        nearer += f.depth > 20 - 8 && f.depth < 20 && !f.solved;
    }
    assert_true(nearer >= 4);
    oth_engine_free(e);
}

// One ply from the leaves, an evaluation far below the window answers for all moves, unless no such cuts are wanted.
static void test_foresee(void **state)
{
    (void)state;
    oth_tt tt;
    oth_tables_init();
    oth_eval_init();
    assert_ok(oth_tt_new(&tt, 12));
    for (int i = 0; i < 20; i++) {
        oth_board b = random_board(19, (uint64_t)i, 30);
        if (oth_moves(b) == 0) continue;
        const oth_search_ops *ops = oth_search_ops_for(cpu_simd_best());
        oth_worker s = {.tt = &tt, .small = &tt, .weights = oth_weights_shipped()}, plain = s;
        int alpha = oth_eval(s.weights, b) / OTH_EVAL_UNIT + 30;
        assert_int_equal(ops->search(&s, b, alpha, alpha + 1, 1, 0), alpha);
        assert_int_equal(s.nodes, 1);
        ops->search(&plain, b, alpha, alpha + 1, 1, OTH_SURE);
        assert_int_equal(plain.nodes, 1 + oth_count(oth_moves(b)));
    }
    oth_tt_free(&tt);
}

// Each move is taken once, the largest depth first, and only below a point where that is asked for; a value of beta or more
// ends a point and all below it.
static void test_split_points(void **state)
{
    (void)state;
    static oth_split splits[3][OTH_SPLITS];
    static oth_worker w[3];
    oth_shared shared = {.workers = w, .threads = 3};
    for (int i = 0; i < 3; i++) w[i] = (oth_worker){.id = i, .shared = &shared, .splits = splits[i]};
    oth_split *top = &splits[0][12], *low = &splits[1][9], *other = &splits[0][8];
    int at;
    assert_null(oth_split_find(&w[1], NULL, &at));
    oth_split_open(top, &w[0], &(oth_node){.n = 4, .alpha = 2, .beta = 3, .depth = 12}, 1, -5, 20);
    assert_ptr_equal(oth_split_find(&w[1], NULL, &at), top);
    assert_int_equal(at, 1);
    w[1].at = top;
    oth_split_open(low, &w[1], &(oth_node){.n = 3, .alpha = -3, .beta = -2, .depth = 9}, 1, -7, 21);
    oth_split_open(other, &w[0], &(oth_node){.n = 3, .alpha = 0, .beta = 1, .depth = 8}, 1, 0, 22);
    assert_ptr_equal(oth_split_find(&w[2], NULL, &at), top);
    assert_int_equal(at, 2);
    assert_int_equal(oth_split_take(top), 3);
    assert_int_equal(oth_split_take(top), -1);
    assert_ptr_equal(oth_split_find(&w[0], top, &at), low); // not `other`
    assert_int_equal(at, 1);
    assert_null(oth_split_find(&w[1], low, &at));
    w[0].at = w[2].at = low;
    oth_split_give(low, 30, -4);
    assert_true(atomic_load(&low->best) == -4 && low->move == 30 && !oth_worker_over(&w[0]));
    oth_split_give(top, 31, 5);
    assert_true(atomic_load(&top->best) == 5 && top->move == 31 && oth_worker_over(&w[0]) && oth_worker_stop(&w[2]));
    assert_int_equal(atomic_load(&top->inside), 2);
    oth_split_leave(top, &w[1]);
    oth_split_leave(top, &w[2]);
    assert_int_equal(atomic_load(&top->inside), 0);
    w[2].at = other;
    assert_false(oth_worker_over(&w[2]));
    assert_ptr_equal(oth_split_find(&w[2], NULL, &at), low); // its owner has not seen it yet
    oth_split_end(low);
    assert_ptr_equal(oth_split_find(&w[2], NULL, &at), other);
}

static void test_lines(void **state)
{
    (void)state;
    const oth_board found_wrong = {0x0090cfef57454444u, 0x9c4f301028b83818u};
    oth_engine *e;
    assert_ok(oth_engine_new(&e, &(oth_engine_options){.hash = 14}));
    for (int i = 0; i < 20; i++) {
        oth_board b = i == 0 ? found_wrong : random_board(12, (uint64_t)i, 12);
        oth_found found;
        oth_engine_clear(e);
        oth_engine_search(e, b, &(oth_limits){.exact = OTH_SQUARES, .best = OTH_MAX_MOVES}, &found);
        for (int k = 0; k < found.n; k++) {
            const oth_found_move *m = &found.move[k];
            oth_board end = b;
            for (int at = 0; at < m->n_line; at++) end = oth_play(end, m->line[at]);
            assert_true(oth_over(end));
            assert_int_equal(m->n_line % 2 == 0 ? oth_score(end) : -oth_score(end), m->score);
        }
    }
    oth_engine_free(e);
}

static void test_ends(void **state)
{
    (void)state;
    oth_engine *e = engine(1);
    oth_found f;
    oth_engine_search(e, (oth_board){~(uint64_t)0, 0}, &(oth_limits){.depth = 4}, &f);
    assert_int_equal(f.n, 0);
    // Only white can move, at a1: black passes and loses b1.
    oth_board b = {0x2, 0x4 | ~(uint64_t)0x7};
    oth_engine_search(e, b, &(oth_limits){.depth = 4}, &f);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.move[0].sq, OTH_PASS);
    assert_int_equal(f.move[0].score, -64);
    assert_true(f.solved);
    oth_engine_free(e);
    assert_err(oth_engine_new(&e, &(oth_engine_options){.hash = 5}), "2^10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_THREADS(test_small_endgames),
        WITHOUT_THREADS(test_stable),
        WITHOUT_THREADS(test_published),
        WITHOUT_THREADS(test_published_best_three),
        WITHOUT_THREADS(test_published_who_wins),
        WITHOUT_THREADS(test_limits),
        WITHOUT_THREADS(test_limits_hold),
        WITHOUT_THREADS(test_cut_off_scores),
        WITHOUT_THREADS(test_best_in_order),
        WITHOUT_THREADS(test_deepening),
        WITHOUT_THREADS(test_foresee),
        WITHOUT_THREADS(test_split_points),
        WITHOUT_THREADS(test_lines),
        WITHOUT_THREADS(test_ends),
        cmocka_unit_test(test_published_threads),
        cmocka_unit_test(test_middle_threads),
        cmocka_unit_test(test_limits_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
