// The 39 behaviours of seed 001's list of MCTS tests, group by group under its numbers. Each test is named after its
// title, which stands beside it in the seed's words. Further properties are in test_mcts_search.c and
// test_mcts_threads.c.
#include "search/mcts/mcts_node.h"
#include "search/test_mcts_games.h"

static const game *ttt;
static judge even, chance;
static const mcts_evaluator constant = {constant_eval, &even}, opinions = {random_eval, &chance};

static int setup(void **state)
{
    (void)state;
    if (game_find("tictactoe", &ttt) != ERR_OK) return -1;
    chance = (judge){.g = ttt};
    return 0;
}

static void start(mcts *m, const char *text)
{
    char s[16];
    int ply = 0;
    for (const char *c = text; *c; c++) ply += *c == 'X' || *c == 'O';
    assert_ok(ttt->state_parse(text, s));
    mcts_set_root(m, s, ply);
}

static const char EMPTY[] = "---------";

// A root evaluated by `e` and nothing more.
static mcts *expanded(const char *text, const mcts_options *o, const mcts_evaluator *e)
{
    mcts *m = tree(ttt, o);
    start(m, text);
    mcts_run(m, e, 0);
    return m;
}

// --- 1. MCTS初期化

static void init_basic(void **state) // 基本的な初期化の確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){0});
    assert_true(m->o.c_puct == 1.5f);
    assert_int_equal(m->o.leaves, 1);
    assert_true(m->graph && m->solver && !m->hidden);
    assert_sound(m);
    mcts_free(m);
}

static void init_with_custom_parameters(void **state) // カスタムパラメータでの初期化
{
    (void)state;
    mcts_options o = {.c_puct = 1.0f,
                      .noise_alpha = 0.5f,
                      .noise_epsilon = 0.1f,
                      .leaves = 4,
                      .no_solver = true,
                      .transpositions = MCTS_OFF};
    mcts *m = tree(ttt, &o);
    assert_true(m->o.c_puct == 1.0f && m->o.noise_alpha == 0.5f && m->o.noise_epsilon == 0.1f);
    assert_int_equal(m->o.leaves, 4);
    assert_false(m->graph || m->solver);
    mcts_free(m);
    // And parameters that make no sense are refused by name.
    assert_err(mcts_new(ttt, &(mcts_options){.c_puct = -1}, &m), "c_puct");
    assert_err(mcts_new(ttt, &(mcts_options){.leaves = 100000}, &m), "leaves");
    assert_err(mcts_new(ttt, &(mcts_options){.noise_epsilon = NAN}, &m), "noise_epsilon");
    assert_err(mcts_new(ttt, &(mcts_options){.temperature = -1}, &m), "temperature");
    assert_err(mcts_new(&game_lots, &(mcts_options){.transpositions = MCTS_ON}, &m), "hides");
}

static void init_tables_are_empty(void **state) // 空の辞書状態の確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){0});
    mcts_stats s = mcts_statistics(m);
    assert_int_equal(s.nodes, 0);
    assert_int_equal(s.visits, 0);
    assert_int_equal(s.evals, 0);
    assert_int_equal(m->table_used, 0);
    mcts_move moves[9];
    assert_int_equal(mcts_moves(m, moves), 0);
    assert_int_equal(mcts_choose(m), MOVE_NONE);
    mcts_free(m);
}

// --- 2. ゲーム状態キー生成

static uint64_t key_of(mcts *m, const char *text, int depth)
{
    char s[16];
    assert_ok(ttt->state_parse(text, s));
    return mcts_position_key(m, s, depth);
}

static void key_is_deterministic(void **state) // 決定的なキー生成の確認
{
    (void)state;
    mcts *a = tree(ttt, &(mcts_options){.seed = 1}), *b = tree(ttt, &(mcts_options){.seed = 2, .leaves = 8});
    start(a, EMPTY);
    start(b, EMPTY);
    assert_int_equal(key_of(a, "X---O----", 2), key_of(a, "X---O----", 2));
    assert_int_equal(key_of(a, "X---O----", 2), key_of(b, "X---O----", 2));
    mcts_free(a);
    mcts_free(b);
}

