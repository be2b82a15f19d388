// The reference network against finite differences: if these gradients are right, they can judge all others.
#include "nn/nn_data.h"
#include "nn/ref.h"
#include "test.h"

#include <math.h>

static double loss_at(const nn_desc *d, const nn_layout *at, const double *w, const nn_batch *b)
{
    nn_ref_result r = {0};
    assert_ok(nn_ref_step(d, at, w, b, &r));
    return r.loss;
}

// A few weights of every tensor, moved by h both ways. h is small because a ReLU that flips in between spoils the quotient.
static void check_kind(const char *text, int n, bool moves, nn_dist_kind dist)
{
    nn_desc d;
    nn_net *net;
    static nn_param p[2000];
    assert_ok(nn_desc_parse(text, &d));
    assert_ok(nn_net_new(&net, &d, 7));
    nn_data *data = data_new(&d, n, 3, moves);
    if (dist != NN_DIST_NONE) data_dist(data, &d, dist, 5);
    double *w = malloc(net->at.n_all * sizeof *w), *grad = malloc(net->at.n_train * sizeof *grad), h = 1e-6;
    rng r = rng_at(11, 0, 0);
    for (size_t i = 0; i < net->at.n_all; i++) w[i] = (double)net->w[i];
    nn_ref_result res = {.grad = grad};
    assert_ok(nn_ref_step(&d, &net->at, w, &data->b, &res));
    int count = nn_params(&d, p, 2000);
    for (int k = 0; k < count; k++) {
        if (!p[k].train) continue;
        for (int j = 0; j < 4; j++) {
            size_t i = p[k].at + rng_below(&r, (uint32_t)p[k].size);
            double keep = w[i], up, down;
            w[i] = keep + h;
            up = loss_at(&d, &net->at, w, &data->b);
            w[i] = keep - h;
            down = loss_at(&d, &net->at, w, &data->b);
            w[i] = keep;
            double quotient = (up - down) / (2 * h);
            if (fabs(quotient - grad[i]) > 1e-6 + 1e-4 * fabs(quotient))
                fail_msg("%s: %s[%zu]: gradient %.9g, differences %.9g", text, p[k].name, i - p[k].at, grad[i],
                         quotient);
        }
    }
    free(w), free(grad);
    data_free(data);
    nn_net_free(net);
}

static void check_gradients(const char *text, int n, bool moves)
{
    check_kind(text, n, moves, NN_DIST_NONE);
}

static void tower(void **state)
{
    (void)state;
    check_gradients("planes=2 size=4x3 c=5 b=2 policy=2:9 value=1:6", 3, false);
    check_gradients("planes=1 size=2x5 c=3 b=0 policy=2:4", 2, false);
}

static void squeeze_and_all_heads(void **state)
{
    (void)state;
    check_gradients(
        "planes=2 scalars=1 size=3x4 c=6 b=2 se=3 policy=2:9 policy=1:4 value=1:5 scalar=1:0:2 scalar=2:4:3 "
        "board=2 duel=1:4:6",
        3, false);
}

static void rows_that_compete(void **state)
{
    (void)state;
    check_gradients("planes=2 scalars=1 size=3x4 c=6 b=1 scalar=2:4:1 scalar=1:0:2", 9, false);
    check_gradients("planes=2 size=3x3 mlp=7 scalar=0:5:1 scalar=0:0:1", 11, false);
}

// By hand: two rows with numbers 0 and log 3 have probabilities 1/4 and 3/4.
static void groups_by_hand(void **state)
{
    (void)state;
    nn_desc d;
    const uint32_t group[] = {0, 2, 0, 2, 2, 3}, outside[] = {0, 2, 0, 4, 2, 3}, other[] = {1, 2, 0, 2, 2, 3};
    const double x[] = {0, log(3), 5};
    const float want[] = {1, 0, 1};
    double log_p[3], dout[1], by_head[NN_MAX_HEADS];
    nn_group_log_p(3, group, x, log_p);
    assert_true(fabs(log_p[0] - log(0.25)) < 1e-12 && fabs(log_p[1] - log(0.75)) < 1e-12 && fabs(log_p[2]) < 1e-12);
    assert_ok(nn_desc_parse("planes=1 size=3x3 mlp=4 scalar=0:0:1", &d));
    uint64_t bits[3] = {0};
    nn_batch b = {.n = 3, .bits = bits, .head = {{.value = want, .group = group, .log_p = log_p}}};
    assert_ok(nn_batch_check(&d, &b));
    assert_true(nn_has_groups(&d, &b));
    assert_true(fabs(nn_loss_at(&d, &b, 0, &x[0], dout, by_head) - log(4)) < 1e-12 && fabs(dout[0] + 0.75) < 1e-12);
    assert_true(fabs(nn_loss_at(&d, &b, 1, &x[1], dout, by_head)) < 1e-12 && fabs(dout[0] - 0.75) < 1e-12);
    b.head[0].group = outside;
    assert_err(nn_batch_check(&d, &b), "row 1 is not in its own group, or the group is not in the batch");
    b.head[0].group = other;
    assert_err(nn_batch_check(&d, &b), "row 0 is not in its own group");
    assert_ok(nn_desc_parse("planes=1 size=3x3 mlp=4 scalar=0:0:2", &d));
    b.head[0].group = group;
    assert_err(nn_batch_check(&d, &b), "only a scalar head of one number");
}

static void summed_logits(void **state)
{
    (void)state;
    check_gradients("planes=2 size=3x3 c=4 b=1 policy=2:9 policy=1:4 value=1:5", 4, true);
}

