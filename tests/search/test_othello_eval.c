// The Othello pattern evaluation: shapes kept up to date, symmetry, the weights file, and the weights that ship.
#include "base/rng.h"
#include "base/temp_dir.h"
#include "search/othello/oth_search.h"
#include "test.h"

#include <time.h>

static oth_weights *random_weights(uint64_t seed)
{
    oth_eval_init();
    oth_weights *w = calloc(1, sizeof *w);
    assert_non_null(w);
    rng r = rng_at(seed, 0, 0);
    for (int i = 0; i <= OTH_SQUARES; i++) w->bias[i] = (int16_t)((int)rng_below(&r, 200) - 100);
    for (int s = 0; s < OTH_STAGES; s += 2)
        for (int i = 0; i < OTH_STAGE_SIZE; i++)
            w->table[s][i] =
                (int16_t)(rng_below(&r, 4) > 0 ? 0 : (int16_t)rng_u32(&r) / OTH_WEIGHT_STEP * OTH_WEIGHT_STEP);
    oth_weights_fill(w);
    return w;
}

static void test_shapes(void **state)
{
    (void)state;
    oth_weights *w = random_weights(1);
    for (int g = 0; g < 200; g++) {
        rng r = rng_at(5, (uint64_t)g, 0);
        oth_board b = oth_start();
        oth_shape s = oth_shape_of(b);
        while (!oth_over(b)) {
            uint64_t moves = oth_moves(b);
            if (moves == 0) {
                b = oth_pass(b);
                s = oth_shape_pass(&s);
            } else {
                for (uint32_t k = rng_below(&r, (uint32_t)oth_count(moves)); k > 0; k--) moves &= moves - 1;
                int sq = __builtin_ctzll(moves);
                s = oth_shape_play(&s, sq, oth_flips(b, sq));
                b = oth_play(b, sq);
            }
            oth_shape fresh = oth_shape_of(b);
            assert_memory_equal(&s, &fresh, sizeof s);
            int discs = OTH_SQUARES - oth_count(oth_empty(b)), v = oth_eval(w, b);
            assert_int_equal(oth_eval_shape(w, &s, discs, oth_moves(b), oth_moves(oth_pass(b))), v);
            for (int sym = 1; sym < OTH_SYMS; sym++) assert_int_equal(oth_eval(w, oth_sym_board(sym, b)), v);
        }
    }
    oth_weights_free(w);
}

static void test_places(void **state)
{
    (void)state;
    oth_eval_init();
    // Each place reads its own squares: 40 of 10, four corners of 9 and four diagonals with 9, twelve rows of 8, diagonals of 5.
    int squares = 0;
    for (int sq = 0; sq < OTH_SQUARES; sq++)
        for (int p = 0; p < OTH_PLACES; p++) squares += oth_shape_step[sq][p] != 0;
    assert_int_equal(squares, 40 * 10 + 8 * 9 + 12 * 8 + 4 * 5);
}

// Knots are every second stage; what lies between is their mean.
static void test_stages(void **state)
{
    (void)state;
    assert_int_equal(oth_stage(4), 0);
    assert_int_equal(oth_stage(11), 0);
    assert_int_equal(oth_stage(12), 1);
    assert_int_equal(oth_stage(63), OTH_STAGES - 1);
    oth_weights *w = random_weights(3);
    for (int s = 1; s < OTH_STAGES; s += 2)
        for (int i = 0; i < OTH_STAGE_SIZE; i += 97)
            assert_int_equal(w->table[s][i], (w->table[s - 1][i] + w->table[s + 1][i]) / 2);
    oth_weights_free(w);
}

