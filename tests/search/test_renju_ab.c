// The renju engine and its levels: nothing overlooked at one ply, short wins by fours always played, repeatable choices.
#include "agents/agent.h"
#include "base/clock.h"
#include "search/renju/renju_ab_inner.h"
#include "search/renju/renju_vcf.h"
#include "test.h"

#include <math.h>
#include <time.h>

static const char *const names[] = {"renju", "gomoku", "freestyle", "freestyle20"};

// Stones in a square of the middle, as many as asked; false when the game is over on the way.
static bool random_position(const game *g, uint64_t k, int stones, int radius, rj_any_state *s)
{
    rng r = rng_at(4711, k, 0);
    int size = g->cols, middle = size / 2, tries = 0;
    memset(s, 0, sizeof *s);
    assert_ok(g->init(s, "", (game_key){0, 0}));
    while (s->s.reason == REASON_NONE && stones > 0 && tries++ < 1000) {
        int x = middle - radius + (int)rng_below(&r, (uint32_t)(2 * radius + 1));
        int y = middle - radius + (int)rng_below(&r, (uint32_t)(2 * radius + 1)), p = y * size + x;
        int words = rj_variants[s->s.variant].words;
        if ((s->s.stones[p / 64] | s->s.stones[words + p / 64]) >> p % 64 & 1) continue;
        g->play(s, (move_t)p, NULL);
        stones--;
    }
    return s->s.reason == REASON_NONE && stones == 0;
}

static void test_one_ply(void **state)
{
    (void)state;
    rj_board *b = malloc(sizeof *b);
    int wins = 0, blocks = 0;
    for (int v = 0; v < 4; v++) {
        const game *g;
        agent *a;
        assert_ok(game_find(names[v], &g));
        assert_ok(agent_open(&a, g, "hard:hash=12"));
        agent_begin(a, (game_key){1, 1}, 0);
        int seen = 0;
        for (uint64_t k = 0; seen < 2500; k++) {
            rj_any_state s;
            if (!random_position(g, k, 16 + (int)(k % 40), 4, &s)) continue;
            rj_board_load(b, &s.s);
            int me = b->side;
            bool win = b->count[me][RJ_FIVE] > 0, block = !win && b->count[me ^ 1][RJ_FIVE] == 1;
            if (!win && !block) continue;
            uint16_t five[RJ_MAX_POINTS];
            rj_points(b, me ^ 1, RJ_FIVE, RJ_FIVE, five);
            if (block && me == RJ_BLACK && rj_foul_at(b, five[0]) != RJ_FINE) continue; // lost anyway
            agent_choice c;
            assert_ok(agent_choose(a, &s, &c));
            if (win) assert_int_equal(rj_class_at(b, me, c.move), RJ_FIVE);
            if (block) assert_int_equal(c.move, five[0]);
            wins += win;
            blocks += block;
            seen++;
        }
        agent_close(a);
    }
    assert_int_equal(wins + blocks, 10000);
    assert_true(wins > 1000 && blocks > 1000);
    free(b);
}

// Does the side to move still win by fours after this move?
static bool keeps_win(rj_vcf *v, rj_board *b, int p)
{
    int me = b->side;
    bool five = rj_class_at(b, me, p) == RJ_FIVE, win = false;
    uint16_t answer[RJ_MAX_POINTS];
    rj_play(b, p);
    int fives = rj_points(b, me, RJ_FIVE, RJ_FIVE, answer);
    if (fives > 0 && b->count[me ^ 1][RJ_FIVE] == 0) {
        win = fives > 1 || (b->side == RJ_BLACK && rj_foul_at(b, answer[0]) != RJ_FINE);
        if (!win) {
            rj_play(b, answer[0]);
            win = rj_vcf_solve(v, b, &(rj_vcf_limits){.any = true}, NULL) == RJ_VCF_WIN;
            rj_undo(b);
        }
    }
    rj_undo(b);
    return five || win;
}

