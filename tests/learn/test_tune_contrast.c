// labels: threads
// Contrast's tuner: the fit finds odds that are known, threads change nothing, and the engine's depths are a ladder.
//
// The ladder with more games and all its rungs, with intervals: KEIKO_PAIRS=100 build/clang/tests/test_tune_contrast
#include "learn/tune/tune_contrast.h"
#include "stats/dist.h"
#include "test.h"

#include <math.h>

extern const game game_contrast;

// Positions of random games with results drawn from odds we choose: the fit must explain others, which it never saw, as well as
// those odds do.
static void the_fit_finds_known_odds(void **state)
{
    (void)state;
    enum { N = 30000 };
    ctr_tune t = ctr_tune_defaults();
    ctr_samples s = {.list = malloc(N * sizeof *s.list)};
    int16_t none[CTR_WEIGHTS] = {0}, *found = calloc(CTR_WEIGHTS, sizeof *found);
    double truth = 0;
    int held = 0;
    rng r = rng_at(1, 2, 3);
    while (s.n < N) {
        ctr_state p;
        ctr_sample *x = &s.list[s.n];
        assert_ok(game_contrast.init(&p, "", (game_key){0, 0}));
        game_random_playout(&game_contrast, &p, &r, 2 + (int)rng_below(&r, 30));
        if (p.reason != REASON_NONE) continue;
        x->n = (uint8_t)ctr_facts(&p.b, x->facts);
        x->held = s.n % 10 == 9;
        int far[2] = {0, 0}; // rows to go
        for (uint32_t seat = 0; seat < 2; seat++)
            for (uint32_t q = p.b.pieces[seat]; q != 0; q &= q - 1)
                far[seat] += seat == 0 ? __builtin_ctz(q) / 5 : 4 - __builtin_ctz(q) / 5;
        double odds = 1 / (1 + exp(-0.6 * (far[!p.b.side] - far[p.b.side])));
        x->target = rng_unit(&r) < odds ? 1.0f : 0.0f;
        if (x->held) truth -= x->target > 0.5f ? log(odds) : log1p(-odds), held++;
        s.n++;
    }
    truth /= held;
    assert_ok(ctr_tune_fit(&t, &s, NULL, found));
    double fitted = ctr_tune_loss(&s, found), blind = ctr_tune_loss(&s, none);
    printf("loss: nothing known %.4f, the truth %.4f, fitted %.4f\n", blind, truth, fitted);
    assert_true(fabs(blind - log(2)) < 1e-9);
    assert_true(truth < blind - 0.05);
    assert_true(fitted < truth + 0.015 && fitted > truth - 0.005);
    free(found);
    ctr_samples_free(&s);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    int16_t w[2][CTR_WEIGHTS];
    int runs = UNDER_TSAN ? 1 : 2;
    for (int i = 0; i < runs; i++) {
        ctr_tune t = ctr_tune_defaults();
        t.threads = i == 0 ? 3 : 1;
        t.scale = 1e-4 * soak_or(4, 50); // 38 games; the last fit has positions for all parts of a batch
        t.pairs = 1;
        assert_ok(ctr_tune_all(&t, w[i]));
    }
    assert_memory_equal(w[0], w[runs - 1], sizeof w[0]);
    int largest = 0;
    for (int k = 0; k < CTR_WEIGHTS; k++) largest = abs(w[0][k]) > largest ? abs(w[0][k]) : largest;
    assert_true(largest >= 5);
}

static void the_file_is_what_was_written(void **state)
{
    (void)state;
    text_buf t = {0};
    ctr_tune_write(ctr_weights, &t);
    assert_ok(text_check(&t));
    FILE *f = fopen(KEIKO_SOURCE "/src/search/contrast/contrast_weights.c", "r");
    assert_non_null(f);
    char *file = calloc(1, t.len + 2);
    size_t n = fread(file, 1, t.len + 1, f);
    fclose(f);
    assert_int_equal(n, t.len);
    assert_string_equal(file, text_str(&t));
    free(file);
    text_free(&t);
}

static void deeper_is_stronger(void **state)
{
    (void)state;
    static const struct {
        int depth, other; // 0 = the rules
        double least;     // of the points, with few games
    } rungs[] = {{1, 0, 0.6}, {2, 0, 0.85}, {2, 1, 0.55}, {3, 2, 0.55}, {3, 0, 0.85}, {4, 3, 0}, {4, 2, 0}, {4, 0, 0}};
    const char *more = getenv("KEIKO_PAIRS");
    int pairs = more != NULL ? atoi(more) : 14;
    pool *p = pool_new(2);
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        ctr_side a = {.depth = rungs[i].depth}, b = {.depth = rungs[i].other};
        ctr_score s;
        char name[20];
        if (more == NULL && rungs[i].least <= 0) continue;
        assert_ok(ctr_match(&a, &b, pairs, 8, 5, p, &s));
        double n = 2 * pairs, points = s.wins + 0.5 * s.draws;
        interval w = rate_wilson(points, n, 0.95);
        snprintf(name, sizeof name, rungs[i].other > 0 ? "depth %d" : "rule", rungs[i].other);
        printf("depth %d against %s: +%d =%d -%d, %.1f %% [%.1f, %.1f]\n", rungs[i].depth, name, s.wins, s.draws,
               s.losses, 100 * points / n, 100 * w.low, 100 * w.high);
        assert_true(points / n >= rungs[i].least);
    }
    pool_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_THREADS(the_fit_finds_known_odds),
        WITHOUT_THREADS(the_file_is_what_was_written),
        WITHOUT_THREADS(deeper_is_stronger),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
