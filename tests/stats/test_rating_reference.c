// Every number of the rating reference data: REFERENCE.md and errors_ref.txt against pool.csv.
#include "base/rng.h"
#include "stats/bootstrap.h"
#include "stats/elo.h"
#include "stats/rating.h"
#include "stats/stats_test.h"

static tally pool;
static results games;
static rating_fit fit; // Bradley-Terry with advantage, all kinds of error

static int setup(void **state)
{
    (void)state;
    char path[1024];
    snprintf(path, sizeof path, "%s/rating/pool.csv", KEIKO_DATA);
    FILE *f = fopen(path, "r");
    if (f == NULL) return 0; // each test skips by itself
    static char text[1 << 16];
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    bootstrap b;
    if (tally_parse(&pool, text, n) != ERR_OK || results_of(&games, &pool) != ERR_OK) return -1;
    if (rating_fit_results(&fit, &games, &(rating_options){0}) != ERR_OK) return -1;
    if (rating_bootstrap(&b, &fit, &games, &(rating_options){0}, 4000, 0.95, 20) != ERR_OK) return -1;
    bootstrap_free(&b);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tally_free(&pool);
    results_free(&games);
    rating_free(&fit);
    return 0;
}

// Next line that begins with `start`, or NULL.
static const char *line_with(const char *text, const char *start)
{
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        if (*at == '\n') at++;
        if (strncmp(at, start, strlen(start)) == 0) return at;
        if (*at == 0) break;
    }
    return NULL;
}

// The k-th cell of a table row "| a | b | …", k from 0; words before the number are passed over.
static double cell_number(const char *row, int k)
{
    for (int i = 0; i <= k; i++) {
        row = strchr(row, '|');
        assert_non_null(row);
        row++;
    }
    row += strspn(row, " abcdefghijklmnopqrstuvwxyz");
    char *end;
    double v = strtod(row, &end);
    if (end == row) fail_msg("no number in '%.30s'", row);
    return v;
}

static void ratings_by_four_models(void **state)
{
    (void)state;
    size_t n, m;
    char *text = read_data_or_skip("rating/REFERENCE.md", &n), *csv = read_data_or_skip("rating/pool.csv", &m);
    static const char *const rows[4][2] = {
        {"| BT, draw", "bt"}, {"| BT + adv", "bt-adv"}, {"| Rao-Kupper", "rao-kupper"}, {"| Davidson", "davidson"}};
    for (int k = 0; k < 4; k++) {
        const char *row = line_with(text, rows[k][0]);
        assert_non_null(row);
        tally t = {0};
        rating_fit f;
        assert_ok(rating_verify(&t, &f, csv, m, rows[k][1]));
        for (int i = 0; i < 5; i++) near(f.rating[roster_find(&t.who, pool_names[i])], cell_number(row, 1 + i), 0.01);
        near(f.advantage, cell_number(row, 6), 0.01);
        if (k >= 2) near(f.draw, cell_number(row, 7), k == 2 ? 0.01 : 1e-5);
        near(f.loglik, cell_number(row, 8), 1e-5);
        rating_free(&f);
        tally_free(&t);
    }
    // Section 2: the errors once more, and the other program's simulation.
    const char *section = strstr(text, "## 2.");
    assert_non_null(section);
    for (int i = 0; i < 5; i++) {
        char start[32];
        snprintf(start, sizeof start, "| %s |", pool_names[i]);
        const char *row = line_with(section, start);
        assert_non_null(row);
        near(rating_se(&fit, ERRORS_INFO, i), cell_number(row, 1), 0.001);
        near(rating_se(&fit, ERRORS_GAMES, i), cell_number(row, 2), 0.001);
        near(rating_se(&fit, ERRORS_BOOTSTRAP, i), cell_number(row, 3), 0.05 * cell_number(row, 3));
        near(rating_se(&fit, ERRORS_BOOTSTRAP, i), cell_number(row, 4), 0.05 * cell_number(row, 4));
    }
    free(text);
    free(csv);
}

