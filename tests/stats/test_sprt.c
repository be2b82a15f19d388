// SPRT: reference values, what the exact solution must satisfy, and error rates over ten thousand simulated tests.
#include "base/rng.h"
#include "stats/elo.h"
#include "stats/simulate.h"
#include "stats/sprt.h"
#include "stats/stats_test.h"

static void known_values(void **state)
{
    (void)state;
    static const struct {
        int kinds;
        double n[5], elo0, elo1, logistic, approx, normalised, elo, margin, superiority;
    } known[] = {
        {3, {40, 20, 60}, 0, 30, 1.538421, 1.585895, 1.444554, 58.4512, 57.9637, 0.979034},
        {3, {90, 40, 130}, 0, 30, 2.941287, 3.016302, 2.785787, 53.8794, 39.4087, 0.996884},
        {3, {50, 0, 50}, 0, 30, -0.372335, -0.370945, -0.371411, 0, 68.9880, 0.5},
        {3, {0, 0, 10}, 0, 30, 0.826229, 0, 0.825210, 1199.8262, 170.5058, 1},
        {5, {4, 10, 30, 22, 14}, 0, 30, 3.379759, 3.794288, 2.819961, 70.4365, 42.5752, 0.999597},
        {5, {871, 26175, 55983, 26678, 821}, 0, 2, -4.978673, -4.978217, 0.804451, 0.6334, 0.7522, 0.950578},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        sprt_test t = {known[i].elo0, known[i].elo1, 0.05, 0.05, SPRT_LOGISTIC};
        near(sprt_llr(&t, known[i].n, known[i].kinds), known[i].logistic, 1e-5);
        near(sprt_llr_approx(&t, known[i].n, known[i].kinds), known[i].approx, 1e-5);
        t.scale = SPRT_NORMALISED;
        near(sprt_llr(&t, known[i].n, known[i].kinds), known[i].normalised, 1e-5);
        match_elo m = match_elo_of(known[i].n, known[i].kinds, 0.95);
        near(m.elo, known[i].elo, 1e-4);
        near(m.margin, known[i].margin, 1e-4);
        near(m.superiority, known[i].superiority, 1e-6);
    }
    // 130 wins, 40 draws, 90 losses: the usual approximation accepts, the exact test does not.
    sprt_test t = {0, 30, 0.05, 0.05, SPRT_LOGISTIC};
    double close[3] = {90, 40, 130};
    near(sprt_upper(&t), 2.944438979, 1e-9);
    near(sprt_lower(&t), -2.944438979, 1e-9);
    assert_true(sprt_llr_approx(&t, close, 3) > sprt_upper(&t));
    assert_int_equal(sprt_state(&t, close, 3).verdict, SPRT_OPEN);
    close[2] = 131;
    assert_int_equal(sprt_state(&t, close, 3).verdict, SPRT_H1);
    near(sprt_lower(&(sprt_test){0, 5, 0.05, 0.1, SPRT_LOGISTIC}), log(0.1 / 0.95), 1e-12);
    near(sprt_upper(&(sprt_test){0, 5, 0.05, 0.1, SPRT_LOGISTIC}), log(0.9 / 0.05), 1e-12);
}

