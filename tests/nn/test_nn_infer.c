// labels: threads
// The fast forward pass against the reference, for every kind of network, instruction set, method and batch.
#include "nn/check.h"
#include "nn/infer.h"
#include "nn/nn_data.h"
#include "nn/quant.h"
#include "nn/ref.h"
#include "test.h"

#include <math.h>

// Running statistics as a trained network has them: not 0 and 1.
static nn_net *lived_in(const char *text, uint64_t seed)
{
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse(text, &d));
    assert_ok(nn_net_new(&net, &d, seed));
    static nn_param p[2000];
    rng r = rng_at(seed, 99, 0);
    int n = nn_params(&d, p, 2000);
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < p[i].size && !p[i].matrix; k++) {
            float u = (float)rng_unit(&r);
            if (strstr(p[i].name, "running_var"))
                net->w[p[i].at + k] = 0.5f + u;
            else if (strstr(p[i].name, "bn") && strstr(p[i].name, "weight"))
                net->w[p[i].at + k] = 0.7f + 0.4f * u;
            else
                net->w[p[i].at + k] = 0.4f * u - 0.2f;
        }
    return net;
}

static const char *const nets[] = {
    "test-tiny",
    "test-se",
    "test-mlp",
    "planes=3 size=8x8 c=32 b=2 policy=2:65 value=1:32",
    "planes=5 scalars=2 size=5x5 c=64 b=2 policy=32:70 policy=16:51 value=4:32",
    "planes=2 size=9x4 c=20 b=1 se=5 policy=3:10 duel=2:12:7 board=3 scalar=2:0:4",
    "planes=3 size=15x15 c=16 b=1 policy=2:225 value=1:16",
    "planes=1 size=8x8 c=80 b=1 duel=2:8:5",
    "planes=1 scalars=2 size=8x8 mlp=30 duel=0:9:5:21 noisy=1",
    "planes=2 size=6x5 c=20 b=1 duel=2:12:7:4",
    "planes=2 size=1x7 c=16 b=1 value=1:4",
};
enum { NETS = sizeof nets / sizeof nets[0] };

static double worst_of(const float *a, const double *b, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs((double)a[i] - b[i]) / (1 + fabs(b[i])));
    return worst;
}

// More blocks compute the same at first, and the old ones lie among them in their order; anything else is refused.
static void a_grown_network_computes_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        bool grows;
    } rows[] = {
        {"planes=3 size=8x8 c=16 b=2 policy=2:65 value=1:32", "planes=3 size=8x8 c=16 b=5 policy=2:65 value=1:32",
         true},
        {"planes=3 size=8x8 c=16 b=3 policy=2:65 value=1:32", "planes=3 size=8x8 c=16 b=4 policy=2:65 value=1:32",
         true},
        {"planes=2 size=9x4 c=20 b=1 se=5 policy=3:10 board=3", "planes=2 size=9x4 c=20 b=2 se=5 policy=3:10 board=3",
         true},
        {"planes=2 size=5x5 c=12 b=2 value=1:8", "planes=2 size=5x5 c=12 b=2 value=1:8", true},
        {"planes=2 size=5x5 c=12 b=2 value=1:8", "planes=2 size=5x5 c=12 b=1 value=1:8", false},
        {"planes=2 size=5x5 c=12 b=2 value=1:8", "planes=2 size=5x5 c=16 b=3 value=1:8", false},
        {"planes=2 size=5x5 c=12 b=2 value=1:8", "planes=2 size=5x5 c=12 b=3 value=1:9", false},
    };
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        nn_net *from = lived_in(rows[t].from, 3), *to = lived_in(rows[t].to, 4), *before;
        assert_ok(nn_net_copy(&before, to));
        assert_int_equal(nn_net_grow(to, from), rows[t].grows);
        if (!rows[t].grows) {
            assert_memory_equal(to->w, before->w, to->at.n_all * sizeof *to->w);
        } else {
            int n = 3, size = n * nn_out_size(&from->desc);
            nn_data *data = data_new(&from->desc, n, 5, false);
            double *out[2];
            for (int i = 0; i < 2; i++) {
                out[i] = malloc((size_t)size * sizeof **out);
                assert_ok(nn_ref_forward(i == 0 ? from : to, n, data->bits, data->scalars, out[i]));
            }
            assert_memory_equal(out[0], out[1], (size_t)size * sizeof **out);
            free(out[0]), free(out[1]);
            data_free(data);
        }
        nn_net_free(from), nn_net_free(to), nn_net_free(before);
    }
}

