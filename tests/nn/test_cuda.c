// The CUDA backend against the CPU: outputs, legal moves' probabilities, gradients, a whole training run. Every network is
// printed with its errors before any of them fails the test. Without a GPU (or in a build without CUDA) all is skipped.
#include "nn/backend.h"
#include "nn/infer.h"
#include "nn/nn_data.h"
#include "nn/ref.h"
#include "test.h"

#if defined(KEIKO_CUDA)
#include "nn/cuda/infer_cuda.h"
#endif

#include <math.h>
#include <string.h>

#if defined(KEIKO_CUDA)

static const nn_backend *gpu(void)
{
    char why[256];
    if (!nn_backend_cuda.available(why, sizeof why)) {
        printf("skipped: %s\n", why);
        skip();
    }
    return &nn_backend_cuda;
}

// Weights as after some training: nothing is zero or one.
static nn_net *make(const char *text, uint64_t seed)
{
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse(text, &d));
    assert_ok(nn_net_new(&net, &d, seed));
    static nn_param p[2000];
    int n = nn_params(&d, p, 2000);
    rng r = rng_at(seed, 7, 7);
    for (int i = 0; i < n; i++)
        for (size_t k = p[i].at; k < p[i].at + p[i].size && p[i].n_dims == 1; k++) {
            if (strstr(p[i].name, "var") != NULL)
                net->w[k] = 0.5f + (float)rng_unit(&r);
            else
                net->w[k] += 0.2f * (float)rng_normal(&r);
        }
    // a residual branch that halves, or deep towers grow without bound
    for (int b = 0; b < d.blocks; b++)
        for (size_t c = 0; c < (size_t)d.channels; c++) net->w[net->at.block[b].conv[1].bn.gamma + c] *= 0.5f;
    return net;
}

static double relative(size_t n, const float *got, const float *want)
{
    double diff = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        double e = (double)got[i] - (double)want[i];
        diff += e * e, size += (double)want[i] * (double)want[i];
        if (!isfinite(got[i])) return INFINITY;
    }
    return sqrt(diff / (size + 1e-30));
}

// Mean divergence of the first policy head's softmax, and the largest difference of a value.
static void divergence(const nn_desc *d, int n, const float *got, const float *want, double *kl, double *value)
{
    *kl = *value = 0;
    int os = nn_out_size(d);
    for (int h = 0; h < d->n_heads; h++)
        for (int i = 0; i < n; i++) {
            const float *a = want + i * os + nn_head_at(d, h), *b = got + i * os + nn_head_at(d, h);
            if (d->head[h].kind == NN_VALUE) *value = fmax(*value, fabs((double)a[0] - (double)b[0]));
            if (d->head[h].kind != NN_POLICY) continue;
            double sa = 0, sb = 0, sum = 0;
            for (int k = 0; k < d->head[h].out; k++) sa += exp((double)a[k]), sb += exp((double)b[k]);
            for (int k = 0; k < d->head[h].out; k++)
                sum += exp((double)a[k]) / sa * ((double)a[k] - log(sa) - (double)b[k] + log(sb));
            *kl += sum / n;
        }
}

static void cpu_run(const nn_net *net, const nn_data *data, float *out)
{
    nn_plan *p;
    nn_scratch *s;
    assert_ok(nn_plan_new(&p, net, NULL));
    assert_ok(nn_scratch_new(&s, p));
    nn_run(p, s, data->b.n, data->bits, data->scalars, out);
    nn_scratch_free(s);
    nn_plan_free(p);
}

static const char *const nets[] = {
    "planes=3 size=8x8 c=128 b=10 policy=2:65 value=1:256",
    "planes=3 size=8x8 c=64 b=3 policy=2:65 value=1:64",
    "planes=5 scalars=3 size=8x8 c=256 b=2 policy=2:65 value=1:64",
    "planes=32 scalars=34 size=5x5 c=64 b=4 policy=32:625 policy=16:51 value=4:32",
    "planes=7 size=15x15 c=128 b=3 policy=2:225 value=1:64",
    "planes=7 size=15x15 c=64 b=2 policy=2:225 value=1:64",
    "planes=2 size=9x9 c=96 b=2 policy=2:81 value=1:32 board=2 scalar=2:0:3",
    "planes=3 scalars=1 size=6x7 c=32 b=1 policy=66:7 value=1:16",
    "planes=2 size=20x20 c=64 b=1 policy=1:400 value=1:16",
    "planes=3 size=8x8 c=64 b=2 se=16 policy=2:65 value=1:32",
    "planes=3 size=8x8 c=128 b=0 duel=2:40:9",
    "planes=28 scalars=9 size=13x6 mlp=512,256 duel=0:128:24",
};
enum { NETS = sizeof nets / sizeof nets[0] };

