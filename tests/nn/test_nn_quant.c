// The int8 Winograd convolution against plain whole-number loops, and against the convolution it stands for.
#include "base/rng.h"
#include "nn/infer_inner.h"
#include "nn/kern.h"
#include "nn/nn_data.h"
#include "nn/quant.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(KEIKO_X86)
typedef struct problem {
    qwino_shape shape;
    qwino c;
    int n, hw, channels;
    float *w; // [cout][cin][9]
    int8_t *u;
    int32_t *zero;
    float *scale, *bias, *res;
    int16_t step[QW_PLACES];
    uint8_t *x;
    double unit; // real value of an input byte
} problem;

// Bytes up to `high` in x, and the steps that use the 8 bits well for such inputs.
static void make(problem *p, rng *r, int rows, int cols, int cin, int cout, int channels, int high)
{
    int n = 3, hw = rows * cols;
    *p = (problem){.n = n, .hw = hw, .channels = channels, .unit = 0.01};
    assert_ok(qwino_shape_make(&p->shape, rows, cols));
    p->w = nn_floats((size_t)(cout * cin * 9));
    p->u = (int8_t *)nn_floats((size_t)(cout * cin * QW_PLACES / 4));
    p->zero = (int32_t *)nn_floats((size_t)(cout * QW_PLACES));
    p->scale = nn_floats((size_t)(cout * QW_PLACES));
    p->bias = nn_floats((size_t)cout);
    p->res = nn_floats((size_t)(n * hw * channels));
    p->x = malloc((size_t)(n * hw * cin));
    for (int i = 0; i < cout * cin * 9; i++) p->w[i] = (float)(rng_normal(r) * 0.05);
    for (int i = 0; i < cout; i++) p->bias[i] = (float)rng_unit(r) - 0.5f;
    for (int i = 0; i < n * hw * channels; i++) p->res[i] = (float)rng_unit(r);
    // mostly small bytes, as after a ReLU, and some extreme ones, which must not overflow 16 bits
    for (int i = 0; i < n * hw * cin; i++)
        p->x[i] = (uint8_t)(rng_below(r, 2) == 0 ? 0 : rng_below(r, (uint32_t)high + 1));
    float v_scale[QW_PLACES];
    for (int k = 0; k < QW_PLACES; k++) {
        double most = high * (k % QW_COLS == 0 || k % QW_COLS == 5 ? 80.0 : 50.0); // about 3.5 standard deviations
        p->step[k] = (int16_t)lround(fmin(32767, 127 * 32768 / most));
        v_scale[k] = (float)(p->unit * 32768 / p->step[k]);
    }
    for (int o = 0; o < cout; o++) {
        int at = o / QW_GROUP * QW_GROUP * QW_PLACES;
        qwino_weights(p->w + o * cin * 9, cin, 1, v_scale, cin, p->u + at * cin + o % QW_GROUP * 4,
                      p->zero + at + o % QW_GROUP, p->scale + at + o % QW_GROUP);
    }
    p->c = (qwino){&p->shape, cin, cout, p->u, p->zero, p->scale, p->bias, p->step};
}

static void unmake(problem *p)
{
    qwino_shape_free(&p->shape);
    free(p->w), free(p->u), free(p->zero), free(p->scale), free(p->bias), free(p->res), free(p->x);
}

// The transformed byte of one channel of one tile, minus QW_ZERO: whole-number arithmetic as quant_wino.h describes it.
static void plain_input(const problem *p, int board, int tile, int ch, int v[QW_PLACES])
{
    int d[QW_PLACES], r[QW_ROWS][QW_COLS];
    for (int k = 0; k < QW_PLACES; k++) {
        int square = p->shape.from[tile * QW_PLACES + k];
        d[k] = square < 0 ? 0 : p->x[(board * p->hw + square) * p->c.cin + ch];
    }
    for (int j = 0; j < QW_COLS; j++) {
        r[0][j] = d[12 + j] - d[j], r[1][j] = d[6 + j] + d[12 + j];
        r[2][j] = d[12 + j] - d[6 + j], r[3][j] = d[18 + j] - d[6 + j];
    }
    for (int i = 0; i < QW_ROWS; i++) {
        const int *e = r[i];
        int *to = v + i * QW_COLS;
        to[0] = 18 * (e[0] + e[4]) - 48 * e[2] - (e[2] >> 1);
        to[1] = 12 * e[4] - 27 * e[2] + 8 * e[3] - 18 * e[1];
        to[2] = 12 * e[4] - 27 * e[2] - 8 * e[3] + 18 * e[1];
        to[3] = 18 * e[4] - 8 * e[2] + 27 * e[3] - 12 * e[1];
        to[4] = 18 * e[4] - 8 * e[2] - 27 * e[3] + 12 * e[1];
        to[5] = 18 * (e[1] + e[5]) - 48 * e[3] - (e[3] >> 1);
    }
    for (int k = 0; k < QW_PLACES; k++) {
        assert_in_range(v[k] + 32768, 0, 65535);
        int q = (v[k] * p->step[k] + (1 << 14)) >> 15;
        v[k] = q < -128 ? -128 : q > 127 ? 127 : q;
    }
}

