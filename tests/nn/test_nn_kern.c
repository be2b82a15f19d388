// Every kernel against a naive one in double, on random shapes, for every instruction set this machine has.
#include "base/rng.h"
#include "nn/kern.h"
#include "test.h"

#include <math.h>

static rng r;

static float unit(void)
{
    return (float)(2 * rng_unit(&r) - 1);
}

// Blocked [n][pad/16][hw][16]; padded channels stay zero, as the kernels promise and demand.
static float *blocked(int n, int channels, int hw)
{
    int pad = nn_pad16(channels);
    float *x = nn_floats((size_t)(n * pad * hw));
    for (int i = 0; i < n; i++)
        for (int c = 0; c < channels; c++)
            for (int p = 0; p < hw; p++) x[((i * pad + c / 16 * 16) * hw) + p * 16 + c % 16] = unit();
    return x;
}

static float at(const float *x, int channels, int hw, int i, int c, int p)
{
    int pad = nn_pad16(channels);
    return x[((i * pad + c / 16 * 16) * hw) + p * 16 + c % 16];
}

static double naive_conv(const conv3 *c, const float *x, const float *w, int n_in, int i, int o, int p)
{
    double s = 0;
    for (int k = 0; k < 9; k++) {
        int y = p / c->cols + k / 3 - 1, q = p % c->cols + k % 3 - 1;
        if (y < 0 || q < 0 || y >= c->rows || q >= c->cols) continue;
        for (int ci = 0; ci < n_in; ci++)
            s += (double)at(x, n_in, c->hw, i, ci, y * c->cols + q) * (double)w[(o * n_in + ci) * 9 + k];
    }
    return s;
}

typedef struct shape {
    int rows, cols, n_in, n_out, n;
} shape;

static shape random_shape(void)
{
    return (shape){1 + (int)rng_below(&r, 11), 1 + (int)rng_below(&r, 11), 1 + (int)rng_below(&r, 40),
                   1 + (int)rng_below(&r, 90), 1 + (int)rng_below(&r, 4)};
}

static double check_conv(const nn_kern *k, nn_method m, shape s, bool bias, bool res, bool relu)
{
    conv3 c;
    assert_ok(conv3_init(&c, s.rows, s.cols, s.n_in, s.n_out, m));
    float *x = blocked(s.n, s.n_in, c.hw), *add = blocked(s.n, s.n_out, c.hw), *b = nn_floats((size_t)c.cout);
    float *w = nn_floats((size_t)(s.n_in * s.n_out * 9)), *packed = nn_floats(c.n_packed),
          *scale = nn_floats((size_t)c.cout);
    float *y = nn_floats((size_t)(s.n * c.cout * c.hw)), *scratch = nn_floats(conv3_scratch(&c, s.n));
    for (int i = 0; i < s.n_in * s.n_out * 9; i++) w[i] = unit() / (float)sqrt(9.0 * s.n_in);
    for (int i = 0; i < s.n_out; i++) b[i] = unit(), scale[i] = 1 + unit() / 2;
    k->pack(&c, w, s.n_out, s.n_in, scale, false, 0, c.cin, packed);
    k->conv(&c, s.n, x, NULL, packed, bias ? b : NULL, res ? add : NULL, relu, y, scratch);
    double worst = 0;
    for (int i = 0; i < s.n; i++)
        for (int o = 0; o < s.n_out; o++)
            for (int p = 0; p < c.hw; p++) {
                double v = naive_conv(&c, x, w, s.n_in, i, o, p) * (double)scale[o];
                if (bias) v += (double)b[o];
                if (res) v += (double)at(add, s.n_out, c.hw, i, o, p);
                if (relu && v < 0) v = 0;
                double diff = fabs(v - (double)at(y, s.n_out, c.hw, i, o, p));
                if (diff > worst) worst = diff;
            }
    for (int i = 0; i < s.n; i++) // padded channels must come out as zero
        for (int o = s.n_out; o < c.cout; o++)
            for (int p = 0; p < c.hw; p++) assert_true(at(y, c.cout, c.hw, i, o, p) == 0);
    free(x), free(add), free(b), free(w), free(packed), free(scale), free(y), free(scratch);
    conv3_free(&c);
    return worst;
}

