// The intervals are honest: over 2,000 simulated tournaments with known strengths, 95 % intervals cover 93 to 97 %.
//
// "Known" is what a fit of infinitely many such games would give (sim_expected): where openings vary, strengths as the
// logistic curve sees them are a little closer together than the simulated ones.
#include "stats/rating.h"
#include "stats/simulate.h"
#include "stats/stats_test.h"

enum { TOURNAMENTS = 2000, PLAYERS = 4 };

typedef struct coverage {
    double player[PLAYERS], difference, advantage, all; // shares; `all` is the mean over players
} coverage;

static const double strength[PLAYERS] = {1350, 1450, 1550, 1650};

static void measure(const sim_options *o, const rating_options *ro, const rating_errors *kinds, int n, coverage *out,
                    uint64_t seed)
{
    tally expected = {0};
    rating_fit truth;
    assert_ok(sim_expected(&expected, o));
    assert_ok(rating_fit_tally(&truth, &expected, ro));
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < TOURNAMENTS; i++) {
        results r = {0};
        rating_fit f;
        assert_ok(sim_tournament(&r, o, seed, (uint64_t)i));
        assert_ok(rating_fit_results(&f, &r, ro));
        for (int k = 0; k < n; k++) {
            for (int p = 0; p < PLAYERS; p++) {
                interval v = rating_interval(&f, kinds[k], p, 0.95);
                bool hit = v.low <= truth.rating[p] && truth.rating[p] <= v.high;
                out[k].player[p] += (double)hit / TOURNAMENTS;
                out[k].all += (double)hit / TOURNAMENTS / PLAYERS;
            }
            interval d = rating_difference_interval(&f, kinds[k], 3, 0, 0.95),
                     a = rating_interval(&f, kinds[k], PLAYERS, 0.95);
            double lead = truth.rating[3] - truth.rating[0];
            out[k].difference += (double)(d.low <= lead && lead <= d.high) / TOURNAMENTS;
            out[k].advantage += (double)(a.low <= truth.advantage && truth.advantage <= a.high) / TOURNAMENTS;
        }
        rating_free(&f);
        results_free(&r);
    }
    for (int k = 0; k < n; k++)
        printf("  %-11s players %.1f %.1f %.1f %.1f, difference %.1f, advantage %.1f %%\n",
               rating_errors_name(kinds[k]), 100 * out[k].player[0], 100 * out[k].player[1], 100 * out[k].player[2],
               100 * out[k].player[3], 100 * out[k].difference, 100 * out[k].advantage);
    tally_free(&expected);
    rating_free(&truth);
}

static bool honest(double share)
{
    return share >= 0.93 && share <= 0.97;
}

static void assert_honest(const coverage *c)
{
    for (int p = 0; p < PLAYERS; p++) assert_true(honest(c->player[p]));
    assert_true(honest(c->difference) && honest(c->advantage));
}

static const rating_errors three[3] = {ERRORS_PAIRS, ERRORS_GAMES, ERRORS_INFO};

// 20 games a pairing (120 in all), a third of them drawn. The information matrix takes draws for decided games: too
// wide.
static void small_tournaments(void **state)
{
    (void)state;
    coverage c[3];
    sim_options o = {.n = PLAYERS, .elo = strength, .advantage = 30, .draw = 0.5, .pairs = 10};
    measure(&o, &(rating_options){0}, three, 3, c, 41);
    assert_honest(&c[0]);
    assert_honest(&c[1]);
    assert_true(c[2].all > 0.975);
    // Without draws and dependence all three are right.
    o.draw = 0;
    measure(&o, &(rating_options){0}, three, 3, c, 42);
    for (int k = 0; k < 3; k++) assert_honest(&c[k]);
}

// Openings that favour one side: the games of a pair split, so ratings are better known than single games suggest (and
// the advantage worse). Openings that suit one player: the games of a pair agree, so ratings are known worse.
static void openings_matter(void **state)
{
    (void)state;
    coverage c[3];
    sim_options o = {.n = PLAYERS, .elo = strength, .advantage = 30, .draw = 0.3, .pairs = 20, .balance_sd = 300};
    measure(&o, &(rating_options){0}, three, 3, c, 43);
    assert_honest(&c[0]);
    assert_true(c[1].all > 0.975 && c[2].all > 0.975 && c[1].advantage < 0.925);
    o.balance_sd = 0;
    o.style_sd = 400;
    measure(&o, &(rating_options){0}, three, 3, c, 44);
    assert_honest(&c[0]);
    assert_true(c[1].all < 0.91 && c[2].all < 0.925 && c[1].advantage > 0.975);
}

// Games of the draw models, fitted by the model they come from: information and sandwich are both right.
static void draw_models(void **state)
{
    (void)state;
    coverage c[3];
    sim_options o = {.n = PLAYERS, .elo = strength, .advantage = 30, .draw = 0.6, .pairs = 20, .model = MODEL_DAVIDSON};
    measure(&o, &(rating_options){.model = MODEL_DAVIDSON}, three, 3, c, 45);
    for (int k = 0; k < 3; k++) assert_honest(&c[k]);
    o.model = MODEL_RAO_KUPPER;
    o.draw = 60;
    measure(&o, &(rating_options){.model = MODEL_RAO_KUPPER}, three, 3, c, 46);
    for (int k = 0; k < 3; k++) assert_honest(&c[k]);
}

// The simulation itself: a seed gives the same tournament again, another one does not, and means are what they should
// be.
static void simulation(void **state)
{
    (void)state;
    sim_options o = {
        .n = PLAYERS, .elo = strength, .advantage = 60, .draw = 0.4, .pairs = 4000, .balance_sd = 150, .style_sd = 80};
    results a = {0}, b = {0};
    tally t = {0}, e = {0};
    assert_ok(sim_tournament(&a, &o, 1, 2));
    assert_ok(sim_tournament(&b, &o, 1, 2));
    assert_int_equal(a.n, b.n);
    for (size_t i = 0; i < a.n; i++)
        assert_true(a.game[i].halves == b.game[i].halves && a.game[i].pair == b.game[i].pair);
    assert_ok(tally_of(&t, &a));
    assert_ok(sim_expected(&e, &o));
    for (int i = 0; i < e.n; i++)
        for (int j = 0; j < t.n; j++) {
            if (t.cell[j].first != e.cell[i].first || t.cell[j].second != e.cell[i].second) continue;
            near(t.cell[j].wins, e.cell[i].wins, 4.5 * sqrt(1000)); // 4.5 standard deviations of 4000 games at the most
            near(t.cell[j].draws, e.cell[i].draws, 4.5 * sqrt(1000));
        }
    results_free(&b);
    assert_ok(sim_tournament(&b, &o, 1, 3));
    int same = 0;
    for (size_t i = 0; i < a.n; i++) same += a.game[i].halves == b.game[i].halves;
    assert_true(same < 0.7 * (double)a.n);
    results_free(&a);
    results_free(&b);
    tally_free(&t);
    tally_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulation),
        cmocka_unit_test(small_tournaments),
        cmocka_unit_test(openings_matter),
        cmocka_unit_test(draw_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
