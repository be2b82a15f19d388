// What happens at the root: Gumbel search, noise, forced playouts, temperature; and games that hide something.
#include "search/mcts/mcts_node.h"
#include "search/test_mcts_games.h"

static const game *ttt;

static int setup(void **state)
{
    (void)state;
    return game_find("tictactoe", &ttt) == ERR_OK ? 0 : -1;
}

// --- Gumbel

static void visits_of(const mcts *m, uint32_t *sorted, int *n)
{
    mcts_move moves[512];
    *n = mcts_moves(m, moves);
    for (int i = 0; i < *n; i++) {
        uint32_t v = moves[i].visits;
        int k = i;
        for (; k > 0 && sorted[k - 1] < v; k--) sorted[k] = sorted[k - 1];
        sorted[k] = v;
    }
}

// Sequential halving spends its visits by the table: m moves, ⌈log2 m⌉ phases, ⌊n / (phases · moves)⌋ sweeps a phase.
static void gumbel_halves_by_the_table(void **state)
{
    (void)state;
    static const struct {
        int m;
        uint64_t sims;
        uint32_t visits[17];
    } known[] = {
        {4, 16, {6, 6, 2, 2, 0}},                                        // 4·2, 2·4
        {8, 48, {14, 14, 6, 6, 2, 2, 2, 2, 0}},                          // 8·2, 4·4, 2·8
        {16, 64, {15, 15, 7, 7, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0}}, // 16·1, 8·2, 4·4, 2·8
        {2, 10, {5, 5, 0}},                                              // 2·5
        {16, 16, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}},   // no more than one each
        {3, 12, {5, 5, 2, 0}},                                           // 3·2, then 2·3
        {1, 7, {7, 0}},
    };
    judge j = {.g = &game_wide, .salt = 1};
    mcts_evaluator e = {random_eval, &j};
    wide s = {0};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int leaves = 1; leaves <= 8; leaves += 7) {
            mcts *m =
                tree(&game_wide, &(mcts_options){.gumbel = known[k].m, .leaves = leaves, .seed = k, .no_solver = true});
            mcts_set_root(m, &s, 0);
            mcts_run(m, &e, known[k].sims);
            uint32_t v[300];
            int n;
            visits_of(m, v, &n);
            for (int i = 0; i <= known[k].m; i++) assert_int_equal(v[i], known[k].visits[i]);
            assert_sound(m);
            mcts_free(m);
        }
}

// With values that say nothing the move played is a sample of the prior: the Gumbel-max trick.
static void gumbel_samples_the_prior(void **state)
{
    (void)state;
    enum { GAMES = 6000 };
    char s[16];
    int count[9] = {0};
    float prior[9];
    mcts_move moves[9];
    judge j = {.g = ttt, .salt = 7};
    assert_ok(ttt->init(s, "", (game_key){0, 0}));
    mcts *m = tree(ttt, &(mcts_options){.gumbel = 9, .gumbel_scale = 1e-6f, .no_solver = true});
    mcts_evaluator e = {random_eval, &j};
    for (uint64_t i = 0; i < GAMES; i++) {
        mcts_rekey(m, 1, i);
        mcts_set_root(m, s, 0);
        mcts_run(m, &e, 18);
        count[mcts_choose(m)]++;
    }
    mcts_moves(m, moves);
    double chi = 0;
    for (int i = 0; i < 9; i++) {
        prior[i] = moves[i].prior;
        double expected = GAMES * (double)prior[i];
        chi += (count[i] - expected) * (count[i] - expected) / expected;
    }
    assert_true(chi < 26.1); // 8 degrees of freedom, p = 0.001
    mcts_free(m);
}

