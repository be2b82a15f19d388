// Ratings: known numbers, derivatives, frames, priors, and pools that cannot be rated.
#include "base/rng.h"
#include "stats/bootstrap.h"
#include "stats/elo.h"
#include "stats/linkage.h"
#include "stats/newton.h"
#include "stats/stats_test.h"

// --- known numbers: the reference pool, fitted by Ordo and BayesElo and by root finding elsewhere

static void four_models(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        double rating[5], advantage, draw, loglik;
    } known[4] = {
        {"bt", {1273.2326, 1390.9582, 1503.4761, 1635.6146, 1696.7185}, 0, 0, -207.954440},
        {"bt-adv", {1272.5200, 1390.6097, 1503.4821, 1636.0442, 1697.3439}, 21.5636, 0, -207.427465},
        {"rao-kupper", {1270.5993, 1386.7798, 1509.0596, 1636.6215, 1696.9398}, 20.0723, 60.2641, -309.003425},
        {"davidson", {1227.1830, 1369.1750, 1504.3336, 1662.9094, 1736.3990}, 26.0593, 0.352739, -308.338083},
    };
    tally t = reference_pool();
    for (int k = 0; k < 4; k++) {
        rating_options o = {0};
        rating_fit f;
        assert_ok(rating_model_parse(known[k].model, &o));
        assert_string_equal(rating_model_name(&o), known[k].model);
        assert_ok(rating_fit_tally(&f, &t, &o));
        for (int i = 0; i < 5; i++) near(f.rating[i], known[k].rating[i], 0.0002);
        near(f.advantage, known[k].advantage, 0.0002);
        near(f.draw, known[k].draw, 0.0002);
        near(f.loglik, known[k].loglik, 1e-6);
        assert_true(f.iterations < 20 && f.notes.n == 0 && !f.prior_lent);
        rating_free(&f);
    }
    tally_free(&t);
    rating_options o = {0};
    assert_err(rating_model_parse("glicko", &o), "bt|bt-adv|rao-kupper|davidson");
}

static void errors_of_the_pool(void **state)
{
    (void)state;
    static const double info[6] = {29.863, 25.911, 24.729, 26.368, 28.301, 21.039};
    static const double sandwich[6] = {26.183, 24.041, 22.606, 24.474, 24.930, 19.134};
    static const double resampled[6] = {27.209, 24.922, 23.093, 25.013, 25.446, 19.612};
    tally t = reference_pool();
    results r = {0};
    rating_options o = {0};
    rating_fit f;
    bootstrap b;
    assert_ok(results_of(&r, &t));
    assert_ok(rating_fit_results(&f, &r, &o));
    assert_ok(rating_bootstrap(&b, &f, &r, &o, 4000, 0.95, 1));
    for (int i = 0; i < 6; i++) {
        near(rating_se(&f, ERRORS_INFO, i), info[i], 0.0006);
        near(rating_se(&f, ERRORS_GAMES, i), sandwich[i], 0.0006);
        near(rating_se(&f, ERRORS_PAIRS, i), sandwich[i], 0.0006); // no pairs: each game is its own
        near(rating_se(&f, ERRORS_BOOTSTRAP, i), resampled[i], 0.05 * resampled[i]);
        double centre = i < 5 ? f.rating[i] : f.advantage, half = 1.96 * resampled[i];
        near(b.low[i], centre - half, 0.2 * half); // percentiles are a little skewed
        near(b.high[i], centre + half, 0.2 * half);
    }
    near(rating_difference_se(&f, ERRORS_INFO, 4, 0), 48.329, 0.0006);
    near(rating_difference_se(&f, ERRORS_GAMES, 4, 0), 41.840, 0.0006);
    near(rating_difference_se(&f, ERRORS_BOOTSTRAP, 4, 0), 43.240, 0.05 * 43.24);
    assert_int_equal(b.thin, 0);

    // The same seed gives the same bits, another one does not.
    double before = rating_se(&f, ERRORS_BOOTSTRAP, 2);
    bootstrap_free(&b);
    assert_ok(rating_bootstrap(&b, &f, &r, &o, 20, 0.95, 1)); // the fewest
    bootstrap_free(&b);
    assert_ok(rating_bootstrap(&b, &f, &r, &o, 4000, 0.95, 1));
    assert_true(rating_se(&f, ERRORS_BOOTSTRAP, 2) == before);
    bootstrap_free(&b);
    assert_ok(rating_bootstrap(&b, &f, &r, &o, 4000, 0.95, 2));
    assert_true(rating_se(&f, ERRORS_BOOTSTRAP, 2) != before);
    bootstrap_free(&b);
    assert_err(rating_bootstrap(&b, &f, &r, &o, 19, 0.95, 1), "resamples must be");

    double los[25];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) los[5 * i + j] = rating_superiority(&f, ERRORS_BEST, i, j);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) near(los[5 * i + j] + los[5 * j + i], 1, 1e-12);
    near(los[4 * 5 + 3], dist_normal_cdf((f.rating[4] - f.rating[3]) / rating_difference_se(&f, ERRORS_PAIRS, 4, 3)),
         1e-12);
    assert_true(los[4 * 5 + 0] > 0.999999 && los[4 * 5 + 3] > 0.5 && los[0] == 0.5);
    interval v = rating_interval(&f, ERRORS_INFO, 0, 0.95);
    near(v.high - v.low, 2 * 1.959964 * 29.863, 0.003);
    rating_free(&f);
    results_free(&r);
    tally_free(&t);
}

