// See dqn_actors.h.
#include "learn/dqn/dqn_actors.h"

#include "base/memory.h"
#include "base/stop.h"
#include "learn/dqn/dqn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_ACT = 0xac7, STEP_RANGE = 32 };

err actors_new(dqn_actors *h, const dqn_env_type *type, const void *options, int lanes, uint64_t seed, pool *threads)
{
    size_t n = (size_t)lanes;
    *h = (dqn_actors){.type = type, .lanes = lanes, .seed = seed, .threads = threads};
    err e = type->open(&h->env, options, lanes, seed);
    if (e != ERR_OK) return e;
    h->shape = type->shape(h->env);
    e = dqn_view_new(&h->view, &h->shape, lanes);
    h->action = calloc(n, sizeof *h->action);
    h->player = calloc(n, sizeof *h->player);
    h->agents = calloc(n, sizeof *h->agents);
    h->fresh = calloc(n, sizeof *h->fresh);
    h->alone = calloc(n, sizeof *h->alone);
    h->list = calloc(n, sizeof *h->list);
    h->askers = calloc(n, sizeof *h->askers);
    h->bits = calloc(n * dqn_words(&h->shape) + 1, sizeof *h->bits);
    h->scalars = calloc(n * (size_t)h->shape.scalars + 1, sizeof *h->scalars);
    h->q = calloc(n * (size_t)h->shape.actions, sizeof *h->q);
    bool all = h->action && h->player && h->agents && h->fresh && h->alone && h->list && h->askers && h->bits &&
               h->scalars && h->q;
    if (e == ERR_OK && !all) e = err_set(ERR_MEMORY, "no memory for %d matches", lanes);
    if (e != ERR_OK) {
        actors_free(h);
        return e;
    }
    memset(h->fresh, 1, n * sizeof *h->fresh);
    type->show(h->env, 0, lanes, &h->view);
    return ERR_OK;
}

void actors_free(dqn_actors *h)
{
    for (int i = 0; h->agents != NULL && i < h->lanes; i++)
        for (int s = 0; s < 2; s++) agent_close(h->agents[i][s]);
    if (h->env != NULL) h->type->close(h->env);
    dqn_view_free(&h->view);
    FREE_ALL(h->action, h->player, h->agents, h->fresh, h->alone, h->q_alone, h->list, h->askers, h->bits, h->scalars,
             h->q, h->ahead.of, h->ahead.lane, h->ahead.start, h->ahead.action, h->ahead.over, h->ahead.reward,
             h->ahead.value, h->ahead.mask, h->ahead.bits, h->ahead.scalars);
    memset(h, 0, sizeof *h);
}

err actors_set_agent(dqn_actors *h, int lane, int seat, const char *spec)
{
    agent **a = &h->agents[lane][seat];
    if (h->type->g == NULL) return err_set(ERR_USAGE, "agents cannot play in '%s'", h->type->name);
    if (*a == NULL || strcmp((*a)->spec, spec) != 0) {
        agent_close(*a);
        *a = NULL;
        err e = agent_open(a, h->type->g, spec);
        if (e != ERR_OK) return e;
    }
    h->player[lane][seat] = ACTOR_AGENT;
    return ERR_OK;
}

void actors_set_net(dqn_actors *h, int lane, int seat, int net)
{
    h->player[lane][seat] = (uint8_t)net;
}

