// The CUDA backend against the CPU: outputs, legal moves' probabilities, gradients, a whole training run. Every network is
// printed with its errors before any of them fails the test. Without a GPU (or in a build without CUDA) all is skipped.
//
// `test_cuda PATTERN` runs those tests alone whose names fit (`test_cuda 'small_*'`): under compute-sanitizer the whole takes
// hours, the small ones seconds.
#include "base/clock.h"
#include "nn/backend.h"
#include "nn/infer.h"
#include "nn/nn_data.h"
#include "nn/train.h"
#include "test.h"

#if defined(KEIKO_CUDA)
#include "nn/cuda/infer_cuda.h"
#include "nn/cuda/pack.h"
#include "nn/cuda/train_cuda.h"
#include "nn/gpu.h"
#endif

#include <math.h>
#include <string.h>

#if defined(KEIKO_CUDA)

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
    "planes=3 scalars=1 size=6x7 c=32 b=1 policy=66:7 value=1:16 reply=2:7",
    "planes=2 size=20x20 c=64 b=1 policy=1:400 value=1:16",
    "planes=3 size=8x8 c=64 b=2 se=16 policy=2:65 value=1:32",
    "planes=3 size=8x8 c=128 b=0 duel=2:40:9",
    "planes=28 scalars=9 size=13x6 mlp=512,256 duel=0:128:24",
    "planes=28 scalars=9 size=13x6 mlp=128,64 duel=0:64:24:51 noisy=1",
    "planes=10 scalars=9 size=13x6 c=64 b=1 duel=4:40:24:16",
};
enum { NETS = sizeof nets / sizeof nets[0], FUSED = 8 }; // the first FUSED run as a fused tower on sm_90

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

static double of_e4m3(int code)
{
    int e = code >> 3 & 15, m = code & 7;
    double v = e == 0 ? ldexp(m, -9) : ldexp(8 + m, e - 10);
    return code & 0x80 ? -v : v;
}

// Every number becomes the nearest one, ties the even one; no GPU is needed for this.
static void e4m3_is_nearest(void **state)
{
    (void)state;
    rng r = rng_at(1, 2, 3);
    for (int code = 0; code < 256; code++)
        if ((code & 0x7f) != 0x7f) assert_int_equal(e4m3_of((float)of_e4m3(code)), code);
    for (int code = 0; code < 0x7e; code++) // halfway between neighbours
        assert_int_equal(e4m3_of((float)((of_e4m3(code) + of_e4m3(code + 1)) / 2)), code + code % 2);
    for (int i = 0; i < 20000; i++) {
        float v = (float)ldexp(2 * rng_unit(&r) - 1, (int)rng_below(&r, 24) - 13);
        double best = INFINITY;
        for (int code = 0; code < 256; code++)
            if ((code & 0x7f) != 0x7f) best = fmin(best, fabs(of_e4m3(code) - (double)v));
        assert_true(fabs(of_e4m3(e4m3_of(v)) - (double)v) <= best);
    }
    assert_int_equal(e4m3_of(1e9f), 0x7e);
    assert_int_equal(e4m3_of(-INFINITY), 0xfe);
    assert_int_equal(e4m3_of(NAN), 0x7f);
}