// Every row of sprt_ref.txt.
static void reference_file(void **state)
{
    (void)state;
    size_t length;
    char *text = read_data_or_skip("rating/sprt_ref.txt", &length);
    int rows = 0, colour = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        double n[5], e0, e1, logistic, approx, normalised, elo, margin, los;
        char approx_text[32];
        int kinds = 0;
        if (sscanf(line, "%lf %lf %lf %lf %lf | %lf | %31s | %lf | %lf %lf %lf", &n[2], &n[1], &n[0], &e0, &e1,
                   &logistic, approx_text, &normalised, &elo, &margin, &los) == 11)
            kinds = 3;
        else if (sscanf(line, "[%lf, %lf, %lf, %lf, %lf] %lf %lf | %lf | %31s | %lf | %lf %lf %lf", &n[0], &n[1], &n[2],
                        &n[3], &n[4], &e0, &e1, &logistic, approx_text, &normalised, &elo, &margin, &los) == 13)
            kinds = 5;
        if (kinds > 0) {
            sprt_test t = {e0, e1, 0.05, 0.05, SPRT_LOGISTIC};
            assert_ok(sprt_check(&t));
            near(sprt_llr(&t, n, kinds), logistic, 1e-5);
            if (sscanf(approx_text, "%lf", &approx) == 1) near(sprt_llr_approx(&t, n, kinds), approx, 1e-5);
            t.scale = SPRT_NORMALISED;
            near(sprt_llr(&t, n, kinds), normalised, 1e-5);
            match_elo m = match_elo_of(n, kinds, 0.95);
            near(m.elo, elo, 1e-4);
            near(m.margin, margin, 1e-4);
            near(m.superiority, los, 1e-6);
            rows++;
        }
        double lower, upper;
        if (sscanf(line, "bounds alpha=beta=.05: %lf %lf", &lower, &upper) == 2) {
            sprt_test t = {0, 30, 0.05, 0.05, SPRT_LOGISTIC};
            near(sprt_lower(&t), lower, 1e-9);
            near(sprt_upper(&t), upper, 1e-9);
        }
        // The example where the first player wins most games: pairs see through it, single games do not.
        static const double pairs[5] = {2, 5, 78, 6, 9}, single[3] = {87, 11, 102};
        sprt_test t = {0, 30, 0.05, 0.05, SPRT_LOGISTIC};
        bool five = sscanf(line, "pentanomial LLR %lf Elo %lf +-%lf LOS %lf", &logistic, &elo, &margin, &los) == 4;
        bool three =
            !five && sscanf(line, "trinomial LLR %lf Elo %lf +-%lf LOS %lf", &logistic, &elo, &margin, &los) == 4;
        if (five || three) {
            match_elo m = match_elo_of(five ? pairs : single, five ? 5 : 3, 0.95);
            near(sprt_llr(&t, five ? pairs : single, five ? 5 : 3), logistic, 1e-5);
            near(m.elo, elo, 1e-4);
            near(m.margin, margin, 1e-4);
            near(m.superiority, los, 1e-5);
            colour++;
        }
    }
    assert_int_equal(rows, 14);
    assert_int_equal(colour, 2);
    free(text);
}

// The exact solution is a maximum: no other distribution with the hypothesis's mean (or t-value) is likelier. Checked
// against a search over three outcomes, where one free share is left.
static void is_the_maximum(void **state)
{
    (void)state;
    static const double counts[4][3] = {{40, 20, 60}, {3, 0, 9}, {500, 900, 480}, {0, 7, 1}};
    for (int c = 0; c < 4; c++)
        for (int scale = 0; scale < 2; scale++) {
            sprt_test t = {-15, 40, 0.05, 0.05, (sprt_scale)scale};
            double best[2] = {-INFINITY, -INFINITY}, n[3];
            for (int i = 0; i < 3; i++) n[i] = counts[c][i] > 0 ? counts[c][i] : 1e-3;
            for (int h = 0; h < 2; h++) {
                double elo = h ? t.elo1 : t.elo0;
                for (int k = 1; k < 200000; k++) {
                    double draw = k / 200000.0, win, rest = 1 - draw; // win + loss = rest
                    if (scale == SPRT_LOGISTIC) {
                        win = elo_expected(elo) - draw / 2;
                    } else { // score - 1/2 = u/2 with u = win - loss; variance = (rest - u^2) / 4; u = v sqrt(rest -
                             // u^2)
                        double v = elo / (2 * ELO_PER_NAT), u = v * sqrt(rest / (1 + v * v));
                        win = (rest + u) / 2;
                    }
                    double loss = rest - win;
                    if (win <= 0 || loss <= 0) continue;
                    best[h] = fmax(best[h], n[0] * log(loss) + n[1] * log(draw) + n[2] * log(win));
                }
            }
            near(sprt_llr(&t, counts[c], 3), best[1] - best[0], 2e-6 * (1 + fabs(best[1] - best[0])));
        }
}

