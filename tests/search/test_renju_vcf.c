// Wins by fours and by threats: against published problems, a naive search that knows only the referee, and every reply.
#include "base/clock.h"
#include "games/game.h"
#include "search/renju/renju_problems.h"
#include "search/renju/renju_stop.h"
#include "search/renju/renju_vcf.h"
#include "search/renju/renju_vct.h"
#include "test.h"

static char *read_all(const char *name)
{
    FILE *f = open_data_or_skip(name);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    assert_true(n > 0);
    return text;
}

static void test_published(void **state)
{
    (void)state;
    char *text = read_all("renju/vcf.txt"), why[200];
    rj_problem *p;
    int n, known = 0, all = 0;
    rj_vcf *v;
    rj_board *b = malloc(sizeof *b);
    assert_ok(rj_problems_read(text, &p, &n));
    assert_ok(rj_vcf_new(&v, 18));
    for (int i = 0; i < n; i++) {
        if (p[i].threes) continue;
        rj_line l;
        rj_vcf_forget(v);
        rj_problem_board(&p[i], b);
        assert_int_equal(rj_vcf_solve(v, b, &(rj_vcf_limits){.any = p[i].length == 0}, &l), RJ_VCF_WIN);
        if (p[i].length > 0) assert_int_equal(l.length, p[i].length);
        if (!rj_line_wins(&p[i], l.move, l.n, why, sizeof why)) fail_msg("%s: %s", p[i].id, why);
        // The published line is one of fours, too: the check itself is checked.
        if (p[i].length > 0 && !rj_line_wins(&p[i], p[i].line, p[i].n_line, why, sizeof why))
            fail_msg("%s as listed: %s", p[i].id, why);
        known += p[i].length > 0;
        all++;
    }
    assert_int_equal(n, 25);
    assert_int_equal(all, 15);
    assert_int_equal(known, 12);
    rj_vcf_free(v);
    free(p);
    free(b);
    free(text);
}

// --- a naive search through the game table

static int wins_at_once(const game *g, const rj_any_state *s, int side, move_t *out)
{
    rj_any_state turned = *s;
    move_t legal[RJ_MAX_POINTS];
    turned.s.side = (uint8_t)side;
    int n = g->legal(&turned, legal), found = 0;
    for (int i = 0; i < n; i++) {
        rj_any_state next = turned;
        g->play(&next, legal[i], NULL);
        outcome o = g->result(&next);
        if (o.over && o.score[side] > 0.75f) out[found++] = legal[i];
    }
    return found;
}

static bool naive(const game *g, const rj_any_state *s, int left)
{
    move_t five[RJ_MAX_POINTS], legal[RJ_MAX_POINTS];
    int me = s->s.side, n = g->legal(s, legal);
    if (wins_at_once(g, s, me, five) > 0) return true;
    if (left == 0) return false;
    for (int i = 0; i < n; i++) {
        rj_any_state next = *s;
        g->play(&next, legal[i], NULL);
        if (g->result(&next).over) continue;
        int fives = wins_at_once(g, &next, me, five);
        move_t other[RJ_MAX_POINTS];
        if (fives == 0 || wins_at_once(g, &next, me ^ 1, other) > 0) continue;
        if (fives > 1) return true;
        g->play(&next, five[0], NULL);
        outcome o = g->result(&next);
        if (o.over && o.score[me] > 0.75f) return true;
        if (!o.over && left > 1 && naive(g, &next, left - 1)) return true;
    }
    return false;
}

// Stones in the middle, so that there is something to find; false when the game is over on the way.
static bool random_position(const game *g, uint64_t k, rj_any_state *s)
{
    rng r = rng_at(77, k, 0);
    int stones = 14 + (int)rng_below(&r, 20), size = g->cols, middle = size / 2;
    assert_ok(g->init(s, "", (game_key){0, 0}));
    while (stones > 0) {
        int x = middle - 4 + (int)rng_below(&r, 9), y = middle - 4 + (int)rng_below(&r, 9);
        move_t m = (move_t)(y * size + x), legal[RJ_MAX_POINTS];
        int n = g->legal(s, legal), i = 0;
        while (i < n && legal[i] != m) i++;
        if (i == n) continue;
        g->play(s, m, NULL);
        if (g->result(s).over) return false;
        stones--;
    }
    return true;
}

