// The learner on a small world whose values are known: seven rooms, up to three doors each, some of them closed. Value
// iteration gives the exact Q, and the same code that learns Puyo must find it. Also n-step transitions by hand, for matches
// that end and matches that are cut.
#include "learn/dqn.h"
#include "test.h"

#include <math.h>

enum { ROOMS = 7, DOORS = 3, LANES = 16, OUT = -1 };
#define GAMMA 0.9

// Where a door leads and what that is worth. Room 6 has one door; closed doors are -2.
static const int leads[ROOMS][DOORS] = {{1, 2, 0},  {3, -2, 2},  {4, 5, -2},   {0, 6, OUT},
                                        {6, -2, 2}, {OUT, 3, 4}, {OUT, -2, -2}};
static const float worth[ROOMS][DOORS] = {{0, 0.1f, -0.1f}, {0.2f, 0, 0},     {0, -0.3f, 0}, {0.5f, 0, -1},
                                          {0.1f, 0, 0.3f},  {0.4f, 0, -0.2f}, {1, 0, 0}};

typedef struct house {
    int room[LANES];
    uint64_t visits[LANES]; // which room a new walk starts in
    int n;
} house;

static err house_open(void **env, const void *options, int lanes, uint64_t seed)
{
    (void)options, (void)seed;
    house *h = calloc(1, sizeof *h);
    h->n = lanes;
    for (int i = 0; i < lanes; i++) h->room[i] = i % ROOMS;
    *env = h;
    return ERR_OK;
}

static dqn_shape house_shape(const void *env)
{
    (void)env;
    return (dqn_shape){.planes = 1, .rows = 1, .cols = 8, .scalars = 1, .actions = DOORS, .seats = 1};
}

static uint32_t doors_of(int room)
{
    uint32_t mask = 0;
    for (int a = 0; a < DOORS; a++) mask |= (uint32_t)(leads[room][a] != -2) << a;
    return mask;
}

static void house_show(void *env, int from, int to, dqn_view *v)
{
    house *h = env;
    for (int i = from; i < to; i++) {
        v->bits[i] = 1ull << h->room[i];
        v->scalars[i] = 1;
        v->mask[i] = doors_of(h->room[i]);
        v->seat[i] = 0;
    }
}

static void house_step(void *env, int from, int to, const uint8_t *action, dqn_view *v)
{
    house *h = env;
    for (int i = from; i < to; i++) {
        int next = leads[h->room[i]][action[i]];
        v->reward[i] = v->last[i][0] = worth[h->room[i]][action[i]];
        v->end[i] = next == OUT ? DQN_OVER : DQN_GOES_ON;
        h->room[i] = next == OUT ? (int)(++h->visits[i] % ROOMS) : next;
    }
    house_show(env, from, to, v);
}

static const dqn_env_type house_env = {
    .name = "house", .open = house_open, .close = free, .shape = house_shape, .show = house_show, .step = house_step};

static void exact(double q[ROOMS][DOORS])
{
    memset(q, 0, sizeof(double) * ROOMS * DOORS);
    for (int k = 0; k < 500; k++)
        for (int s = 0; s < ROOMS; s++)
            for (int a = 0; a < DOORS; a++) {
                int next = leads[s][a];
                double best = -INFINITY;
                for (int b = 0; next >= 0 && b < DOORS; b++)
                    if (leads[next][b] != -2 && q[next][b] > best) best = q[next][b];
                if (next != -2) q[s][a] = (double)worth[s][a] + (next >= 0 ? GAMMA * best : 0);
            }
}

static void walk(dqn *d, void *env, dqn_view *v, int steps, uint64_t seed)
{
    static bool begun[LANES];
    memset(begun, 0, sizeof begun);
    for (int t = 0; t < steps; t++) {
        uint8_t action[LANES];
        for (int i = 0; i < LANES; i++) {
            rng r = rng_at(seed, (uint64_t)i, (uint32_t)t);
            do action[i] = (uint8_t)rng_below(&r, DOORS);
            while ((v->mask[i] >> action[i] & 1) == 0);
            dqn_decide(d, i, begun[i] ? v->reward[i] : 0, &v->bits[i], &v->scalars[i], v->mask[i], action[i], NULL, 0);
            begun[i] = true;
        }
        house_env.step(env, 0, LANES, action, v);
        for (int i = 0; i < LANES; i++)
            if (v->end[i] != DQN_GOES_ON) {
                dqn_end(d, i, v->last[i][0], v->end[i]);
                begun[i] = false;
            }
    }
}

static void solve(bool prioritized, bool single)
{
    void *env = NULL;
    dqn_view v;
    dqn *d = NULL;
    nn_desc desc;
    nn_net *net = NULL;
    assert_ok(house_env.open(&env, NULL, LANES, 1));
    dqn_shape s = house_env.shape(env);
    assert_ok(dqn_view_new(&v, &s, LANES));
    house_env.show(env, 0, LANES, &v);
    assert_ok(nn_desc_parse("planes=1 scalars=1 size=1x8 mlp=32 duel=0:32:3", &desc));
    assert_ok(nn_net_new(&net, &desc, 5));
    dqn_options o = dqn_defaults();
    o.gamma = GAMMA;
    o.n_step = 1; // with more, the value would be that of wandering first
    o.batch = 64;
    o.lr = (nn_lr){.kind = NN_LR_COSINE, .base = 3e-3f, .floor = 1e-5f, .total = 2500};
    o.target_every = 40;
    o.memory = 2000;
    o.prioritized = prioritized;
    o.single = single;
    o.beta_updates = 2500;
    o.seed = 3;
    assert_ok(dqn_new(&d, &o, net, &house_env, env, &s, LANES));
    walk(d, env, &v, 120, 9);
    for (int k = 0; k < 2500; k++) assert_ok(dqn_update(d, NULL));
    double want[ROOMS][DOORS], worst = 0;
    exact(want);
    for (int room = 0; room < ROOMS; room++) {
        uint64_t bits = 1ull << room;
        float one = 1, q[DOORS];
        assert_ok(dqn_values(d, 1, &bits, &one, q));
        for (int a = 0; a < DOORS; a++) {
            if (leads[room][a] == -2) continue;
            double off = fabs((double)q[a] - want[room][a]);
            if (off > worst) worst = off;
        }
        int best = 0;
        for (int a = 1; a < DOORS; a++)
            if (leads[room][a] != -2 && want[room][a] > want[room][best]) best = a;
        assert_int_equal(dqn_best(q, doors_of(room)), best);
    }
    if (worst > 0.01) fail_msg("a value is off by %.4f", worst);
    dqn_free(d);
    nn_net_free(net);
    dqn_view_free(&v);
    house_env.close(env);
}

