// labels: threads
// The backend seam: the CPU's table gives what infer.h and train.h give, handles share weights, states move between learners.
#include "nn/backend.h"
#include "nn/infer.h"
#include "nn/nn_data.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static const char text[] = "planes=3 scalars=1 size=5x5 c=20 b=2 se=6 policy=2:25 value=1:8 duel=1:6:4";
enum { N = 37 };

static nn_net *make(uint64_t seed)
{
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse(text, &d));
    assert_ok(nn_net_new(&net, &d, seed));
    return net;
}

static float *plain(const nn_net *net, const nn_data *data)
{
    nn_plan *p;
    nn_scratch *s;
    float *out = calloc((size_t)(N * nn_out_size(&net->desc)), sizeof *out);
    assert_ok(nn_plan_new(&p, net, NULL));
    assert_ok(nn_scratch_new(&s, p));
    nn_run(p, s, N, data->bits, data->scalars, out);
    nn_scratch_free(s);
    nn_plan_free(p);
    return out;
}

static void found_by_name(void **state)
{
    (void)state;
    const nn_backend *b = NULL;
    char why[256];
    assert_ok(nn_backend_find("cpu", &b));
    assert_ptr_equal(b, &nn_backend_cpu);
    assert_ok(nn_backend_find("auto", &b));
    assert_true(b->available(why, sizeof why) && why[0] != 0);
    assert_ptr_equal(nn_backend_at(nn_backend_count() - 1), &nn_backend_cpu);
    assert_err(nn_backend_find("tpu", &b), "no backend 'tpu'");
#if !defined(KEIKO_CUDA)
    assert_err(nn_backend_find("cuda", &b), "KEIKO_CUDA");
#endif
}

static void runs_like_the_plan(void **state)
{
    (void)state;
    const nn_backend *b = &nn_backend_cpu;
    nn_net *net = make(1), *next = make(2), *other;
    nn_data *data = data_new(&net->desc, N, 3, false);
    float *want[2] = {plain(net, data), plain(next, data)};
    size_t size = (size_t)(N * nn_out_size(&net->desc)) * sizeof(float);
    float *out = malloc(size);
    pool *threads = pool_new(2);
    nn_infer *h, *fork;
    assert_ok(b->infer_new(&h, net, &(nn_infer_options){.max_batch = N, .threads = threads}));
    assert_ok(b->infer_fork(&fork, h));
    assert_true(strlen(b->infer_text(h)) > 0);
    for (int round = 0; round < 2; round++) {
        memset(out, 0, size);
        assert_ok(b->infer_run(h, N, data->bits, data->scalars, out));
        assert_memory_equal(out, want[round], size);
        memset(out, 0, size);
        assert_ok(b->infer_submit(fork, N, data->bits, data->scalars, out));
        assert_ok(b->infer_wait(fork));
        assert_memory_equal(out, want[round], size);
        if (round == 0) assert_ok(nn_infer_update(b, h, next, NULL));
    }
    assert_err(b->infer_run(h, N + 1, data->bits, data->scalars, out), "made ready for 37");
    nn_desc d;
    assert_ok(nn_desc_parse("test-tiny", &d));
    assert_ok(nn_net_new(&other, &d, 1));
    assert_err(nn_infer_update(b, h, other, NULL), "same network");
    b->infer_free(h); // the fork lives on
    assert_ok(b->infer_run(fork, N, data->bits, data->scalars, out));
    assert_memory_equal(out, want[1], size);
    b->infer_free(fork);
    pool_free(threads);
    data_free(data);
    free(out), free(want[0]), free(want[1]);
    nn_net_free(net), nn_net_free(next), nn_net_free(other);
}

// Probabilities of listed moves against softmax written out in double; the other heads' outputs as they are.
static void moves_of_a_batch(void **state)
{
    (void)state;
    const nn_backend *b = &nn_backend_cpu;
    nn_net *net = make(1);
    const nn_desc *d = &net->desc;
    nn_data *data = data_new(d, N, 3, true);
    float *full = plain(net, data), *prior = calloc(data->start[N], sizeof *prior);
    int rest_size = nn_rest_size(d), os = nn_out_size(d);
    float *rest = calloc((size_t)(N * rest_size), sizeof *rest);
    nn_infer *h;
    assert_int_equal(rest_size, 1 + 4);
    assert_ok(b->infer_new(&h, net, &(nn_infer_options){.max_batch = N}));
    assert_ok(
        b->infer_submit_moves(h, N, data->bits, data->scalars, &(nn_moves){data->start, data->index, prior, rest}));
    assert_ok(b->infer_wait(h));
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (uint32_t m = data->start[i]; m < data->start[i + 1]; m++)
            sum += exp((double)full[i * os + data->index[m]]);
        for (uint32_t m = data->start[i]; m < data->start[i + 1]; m++)
            assert_true(fabs(exp((double)full[i * os + data->index[m]]) / sum - (double)prior[m]) < 1e-6);
        assert_memory_equal(rest + i * rest_size, full + i * os + 25, (size_t)rest_size * sizeof *rest);
    }
    b->infer_free(h);
    free(full), free(prior), free(rest);
    data_free(data);
    nn_net_free(net);
}