static void never_nan(void **state)
{
    (void)state;
    rng r = rng_at(4, 4, 4);
    static const double bounds[][2] = {{0, 30}, {-200, -199}, {-3, 1}, {0, 200}, {-200, 200}, {199, 200}, {0, 0.01}};
    for (int round = 0; round < 6000; round++) {
        int kinds = round & 1 ? 3 : 5;
        double n[5] = {0};
        for (int i = 0; i < kinds; i++) n[i] = rng_unit(&r) < 0.4 ? 0 : floor(pow(10, 7 * rng_unit(&r)));
        const double *b = bounds[rng_below(&r, 7)];
        sprt_test t = {b[0], b[1], 0.05, 0.05, (sprt_scale)rng_below(&r, 2)};
        assert_ok(sprt_check(&t));
        sprt_status s = sprt_state(&t, n, kinds);
        assert_true(isfinite(s.llr) && isfinite(s.left) && isfinite(s.left0) && isfinite(s.left1));
        assert_true(s.left >= 0 && s.left0 >= 0 && s.left1 >= 0 && s.chance1 >= 0 && s.chance1 <= 1);
        // Seen from the other side everything changes sign.
        double back[5];
        for (int i = 0; i < kinds; i++) back[i] = n[kinds - 1 - i];
        sprt_test u = {-t.elo1, -t.elo0, 0.05, 0.05, t.scale};
        near(sprt_llr(&u, back, kinds), -s.llr, 1e-6 * (1 + fabs(s.llr)));
        match_elo m = match_elo_of(n, kinds, 0.95);
        assert_true(isfinite(m.elo) && m.low <= m.elo && m.elo <= m.high && m.superiority >= 0 && m.superiority <= 1);
    }
    // Ten wins of ten: at least the score at which that had a chance of 2.5 %. Ten draws: at most so many were luck.
    double wins[3] = {0, 0, 10}, draws[3] = {0, 10, 0}, none[5] = {0};
    match_elo m = match_elo_of(wins, 3, 0.95);
    near(m.low, elo_difference(pow(0.025, 0.1)), 1e-9);
    assert_true(m.flat && m.high > 1199);
    m = match_elo_of(draws, 3, 0.95);
    near(m.high, elo_difference(0.5 + 0.5 * (1 - pow(0.025, 0.1))), 1e-9);
    near(m.low, -m.high, 1e-9);
    m = match_elo_of(none, 5, 0.95);
    assert_true(m.elo == 0 && m.low < -1000 && m.high > 1000 && m.flat && m.games == 0);
    assert_true(sprt_llr(&(sprt_test){0, 30, 0.05, 0.05, SPRT_LOGISTIC}, none, 5) == 0);
}

// a's halves in the games of one opening, which came back: from one side, then from the other
static void add_opening(results *r, uint32_t pair, int n, const int *halves)
{
    for (int i = 0; i < n; i++) {
        int a = i % 2;
        assert_ok(results_add(r, a, 1 - a, a == 0 ? halves[i] : 2 - halves[i], pair));
    }
}

static results two_players(void)
{
    results r = {0};
    int at;
    assert_ok(roster_add(&r.who, "a", &at));
    assert_ok(roster_add(&r.who, "b", &at));
    return r;
}

