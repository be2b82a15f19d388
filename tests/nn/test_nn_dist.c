// Distributions of returns: projections and means by hand, losses against finite differences, and that the loss's least is
// where it should be: quantiles of the targets, the projected target itself.
#include "base/rng.h"
#include "nn/desc.h"
#include "nn/dist.h"
#include "nn/noise.h"
#include "test.h"

#include <math.h>

static const nn_dist c51 = {NN_DIST_C51, 2}, qr = {NN_DIST_QR, 0};

static void projection(void **state)
{
    (void)state;
    // the grid is -2, -1, 0, 1, 2; all mass on 1
    const float sure[5] = {-60, -60, -60, 60, -60};
    float t[5];
    nn_dist_target(&c51, 5, 0.25, 0.5, sure, t); // lands at 0.75
    const float want[5] = {0, 0, 0.25f, 0.75f, 0};
    for (int i = 0; i < 5; i++) assert_true(fabsf(t[i] - want[i]) < 1e-6f);
    nn_dist_target(&c51, 5, 9, 0.5, sure, t); // beyond the end
    assert_true(fabsf(t[4] - 1) < 1e-6f && t[0] == 0);
    nn_dist_target(&c51, 5, -1, 0, sure, t); // nothing follows: on a grid point exactly
    assert_true(fabsf(t[1] - 1) < 1e-6f);
    // inside the grid the mean is kept: reward + discount * mean
    const float spread[5] = {0.3f, -1, 0.5f, 0.1f, -0.7f};
    float mean, moved = 0;
    nn_dist_means(&c51, 5, 1, spread, &mean);
    nn_dist_target(&c51, 5, 0.3, 0.6, spread, t);
    for (int i = 0; i < 5; i++) moved += t[i] * (float)nn_dist_at(&c51, 5, i);
    assert_true(fabsf(moved - (0.3f + 0.6f * mean)) < 1e-6f);
    nn_dist_target(&qr, 5, 0.3, 0.6, spread, t);
    assert_true(fabsf(t[1] - (0.3f - 0.6f)) < 1e-6f);
}

static void means_in_place(void **state)
{
    (void)state;
    float both[6] = {1, 2, 6, -1, 0, 4}, plain[2] = {5, 7}, grid[6] = {0, 0, 0, -90, -90, 90};
    nn_dist_means(&qr, 3, 2, both, both);
    assert_true(fabsf(both[0] - 3) < 1e-6f && fabsf(both[1] - 1) < 1e-6f);
    nn_dist_means(&(nn_dist){0}, 1, 2, plain, plain);
    assert_true(plain[0] == 5 && plain[1] == 7);
    nn_dist_means(&c51, 3, 2, grid, grid);
    assert_true(fabsf(grid[0]) < 1e-6f && fabsf(grid[1] - 2) < 1e-6f);
}

static void differences(void **state)
{
    (void)state;
    enum { ATOMS = 7 };
    for (int kind = 0; kind < 2; kind++) {
        const nn_dist *d = kind == 0 ? &c51 : &qr;
        rng r = rng_at(5, (uint64_t)kind, 0);
        float next[ATOMS], target[ATOMS];
        double out[ATOMS], grad[ATOMS], slope[ATOMS], other[ATOMS], off, unused, h = 1e-6;
        for (int i = 0; i < ATOMS; i++) next[i] = (float)rng_unit(&r), out[i] = 2 * rng_unit(&r) - 1;
        nn_dist_target(d, ATOMS, 0.2, 0.9, next, target);
        nn_dist_loss(d, ATOMS, out, target, 0.3, 0.7, grad, &off);
        double mean = nn_dist_mean(d, ATOMS, out, slope), aim = 0;
        for (int i = 0; i < ATOMS; i++)
            aim += kind == 0 ? (double)target[i] * nn_dist_at(d, ATOMS, i) : (double)target[i] / ATOMS;
        assert_true(fabs(off - (aim - mean)) < 1e-6);
        for (int i = 0; i < ATOMS; i++) {
            double keep = out[i];
            out[i] = keep + h;
            double up = nn_dist_loss(d, ATOMS, out, target, 0.3, 0.7, other, &unused),
                   high = nn_dist_mean(d, ATOMS, out, other);
            out[i] = keep - h;
            double down = nn_dist_loss(d, ATOMS, out, target, 0.3, 0.7, other, &unused),
                   low = nn_dist_mean(d, ATOMS, out, other);
            out[i] = keep;
            assert_true(fabs((up - down) / (2 * h) - grad[i]) < 1e-6);
            assert_true(fabs((high - low) / (2 * h) - slope[i]) < 1e-6);
        }
    }
}