static void gumbel_policy_improves_on_the_prior(void **state)
{
    (void)state;
    judge j = {.g = &game_four, .salt = 3};
    mcts_evaluator e = {random_eval, &j};
    int same = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        four s;
        int ply = random_position(&game_four, "", seed, 2, &s);
        mcts *m = tree(&game_four, &(mcts_options){.gumbel = 4, .game = seed, .no_solver = true});
        mcts_set_root(m, &s, ply);
        mcts_run(m, &e, 64);
        mcts_move moves[FOUR_W];
        int n = mcts_moves(m, moves);
        // Completed values: visited moves their own, the others the mixed value of the paper.
        double mass = 0, mixed = 0, visits = 0, before = 0, after = 0, sum = 0;
        for (int i = 0; i < n; i++)
            if (moves[i].visits > 0)
                mass += moves[i].prior, mixed += moves[i].prior * moves[i].q, visits += moves[i].visits;
        mixed = (node_at(m, m->root)->value + visits * mixed / mass) / (1 + visits);
        uint32_t most = 0;
        for (int i = 0; i < n; i++) most = moves[i].visits > most ? moves[i].visits : most;
        double z = 0, want[FOUR_W];
        for (int i = 0; i < n; i++) {
            double q = moves[i].visits > 0 ? moves[i].q : mixed;
            before += moves[i].prior * q;
            after += moves[i].policy * q;
            sum += moves[i].policy;
            z += want[i] = moves[i].prior * exp((50 + (double)most) * (q - 1) / 2);
        }
        for (int i = 0; i < n; i++) assert_true(fabs(want[i] / z - moves[i].policy) < 1e-4);
        assert_true(fabs(sum - 1) < 1e-5);
        assert_true(after >= before - 1e-6);
        // The choice is among the most visited.
        move_t choice = mcts_choose(m);
        for (int i = 0; i < n; i++)
            if (moves[i].move == choice) same += moves[i].visits == most;
        mcts_free(m);
    }
    assert_int_equal(same, 40);
}

static void gumbel_does_not_depend_on_leaves_in_flight_at_a_glance(void **state)
{
    (void)state;
    // At depth one nothing but the root decides: then K changes nothing at all.
    uint64_t first = 0;
    for (int leaves = 1; leaves < 9; leaves++) {
        wide s = {.said = 5, .ply = 5}; // one ply before the end
        judge j = {.g = &game_wide};
        mcts_evaluator e = {random_eval, &j};
        mcts *m = tree(&game_wide, &(mcts_options){.gumbel = 16, .leaves = leaves, .no_solver = true});
        mcts_set_root(m, &s, 5);
        mcts_run(m, &e, 160);
        mcts_move moves[300];
        uint64_t h = 0;
        for (int i = 0, n = mcts_moves(m, moves); i < n; i++) h = rng_mix(h + moves[i].visits);
        if (leaves == 1) first = h;
        assert_true(h == first);
        mcts_free(m);
    }
}

static void gumbel_finds_proven_wins_and_reuses_its_tree(void **state)
{
    (void)state;
    char s[16];
    judge j = {.g = ttt};
    mcts_evaluator e = {random_eval, &j};
    mcts *m = tree(ttt, &(mcts_options){.gumbel = 9, .leaves = 4});
    assert_ok(ttt->state_parse("XX-OO----", s));
    mcts_set_root(m, s, 4);
    mcts_run(m, &e, 200);
    assert_int_equal(mcts_choose(m), 2);
    assert_int_equal(mcts_statistics(m).proof, MCTS_WIN);
    assert_ok(ttt->init(s, "", (game_key){0, 0}));
    mcts_set_root(m, s, 0);
    int plies = 0;
    for (;; plies++) {
        mcts_run(m, &e, 100);
        assert_sound(m);
        move_t move = mcts_choose(m);
        if (move == MOVE_NONE) break;
        assert_ok(mcts_advance(m, move, NULL));
    }
    assert_true(plies >= 5 && plies <= 9);
    mcts_free(m);
}

static void quiet_gumbel_is_the_same_for_every_game(void **state)
{
    (void)state;
    four s;
    judge j = {.g = &game_four, .salt = 3};
    mcts_evaluator e = {random_eval, &j};
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    move_t quiet[2];
    int loud = 0;
    move_t first = MOVE_NONE;
    for (uint64_t i = 0; i < 20; i++) {
        mcts_options o = {.gumbel = 5, .game = i, .gumbel_quiet = true, .gumbel_scale = 0.01f};
        mcts *m = tree(&game_four, &o);
        mcts_set_root(m, &s, 0);
        mcts_run(m, &e, 30);
        quiet[i > 0] = mcts_choose(m);
        if (i > 0) assert_int_equal(quiet[0], quiet[1]);
        mcts_free(m);
        o.gumbel_quiet = false;
        m = tree(&game_four, &o);
        mcts_set_root(m, &s, 0);
        mcts_run(m, &e, 30);
        if (i == 0) first = mcts_choose(m);
        loud += mcts_choose(m) != first;
        mcts_free(m);
    }
    assert_true(loud > 2);
}

// --- noise and forced playouts