static void same_as_reference(void **state)
{
    (void)state;
    for (int t = 0; t < NETS; t++) {
        nn_net *net = lived_in(nets[t], (uint64_t)t);
        int n = 3, os = nn_out_size(&net->desc);
        nn_data *data = data_new(&net->desc, n, 5, false);
        double *want = malloc((size_t)(n * os) * sizeof *want);
        float *got = malloc((size_t)(n * os) * sizeof *got);
        assert_ok(nn_ref_forward(net, n, data->bits, data->scalars, want));
        for (int level = 0; level <= (int)cpu_simd_best(); level++)
            for (int m = 0; m <= NN_METHODS; m++) {
                nn_plan *p;
                nn_scratch *s;
                assert_ok(nn_plan_new(&p, net, &(nn_plan_options){.kern = nn_kern_of((simd)level), .method = m}));
                assert_ok(nn_scratch_new(&s, p));
                nn_run(p, s, n, data->bits, data->scalars, got);
                double e = worst_of(got, want, n * os);
                if (e > 3e-5) fail_msg("%s, %s: off by %.2e", nets[t], nn_plan_text(p), e);
                nn_scratch_free(s);
                nn_plan_free(p);
            }
        free(want), free(got);
        data_free(data);
        nn_net_free(net);
    }
}

// Row i of a batch is what position i gives alone, to the last bit, whatever the chunk.
static void batch_does_not_matter(void **state)
{
    (void)state;
    for (int t = 0; t < NETS; t++) {
        nn_net *net = lived_in(nets[t], 40 + (uint64_t)t);
        const nn_desc *d = &net->desc;
        int n = 67, os = nn_out_size(d);
        nn_data *data = data_new(d, n, 6, false);
        float *all = malloc((size_t)(n * os) * sizeof *all), *one = malloc((size_t)os * sizeof *one);
        for (int chunk = 0; chunk < 3; chunk++) {
            nn_plan *p;
            nn_scratch *s;
            assert_ok(nn_plan_new(&p, net, &(nn_plan_options){.chunk = chunk * chunk * 5}));
            assert_ok(nn_scratch_new(&s, p));
            nn_run(p, s, n, data->bits, data->scalars, all);
            for (int i = 0; i < n; i++) {
                nn_run(p, s, 1, data->bits + (size_t)i * nn_in_bits(d), data->scalars + i * d->scalars, one);
                assert_memory_equal(one, all + i * os, (size_t)os * sizeof *one);
            }
            nn_scratch_free(s);
            nn_plan_free(p);
        }
        free(all), free(one);
        data_free(data);
        nn_net_free(net);
    }
}

// Three threads write what one writes.
static void crews_agree(void **state)
{
    (void)state;
    pool *threads = pool_new(3);
    for (int t = 0; t < 3; t++) {
        nn_net *net = lived_in(nets[t], 7);
        nn_plan *p;
        nn_scratch *s;
        nn_crew *c;
        int most = 150, os = nn_out_size(&net->desc);
        nn_data *data = data_new(&net->desc, most, 6, false);
        float *a = malloc((size_t)(most * os) * sizeof *a), *b = malloc((size_t)(most * os) * sizeof *b);
        assert_ok(nn_plan_new(&p, net, NULL));
        assert_ok(nn_scratch_new(&s, p));
        assert_ok(nn_crew_new(&c, p, threads));
        for (int n = 0; n <= most; n += n < 10 ? 1 : 70) {
            nn_run(p, s, n, data->bits, data->scalars, a);
            nn_crew_run(c, n, data->bits, data->scalars, b);
            assert_memory_equal(a, b, (size_t)(n * os) * sizeof *a);
        }
        free(a), free(b);
        nn_crew_free(c);
        nn_scratch_free(s);
        nn_plan_free(p);
        data_free(data);
        nn_net_free(net);
    }
    pool_free(threads);
}