// Descending on returns drawn from a distribution finds its quantiles, and softmax finds its frequencies.
static void learns_the_distribution(void **state)
{
    (void)state;
    enum { ATOMS = 5, DRAWS = 40000 };
    double q[ATOMS] = {0}, logit[ATOMS] = {0}, grad[ATOMS], off;
    rng r = rng_at(8, 0, 0);
    for (int k = 0; k < DRAWS; k++) {
        double x = rng_unit(&r), rate = 0.3 / (1 + k / 50.0); // returns are even on [0, 1)
        float sample[ATOMS], next[ATOMS] = {0}, target[ATOMS];
        for (int i = 0; i < ATOMS; i++) sample[i] = (float)x;
        nn_dist_loss(&qr, ATOMS, q, sample, 0.001, 1, grad, &off);
        for (int i = 0; i < ATOMS; i++) q[i] -= rate * grad[i];
        nn_dist_target(&c51, ATOMS, rng_unit(&r) < 0.25 ? -1 : 1, 0, next, target); // -1 a quarter of the time
        nn_dist_loss(&c51, ATOMS, logit, target, 1, 1, grad, &off);
        for (int i = 0; i < ATOMS; i++) logit[i] -= rate * grad[i];
    }
    for (int i = 0; i < ATOMS; i++) assert_true(fabs(q[i] - (i + 0.5) / ATOMS) < 0.02);
    assert_true(fabs(nn_dist_mean(&c51, ATOMS, logit, grad) - 0.5) < 0.03);
    assert_true(logit[0] < logit[1] - 1 && logit[1] < logit[3]);
}

// Factorised: the noise of a weight is the product of its row's and its column's; both have mean square 0.8 (E|x|).
static void noise_is_factorised(void **state)
{
    (void)state;
    nn_desc d;
    assert_ok(nn_desc_parse("planes=1 size=2x2 mlp=4 duel=0:3:2:2 noisy=1", &d));
    assert_int_equal(nn_noise_size(&d), 3 + 2 + 3 + 4);
    nn_layout at;
    nn_noisy layer[2 * NN_MAX_HEADS];
    nn_layout_make(&d, &at);
    float noise[12], *w = calloc(at.n_all, sizeof *w), *to = calloc(at.n_all, sizeof *to);
    double square = 0;
    rng r = rng_at(3, 0, 0);
    for (int k = 0; k < 2000; k++) {
        nn_noise_draw(&d, &r, noise);
        for (int i = 0; i < 12; i++) square += (double)(noise[i] * noise[i]) / (12 * 2000);
    }
    assert_true(fabs(square - 0.7979) < 0.02);
    assert_int_equal(nn_noise_layers(&d, &at, noise, layer), 2);
    for (size_t i = 0; i < at.n_train; i++) w[i] = 2;
    nn_noise_apply(&d, &at, w, noise, to);
    const nn_noisy *y = &layer[1];
    assert_true(fabsf(to[y->mean.w + 3 * 3 + 1] - (2 + 2 * noise[5 + 1] * noise[5 + 3 + 3])) < 1e-5f);
    assert_true(fabsf(to[y->mean.b + 2] - (2 + 2 * noise[5 + 3 + 2])) < 1e-5f);
    assert_true(to[y->sigma.w] == 2 && to[at.mlp[0].w] == 2);
    free(w), free(to);
}

static void refused(void **state)
{
    (void)state;
    nn_desc d;
    nn_dist_kind k;
    assert_err(nn_desc_parse("planes=1 size=2x2 mlp=4 policy=0:3 noisy=1", &d), "duel head");
    assert_err(nn_desc_parse("planes=1 size=2x2 mlp=4 duel=0:3:3:300", &d), "atoms");
    assert_err(nn_dist_parse("c52", &k), "none, c51 or qr");
    assert_ok(nn_desc_parse("planes=1 size=2x2 mlp=4 duel=0:3:3:30 noisy=1", &d));
    char text[NN_TEXT];
    nn_desc_print(&d, text, sizeof text);
    assert_string_equal(text, "planes=1 size=2x2 mlp=4 duel=0:3:3:30 noisy=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection),          cmocka_unit_test(means_in_place),
        cmocka_unit_test(differences),         cmocka_unit_test(learns_the_distribution),
        cmocka_unit_test(noise_is_factorised), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
