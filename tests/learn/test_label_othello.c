// labels: threads
// Labelled endgames against a plain search to the end; the same rows for any number of threads.
#include "base/stop.h"
#include "learn/tune/label_othello.h"
#include "test.h"

#include <string.h>

enum { N = 40 };

static int plain_score(oth_board b, int alpha, int beta)
{
    uint64_t moves = oth_moves(b);
    if (moves == 0) {
        if (oth_over(b)) return oth_score(b);
        return -plain_score(oth_pass(b), -beta, -alpha);
    }
    int best = -99;
    for (; moves != 0 && best < beta; moves &= moves - 1) {
        int s = -plain_score(oth_play(b, __builtin_ctzll(moves)), -beta, best > alpha ? -best : -alpha);
        if (s > best) best = s;
    }
    return best;
}

// Every move of a line keeps the score, and a line ends only where the game does.
static void line_is_best(const label_row *r, int sq)
{
    oth_board b = oth_play(r->b, sq);
    int score = -r->score[sq];
    for (int k = 0; k < LABEL_LINE; k++) {
        int next = r->line[sq][k];
        if (next == LABEL_END) {
            assert_true(oth_over(b));
            continue;
        }
        uint64_t moves = oth_moves(b);
        assert_true(next == OTH_PASS ? moves == 0 && !oth_over(b) : next < OTH_SQUARES && (moves >> next & 1));
        b = oth_play(b, next);
        score = -score;
        assert_int_equal(plain_score(b, -65, 65), score);
    }
}

static void labels_are_exact(void **state)
{
    (void)state;
    static label_row rows[N];
    assert_ok(label_othello(&(label_options){.seed = 3, .few = 5, .many = 8, .depth = 2}, rows, N));
    int seen[9] = {0};
    for (int i = 0; i < N; i++) {
        const label_row *r = &rows[i];
        int empties = oth_count(oth_empty(r->b)), best = -99;
        assert_in_range(empties, 5, 8);
        seen[empties]++;
        uint64_t moves = oth_moves(r->b);
        assert_true(oth_board_ok(r->b) && moves != 0);
        for (int sq = 0; sq < OTH_SQUARES; sq++) {
            if (!(moves >> sq & 1)) {
                assert_int_equal(r->score[sq], LABEL_ILLEGAL);
                assert_int_equal(r->line[sq][0], LABEL_END);
                continue;
            }
            int want = -plain_score(oth_play(r->b, sq), -65, 65);
            assert_int_equal(r->score[sq], want);
            line_is_best(r, sq);
            if (want > best) best = want;
        }
        assert_int_equal(r->best, best);
        // the final board is one of best play: its discs make the score, the winner's empty squares included
        assert_int_equal(r->final_own & r->final_opp, 0);
        assert_int_equal(oth_score((oth_board){r->final_own, r->final_opp}), best);
    }
    for (int e = 5; e <= 8; e++) assert_true(seen[e] > 0);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static label_row one[N], two[N], later[N / 2];
    pool *p = pool_new(3);
    label_options o = {.seed = 9, .few = 6, .many = 9};
    memset(one, 0, sizeof one), memset(two, 0, sizeof two), memset(later, 0, sizeof later);
    assert_ok(label_othello(&o, one, N));
    o.threads = p;
    assert_ok(label_othello(&o, two, N));
    assert_memory_equal(one, two, sizeof one);
    o.first = N / 2; // a row depends on its number alone
    assert_ok(label_othello(&o, later, N / 2));
    assert_memory_equal(one + N / 2, later, sizeof later);
    pool_free(p);
}

static void refuses_and_stops(void **state)
{
    (void)state;
    label_row row;
    assert_err(label_othello(&(label_options){.few = 0, .many = 5}, &row, 1), "1 to 30 can");
    assert_err(label_othello(&(label_options){.few = 9, .many = 8}, &row, 1), "cannot be labelled");
    stop_request();
    assert_int_equal(label_othello(&(label_options){.few = 5, .many = 5}, &row, 1), ERR_STOPPED);
    stop_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_exact),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(refuses_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