// The int8 kernels do the same whole-number sums.
static void int8_kernels_agree(void **state)
{
    (void)state;
    rng r = rng_at(1, 2, 3);
    for (int round = 0; round < 20; round++) {
        int rows = 1 + (int)rng_below(&r, 9), cols = 1 + (int)rng_below(&r, 17), cin = 32 * (1 + (int)rng_below(&r, 2)),
            cout = 64, n = 2;
        int hw = rows * cols, channels = round & 1 ? 48 : 64;
        uint8_t *x = malloc((size_t)(n * hw * cin)),
                *q[2] = {malloc((size_t)(n * hw * cout)), malloc((size_t)(n * hw * cout))};
        int8_t *w = malloc((size_t)(cout * cin * 9));
        float *scale = nn_floats(64), *bias = nn_floats(64), *res = nn_floats((size_t)(n * hw * channels));
        float *f[2] = {nn_floats((size_t)(n * hw * channels)), nn_floats((size_t)(n * hw * channels))};
        for (int i = 0; i < cout; i++) scale[i] = 0.001f * (float)(1 + i % 3), bias[i] = (float)rng_unit(&r) - 0.5f;
        for (int i = 0; i < cout * cin * 9; i++) w[i] = (int8_t)((int)rng_below(&r, 255) - 127);
        for (int i = 0; i < n * hw * channels; i++) res[i] = (float)rng_unit(&r);
        qconv c = {rows, cols, cin, cout, w, scale, bias};
        // a few sums by hand: the portable kernel is the judge of the others, so it is judged first
        for (int levels = 127; levels <= 255; levels += 128) {
            for (int i = 0; i < n * hw * cin; i++) x[i] = (uint8_t)rng_below(&r, (uint32_t)levels + 1);
            qkern_scalar.conv(&c, levels, n, x, res, false, channels, f[0], 20, q[0]);
            for (int k = 0; k < 20; k++) {
                int p = (int)rng_below(&r, (uint32_t)hw), o = (int)rng_below(&r, (uint32_t)channels);
                int64_t sum = 0;
                for (int tap = 0; tap < 9; tap++)
                    for (int i = 0; i < cin; i++) {
                        int y = p / cols + tap / 3 - 1, u = p % cols + tap % 3 - 1;
                        if (y < 0 || u < 0 || y >= rows || u >= cols) continue;
                        sum += x[(hw + y * cols + u) * cin + i] *
                               w[(o / 32 * 32 * 9 + tap * 32) * cin + i / 4 * 128 + o % 32 * 4 + i % 4];
                    }
                size_t place = (size_t)((channels + o / 16 * 16) * hw + p * 16 + o % 16);
                double v = (double)sum * (double)scale[o] + (double)bias[o] + (double)res[place];
                assert_true(fabs(v - (double)f[0][place]) < 1e-4 * (1 + fabs(v)));
            }
#if defined(KEIKO_X86)
            for (int kind = 0; kind < 2; kind++) {
                const qkern *k = kind == 0 ? &qkern_avx2 : &qkern_vnni;
                if (kind == 0 && (cpu_simd_best() < SIMD_AVX2 || levels > k->levels)) continue;
                if (kind == 1 && (cpu_simd_best() < SIMD_AVX512 || !__builtin_cpu_supports("avx512vnni"))) continue;
                k->conv(&c, levels, n, x, res, false, channels, f[1], 20, q[1]);
                // sums are exact; their conversion may use a fused multiply-add
                for (int i = 0; i < n * hw * channels; i++)
                    assert_true(fabsf(f[0][i] - f[1][i]) < 1e-5f * (1 + fabsf(f[0][i])));
                for (int i = 0; i < n * hw * cout; i++) assert_true(abs(q[0][i] - q[1][i]) <= 1);
            }
#endif
        }
        free(x), free(q[0]), free(q[1]), free(w), free(scale), free(bias), free(res), free(f[0]), free(f[1]);
    }
}