// Real values of a tile's 8 squares for output channel o, before bias.
static void plain_tile(const problem *p, int board, int tile, int o, double y[8])
{
    static const double col[QW_COLS][4] = {
        {1, 0, 0, 0},          {1, 2.0 / 3, 4.0 / 9, 8.0 / 27}, {1, -2.0 / 3, 4.0 / 9, -8.0 / 27},
        {1, 1.5, 2.25, 3.375}, {1, -1.5, 2.25, -3.375},         {0, 0, 0, 1}};
    static const double row[QW_ROWS][2] = {{1, 0}, {1, 1}, {1, -1}, {0, 1}};
    int64_t sum[QW_PLACES] = {0};
    int group = o / QW_GROUP * QW_GROUP * QW_PLACES, cin = p->c.cin;
    for (int ch = 0; ch < cin; ch++) {
        int v[QW_PLACES];
        plain_input(p, board, tile, ch, v);
        for (int k = 0; k < QW_PLACES; k++)
            sum[k] += v[k] * p->u[group * cin + k * cin * QW_GROUP + ch / 4 * 128 + o % QW_GROUP * 4 + ch % 4];
    }
    for (int i = 0; i < 8; i++) {
        y[i] = 0;
        for (int k = 0; k < QW_PLACES; k++)
            y[i] += (double)sum[k] * (double)p->scale[group + k * QW_GROUP + o % QW_GROUP] * row[k / QW_COLS][i / 4] *
                    col[k % QW_COLS][i % 4];
    }
}

static double plain_conv(const problem *p, int board, int square, int o)
{
    double sum = 0;
    for (int tap = 0; tap < 9; tap++) {
        int y = square / p->shape.cols + tap / 3 - 1, x = square % p->shape.cols + tap % 3 - 1;
        if (y < 0 || x < 0 || y >= p->shape.rows || x >= p->shape.cols) continue;
        for (int i = 0; i < p->c.cin; i++)
            sum += p->unit * p->x[(board * p->hw + y * p->shape.cols + x) * p->c.cin + i] *
                   (double)p->w[(o * p->c.cin + i) * 9 + tap];
    }
    return sum;
}

// Some tiles and channels of a problem; returns the error against the true convolution, relative, root mean square.
static double judge(problem *p, rng *r, void *scratch)
{
    int cout = p->c.cout, hw = p->hw;
    float *f = nn_floats((size_t)(p->n * hw * p->channels));
    uint8_t *q = malloc((size_t)(p->n * hw * cout));
    double off = 0, size = 0;
    qwino_conv_vnni(&p->c, p->n, p->x, p->res, true, p->channels, f, 20, q, scratch);
    for (int round = 0; round < 30; round++) {
        int board = (int)rng_below(r, (uint32_t)p->n), tile = (int)rng_below(r, (uint32_t)p->shape.tiles);
        int o = (int)rng_below(r, (uint32_t)p->channels);
        double y[8];
        plain_tile(p, board, tile, o, y);
        for (int k = 0; k < 8; k++) {
            int square = p->shape.to[tile * 8 + k];
            if (square < 0) continue;
            size_t at = (size_t)((board * p->channels + o / 16 * 16) * hw + square * 16 + o % 16);
            double want = fmax(0, y[k] + (double)p->bias[o] + (double)p->res[at]);
            assert_true(fabs(want - (double)f[at]) < 1e-4 * (1 + fabs(want)));
            int byte = (int)lround(fmin(255, want * 20));
            assert_true(abs(byte - q[(board * hw + square) * cout + o]) <= 1);
            double real = plain_conv(p, board, square, o);
            off += (real - y[k]) * (real - y[k]), size += real * real;
        }
    }
    free(f), free(q);
    return sqrt(off / size);
}

static bool vnni(void)
{
    return cpu_simd_best() >= SIMD_AVX512 && __builtin_cpu_supports("avx512vnni");
}
#endif