static void test_prioritized(void **state)
{
    (void)state;
    solve(true, false);
}

static void test_uniform(void **state)
{
    (void)state;
    solve(false, false);
}

static void test_single(void **state)
{
    (void)state;
    solve(true, true);
}

// --- n steps

static per *steps(int n, int decisions, int how)
{
    dqn_shape s = {.planes = 1, .rows = 1, .cols = 8, .scalars = 1, .actions = 4, .seats = 1};
    nstep *q = NULL;
    per *r = NULL;
    assert_ok(nstep_new(&q, &s, 2, n, 0.5));
    assert_ok(per_new(&r, &(per_options){s, 64, false, 0}));
    for (int t = 0; t < decisions; t++) { // lane 0 must not see lane 1's
        uint64_t bits = (uint64_t)t, other = 77;
        float one = (float)t, two = 77;
        nstep_decide(q, 0, t == 0 ? 1000 : (float)(1 << t), &bits, &one, 1u + (uint32_t)t, t % 4, NULL, 0, r);
        if (t == 0) nstep_decide(q, 1, 0, &other, &two, 1, 0, NULL, 0, r);
    }
    nstep_end(q, 0, (float)(1 << decisions), how, r);
    nstep_free(q);
    return r;
}

static void check(const per *r, uint32_t slot, uint64_t from, uint64_t to, double reward, double discount)
{
    transition t = per_get(r, slot);
    assert_int_equal(*t.bits, from);
    assert_int_equal(t.action, from % 4);
    assert_true(fabs((double)t.reward - reward) < 1e-6);
    assert_true(fabs((double)t.discount - discount) < 1e-6);
    if (discount == 0) return;
    assert_int_equal(*t.next_bits, to);
    assert_true(*t.next_scalars == (float)to);
    assert_int_equal(t.next_mask, 1 + to);
}

// Rewards 2, 4, 8, 16, 32 after decisions 0 … 4.
static void test_three_steps(void **state)
{
    (void)state;
    per *r = steps(3, 5, DQN_OVER);
    assert_int_equal(per_count(r), 5); // the last two steps as well
    check(r, 0, 0, 3, 2 + 2 + 2, 0.125);
    check(r, 1, 1, 4, 4 + 4 + 4, 0.125);
    check(r, 2, 2, 0, 8 + 8 + 8, 0);
    check(r, 3, 3, 0, 16 + 16, 0);
    check(r, 4, 4, 0, 32, 0);
    per_free(r);
}

static void test_cut(void **state)
{
    (void)state;
    per *r = steps(3, 5, DQN_CUT);
    assert_int_equal(per_count(r), 4); // nobody saw what the last decision led to
    check(r, 0, 0, 3, 6, 0.125);
    check(r, 1, 1, 4, 12, 0.125);
    check(r, 2, 2, 4, 8 + 8, 0.25);
    check(r, 3, 3, 4, 16, 0.5);
    per_free(r);
    r = steps(3, 1, DQN_CUT);
    assert_int_equal(per_count(r), 0);
    per_free(r);
}

static void test_short(void **state)
{
    (void)state;
    per *r = steps(3, 2, DQN_OVER);
    assert_int_equal(per_count(r), 2);
    check(r, 0, 0, 0, 2 + 2, 0);
    check(r, 1, 1, 0, 4, 0);
    per_free(r);
    r = steps(1, 2, DQN_OVER);
    check(r, 0, 0, 1, 2, 0.5);
    check(r, 1, 1, 0, 4, 0);
    per_free(r);
}

static void test_best(void **state)
{
    (void)state;
    const float q[4] = {5, 1, 3, 3};
    assert_int_equal(dqn_best(q, 15), 0);
    assert_int_equal(dqn_best(q, 14), 2); // the first of equals; the best is masked
    assert_int_equal(dqn_best(q, 2), 1);
}

static void test_wrong_net(void **state)
{
    (void)state;
    nn_desc desc;
    nn_net *net = NULL;
    dqn *d = NULL;
    dqn_options o = dqn_defaults();
    dqn_shape s = house_shape(NULL);
    assert_ok(nn_desc_parse("planes=1 scalars=1 size=1x8 mlp=32 duel=0:32:4", &desc));
    assert_ok(nn_net_new(&net, &desc, 5));
    assert_err(dqn_new(&d, &o, net, &house_env, NULL, &s, 1), "does not fit");
    nn_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prioritized), cmocka_unit_test(test_uniform),   cmocka_unit_test(test_single),
        cmocka_unit_test(test_three_steps), cmocka_unit_test(test_cut),       cmocka_unit_test(test_short),
        cmocka_unit_test(test_best),        cmocka_unit_test(test_wrong_net),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