static void test_short_vcf(void **state)
{
    (void)state;
    rj_board *b = malloc(sizeof *b);
    rj_vcf *v;
    int lengths[8] = {0};
    assert_ok(rj_vcf_new(&v, 14));
    for (int i = 0; i < 4; i++) {
        const game *g;
        agent *a;
        assert_ok(game_find(names[i], &g));
        assert_ok(agent_open(&a, g, "hard:hash=12"));
        agent_begin(a, (game_key){1, 1}, 0);
        rj_vcf_forget(v);
        int wanted = i == 0 ? 700 : 100, found = 0;
        for (uint64_t k = 0; found < wanted; k++) {
            rj_any_state s;
            rj_line l;
            if (!random_position(g, k + 1000000, 20 + (int)(k % 30), 4, &s)) continue;
            rj_board_load(b, &s.s);
            if (rj_vcf_solve(v, b, &(rj_vcf_limits){.moves = 7}, &l) != RJ_VCF_WIN) continue;
            if (l.length == 1 && k % 8 != 0) continue; // too easy to be asked often
            agent_choice c;
            assert_ok(agent_choose(a, &s, &c));
            assert_true(keeps_win(v, b, c.move));
            assert_true(c.value > 0.99f);
            lengths[l.length]++;
            found++;
        }
        agent_close(a);
    }
    for (int n = 1; n <= 5; n++) assert_true(lengths[n] > 0);
    rj_vcf_free(v);
    free(b);
}

static void test_repeatable(void **state)
{
    (void)state;
    for (int v = 0; v < 4; v++) {
        const game *g;
        agent *a;
        rj_any_state s;
        agent_choice one, two;
        assert_ok(game_find(names[v], &g));
        assert_ok(agent_open(&a, g, "alphabeta:nodes=3000"));
        assert_true(random_position(g, 5, 12, 3, &s));
        agent_begin(a, (game_key){1, 1}, 0);
        assert_ok(agent_choose(a, &s, &one));
        agent_begin(a, (game_key){1, 1}, 0);
        assert_ok(agent_choose(a, &s, &two));
        assert_int_equal(one.move, two.move);
        assert_int_equal(one.nodes, two.nodes);
        assert_string_equal(one.text, two.text);
        assert_true(one.nodes >= 1000 && one.nodes <= 3200);
        agent_close(a);
    }
}

static void test_lines(void **state)
{
    (void)state;
    const game *g;
    agent *a;
    rj_any_state s;
    agent_choice line[5];
    int n;
    assert_ok(game_find("renju", &g));
    assert_ok(agent_open(&a, g, "alphabeta:nodes=20000"));
    memset(&s, 0, sizeof s);
    assert_ok(g->state_parse("h8 i9 g7 h10", &s));
    agent_begin(a, (game_key){1, 1}, 0);
    assert_ok(agent_analyse(a, &s, 5, line, &n));
    assert_int_equal(n, 5);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) assert_int_not_equal(line[i].move, line[k].move);
        if (i > 0) assert_true(line[i].value <= line[i - 1].value);
        assert_true(strlen(line[i].text) > 5);
    }
    // The empty board, and a single point left.
    assert_ok(g->init(&s, "", (game_key){1, 1}));
    assert_ok(agent_choose(a, &s, line));
    assert_int_equal(line[0].move, 112);
    agent_close(a);
    // Without any limit there is one.
    assert_ok(agent_open(&a, g, "alphabeta:depth=0,nodes=0"));
    assert_ok(g->state_parse("h8 i9 g7 h10", &s));
    agent_begin(a, (game_key){1, 1}, 0);
    assert_ok(agent_choose(a, &s, line));
    assert_in_range(line[0].nodes, 100000, 201000);
    agent_close(a);
    assert_err(agent_open(&a, g, "hard:depth=99"), "depth");
}