// Two players have a closed form: lead = logit(score), error = 1 / sqrt(n p q), in the mean frame half of each.
static void two_players_by_hand(void **state)
{
    (void)state;
    tally t = empty_pool(2);
    rating_options o = {.no_advantage = true, .centre = 1000};
    rating_fit f;
    assert_ok(tally_add(&t, 0, 1, 30, 20, 10));
    assert_ok(rating_fit_tally(&f, &t, &o));
    double p = 40.0 / 60, lead = 400 * log10(p / (1 - p)), se = ELO_PER_NAT / sqrt(60 * p * (1 - p));
    near(f.rating[0] - f.rating[1], lead, 1e-9);
    near(f.rating[0] + f.rating[1], 2000, 1e-9);
    near(rating_difference_se(&f, ERRORS_INFO, 0, 1), se, 1e-9);
    near(rating_se(&f, ERRORS_INFO, 0), se / 2, 1e-9);
    double variance = (30 * (1 - p) * (1 - p) + 20 * (0.5 - p) * (0.5 - p) + 10 * p * p) / 60;
    near(rating_difference_se(&f, ERRORS_GAMES, 0, 1), ELO_PER_NAT * sqrt(variance / 60) / (p * (1 - p)), 1e-9);
    assert_true(rating_se(&f, ERRORS_INFO, 2) == 0 && f.advantage == 0 && !f.has_advantage);
    rating_free(&f);

    // Davidson: win : loss = e^lead, draw^2 / (win * loss) = nu^2.
    o = (rating_options){.model = MODEL_DAVIDSON, .no_advantage = true};
    assert_ok(rating_fit_tally(&f, &t, &o));
    near(f.rating[0] - f.rating[1], ELO_PER_NAT * log(3.0), 1e-8);
    near(f.draw, 20 / sqrt(300.0), 1e-10);
    rating_free(&f);
    // Rao-Kupper: win share f(d - t), loss share f(-d - t).
    o.model = MODEL_RAO_KUPPER;
    assert_ok(rating_fit_tally(&f, &t, &o));
    double win = log(0.5 / 0.5), loss = log((1.0 / 6) / (5.0 / 6));
    near(f.rating[0] - f.rating[1], ELO_PER_NAT * (win - loss) / 2, 1e-8);
    near(f.draw, -ELO_PER_NAT * (win + loss) / 2, 1e-8);
    rating_free(&f);

    // With both sides played the advantage is half the difference of the two logits.
    assert_ok(tally_add(&t, 1, 0, 25, 10, 25));
    o = (rating_options){0};
    assert_ok(rating_fit_tally(&f, &t, &o));
    near(f.advantage, 0.5 * lead, 1e-8);
    near(f.rating[0] - f.rating[1], 0.5 * lead, 1e-8);
    rating_free(&f);
    tally_free(&t);
}