static void test_naive(void **state)
{
    (void)state;
    static const char *const names[] = {"renju", "gomoku", "freestyle", "freestyle20"};
    rj_vcf *v;
    rj_board *b = malloc(sizeof *b);
    assert_ok(rj_vcf_new(&v, 14));
    int wins = 0, losses = 0;
    for (int k = 0; k < 240; k++) {
        const game *g;
        rj_any_state s;
        assert_ok(game_find(names[k % 8 < 5 ? 0 : k % 8 - 4], &g));
        memset(&s, 0, sizeof s);
        if (!random_position(g, (uint64_t)k, &s)) continue;
        rj_vcf_forget(v);
        rj_board_load(b, &s.s);
        rj_line l;
        int moves = 1 + k % 3;
        bool found = rj_vcf_solve(v, b, &(rj_vcf_limits){.moves = moves}, &l) == RJ_VCF_WIN;
        assert_true(rj_board_ok(b));
        assert_int_equal(b->n_frames, 0);
        assert_int_equal(found, naive(g, &s, moves));
        if (found && l.length > 1) assert_false(naive(g, &s, l.length - 1));
        wins += found;
        losses += !found;
    }
    assert_true(wins > 30 && losses > 30);
    rj_vcf_free(v);
    free(b);
}

static void test_threats_published(void **state)
{
    (void)state;
    // The two that take millions of positions are left to `keiko solve renju`.
    static const char *const solved[] = {"006", "007", "008", "009", "010", "011", "013", "014"};
    char *text = read_all("renju/vcf.txt"), why[200];
    rj_problem *p;
    int n, found = 0;
    rj_vct *v;
    rj_board *b = malloc(sizeof *b);
    assert_ok(rj_problems_read(text, &p, &n));
    assert_ok(rj_vct_new(&v, 18));
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof solved / sizeof *solved; k++) {
            if (strcmp(p[i].id, solved[k]) != 0) continue;
            rj_line l;
            rj_vct_forget(v);
            rj_problem_board(&p[i], b);
            assert_int_equal(rj_vct_solve(v, b, 8000000, 0, &l), RJ_VCF_WIN);
            if (!rj_line_legal(&p[i], l.move, l.n, why, sizeof why)) fail_msg("%s: %s", p[i].id, why);
            assert_true(rj_board_ok(b));
            found++;
        }
    assert_int_equal(found, 8);
    rj_vct_free(v);
    free(p);
    free(b);
    free(text);
}

// Whatever is not listed as a defence must leave the threatened win by fours standing.
static void test_stops(void **state)
{
    (void)state;
    static const char *const names[] = {"renju", "gomoku", "freestyle", "freestyle20"};
    rj_vcf *v;
    rj_board *b = malloc(sizeof *b);
    assert_ok(rj_vcf_new(&v, 14));
    int threats = 0, traps = 0;
    for (int k = 0; k < 1500; k++) {
        const game *g;
        rj_any_state s;
        rj_line l;
        assert_ok(game_find(names[k % 8 < 5 ? 0 : k % 8 - 4], &g));
        memset(&s, 0, sizeof s);
        if (!random_position(g, 9000 + (uint64_t)k, &s)) continue;
        rj_vcf_forget(v);
        rj_board_load(b, &s.s);
        if (b->count[0][RJ_FIVE] + b->count[1][RJ_FIVE] > 0) continue;
        rj_pass(b);
        rj_vcf_solve(v, b, &(rj_vcf_limits){.any = k % 2, .nodes = 5000}, &l);
        rj_undo(b);
        if (l.length == 0) continue;
        uint16_t stop[RJ_MAX_POINTS];
        bool listed[RJ_MAX_POINTS] = {false};
        int n = rj_stops(b, &l, stop);
        assert_true(rj_board_ok(b));
        assert_int_equal(b->n_frames, 0);
        for (int i = 0; i < n; i++) {
            assert_false(listed[stop[i]]);
            listed[stop[i]] = true;
        }
        for (int p = 0; p < b->points; p++)
            if (b->stone[p] == RJ_EMPTY && !listed[p] && rj_foul_at(b, p) * (b->side == RJ_BLACK) == RJ_FINE)
                assert_true(rj_line_holds(b, &l, p));
        threats++;
        traps += b->rule == RJ_RENJU && b->side == RJ_BLACK;
    }
    assert_true(threats > 200 && traps > 50);
    rj_vcf_free(v);
    free(b);
}