// Openings that came back are one piece of evidence each, and a pair that lacks a game changes little.
static void openings_that_came_back(void **state)
{
    (void)state;
    static const int all[4] = {2, 2, 2, 2}, none[4] = {0, 0, 0, 0}, half[2] = {2, 0};
    results r = two_players();
    match_counts c;
    for (uint32_t k = 0; k < 10; k++) add_opening(&r, k, 4, k < 5 ? all : none);
    assert_ok(results_match(&c, &r, 0, 1));
    match_elo m = match_elo_counted(&c, 0.95);
    // Ten scores of 1 or 0: mean 1/2, standard error sqrt(10 * 1/4 / 9 / 10), Student's quantile with 9 degrees 2.262157.
    near(m.low, elo_difference(0.5 - 2.2621572 / 6), 1e-4);
    near(m.high, -m.low, 1e-9);
    assert_true(fabs(m.elo) < 1e-9 && m.games == 40 && fabs(m.superiority - 0.5) < 1e-9);
    assert_true(m.margin > 1.9 * match_elo_of(c.n3, 3, 0.95).margin);
    results_free(&r);

    r = two_players(); // every opening is won by who moves first: the score is sure to be 1/2, however many games
    for (uint32_t k = 0; k < 40; k++) add_opening(&r, k, 2, half);
    for (uint32_t k = 40; k < 50; k++) add_opening(&r, k, 2, k % 2 ? all : none);
    assert_ok(results_match(&c, &r, 0, 1));
    match_elo whole = match_elo_counted(&c, 0.95);
    near(whole.margin, match_elo_of(c.n5, 5, 0.95).margin, 1e-12);
    add_opening(&r, 50, 1, all); // the run was stopped within a pair
    assert_ok(results_match(&c, &r, 0, 1));
    m = match_elo_counted(&c, 0.95);
    assert_true(m.margin < 1.05 * whole.margin && m.margin < 0.75 * match_elo_of(c.n3, 3, 0.95).margin);
    results_free(&r);

    r = two_players(); // too few to say how much they vary
    for (uint32_t k = 0; k < 5; k++) add_opening(&r, k, 4, k < 2 ? all : none);
    assert_ok(results_match(&c, &r, 0, 1));
    near(match_elo_counted(&c, 0.95).low, match_elo_of(c.n3, 3, 0.95).low, 1e-12);
    results_free(&r);
}

// 40 openings, each twice from both sides, a's chance in an opening 0.1 to 0.9: 95 % intervals of the score hold it in 92 to
// 97 of 100 matches, those by single games in less than 88.
static void their_intervals_are_honest(void **state)
{
    (void)state;
    const int matches = soak_or(2000, 20000);
    int hit = 0, by_games = 0;
    for (int i = 0; i < matches; i++) {
        results r = two_players();
        rng g = rng_at(42, (uint64_t)i, 0);
        for (uint32_t k = 0; k < 40; k++) {
            double chance = 0.1 + 0.8 * rng_unit(&g);
            int halves[4];
            for (int j = 0; j < 4; j++) halves[j] = rng_unit(&g) < chance ? 2 : 0;
            add_opening(&r, k, 4, halves);
        }
        match_counts c;
        assert_ok(results_match(&c, &r, 0, 1));
        match_elo m = match_elo_counted(&c, 0.95), single = match_elo_of(c.n3, 3, 0.95);
        hit += m.low <= 0 && 0 <= m.high;
        by_games += single.low <= 0 && 0 <= single.high;
        results_free(&r);
    }
    printf("  intervals of matches with openings that come back: %.1f %%; by single games %.1f %%\n",
           100.0 * hit / matches, 100.0 * by_games / matches);
    assert_true(hit > 0.92 * matches && hit < 0.97 * matches);
    assert_true(by_games < 0.88 * matches);
}

static void bad_tests_are_refused(void **state)
{
    (void)state;
    assert_err(sprt_check(&(sprt_test){30, 0, 0.05, 0.05, SPRT_LOGISTIC}), "elo0 must be below elo1");
    assert_err(sprt_check(&(sprt_test){0, 0, 0.05, 0.05, SPRT_LOGISTIC}), "elo0 must be below elo1");
    assert_err(sprt_check(&(sprt_test){0, NAN, 0.05, 0.05, SPRT_LOGISTIC}), "within");
    assert_err(sprt_check(&(sprt_test){0, 30, 0, 0.05, SPRT_LOGISTIC}), "alpha and beta");
    assert_err(sprt_check(&(sprt_test){0, 30, 0.6, 0.5, SPRT_LOGISTIC}), "alpha and beta");
    assert_err(sprt_check(&(sprt_test){0, 300, 0.05, 0.05, SPRT_NORMALISED}), "within");
}

// --- error rates

typedef struct trial {
    int accepted1, accepted0;
    double games, left; // mean length; mean of what was expected at the start
} trial;

