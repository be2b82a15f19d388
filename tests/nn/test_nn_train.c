// labels: threads
// The training step against the reference, any number of threads against one, and the optimisers against their formulas.
#include "base/pool.h"
#include "nn/nn_data.h"
#include "nn/ref.h"
#include "nn/train.h"
#include "test.h"

#include <math.h>
#include <string.h>

static nn_net *make(const char *text, uint64_t seed)
{
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse(text, &d));
    assert_ok(nn_net_new(&net, &d, seed));
    return net;
}

static const char *const nets[] = {
    "planes=2 size=3x3 c=16 b=1 policy=2:9 value=1:16",
    "planes=3 scalars=1 size=5x5 c=20 b=2 se=6 policy=2:25 policy=1:7 value=1:8 scalar=1:0:3 board=2",
    "planes=2 scalars=3 size=4x3 mlp=20,9 policy=0:12 value=0:8 duel=0:7:5",
    "planes=3 size=8x8 c=24 b=1 duel=2:8:5 board=3 scalar=2:4:4",
    "planes=2 scalars=3 size=4x3 mlp=20,9 duel=0:7:5:19 noisy=1",
    "planes=3 size=8x8 c=24 b=1 duel=2:8:5:3",
    "planes=2 size=7x4 c=8 b=0 policy=17:9",
    "planes=3 size=8x8 c=16 b=1 policy=2:65 value=1:16 board=1 reply=3:65",
    "planes=1 scalars=1 size=1x3 c=8 b=1 value=1:4",
    "planes=2 scalars=2 size=5x3 c=16 b=1 scalar=2:6:1 scalar=1:0:3", // rows that compete
    "planes=2 scalars=2 size=5x3 mlp=12 scalar=0:6:1 scalar=0:0:1",
};
enum { NETS = sizeof nets / sizeof nets[0] };

// Every tensor's gradient: the difference's norm against the tensor's. Winograd and f32 leave a few millionths.
static void gradient_like_reference(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * NETS; k++) {
        nn_net *net = make(nets[k / 2], (uint64_t)k + 1);
        const nn_desc *d = &net->desc;
        int n = k % 2 ? 37 : 6;
        nn_data *data = data_new(d, n, 4, k % 4 == 1);
        float *td = calloc((size_t)n, sizeof *td);
        data->b.td = td;
        nn_trainer *t;
        nn_step_report got;
        assert_ok(nn_trainer_new(&t, net, &(nn_train_options){.max_batch = n}));
        assert_ok(nn_train_gradient(t, &data->b, &got));
        double *w = malloc(net->at.n_all * sizeof *w), *grad = malloc(net->at.n_train * sizeof *grad);
        for (size_t i = 0; i < net->at.n_all; i++) w[i] = (double)net->w[i];
        nn_ref_result want = {.grad = grad};
        assert_ok(nn_ref_step(d, &net->at, w, &data->b, &want));
        assert_true(fabs(want.loss - got.loss) < 1e-5 * (1 + want.loss));
        for (int h = 0; h < d->n_heads; h++)
            assert_true(fabs(want.by_head[h] - got.by_head[h]) < 1e-5 * (1 + want.by_head[h]));
        static nn_param p[2000];
        int count = nn_params(d, p, 2000);
        double all = 0;
        for (size_t i = 0; i < net->at.n_train; i++) all += grad[i] * grad[i];
        for (int q = 0; q < count; q++) {
            double diff = 0, size = 0;
            for (size_t i = p[q].at; i < p[q].at + p[q].size && p[q].train; i++) {
                double e = grad[i] - (double)nn_trainer_grad(t)[i];
                diff += e * e, size += grad[i] * grad[i];
            }
            if (sqrt(diff) > 1e-4 * sqrt(size) + 2e-6 * sqrt(all))
                fail_msg("%s, %d positions: %s differs by %.2e of %.2e", nets[k / 2], n, p[q].name, sqrt(diff),
                         sqrt(size));
        }
        free(w), free(grad), free(td);
        nn_trainer_free(t);
        data_free(data);
        nn_net_free(net);
    }
}