static void key_differs_for_different_states(void **state) // 異なる状態で異なるキー生成の確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){0});
    start(m, EMPTY);
    // All positions with up to four stones, at the same depth: no two keys agree.
    uint64_t keys[8192];
    int n = 0;
    for (int code = 0; code < 19683; code++) {
        char text[10] = "---------", s[16];
        int x = 0, o = 0;
        for (int i = 0, c = code; i < 9; i++, c /= 3) {
            text[i] = "-XO"[c % 3];
            x += c % 3 == 1;
            o += c % 3 == 2;
        }
        if (x + o > 4 || ttt->state_parse(text, s) != ERR_OK) continue;
        keys[n++] = mcts_position_key(m, s, 0);
    }
    assert_int_equal(n, 1 + 9 + 72 + 9 * 28 + 36 * 21); // C(9,x) * C(9-x,o)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) assert_true(keys[i] != keys[k]);
    mcts_free(m);
}

static void key_contains_the_move_count(void **state) // move_countの含有確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){0});
    start(m, EMPTY);
    assert_true(key_of(m, "X---O----", 2) != key_of(m, "X---O----", 4));
    // Counted from the start of the game, not from the root: keys stay valid when the root moves on.
    uint64_t below = key_of(m, "X---O----", 2);
    start(m, "X--------");
    assert_int_equal(key_of(m, "X---O----", 1), below);
    mcts_free(m);
}

static void key_contains_the_player(void **state) // プレイヤー情報の含有確認
{
    (void)state;
    mcts *m = tree(&game_four, &(mcts_options){0});
    // The same stones with the other seat to move.
    four a = {.stones = {1, 2}, .ply = 2}, b = {.stones = {1, 2}, .ply = 2, .twice = 1};
    assert_int_equal(four_seat(&a), 0);
    assert_int_equal(four_seat(&b), 1);
    mcts_set_root(m, &a, 2);
    assert_true(mcts_position_key(m, &a, 0) != mcts_position_key(m, &b, 0));
    mcts_free(m);
}

// --- 3. ノード展開

static void expand_creates_an_entry(void **state) // エントリ作成の確認
{
    (void)state;
    mcts *m = expanded(EMPTY, &(mcts_options){0}, &opinions);
    assert_int_equal(mcts_statistics(m).nodes, 1);
    char s[16];
    assert_ok(ttt->state_parse(EMPTY, s));
    assert_int_equal(mcts_find(m, mcts_position_key(m, s, 0)), m->root);
    mcts_run(m, &opinions, 3);
    assert_int_equal(mcts_statistics(m).nodes, 4);
    mcts_free(m);
}

static void expand_initialises_values(void **state) // 値の初期化確認
{
    (void)state;
    mcts *m = expanded(EMPTY, &(mcts_options){0}, &opinions);
    mcts_move moves[9];
    assert_int_equal(mcts_moves(m, moves), 9);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(moves[i].visits, 0);
        assert_true(moves[i].q == 0);
        assert_int_equal(moves[i].proof, MCTS_UNPROVEN);
    }
    mcts_free(m);
}

static void expand_returns_the_evaluation(void **state) // 評価値の返却確認
{
    (void)state;
    even.value = 0.375f;
    mcts *m = expanded(EMPTY, &(mcts_options){0}, &constant);
    assert_true(mcts_value(m) == 0.375f);
    assert_int_equal(mcts_statistics(m).visits, 1);
    mcts_free(m);
    even.value = 0;
}

static void expand_only_legal_moves(void **state) // 合法手のみ展開の確認
{
    (void)state;
    mcts *m = expanded("XO-X--O--", &(mcts_options){0}, &opinions);
    mcts_move moves[9];
    static const move_t legal[5] = {2, 4, 5, 7, 8};
    assert_int_equal(mcts_moves(m, moves), 5);
    for (int i = 0; i < 5; i++) assert_int_equal(moves[i].move, legal[i]);
    mcts_free(m);
}

static void expand_priors_sum_to_one(void **state) // 確率の合計が1であることの確認
{
    (void)state;
    for (int logits = 0; logits < 2; logits++) {
        mcts *m = expanded("XO-X--O--", &(mcts_options){.logits = logits}, &opinions);
        mcts_move moves[9];
        int n = mcts_moves(m, moves);
        double sum = 0;
        for (int i = 0; i < n; i++) sum += moves[i].prior;
        assert_true(fabs(sum - 1.0) < 1e-6);
        mcts_free(m);
    }
}

static void expand_a_finished_game(void **state) // 終了状態の展開確認
{
    (void)state;
    chance.positions = 0;
    mcts_evaluator counted = {counted_random_eval, &chance};
    mcts *m = expanded("XXXOO----", &(mcts_options){0}, &counted);
    assert_int_equal(mcts_statistics(m).nodes, 1);
    assert_true(mcts_done(m));
    assert_int_equal(chance.positions, 0); // its value is the result: nobody is asked
    mcts_free(m);
}