err actors_prepare_search(dqn_actors *h)
{
    struct actors_ahead *a = &h->ahead;
    size_t n = (size_t)h->lanes, actions = (size_t)h->shape.actions, rows = n * actions;
    if (h->type->look == NULL) return err_set(ERR_USAGE, "'%s' cannot look ahead", h->type->name);
    a->rows_most = (int)rows;
    a->of = calloc(n, sizeof *a->of);
    a->lane = calloc(n, sizeof *a->lane);
    a->start = calloc(n + 1, sizeof *a->start);
    a->action = calloc(rows, sizeof *a->action);
    a->over = calloc(rows, sizeof *a->over);
    a->reward = calloc(rows, sizeof *a->reward);
    a->value = calloc(rows, sizeof *a->value);
    a->mask = calloc(rows, sizeof *a->mask);
    a->bits = calloc(rows * dqn_words(&h->shape) + 1, sizeof *a->bits);
    a->scalars = calloc(rows * (size_t)h->shape.scalars + 1, sizeof *a->scalars);
    free(h->q);
    h->q = calloc(rows * actions, sizeof *h->q);
    h->q_alone = calloc(n * actions, sizeof *h->q_alone);
    bool all = a->of && a->lane && a->start && a->action && a->over && a->reward && a->value && a->mask && a->bits &&
               a->scalars && h->q && h->q_alone;
    return all ? ERR_OK : err_set(ERR_MEMORY, "no memory to look ahead in %d matches", h->lanes);
}

// --- choosing

static int any_of(uint32_t mask, rng *r)
{
    for (uint32_t skip = rng_below(r, (uint32_t)__builtin_popcount(mask)); skip > 0; skip--) mask &= mask - 1;
    return __builtin_ctz(mask);
}

// Q-values of the listed lanes' decisions.
static err values_of_list(dqn_actors *h, dqn_values_fn *values, void *ctx, int n, float *q)
{
    size_t words = dqn_words(&h->shape), scalars = (size_t)h->shape.scalars;
    for (int k = 0; k < n; k++) {
        size_t i = (size_t)h->list[k], to = (size_t)k;
        memcpy(h->bits + to * words, h->view.bits + i * words, words * sizeof *h->bits);
        memcpy(h->scalars + to * scalars, h->view.scalars + i * scalars, scalars * sizeof *h->scalars);
    }
    return values(ctx, n, h->bits, h->scalars, q);
}

static void look_task(void *ctx, int k, int worker)
{
    dqn_actors *h = ctx;
    struct actors_ahead *a = &h->ahead;
    (void)worker;
    size_t at = (size_t)k * (size_t)h->shape.actions; // moved together afterwards
    a->start[k] = h->type->look(h->env, h->list[k], a->action + at, a->reward + at, a->mask + at,
                                a->bits + at * dqn_words(&h->shape), a->scalars + at * (size_t)h->shape.scalars);
}

// Moves the rows of all lanes together; start[k] holds their numbers and becomes where they begin.
static void pack_rows(dqn_actors *h, int n)
{
    struct actors_ahead *a = &h->ahead;
    size_t words = dqn_words(&h->shape), scalars = (size_t)h->shape.scalars, to = 0;
    for (int i = 0; i < h->lanes; i++) a->of[i] = -1;
    for (int k = 0; k < n; k++) {
        size_t from = (size_t)k * (size_t)h->shape.actions, rows = (size_t)a->start[k];
        memmove(a->action + to, a->action + from, rows * sizeof *a->action);
        memmove(a->reward + to, a->reward + from, rows * sizeof *a->reward);
        memmove(a->mask + to, a->mask + from, rows * sizeof *a->mask);
        memmove(a->bits + to * words, a->bits + from * words, rows * words * sizeof *a->bits);
        memmove(a->scalars + to * scalars, a->scalars + from * scalars, rows * scalars * sizeof *a->scalars);
        a->lane[k] = h->list[k];
        a->of[h->list[k]] = k;
        a->start[k] = (int)to;
        to += rows;
    }
    a->start[n] = a->rows = (int)to;
    a->lanes = n;
}