static void int8_close_to_f32(void **state)
{
    (void)state;
    static const char *const small[] = {"planes=3 size=8x8 c=48 b=3 policy=2:65 value=1:32",
                                        "planes=5 scalars=2 size=5x5 c=64 b=2 se=16 policy=8:70 value=4:32"};
    for (int t = 0; t < 2; t++) {
        nn_net *net = lived_in(small[t], 3);
        const nn_desc *d = &net->desc;
        int n = 200, os = nn_out_size(d), same = 0;
        nn_data *data = data_new(d, n, 6, false);
        float *a = malloc((size_t)(n * os) * sizeof *a), *b = malloc((size_t)(n * os) * sizeof *b);
        nn_ranges ranges;
        assert_ok(nn_calibrate(&ranges, net, n / 2, data->bits, data->scalars));
        for (int k = 0; k < 2; k++) {
            nn_plan *p;
            nn_scratch *s;
            assert_ok(nn_plan_new(&p, net, &(nn_plan_options){.int8 = k == 0 ? NULL : &ranges}));
            assert_ok(nn_scratch_new(&s, p));
            nn_run(p, s, n, data->bits, data->scalars, k == 0 ? a : b);
            nn_scratch_free(s);
            nn_plan_free(p);
        }
        double value = 0;
        int heads = d->head[0].out;
        for (int i = 0; i < n; i++) {
            int x = 0, y = 0;
            for (int j = 1; j < heads; j++) {
                if (a[i * os + j] > a[i * os + x]) x = j;
                if (b[i * os + j] > b[i * os + y]) y = j;
            }
            same += x == y;
            value = fmax(value, fabs((double)a[i * os + os - 1] - (double)b[i * os + os - 1]));
        }
        printf("int8 against f32: same first choice %d of %d, value off by at most %.4f\n", same, n, value);
        assert_true(same >= n * 90 / 100 && value < 0.05);
        free(a), free(b);
        data_free(data);
        nn_net_free(net);
    }
}

// The self-test passes here, and notices a network whose outputs are not numbers.
static void self_test(void **state)
{
    (void)state;
    nn_check_row rows[NN_CHECK_ROWS];
    int count;
    for (int t = 1; t < 3; t++) {
        nn_net *net = lived_in(nets[t], 7);
        assert_ok(nn_check(net, 4, NULL, NULL, 1, rows, &count));
        for (int i = 0; i < count; i++)
            printf("%-28s worst %.1e, same choice %d of %d\n", rows[i].name, rows[i].worst, rows[i].same, rows[i].of);
        assert_true(nn_check_passed(rows, count));
        assert_int_equal(rows[0].of, 4);
        net->w[net->at.head[0].fc[0].b] = NAN;
        assert_ok(nn_check(net, 4, NULL, NULL, 1, rows, &count));
        assert_false(nn_check_passed(rows, count));
        nn_net_free(net);
    }
}

// What a row of the self-test should say, computed once more.
static nn_check_row row_again(const nn_net *net, const nn_plan_options *o, int n, const uint64_t *bits,
                              const float *scalars, const double *want)
{
    const nn_desc *d = &net->desc;
    int os = nn_out_size(d);
    nn_plan *p;
    nn_scratch *s;
    float *got = calloc((size_t)(n * os), sizeof *got);
    nn_check_row r = {.exact_kind = o->int8 == NULL, .of = n, .same = n};
    assert_ok(nn_plan_new(&p, net, o));
    assert_ok(nn_scratch_new(&s, p));
    nn_run(p, s, n, bits, scalars, got);
    snprintf(r.name, sizeof r.name, "%.47s", nn_plan_text(p));
    r.worst = worst_of(got, want, n * os);
    for (int i = 0; i < n; i++)
        for (int h = 0, other = 0; h < d->n_heads; h++) {
            const float *a = got + i * os + nn_head_at(d, h);
            const double *b = want + i * os + nn_head_at(d, h);
            int x = 0, y = 0;
            if (d->head[h].kind == NN_VALUE) r.value = fmax(r.value, fabs((double)a[0] - b[0]));
            if (d->head[h].kind != NN_POLICY && d->head[h].kind != NN_DUEL) continue;
            for (int k = 0; k < d->head[h].out; k++) x = a[k] > a[x] ? k : x, y = b[k] > b[y] ? k : y;
            if (x != y && !other++) r.same--;
        }
    nn_scratch_free(s), nn_plan_free(p), free(got);
    return r;
}

static void same_row(const nn_check_row *a, const nn_check_row *b)
{
    assert_string_equal(a->name, b->name);
    assert_true(a->worst == b->worst && a->value == b->value && a->exact_kind == b->exact_kind);
    assert_int_equal(a->same, b->same);
    assert_int_equal(a->of, b->of);
}