// --- 4. 探索

static void search_returns_a_policy(void **state) // ポリシー返却の確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){0});
    start(m, EMPTY);
    mcts_run(m, &opinions, 50);
    move_t moves[9];
    float p[9];
    assert_int_equal(mcts_policy(m, moves, p), 9);
    mcts_move detail[9];
    mcts_moves(m, detail);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(moves[i], i);
        assert_true(fabsf(p[i] - (float)detail[i].visits / 50.0f) < 1e-6f); // proportions of visits
        assert_true(p[i] == detail[i].policy);
    }
    mcts_free(m);
}

static void search_policy_sums_to_one(void **state) // 確率合計が1であることの確認
{
    (void)state;
    const mcts_options kinds[] = {
        {.no_solver = true}, {.gumbel = 4}, {.forced = 2, .noise_epsilon = 0.25f}, {.leaves = 5}};
    for (int k = 0; k < 4; k++)
        for (uint64_t sims = 0; sims < 40; sims += 13) {
            mcts *m = tree(ttt, &kinds[k]);
            start(m, "XO-------");
            mcts_run(m, &opinions, sims);
            move_t moves[9];
            float p[9];
            double sum = 0;
            int n = mcts_policy(m, moves, p);
            assert_int_equal(n, 7);
            for (int i = 0; i < n; i++) {
                assert_true(p[i] >= 0);
                sum += p[i];
            }
            assert_true(fabs(sum - 1.0) < 1e-5);
            mcts_free(m);
        }
}

static void search_runs_many_simulations(void **state) // 複数シミュレーションの実行確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){.no_solver = true});
    start(m, EMPTY);
    mcts_run(m, &opinions, 200);
    mcts_stats s = mcts_statistics(m);
    assert_int_equal(s.sims, 200);
    assert_int_equal(s.visits, 201); // the root's own evaluation is its first visit
    mcts_move moves[9];
    uint32_t sum = 0;
    for (int i = 0, n = mcts_moves(m, moves); i < n; i++) sum += moves[i].visits;
    assert_int_equal(sum, 200);
    assert_true(s.depth > 2);
    assert_sound(m);
    mcts_free(m);
}

static void search_adds_dirichlet_noise(void **state) // ディリクレノイズ付加の確認
{
    (void)state;
    mcts_options o = {.noise_epsilon = 0.25f, .noise_alpha = 0.3f, .seed = 5};
    mcts *plain = expanded(EMPTY, &(mcts_options){0}, &opinions), *noisy = expanded(EMPTY, &o, &opinions);
    mcts_move a[9], b[9], c[9];
    mcts_moves(plain, a);
    mcts_moves(noisy, b);
    double sum = 0, noise = 0;
    int changed = 0;
    for (int i = 0; i < 9; i++) {
        double eta = (b[i].prior - 0.75 * a[i].prior) / 0.25; // the Dirichlet draw itself
        assert_true(eta > -1e-5);
        noise += eta;
        sum += b[i].prior;
        changed += b[i].prior != a[i].prior;
    }
    assert_true(fabs(sum - 1) < 1e-5 && fabs(noise - 1) < 1e-4);
    assert_int_equal(changed, 9);
    // Drawn once a move, whatever is searched there; another game draws another one, the same game the same.
    mcts_run(noisy, &opinions, 20);
    mcts_moves(noisy, c);
    for (int i = 0; i < 9; i++) assert_true(b[i].prior == c[i].prior);
    o.game = 1;
    mcts *other = expanded(EMPTY, &o, &opinions);
    mcts_moves(other, c);
    assert_true(c[0].prior != b[0].prior);
    o.game = 0;
    mcts *again = expanded(EMPTY, &o, &opinions);
    mcts_moves(again, c);
    for (int i = 0; i < 9; i++) assert_true(b[i].prior == c[i].prior);
    mcts_free(plain);
    mcts_free(noisy);
    mcts_free(other);
    mcts_free(again);
}

static void search_of_a_finished_game_is_empty(void **state) // 終了状態で空返却の確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){0});
    start(m, "XXXOO----");
    mcts_run(m, &opinions, 50);
    move_t moves[9];
    float p[9];
    assert_int_equal(mcts_policy(m, moves, p), 0);
    assert_int_equal(mcts_choose(m), MOVE_NONE);
    assert_int_equal(mcts_pv(m, moves, 9), 0);
    assert_int_equal(mcts_statistics(m).sims, 0);
    mcts_free(m);
}