// Blocks in e4m3: three binary digits an activation, so some per cent, but the same choice nearly always. An update goes back
// to bf16 and again to e4m3.
static bool compare_fp8(const nn_backend *g, const char *text, int n)
{
    nn_net *net = make(text, 3);
    const nn_desc *d = &net->desc;
    nn_data *data = data_new(d, n, 5, false), *seen = data_new(d, 64, 9, false);
    nn_sample narrow = {64, seen->bits, seen->scalars};
    int os = nn_out_size(d);
    size_t size = (size_t)(n * os);
    float *want = malloc(size * sizeof *want), *got = malloc(size * sizeof *got), *again = malloc(size * sizeof *again);
    nn_infer *h;
    cpu_run(net, data, want);
    memset(got, 0xff, size * sizeof *got);
    assert_ok(g->infer_new(&h, net, &(nn_infer_options){.max_batch = n, .narrow = &narrow}));
    assert_ok(g->infer_run(h, n, data->bits, data->scalars, got));
    assert_ok(nn_infer_update(g, h, net, NULL));
    assert_ok(g->infer_run(h, n, data->bits, data->scalars, again));
    double wide = relative(size, again, want), kl, value, rel = relative(size, got, want);
    assert_ok(nn_infer_update(g, h, net, &narrow));
    assert_ok(g->infer_run(h, n, data->bits, data->scalars, again));
    bool same = memcmp(got, again, size * sizeof *got) == 0;
    int agree = 0;
    for (int i = 0; i < n; i++) {
        int a = 0, b = 0;
        for (int k = 0; k < d->head[0].out; k++) {
            if (want[i * os + k] > want[i * os + a]) a = k;
            if (got[i * os + k] > got[i * os + b]) b = k;
        }
        agree += a == b;
    }
    divergence(d, n, got, want, &kl, &value);
    bool good = rel < 0.15 && rel > wide && wide < 0.02 && same && kl < 0.05 && value < 0.25;
    printf("%-4s n=%-5d relative %.2e (bf16 %.2e)  KL %.2e  value %.2e  first move agrees %.1f %%  %s  [%s] %s\n",
           good ? "ok" : "BAD", n, rel, wide, kl, value, 100.0 * agree / n, same ? "repeats" : "VARIES", text,
           g->infer_text(h));
    fflush(stdout);
    g->infer_free(h);
    data_free(data), data_free(seen);
    nn_net_free(net);
    free(want), free(got), free(again);
    return good;
}

static void fp8_like_cpu(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    char why[256];
    int bad = 0;
    nn_infer *h;
    nn_net *mlp = make("planes=28 size=13x6 mlp=64 policy=0:24 value=0:8", 1);
    nn_data *data = data_new(&mlp->desc, 8, 1, false);
    nn_sample narrow = {8, data->bits, data->scalars};
    assert_err(g->infer_new(&h, mlp, &(nn_infer_options){.narrow = &narrow}), "fp8 needs the fused tower");
    data_free(data);
    nn_net_free(mlp);
    g->available(why, sizeof why);
    if (strstr(why, "capability 9.") == NULL) skip_because("this GPU is no Hopper: %s", why);
    for (int k = 0; k < FUSED; k++) {
        int sizes[] = {1, 70, k == 0 ? 600 : 300};
        for (int i = 0; i < 3; i++) bad += !compare_fp8(g, nets[k], sizes[i]);
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
    assert_ok(nn_infer_update(g, a, next, NULL));
    assert_ok(g->infer_run(b, 100, data->bits, data->scalars, out[1]));
    cpu_run(next, data, out[2]);
    assert_true(relative(size, out[1], out[2]) < 0.02 && relative(size, out[0], out[2]) > 0.1);
    assert_err(nn_infer_update(g, a, other, NULL), "same network");
    assert_err(g->infer_run(a, 101, data->bits, data->scalars, out[1]), "made ready for 100");
    g->infer_free(a);
    assert_ok(g->infer_run(b, 3, data->bits, data->scalars, out[0]));
    g->infer_free(b);
    for (int i = 0; i < 3; i++) free(out[i]);
    data_free(data);
    nn_net_free(net), nn_net_free(next), nn_net_free(other);
}

typedef struct beside {
    const nn_backend *backend;
    nn_infer *run[2];
    const nn_data *data[2];
    float *out[2];
    err code[2];
} beside;

static void run_beside(void *ctx, int part, int worker)
{
    (void)worker;
    beside *b = ctx;
    for (int i = 0; i < 50 && b->code[part] == ERR_OK; i++) // few: racecheck keeps 200 MB a launch
        b->code[part] = b->backend->infer_run(b->run[part], 1 + i * 37 % 200, b->data[part]->bits,
                                              b->data[part]->scalars, b->out[part]);
}

// Two networks whose heads need different amounts of shared memory, each in its own thread: neither may spoil the other's
// launches.
static void networks_beside_each_other(void **state)
{
    (void)state;
    static const char *const text[] = {"planes=3 size=8x8 c=128 b=2 policy=8:65 value=4:128",
                                       "planes=3 size=8x8 c=128 b=2 policy=24:65 value=16:256"};
    beside b = {.backend = gpu()};
    nn_net *net[2];
    nn_data *data[2];
    for (int i = 0; i < 2; i++) {
        net[i] = make(text[i], 1);
        b.data[i] = data[i] = data_new(&net[i]->desc, 200, 5, false);
        b.out[i] = malloc((size_t)(200 * nn_out_size(&net[i]->desc)) * sizeof(float));
        assert_ok(b.backend->infer_new(&b.run[i], net[i], &(nn_infer_options){.max_batch = 200}));
    }
    pool *threads = pool_new(2);
    pool_run(threads, 2, run_beside, &b);
    pool_free(threads);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(b.code[i], ERR_OK);
        b.backend->infer_free(b.run[i]);
        free(b.out[i]);
        data_free(data[i]);
        nn_net_free(net[i]);
    }
}