// Outputs are about 1 in size, so these are relative too.
static const double tolerance[NN_METHODS] = {5e-6, 8e-6, 8e-6, 6e-5, 5e-5};

static void convolutions(void **state)
{
    (void)state;
    for (int level = 0; level <= (int)cpu_simd_best(); level++) {
        const nn_kern *k = nn_kern_of((simd)level);
        for (int m = 0; m < NN_METHODS; m++) {
            double worst = 0;
            for (int round = 0; round < 24; round++) {
                shape s = round == 0   ? (shape){8, 8, 32, 64, 3}
                          : round == 1 ? (shape){5, 5, 20, 80, 7}
                                       : random_shape();
                double e = check_conv(k, (nn_method)m, s, round & 1, round & 2, round & 4);
                if (e > worst) worst = e;
                if (e > tolerance[m])
                    fail_msg("%s %s %dx%d %d to %d channels: off by %.2e", k->name, nn_method_name((nn_method)m),
                             s.rows, s.cols, s.n_in, s.n_out, e);
            }
            printf("%-6s %-6s worst error %.1e\n", k->name, nn_method_name((nn_method)m), worst);
        }
    }
}

// The packed-domain weight gradient and the turned convolution, against sums written out.
static void gradients(void **state)
{
    (void)state;
    for (int level = 0; level <= (int)cpu_simd_best(); level++) {
        const nn_kern *k = nn_kern_of((simd)level);
        for (int m = NN_F2; m < NN_METHODS; m++)
            for (int round = 0; round < 8; round++) {
                shape s = round == 0 ? (shape){8, 8, 16, 64, 2} : random_shape();
                conv3 c, back;
                assert_ok(conv3_init(&c, s.rows, s.cols, s.n_in, s.n_out, (nn_method)m));
                assert_ok(conv3_init(&back, s.rows, s.cols, s.n_out, s.n_in, (nn_method)m));
                float *x = blocked(s.n, s.n_in, c.hw), *dy = blocked(s.n, s.n_out, c.hw);
                float *w = nn_floats((size_t)(s.n_in * s.n_out * 9)), *dw = nn_floats((size_t)(s.n_in * s.n_out * 9));
                float *dp[2] = {nn_floats(c.n_packed), nn_floats(c.n_packed)}, *packed = nn_floats(back.n_packed);
                float *scratch = nn_floats(conv3_wgrad_scratch(&c, s.n) + conv3_scratch(&back, s.n));
                float *dx = nn_floats((size_t)(s.n * c.cin * c.hw));
                for (int i = 0; i < s.n_in * s.n_out * 9; i++) w[i] = unit() / (float)sqrt(9.0 * s.n_out);
                // the first board in one part, the rest added board by board into another
                k->wgrad(&c, 1, x, NULL, dy, dp[0], false, scratch);
                for (int i = 1; i < s.n; i++)
                    k->wgrad(&c, 1, x + i * c.cin * c.hw, NULL, dy + i * c.cout * c.hw, dp[1], i > 1, scratch);
                float *taps[2] = {nn_floats((size_t)(c.cin * c.cout * 9)), nn_floats((size_t)(c.cin * c.cout * 9))};
                for (int i = 0; i < 2; i++) k->grad_taps(&c, dp[i], taps[i]);
                k->sum_taps(&c, (const float *const *)taps, 2, s.n_out, s.n_in, 0, s.n_in, dw);
                free(taps[0]), free(taps[1]);
                k->pack(&back, w, s.n_out, s.n_in, NULL, true, 0, back.cin, packed);
                k->conv(&back, s.n, dy, NULL, packed, NULL, NULL, false, dx, scratch);
                for (int q = 0; q < 60; q++) {
                    int o = (int)rng_below(&r, (uint32_t)s.n_out), ci = (int)rng_below(&r, (uint32_t)s.n_in);
                    int tap = (int)rng_below(&r, 9), p = (int)rng_below(&r, (uint32_t)c.hw),
                        i = (int)rng_below(&r, (uint32_t)s.n);
                    double sum = 0, dsum = 0;
                    for (int b = 0; b < s.n; b++)
                        for (int z = 0; z < c.hw; z++) {
                            int y = z / c.cols + tap / 3 - 1, u = z % c.cols + tap % 3 - 1;
                            if (y < 0 || u < 0 || y >= c.rows || u >= c.cols) continue;
                            sum += (double)at(dy, s.n_out, c.hw, b, o, z) *
                                   (double)at(x, s.n_in, c.hw, b, ci, y * c.cols + u);
                        }
                    for (int t = 0; t < 9; t++) { // output squares that read square p with tap t
                        int y = p / c.cols - t / 3 + 1, u = p % c.cols - t % 3 + 1;
                        if (y < 0 || u < 0 || y >= c.rows || u >= c.cols) continue;
                        for (int oo = 0; oo < s.n_out; oo++)
                            dsum += (double)at(dy, s.n_out, c.hw, i, oo, y * c.cols + u) *
                                    (double)w[(oo * s.n_in + ci) * 9 + t];
                    }
                    assert_true(fabs(sum - (double)dw[(o * s.n_in + ci) * 9 + tap]) < 4e-4);
                    assert_true(fabs(dsum - (double)at(dx, s.n_in, c.hw, i, ci, p)) < 1e-4);
                }
                free(x), free(dy), free(w), free(dw), free(dp[0]), free(dp[1]), free(packed), free(scratch), free(dx);
                conv3_free(&c), conv3_free(&back);
            }
    }
}