static void mlp(void **state)
{
    (void)state;
    check_gradients("planes=2 scalars=3 size=4x3 mlp=9,7 policy=0:12 value=0:8 duel=0:8:5 scalar=0:0:2", 4, false);
}

static void distributions(void **state)
{
    (void)state;
    for (nn_dist_kind k = NN_DIST_C51; k <= NN_DIST_QR; k++) {
        check_kind("planes=2 scalars=3 size=4x3 mlp=9,7 duel=0:8:5:6", 4, false, k);
        check_kind("planes=2 size=3x4 c=6 b=1 duel=2:4:6:3", 3, false, k);
    }
}

// The widths' gradients too: without noise they must be 0, with it the differences say.
static void noise(void **state)
{
    (void)state;
    check_gradients("planes=2 scalars=3 size=4x3 mlp=9,7 policy=0:12 duel=0:8:5 noisy=1", 4, false);
    check_kind("planes=2 size=3x4 c=6 b=1 duel=2:4:6:3 noisy=1", 3, false, NN_DIST_QR);
    check_kind("planes=2 scalars=1 size=3x4 mlp=5 duel=0:4:6:3 noisy=1", 3, false, NN_DIST_C51);
}

// A 1x1 board, one channel, identity-like weights: the numbers can be done on paper.
static void by_hand(void **state)
{
    (void)state;
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse("planes=0 scalars=1 size=1x1 c=1 b=0 scalar=1:0:1", &d));
    assert_ok(nn_net_new(&net, &d, 1));
    for (size_t i = 0; i < net->at.n_all; i++) net->w[i] = 0;
    net->w[net->at.stem.w + 4] = 2; // centre tap
    net->w[net->at.stem.bn.gamma] = 3;
    net->w[net->at.stem.bn.beta] = 1;
    net->w[net->at.stem.bn.mean] = 4;
    net->w[net->at.stem.bn.var] = 4 - NN_BN_EPS; // (2*3 - 4) / 2 * 3 + 1 = 4
    const nn_conv_at *c = &net->at.head[0].conv;
    net->w[c->w] = 1;
    net->w[c->bn.gamma] = 1;
    net->w[c->bn.var] = 1 - NN_BN_EPS;
    net->w[net->at.head[0].fc[0].w] = -0.5f;
    net->w[net->at.head[0].fc[0].b] = 10; // 10 - 4/2 = 8
    float x = 3;
    double y;
    assert_ok(nn_ref_forward(net, 1, NULL, &x, &y));
    assert_true(fabs(y - 8) < 1e-6);
    nn_net_free(net);
}

static void batches_are_checked(void **state)
{
    (void)state;
    nn_desc d;
    assert_ok(nn_desc_parse("test-mlp", &d));
    nn_data *a = data_new(&d, 3, 1, true);
    assert_ok(nn_batch_check(&d, &a->b));
    a->action[2][1] = 5;
    assert_err(nn_batch_check(&d, &a->b), "action 5 of 5");
    a->action[2][1] = 0;
    a->index[2] = 12;
    assert_err(nn_batch_check(&d, &a->b), "outside the policy");
    data_free(a);
}

// A softmax does not change when all its logits grow by the same number, however large.
static void large_logits(void **state)
{
    (void)state;
    static const char *const texts[] = {"planes=2 size=3x3 c=4 b=1 policy=2:9 policy=1:4 value=1:5",
                                        "planes=1 size=3x3 mlp=6 policy=0:7 reply=0:7"};
    for (int k = 0; k < 4; k++) {
        nn_desc d;
        enum { N = 6 };
        assert_ok(nn_desc_parse(texts[k / 2], &d));
        nn_data *a = data_new(&d, N, 7, k % 2 == 0);
        int os = nn_out_size(&d);
        double *out = calloc((size_t)os, sizeof *out), *far = calloc((size_t)os, sizeof *far),
               *d1 = calloc((size_t)os, sizeof *d1), *d2 = calloc((size_t)os, sizeof *d2), by1[NN_MAX_HEADS],
               by2[NN_MAX_HEADS];
        rng r = rng_at(4, (uint32_t)k, 0);
        for (int i = 0; i < N; i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                for (int h = 0; h < d.n_heads; h++)
                    for (int j = 0; j < nn_head_size(&d, h); j++) {
                        int at = nn_head_at(&d, h) + j;
                        bool logit = d.head[h].kind == NN_POLICY || d.head[h].kind == NN_REPLY;
                        out[at] = 4 * rng_unit(&r) - 2;
                        far[at] = out[at] + (logit ? sign * 1000.0 : 0);
                    }
                double x = nn_loss_at(&d, &a->b, i, out, d1, by1), y = nn_loss_at(&d, &a->b, i, far, d2, by2);
                assert_true(isfinite(x) && fabs(x - y) < 1e-9);
                for (int j = 0; j < os; j++) assert_true(fabs(d1[j] - d2[j]) < 1e-9);
                for (int h = 0; h < d.n_heads; h++) assert_true(fabs(by1[h] - by2[h]) < 1e-9);
            }
        free(out), free(far), free(d1), free(d2);
        data_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tower),
        cmocka_unit_test(squeeze_and_all_heads),
        cmocka_unit_test(summed_logits),
        cmocka_unit_test(rows_that_compete),
        cmocka_unit_test(groups_by_hand),
        cmocka_unit_test(mlp),
        cmocka_unit_test(distributions),
        cmocka_unit_test(noise),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(large_logits),
        cmocka_unit_test(batches_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
