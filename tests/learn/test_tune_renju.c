// labels: threads
// The renju tuners: the fits find numbers that are known, and threads change nothing.
#include "base/rng.h"
#include "base/temp_dir.h"
#include "games/game.h"
#include "learn/tune/tune_openings.h"
#include "learn/tune/tune_renju.h"
#include "nn/net.h"
#include "test.h"

#include <math.h>

// Counts drawn at random, results drawn from weights we choose.
static void the_fit_finds_known_values(void **state)
{
    (void)state;
    enum { N = 20000 };
    rj_samples s = {.at = calloc(N, sizeof *s.at)};
    rj_weights *w = calloc(1, sizeof *w);
    rng r = rng_at(1, 2, 3);
    double loss;
    for (s.n = 0; s.n < N; s.n++) {
        rj_sample *x = &s.at[s.n];
        int mine = (int)rng_below(&r, 6), theirs = (int)rng_below(&r, 6);
        x->count[0][RJ_P_THREE] = (uint8_t)mine;
        x->count[1][RJ_P_THREE] = (uint8_t)theirs;
        x->threats = (uint16_t)rng_below(&r, 2);
        x->side = (uint8_t)rng_below(&r, 2);
        double odds = 0.5 * mine - 0.3 * theirs + (x->threats ? 0.8 : -0.2);
        x->target = rng_unit(&r) < 1 / (1 + exp(-odds)) ? 1.0f : 0.0f;
    }
    assert_ok(rj_tune_fit_values(&s, true, 1, w, &loss));
    for (int c = 0; c < 2; c++) {
        assert_true(fabs(w->value[c][0][RJ_P_THREE] / (double)(RJ_W_LOGIT * RJ_W_UNIT) - 0.5) < 0.1);
        assert_true(fabs(w->value[c][1][RJ_P_THREE] / (double)(RJ_W_LOGIT * RJ_W_UNIT) - 0.3) < 0.1);
        assert_true(fabs((w->threat[c][1] - w->threat[c][0]) / (double)RJ_W_LOGIT - 1.0) < 0.2);
    }
    free(w);
    rj_samples_free(&s);
}

// Who has the only three is ahead, who shares it is behind: no sum says that, the hidden layer does.
static void the_layer_learns_what_no_sum_says(void **state)
{
    (void)state;
    enum { N = 20000 };
    rj_samples s = {.at = calloc(N, sizeof *s.at)};
    rj_weights *w = calloc(1, sizeof *w);
    rng r = rng_at(1, 2, 4);
    double values, layer;
    for (s.n = 0; s.n < N; s.n++) {
        rj_sample *x = &s.at[s.n];
        unsigned mine = rng_below(&r, 2), theirs = rng_below(&r, 2);
        x->count[0][RJ_P_THREE] = (uint8_t)mine;
        x->count[1][RJ_P_THREE] = (uint8_t)theirs;
        x->classes[0][RJ_THREE] = (uint16_t)(4 * mine);
        x->classes[1][RJ_THREE] = (uint16_t)(4 * theirs);
        x->target = mine != theirs ? 0.9f : 0.1f;
    }
    assert_ok(rj_tune_fit_values(&s, true, 1, w, &values));
    assert_ok(rj_tune_fit_layer(&s, true, 1, w, &layer));
    assert_true(values > 0.6);
    assert_true(layer < 0.4);                                                    // 0.325 is the least
    for (int k = 0; k < RJ_W_HIDDEN; k++) assert_int_equal(w->hidden[37][k], 0); // both colours are the same
    free(w);
    rj_samples_free(&s);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    rj_weights *w = calloc(2, sizeof *w);
    int runs = UNDER_TSAN ? 1 : 2;
    for (int i = 0; i < runs; i++) {
        rj_tune t = {.seed = 5, .threads = 3 - 2 * i, .scale = 0.0004};
        assert_ok(rj_tune_rule(&t, RJ_STANDARD, &w[i]));
    }
    assert_memory_equal(&w[0], &w[runs - 1], sizeof *w);
    bool learned = false;
    for (int k = 0; k < RJ_W_TABLE; k++) learned |= w->value[0][0][k] != 0;
    assert_true(learned);
    free(w);
}

// Networks of random weights: the fit follows each, whatever the threads, and in gomoku both colours are the same.
static void fit_to(const char *file, uint64_t net_seed, rj_rule rule, int threads, rj_weights *out)
{
    const game *g;
    const encoding *enc;
    nn_desc d;
    nn_net *net = NULL;
    char text[NN_TEXT];
    assert_ok(game_find(rule == RJ_RENJU ? "renju" : "gomoku", &g));
    assert_ok(game_encoding(g, NULL, &enc));
    snprintf(text, sizeof text, "planes=%d scalars=%d size=15x15 c=8 b=1 policy=2:225 value=1:8", enc->planes,
             enc->scalars);
    assert_ok(nn_desc_parse(text, &d));
    assert_ok(nn_net_new(&net, &d, net_seed));
    assert_ok(nn_net_save(net, file));
    nn_net_free(net);
    rj_tune t = {.seed = 5, .threads = threads, .scale = 0.00004, .model = file};
    assert_ok(rj_tune_by_network(&t, rule, &rj_weights_of[rule], out));
    assert_memory_not_equal(out->value, rj_weights_of[rule].value, sizeof out->value);
    assert_memory_equal(out->order, rj_weights_of[rule].order, sizeof out->order);
    bool same = memcmp(out->value[0], out->value[1], sizeof out->value[0]) == 0;
    assert_int_equal(same, rule != RJ_RENJU);
}

static void the_values_follow_a_network(void **state)
{
    (void)state;
    char dir[64], file[128];
    assert_non_null(temp_dir_make(dir));
    snprintf(file, sizeof file, "%s/net.safetensors", dir);
    rj_weights *w = calloc(3, sizeof *w);
    fit_to(file, 1, RJ_RENJU, 1, &w[0]);
    fit_to(file, 1, RJ_RENJU, 2, &w[1]);
    fit_to(file, 2, RJ_RENJU, 3, &w[2]);
    assert_memory_equal(&w[0], &w[1], sizeof *w);
    assert_memory_not_equal(w[0].value, w[2].value, sizeof w->value);
    fit_to(file, 1, RJ_STANDARD, 2, &w[0]);
    rj_tune t = {.seed = 5, .threads = 1, .scale = 0.00001, .model = file};
    assert_int_not_equal(rj_tune_by_network(&t, RJ_RENJU, &rj_weights_of[RJ_RENJU], &w[1]), ERR_OK); // gomoku's
    t.model = "/nonexistent";
    assert_int_not_equal(rj_tune_by_network(&t, RJ_RENJU, &rj_weights_of[RJ_RENJU], &w[1]), ERR_OK);
    free(w);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_THREADS(the_fit_finds_known_values),
        WITHOUT_THREADS(the_layer_learns_what_no_sum_says),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_values_follow_a_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