static void narrow_numbers(void **state)
{
    (void)state;
    const nn_backend *b = &nn_backend_cpu;
    nn_net *net = make(1);
    nn_data *data = data_new(&net->desc, N, 3, false);
    nn_infer *h;
    float *out = calloc((size_t)(N * nn_out_size(&net->desc)), sizeof *out), *want = plain(net, data);
    nn_sample sample = {N, data->bits, data->scalars};
    assert_ok(b->infer_new(&h, net, &(nn_infer_options){.narrow = &sample}));
    assert_non_null(strstr(b->infer_text(h), "int8"));
    assert_ok(b->infer_run(h, N, data->bits, data->scalars, out));
    double worst = 0;
    for (int i = 0; i < N * nn_out_size(&net->desc); i++) worst = fmax(worst, fabs((double)(out[i] - want[i])));
    assert_true(worst > 0 && worst < 0.2);
    b->infer_free(h);
    data_free(data);
    free(out), free(want);
    nn_net_free(net);
}

typedef struct caller {
    nn_infer *h;
    const nn_data *data;
    const float *want;
    size_t size;
    bool same;
} caller;

static void *call(void *ctx)
{
    caller *c = ctx;
    float *out = malloc(c->size);
    c->same = true;
    for (int i = 0; i < 4; i++) {
        if (nn_backend_cpu.infer_run(c->h, N, c->data->bits, c->data->scalars, out) != ERR_OK) c->same = false;
        if (memcmp(out, c->want, c->size) != 0) c->same = false;
    }
    free(out);
    return NULL;
}

static void handles_run_at_once(void **state)
{
    (void)state;
    enum { CALLERS = 3 };
    const nn_backend *b = &nn_backend_cpu;
    nn_net *net = make(1);
    nn_data *data = data_new(&net->desc, N, 3, false);
    float *want = plain(net, data);
    pthread_t id[CALLERS];
    caller c[CALLERS];
    nn_infer *first;
    assert_ok(b->infer_new(&first, net, NULL));
    for (int i = 0; i < CALLERS; i++) {
        c[i] = (caller){first, data, want, (size_t)(N * nn_out_size(&net->desc)) * sizeof(float), false};
        if (i > 0) assert_ok(b->infer_fork(&c[i].h, first));
        assert_int_equal(pthread_create(&id[i], NULL, call, &c[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(id[i], NULL);
        assert_true(c[i].same);
    }
    for (int i = 0; i < CALLERS; i++) b->infer_free(c[i].h);
    data_free(data);
    free(want);
    nn_net_free(net);
}

// A learner is a trainer on a copy; its state continues exactly in another learner.
static void learns_and_resumes(void **state)
{
    (void)state;
    const nn_backend *b = &nn_backend_cpu;
    nn_net *net = make(1), *mine = make(1), *got = make(9);
    nn_data *data = data_new(&net->desc, N, 3, false);
    nn_train_options o = {.max_batch = N, .ema = 0.5f, .optim = {.decay = 0.01f}};
    nn_trainer *t;
    nn_learner *h, *again;
    text_buf saved = {0};
    size_t size = net->at.n_all * sizeof(float);
    float td[N] = {0};
    data->b.td = td;
    assert_ok(nn_trainer_new(&t, mine, &o));
    assert_ok(b->learner_new(&h, net, &o));
    for (int i = 0; i < 3; i++) {
        nn_step_report r, q;
        assert_ok(nn_train_step(t, &data->b, 0.01f, &q));
        assert_ok(b->learner_step(h, &data->b, 0.01f, &r));
        assert_true(r.loss == q.loss);
        if (i == 1) assert_ok(b->learner_state(h, &saved));
    }
    assert_true(td[0] != 0 && td[N - 1] != 0);
    assert_ok(b->learner_weights(h, false, got));
    assert_memory_equal(got->w, mine->w, size);
    assert_ok(b->learner_weights(h, true, got));
    assert_memory_equal(got->w, nn_trainer_ema(t)->w, size);
    assert_ok(b->learner_new(&again, got, &o));
    assert_ok(b->learner_restore(again, saved.data, saved.len));
    assert_int_equal(b->learner_steps(again), 2);
    assert_ok(b->learner_step(again, &data->b, 0.01f, NULL));
    assert_ok(b->learner_weights(again, false, got));
    assert_memory_equal(got->w, mine->w, size);
    assert_err(b->learner_restore(again, "nonsense", 8), "");
    nn_learner *without;
    assert_ok(b->learner_new(&without, net, &(nn_train_options){.max_batch = 1}));
    assert_err(b->learner_weights(without, true, got), "no averaged weights");
    b->learner_free(h), b->learner_free(again), b->learner_free(without);
    nn_trainer_free(t);
    text_free(&saved);
    data_free(data);
    nn_net_free(net), nn_net_free(mine), nn_net_free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_by_name),       cmocka_unit_test(runs_like_the_plan), cmocka_unit_test(narrow_numbers),
        cmocka_unit_test(handles_run_at_once), cmocka_unit_test(learns_and_resumes), cmocka_unit_test(moves_of_a_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