static void count_unsorted(void *ctx, const rj_ab_line *line, int n)
{
    int *wrong = ctx;
    for (int i = 1; i < n; i++) *wrong += line[i].score > line[i - 1].score;
}

// What is told while it thinks has the best line first, at every depth.
static void test_lines_on_the_way(void **state)
{
    (void)state;
    const game *g;
    rj_ab *e;
    rj_ab_options o = rj_ab_defaults();
    int wrong = 0;
    assert_ok(game_find("renju", &g));
    assert_ok(rj_ab_new(&e, RJ_RENJU, 15, &o));
    for (uint64_t k = 0; k < 20; k++) {
        rj_any_state s;
        rj_ab_line line[5];
        if (!random_position(g, k, 8, 3, &s)) continue;
        rj_ab_search(e, &s.s, &(rj_ab_limits){.nodes = 20000, .each = count_unsorted, .each_ctx = &wrong}, 5, line);
    }
    assert_int_equal(wrong, 0);
    rj_ab_free(e);
}

static void test_clock(void **state)
{
    (void)state;
    const game *g;
    agent *a;
    rj_any_state s;
    agent_choice c;
    assert_ok(game_find("freestyle", &g));
    assert_ok(agent_open(&a, g, "alphabeta:nodes=0,ms=100000"));
    assert_true(random_position(g, 5, 6, 2, &s));
    agent_begin(a, (game_key){1, 1}, 0);
    a->clock = (agent_clock){.turn = 0.1};
    double start = clock_seconds();
    assert_ok(agent_choose(a, &s, &c));
    assert_true(clock_seconds() - start < 5); // generous: the machine may be busy
    assert_true(c.depth >= 1);
    agent_close(a);
}

// A clock alone is the limit: the time is used, not 200,000 positions.
static void test_uses_its_time(void **state)
{
    (void)state;
    const game *g;
    agent *a;
    rj_any_state s;
    agent_choice c;
    assert_ok(game_find("renju", &g));
    memset(&s, 0, sizeof s);
    assert_ok(g->state_parse("h8 h9 h7 g7 g9 i8 i6", &s)); // quiet
    assert_ok(agent_open(&a, g, "alphabeta"));
    agent_begin(a, (game_key){1, 1}, 0);
    a->clock = (agent_clock){.turn = 1};
    double start = clock_seconds();
    assert_ok(agent_choose(a, &s, &c));
    assert_true(clock_seconds() - start > 0.8);
    agent_close(a);
}

// `ms` alone is the limit of a move whose outcome is not proved: it is used, and not exceeded. How much a busy machine grants of it is
// not the engine's choice, so the lower bound is in wall time and the upper one in CPU time.
static void test_uses_its_milliseconds(void **state)
{
    (void)state;
    static const char *const quiet[] = {"h8 h9 h7 g7 g9 i8 i6", "h8 i9 j9 i7 i8 j8 h7 g6",
                                        "h8 i9 j8 k8 i7 k9 h9 k6 k10"};
    const game *g;
    agent *a;
    assert_ok(game_find("renju", &g));
    assert_ok(agent_open(&a, g, "alphabeta:ms=200"));
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        rj_any_state s;
        agent_choice c;
        memset(&s, 0, sizeof s);
        assert_ok(g->state_parse(quiet[i], &s));
        agent_begin(a, (game_key){1, 1}, 0);
        double start = clock_seconds();
        clock_t cpu = clock();
        assert_ok(agent_choose(a, &s, &c));
        double wall = clock_seconds() - start, used = (double)(clock() - cpu) / CLOCKS_PER_SEC;
        if (wall < 0.19 || used > 0.25) fail_msg("%s: %.3f s, %.3f of CPU time", quiet[i], wall, used);
        assert_true(c.value > 0 && c.value < 1);
    }
    agent_close(a);
}