// --- 5. 評価

// The value of the root's only move, for the seat that plays it.
static float value_of_only_move(const char *text)
{
    mcts *m = tree(ttt, &(mcts_options){.no_solver = true});
    start(m, text);
    mcts_run(m, &constant, 5);
    mcts_move moves[9];
    assert_int_equal(mcts_moves(m, moves), 1);
    float q = moves[0].q;
    mcts_free(m);
    return q;
}

static void evaluate_a_win(void **state) // 終了状態（勝者）の評価値確認
{
    (void)state;
    even.value = -0.9f;                                   // must not be asked
    assert_true(value_of_only_move("XXOOXOXO-") == 1.0f); // X fills the last square and has a diagonal
    even.value = 0;
    // A finished game belongs to nobody's turn; its value is seat 0's.
    mcts *m = tree(ttt, &(mcts_options){0});
    start(m, "XXXOO----");
    mcts_run(m, &constant, 1);
    assert_true(mcts_value(m) == 1.0f);
    mcts_free(m);
}

static void evaluate_a_loss(void **state) // 終了状態（敗者）の評価値確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){0});
    start(m, "OOOXX-X--");
    mcts_run(m, &constant, 1);
    assert_true(mcts_value(m) == -1.0f);
    // O to move must leave X a winning square: seen from O every line loses.
    start(m, "XX-XO--O-"); // X threatens c3 and a1 at once
    mcts_run(m, &constant, 200);
    assert_true(mcts_value(m) == -1.0f);
    assert_int_equal(mcts_statistics(m).proof, MCTS_LOSS);
    mcts_free(m);
}

static void evaluate_a_draw(void **state) // 終了状態（引き分け）の評価値確認
{
    (void)state;
    even.value = 0.9f; // must not be asked
    assert_true(value_of_only_move("XOXXOOOX-") == 0.0f);
    even.value = 0;
}

static void evaluate_expands_an_unexpanded_node(void **state) // 未展開ノードの展開確認
{
    (void)state;
    mcts *m = expanded(EMPTY, &(mcts_options){0}, &opinions);
    for (uint32_t k = 1; k <= 10; k++) {
        mcts_run(m, &opinions, 1);
        assert_int_equal(mcts_statistics(m).nodes, 1 + k); // one new position a simulation
        assert_int_equal(mcts_statistics(m).evals, 1 + k);
    }
    mcts_free(m);
}

static void evaluate_updates_statistics(void **state) // 統計の更新確認
{
    (void)state;
    mcts *m = expanded(EMPTY, &(mcts_options){.no_solver = true}, &opinions);
    mcts_move before[9], after[9];
    mcts_moves(m, before);
    mcts_run(m, &opinions, 1);
    mcts_moves(m, after);
    int touched = 0;
    for (int i = 0; i < 9; i++) {
        if (after[i].visits == before[i].visits) continue;
        touched++;
        assert_int_equal(after[i].visits, 1);
        char s[16];
        assert_ok(ttt->state_parse(EMPTY, s));
        ttt->play(s, after[i].move, NULL);
        float value;
        opinion(ttt, 0, s, NULL, 0, NULL, &value);
        assert_true(after[i].q == -value); // the other seat's value, negated
    }
    assert_int_equal(touched, 1);
    mcts_free(m);
}

// --- 6. PUCT

static void puct_prefers_untried_moves(void **state) // 未訪問アクション優先の確認
{
    (void)state;
    mcts *m = expanded(EMPTY, &(mcts_options){0}, &constant);
    mcts_move moves[9];
    for (uint32_t k = 1; k <= 9; k++) { // even priors, values 0: no move twice before all were tried once
        mcts_run(m, &constant, 1);
        mcts_moves(m, moves);
        uint32_t tried = 0;
        for (int i = 0; i < 9; i++) {
            assert_true(moves[i].visits <= 1);
            tried += moves[i].visits;
        }
        assert_int_equal(tried, k);
    }
    mcts_free(m);
}