// --- derivatives by finite differences, priors included

static void derivatives(void **state)
{
    (void)state;
    enum { N = 4, S = N + 2 };
    rng r = rng_at(3, 1, 4);
    for (int round = 0; round < 60; round++) {
        rating_model m = (rating_model)(round % 3);
        double draws = round & 1 ? 2.5 : 0, sd = round & 2 ? 300 : 0;
        tally t = empty_pool(N);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (i != j) assert_ok(tally_add(&t, i, j, rng_below(&r, 9), rng_below(&r, 5), rng_below(&r, 9)));
        double x[S], g[S], h[S * S], gp[S], gm[S];
        for (int i = 0; i < N + 1; i++) x[i] = 2 * rng_normal(&r);
        x[N + 1] = 0.2 + 2 * rng_unit(&r);
        newton_objective(&t, m, draws, sd, x, g, h);
        for (int i = 0; i < S; i++) {
            double keep = x[i], step = 1e-5;
            x[i] = keep + step;
            double up = newton_objective(&t, m, draws, sd, x, gp, NULL);
            x[i] = keep - step;
            double down = newton_objective(&t, m, draws, sd, x, gm, NULL);
            x[i] = keep;
            near((up - down) / (2 * step), g[i], 2e-6 * (10 + fabs(g[i])));
            for (int j = 0; j < S; j++)
                near((gp[j] - gm[j]) / (2 * step), h[i * S + j], 2e-6 * (10 + fabs(h[i * S + j])));
        }
        tally_free(&t);
    }
    // Likelihoods are logarithms of the chances they claim.
    for (int m = 0; m < 3; m++)
        for (double d = -30; d <= 30; d += 1.7) {
            double p[3], e = m == MODEL_DAVIDSON ? -0.7 : 0.6;
            model_chances((rating_model)m, d, e, p);
            near(p[0] + p[1] + p[2], 1, 1e-14);
            near(model_eval((rating_model)m, d, e, 1, 0, 0).ll, log(p[2]), 1e-9 * (1 + fabs(d)));
            near(model_eval((rating_model)m, d, e, 0, 0, 1).ll, log(p[0]), 1e-9 * (1 + fabs(d)));
            if (m != MODEL_BT) near(model_eval((rating_model)m, d, e, 0, 1, 0).ll, log(p[1]), 1e-9 * (1 + fabs(d)));
        }
}

// --- frames