// Each search is stopped while a new move, better than the window allowed, is searched again. That move is played, not the
// best one of the depth before.
static void test_stopped_after_a_better_move(void **state)
{
    (void)state;
    static const struct {
        const char *moves;
        uint64_t nodes;
        const char *best, *before;
    } rows[] = {
        {"f7 f5 j7 g10 k10 j6 j8", 5000, "g6", "h7"},
        {"j7 g10 h8 i9 i8 h10 k7", 5000, "g11", "f10"},
        {"j7 k6 h6 h7 j5 i10 i7", 5000, "i5", "j8"},
    };
    const game *g;
    rj_ab *e;
    rj_ab_options o = rj_ab_defaults();
    o.by_scores = true; // whatever is learned, the rows stay
    assert_ok(game_find("renju", &g));
    assert_ok(rj_ab_new(&e, RJ_RENJU, 15, &o));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rj_any_state s;
        rj_ab_line l;
        char text[8];
        memset(&s, 0, sizeof s);
        assert_ok(g->state_parse(rows[i].moves, &s));
        rj_ab_forget(e);
        rj_ab_search(e, &s.s, &(rj_ab_limits){.nodes = rows[i].nodes}, 1, &l);
        g->move_print(&s, l.move[0], text, sizeof text);
        if (strcmp(text, rows[i].before) == 0) fail_msg("%s: the move of the depth before", rows[i].moves);
        assert_string_equal(text, rows[i].best);
    }
    rj_ab_free(e);
}

// Where a straight or double four is threatened, a move that is not listed leaves the threat as it was.
static void test_answers_to_threats(void **state)
{
    (void)state;
    int seen = 0, listed = 0, others = 0;
    for (int v = 0; v < 4; v++) {
        const game *g;
        rj_ab *e;
        rj_ab_options o = rj_ab_defaults();
        o.hash = 10;
        assert_ok(game_find(names[v], &g));
        assert_ok(rj_ab_new(&e, rj_variants[v].rule, rj_variants[v].size, &o));
        for (uint64_t k = 0; k < 5000; k++) {
            rj_any_state s;
            if (!random_position(g, k, 10 + (int)(k % 30), 4, &s)) continue;
            rj_board *b = &e->b;
            rj_board_set(b, s.s.stones, s.s.stones + rj_variants[v].words, s.s.side);
            const uint16_t *own = b->count[b->side], *other = b->count[b->side ^ 1];
            if (own[RJ_FIVE] + other[RJ_FIVE] + own[RJ_WINNING] > 0 || other[RJ_WINNING] == 0) continue;
            rj_pick move[RJ_MAX_POINTS];
            bool in[RJ_MAX_POINTS] = {false};
            int n = rj_ab_moves(e, RJ_NO_POINT, 0, move);
            for (int i = 0; i < n; i++) in[move[i].point] = true;
            seen++;
            listed += n;
            for (int p = 0; p < b->points; p++) {
                if (b->stone[p] != RJ_EMPTY || in[p]) continue;
                if (b->side == RJ_BLACK && rj_foul_at(b, p) != RJ_FINE) continue;
                int me = b->side;
                rj_play(b, p);
                assert_true(b->count[me][RJ_FIVE] == 0);
                assert_true(b->count[me ^ 1][RJ_WINNING] > 0);
                rj_undo(b);
                others++;
            }
        }
        rj_ab_free(e);
    }
    printf("%d threats, %.1f answers each, %d other moves\n", seen, (double)listed / seen, others);
    assert_true(seen > 300 && others > 30000);
}