static void noise_is_drawn_anew_at_each_root(void **state)
{
    (void)state;
    // At a reused root the priors of the moves change, their visits stay.
    four s;
    judge j = {.g = &game_four, .salt = 3};
    mcts_evaluator e = {random_eval, &j};
    assert_ok(four_init(&s, "", (game_key){0, 0}));
    mcts_options o = {.noise_epsilon = 0.5f, .noise_alpha = 1.0f, .seed = 4, .no_solver = true};
    mcts *m = tree(&game_four, &o);
    mcts_set_root(m, &s, 0);
    mcts_run(m, &e, 400);
    assert_sound(m);
    move_t move = mcts_choose(m);
    assert_ok(mcts_advance(m, move, NULL));
    mcts_move before[FOUR_W], after[FOUR_W];
    int n = mcts_moves(m, before);
    mcts_begin(m, 0, false);
    assert_int_equal(mcts_moves(m, after), n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        assert_int_equal(before[i].visits, after[i].visits);
        assert_true(before[i].prior != after[i].prior);
        sum += after[i].prior;
    }
    assert_true(fabs(sum - 1) < 1e-5);
    // A fast search leaves a new root as it is.
    mcts_run(m, &e, 100);
    assert_ok(mcts_advance(m, mcts_choose(m), NULL));
    n = mcts_moves(m, before);
    mcts_begin(m, 0, true);
    mcts_moves(m, after);
    for (int i = 0; i < n; i++) assert_true(before[i].prior == after[i].prior);
    mcts_free(m);
}

static void forced_playouts_are_played_and_taken_out_again(void **state)
{
    (void)state;
    judge j = {.g = &game_four, .salt = 21};
    mcts_evaluator e = {random_eval, &j};
    int pruned = 0, kept = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        four s;
        int ply = random_position(&game_four, "", seed, 2, &s);
        mcts_options o = {
            .noise_epsilon = 0.25f, .forced = 2, .game = seed, .no_solver = true, .leaves = 1 + (int)(seed % 2) * 3};
        mcts *m = tree(&game_four, &o);
        mcts_set_root(m, &s, ply);
        mcts_run(m, &e, 600);
        mcts_move moves[FOUR_W];
        int n = mcts_moves(m, moves), top = 0;
        for (int i = 0; i < n; i++) top = moves[i].visits > moves[top].visits ? i : top;
        float cs = 1.5f * sqrtf(601), level = moves[top].q + cs * moves[top].prior / (1 + (float)moves[top].visits);
        float total = 0;
        for (int i = 0; i < n; i++) {
            float forced = sqrtf(2 * moves[i].prior * 600);
            if (moves[i].visits > 0)
                assert_true((float)moves[i].visits >= floorf(forced) - 4); // K walks may be underway
            if (moves[i].policy == 0 && moves[i].visits > 0) pruned++;
            total += moves[i].policy;
        }
        assert_true(fabsf(total - 1) < 1e-5f);
        // What is kept of a move does not make it better than the best by PUCT.
        for (int i = 0; i < n; i++) {
            if (i == top || moves[i].policy == 0) continue;
            float left = moves[i].policy / moves[top].policy * (float)moves[top].visits;
            assert_true(left <= (float)moves[i].visits + 0.01f);
            if (left >= (float)moves[i].visits - 0.5f) continue;
            assert_true(moves[i].q + cs * moves[i].prior / (1 + left) <= level + 1e-3f);
            kept++;
        }
        mcts_free(m);
    }
    assert_true(pruned > 5 && kept > 5);
}