// A win by threats must hold against every reply on the board, not only those the search thought of.
static void test_threats_hold(void **state)
{
    (void)state;
    static const char *const names[] = {"renju", "gomoku", "freestyle", "freestyle20"};
    rj_vct *v;
    rj_vcf *fours;
    rj_board *b = malloc(sizeof *b);
    assert_ok(rj_vct_new(&v, 14));
    assert_ok(rj_vcf_new(&fours, 12));
    for (int i = 0; i < 4; i++) {
        const game *g;
        assert_ok(game_find(names[i], &g));
        rj_vct_forget(v);
        rj_vcf_forget(fours);
        int wanted = i == 0 ? 16 : 4;
        for (uint64_t k = 0; wanted > 0; k++) {
            rj_any_state s;
            rj_line l;
            memset(&s, 0, sizeof s);
            if (!random_position(g, 5000 + k, &s)) continue;
            rj_board_load(b, &s.s);
            if (rj_vcf_solve(fours, b, &(rj_vcf_limits){.any = true}, NULL) == RJ_VCF_WIN) continue;
            if (rj_vct_solve(v, b, 3000, 0, &l) != RJ_VCF_WIN) continue;
            g->play(&s, l.move[0], NULL);
            assert_false(g->result(&s).over);
            move_t legal[RJ_MAX_POINTS];
            int n = g->legal(&s, legal), me = s.s.side ^ 1;
            for (int m = 0; m < n; m++) {
                rj_any_state next = s;
                g->play(&next, legal[m], NULL);
                outcome o = g->result(&next);
                if (o.over) {
                    assert_true(o.score[me] > 0.75f); // a foul; never a five of the defender
                    continue;
                }
                rj_board_load(b, &next.s);
                assert_int_equal(rj_vct_solve(v, b, 100000, 0, NULL), RJ_VCF_WIN);
            }
            wanted--;
        }
    }
    rj_vct_free(v);
    rj_vcf_free(fours);
    free(b);
}

// A search for threats ends soon after its time, whatever its nodes; with time to spare it does not look at the clock's reading.
static void test_threats_end_in_time(void **state)
{
    (void)state;
    const game *g;
    rj_vct *v;
    rj_board *b = malloc(sizeof *b);
    int long_ones = 0;
    assert_ok(game_find("renju", &g));
    assert_ok(rj_vct_new(&v, 12));
    for (uint64_t k = 0; k < 200 && long_ones < 3; k++) {
        rj_any_state s;
        rj_line free_of_time, late, early;
        memset(&s, 0, sizeof s);
        if (!random_position(g, 9000 + k, &s)) continue;
        rj_board_load(b, &s.s);
        rj_vct_forget(v);
        if (rj_vct_solve(v, b, 10000, 0, &free_of_time) != RJ_VCF_UNKNOWN) continue;
        long_ones++;
        rj_vct_forget(v);
        assert_int_equal(rj_vct_solve(v, b, 10000, clock_seconds() - 1, &late), RJ_VCF_UNKNOWN);
        assert_true(late.nodes < 2000);
        rj_vct_forget(v);
        assert_int_equal(rj_vct_solve(v, b, 10000, clock_seconds() + 1000, &early), RJ_VCF_UNKNOWN);
        assert_int_equal(early.nodes, free_of_time.nodes);
    }
    assert_int_equal(long_ones, 3);
    rj_vct_free(v);
    free(b);
}