// What the hidden layer adds, by its definition and in floating point.
static double layer_of(const rj_weights *w, const rj_board *b, int mover, int waiting, int value)
{
    int16_t in[RJ_W_INPUTS];
    double sum = w->output[RJ_W_HIDDEN] / (double)RJ_W_LINK;
    rj_hidden_inputs(
        &(rj_hidden_view){b->count[b->side], b->count[b->side ^ 1], b->side, b->placed, mover, waiting, value}, in);
    for (int k = 0; k < RJ_W_HIDDEN; k++) {
        double unit = 0;
        for (int i = 0; i < RJ_W_INPUTS; i++) unit += (double)in[i] / RJ_W_INPUT * w->hidden[i][k] / RJ_W_LINK;
        if (unit > 0) sum += unit * w->output[k] / RJ_W_LINK;
    }
    return RJ_W_LOGIT * sum;
}

// The sums that the board keeps, two in one number, are those of the learned tables.
static void test_evaluation(void **state)
{
    (void)state;
    for (int v = 0; v < 4; v++) {
        const game *g;
        rj_ab *e;
        rj_ab_options o = rj_ab_defaults();
        o.hash = 10;
        assert_ok(game_find(names[v], &g));
        assert_ok(rj_ab_new(&e, rj_variants[v].rule, rj_variants[v].size, &o));
        const rj_weights *w = &rj_weights_of[rj_variants[v].rule];
        bool learned = false, layered = false;
        for (uint64_t k = 0; k < 300; k++) {
            rj_any_state s;
            if (!random_position(g, k, 4 + (int)(k % 40), 4, &s)) continue;
            rj_board *b = &e->b;
            rj_board_set(b, s.s.stones, s.s.stones + rj_variants[v].words, s.s.side);
            int sum = w->threat[b->side][rj_threats(b)], sums[2] = {0};
            for (int p = 0; p < b->points; p++)
                for (int waits = 0; waits < 2 && b->stone[p] == RJ_EMPTY; waits++) {
                    uint8_t index[RJ_W_USED];
                    int c = b->side ^ waits, value = 0;
                    rj_weight_indices(rj_key_at(b, c, p), index);
                    for (int i = 0; i < RJ_W_USED; i++) value += w->value[c][waits][index[i]];
                    value /= RJ_W_UNIT;
                    value = value > 400 ? 400 : value < -400 ? -400 : value;
                    sums[waits] += value;
                }
            sum += sums[0] - sums[1];
            double more = layer_of(w, b, sums[0], sums[1], sum);
            if (fabs(rj_eval(e) - (sum + more)) > 2) fail_msg("%d for %d and %.1f", rj_eval(e), sum, more);
            learned |= sum != 0;
            layered |= fabs(more) > 10;
        }
        assert_true(learned);
        assert_true(layered);
        rj_ab_free(e);
    }
}

static void test_candidates(void **state)
{
    (void)state;
    for (int v = 0; v < 4; v++) {
        const game *g;
        rj_ab *e;
        rj_ab_options o = rj_ab_defaults();
        o.hash = 10;
        assert_ok(game_find(names[v], &g));
        assert_ok(rj_ab_new(&e, rj_variants[v].rule, rj_variants[v].size, &o));
        for (uint64_t k = 0; k < 200; k++) {
            rj_any_state s;
            if (!random_position(g, k, 1 + (int)(k % 20), g->cols / 2 - 1, &s)) continue;
            rj_board_set(&e->b, s.s.stones, s.s.stones + rj_variants[v].words, s.s.side);
            for (int distance = 1; distance <= 3; distance++) {
                uint64_t fast[RJ_MAX_WORDS] = {0}, slow[RJ_MAX_WORDS] = {0};
                rj_candidates(e, distance, fast);
                rj_near(&e->b, distance, slow);
                assert_memory_equal(fast, slow, (size_t)rj_variants[v].words * sizeof *fast);
            }
        }
        rj_ab_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_one_ply),
        cmocka_unit_test(test_short_vcf),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_lines_on_the_way),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_uses_its_time),
        cmocka_unit_test(test_uses_its_milliseconds),
        cmocka_unit_test(test_answers_to_threats),
        cmocka_unit_test(test_evaluation),
        cmocka_unit_test(test_stopped_after_a_better_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
