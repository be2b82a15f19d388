// Targets of actions that were not taken: the loss and its gradient against finite differences, and without them as before.
#include "nn/loss.h"
#include "test.h"

#include <math.h>

enum { N = 5, ACTIONS = 4 };

static nn_desc desc;
static float goal[N], rest[N * ACTIONS], weight[N], td[N];
static uint8_t mask[N * ACTIONS];
static int32_t action[N];

static nn_batch batch_of(bool with_rest)
{
    nn_batch b = {.n = N, .weight = weight, .huber = 0.5f, .td = td, .rest_scale = 0.7f};
    b.head[0] = (nn_target){.value = goal, .action = action};
    if (with_rest) b.rest = rest, b.rest_mask = mask;
    return b;
}

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        goal[i] = 0.3f * (float)i - 0.4f;
        action[i] = i % ACTIONS;
        weight[i] = 1.0f / (float)(i + 1);
        for (int k = 0; k < ACTIONS; k++) {
            rest[i * ACTIONS + k] = 0.2f * (float)(i - k);
            mask[i * ACTIONS + k] = k != action[i] && (i + k) % 3 != 0;
        }
    }
    return nn_desc_parse("planes=1 size=2x2 mlp=4 duel=0:4:4", &desc) == ERR_OK ? 0 : 1;
}

static void gradient(void **state)
{
    (void)state;
    nn_batch b = batch_of(true);
    for (int i = 0; i < N; i++) {
        double out[ACTIONS] = {0.9, -0.6, 0.1, 0.35}, d[ACTIONS], other[ACTIONS], by[NN_MAX_HEADS], h = 1e-6;
        nn_loss_at(&desc, &b, i, out, d, by);
        assert_true(fabs((double)td[i] - ((double)goal[i] - out[action[i]])) < 1e-6); // still of the action taken
        for (int k = 0; k < ACTIONS; k++) {
            double keep = out[k];
            out[k] = keep + h;
            double up = nn_loss_at(&desc, &b, i, out, other, by);
            out[k] = keep - h;
            double down = nn_loss_at(&desc, &b, i, out, other, by);
            out[k] = keep;
            assert_true(fabs((up - down) / (2 * h) - d[k]) < 1e-6);
            if (k != action[i] && !mask[i * ACTIONS + k]) assert_true(d[k] == 0);
        }
    }
}

static void by_hand(void **state)
{
    (void)state;
    nn_batch plain = batch_of(false), b = batch_of(true);
    double out[ACTIONS] = {0.9, -0.6, 0.1, 0.35}, d[ACTIONS], by[NN_MAX_HEADS], want = 0;
    int known = 0, i = 2;
    for (int k = 0; k < ACTIONS; k++) {
        if (!mask[i * ACTIONS + k]) continue;
        double off = fabs(out[k] - (double)rest[i * ACTIONS + k]);
        want += off <= 0.5 ? 0.5 * off * off : 0.5 * (off - 0.25);
        known++;
    }
    assert_true(known > 1);
    double extra = nn_loss_at(&desc, &b, i, out, d, by) - nn_loss_at(&desc, &plain, i, out, d, by);
    assert_true(fabs(extra - (double)weight[i] * (double)0.7f * want / known) < 1e-9);
}

static void refused(void **state)
{
    (void)state;
    nn_batch b = batch_of(true);
    uint64_t bits[N] = {0};
    b.bits = bits;
    assert_ok(nn_batch_check(&desc, &b));
    b.rest_mask = NULL;
    assert_err(nn_batch_check(&desc, &b), "go together");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(gradient, setup),
        cmocka_unit_test_setup(by_hand, setup),
        cmocka_unit_test_setup(refused, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
