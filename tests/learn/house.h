// A small world whose values are known: seven rooms, up to three doors each, some of them closed. Value iteration gives the
// exact Q, and the same code that learns Puyo must find it, whatever kind of learner it is.
#ifndef KEIKO_TESTS_LEARN_HOUSE_H
#define KEIKO_TESTS_LEARN_HOUSE_H

#include "learn/dqn/dqn.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

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

// The learner of the seed, with changes. The texts live in `keep`.
static void house_config(dqn_config *c, const char *more, opt_values *keep)
{
    memset(c, 0, sizeof *c);
    assert_ok(opt_defaults(dqn_opts, dqn_n_opts, c));
    assert_ok(opt_pairs(dqn_opts, dqn_n_opts, c,
                        "batch=32,lr=0.0001,target-update-frequency=2000,refresh=1,buffer=100000,beta-updates=100000,"
                        "reward-scale=1",
                        "seed", keep));
    assert_ok(opt_pairs(dqn_opts, dqn_n_opts, c, more, "more", keep));
}

static const dqn_machine house_machine = {.backend = &nn_backend_cpu, .max_infer = 256};

// What differs between the learners that must find the exact Q.
typedef struct kind {
    const char *net; // head and trunk behind the inputs
    bool uniform, single;
    const char *dist; // NULL = none
    double support;
    float huber, lr; // 0 = 1, 0.003
    double bound;    // of the errors; 0 = 0.01
} kind;

static void solve(kind x)
{
    char text[NN_TEXT];
    void *env = NULL;
    dqn_view v;
    dqn *d = NULL;
    nn_desc desc;
    nn_net *net = NULL;
    assert_ok(house_env.open(&env, NULL, LANES, 1));
    dqn_shape s = house_env.shape(env);
    assert_ok(dqn_view_new(&v, &s, LANES));
    house_env.show(env, 0, LANES, &v);
    snprintf(text, sizeof text, "planes=1 scalars=1 size=1x8 %s", x.net);
    assert_ok(nn_desc_parse(text, &desc));
    assert_ok(nn_net_new(&net, &desc, 5));
    dqn_config c;
    opt_values *keep = opt_keep();
    // with more than one step, the value would be that of wandering first
    snprintf(text, sizeof text,
             "gamma=%.17g,n-step=1,batch=32,lr=cosine:%g:2500:0.00001,target-update-frequency=40,buffer=2000,replay=%s,"
             "single=%s,distribution=%s,support=%g,huber=%g,beta-updates=2500,seed=3",
             GAMMA, x.lr > 0 ? (double)x.lr : 3e-3, x.uniform ? "uniform" : "prioritized", x.single ? "yes" : "no",
             x.dist != NULL ? x.dist : "none", x.support > 0 ? x.support : 1, x.huber > 0 ? (double)x.huber : 1.0);
    house_config(&c, text, keep);
    assert_ok(dqn_new(&d, &c, &house_machine, net, &house_env, env, &s, LANES));
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
    if (worst > (x.bound > 0 ? x.bound : 0.01)) fail_msg("%s: a value is off by %.4f", x.net, worst);
    dqn_free(d);
    nn_net_free(net);
    opt_free(keep);
    dqn_view_free(&v);
    house_env.close(env);
}

#endif