static void anchors(void **state)
{
    (void)state;
    tally t = reference_pool();
    rating_options plain = {0}, one = {.anchors = &(rating_anchor){2, 2000}, .n_anchors = 1};
    rating_options two = {.anchors = (rating_anchor[]){{0, 1000}, {4, 1700}}, .n_anchors = 2};
    rating_fit f, g;
    assert_ok(rating_fit_tally(&f, &t, &plain));
    assert_ok(rating_fit_tally(&g, &t, &one));
    for (int i = 0; i < 5; i++) {
        near(g.rating[i], f.rating[i] - f.rating[2] + 2000, 1e-7);
        near(rating_se(&g, ERRORS_INFO, i), rating_difference_se(&f, ERRORS_INFO, i, 2), 1e-7);
        near(rating_se(&g, ERRORS_GAMES, i), rating_difference_se(&f, ERRORS_GAMES, i, 2), 1e-7);
    }
    near(g.advantage, f.advantage, 1e-7);
    near(g.loglik, f.loglik, 1e-9);
    rating_free(&g);
    assert_ok(rating_fit_tally(&g, &t, &two));
    assert_true(g.rating[0] == 1000 && g.rating[4] == 1700);
    assert_true(rating_se(&g, ERRORS_INFO, 0) == 0 && rating_se(&g, ERRORS_GAMES, 4) == 0);
    assert_true(g.rating[1] > 1100 && g.rating[1] < g.rating[2] && g.rating[2] < g.rating[3] && g.rating[3] < 1700);
    assert_true(g.loglik < f.loglik); // 700 apart is not what the games say
    rating_free(&f);
    rating_free(&g);

    assert_err(rating_fit_tally(&g, &t, &(rating_options){.anchors = &(rating_anchor){9, 0}, .n_anchors = 1}),
               "no player");
    assert_err(rating_fit_tally(&g, &t, &(rating_options){.anchors = &(rating_anchor){0, NAN}, .n_anchors = 1}),
               "'beginner'");
    assert_err(
        rating_fit_tally(&g, &t, &(rating_options){.anchors = (rating_anchor[]){{0, 1}, {0, 2}}, .n_anchors = 2}),
        "twice");
    assert_err(rating_fit_tally(&g, &t, &(rating_options){.prior_sd = -1}), "prior");
    tally_free(&t);

    // Two groups that never met are comparable through an anchor in each.
    t = empty_pool(4);
    assert_ok(tally_add(&t, 0, 1, 6, 0, 4));
    assert_ok(tally_add(&t, 1, 0, 6, 0, 4));
    assert_ok(tally_add(&t, 2, 3, 3, 0, 7));
    assert_ok(tally_add(&t, 3, 2, 5, 0, 5));
    rating_options linked = {.anchors = (rating_anchor[]){{0, 1500}, {2, 1800}}, .n_anchors = 2};
    assert_ok(rating_fit_tally(&f, &t, &linked));
    assert_true(!f.prior_lent && f.rating[3] > 1800 && fabs(f.rating[1] - 1500) < 100);
    rating_free(&f);
    assert_ok(rating_fit_tally(&f, &t, &plain));
    assert_true(f.prior_lent);
    rating_free(&f);
    tally_free(&t);
}

static void priors(void **state)
{
    (void)state;
    tally t = reference_pool();
    rating_fit f, g;
    assert_ok(rating_fit_tally(&f, &t, &(rating_options){0}));
    assert_ok(rating_fit_tally(&g, &t, &(rating_options){.prior_draws = 1e-7}));
    for (int i = 0; i < 5; i++) near(g.rating[i], f.rating[i], 1e-3);
    rating_free(&g);
    static const rating_options some[2] = {{.prior_draws = 10}, {.prior_sd = 50}};
    for (int k = 0; k < 2; k++) {
        assert_ok(rating_fit_tally(&g, &t, &some[k]));
        assert_true(g.rating[4] < f.rating[4] - 5 && g.rating[0] > f.rating[0] + 5); // towards the mean
        assert_true(rating_se(&g, ERRORS_INFO, 4) < rating_se(&f, ERRORS_INFO, 4));
        double mean = 0;
        for (int i = 0; i < 5; i++) mean += g.rating[i] / 5;
        near(mean, 1500, 1e-9);
        rating_free(&g);
    }
    rating_free(&f);
    tally_free(&t);

    // Ten wins to none, two virtual draws each: by symmetry ratings are ±u with 20 f(-2u) = 2 tanh(u/2).
    t = empty_pool(2);
    assert_ok(tally_add(&t, 0, 1, 10, 0, 0));
    assert_ok(rating_fit_tally(&f, &t, &(rating_options){.no_advantage = true, .prior_draws = 2}));
    double low = 0, high = 10;
    for (int i = 0; i < 100; i++) {
        double u = (low + high) / 2;
        if (20 / (1 + exp(2 * u)) > 2 * tanh(u / 2))
            low = u;
        else
            high = u;
    }
    near(f.rating[0] - 1500, ELO_PER_NAT * low, 1e-7);
    assert_true(!f.prior_lent && f.notes.n > 0); // asked for, so not lent; but the trouble is still said
    rating_free(&f);
    tally_free(&t);
}

// --- pools that cannot be rated

static bool told(const rating_fit *f, const char *part)
{
    for (int i = 0; i < f->notes.n; i++)
        if (strstr(f->notes.line[i], part) != NULL) return true;
    return false;
}