static void products(void **state)
{
    (void)state;
    for (int level = 0; level <= (int)cpu_simd_best(); level++) {
        const nn_kern *k = nn_kern_of((simd)level);
        for (int round = 0; round < 60; round++) {
            int M = 1 + (int)rng_below(&r, 20), N = 16 * (1 + (int)rng_below(&r, 9)), K = 1 + (int)rng_below(&r, 50);
            bool turned = rng_below(&r, 2), add = rng_below(&r, 2);
            float *A = nn_floats((size_t)(M * K)), *B = nn_floats((size_t)(K * N)), *C = nn_floats((size_t)(M * N)),
                  *D = nn_floats((size_t)(M * N));
            for (int i = 0; i < M * K; i++) A[i] = unit();
            for (int i = 0; i < K * N; i++) B[i] = unit();
            for (int i = 0; i < M * N; i++) C[i] = D[i] = unit();
            size_t ars = turned ? 1 : (size_t)K, aks = turned ? (size_t)M : 1;
            k->gemm(M, N, K, A, ars, aks, B, (size_t)N, C, (size_t)N, add);
            for (int i = 0; i < M; i++)
                for (int j = 0; j < N; j++) {
                    double s = add ? (double)D[i * N + j] : 0;
                    for (int q = 0; q < K; q++)
                        s += (double)A[(size_t)i * ars + (size_t)q * aks] * (double)B[q * N + j];
                    assert_true(fabs(s - (double)C[i * N + j]) < 1e-5);
                }
            free(A), free(B), free(C), free(D);
        }
    }
}