// 1, 2 and 3 threads; weights, statistics, averages after some steps equal to the last bit.
static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        nn_net *first = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            nn_net *net = make(nets[k], 9);
            nn_data *data = data_new(&net->desc, 200, 8, false);
            pool *p = pool_new(threads);
            nn_trainer *t;
            nn_train_options o = {.max_batch = 200, .ema = 0.9f, .threads = p, .optim = {.clip = 1, .decay = 0.01f}};
            assert_ok(nn_trainer_new(&t, net, &o));
            for (int s = 0; s < 2; s++) assert_ok(nn_train_step(t, &data->b, 0.01f, NULL));
            if (first == NULL) assert_ok(nn_net_copy(&first, net));
            assert_memory_equal(first->w, net->w, net->at.n_all * sizeof(float));
            nn_trainer_free(t);
            pool_free(p);
            data_free(data);
            nn_net_free(net);
        }
        nn_net_free(first);
    }
}

static void running_statistics(void **state)
{
    (void)state;
    nn_net *net = make(nets[1], 3), *before;
    nn_data *data = data_new(&net->desc, 12, 1, false);
    nn_trainer *t;
    size_t stats = net->at.n_all - net->at.n_train;
    double *w = malloc(net->at.n_all * sizeof *w), *want = calloc(stats, sizeof *want);
    assert_ok(nn_net_copy(&before, net));
    for (size_t i = 0; i < net->at.n_all; i++) w[i] = (double)net->w[i];
    nn_ref_result r = {.stats = want};
    assert_ok(nn_ref_step(&net->desc, &net->at, w, &data->b, &r));
    assert_ok(nn_trainer_new(&t, net, &(nn_train_options){.max_batch = 12, .bn_momentum = 0.25f}));
    assert_ok(nn_train_step(t, &data->b, 0.01f, NULL));
    for (size_t i = 0; i < stats; i++) {
        double now = 0.75 * w[net->at.n_train + i] + 0.25 * want[i];
        assert_true(fabs(now - (double)net->w[net->at.n_train + i]) < 1e-5 * (1 + fabs(now)));
    }
    free(w), free(want);
    nn_trainer_free(t);
    data_free(data);
    nn_net_free(net), nn_net_free(before);
}

// Three steps of each optimiser on given gradients, against PyTorch's formulas written out in double.
static void optimisers(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        nn_net *net = make("planes=1 size=2x2 mlp=3 value=0:2", 5);
        size_t n = net->at.n_train;
        nn_optim_options o = {.kind = kind < 2   ? NN_ADAMW
                                      : kind < 4 ? NN_ADAM
                                                 : NN_SGD,
                              .decay = kind % 2 ? 0.1f : 0,
                              .decay_all = true,
                              .momentum = kind == 5 ? 0.9f : 0,
                              .clip = kind == 3 ? 0.5f : 0};
        nn_optim *p;
        assert_ok(nn_optim_new(&p, net, &o));
        double *w = malloc(n * sizeof *w), *m = calloc(n, sizeof *m), *v = calloc(n, sizeof *v), lr = 0.02;
        float *g = malloc(n * sizeof *g);
        rng r = rng_at(1, 1, 1);
        for (size_t i = 0; i < n; i++) w[i] = (double)net->w[i];
        for (int step = 1; step <= 3; step++) {
            double norm = 0;
            for (size_t i = 0; i < n; i++) g[i] = (float)rng_normal(&r), norm += (double)g[i] * (double)g[i];
            norm = sqrt(norm);
            double got = nn_optim_step(p, NULL, net->w, g, (float)lr);
            assert_true(fabs(got - norm) < 1e-6 * norm);
            double scale = o.clip > 0 && norm > (double)o.clip ? (double)o.clip / (norm + 1e-6) : 1;
            for (size_t i = 0; i < n; i++) {
                double q = (double)g[i] * scale, decay = (double)o.decay;
                if (o.kind == NN_ADAMW)
                    w[i] *= 1 - lr * decay;
                else
                    q += decay * w[i];
                if (o.kind == NN_SGD) {
                    m[i] = step == 1 ? q : (double)o.momentum * m[i] + q;
                    w[i] -= lr * (o.momentum > 0 ? m[i] : q);
                    continue;
                }
                m[i] = 0.9 * m[i] + 0.1 * q;
                v[i] = 0.999 * v[i] + 0.001 * q * q;
                w[i] -= lr * (m[i] / (1 - pow(0.9, step))) / (sqrt(v[i] / (1 - pow(0.999, step))) + 1e-8);
            }
            for (size_t i = 0; i < n; i++) assert_true(fabs(w[i] - (double)net->w[i]) < 3e-6);
        }
        free(w), free(m), free(v), free(g);
        nn_optim_free(p);
        nn_net_free(net);
    }
}

