// The numbers and sentences of fixed tournaments, as tests/stats/numbers.txt lists them. What they should be is tested elsewhere
// (references, simulations); here no digit and no word changes unless that is meant.
#include "base/listed.h"
#include "stats/bootstrap.h"
#include "stats/compare.h"
#include "stats/elo.h"
#include "stats/linkage.h"
#include "stats/simulate.h"
#include "stats/sprt.h"
#include "stats/stats_test.h"

// Nothing that rounds to zero has a sign.
static double plain(double x)
{
    return fabs(x) < 1e-7 ? 0.0 : x;
}

static void put_notes(text_buf *t, const notes *n)
{
    for (int i = 0; i < n->n; i++) text_printf(t, "  note: %s\n", n->line[i]);
}

static void put_fit(text_buf *t, const rating_fit *f)
{
    text_printf(t, "  model %d advantage %.5g draw %.5g loglik %.6g games %g clusters %g parameters %d lent %d\n",
                f->model, plain(f->advantage), plain(f->draw), f->loglik, f->games, f->clusters, f->parameters,
                f->prior_lent);
    text_printf(t, "  priors %g %g has %d %d telling %g %g best %s\n", f->prior_draws, f->prior_sd, f->has_advantage,
                f->has_draw, f->telling[ERRORS_GAMES], f->telling[ERRORS_PAIRS],
                rating_errors_name(rating_errors_used(f, ERRORS_BEST)));
    for (int i = 0; i <= f->n; i++) {
        text_printf(t, "  %d %.5g", i, i < f->n ? f->rating[i] : plain(f->advantage));
        for (int k = ERRORS_INFO; k < ERRORS_KINDS; k++)
            if (f->cov[k] != NULL)
                text_printf(t, " %s %.4g", rating_errors_name((rating_errors)k),
                            plain(rating_se(f, (rating_errors)k, i)));
        interval in = rating_interval(f, ERRORS_BEST, i, 0.9);
        text_printf(t, " %.5g to %.5g", plain(in.low), plain(in.high));
        if (i < f->n && f->n > 1) {
            in = rating_difference_interval(f, ERRORS_INFO, i, 0, 0.95);
            text_printf(t, ", from the first %.5g to %.5g, superior %.4g", plain(in.low), plain(in.high),
                        rating_superiority(f, ERRORS_BEST, i, 0));
        }
        text_char(t, '\n');
    }
    put_notes(t, &f->notes);
}

static void put_tally(text_buf *t, const char *title, const tally *games, const rating_options *o)
{
    rating_fit f;
    linkage l;
    notes n = {0};
    text_printf(t, "%s\n", title);
    assert_ok(linkage_examine(&l, games, NULL, 0));
    text_printf(t, "  groups %d levels %d advantage %d bounded %d:", l.n_groups, l.n_levels, l.advantage,
                linkage_bounded(&l));
    for (int i = 0; i < l.n; i++) text_printf(t, " %d/%d", l.group[i], l.level[i]);
    text_char(t, '\n');
    assert_ok(linkage_explain(&l, games, &n));
    put_notes(t, &n);
    notes_free(&n);
    linkage_free(&l);
    if (rating_fit_tally(&f, games, o) != ERR_OK) {
        text_printf(t, "  refused: %s\n", err_text());
        return;
    }
    put_fit(t, &f);
    rating_free(&f);
}