static trial run(const sprt_test *t, int kinds, double lead, const sim_options *base, int tests, uint64_t seed)
{
    trial out = {0};
    double elo[2] = {lead, 0}, none[5] = {0};
    sim_options o = *base;
    o.n = 2;
    o.elo = elo;
    out.left = lead > 0 ? sprt_state(t, none, kinds).left1 : sprt_state(t, none, kinds).left0;
    for (int i = 0; i < tests; i++) {
        rng r = rng_at(seed, (uint64_t)i, 0);
        double n3[3] = {0}, n5[5] = {0}, llr = 0;
        int pairs = 0;
        while (llr > sprt_lower(t) && llr < sprt_upper(t)) {
            int halves[2];
            sim_pair(&o, 0, 1, &r, halves);
            n3[halves[0]]++;
            n3[2 - halves[1]]++;
            n5[halves[0] + 2 - halves[1]]++;
            pairs++;
            llr = sprt_llr(t, kinds == 5 ? n5 : n3, kinds);
            assert_true(pairs < 100000);
        }
        out.games += 2.0 * pairs / tests;
        if (llr > 0)
            out.accepted1++;
        else
            out.accepted0++;
    }
    return out;
}

// The Elo that a lead amounts to in this kind of game, on the test's scale: from the exact expectation, or (normalised)
// from 200,000 simulated pairs.
static double true_elo(const sim_options *base, double lead, sprt_scale scale)
{
    double elo[2] = {lead, 0}, n5[5] = {0};
    sim_options o = *base;
    o.n = 2;
    o.elo = elo;
    o.pairs = 1;
    if (scale == SPRT_LOGISTIC) {
        tally t = {0};
        assert_ok(sim_expected(&t, &o));
        double score = 0.5 * (t.cell[0].wins + 0.5 * t.cell[0].draws + t.cell[1].losses + 0.5 * t.cell[1].draws);
        tally_free(&t);
        return elo_difference(score);
    }
    for (int i = 0; i < 200000; i++) {
        rng r = rng_at(77, (uint64_t)i, 0);
        int halves[2];
        sim_pair(&o, 0, 1, &r, halves);
        n5[halves[0] + 2 - halves[1]]++;
    }
    return match_elo_of(n5, 5, 0.95).normalised;
}

static void check_rates(const char *what, int kinds, sprt_scale scale, double lead, sim_options o, int tests)
{
    sprt_test t = {0, true_elo(&o, lead, scale), 0.05, 0.05, scale};
    assert_ok(sprt_check(&t));
    trial null = run(&t, kinds, 0, &o, tests, 1001), real = run(&t, kinds, lead, &o, tests, 2002);
    double wrong1 = (double)null.accepted1 / tests, wrong0 = (double)real.accepted0 / tests;
    printf("%s, 0 to %.1f: accepts elo1 wrongly in %.2f %%, elo0 in %.2f %%; %.0f and %.0f games\n", what, t.elo1,
           100 * wrong1, 100 * wrong0, null.games, real.games);
    assert_true(wrong1 <= 0.06 && wrong0 <= 0.06);
    assert_true(null.games < 2 * null.left && real.games < 2 * real.left); // the prediction at the start is no fantasy
}

// Ten thousand tests at each hypothesis. Openings of very different balance, a first-move advantage and draws, as real
// games have.
static void error_rates(void **state)
{
    (void)state;
    sim_options level = {.advantage = 40, .draw = 0.4}, uneven = {.advantage = 40, .draw = 0.4, .balance_sd = 250};
    sim_options drawish = {.advantage = 40, .draw = 0.9}, matched = {.advantage = 0, .draw = 0.2, .style_sd = 250};
    check_rates("pairs, logistic", 5, SPRT_LOGISTIC, 50, uneven, soak_or(3000, 10000));
    check_rates("pairs, normalised", 5, SPRT_NORMALISED, 50, uneven, 2000);
    check_rates("pairs, drawish", 5, SPRT_LOGISTIC, 50, drawish, 2000);
    check_rates("pairs, dependent openings", 5, SPRT_LOGISTIC, 60, matched, soak_or(2000, 5000));
    check_rates("games, logistic", 3, SPRT_LOGISTIC, 50, level, soak_or(2000, 5000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(reference_file),
        cmocka_unit_test(is_the_maximum),
        cmocka_unit_test(never_nan),
        cmocka_unit_test(openings_that_came_back),
        cmocka_unit_test(their_intervals_are_honest),
        cmocka_unit_test(bad_tests_are_refused),
        cmocka_unit_test(error_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