static bool compare(const nn_backend *g, const char *text, int n, bool layers)
{
    nn_net *net = make(text, 3);
    const nn_desc *d = &net->desc;
    nn_data *data = data_new(d, n, 5, true);
    size_t size = (size_t)(n * nn_out_size(d));
    float *want = malloc(size * sizeof *want), *got = malloc(size * sizeof *got), *again = malloc(size * sizeof *again);
    nn_infer *h;
    cpu_run(net, data, want);
    memset(got, 0xff, size * sizeof *got);
    cuda_layer_by_layer = layers;
    assert_ok(g->infer_new(&h, net, &(nn_infer_options){.max_batch = n}));
    cuda_layer_by_layer = false;
    assert_ok(g->infer_run(h, n, data->bits, data->scalars, got));
    bool same = true;
    for (int k = 0; k < 3; k++) {
        assert_ok(g->infer_run(h, n, data->bits, data->scalars, again));
        same = same && memcmp(got, again, size * sizeof *got) == 0;
    }
    double kl, value, rel = relative(size, got, want);
    divergence(d, n, got, want, &kl, &value);
    bool good = rel < 0.02 && same && kl < 2e-3 && value < 0.05;
    // moves
    double prior = 0;
    if (data->b.start != NULL) {
        uint32_t moves = data->start[n];
        size_t rest = (size_t)(n * nn_rest_size(d));
        float *p = malloc(2 * moves * sizeof *p), *r = malloc((2 * rest + 1) * sizeof *r);
        nn_moves a = {data->start, data->index, p, r}, b = {data->start, data->index, p + moves, r + rest};
        assert_ok(g->infer_submit_moves(h, n, data->bits, data->scalars, &a));
        assert_ok(g->infer_wait(h));
        nn_moves_fill(d, n, got, &b);
        for (uint32_t m = 0; m < moves; m++) prior = fmax(prior, fabs((double)p[m] - (double)p[moves + m]));
        for (size_t k = 0; k < rest; k++) prior = fmax(prior, fabs((double)r[k] - (double)r[rest + k]));
        good = good && prior < 1e-5;
        free(p), free(r);
    }
    printf("%-4s n=%-5d relative %.2e  KL %.2e  value %.2e  moves %.1e  %s  [%s] %s\n", good ? "ok" : "BAD", n, rel, kl,
           value, prior, same ? "repeats" : "VARIES", text, g->infer_text(h));
    fflush(stdout);
    g->infer_free(h);
    data_free(data);
    nn_net_free(net);
    free(want), free(got), free(again);
    return good;
}

static void outputs_like_cpu(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    int bad = 0;
    for (int k = 0; k < NETS; k++) {
        int sizes[] = {1, 7, k == 0 ? 600 : 300};
        for (int i = 0; i < 3; i++) bad += !compare(g, nets[k], sizes[i], false);
        if (strstr(nets[k], "mlp") == NULL) bad += !compare(g, nets[k], 67, true);
    }
    assert_int_equal(bad, 0);
}

// Two handles in flight, an update that reaches both, and what is refused.
static void forks_and_updates(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    nn_net *net = make(nets[1], 1), *next = make(nets[1], 2), *other = make(nets[3], 1);
    nn_data *data = data_new(&net->desc, 100, 5, false);
    size_t size = (size_t)(100 * nn_out_size(&net->desc));
    float *out[3];
    for (int i = 0; i < 3; i++) out[i] = malloc(size * sizeof(float));
    nn_infer *a, *b;
    assert_ok(g->infer_new(&a, net, &(nn_infer_options){.max_batch = 100}));
    assert_ok(g->infer_fork(&b, a));
    assert_ok(g->infer_submit(a, 100, data->bits, data->scalars, out[0]));
    assert_ok(g->infer_submit(b, 100, data->bits, data->scalars, out[1]));
    assert_err(g->infer_submit(a, 100, data->bits, data->scalars, out[2]), "in flight");
    assert_ok(g->infer_wait(b));
    assert_ok(g->infer_wait(a));
    assert_memory_equal(out[0], out[1], size * sizeof(float));
    assert_ok(g->infer_update(a, next, NULL));
    assert_ok(g->infer_run(b, 100, data->bits, data->scalars, out[1]));
    cpu_run(next, data, out[2]);
    assert_true(relative(size, out[1], out[2]) < 0.02 && relative(size, out[0], out[2]) > 0.1);
    assert_err(g->infer_update(a, other, NULL), "same network");
    assert_err(g->infer_run(a, 101, data->bits, data->scalars, out[1]), "made ready for 100");
    g->infer_free(a);
    assert_ok(g->infer_run(b, 3, data->bits, data->scalars, out[0]));
    g->infer_free(b);
    for (int i = 0; i < 3; i++) free(out[i]);
    data_free(data);
    nn_net_free(net), nn_net_free(next), nn_net_free(other);
}

#else

static void outputs_like_cpu(void **state)
{
    (void)state;
    const nn_backend *b;
    assert_err(nn_backend_find("cuda", &b), "KEIKO_CUDA");
    printf("skipped: this build has no CUDA backend\n");
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_like_cpu),
#if defined(KEIKO_CUDA)
        cmocka_unit_test(forks_and_updates),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