static void errors_and_differences(void **state)
{
    (void)state;
    size_t n;
    char *text = read_data_or_skip("rating/errors_ref.txt", &n);
    for (int i = 0; i < 6; i++) {
        const char *row = line_with(text, i < 5 ? pool_names[i] : "advantage");
        double rating, info, sandwich, boot, half = 0;
        assert_non_null(row);
        int got = sscanf(row, "%*s %lf %lf %lf %lf +-%lf", &rating, &info, &sandwich, &boot, &half);
        assert_int_equal(got, i < 5 ? 5 : 4);
        near(i < 5 ? fit.rating[i] : fit.advantage, rating, 0.001);
        near(rating_se(&fit, ERRORS_INFO, i), info, 0.001);
        near(rating_se(&fit, ERRORS_GAMES, i), sandwich, 0.001);
        near(rating_se(&fit, ERRORS_BOOTSTRAP, i), boot, 0.05 * boot);
        if (i < 5) near(1.959964 * rating_se(&fit, ERRORS_GAMES, i), half, 0.051);
    }
    for (int i = 1; i < 5; i++) {
        char start[64];
        double diff, info, sandwich, boot;
        snprintf(start, sizeof start, "%s-beginner diff", pool_names[i]);
        const char *row = line_with(text, start);
        assert_non_null(row);
        assert_int_equal(
            sscanf(row + strlen(start), "%lf se info %lf sandwich %lf boot %lf", &diff, &info, &sandwich, &boot), 4);
        near(fit.rating[i] - fit.rating[0], diff, 0.001);
        near(rating_difference_se(&fit, ERRORS_INFO, i, 0), info, 0.001);
        near(rating_difference_se(&fit, ERRORS_GAMES, i, 0), sandwich, 0.001);
        near(rating_difference_se(&fit, ERRORS_BOOTSTRAP, i, 0), boot, 0.05 * boot);
    }
    free(text);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sequential Elo of the same games in 5000 orders, and of equal players: both depend on chance, here and there.
static void sequential_elo_depends_on_order(void **state)
{
    (void)state;
    enum { ORDERS = 5000 };
    size_t n;
    char *text = read_data_or_skip("rating/errors_ref.txt", &n);
    double rating[5], known[5], sum[5] = {0}, square[5] = {0}, low[5], high[5];
    const char *row = line_with(text, "file order:");
    assert_non_null(row);
    assert_int_equal(
        sscanf(row, "file order: [%lf, %lf, %lf, %lf, %lf]", &known[0], &known[1], &known[2], &known[3], &known[4]), 5);
    elo_sequential(&games, ELO_START, ELO_K, rating);
    for (int i = 0; i < 5; i++) near(rating[i], known[i], 0.051);

    uint32_t *order = malloc(games.n * sizeof *order);
    result *shuffled = malloc(games.n * sizeof *shuffled), *own = games.game;
    int upset = 0;
    for (size_t i = 0; i < games.n; i++) order[i] = (uint32_t)i;
    games.game = shuffled;
    for (int k = 0; k < ORDERS; k++) {
        rng r = rng_at(8, (uint64_t)k, 0);
        rng_shuffle_u32(&r, order, (int)games.n);
        for (size_t i = 0; i < games.n; i++) shuffled[i] = own[order[i]];
        elo_sequential(&games, ELO_START, ELO_K, rating);
        for (int i = 0; i < 5; i++) {
            sum[i] += rating[i] / ORDERS;
            square[i] += rating[i] * rating[i] / ORDERS;
            low[i] = k ? fmin(low[i], rating[i]) : rating[i];
            high[i] = k ? fmax(high[i], rating[i]) : rating[i];
        }
        upset += rating[3] > rating[4];
    }
    games.game = own;
    free(order);
    free(shuffled);
    const char *table = line_with(text, "K=32, same 400 results");
    assert_non_null(table);
    for (int i = 0; i < 5; i++) {
        double mean, sd, least, most;
        row = line_with(table, pool_names[i]);
        assert_non_null(row);
        assert_int_equal(sscanf(row, "%*s %lf %lf %lf %lf", &mean, &sd, &least, &most), 4);
        near(sum[i], mean, 2.5); // the mean of 5000 orders has an error of 0.5 there and here
        near(sqrt(square[i] - sum[i] * sum[i]), sd, 0.05 * sd);
        near(low[i], least, 60); // extremes of 5000 scatter by some 20
        near(high[i], most, 60);
    }
    double share;
    row = line_with(text, "orders in which hard > zero:");
    assert_non_null(row);
    assert_int_equal(sscanf(row, "orders in which hard > zero: %lf", &share), 1);
    near(100.0 * upset / ORDERS, share, 2.5);

    double sd, from, to, square_difference = 0;
    static double difference[20000];
    row = line_with(text, "equal players, 50 games");
    assert_non_null(row);
    assert_int_equal(sscanf(row, "equal players, 50 games, K=32: sd of rating difference %lf, 95%% range [%lf %lf]",
                            &sd, &from, &to),
                     3);
    for (int k = 0; k < 20000; k++) {
        rng r = rng_at(9, (uint64_t)k, 0);
        double a = ELO_START, b = ELO_START;
        for (int i = 0; i < 50; i++) elo_update(&a, &b, 2 * (int)rng_below(&r, 2), ELO_K);
        difference[k] = a - b;
        square_difference += (a - b) * (a - b) / 20000;
    }
    qsort(difference, 20000, sizeof difference[0], by_value);
    near(sqrt(square_difference), sd, 0.05 * sd);
    near(difference[500], from, 0.05 * fabs(from));
    near(difference[19500], to, 0.05 * to);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratings_by_four_models),
        cmocka_unit_test(errors_and_differences),
        cmocka_unit_test(sequential_elo_depends_on_order),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