// --- training

typedef struct grad_error {
    double worst, all; // of one tensor (against its own size and a little of the whole); of the whole gradient
    char name[64];
} grad_error;

static grad_error compare_grads(const nn_desc *d, const float *got, const float *want)
{
    static nn_param p[2000];
    int n = nn_params(d, p, 2000);
    grad_error r = {0};
    double total = 0, off = 0;
    for (int q = 0; q < n; q++)
        for (size_t i = p[q].at; i < p[q].at + p[q].size && p[q].train; i++)
            total += (double)want[i] * (double)want[i], off += pow((double)got[i] - (double)want[i], 2);
    r.all = sqrt(off / total);
    for (int q = 0; q < n; q++) {
        double diff = 0, size = 0;
        for (size_t i = p[q].at; i < p[q].at + p[q].size && p[q].train; i++)
            diff += pow((double)got[i] - (double)want[i], 2), size += (double)want[i] * (double)want[i];
        double e = sqrt(diff) / (sqrt(size) + 0.02 * sqrt(total));
        if (isfinite(e) && e <= r.worst) continue;
        r.worst = e;
        snprintf(r.name, sizeof r.name, "%.63s", p[q].name);
        if (!isfinite(e)) break;
    }
    return r;
}

static const char *const trained[] = {
    "planes=3 size=8x8 c=128 b=2 policy=2:65 value=1:256",
    "planes=3 size=8x8 c=64 b=2 policy=2:65 value=1:32",
    "planes=3 size=8x8 c=96 b=1 policy=2:65 value=1:32",
    "planes=4 scalars=3 size=5x5 c=64 b=2 policy=32:625 policy=16:51 value=4:32",
    "planes=3 scalars=1 size=9x9 c=40 b=1 policy=2:81 value=1:8 scalar=1:0:3 board=2",
    "planes=5 size=15x15 c=128 b=1 policy=2:225 value=1:32",
    "planes=3 size=13x7 c=128 b=1 policy=1:20 value=1:8",
    "planes=2 size=20x20 c=32 b=1 policy=1:400 value=1:16 scalar=2:4:4",
    "planes=3 size=8x8 c=64 b=0 duel=2:40:9",
    "planes=28 scalars=9 size=13x6 mlp=96,64 policy=0:12 value=0:8 duel=0:32:24",
    "planes=28 scalars=9 size=13x6 mlp=96,64 duel=0:32:24:51",
    "planes=10 scalars=9 size=13x6 c=64 b=1 duel=4:40:24:16",
    "planes=8 scalars=25 size=13x6 c=64 b=2 scalar=8:128:1 scalar=8:64:3", // rows that compete
};
enum { TRAINED = sizeof trained / sizeof trained[0] };