// Groups are named, the first six of them.
static void many_groups(void **state)
{
    (void)state;
    for (int groups = 5; groups <= 8; groups++) {
        tally t = empty_pool(2 * groups);
        rating_fit f;
        for (int i = 0; i < groups; i++) {
            assert_ok(tally_add(&t, 2 * i, 2 * i + 1, 6, 0, 4));
            assert_ok(tally_add(&t, 2 * i + 1, 2 * i, 5, 0, 5));
        }
        assert_ok(rating_fit_tally(&f, &t, &(rating_options){0}));
        for (int i = 1; i <= groups; i++) {
            char part[40];
            snprintf(part, sizeof part, "Group %d of %d: ", i, groups);
            assert_int_equal(told(&f, part), i <= 6);
        }
        rating_free(&f);
        tally_free(&t);
    }
}

static void all_finite(const rating_fit *f)
{
    double sum = 0;
    for (int i = 0; i < f->n; i++) {
        assert_true(isfinite(f->rating[i]) && fabs(f->rating[i]) < 1e5);
        sum += f->rating[i];
        for (int k = ERRORS_INFO; k <= ERRORS_PAIRS; k++) {
            if (f->cov[k] == NULL) continue;
            assert_true(isfinite(rating_se(f, (rating_errors)k, i)));
            interval v = rating_interval(f, (rating_errors)k, i, 0.95);
            assert_true(isfinite(v.low) && isfinite(v.high) && v.low <= f->rating[i] && f->rating[i] <= v.high);
        }
        for (int j = 0; j < f->n; j++) {
            double p = rating_superiority(f, ERRORS_BEST, i, j);
            assert_true(p >= 0 && p <= 1);
        }
    }
    near(sum / f->n, 1500, 1e-6);
    assert_true(isfinite(f->advantage) && isfinite(f->draw) && isfinite(f->loglik));
    assert_true(isfinite(rating_se(f, ERRORS_BEST, f->n)));
}

static rating_fit fit_or_fail(const tally *t, rating_options o)
{
    rating_fit f;
    assert_ok(rating_fit_tally(&f, t, &o));
    all_finite(&f);
    return f;
}

static void degenerate_pools(void **state)
{
    (void)state;
    rating_options o = {0}, davidson = {.model = MODEL_DAVIDSON}, kupper = {.model = MODEL_RAO_KUPPER};
    rating_fit f;
    tally t = {0};
    assert_err(rating_fit_tally(&f, &t, &o), "no players");

    t = empty_pool(1);
    f = fit_or_fail(&t, o);
    assert_true(told(&f, "fewer than two players") && f.rating[0] == 1500);
    rating_free(&f);
    tally_free(&t);

    t = empty_pool(3);
    f = fit_or_fail(&t, o);
    assert_true(told(&f, "No game has been played"));
    near(f.rating[2], 1500, 1e-9);
    rating_free(&f);
    assert_err(rating_fit_tally(&f, &t, &(rating_options){.strict = true}), "No game has been played");

    assert_ok(tally_add(&t, 0, 1, 0, 10, 0)); // all draws, one player idle
    assert_ok(tally_add(&t, 1, 0, 0, 10, 0));
    const rating_options *each[3] = {&o, &davidson, &kupper};
    for (int k = 0; k < 3; k++) {
        f = fit_or_fail(&t, *each[k]);
        assert_true(told(&f, "'p2' has played no game") && told(&f, "2 groups") && told(&f, "'p0' and 'p1'"));
        near(f.rating[0], 1500, 1e-6);
        rating_free(&f);
    }
    tally_free(&t);

    t = empty_pool(2); // all draws
    assert_ok(tally_add(&t, 0, 1, 0, 10, 0));
    assert_ok(tally_add(&t, 1, 0, 0, 10, 0));
    f = fit_or_fail(&t, o);
    // Nothing varied, so a sandwich would claim to know everything: not taken.
    assert_true(!f.prior_lent && rating_se(&f, ERRORS_GAMES, 0) < 1e-6 && rating_se(&f, ERRORS_BEST, 0) > 10);
    rating_free(&f);
    f = fit_or_fail(&t, davidson);
    assert_true(f.prior_lent && told(&f, "draw model") && f.draw > 5);
    rating_free(&f);
    f = fit_or_fail(&t, kupper);
    assert_true(f.prior_lent && told(&f, "draw model"));
    rating_free(&f);
    assert_err(rating_fit_tally(&f, &t, &(rating_options){.model = MODEL_DAVIDSON, .strict = true}), "do not bound");
    tally_free(&t);

    for (int least = 0; least < 3; least++) { // who has the fewest draws is named
        t = empty_pool(3);
        assert_ok(tally_add(&t, (least + 1) % 3, (least + 2) % 3, 0, 40, 0));
        assert_ok(tally_add(&t, least, (least + 1) % 3, 0, 3, 0));
        f = fit_or_fail(&t, davidson);
        char name[60];
        snprintf(name, sizeof name, "every rating, 'p%d' least of all", least);
        assert_true(f.prior_lent && told(&f, name));
        rating_free(&f);
        tally_free(&t);
    }
}

