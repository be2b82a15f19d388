// Who sits where in training: copies of the learner, agents as opponents, agents as demonstrators. See dqn_train.h.
#include "learn/dqn/dqn_train_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_PAST = 0x9a57 };

static err copy_values(void *ctx, int n, const uint64_t *bits, const float *scalars, float *q)
{
    return dqn_net_values(ctx, n, bits, scalars, q);
}

static err main_values(void *ctx, int n, const uint64_t *bits, const float *scalars, float *q)
{
    return dqn_values(ctx, n, bits, scalars, q);
}

static err explore_values(void *ctx, int n, const uint64_t *bits, const float *scalars, float *q)
{
    return dqn_explore_values(ctx, n, bits, scalars, q);
}

// What the look ahead sees becomes a target of learning, so it is the target network that looks.
static err ahead_values(void *ctx, int n, const uint64_t *bits, const float *scalars, float *q)
{
    return dqn_target_values(ctx, n, bits, scalars, q);
}

// --- copies

err seats_set_copy(training *t, int i, const nn_net *from)
{
    dqn_copy *c = &t->copy[i];
    const dqn_machine *m = &t->m;
    if (c->net == NULL) {
        err e = nn_net_copy(&c->net, from);
        if (e == ERR_OK) e = dqn_net_open(&c->runs, m->backend, c->net, t->dist, m->max_infer, m->threads);
        t->actors.net[NET_SELF + i].values = copy_values;
        t->actors.net[NET_SELF + i].ctx = &c->runs;
        t->actors.net[NET_SELF + i].search = t->set->search;
        return e;
    }
    memcpy(c->net->w, from->w, from->at.n_all * sizeof *from->w);
    return dqn_net_update(&c->runs, c->net);
}

// Copy k of the past (from 0) lies in slot 1 + k % (DQN_COPIES - 1): the oldest goes.
err seats_copy(training *t)
{
    nn_net *now = NULL;
    err e = ERR_OK;
    if (t->c.copies > 0) e = seats_set_copy(t, 1 + (int)((t->c.copies - 1) % (DQN_COPIES - 1)), t->copy[0].net);
    if (e == ERR_OK) e = dqn_net_like(t->d, &now);
    if (e == ERR_OK) e = dqn_weights(t->d, now);
    if (e == ERR_OK) e = seats_set_copy(t, 0, now);
    nn_net_free(now);
    t->c.copies++;
    t->c.copied_at = t->c.episodes;
    return e;
}

// --- seats

static int past_count(const training *t)
{
    uint64_t past = t->c.copies > 0 ? t->c.copies - 1 : 0;
    return past < DQN_COPIES - 1 ? (int)past : DQN_COPIES - 1;
}

err seats_begin(training *t, int i)
{
    dqn_lane *l = &t->lane[i];
    int me = l->seat = (uint8_t)(l->matches & 1), other = !me, past = past_count(t);
    l->length = 0;
    l->sum = 0;
    l->began[0] = l->began[1] = 0;
    err e = ERR_OK;
    if (l->demonstrator > 0)
        e = actors_set_agent(&t->actors, i, me, t->demonstrators.name[l->demonstrator - 1]);
    else
        actors_set_net(&t->actors, i, me, NET_MAIN);
    if (t->actors.shape.seats < 2 || e != ERR_OK) return e;
    if (l->opponent == OPPONENT_PAST && past > 0) {
        rng r = rng_at(rng_mix(t->seed ^ STREAM_PAST), (uint64_t)i, l->matches);
        actors_set_net(&t->actors, i, other, NET_PAST + (int)rng_below(&r, (uint32_t)past));
    } else if (l->opponent == OPPONENT_PAST || l->opponent == OPPONENT_SELF) {
        actors_set_net(&t->actors, i, other, NET_SELF);
    } else {
        e = actors_set_agent(&t->actors, i, other, t->opponents.name[l->opponent]);
    }
    return e;
}

bool seats_learns(const training *t, int i, int seat)
{
    const dqn_lane *l = &t->lane[i];
    return seat == l->seat || (t->set->learn_both && l->opponent >= OPPONENT_PAST);
}

double seats_now(const training *t)
{
    const dqn_config *c = t->set;
    dqn_epsilon e = {c->epsilon_start, c->epsilon_end, c->epsilon_episodes,
                     strcmp(c->epsilon_schedule, "exponential") == 0};
    if (dqn_is_noisy(c)) return 0;
    if (t->set->curriculum) e.start = dqn_phases[t->c.phase].epsilon_start;
    return dqn_epsilon_at(&e, (double)(t->c.episodes - t->c.phase_began));
}

void seats_epsilon(training *t)
{
    double own = seats_now(t);
    t->actors.net[NET_MAIN].epsilon = own;
    for (int i = 0; i < DQN_COPIES; i++) t->actors.net[NET_SELF + i].epsilon = dqn_opponent_epsilon(own);
}

static uint8_t opponent_of(const training *t, double share)
{
    int i = dqn_mix_at(&t->opponents, share);
    if (strcmp(t->opponents.name[i], "self") == 0) return OPPONENT_SELF;
    if (strcmp(t->opponents.name[i], "past") == 0) return OPPONENT_PAST;
    return (uint8_t)i;
}

err seats_open(training *t)
{
    int n = t->actors.lanes;
    t->lane = calloc((size_t)n, sizeof *t->lane);
    if (t->lane == NULL) return err_set(ERR_MEMORY, "no memory for %d matches", n);
    err e = dqn_mix_parse(t->set->opponents, "opponents", &t->opponents);
    if (e == ERR_OK) e = dqn_mix_parse(t->set->demonstrators, "demonstrators", &t->demonstrators);
    if (e != ERR_OK) return e;
    if (t->opponents.n == 0) return err_set(ERR_USAGE, "opponents: name at least one, for example '100 self'");
    struct actors_net *main = &t->actors.net[NET_MAIN];
    main->values = dqn_is_noisy(t->set) ? explore_values : t->set->search ? ahead_values : main_values;
    main->ctx = t->d;
    if (t->set->search && t->set->alone > 0) main->alone = main_values, main->alone_ctx = t->d;
    t->actors.reward_scale = t->set->reward_scale;
    t->actors.gamma = t->set->gamma;
    main->search = t->set->search;
    if (t->set->search) e = actors_prepare_search(&t->actors);
    if (e != ERR_OK) return e;
    // Demonstrators take their percent of the lanes; a golden-ratio walk spreads them over the opponents.
    double sum = 0;
    for (const char *at = t->set->demonstrators; at != NULL && *at != 0; at += strcspn(at, ";"), at += *at == ';')
        sum += strtod(at, NULL) / 100;
    for (int i = 0; i < n; i++) {
        double share = fmod(0.5 + i * 0.6180339887498949, 1);
        t->lane[i].opponent = opponent_of(t, (i + 0.5) / n);
        t->actors.alone[i] =
            fmod(0.25 + i * 0.7548776662466927, 1) < t->set->alone; // another walk, so that the two mix
        if (share < sum)
            t->lane[i].demonstrator = (uint8_t)(1 + dqn_mix_at(&t->demonstrators, share / (sum < 1 ? sum : 1)));
    }
    e = seats_copy(t);
    for (int i = 0; i < n && e == ERR_OK; i++) e = seats_begin(t, i);
    return e;
}

void seats_close(training *t)
{
    for (int i = 0; i < DQN_COPIES; i++) {
        dqn_net_close(&t->copy[i].runs);
        nn_net_free(t->copy[i].net);
    }
    free(t->lane);
}