// One step with rate 0: losses, TD errors, gradients and running statistics against the CPU's.
static bool compare_step(const nn_backend *g, const char *text, int n, bool moves, bool layers)
{
    nn_net *net = make(text, 4), *mine, *after;
    const nn_desc *d = &net->desc;
    nn_data *data = data_new(d, n, 6, moves);
    rng r = rng_at(6, 4, 0);
    for (int h = 0; h < d->n_heads; h++) // what looking ahead said of other actions
        if (d->head[h].kind == NN_DUEL && n % 2 == 0) data_rest(data, d, &r, h, n);
    float *got = malloc(net->at.n_train * sizeof *got), *td = calloc(2 * (size_t)n, sizeof *td);
    nn_train_options o = {.max_batch = n};
    nn_trainer *t;
    nn_learner *l;
    nn_step_report a, b;
    assert_ok(nn_net_copy(&mine, net));
    assert_ok(nn_net_copy(&after, net));
    assert_ok(nn_trainer_new(&t, mine, &o));
    data->b.td = td;
    assert_ok(nn_train_step(t, &data->b, 0, &a));
    cuda_layer_by_layer = layers;
    assert_ok(g->learner_new(&l, net, &o));
    cuda_layer_by_layer = false;
    data->b.td = td + n;
    assert_ok(g->learner_step(l, &data->b, 0, &b));
    assert_ok(cuda_learner_grad(l, got));
    grad_error e = compare_grads(d, got, nn_trainer_grad(t));
    assert_ok(g->learner_weights(l, false, after));
    double stats = relative(net->at.n_all - net->at.n_train, after->w + net->at.n_train, mine->w + net->at.n_train);
    double tds = relative((size_t)n, td + n, td), loss = fabs(a.loss - b.loss) / a.loss;
    for (int h = 0; h < d->n_heads; h++)
        loss = fmax(loss, fabs(a.by_head[h] - b.by_head[h]) / (1e-3 + fabs(a.by_head[h])));
    // bf16 moves the outputs of all positions alike, so its errors do not average out as random targets' gradients do; where
    // rows compete (scalar heads), the gradient is made of differences between outputs, and they are larger
    double most = d->head[0].kind == NN_SCALAR ? 0.15 : 0.1;
    bool good = e.all < most && e.worst < 0.2 && stats < 0.01 && loss < 0.01 && tds < 0.05 &&
                fabs(a.grad_norm - b.grad_norm) < 0.05 * a.grad_norm;
    printf("%-4s n=%-4d gradient %.2e, worst %.2e (%s)  loss %.1e  statistics %.1e  td %.1e  [%s]%s%s\n",
           good ? "ok" : "BAD", n, e.all, e.worst, e.name, loss, stats, tds, text, moves ? " moves" : "",
           layers ? " layer by layer" : "");
    fflush(stdout);
    g->learner_free(l);
    nn_trainer_free(t);
    data_free(data);
    free(got), free(td);
    nn_net_free(net), nn_net_free(mine), nn_net_free(after);
    return good;
}

static void gradients_like_cpu(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    int bad = 0;
    for (int k = 0; k < TRAINED; k++) {
        bad += !compare_step(g, trained[k], 3, false, false);
        bad += !compare_step(g, trained[k], 70, true, false);
        bad += !compare_step(g, trained[k], 301, false, true);
    }
    bad += !compare_step(g, trained[0], 600, false, false); // wide tiles
    assert_int_equal(bad, 0);
}

// The fused kernels and the plain ones share no code but round at the same places: a tight bound for either.
static void both_ways_agree(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    int bad = 0;
    for (int k = 0; k <= TRAINED; k++) {
        const char *text = trained[k % TRAINED];
        int n = k < TRAINED ? 530 : 8192; // so many that weight gradients take several launches
        nn_net *net = make(text, 4);
        nn_data *data = data_new(&net->desc, n, 6, false);
        float *grad[2];
        for (int way = 0; way < 2; way++) {
            nn_learner *l;
            grad[way] = malloc(net->at.n_train * sizeof(float));
            cuda_layer_by_layer = way == 1;
            assert_ok(g->learner_new(&l, net, &(nn_train_options){.max_batch = n}));
            cuda_layer_by_layer = false;
            assert_ok(g->learner_step(l, &data->b, 0, NULL));
            assert_ok(cuda_learner_grad(l, grad[way]));
            g->learner_free(l);
        }
        grad_error e = compare_grads(&net->desc, grad[0], grad[1]);
        double more = n > 1000 ? 4 : 1; // random targets' gradients average out, rounding alike does not
        bool good = e.all < 0.03 * more && e.worst < 0.1 * more;
        printf("%-4s fused against layer by layer: n=%d gradient %.2e, worst %.2e (%s)  [%s]\n", good ? "ok" : "BAD", n,
               e.all, e.worst, e.name, text);
        bad += !good;
        free(grad[0]), free(grad[1]);
        data_free(data);
        nn_net_free(net);
    }
    assert_int_equal(bad, 0);
}