static void wins_without_end(void **state)
{
    (void)state;
    rating_options o = {0};
    tally t = empty_pool(3); // p2 wins everything, p0 and p1 are mortal
    assert_ok(tally_add(&t, 0, 1, 5, 1, 4));
    assert_ok(tally_add(&t, 1, 0, 5, 1, 4));
    assert_ok(tally_add(&t, 2, 0, 10, 0, 0));
    assert_ok(tally_add(&t, 1, 2, 0, 0, 10));
    for (int k = 0; k < 3; k++) {
        rating_fit f = fit_or_fail(&t, (rating_options){.model = (rating_model)k});
        assert_true(f.prior_lent && told(&f, "'p2' won all 20 of its games") && told(&f, "'p2' is at least"));
        assert_true(f.rating[2] > f.rating[0] + 300 && rating_errors_used(&f, ERRORS_BEST) == ERRORS_INFO);
        assert_true(!told(&f, "levels"));
        rating_free(&f);
    }
    rating_fit f;
    assert_err(rating_fit_tally(&f, &t, &(rating_options){.strict = true}), "'p2' won all 20");
    tally_free(&t);

    // The bound that is printed: 20 wins against two equals, at least the rating where that had a chance of 1 in 40.
    t = empty_pool(2);
    assert_ok(tally_add(&t, 0, 1, 10, 0, 0));
    assert_ok(tally_add(&t, 1, 0, 0, 0, 10));
    f = fit_or_fail(&t, (rating_options){.no_advantage = true});
    double p = pow(0.025, 1.0 / 20), at = f.rating[1] + 400 * log10(p / (1 - p));
    char words[64];
    snprintf(words, sizeof words, "'p0' is at least %.0f", at);
    assert_true(told(&f, words) && told(&f, "'p1' lost all 20") && told(&f, "'p1' is at most"));
    rating_free(&f);
    tally_free(&t);

    t = empty_pool(4); // two pairs of equals, no upset between the pairs
    assert_ok(tally_add(&t, 0, 1, 5, 0, 5));
    assert_ok(tally_add(&t, 1, 0, 5, 0, 5));
    assert_ok(tally_add(&t, 2, 3, 5, 0, 5));
    assert_ok(tally_add(&t, 3, 2, 5, 0, 4));
    assert_ok(tally_add(&t, 0, 2, 0, 0, 5));
    assert_ok(tally_add(&t, 3, 1, 5, 0, 0));
    f = fit_or_fail(&t, o);
    assert_true(told(&f, "2 levels with no upset") && told(&f, "Level 1 of 2: 'p2' and 'p3'") &&
                told(&f, "Level 2 of 2: 'p0' and 'p1'"));
    rating_free(&f);
    tally_free(&t);

    t = empty_pool(2); // whoever moves first wins
    assert_ok(tally_add(&t, 0, 1, 10, 0, 0));
    assert_ok(tally_add(&t, 1, 0, 10, 0, 0));
    f = fit_or_fail(&t, o);
    assert_true(f.prior_lent && told(&f, "too one-sided to bound the first-move advantage") && f.advantage > 200);
    near(f.rating[0], 1500, 1e-6);
    rating_free(&f);
    f = fit_or_fail(&t, (rating_options){.no_advantage = true});
    assert_true(!f.prior_lent && f.notes.n == 0);
    rating_free(&f);
    tally_free(&t);

    t = empty_pool(3); // a chain in one direction only: the advantage could be anything
    assert_ok(tally_add(&t, 0, 1, 6, 1, 3));
    assert_ok(tally_add(&t, 1, 2, 6, 1, 3));
    f = fit_or_fail(&t, o);
    assert_true(!f.has_advantage && !f.prior_lent && f.advantage == 0 && told(&f, "sides swapped"));
    rating_free(&f);
    f = fit_or_fail(&t, (rating_options){.model = MODEL_DAVIDSON});
    assert_true(!f.has_advantage);
    rating_free(&f);
    for (int n = 0; n <= 2; n++) { // one given rating fixes the scale, two the advantage
        linkage c;
        assert_ok(linkage_examine(&c, &t, (const int[]){0, 2}, n));
        assert_int_equal(c.advantage, n < 2 ? ADVANTAGE_UNSEEN : ADVANTAGE_FINITE);
        linkage_free(&c);
    }
    tally_free(&t);

    t = empty_pool(2); // no draws under a draw model
    assert_ok(tally_add(&t, 0, 1, 6, 0, 3));
    assert_ok(tally_add(&t, 1, 0, 6, 0, 3));
    f = fit_or_fail(&t, (rating_options){.model = MODEL_RAO_KUPPER});
    assert_true(told(&f, "No game was drawn") && f.draw == 0);
    rating_free(&f);
    f = fit_or_fail(&t, (rating_options){.model = MODEL_DAVIDSON});
    assert_true(told(&f, "No game was drawn") && f.draw == 0);
    rating_free(&f);
    tally_free(&t);
}