// Priors for the root's moves: 0.7 on the last, the rest even. One move (4) leads to good positions.
static void leaning_eval(void *ctx, const mcts_batch *b)
{
    float good = *(float *)ctx;
    for (int i = 0; i < b->n; i++) {
        char text[16];
        ttt->state_print(b->obs[i], text, sizeof text);
        int last = b->n_moves[i] - 1;
        for (int k = 0; k <= last; k++) b->priors[i][k] = b->moves[i][k] == 8 ? 0.7f : 0.3f / 8;
        b->values[i] = text[4] == 'X' ? (ttt->seat(b->obs[i]) == 0 ? good : -good) : 0.0f;
    }
}

static void puct_balances_exploration_and_exploitation(void **state) // 探索と活用のバランス確認
{
    (void)state;
    float good = 0.6f;
    mcts_evaluator lean = {leaning_eval, &good};
    uint32_t visits[2][9];
    const float c[2] = {0.3f, 30.0f};
    for (int k = 0; k < 2; k++) {
        mcts *m = tree(ttt, &(mcts_options){.c_puct = c[k], .no_solver = true});
        start(m, EMPTY);
        mcts_run(m, &lean, 400);
        mcts_move moves[9];
        mcts_moves(m, moves);
        for (int i = 0; i < 9; i++) visits[k][i] = moves[i].visits;
        mcts_free(m);
    }
    // Little exploration goes where values are best, much of it where priors are.
    assert_true(visits[0][4] > visits[0][8]);
    assert_true(visits[1][8] > visits[1][4]);
    // And the first choices follow the formula: P·√N/(1+n) alone picks 8 first, then compares 0.7/2 with Q + U of the
    // rest.
    mcts *m = tree(ttt, &(mcts_options){.c_puct = 1.0f, .no_solver = true});
    start(m, EMPTY);
    mcts_run(m, &lean, 1);
    mcts_move moves[9];
    mcts_moves(m, moves);
    assert_int_equal(moves[8].visits, 1);
    mcts_free(m);
}

// --- 7. バックプロパゲーション

static void backup_updates_visits(void **state) // 訪問回数の更新確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){.no_solver = true, .transpositions = MCTS_OFF});
    start(m, EMPTY);
    mcts_run(m, &opinions, 300);
    assert_sound(m); // checks in every node: visits = 1 + visits of its edges
    const node *root = node_at(m, m->root);
    edges x = node_edges(m, root);
    for (int i = 0; i < root->n_active; i++) assert_int_equal(x.n[i], node_at(m, x.child[i])->n);
    mcts_free(m);
}

static void backup_updates_values(void **state) // 価値の更新確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){.no_solver = true, .transpositions = MCTS_OFF});
    start(m, EMPTY);
    mcts_run(m, &opinions, 300);
    // W is the node's own value plus what its moves gave, and Q = W / N, at the root and one ply below.
    const node *root = node_at(m, m->root);
    edges x = node_edges(m, root);
    for (int i = -1; i < root->n_active; i++) {
        const node *nd = i < 0 ? root : node_at(m, x.child[i]);
        edges y = node_edges(m, nd);
        double w = nd->value;
        for (int k = 0; k < nd->n_active; k++) w += (double)y.n[k] * y.q[k];
        assert_true(fabs(w - nd->w) < 1e-3);
        if (i >= 0) assert_true(x.q[i] == -(float)(nd->w / nd->n));
    }
    mcts_free(m);
}

// --- 8. エッジケース

static void zero_simulations(void **state) // シミュレーション回数0の処理
{
    (void)state;
    mcts *m = expanded(EMPTY, &(mcts_options){0}, &opinions);
    move_t moves[9];
    float p[9], own[9], value, sum = 0;
    assert_int_equal(mcts_policy(m, moves, p), 9); // nothing searched: the priors
    char s[16];
    assert_ok(ttt->state_parse(EMPTY, s));
    opinion(ttt, 0, s, moves, 9, own, &value);
    int best = 0;
    for (int i = 0; i < 9; i++) sum += own[i];
    for (int i = 0; i < 9; i++) {
        assert_true(fabsf(p[i] - own[i] / sum) < 1e-6f);
        if (own[i] > own[best]) best = i;
    }
    assert_int_equal(mcts_choose(m), best);
    mcts_free(m);
}

static void one_simulation(void **state) // シミュレーション回数1の処理
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){0});
    start(m, EMPTY);
    mcts_run(m, &opinions, 1);
    move_t moves[9];
    float p[9];
    int n = mcts_policy(m, moves, p), ones = 0;
    for (int i = 0; i < n; i++) ones += p[i] == 1.0f;
    assert_int_equal(ones, 1);
    assert_int_equal(mcts_statistics(m).visits, 2);
    mcts_free(m);
}