static void self_test_rows(void **state)
{
    (void)state;
    enum { N = 20 };
    static const int small[] = {0, 1, 2, 5, 8, 9, 10};
    int differ = 0; // positions whose greatest output is another one in int8
    for (size_t i_net = 0; i_net < sizeof small / sizeof *small; i_net++) {
        int t = small[i_net];
        nn_net *net = lived_in(nets[t], 70 + (uint64_t)t);
        const nn_desc *d = &net->desc;
        size_t words = N * nn_in_bits(d);
        uint64_t *bits = calloc(words, sizeof *bits);
        float *scalars = calloc(N * (size_t)d->scalars + 1, sizeof *scalars);
        double *want = calloc(N * (size_t)nn_out_size(d), sizeof *want);
        nn_check_row rows[NN_CHECK_ROWS], own[NN_CHECK_ROWS];
        int count, again, k = 0;
        rng r = rng_at(41, 0, 0); // as nn_check makes them
        for (size_t i = 0; i < words; i++) bits[i] = rng_u64(&r) & rng_u64(&r);
        for (int i = 0; i < N * d->scalars; i++) scalars[i] = (float)rng_unit(&r);
        assert_ok(nn_check(net, N, bits, scalars, 0, rows, &count));
        assert_ok(nn_check(net, N, NULL, NULL, 41, own, &again));
        assert_int_equal(count, again);
        for (int i = 0; i < count; i++) same_row(&rows[i], &own[i]);
        assert_ok(nn_ref_forward(net, N, bits, scalars, want));
        for (int level = 0; level <= (int)cpu_simd(); level++)
            for (int m = 0; m < (d->channels > 0 ? NN_INFER_METHODS : 1); m++) {
                own[k] = row_again(net, &(nn_plan_options){.kern = nn_kern_of((simd)level), .method = 1 + m}, N, bits,
                                   scalars, want);
                same_row(&rows[k], &own[k]);
                k++;
            }
        if (d->channels > 0) {
            nn_ranges ranges;
            assert_ok(nn_calibrate(&ranges, net, N, bits, scalars));
            own[k] =
                row_again(net, &(nn_plan_options){.int8 = &ranges, .method = 1 + NN_DIRECT}, N, bits, scalars, want);
            same_row(&rows[k], &own[k]);
            k++;
            own[k] = row_again(net, &(nn_plan_options){.int8 = &ranges}, N, bits, scalars, want);
            if (strcmp(own[k].name, own[k - 1].name) != 0) {
                same_row(&rows[k], &own[k]);
                k++;
            }
        }
        assert_int_equal(count, k);
        for (int i = 0; i < count; i++) differ += own[i].of - own[i].same;
        free(bits), free(scalars), free(want);
        nn_net_free(net);
    }
    assert_true(differ > 0); // or nobody would see how they are counted
    nn_check_row r[2] = {{.exact_kind = true, .worst = NN_CHECK_LIMIT / 2}, {.worst = 1}}; // int8 may be off
    assert_true(nn_check_passed(r, 2));
    assert_false(nn_check_passed(r, 0));
    r[1].exact_kind = true;
    assert_false(nn_check_passed(r, 2));
    assert_true(nn_check_passed(r, 1));
    r[0].worst = NN_CHECK_LIMIT;
    assert_false(nn_check_passed(r, 1));
}

static void int8_is_refused(void **state)
{
    (void)state;
    nn_net *a = lived_in("test-tiny", 1), *b = lived_in("test-mlp", 1);
    nn_ranges ranges = {.n = 5};
    nn_plan *p;
    assert_err(nn_plan_new(&p, a, &(nn_plan_options){.int8 = &ranges}), "another network");
    assert_err(nn_calibrate(&ranges, b, 1, NULL, NULL), "mlp");
    nn_net_free(a), nn_net_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_reference),
        cmocka_unit_test(a_grown_network_computes_the_same),
        cmocka_unit_test(batch_does_not_matter),
        cmocka_unit_test(int8_kernels_agree),
        cmocka_unit_test(int8_close_to_f32),
        cmocka_unit_test(int8_is_refused),
        cmocka_unit_test(self_test_rows),
        cmocka_unit_test(crews_agree),
        cmocka_unit_test(self_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
