// Tuning of the Puyo beam and positions held out of Othello's, with jobs that take a moment: the numbers are known.
#include "base/listed.h"
#include "learn/tune/heldout_othello.h"
#include "learn/tune/tune_puyo.h"
#include "test.h"

static bool report(void *ctx, const tune_puyo_round *r)
{
    text_buf *t = ctx;
    text_printf(t, "round %d: %.6g %.6g\n ", r->round, r->plus, r->minus);
    for (int i = 0; i < TUNE_PUYO_WEIGHTS; i++)
        text_printf(t, " %s=%.6g/%.6g", tune_puyo_names[i], r->weight[i], r->average[i]);
    text_char(t, '\n');
    return r->round < 5;
}

static void puyo(void **state)
{
    (void)state;
    text_buf t = {0}, threads = {0};
    double from[TUNE_PUYO_WEIGHTS];
    for (int i = 0; i < TUNE_PUYO_WEIGHTS; i++) from[i] = ((const int *)&puyo_weights_default)[i];
    tune_puyo o = {.search = {.width = 4,
                              .depth = 3,
                              .samples = 1,
                              .prune = 5000,
                              .patience = 95,
                              .colours = 4,
                              .reach = true,
                              .lose = PY_LOSE_TSU},
                   .visible = 2,
                   .moves = 20,
                   .games = 4,
                   .first = 2,
                   .rounds = 9,
                   .seed = 5,
                   .spread = 0.9,
                   .rate = 0.1};
    assert_ok(tune_puyo_run(&o, from, NULL, report, &t)); // ends after round 5, for the report says so
    pool *two = pool_new(2);
    assert_ok(tune_puyo_run(&o, from, two, report, &threads));
    pool_free(two);
    assert_string_equal(text_str(&t), text_str(&threads));
    text_free(&threads);
    double weight[TUNE_PUYO_WEIGHTS];
    for (int i = 0; i < TUNE_PUYO_WEIGHTS; i++) weight[i] = i % 2 ? 10.4 : -10.6;
    puyo_weights w = tune_puyo_weights(weight);
    for (int i = 0; i < TUNE_PUYO_WEIGHTS; i++) text_printf(&t, " %d", ((const int *)&w)[i]);
    text_printf(&t, "\n%.6g %.6g\n", tune_puyo_measure(&o, &w, 1, 4, NULL),
                tune_puyo_measure(&o, &puyo_weights_default, 1, 4, NULL));
    assert_listed(&t, "learn/tune_puyo.txt");
}

static void heldout(void **state)
{
    (void)state;
    text_buf t = {0};
    assert_ok(heldout_othello(&(heldout_options){.seed = 11, .games = 1}, &t));
    assert_listed(&t, "learn/heldout.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(puyo), cmocka_unit_test(heldout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