static void no_legal_moves(void **state) // 合法手なし状態の処理
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){.leaves = 4, .gumbel = 4});
    start(m, "XOXXOOOXX"); // a full board
    mcts_begin(m, 100, false);
    assert_true(mcts_done(m));
    assert_int_equal(mcts_collect(m), 0);
    mcts_move moves[9];
    assert_int_equal(mcts_moves(m, moves), 0);
    assert_err(mcts_advance(m, 0, NULL), "not legal");
    mcts_free(m);
}

static void several_searches_in_one_tree(void **state) // 同一ツリーでの複数探索
{
    (void)state;
    mcts *parts = tree(ttt, &(mcts_options){.no_solver = true}), *whole = tree(ttt, &(mcts_options){.no_solver = true});
    start(parts, EMPTY);
    start(whole, EMPTY);
    for (int i = 0; i < 4; i++) mcts_run(parts, &opinions, 30);
    mcts_run(whole, &opinions, 120);
    mcts_move a[9], b[9];
    mcts_moves(parts, a);
    mcts_moves(whole, b);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(mcts_statistics(parts).visits, 121);
    // And another position in the same tree is a new search.
    start(parts, "X--------");
    mcts_run(parts, &opinions, 30);
    assert_int_equal(mcts_statistics(parts).visits, 31);
    mcts_free(parts);
    mcts_free(whole);
}

static void the_callers_state_is_not_changed(void **state) // 元のゲーム状態の非変更確認
{
    (void)state;
    char s[16], copy[16];
    assert_ok(ttt->state_parse("XO-------", s));
    memcpy(copy, s, ttt->state_size);
    mcts *m = tree(ttt, &(mcts_options){0});
    mcts_set_root(m, s, 2);
    mcts_run(m, &opinions, 100);
    assert_ok(mcts_advance(m, mcts_choose(m), NULL));
    mcts_run(m, &opinions, 100);
    assert_memory_equal(s, copy, ttt->state_size);
    mcts_free(m);
}

// --- 9. 実際のネットワークとの統合: planes → 24 hidden units → one logit a head index and tanh(value), fixed random weights

enum { INPUTS = 18, HIDDEN = 24, LOGITS = 9 };

typedef struct mlp {
    float in[HIDDEN][INPUTS], policy[LOGITS][HIDDEN], value[HIDDEN];
} mlp;

static void mlp_eval(void *ctx, const mcts_batch *b)
{
    const mlp *net = ctx;
    const encoding *e = &ttt->encodings[0];
    for (int i = 0; i < b->n; i++) {
        uint64_t bits[2];
        float x[INPUTS], h[HIDDEN], v = 0;
        e->encode(&b->obs[i], 1, bits, NULL);
        game_unpack(ttt, e, bits, NULL, x);
        for (int k = 0; k < HIDDEN; k++) {
            h[k] = 0;
            for (int j = 0; j < INPUTS; j++) h[k] += net->in[k][j] * x[j];
            h[k] = h[k] > 0 ? h[k] : 0;
            v += net->value[k] * h[k];
        }
        b->values[i] = tanhf(v);
        uint16_t index[9];
        ttt->heads(b->obs[i], b->moves[i], b->n_moves[i], index);
        for (int m = 0; m < b->n_moves[i]; m++)
            for (int k = 0; k < HIDDEN; k++) b->priors[i][m] += net->policy[index[m]][k] * h[k];
    }
}

static mlp *random_net(void)
{
    mlp *net = calloc(1, sizeof *net);
    rng r = rng_at(9, 9, 9);
    for (int k = 0; k < HIDDEN; k++) {
        for (int j = 0; j < INPUTS; j++) net->in[k][j] = (float)(0.5 * rng_normal(&r));
        for (int j = 0; j < LOGITS; j++) net->policy[j][k] = (float)(0.4 * rng_normal(&r));
        net->value[k] = (float)(0.3 * rng_normal(&r));
    }
    return net;
}

static void a_real_network_works(void **state) // 実ネットワークでの動作確認
{
    (void)state;
    mlp *net = random_net();
    mcts_evaluator e = {mlp_eval, net};
    mcts *m = tree(ttt, &(mcts_options){.logits = true, .leaves = 4});
    start(m, "X--------");
    mcts_run(m, &e, 200);
    assert_sound(m);
    assert_true(fabsf(mcts_value(m)) <= 1.0f);
    mcts_move moves[9];
    float least = 1, most = 0;
    for (int i = 0, n = mcts_moves(m, moves); i < n; i++) {
        least = fminf(least, moves[i].prior);
        most = fmaxf(most, moves[i].prior);
    }
    assert_true(most > least); // it has an opinion
    free(net);
    mcts_free(m);
}

