// The fit of the Othello tuner: it finds weights that are known. It uses one thread, so ThreadSanitizer need not run it.
#include "learn/tune/tune_othello_inner.h"
#include "test.h"

// Labels made from known weights are fitted to nearly nothing.
static void test_fit(void **state)
{
    (void)state;
    enum { N = 6000 };
    oth_eval_init();
    oth_weights *truth = calloc(1, sizeof *truth), *w = calloc(1, sizeof *w);
    tune_row *rows = calloc(N, sizeof *rows);
    assert_true(truth != NULL && w != NULL && rows != NULL);
    rng r = rng_at(1, 2, 3);
    for (int s = 0; s < OTH_STAGES; s += 2)
        for (int i = 0; i < OTH_STAGE_SIZE; i++) truth->table[s][i] = (int16_t)(8 * (int)rng_below(&r, 21) - 80);
    oth_weights_fill(truth);
    for (int i = 0; i < N; i++) {
        oth_board b = oth_start();
        int plies = 20 + (int)rng_below(&r, 3); // discs 24 to 26: a knot and the stage behind it
        for (int k = 0; k < plies && oth_moves(b) != 0; k++) b = oth_play(b, tune_pick(oth_moves(b), &r));
        rows[i] =
            (tune_row){.b = b, .label = (int16_t)oth_eval(truth, b), .discs = (uint8_t)(64 - oth_count(oth_empty(b)))};
        rows[i].held = rows[i].discs < OTH_STAGE_FIRST;
    }
    tune_data d = {0};
    assert_ok(tune_data_room(&d, 2));
    assert_ok(tune_block_fill(&d.block[0], rows, N));
    tune_data_trim(&d);
    assert_int_equal(d.n, 1);
    assert_ok(tune_fit(&(tune_fit_options){.pull = 0.01, .iterations = 15}, NULL, &d, w));
    double before = 0, after = 0;
    for (int i = 0; i < N; i++) {
        before += rows[i].label * rows[i].label;
        double miss = oth_eval(w, rows[i].b) - rows[i].label;
        after += miss * miss;
    }
    assert_true(after < 0.01 * before);
    tune_data_free(&d);
    free(rows);
    oth_weights_free(truth);
    oth_weights_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