// AVX2 and AVX-512 add in the same order: equal to the last bit.
static void levels_agree(void **state)
{
    (void)state;
    if (cpu_simd_best() < SIMD_AVX512) skip_because("this processor has no AVX-512");
    for (int m = 0; m < NN_METHODS; m++)
        for (int round = 0; round < 6; round++) {
            shape s = random_shape();
            conv3 c;
            assert_ok(conv3_init(&c, s.rows, s.cols, s.n_in, s.n_out, (nn_method)m));
            float *x = blocked(s.n, s.n_in, c.hw), *w = nn_floats((size_t)(s.n_in * s.n_out * 9)),
                  *packed = nn_floats(c.n_packed);
            size_t size = (size_t)(s.n * c.cout * c.hw);
            float *y[2] = {nn_floats(size), nn_floats(size)}, *scratch = nn_floats(conv3_scratch(&c, s.n));
            for (int i = 0; i < s.n_in * s.n_out * 9; i++) w[i] = unit();
            for (int v = 0; v < 2; v++) {
                const nn_kern *k = nn_kern_of(v == 0 ? SIMD_AVX2 : SIMD_AVX512);
                k->pack(&c, w, s.n_out, s.n_in, NULL, false, 0, c.cin, packed);
                k->conv(&c, s.n, x, NULL, packed, NULL, NULL, true, y[v], scratch);
            }
            assert_memory_equal(y[0], y[1], size * sizeof(float));
            free(x), free(w), free(packed), free(y[0]), free(y[1]), free(scratch);
            conv3_free(&c);
        }
}

static void statistics(void **state)
{
    (void)state;
    for (int level = 0; level <= (int)cpu_simd_best(); level++) {
        const nn_kern *k = nn_kern_of((simd)level);
        int n = 3, cb = 2, hw = 35;
        float *z = blocked(n, 32, hw), *d = blocked(n, 32, hw), *act = blocked(n, 32, hw),
              *y = nn_floats((size_t)(n * 32 * hw));
        float *m = blocked(1, 32, 1), *keep = nn_floats((size_t)(n * 32 * hw));
        double sum[32] = {0}, sq[32] = {0}, ds[32] = {0}, dot[32] = {0};
        memcpy(keep, d, (size_t)(n * 32 * hw) * sizeof *d);
        k->sums(n, cb, hw, z, sum, sq);
        k->mask_sums(n, cb, hw, d, act, NULL, z, m, ds, dot);
        k->affine2(n, cb, hw, keep, z, m, m, m, y);
        for (int c = 0; c < 32; c++) {
            double a = 0, b = 0, e = 0, f = 0;
            for (int i = 0; i < n; i++)
                for (int p = 0; p < hw; p++) {
                    double v = (double)at(z, 32, hw, i, c, p),
                           g = at(act, 32, hw, i, c, p) > 0 ? (double)at(keep, 32, hw, i, c, p) : 0;
                    a += v, b += v * v, e += g, f += g * (v - (double)m[c]);
                    assert_true((double)at(d, 32, hw, i, c, p) == g);
                    double lin = (double)m[c] * ((double)at(keep, 32, hw, i, c, p) + v + 1);
                    assert_true(fabs(lin - (double)at(y, 32, hw, i, c, p)) < 1e-6);
                }
            assert_true(fabs(a - sum[c]) < 1e-5 && fabs(b - sq[c]) < 1e-5 && fabs(e - ds[c]) < 1e-5 &&
                        fabs(f - dot[c]) < 1e-5);
        }
        free(z), free(d), free(act), free(y), free(m), free(keep);
    }
}