static void a_networks_policy_is_legal(void **state) // ポリシーの合法性確認
{
    (void)state;
    mlp *net = random_net();
    mcts_evaluator e = {mlp_eval, net};
    mcts *m = tree(ttt, &(mcts_options){.logits = true});
    for (uint64_t seed = 0; seed < 50; seed++) {
        char s[16];
        int ply = random_position(ttt, "", seed, (int)(seed % 7), s);
        mcts_set_root(m, s, ply);
        mcts_run(m, &e, 40);
        move_t moves[9], legal[9];
        float p[9];
        int n = mcts_policy(m, moves, p);
        assert_int_equal(n, ttt->legal(s, legal));
        assert_memory_equal(moves, legal, (size_t)n * sizeof *legal);
        bool found = false;
        move_t choice = mcts_choose(m);
        for (int i = 0; i < n; i++) found = found || legal[i] == choice;
        assert_true(found);
    }
    free(net);
    mcts_free(m);
}

// --- 10. 統合テスト

static void a_complete_game(void **state) // 完全なゲームシミュレーション
{
    (void)state;
    char s[16];
    for (uint64_t number = 0; number < 20; number++) {
        mcts *m = tree(
            ttt, &(mcts_options){.game = number, .noise_epsilon = 0.25f, .temperature = 1, .temperature_plies = 4});
        assert_ok(ttt->init(s, "", (game_key){0, 0}));
        mcts_set_root(m, s, 0);
        int plies = 0;
        for (;; plies++) {
            mcts_run(m, &opinions, 100);
            assert_sound(m);
            move_t move = mcts_choose(m);
            if (move == MOVE_NONE) break;
            ttt->play(s, move, NULL);
            assert_ok(mcts_advance(m, move, s));
        }
        assert_true(ttt->result(s).over);
        assert_true(plies >= 5 && plies <= 9);
        mcts_free(m);
    }
}

static void more_simulations_play_better(void **state) // シミュレーション回数による改善確認
{
    (void)state;
    // A misleading opinion of every position; how often does the chosen move keep the value of the game?
    int good[3] = {0}, total = 0;
    const uint64_t sims[3] = {0, 30, 1500};
    judge wrong = {.g = &game_four, .salt = 99};
    mcts_evaluator e = {random_eval, &wrong};
    for (uint64_t seed = 0; seed < 60; seed++) {
        four s;
        int ply = random_position(&game_four, "", seed, 10 + (int)(seed % 3), &s);
        if (ply < 10) continue;
        int value = minimax(&game_four, &s);
        total++;
        for (int k = 0; k < 3; k++) {
            mcts *m = tree(&game_four, &(mcts_options){0});
            mcts_set_root(m, &s, ply);
            mcts_run(m, &e, sims[k]);
            four t = s;
            four_play(&t, mcts_choose(m), NULL);
            outcome o = four_result(&t);
            int got = o.over ? (int)(o.score[four_seat(&s)] - o.score[!four_seat(&s)]) : -minimax(&game_four, &t);
            good[k] += got == value;
            mcts_free(m);
        }
    }
    assert_true(good[0] < good[1] && good[1] < good[2]);
    assert_true(good[2] * 100 >= total * 95);
}

static void the_tree_follows_the_game(void **state) // ゲーム状態遷移の処理確認
{
    (void)state;
    mcts *m = tree(ttt, &(mcts_options){.no_solver = true});
    start(m, EMPTY);
    mcts_run(m, &opinions, 300);
    mcts_move moves[9];
    mcts_moves(m, moves);
    move_t move = mcts_choose(m);
    uint32_t visits = moves[move].visits;
    float q = moves[move].q;
    assert_ok(mcts_advance(m, move, NULL));
    mcts_stats s = mcts_statistics(m);
    assert_true(s.visits >= visits); // what was searched below this move is still there
    assert_true(fabsf(mcts_value(m) + q) < 1e-6f);
    assert_int_equal(mcts_moves(m, moves), 8);
    assert_sound(m);
    assert_err(mcts_advance(m, move, NULL), "not legal");
    mcts_free(m);
}

// --- 11. 価値の伝播