// Every position of the game: a move that is proven to win is chosen and takes the whole policy, forced playouts or not, and a
// lost one is not while another is there.
static void forced_playouts_heed_proofs(void **state)
{
    (void)state;
    judge j = {.g = ttt, .salt = 3};
    mcts_evaluator e = {random_eval, &j};
    mcts *m = tree(ttt, &(mcts_options){.forced = 2});
    int wins = 0, losses = 0;
    for (int code = 0; code < 19683; code += 7) {
        char text[10] = "---------", s[16];
        int stones[3] = {0};
        for (int i = 0, c = code; i < 9; i++, c /= 3) text[i] = "-XO"[c % 3], stones[c % 3]++;
        int more = stones[1] - stones[2];
        if (more < 0 || more > 1 || ttt->state_parse(text, s) != ERR_OK || ttt->result(s).over) continue;
        mcts_set_root(m, s, 9 - stones[0]);
        mcts_run(m, &e, 32);
        mcts_move moves[9];
        move_t best = mcts_choose(m);
        bool won = false, lost = false, others = false, is_won = false, is_lost = false;
        int n = mcts_moves(m, moves);
        for (int i = 0; i < n; i++) {
            bool chosen = moves[i].move == best;
            won = won || moves[i].proof == MCTS_WIN;
            lost = lost || moves[i].proof == MCTS_LOSS;
            others = others || moves[i].proof != MCTS_LOSS;
            is_won = is_won || (chosen && moves[i].proof == MCTS_WIN);
            is_lost = is_lost || (chosen && moves[i].proof == MCTS_LOSS);
        }
        for (int i = 0; i < n && won; i++) assert_true((moves[i].policy > 0) == (moves[i].proof == MCTS_WIN));
        assert_true(is_won || !won);
        assert_false(is_lost && others);
        wins += won, losses += lost && others;
    }
    assert_true(wins > 100 && losses > 50);
    mcts_free(m);
}

// --- temperature

static void temperature_chooses_but_does_not_teach(void **state)
{
    (void)state;
    enum { GAMES = 4000 };
    char s[16];
    judge j = {.g = ttt, .salt = 2};
    mcts_evaluator e = {random_eval, &j};
    assert_ok(ttt->init(s, "", (game_key){0, 0}));
    for (int k = 0; k < 2; k++) {
        float t = k ? 0.5f : 1.0f;
        mcts *m = tree(ttt, &(mcts_options){.temperature = t, .temperature_plies = 3, .no_solver = true});
        mcts_set_root(m, s, 0);
        mcts_run(m, &e, 60);
        move_t moves[9];
        float p[9];
        int n = mcts_policy(m, moves, p), count[9] = {0};
        mcts_move detail[9];
        mcts_moves(m, detail);
        for (int i = 0; i < n; i++)
            assert_true(fabsf(p[i] - (float)detail[i].visits / 60) < 1e-6f); // proportions, always
        for (uint64_t i = 0; i < GAMES; i++) {
            mcts_rekey(m, 9, i);
            count[mcts_choose(m)]++;
        }
        double sum = 0, chi = 0;
        for (int i = 0; i < n; i++) sum += pow(p[i], 1 / t);
        for (int i = 0; i < n; i++) {
            double expected = GAMES * pow(p[i], 1 / t) / sum;
            if (expected == 0)
                assert_int_equal(count[i], 0);
            else
                chi += (count[i] - expected) * (count[i] - expected) / expected;
        }
        assert_true(chi < 26.1);
        // From ply 3 on the most visited move, and targets are still proportions.
        mcts_set_root(m, s, 3);
        mcts_run(m, &e, 60);
        n = mcts_policy(m, moves, p);
        int top = 0, spread = 0;
        for (int i = 0; i < n; i++) {
            top = p[i] > p[top] ? i : top;
            spread += p[i] > 0;
        }
        for (uint64_t i = 0; i < 20; i++) {
            mcts_rekey(m, 9, i);
            assert_int_equal(mcts_choose(m), moves[top]);
        }
        assert_true(spread > 3);
        mcts_free(m);
    }
}

static void temperature_may_end_lower(void **state)
{
    (void)state;
    enum { GAMES = 3000 };
    char s[16];
    judge j = {.g = ttt, .salt = 2};
    mcts_evaluator e = {random_eval, &j};
    mcts_options o = {.temperature = 1, .temperature_plies = 3, .temperature_end = 0.5f, .no_solver = true};
    assert_ok(ttt->init(s, "", (game_key){0, 0}));
    mcts *m = tree(ttt, &o);
    for (int ply = 2; ply < 4; ply++) {
        move_t moves[9];
        float p[9];
        mcts_set_root(m, s, ply);
        mcts_run(m, &e, 60);
        int n = mcts_policy(m, moves, p), count[9] = {0}, top = 0;
        for (uint64_t i = 0; i < GAMES; i++) {
            mcts_rekey(m, 9, i);
            count[mcts_choose(m)]++;
        }
        double sum = 0, t = ply < 3 ? 1 : 0.5;
        for (int i = 0; i < n; i++) sum += pow(p[i], 1 / t), top = p[i] > p[top] ? i : top;
        double share = pow(p[top], 1 / t) / sum, error = 4 * sqrt(share * (1 - share) / GAMES);
        assert_true(fabs((double)count[top] / GAMES - share) < error);
    }
    mcts_free(m);
    assert_err(mcts_new(ttt, &(mcts_options){.temperature_end = -1}, &m), "temperature_end");
}