static void wino_is_exact_where_it_says(void **state)
{
    (void)state;
#if defined(KEIKO_X86)
    if (!vnni()) skip_because("this processor has no AVX-512 VNNI");
    static const int shapes[][5] = {{8, 8, 32, 32, 32},  {8, 8, 128, 64, 64}, {15, 15, 64, 32, 16},
                                    {13, 6, 32, 64, 48}, {2, 3, 32, 32, 32},  {9, 5, 96, 32, 32}};
    rng r = rng_at(5, 6, 7);
    void *scratch = aligned_alloc(64, (qwino_scratch(128) + 63) & ~(size_t)63);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int high = 60; high <= 255; high += 195) {
            problem p;
            make(&p, &r, shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3], shapes[s][4], high);
            double error = judge(&p, &r, scratch);
            printf("%dx%d error %.4f\n", p.shape.rows, p.shape.cols, error);
            assert_true(error < 0.1); // of random inputs with steps for the worst case; calibration does better
            unmake(&p);
        }
    free(scratch);
#else
    skip_because("no x86 processor");
#endif
}

// The largest input that 16 bits must hold: all bytes 255, and 255 beside 0 in every pattern of a tile's columns.
static void no_overflow(void **state)
{
    (void)state;
#if defined(KEIKO_X86)
    if (!vnni()) skip_because("this processor has no AVX-512 VNNI");
    rng r = rng_at(1, 1, 1);
    void *scratch = aligned_alloc(64, (qwino_scratch(32) + 63) & ~(size_t)63);
    problem p;
    make(&p, &r, 8, 8, 32, 32, 32, 255);
    for (int pattern = 0; pattern < 64; pattern++) {
        for (int i = 0; i < p.n * p.hw * 32; i++) {
            int square = i / 32 % p.hw, across = square % 8 % 6, down = square / 8;
            p.x[i] = (pattern >> across & 1) ^ (pattern & 1 && down % 2) ? 255 : 0;
        }
        judge(&p, &r, scratch);
    }
    unmake(&p);
    free(scratch);
#else
    skip_because("no x86 processor");
#endif
}

static void chosen_by_shape(void **state)
{
    (void)state;
    assert_true(qwino_pays(8, 8) && qwino_pays(15, 15) && qwino_pays(13, 6));
    assert_false(qwino_pays(5, 5) || qwino_pays(3, 3) || qwino_pays(1, 9));
}

// A channel's largest value on some positions, against plain loops for the stem; the layers behind it stay below what the
// calibration of whole layers saw, and reach it.
static void largest_of_each_channel(void **state)
{
    (void)state;
    enum { N = 9, C = 24, HW = 30 };
    nn_desc d;
    nn_net *net;
    nn_ranges ranges;
    float high[3 * C], scale[C], bias[C], want[C] = {0};
    assert_ok(nn_desc_parse("planes=2 scalars=1 size=5x6 c=24 b=1 policy=1:5 value=1:4", &d));
    assert_ok(nn_net_new(&net, &d, 4));
    nn_data *data = data_new(&d, N, 3, false);
    assert_ok(nn_channel_highs(high, net, N, data->bits, data->scalars));
    plan_fold(net, &net->at.stem, scale, bias);
    for (int p = 0; p < N * HW * C; p++) {
        int o = p % C, y = p / C % HW / 6, x = p / C % HW % 6, n = p / C / HW;
        double sum = 0;
        for (int i = 0; i < 3; i++)
            for (int t = 0; t < 9; t++) {
                int yy = y + t / 3 - 1, xx = x + t % 3 - 1;
                if (yy < 0 || yy >= 5 || xx < 0 || xx >= 6) continue;
                double in = i == 2 ? (double)data->scalars[n] : (double)(data->bits[n * 2 + i] >> (yy * 6 + xx) & 1);
                sum += in * (double)net->w[net->at.stem.w + (size_t)((o * 3 + i) * 9 + t)];
            }
        want[o] = fmaxf(want[o], (float)(sum * (double)scale[o] + (double)bias[o]));
    }
    for (int c = 0; c < C; c++) assert_float_equal(high[c], want[c], 1e-4);
    assert_ok(nn_calibrate(&ranges, net, N, data->bits, data->scalars));
    for (int l = 0; l < 3; l++) {
        float most = 0;
        for (int c = 0; c < C; c++) most = fmaxf(most, high[l * C + c]);
        assert_true(most > 0 && ranges.high[l] <= most * 1.0001f && ranges.high[l] > most / 64);
    }
    data_free(data);
    nn_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wino_is_exact_where_it_says),
        cmocka_unit_test(no_overflow),
        cmocka_unit_test(chosen_by_shape),
        cmocka_unit_test(largest_of_each_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