static void values_change_sign_with_the_seat(void **state) // 再帰中の価値反転確認
{
    (void)state;
    // Every position is worth +0.5 to whoever is to move.
    even.value = 0.5f;
    mcts *m = tree(ttt, &(mcts_options){.no_solver = true});
    start(m, EMPTY);
    mcts_run(m, &constant, 9);
    mcts_move moves[9];
    mcts_moves(m, moves);
    for (int i = 0; i < 9; i++) assert_true(moves[i].q == -0.5f);
    mcts_free(m);
    // In this game the second seat moves twice: where the seat stays, so does the sign.
    m = tree(&game_four, &(mcts_options){.no_solver = true});
    four s;
    assert_ok(four_init(&s, "twice", (game_key){0, 0}));
    mcts_set_root(m, &s, 0);
    mcts_run(m, &constant, 5);
    for (int i = 0, n = mcts_moves(m, moves); i < n; i++) assert_true(moves[i].q == -0.5f);
    four_play(&s, 0, NULL);
    mcts_set_root(m, &s, 1);
    mcts_run(m, &constant, 5);
    for (int i = 0, n = mcts_moves(m, moves); i < n; i++)
        if (moves[i].visits == 1) assert_true(moves[i].q == 0.5f);
    mcts_free(m);
    even.value = 0;
}

static void final_values_propagate(void **state) // 終了価値の伝播確認
{
    (void)state;
    // X to move wins with c3; everything else the evaluator calls even. The root's value climbs towards 1 without a
    // solver, and is exactly 1 with it.
    mcts *m = tree(ttt, &(mcts_options){.no_solver = true});
    start(m, "XX-OO----");
    mcts_run(m, &constant, 400);
    mcts_move moves[9];
    mcts_moves(m, moves);
    assert_true(moves[0].move == 2 && moves[0].q == 1.0f);
    assert_true(mcts_value(m) > 0.8f);
    assert_int_equal(mcts_choose(m), 2);
    mcts_free(m);
    m = tree(ttt, &(mcts_options){0});
    start(m, "XX-OO----");
    mcts_run(m, &constant, 400);
    assert_true(mcts_value(m) == 1.0f);
    assert_true(mcts_statistics(m).sims < 20);
    assert_int_equal(mcts_choose(m), 2);
    mcts_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_basic),
        cmocka_unit_test(init_with_custom_parameters),
        cmocka_unit_test(init_tables_are_empty),
        cmocka_unit_test(key_is_deterministic),
        cmocka_unit_test(key_differs_for_different_states),
        cmocka_unit_test(key_contains_the_move_count),
        cmocka_unit_test(key_contains_the_player),
        cmocka_unit_test(expand_creates_an_entry),
        cmocka_unit_test(expand_initialises_values),
        cmocka_unit_test(expand_returns_the_evaluation),
        cmocka_unit_test(expand_only_legal_moves),
        cmocka_unit_test(expand_priors_sum_to_one),
        cmocka_unit_test(expand_a_finished_game),
        cmocka_unit_test(search_returns_a_policy),
        cmocka_unit_test(search_policy_sums_to_one),
        cmocka_unit_test(search_runs_many_simulations),
        cmocka_unit_test(search_adds_dirichlet_noise),
        cmocka_unit_test(search_of_a_finished_game_is_empty),
        cmocka_unit_test(evaluate_a_win),
        cmocka_unit_test(evaluate_a_loss),
        cmocka_unit_test(evaluate_a_draw),
        cmocka_unit_test(evaluate_expands_an_unexpanded_node),
        cmocka_unit_test(evaluate_updates_statistics),
        cmocka_unit_test(puct_prefers_untried_moves),
        cmocka_unit_test(puct_balances_exploration_and_exploitation),
        cmocka_unit_test(backup_updates_visits),
        cmocka_unit_test(backup_updates_values),
        cmocka_unit_test(zero_simulations),
        cmocka_unit_test(one_simulation),
        cmocka_unit_test(no_legal_moves),
        cmocka_unit_test(several_searches_in_one_tree),
        cmocka_unit_test(the_callers_state_is_not_changed),
        cmocka_unit_test(a_real_network_works),
        cmocka_unit_test(a_networks_policy_is_legal),
        cmocka_unit_test(a_complete_game),
        cmocka_unit_test(more_simulations_play_better),
        cmocka_unit_test(the_tree_follows_the_game),
        cmocka_unit_test(values_change_sign_with_the_seat),
        cmocka_unit_test(final_values_propagate),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