// Biases and batch-norm are spared by weight decay unless asked for.
static void decay_spares_vectors(void **state)
{
    (void)state;
    nn_net *net = make("test-tiny", 5), *old;
    nn_optim *p;
    float *g = calloc(net->at.n_train, sizeof *g);
    assert_ok(nn_net_copy(&old, net));
    assert_ok(nn_optim_new(&p, net, &(nn_optim_options){.decay = 0.5f}));
    nn_optim_step(p, NULL, net->w, g, 0.1f);
    size_t fc = net->at.head[0].fc[0].w, bias = net->at.head[0].fc[0].b, gamma = net->at.stem.bn.gamma;
    assert_true(fabsf(net->w[fc] - 0.95f * old->w[fc]) < 1e-7f);
    assert_true(net->w[bias] == old->w[bias] && net->w[gamma] == old->w[gamma]);
    free(g);
    nn_optim_free(p);
    nn_net_free(net), nn_net_free(old);
}

static void it_learns(void **state)
{
    (void)state;
    nn_net *net = make("planes=3 size=8x8 c=16 b=1 policy=2:65 value=1:16", 2);
    nn_data *data = data_new(&net->desc, 32, 1, false);
    nn_trainer *t;
    nn_step_report first, last;
    assert_ok(nn_trainer_new(&t, net, &(nn_train_options){.max_batch = 32, .ema = 0.5f}));
    assert_ok(nn_train_step(t, &data->b, 0.005f, &first));
    for (int i = 0; i < 150; i++) assert_ok(nn_train_step(t, &data->b, 0.005f, &last));
    printf("value loss from %.3f to %.5f, all from %.3f to %.3f\n", first.by_head[1], last.by_head[1], first.loss,
           last.loss);
    assert_true(last.by_head[1] < 0.05 * first.by_head[1] && last.loss < first.loss);
    assert_int_equal(nn_trainer_steps(t), 151);
    double off = 0;
    for (size_t i = 0; i < net->at.n_train; i++)
        off = fmax(off, fabs((double)net->w[i] - (double)nn_trainer_ema(t)->w[i]));
    assert_true(off > 0 && off < 0.05);
    nn_trainer_free(t);
    data_free(data);
    nn_net_free(net);
}