// The same batches on either backend: the loss falls alike, through graphs, with decay, clipping and averages.
static void training_like_cpu(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    enum { STEPS = 40, N = 128 };
    nn_net *net = make(trained[1], 1), *end[2];
    nn_data *data[4];
    for (int k = 0; k < 4; k++) data[k] = data_new(&net->desc, N, (uint64_t)k + 1, k % 2 == 1);
    nn_train_options o = {.max_batch = N, .ema = 0.9f, .optim = {.decay = 0.01f, .clip = 1}};
    nn_learner *l[2];
    const nn_backend *b[2] = {&nn_backend_cpu, g};
    nn_step_report r[2], first = {0};
    pool *threads = pool_new(4);
    o.threads = threads;
    for (int k = 0; k < 2; k++) {
        assert_ok(b[k]->learner_new(&l[k], net, &o));
        assert_ok(nn_net_copy(&end[k], net));
        for (int s = 0; s < STEPS; s++) {
            assert_ok(b[k]->learner_step(l[k], &data[s % 4]->b, 0.003f, s % 10 == 9 || s == 0 ? &r[k] : NULL));
            if (s == 0) first = r[k];
        }
        assert_ok(b[k]->learner_weights(l[k], true, end[k]));
    }
    printf("loss from %.4f to %.4f (cpu), %.4f (cuda); averaged weights differ by %.2e\n", first.loss, r[0].loss,
           r[1].loss, relative(net->at.n_train, end[1]->w, end[0]->w));
    assert_true(r[1].loss < 0.97 * first.loss && fabs(r[1].loss - r[0].loss) < 0.03 * r[0].loss);
    assert_int_equal(g->learner_steps(l[1]), STEPS);
    for (int k = 0; k < 2; k++) b[k]->learner_free(l[k]), nn_net_free(end[k]);
    for (int k = 0; k < 4; k++) data_free(data[k]);
    pool_free(threads);
    nn_net_free(net);
}

// A state written by either backend continues on the other; on the GPU itself it continues exactly.
static void states_move(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    nn_net *net = make(trained[1], 1), *a, *b;
    nn_data *data = data_new(&net->desc, 50, 2, false);
    nn_train_options o = {.max_batch = 50, .ema = 0.9f};
    nn_learner *first, *second, *cpu;
    text_buf saved = {0};
    nn_step_report r;
    assert_ok(nn_net_copy(&a, net));
    assert_ok(nn_net_copy(&b, net));
    assert_ok(g->learner_new(&first, net, &o));
    assert_ok(g->learner_new(&second, net, &o));
    assert_ok(nn_backend_cpu.learner_new(&cpu, net, &o));
    for (int s = 0; s < 4; s++) {
        assert_ok(g->learner_step(first, &data->b, 0.01f, NULL));
        if (s == 1) assert_ok(g->learner_state(first, &saved));
    }
    assert_ok(g->learner_restore(second, saved.data, saved.len));
    for (int s = 0; s < 2; s++) assert_ok(g->learner_step(second, &data->b, 0.01f, NULL));
    assert_ok(g->learner_weights(first, false, a));
    assert_ok(g->learner_weights(second, false, b));
    assert_memory_equal(a->w, b->w, net->at.n_all * sizeof(float));
    assert_ok(nn_backend_cpu.learner_restore(cpu, saved.data, saved.len));
    assert_int_equal(nn_backend_cpu.learner_steps(cpu), 2);
    assert_ok(nn_backend_cpu.learner_step(cpu, &data->b, 0.01f, &r));
    assert_err(g->learner_restore(second, "nonsense", 8), "");
    nn_net *se = make(nets[9], 1);
    nn_learner *none;
    assert_err(g->learner_new(&none, se, &o), "squeeze-excitation");
    g->learner_free(first), g->learner_free(second), nn_backend_cpu.learner_free(cpu);
    text_free(&saved);
    data_free(data);
    nn_net_free(net), nn_net_free(a), nn_net_free(b), nn_net_free(se);
}

// The least that goes through every fused kernel.
static void small_outputs(void **state)
{
    (void)state;
    assert_true(compare(gpu(), "planes=3 size=8x8 c=128 b=1 policy=2:65 value=1:16", 5, false));
}

static void small_fp8(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    char why[256];
    g->available(why, sizeof why);
    if (strstr(why, "capability 9.") == NULL) skip_because("this GPU is no Hopper: %s", why);
    assert_true(compare_fp8(g, "planes=3 size=8x8 c=128 b=1 policy=2:65 value=1:16", 5));
}