// Thousands of small random tables: nothing is ever infinite, and the exact graph tests agree with where Newton's
// method ends.
static void random_pools(void **state)
{
    (void)state;
    rng r = rng_at(11, 0, 0);
    int lent = 0, fine = 0;
    for (int round = 0; round < 4000; round++) {
        int n = 1 + (int)rng_below(&r, 6), games = 1 + (int)rng_below(&r, 12), sparse = (int)rng_below(&r, 4);
        tally t = empty_pool(n);
        for (int k = 0; k < games && n > 1; k++) {
            int a = (int)rng_below(&r, (uint32_t)n), b = (a + 1 + (int)rng_below(&r, (uint32_t)n - 1)) % n;
            double c[3] = {0};
            c[rng_below(&r, 3)] = 1 + rng_below(&r, 3);
            if (sparse == 0) c[rng_below(&r, 3)] += 1;
            assert_ok(tally_add(&t, a, b, c[0], c[1], c[2]));
        }
        for (int k = 0; k < 4; k++) {
            rating_options o = {.model = (rating_model)(k % 3), .no_advantage = k == 3};
            rating_fit f = fit_or_fail(&t, o);
            assert_true(f.iterations < 60);
            linkage c;
            assert_ok(linkage_examine(&c, &t, NULL, 0));
            bool bounded = linkage_bounded(&c) && (o.no_advantage || c.advantage != ADVANTAGE_UNBOUNDED);
            if (o.model == MODEL_BT && n > 1) {
                assert_int_equal(f.prior_lent, !bounded);
                double x[8], bread[64];
                newton_point p = {.advantage = f.has_advantage, .x = x, .bread = bread};
                assert_ok(newton_solve(&p, &t, &o, NULL));
                assert_int_equal(p.bounded, bounded);
                double g[8];
                newton_objective(&t, MODEL_BT, 0, 0, x, g, NULL);
                for (int i = 0; i < n + f.has_advantage && bounded; i++) near(g[i], 0, 1e-8);
            }
            if (!bounded && n > 1) assert_true(f.prior_lent && f.notes.n > 0);
            lent += f.prior_lent;
            fine += !f.prior_lent;
            linkage_free(&c);
            rating_free(&f);
        }
        tally_free(&t);
    }
    assert_true(lent > 1000 && fine > 1000); // both kinds were met
}