// Batch-norm and ReLU on the way in give what they give as a pass of their own, in every method and instruction set.
static void normalised_on_the_way_in(void **state)
{
    (void)state;
    enum { ROWS = 6, COLS = 7, CH = 32, N = 2, ALL = N * CH * ROWS * COLS };
    float *z = nn_floats(ALL), *x = nn_floats(ALL), *y[2] = {nn_floats(ALL), nn_floats(ALL)},
          *d[2] = {nn_floats(ALL), nn_floats(ALL)};
    float *w = nn_floats(CH * CH * 9), *scale = nn_floats(CH), *shift = nn_floats(CH), *mean = nn_floats(CH);
    for (int i = 0; i < ALL; i++) z[i] = (float)rng_normal(&r), d[0][i] = d[1][i] = (float)rng_normal(&r);
    for (int i = 0; i < CH * CH * 9; i++) w[i] = (float)(0.1 * rng_normal(&r));
    for (int i = 0; i < CH; i++) scale[i] = (float)rng_normal(&r), shift[i] = (float)rng_normal(&r);
    nn_norm norm = {scale, shift};
    for (int level = 0; level <= (int)cpu_simd_best(); level++) {
        const nn_kern *k = nn_kern_of((simd)level);
        k->affine(N, CH / 16, ROWS * COLS, z, scale, shift, NULL, true, x);
        for (int m = 0; m < NN_METHODS; m++) {
            conv3 c;
            assert_ok(conv3_init(&c, ROWS, COLS, CH, CH, (nn_method)m));
            float *packed = nn_floats(c.n_packed),
                  *scratch = nn_floats(conv3_wgrad_scratch(&c, N) + conv3_scratch(&c, N));
            float *dp[2] = {nn_floats(c.n_packed), nn_floats(c.n_packed)};
            k->pack(&c, w, CH, CH, NULL, false, 0, c.cin, packed);
            k->conv(&c, N, x, NULL, packed, NULL, NULL, false, y[0], scratch);
            k->conv(&c, N, z, &norm, packed, NULL, NULL, false, y[1], scratch);
            assert_memory_equal(y[0], y[1], ALL * sizeof(float));
            if (m != NN_DIRECT) {
                k->wgrad(&c, N, x, NULL, d[0], dp[0], false, scratch);
                k->wgrad(&c, N, z, &norm, d[0], dp[1], false, scratch);
                assert_memory_equal(dp[0], dp[1], c.n_packed * sizeof(float));
            }
            free(packed), free(scratch), free(dp[0]), free(dp[1]);
            conv3_free(&c);
        }
        double sum[2][CH] = {{0}}, dot[2][CH] = {{0}};
        k->mask_sums(N, CH / 16, ROWS * COLS, d[0], x, NULL, z, mean, sum[0], dot[0]);
        k->mask_sums(N, CH / 16, ROWS * COLS, d[1], NULL, &norm, z, mean, sum[1], dot[1]);
        assert_memory_equal(d[0], d[1], ALL * sizeof(float));
        assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
        assert_memory_equal(dot[0], dot[1], sizeof dot[0]);
    }
    free(z), free(x), free(y[0]), free(y[1]), free(d[0]), free(d[1]), free(w), free(scale), free(shift), free(mean);
}

static void method_by_shape(void **state)
{
    (void)state;
    assert_int_equal(nn_method_for(8, 8), NN_F4);
    assert_int_equal(nn_method_for(5, 5), NN_F5);
    assert_int_equal(nn_method_for(15, 15), NN_F5);
    for (int rows = 1; rows <= 32; rows++)
        for (int c = 1; c <= 32; c++) {
            nn_method m = nn_method_for(rows, c);
            assert_true(m < NN_METHODS && m == nn_method_for(c, rows)); // tiles are square
            assert_int_equal(m, nn_method_for(rows, c));
        }
    assert_true(nn_method_for(19, 19) >= NN_F4 && nn_method_for(32, 32) >= NN_F4);
    // gradients: 120 products against 144, 240 against 288; 49 and 441 are the fewest there; and never directly
    assert_int_equal(nn_back_method_for(8, 8), NN_F84);
    assert_int_equal(nn_back_method_for(13, 6), NN_F84);
    assert_int_equal(nn_back_method_for(5, 5), NN_F5);
    assert_int_equal(nn_back_method_for(15, 15), NN_F5);
    assert_int_equal(nn_method_for(1, 5), NN_DIRECT);
    assert_int_equal(nn_back_method_for(1, 5), NN_F2);
}

static int setup(void **state)
{
    (void)state;
    r = rng_at(5, 6, 7);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),        cmocka_unit_test(convolutions), cmocka_unit_test(gradients),
        cmocka_unit_test(levels_agree),    cmocka_unit_test(statistics),   cmocka_unit_test(normalised_on_the_way_in),
        cmocka_unit_test(method_by_shape),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