static void pools(void **state)
{
    (void)state;
    text_buf t = {0};
    tally pool = reference_pool();
    const rating_anchor held[] = {{1, 1200}, {3, 1700}};
    const struct {
        const char *title;
        rating_options o;
    } rows[] = {{"plain", {0}},
                {"no advantage", {.no_advantage = true, .centre = 1000}},
                {"Rao-Kupper", {.model = MODEL_RAO_KUPPER}},
                {"Davidson", {.model = MODEL_DAVIDSON}},
                {"one anchor", {.anchors = held, .n_anchors = 1}},
                {"two anchors", {.anchors = held, .n_anchors = 2, .model = MODEL_DAVIDSON}},
                {"virtual draws", {.prior_draws = 3}},
                {"normal prior", {.prior_sd = 80}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) put_tally(&t, rows[i].title, &pool, &rows[i].o);
    tally_free(&pool);
    tally one = empty_pool(4); // somebody won everything, two never met the rest
    assert_ok(tally_add(&one, 0, 1, 5, 0, 0));
    assert_ok(tally_add(&one, 2, 3, 2, 1, 3));
    put_tally(&t, "apart", &one, &(rating_options){0});
    put_tally(&t, "apart, strict", &one, &(rating_options){.strict = true});
    assert_ok(tally_add(&one, 1, 2, 0, 0, 6));
    put_tally(&t, "one way", &one, &(rating_options){0});
    put_tally(&t, "one way, strict", &one, &(rating_options){.strict = true});
    assert_ok(tally_add(&one, 3, 0, 0, 20, 0));
    put_tally(&t, "a draw is enough", &one, &(rating_options){0});
    tally_free(&one);
    tally few = empty_pool(2);
    assert_ok(tally_add(&few, 0, 1, 0, 20, 0));
    put_tally(&t, "draws alone", &few, &(rating_options){0});
    assert_ok(tally_add(&few, 1, 0, 3, 0, 0));
    put_tally(&t, "first movers win", &few, &(rating_options){0});
    put_tally(&t, "no bound under Davidson", &few, &(rating_options){.model = MODEL_DAVIDSON});
    tally_free(&few);
    tally close = empty_pool(3); // draws show only that players are close
    assert_ok(tally_add(&close, 0, 1, 3, 2, 4));
    assert_ok(tally_add(&close, 1, 0, 2, 2, 3));
    assert_ok(tally_add(&close, 2, 0, 0, 6, 0));
    assert_ok(tally_add(&close, 1, 2, 0, 6, 0));
    for (int m = 0; m < 3; m++) put_tally(&t, "close", &close, &(rating_options){.model = (rating_model)m});
    tally_free(&close);
    tally sharp = empty_pool(2);
    assert_ok(tally_add(&sharp, 0, 1, 3, 0, 4));
    assert_ok(tally_add(&sharp, 1, 0, 2, 0, 5));
    for (int m = 0; m < 3; m++) put_tally(&t, "without draws", &sharp, &(rating_options){.model = (rating_model)m});
    tally_free(&sharp);
    tally none = empty_pool(3);
    put_tally(&t, "without games", &none, &(rating_options){0});
    tally_free(&none);
    assert_listed(&t, "stats/numbers.txt");
}

static void put_comparison(text_buf *t, const char *title, const results *a, const results *b, const compare_options *o)
{
    comparison c;
    text_printf(t, "%s\n", title);
    assert_ok(compare_results(&c, a, b, o));
    put_notes(t, &c.notes);
    for (int i = 0; i < c.n; i++) {
        const compare_row *r = &c.row[i];
        text_printf(t, "  %s: %.5g to %.5g, %.5g +- %.4g [%.5g, %.5g] p %.4g games %g more %g seq %.6g %.6g\n", r->name,
                    r->baseline, r->target, r->difference, r->se, r->interval.low, r->interval.high, r->p, r->games,
                    r->more_games, r->sequential[0], r->sequential[1]);
        text_printf(t, "    %s %s %.4g: %s\n", compare_verdict_name(r->verdict), r->label, r->label_error, r->text);
    }
    comparison_free(&c);
}

static void comparisons(void **state)
{
    (void)state;
    static const double strength[4] = {1350, 1450, 1550, 1650}, other[4] = {1350, 1450, 1640, 1650};
    static const char *const same[] = {"p0", "p1", "p3"};
    text_buf t = {0};
    static const int pairs[] = {10, 100, 1500};
    for (int i = 0; i < 3; i++) {
        results a = {0}, b = {0};
        sim_options o = {.n = 4, .elo = strength, .advantage = 30, .draw = 0.4, .pairs = pairs[i], .balance_sd = 50};
        assert_ok(sim_tournament(&a, &o, 5, 0));
        o.elo = i == 2 ? strength : other;
        assert_ok(sim_tournament(&b, &o, 5, 1));
        char title[40];
        snprintf(title, sizeof title, "%d pairs, joint", pairs[i]);
        put_comparison(&t, title, &a, &b, &(compare_options){.unchanged = same, .n_unchanged = 3});
        snprintf(title, sizeof title, "%d pairs, apart", pairs[i]);
        put_comparison(&t, title, &a, &b, &(compare_options){.level = 0.9, .all_same = i == 1});
        if (i == 0) {
            rating_fit f;
            bootstrap boot;
            assert_ok(rating_fit_results(&f, &a, &(rating_options){0}));
            assert_ok(rating_bootstrap(&boot, &f, &a, &(rating_options){0}, 40, 0.9, 3));
            text_printf(&t, "bootstrap, thin %d\n", boot.thin);
            put_fit(&t, &f);
            for (int k = 0; k <= boot.n; k++) text_printf(&t, "  %d %.5g to %.5g\n", k, boot.low[k], boot.high[k]);
            bootstrap_free(&boot);
            rating_free(&f);
        }
        results_free(&a);
        results_free(&b);
    }
    assert_listed(&t, "stats/comparisons.txt");
}

static void sequential_tests(void **state)
{
    (void)state;
    text_buf t = {0};
    static const double counts[][5] = {{90, 40, 130},      {0, 0, 0},        {0, 10, 0},   {0, 0, 7},
                                       {3, 10, 40, 18, 6}, {0, 0, 25, 0, 0}, {40, 20, 10}, {1, 0, 0, 0, 2}};
    static const int kinds[] = {3, 3, 3, 3, 5, 5, 3, 5};
    static const sprt_test tests[] = {{0, 30, 0.05, 0.05, SPRT_LOGISTIC}, {-5, 5, 0.01, 0.1, SPRT_NORMALISED}};
    for (int k = 0; k < 8; k++) {
        match_elo m = match_elo_of(counts[k], kinds[k], 0.95);
        text_printf(&t, "%d: games %g score %.5g elo %.5g normalised %.5g [%.5g, %.5g] +- %.5g superior %.4g flat %d\n",
                    k, m.games, m.score, plain(m.elo), plain(m.normalised), m.low, m.high, m.margin, m.superiority,
                    m.flat);
        for (int i = 0; i < 2; i++) {
            sprt_status s = sprt_state(&tests[i], counts[k], kinds[k]);
            text_printf(&t, "  llr %.5g (%.5g) in %.5g to %.5g: %s games %g left %.4g %.4g %.4g chance %.4g\n",
                        plain(s.llr), plain(sprt_llr_approx(&tests[i], counts[k], kinds[k])), s.lower, s.upper,
                        sprt_verdict_name(s.verdict), s.games, s.left, s.left0, s.left1, s.chance1);
        }
    }
    static const sprt_test checked[] = {{-1000, 1000, 0.05, 0.05, SPRT_LOGISTIC},
                                        {-1000, 1000.5, 0.05, 0.05, SPRT_LOGISTIC},
                                        {-1000.5, 0, 0.05, 0.05, SPRT_LOGISTIC},
                                        {-200, 200, 0.05, 0.05, SPRT_NORMALISED},
                                        {-200, 200.5, 0.05, 0.05, SPRT_NORMALISED},
                                        {0, 0.002, 0.05, 0.05, SPRT_LOGISTIC},
                                        {0, 0.0005, 0.05, 0.05, SPRT_LOGISTIC},
                                        {0, 5, 1, 0.05, SPRT_LOGISTIC},
                                        {0, 5, 0.5, 0, SPRT_LOGISTIC},
                                        {0, 5, 0.5, 0.6, SPRT_LOGISTIC},
                                        {0, 5, 0.5, 0.49, SPRT_LOGISTIC},
                                        {0, 5, -0.1, 0.5, SPRT_LOGISTIC}};
    for (size_t i = 0; i < sizeof checked / sizeof *checked; i++)
        text_printf(&t, "%s\n", sprt_check(&checked[i]) == ERR_OK ? "good" : err_text());
    for (int i = -4; i <= 4; i++)
        text_printf(&t, "expected %.6g difference %.6g\n", elo_expected(150.0 * i),
                    plain(elo_difference(0.5 + 0.125 * i)));
    assert_listed(&t, "stats/sprt.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(sequential_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