// Numbers far from the usual: a trillion games, gaps of thousands of Elo.
static void large_numbers(void **state)
{
    (void)state;
    tally t = empty_pool(2);
    assert_ok(tally_add(&t, 0, 1, 6e11, 1e11, 3e11));
    assert_ok(tally_add(&t, 1, 0, 4e11, 1e11, 5e11));
    for (int k = 0; k < 3; k++) {
        rating_fit f = fit_or_fail(&t, (rating_options){.model = (rating_model)k});
        assert_true(!f.prior_lent && f.iterations < 50 && rating_se(&f, ERRORS_GAMES, 0) < 0.01);
        rating_free(&f);
    }
    tally_free(&t);

    enum { N = 40 };
    t = empty_pool(N); // a ladder: each beats its neighbour 99 : 1, and everybody further down always
    for (int i = 0; i + 1 < N; i++) {
        assert_ok(tally_add(&t, i + 1, i, 99, 0, 1));
        assert_ok(tally_add(&t, i, i + 1, 1, 0, 99));
        if (i + 2 < N) assert_ok(tally_add(&t, i + 2, i, 50, 0, 0));
    }
    rating_fit f = fit_or_fail(&t, (rating_options){0});
    assert_true(!f.prior_lent);
    for (int i = 0; i + 1 < N; i++) near(f.rating[i + 1] - f.rating[i], 400 * log10(99), 10);
    rating_free(&f);
    tally_free(&t);
}

static void many_players(void **state)
{
    (void)state;
    enum { N = 200 };
    tally t = empty_pool(N);
    rng r = rng_at(5, 5, 5);
    for (int i = 0; i < N; i++)
        for (int k = 1; k <= 6; k++) {
            int j = (i + k * k) % N;
            if (i != j) assert_ok(tally_add(&t, i, j, 1 + rng_below(&r, 9), rng_below(&r, 5), 1 + rng_below(&r, 9)));
        }
    rating_fit f = fit_or_fail(&t, (rating_options){.model = MODEL_DAVIDSON});
    assert_true(!f.prior_lent && f.iterations < 30);
    rating_free(&f);
    tally_free(&t);
}

// Clusters by hand: doubling every game inside its pair must leave the clustered error as it was and shrink the naive
// one by sqrt 2.
static void copies_add_nothing(void **state)
{
    (void)state;
    tally t = reference_pool();
    results one = {0}, two = {0};
    rating_fit f, g;
    assert_ok(results_of(&one, &t));
    assert_ok(roster_copy(&two.who, &one.who));
    for (size_t i = 0; i < one.n; i++) {
        const result *x = &one.game[i];
        for (int k = 0; k < 2; k++) assert_ok(results_add(&two, x->first, x->second, x->halves, (uint32_t)i));
    }
    assert_ok(rating_fit_results(&f, &one, &(rating_options){0}));
    assert_ok(rating_fit_results(&g, &two, &(rating_options){0}));
    assert_true(f.clusters == 400 && g.clusters == 400);
    for (int i = 0; i <= 5; i++) {
        near(rating_se(&g, ERRORS_PAIRS, i), rating_se(&f, ERRORS_GAMES, i), 1e-9);
        near(rating_se(&g, ERRORS_GAMES, i) * sqrt(2), rating_se(&f, ERRORS_GAMES, i), 1e-9);
    }
    bootstrap b;
    assert_ok(rating_bootstrap(&b, &g, &two, &(rating_options){0}, 500, 0.95, 3));
    near(rating_se(&g, ERRORS_BOOTSTRAP, 0), rating_se(&f, ERRORS_GAMES, 0), 0.15 * 26);
    bootstrap_free(&b);
    rating_free(&f);
    rating_free(&g);
    results_free(&one);
    results_free(&two);
    tally_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_models),
        cmocka_unit_test(errors_of_the_pool),
        cmocka_unit_test(two_players_by_hand),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(anchors),
        cmocka_unit_test(priors),
        cmocka_unit_test(many_groups),
        cmocka_unit_test(degenerate_pools),
        cmocka_unit_test(wins_without_end),
        cmocka_unit_test(random_pools),
        cmocka_unit_test(large_numbers),
        cmocka_unit_test(many_players),
        cmocka_unit_test(copies_add_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