// --- proven draws beside open moves

static void a_sure_draw_beats_a_doubtful_move(void **state)
{
    (void)state;
    int drawn = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        four s;
        int ply = random_position(&game_four, "", seed, 12, &s);
        judge j = {.g = &game_four, .salt = seed};
        mcts_evaluator e = {random_eval, &j};
        mcts *m = tree(&game_four, &(mcts_options){0});
        mcts_set_root(m, &s, ply);
        for (int round = 0; round < 30 && !(round > 0 && mcts_done(m) && mcts_statistics(m).proof); round++) {
            mcts_run(m, &e, 10);
            mcts_move moves[FOUR_W];
            int n = mcts_moves(m, moves);
            bool sure = false;
            move_t choice = mcts_choose(m);
            for (int i = 0; i < n; i++) sure = sure || moves[i].proof == MCTS_DRAW;
            if (!sure || mcts_statistics(m).proof != MCTS_UNPROVEN) continue;
            drawn++;
            assert_true(mcts_value(m) >= 0); // never below what is sure
            for (int i = 0; i < n; i++) {
                if (moves[i].move == choice) assert_true(moves[i].q >= 0);
                if (moves[i].q < 0) assert_true(moves[i].policy == 0);
            }
        }
        mcts_free(m);
    }
    assert_true(drawn > 20);
}

// --- hidden information

// An evaluator blind to wipe-outs: all its prior is on one square, and it likes every position.
static void blind_eval(void *ctx, const mcts_batch *b)
{
    const move_t *liked = ctx;
    for (int i = 0; i < b->n; i++) {
        b->values[i] = 0.5f;
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = b->moves[i][k] == *liked ? 1.0f : 1e-6f;
    }
}

// From a game in which a good network was wiped out after 15 plies: c7 loses to c8 at once.
static void a_win_at_once_is_seen_whatever_the_network_thinks(void **state)
{
    (void)state;
    static const char *const played[] = {"d3", "c3", "e6", "f6", "b3", "c5", "c6", "e3", "g7", "c4", "f3", "d6", "d7"};
    const game *g;
    assert_ok(game_find("othello", &g));
    char s[256];
    assert_true(g->state_size <= sizeof s);
    assert_ok(g->init(s, "", (game_key){0, 0}));
    move_t move, c7, c8;
    for (size_t i = 0; i < sizeof played / sizeof *played; i++) {
        assert_ok(g->move_parse(s, played[i], &move));
        g->play(s, move, NULL);
    }
    assert_ok(g->move_parse(s, "c7", &c7));
    mcts_evaluator e = {blind_eval, &c7};
    for (int tries = 0; tries <= 16; tries += 16) {
        mcts *m = tree(g, &(mcts_options){.gumbel = tries}), *blind = tree(g, &(mcts_options){.no_solver = true});
        mcts_set_root(m, s, 13);
        mcts_set_root(blind, s, 13);
        mcts_run(m, &e, 50);
        mcts_run(blind, &e, 50);
        assert_int_equal(mcts_choose(blind), c7);
        assert_int_not_equal(mcts_choose(m), c7);
        assert_sound(m);
        assert_ok(mcts_advance(m, c7, NULL)); // a kept tree has no moves here, and gets them
        assert_ok(g->move_parse(m->root_state, "c8", &c8));
        mcts_run(m, &e, 50);
        assert_int_equal(mcts_choose(m), c8);
        assert_int_equal(mcts_statistics(m).proof, MCTS_WIN);
        assert_true(mcts_statistics(m).sims <= 2);
        mcts_free(m);
        mcts_free(blind);
    }
}

static void unknown_eval(void *ctx, const mcts_batch *b)
{
    judge *j = ctx;
    count_batch(j, b);
    for (int i = 0; i < b->n; i++) assert_int_equal(((const lots *)b->obs[i])->number, 255); // only what a seat may see
}