// Fills h->q with scale * reward + gamma * (best Q one step ahead) for the legal actions of the listed lanes.
static err search_list(dqn_actors *h, int net, int n)
{
    struct actors_ahead *a = &h->ahead;
    size_t actions = (size_t)h->shape.actions;
    pool_run(h->threads, n, look_task, h);
    pack_rows(h, n);
    err e = h->net[net].values(h->net[net].ctx, a->rows, a->bits, a->scalars, h->q);
    if (e != ERR_OK) return e;
    for (int r = 0; r < a->rows; r++) {
        const float *q = h->q + (size_t)r * actions;
        a->over[r] = a->mask[r] == 0;
        a->value[r] = a->over[r] ? 0 : q[dqn_best(q, a->mask[r])];
    }
    for (int k = 0; k < n; k++)
        for (int r = a->start[k]; r < a->start[k + 1]; r++)
            h->q[(size_t)k * actions + a->action[r]] =
                (float)(h->reward_scale * (double)a->reward[r] + h->gamma * (double)a->value[r]);
    return ERR_OK;
}

static err ask_net(dqn_actors *h, int net, int n)
{
    size_t actions = (size_t)h->shape.actions;
    double epsilon = h->net[net].epsilon;
    if (epsilon < 1) {
        const struct actors_net *w = &h->net[net];
        err e = w->search ? search_list(h, net, n) : values_of_list(h, w->values, w->ctx, n, h->q);
        if (e == ERR_OK && w->search && w->alone != NULL) e = values_of_list(h, w->alone, w->alone_ctx, n, h->q_alone);
        if (e != ERR_OK) return e;
    } else if (h->net[net].search) {
        h->ahead.lanes = h->ahead.rows = 0;
    }
    for (int k = 0; k < n; k++) {
        int i = h->list[k];
        uint32_t mask = h->view.mask[i];
        bool explore = false;
        rng r;
        if (epsilon > 0) {
            r = rng_at(rng_mix(h->seed ^ STREAM_ACT), (uint64_t)i, h->tick);
            explore = rng_unit(&r) < epsilon;
        }
        const float *q = (h->net[net].search && h->net[net].alone != NULL && h->alone[i] ? h->q_alone : h->q);
        h->action[i] = (uint8_t)(explore ? any_of(mask, &r) : dqn_best(q + (size_t)k * actions, mask));
    }
    return ERR_OK;
}