static void small_step(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    assert_true(compare_step(g, "planes=3 size=8x8 c=128 b=1 policy=2:65 value=1:16", 6, true, false));
    assert_true(compare_step(g, "planes=3 size=8x8 c=64 b=1 policy=2:65 value=1:16", 6, true, false));
}

static void small_distribution(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    static const char *const text[] = {"planes=10 scalars=9 size=13x6 c=64 b=1 duel=4:40:24:16",
                                       "planes=28 scalars=9 size=13x6 mlp=96,64 duel=0:32:24:51"};
    for (int k = 0; k < 2; k++) {
        assert_true(compare(g, text[k], 5, false));
        assert_true(compare_step(g, text[k], 6, false, false));
    }
}

// What the GPU says of its own time: nothing is counted twice, and no more than has passed.
static void usage_counts(void **state)
{
    (void)state;
    const nn_backend *g = gpu();
    nn_usage before, after;
    nn_net *net = make(nets[0], 1);
    enum { N = 512, TIMES = 20 };
    nn_data *data = data_new(&net->desc, N, 5, false);
    float *out[2];
    nn_infer *a, *b;
    nn_learner *l;
    nn_step_report r;
    for (int i = 0; i < 2; i++) out[i] = malloc((size_t)(N * nn_out_size(&net->desc)) * sizeof(float));
    assert_ok(g->infer_new(&a, net, &(nn_infer_options){.max_batch = N}));
    assert_ok(g->infer_fork(&b, a));
    assert_ok(g->learner_new(&l, net, &(nn_train_options){.max_batch = N}));
    for (int k = 0; k < 2; k++) assert_ok(g->learner_step(l, &data->b, 0, &r)); // graphs are made here
    g->usage(&before);
    double start = clock_seconds();
    for (int k = 0; k < TIMES; k++) {
        assert_ok(g->infer_submit(a, N, data->bits, data->scalars, out[0]));
        assert_ok(g->infer_submit(b, N, data->bits, data->scalars, out[1]));
        assert_ok(g->learner_step(l, &data->b, 0, k % 2 == 0 ? NULL : &r));
        assert_ok(g->infer_wait(a));
        assert_ok(g->infer_wait(b));
    }
    double wall = clock_seconds() - start;
    g->usage(&after);
    double infer = after.infer - before.infer, learn = after.learn - before.learn, any = after.any - before.any,
           kernel = after.kernel - before.kernel, transfer = after.transfer - before.transfer;
    printf("%.3f ms passed; inference %.3f, training %.3f, either %.3f; kernels %.3f, copies %.3f\n", 1e3 * wall,
           1e3 * infer, 1e3 * learn, 1e3 * any, 1e3 * kernel, 1e3 * transfer);
    assert_true(infer > 0 && learn > 0 && transfer > 0);
    assert_true(any <= wall && infer <= any * 1.0001 && learn <= any * 1.0001 && any <= infer + learn + 1e-5);
    assert_true(kernel >= infer * 0.9999 && kernel <= 2 * infer + 1e-5);
    g->infer_free(a), g->infer_free(b), g->learner_free(l);
    data_free(data);
    nn_net_free(net);
    free(out[0]), free(out[1]);
}

#else

static void a_build_without_it_says_so(void **state)
{
    (void)state;
    const nn_backend *b;
    assert_err(nn_backend_find("cuda", &b), "KEIKO_CUDA");
}

#endif

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
#if !defined(KEIKO_CUDA)
        cmocka_unit_test(a_build_without_it_says_so),
#else
        cmocka_unit_test(outputs_like_cpu),
        cmocka_unit_test(e4m3_is_nearest),
        cmocka_unit_test(fp8_like_cpu),
        cmocka_unit_test(forks_and_updates),
        cmocka_unit_test(networks_beside_each_other),
        cmocka_unit_test(gradients_like_cpu),
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(training_like_cpu),
        cmocka_unit_test(states_move),
        cmocka_unit_test(small_outputs),
        cmocka_unit_test(small_fp8),
        cmocka_unit_test(small_step),
        cmocka_unit_test(small_distribution),
        cmocka_unit_test(usage_counts),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