static void test_file(void **state)
{
    (void)state;
    oth_weights *w = random_weights(2), *again = NULL, *whole = NULL;
    text_buf t = {0};
    assert_ok(oth_weights_write(w, &t));
    assert_ok(oth_weights_read(&again, t.data, t.len));
    assert_memory_equal(w, again, sizeof *w);
    oth_weights_free(again);
    again = NULL;
    assert_err(oth_weights_read(&again, t.data, 10), "not a file of Othello pattern weights");
    assert_err(oth_weights_read(&again, t.data, t.len / 2), "too soon");
    assert_err(oth_weights_read(&again, t.data, t.len - 1), "too soon");
    // A file that is cut off is refused where it ends: thirty short ones are read in less time than the whole.
    clock_t begun = clock();
    assert_ok(oth_weights_read(&whole, t.data, t.len));
    clock_t one = clock() - begun;
    oth_weights_free(whole);
    begun = clock();
    for (int i = 0; i < 30; i++) assert_err(oth_weights_read(&again, t.data, 60), "too soon");
    assert_true(clock() - begun < one);
    text_char(&t, 7);
    assert_err(oth_weights_read(&again, t.data, t.len), "too many");
    t.len--;
    t.data[t.len / 2] ^= 4;
    assert_int_not_equal(oth_weights_read(&again, t.data, t.len), ERR_OK);
    t.data[t.len / 2] ^= 4;
    t.data[9] ^= 1;
    assert_err(oth_weights_read(&again, t.data, t.len), "checksum");
    assert_null(again);
    text_free(&t);
    oth_weights_free(w);
}

// What ships knows that corners are good, and predicts endgames better than nothing would.
static void test_shipped(void **state)
{
    (void)state;
    const oth_weights *w = oth_weights_shipped();
    if (w == NULL) fail_msg("%s", err_text());
    oth_engine *e;
    assert_ok(oth_engine_new(&e, &(oth_engine_options){.hash = 16, .weights = w}));
    double miss = 0, spread = 0;
    int n = 0;
    for (int g = 0; g < 60; g++) {
        rng r = rng_at(9, (uint64_t)g, 0);
        oth_board b = oth_start();
        while (oth_count(oth_empty(b)) > 10 && !oth_over(b)) {
            uint64_t moves = oth_moves(b);
            for (uint32_t k = moves == 0 ? 0 : rng_below(&r, (uint32_t)oth_count(moves)); k > 0; k--)
                moves &= moves - 1;
            b = oth_play(b, moves == 0 ? OTH_PASS : __builtin_ctzll(moves));
        }
        if (oth_moves(b) == 0) continue;
        oth_found f;
        oth_engine_search(e, b, &(oth_limits){.exact = 12}, &f);
        double d = f.move[0].score - (double)oth_eval(w, b) / OTH_EVAL_UNIT;
        miss += d * d;
        spread += f.move[0].score * f.move[0].score;
        n++;
    }
    assert_true(n > 40 && miss < 0.35 * spread);
    oth_engine_free(e);
}

static void test_shared_file(void **state)
{
    (void)state;
    oth_weights *w[2] = {random_weights(4), random_weights(5)};
    const oth_weights *a = NULL, *b = NULL, *none = NULL;
    char dir[64], path[128];
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/w.bin", dir);
    assert_int_not_equal(oth_weights_open(&none, path), ERR_OK);
    assert_null(none);
    assert_ok(oth_weights_save(w[0], path));
    assert_ok(oth_weights_open(&a, path));
    assert_ok(oth_weights_save(w[1], path));
    assert_ok(oth_weights_open(&b, path)); // as long as somebody has it, it stays what it was
    assert_ptr_equal(a, b);
    oth_weights_close(a);
    assert_memory_equal(b, w[0], sizeof *b);
    oth_weights_close(b);
    assert_ok(oth_weights_open(&a, path));
    assert_memory_equal(a, w[1], sizeof *a);
    oth_weights_close(a);
    oth_weights_close(NULL);
    for (int i = 0; i < 2; i++) oth_weights_free(w[i]);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_places),  cmocka_unit_test(test_stages),
        cmocka_unit_test(test_file),   cmocka_unit_test(test_shipped), cmocka_unit_test(test_shared_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