// Four steps in one go, or two, the state as bytes, and two more on fresh weights: the same.
static void resumes_exactly(void **state)
{
    (void)state;
    text_buf saved = {0};
    nn_net *net[2];
    for (int k = 0; k < 2; k++) {
        net[k] = make(nets[1], 6);
        nn_data *data = data_new(&net[k]->desc, 16, 1, false);
        nn_train_options o = {.max_batch = 16, .ema = 0.9f};
        nn_trainer *t;
        assert_ok(nn_trainer_new(&t, net[k], &o));
        for (int s = 0; s < 4; s++) {
            if (k == 1 && s == 2) {
                assert_ok(nn_trainer_state(t, &saved));
                nn_trainer_free(t);
                nn_net_free(net[k]);
                net[k] = make(nets[1], 66);
                assert_ok(nn_trainer_new(&t, net[k], &o));
                assert_ok(nn_trainer_restore(t, saved.data, saved.len));
                assert_int_equal(nn_trainer_steps(t), 2);
            }
            assert_ok(nn_train_step(t, &data->b, 0.01f, NULL));
        }
        nn_trainer_free(t);
        data_free(data);
    }
    assert_memory_equal(net[0]->w, net[1]->w, net[0]->at.n_all * sizeof(float));
    nn_net *other = make("test-tiny", 1);
    nn_trainer *t;
    assert_ok(nn_trainer_new(&t, other, &(nn_train_options){.max_batch = 1}));
    assert_err(nn_trainer_restore(t, saved.data, saved.len), "another network");
    nn_trainer_free(t);
    assert_ok(nn_trainer_new(&t, net[0], &(nn_train_options){.max_batch = 1, .optim = {.kind = NN_SGD}}));
    assert_err(nn_trainer_restore(t, saved.data, saved.len), "sgd is asked for");
    nn_trainer_free(t);
    assert_ok(nn_trainer_new(&t, net[0], &(nn_train_options){.max_batch = 1}));
    for (size_t cut = 0; cut < saved.len; cut += saved.len / 7)
        assert_true(nn_trainer_restore(t, saved.data, cut) != ERR_OK);
    float bad = INFINITY;
    memcpy(saved.data + saved.len - 4, &bad, 4); // the last average: not asked for by this trainer, so not looked at
    assert_ok(nn_trainer_restore(t, saved.data, saved.len));
    nn_trainer_free(t);
    assert_ok(nn_trainer_new(&t, net[0], &(nn_train_options){.max_batch = 1, .ema = 0.9f}));
    assert_err(nn_trainer_restore(t, saved.data, saved.len), "'ema' holds a number that is not finite");
    nn_trainer_free(t);
    text_free(&saved);
    nn_net_free(net[0]), nn_net_free(net[1]), nn_net_free(other);
}

static void learning_rates(void **state)
{
    (void)state;
    nn_lr s;
    char text[128];
    static const char *const good[] = {"0.001", "cosine:0.002:1000:0.0001", "step:0.01:500:0.3,warmup=20"};
    for (int i = 0; i < 3; i++) {
        assert_ok(nn_lr_parse(good[i], &s));
        nn_lr again;
        nn_lr_print(&s, text, sizeof text);
        assert_ok(nn_lr_parse(text, &again));
        assert_true(again.kind == s.kind && again.base == s.base && again.total == s.total && again.warmup == s.warmup);
    }
    assert_true(fabs((double)nn_lr_at(&s, 0) - 0.01 / 20) < 1e-9 && fabs((double)nn_lr_at(&s, 19) - 0.01) < 1e-9);
    assert_true(fabs((double)nn_lr_at(&s, 519) - 0.01) < 1e-9 && fabs((double)nn_lr_at(&s, 520) - 0.003) < 1e-9);
    assert_ok(nn_lr_parse("cosine:1:100", &s));
    assert_true(fabs((double)nn_lr_at(&s, 50) - 0.5) < 1e-6 && nn_lr_at(&s, 1000) == 0);
    assert_err(nn_lr_parse("cosine:1", &s), "number of steps");
    assert_err(nn_lr_parse("fast", &s), "expected a number");
    assert_err(nn_lr_parse("0.1,warm", &s), "warmup");
    assert_err(nn_lr_parse("-1", &s), "0 or more");
}

static void bad_batches(void **state)
{
    (void)state;
    nn_net *net = make("test-tiny", 1);
    nn_data *data = data_new(&net->desc, 8, 1, false);
    nn_trainer *t;
    assert_err(nn_trainer_new(&t, net, &(nn_train_options){0}), "batches of 0");
    assert_ok(nn_trainer_new(&t, net, &(nn_train_options){.max_batch = 4}));
    assert_err(nn_train_step(t, &data->b, 0.1f, NULL), "takes 4");
    nn_trainer_free(t);
    data_free(data);
    nn_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_like_reference),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(running_statistics),
        cmocka_unit_test(optimisers),
        cmocka_unit_test(decay_spares_vectors),
        cmocka_unit_test(it_learns),
        cmocka_unit_test(resumes_exactly),
        cmocka_unit_test(learning_rates),
        cmocka_unit_test(bad_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
