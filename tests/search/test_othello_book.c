// Books of Othello: what is written is read back, every image of a position is found, and mistakes are named by line. And how
// well values agree with listed scores.
#include "base/rng.h"
#include "search/othello/oth_book.h"
#include "search/othello/oth_values.h"
#include "test.h"

#include <math.h>

// A position after `n` random moves.
static oth_board walk(uint32_t seed, int n)
{
    oth_board b = oth_start();
    rng r = rng_at(3, seed, 0);
    for (int i = 0; i < n; i++) {
        uint64_t moves = oth_moves(b);
        if (moves == 0) return oth_start();
        for (uint32_t k = rng_below(&r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
        b = oth_play(b, __builtin_ctzll(moves));
    }
    return b;
}

static void every_image_is_found(void **state)
{
    (void)state;
    enum { N = 400 };
    oth_book k = {0};
    oth_book_move found[OTH_BOOK_MOVES];
    assert_int_equal(oth_book_find(&k, oth_start(), found), 0); // empty
    int kept = 0;
    for (uint32_t i = 0; i < N; i++) {
        int sym;
        oth_board b = walk(i, 4 + (int)(i % 30)), least = oth_book_image(b, &sym);
        uint64_t moves = oth_moves(least);
        oth_board turned = oth_sym_board(sym, b);
        assert_memory_equal(&least, &turned, sizeof least);
        if (moves == 0 || oth_book_at(&k, least) >= 0) continue;
        oth_book_entry e = {.b = least};
        for (; moves != 0 && e.n < OTH_BOOK_MOVES; moves &= moves - 1, e.n++)
            e.move[e.n] = (oth_book_move){(uint8_t)__builtin_ctzll(moves), (int8_t)(10 - e.n)};
        assert_ok(oth_book_add(&k, &e));
        assert_int_equal(oth_book_at(&k, least), kept++);
        for (int s = 0; s < OTH_SYMS; s++) { // in this image its moves are the images of the moves
            oth_board image = oth_sym_board(s, least);
            assert_int_equal(oth_book_find(&k, image, found), e.n);
            for (int m = 0; m < e.n; m++) {
                assert_int_equal(found[m].score, e.move[m].score);
                assert_true(oth_moves(image) >> found[m].sq & 1);
                oth_board after = oth_play(image, found[m].sq), same = oth_play(least, e.move[m].sq);
                int ignored;
                oth_board x = oth_book_image(after, &ignored), y = oth_book_image(same, &ignored);
                assert_memory_equal(&x, &y, sizeof x);
            }
        }
    }
    assert_true(kept > 200);
    assert_int_equal(k.n, kept);
    assert_true(k.slots >= 2 * k.n && k.room >= k.n);
    text_buf t = {0}, again = {0};
    oth_book back;
    assert_ok(oth_book_write(&k, &t));
    assert_ok(oth_book_read(&back, text_str(&t)));
    assert_int_equal(back.n, k.n);
    for (int i = 0; i < k.n; i++) assert_int_equal(oth_book_at(&back, k.at[i].b), i);
    assert_ok(oth_book_write(&back, &again));
    assert_string_equal(text_str(&t), text_str(&again));
    text_free(&t);
    text_free(&again);
    oth_book_free(&k);
    oth_book_free(&back);
    assert_true(k.n == 0 && k.at == NULL && k.slots == 0);
}

static void lines_are_checked(void **state)
{
    (void)state;
    oth_book k;
#define START "0000000810000000 0000001008000000"
    assert_ok(oth_book_read(&k, "# words\n\n\r\n" START " d3+1 c4-64 f5-64 e6-64\r\n"));
    assert_int_equal(k.n, 1);
    assert_int_equal(k.at[0].n, 4);
    assert_int_equal(k.at[0].move[0].sq, 19);
    assert_int_equal(k.at[0].move[0].score, 1);
    assert_int_equal(k.at[0].move[3].score, -64);
    oth_book_free(&k);
    assert_ok(oth_book_read(&k, START " d3+64"));
    assert_int_equal(k.at[0].move[0].score, 64);
    oth_book_free(&k);
    assert_ok(oth_book_read(&k, "810000000 1008000000 d3+0\n"));
    oth_book_free(&k);
    assert_ok(oth_book_read(&k, ""));
    assert_int_equal(k.n, 0);
    const struct {
        const char *text, *says;
    } rows[] = {
        {"x\n", "line 1: two words of up to 16 hexadecimal digits are expected"},
        {"\n00000000810000000 0000001008000000 d3+0\n", "line 2: two words"},
        {"0000000810000000\n", "line 1: two words"},
        {"0000000810000000 0000001008000000", "line 1: two words"},
        {"0000000810000000 0000000808000000 d3+0", "line 1: a square is taken by both sides"},
        {"0000001008000000 0000000810000000 d3+0", "line 1: an image of this position is smaller"},
        {START " d3+1\n#\n" START " d3+1\n", "line 3: this position came before"},
        {START " a1+1", "line 1: move 1 is illegal"},
        {START " d3+1 a1+1", "line 1: move 2 is illegal"},
        {START " d3+1 c4+2", "line 1: move 2 is better than the one before"},
        {START " d3+65", "line 1: 1 to 4 moves such as d3+0 are expected"},
        {START " d3-65", "line 1: 1 to 4 moves"},
        {START " d3 1", "line 1: 1 to 4 moves"},
        {START " i3+1", "line 1: 1 to 4 moves"},
        {START " d9+1", "line 1: 1 to 4 moves"},
        {START " d0+1", "line 1: 1 to 4 moves"},
        {START " `3+1", "line 1: 1 to 4 moves"},
        {START " d3+ 1", "line 1: 1 to 4 moves"},
        {START " d3+1x", "line 1: 1 to 4 moves"},
        {START " d3+1 c4+1 f5+1 e6+1 d3+1", "line 1: 1 to 4 moves"},
        {START " \n", "line 1: 1 to 4 moves"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_err(oth_book_read(&k, rows[i].text), rows[i].says);
        assert_int_equal(k.n, 0);
    }
    assert_err(oth_book_load(&k, "/nowhere/book.txt"), "/nowhere/book.txt");
}

// Against sums by hand.
static void values_and_scores(void **state)
{
    (void)state;
    enum { N = 60, DEPTH = 2 };
    static oth_problem p[N];
    oth_agreement got[OTH_VALUE_RANGES];
    oth_engine *e;
    double value[N];
    int empties[N], best[N];
    assert_ok(oth_engine_new(&e, &(oth_engine_options){.hash = 12}));
    for (int i = 0; i < N; i++) {
        oth_found f;
        oth_board b = walk((uint32_t)i + 500, 12 + i % 30);
        uint64_t moves = oth_moves(b);
        p[i] = (oth_problem){.s.b = b};
        for (; moves != 0 && p[i].n < 2; moves &= moves - 1, p[i].n++)
            p[i].moves[p[i].n].score = (int8_t)(i % 13 + 5 * p[i].n * (i % 3 - 1));
        if (i % 20 == 7) p[i].n = 0; // left out
        empties[i] = oth_count(oth_empty(b));
        best[i] = p[i].n > 1 && p[i].moves[1].score > p[i].moves[0].score ? p[i].moves[1].score : p[i].moves[0].score;
        oth_engine_clear(e);
        oth_engine_search(e, b, &(oth_limits){.depth = DEPTH}, &f);
        value[i] = f.move[0].score;
    }
    oth_values_measure(e, p, N, DEPTH, got);
    oth_engine_free(e);
    for (int k = 0; k < OTH_VALUE_RANGES; k++) {
        double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0, square = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < N; i++) {
                if (p[i].n == 0 || empties[i] < oth_value_range[k][0] || empties[i] > oth_value_range[k][1]) continue;
                if (pass == 0) {
                    n++, x += value[i], y += best[i], square += (value[i] - best[i]) * (value[i] - best[i]);
                } else {
                    double dx = value[i] - x / n, dy = best[i] - y / n;
                    xx += dx * dx, yy += dy * dy, xy += dx * dy;
                }
            }
        assert_int_equal(got[k].n, (int)n);
        if (n < 2) {
            assert_true(got[k].rms == 0 && got[k].bias == 0 && got[k].spread == 0 && got[k].correlation == 0);
            continue;
        }
        assert_true(fabs(got[k].bias - (x - y) / n) < 1e-9);
        assert_true(fabs(got[k].rms - sqrt(square / n)) < 1e-9);
        assert_true(fabs(got[k].spread - sqrt(yy / n)) < 1e-6);
        assert_true(fabs(got[k].correlation - xy / sqrt(xx * yy)) < 1e-6);
    }
    assert_true(got[4].n >= 20);
    assert_int_equal(got[4].n, got[1].n + got[2].n + got[3].n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_image_is_found),
        cmocka_unit_test(lines_are_checked),
        cmocka_unit_test(values_and_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