static void ask_agent(void *ctx, int task, int worker)
{
    dqn_actors *h = ctx;
    (void)worker;
    int i = h->askers[task], seat = h->view.seat[i];
    agent *a = h->agents[i][seat];
    _Alignas(16) char obs[4096];
    game_key key;
    agent_choice choice = {0};
    h->type->observe(h->env, i, obs, &key);
    if (h->fresh[i][seat]) agent_begin(a, key, seat);
    h->fresh[i][seat] = 0;
    err e = agent_choose(a, obs, &choice);
    h->action[i] = (uint8_t)choice.move;
    if (e == ERR_OK && (choice.move >= DQN_ACTIONS || (h->view.mask[i] >> choice.move & 1) == 0))
        e = err_set(ERR_USAGE, "it chose %d, which is not legal", choice.move);
    if (e == ERR_OK) return;
    err none = ERR_OK;
    if (__atomic_compare_exchange_n(&h->failed, &none, e, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        snprintf(h->failure, sizeof h->failure, "%.250s: %.350s", a->spec, err_text());
}

err actors_choose(dqn_actors *h)
{
    if (h->type->g != NULL && h->type->g->obs_size > 4096) return err_set(ERR_LIMIT, "observations are too large");
    int askers = 0;
    h->ahead.lanes = h->ahead.rows = 0;
    // The learner comes last, so that what it saw ahead is still there afterwards.
    for (int net = ACTOR_NETS - 1; net >= 0; net--) {
        int n = 0;
        for (int i = 0; i < h->lanes; i++)
            if (h->player[i][h->view.seat[i]] == net) h->list[n++] = i;
        if (n == 0) continue;
        err e = ask_net(h, net, n);
        if (e != ERR_OK) return e;
    }
    for (int i = 0; i < h->lanes; i++)
        if (h->player[i][h->view.seat[i]] == ACTOR_AGENT) h->askers[askers++] = i;
    if (askers > 0) pool_run(h->threads, askers, ask_agent, h);
    return h->failed == ERR_OK ? ERR_OK : err_set(h->failed, "%s", h->failure);
}

static void step_range(void *ctx, int task, int worker)
{
    dqn_actors *h = ctx;
    (void)worker;
    int from = task * STEP_RANGE, to = from + STEP_RANGE < h->lanes ? from + STEP_RANGE : h->lanes;
    h->type->step(h->env, from, to, h->action, &h->view);
    for (int i = from; i < to; i++)
        if (h->view.end[i] != DQN_GOES_ON) h->fresh[i][0] = h->fresh[i][1] = 1;
}

void actors_step(dqn_actors *h)
{
    pool_run(h->threads, (h->lanes + STEP_RANGE - 1) / STEP_RANGE, step_range, h);
    h->tick++;
}

// --- evaluation

typedef struct tally {
    uint8_t *done; // [lanes]
    int left;
    double chain, chain_squares, other;
    uint64_t decisions;
} tally;

static void count_ends(const dqn_actors *h, tally *t, dqn_score *out)
{
    for (int i = 0; i < h->lanes; i++) {
        if (t->done[i]) continue;
        t->decisions++;
        if (h->view.end[i] == DQN_GOES_ON) continue;
        int me = i & 1;
        float got = h->view.score[i][me];
        double chain = (double)h->view.stat[i][me];
        t->done[i] = 1;
        t->left--;
        out->wins += got == 1.0f;
        out->losses += got == 0.0f;
        out->draws += got == 0.5f;
        t->chain += chain;
        t->chain_squares += chain * chain;
        t->other += (double)h->view.stat[i][!me];
    }
}

static err seat_all(const dqn_eval *e, dqn_actors *h, const char *opponent)
{
    err r = ERR_OK;
    for (int i = 0; i < h->lanes && r == ERR_OK; i++) {
        r = actors_set_agent(h, i, !(i & 1), opponent);
        if (r == ERR_OK && e->agent != NULL) r = actors_set_agent(h, i, i & 1, e->agent);
    }
    return r;
}

err dqn_evaluate(const dqn_eval *e, const char *opponent, dqn_score *out)
{
    dqn_actors h;
    tally t = {.left = e->games};
    *out = (dqn_score){.games = e->games};
    err r = actors_new(&h, e->type, e->options, e->games, e->seed, e->threads);
    if (r != ERR_OK) return r;
    h.net[0].values = e->values;
    h.net[0].ctx = e->ctx;
    h.net[0].search = e->reward_scale > 0;
    h.reward_scale = e->reward_scale;
    h.gamma = e->gamma;
    if (h.net[0].search) r = actors_prepare_search(&h);
    t.done = calloc((size_t)e->games, 1);
    if (r == ERR_OK && t.done == NULL) r = err_set(ERR_MEMORY, "no memory for %d games", e->games);
    if (r == ERR_OK) r = seat_all(e, &h, opponent);
    while (r == ERR_OK && t.left > 0) {
        r = stop_check();
        if (r == ERR_OK) r = actors_choose(&h);
        if (r != ERR_OK) break;
        actors_step(&h);
        count_ends(&h, &t, out);
        if (e->tick != NULL) e->tick(e->tick_ctx, e->games - t.left);
    }
    free(t.done);
    actors_free(&h);
    if (r != ERR_OK) return r;
    double n = e->games, hits = out->wins + 0.5 * out->draws, mean = t.chain / n;
    out->score = hits / n;
    out->range = rate_wilson(hits, n, 0.95);
    out->chain = mean;
    out->chain_error = n > 1 ? sqrt((t.chain_squares / n - mean * mean) / (n - 1)) : 0;
    out->other_chain = t.other / n;
    out->length = (double)t.decisions / n;
    return ERR_OK;
}