static void hidden_games_are_searched_by_samples(void **state)
{
    (void)state;
    for (int leaves = 1; leaves <= 8; leaves += 7) {
        lots s, obs;
        judge j = {0};
        mcts_evaluator e = {unknown_eval, &j};
        assert_ok(lots_init(&s, "", (game_key){1, 2}));
        game_observe(&game_lots, &s, 0, &obs);
        mcts *m = tree(&game_lots, &(mcts_options){.leaves = leaves, .seed = 3});
        mcts_set_root(m, &obs, 0);
        mcts_run(m, &e, 4000);
        assert_sound(m);
        mcts_move moves[5];
        assert_int_equal(mcts_moves(m, moves), 2);
        // "Low" wins 0.6 of the numbers, "high" 0.4; seat 1 learns not to fold.
        assert_true(fabsf(moves[0].q - 0.2f) < 0.1f);
        assert_true(moves[1].q < 0.1f && moves[1].q > -0.5f);
        assert_int_equal(mcts_choose(m), 0);
        assert_int_equal(mcts_statistics(m).visits, 4001);
        assert_int_equal(mcts_statistics(m).proof, MCTS_UNPROVEN);
        // The node behind "low" knows all answers that any sample allowed, and folding is the least visited.
        const node *root = node_at(m, m->root), *next = node_at(m, node_edges(m, root).child[0]);
        assert_int_equal(next->n_edges, 3);
        assert_int_equal(next->seat, 1);
        edges x = node_edges(m, next);
        uint32_t n[5] = {0};
        for (int i = 0; i < 3; i++) n[node_moves(m, next)[i]] = x.n[i];
        assert_true(n[3] < n[2] && n[3] < n[4]);
        assert_int_equal(node_moves(m, root)[0], 0);
        mcts_free(m);
    }
}

static void hidden_games_advance_by_observation(void **state)
{
    (void)state;
    judge j = {0};
    mcts_evaluator e = {unknown_eval, &j};
    for (uint64_t number = 0; number < 20; number++) {
        lots s, obs;
        assert_ok(lots_init(&s, "", (game_key){1, number}));
        game_observe(&game_lots, &s, 0, &obs);
        mcts *m = tree(&game_lots, &(mcts_options){.gumbel = number % 2 ? 2 : 0, .noise_epsilon = 0.25f, .leaves = 3});
        mcts_set_root(m, &obs, 0);
        mcts_run(m, &e, 200);
        assert_err(mcts_advance(m, mcts_choose(m), NULL), "observation");
        lots_play(&s, mcts_choose(m), NULL);
        game_observe(&game_lots, &s, 1, &obs);
        assert_ok(mcts_advance(m, mcts_choose(m), &obs));
        mcts_run(m, &e, 50);
        assert_sound(m);
        mcts_free(m);
    }
}

static void hidden_searches_repeat(void **state)
{
    (void)state;
    mcts_move a[5], b[5], c[5];
    for (int k = 0; k < 3; k++) {
        lots obs = {.number = 255};
        judge j = {0};
        mcts_evaluator e = {unknown_eval, &j};
        mcts *m = tree(&game_lots, &(mcts_options){.seed = k == 2 ? 8 : 7, .leaves = 2, .memory = 1});
        mcts_set_root(m, &obs, 0);
        mcts_run(m, &e, 500);
        mcts_moves(m, k == 0 ? a : k == 1 ? b : c);
        mcts_free(m);
    }
    assert_memory_equal(a, b, 2 * sizeof *a);
    assert_true(memcmp(a, c, 2 * sizeof *a) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gumbel_halves_by_the_table),
        cmocka_unit_test(gumbel_samples_the_prior),
        cmocka_unit_test(gumbel_policy_improves_on_the_prior),
        cmocka_unit_test(gumbel_does_not_depend_on_leaves_in_flight_at_a_glance),
        cmocka_unit_test(gumbel_finds_proven_wins_and_reuses_its_tree),
        cmocka_unit_test(quiet_gumbel_is_the_same_for_every_game),
        cmocka_unit_test(noise_is_drawn_anew_at_each_root),
        cmocka_unit_test(forced_playouts_are_played_and_taken_out_again),
        cmocka_unit_test(forced_playouts_heed_proofs),
        cmocka_unit_test(temperature_chooses_but_does_not_teach),
        cmocka_unit_test(temperature_may_end_lower),
        cmocka_unit_test(a_sure_draw_beats_a_doubtful_move),
        cmocka_unit_test(a_win_at_once_is_seen_whatever_the_network_thinks),
        cmocka_unit_test(hidden_games_are_searched_by_samples),
        cmocka_unit_test(hidden_games_advance_by_observation),
        cmocka_unit_test(hidden_searches_repeat),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