// A lean search finds wins that are wins, most of them, and looks at far fewer moves where there is none.
static void test_lean(void **state)
{
    (void)state;
    const game *g;
    rj_vcf *all, *lean;
    rj_board *b = malloc(sizeof *b);
    int wins[2] = {0};
    uint64_t nodes[2] = {0};
    assert_ok(game_find("renju", &g));
    assert_ok(rj_vcf_new(&all, 14));
    assert_ok(rj_vcf_new(&lean, 14));
    for (uint64_t k = 0; k < 3000; k++) {
        rng r = rng_at(31, k, 0);
        rj_any_state s;
        rj_line l[2];
        memset(&s, 0, sizeof s);
        assert_ok(g->init(&s, "", (game_key){0, 0}));
        for (int i = 0; i < 60 && s.s.reason == REASON_NONE && b != NULL && i < 18 + (int)(k % 20); i++) {
            int p = (3 + (int)rng_below(&r, 9)) * 15 + 3 + (int)rng_below(&r, 9);
            if (((s.s.stones[p / 64] | s.s.stones[4 + p / 64]) >> p % 64 & 1) == 0) g->play(&s, (move_t)p, NULL);
        }
        if (s.s.reason != REASON_NONE) continue;
        rj_board_load(b, &s.s);
        bool a = rj_vcf_solve(all, b, &(rj_vcf_limits){.any = true, .nodes = 5000}, &l[0]) == RJ_VCF_WIN;
        bool c = rj_vcf_solve(lean, b, &(rj_vcf_limits){.any = true, .lean = true}, &l[1]) == RJ_VCF_WIN;
        assert_true(a || !c);
        wins[0] += a;
        wins[1] += c;
        nodes[0] += l[0].nodes;
        nodes[1] += l[1].nodes;
    }
    printf("wins %d, lean %d; moves %llu, lean %llu\n", wins[0], wins[1], (unsigned long long)nodes[0],
           (unsigned long long)nodes[1]);
    assert_true(wins[1] > wins[0] * 8 / 10 && wins[0] > 100);
    assert_true(nodes[1] < nodes[0]);
    rj_vcf_free(all);
    rj_vcf_free(lean);
    free(b);
}

static void test_errors(void **state)
{
    (void)state;
    rj_problem *p;
    int n;
    assert_err(rj_problems_read("1 | x | B | h8", &p, &n), "line 1, column 15: expected |");
    assert_err(rj_problems_read("# c\n1 | x | G | h8 | h9 | VCF | - | -", &p, &n),
               "line 2, column 8: expected the side");
    assert_err(rj_problems_read("1 | x | B | h8 | h8 | VCF | - | -", &p, &n), "two stones on one point");
    assert_err(rj_problems_read("1 | x | B | h88 | h9 | VCF | - | -", &p, &n), "expected a point");
    assert_err(rj_problems_read("1 | x | B | h8 | h9 | VCF x | - | -", &p, &n), "expected a length");
    assert_ok(rj_problems_read("1 | x | W | - | h9 | VCF 3 | h8,h7 | -", &p, &n));
    assert_int_equal(n, 1);
    assert_int_equal(p->length, 3);
    assert_int_equal(p->n_line, 2);
    char why[200];
    assert_false(rj_line_wins(p, p->line, 2, why, sizeof why));
    assert_false(rj_line_wins(p, p->line, 1, why, sizeof why));
    assert_non_null(strstr(why, "is no four"));
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_naive),
        cmocka_unit_test(test_threats_published),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_threats_hold),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_lean),
        cmocka_unit_test(test_threats_end_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
