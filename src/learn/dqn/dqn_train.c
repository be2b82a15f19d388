// The loop of DQN training. See dqn_train.h; seats are in dqn_seats.c, checkpoints in dqn_store.c.
#include "base/clock.h"
#include "base/file.h"
#include "base/models.h"
#include "base/stop.h"
#include "learn/dqn/dqn_train_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SECONDS 5.0
enum { MOST_INFER = 4096 };

// --- the network

static err make_net(nn_net **out, const dqn_plan *p, const dqn_shape *s)
{
    char text[NN_TEXT];
    nn_desc d;
    if (p->init != NULL && p->init[0] != 0) {
        char path[FILE_PATH];
        err e = models_network(p->init, path, sizeof path);
        return e == ERR_OK ? nn_net_load(out, path) : e;
    }
    bool whole = strstr(p->net, "planes=") != NULL, head = strstr(p->net, "duel=") != NULL;
    bool mlp = strstr(p->net, "mlp=") != NULL, noisy = strstr(p->net, "noisy=") != NULL;
    int n = 0;
    if (whole)
        n = snprintf(text, sizeof text, "%s", p->net);
    else
        n = snprintf(text, sizeof text, "planes=%d scalars=%d size=%dx%d %s", s->planes, s->scalars, s->rows, s->cols,
                     p->net);
    if (!head && n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, " duel=%d:128:%d", mlp ? 0 : 8, s->actions);
    if (!head && p->learner.dist.kind != NN_DIST_NONE && n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, ":%d", p->atoms);
    if (p->noisy && !noisy && n < (int)sizeof text) n += snprintf(text + n, sizeof text - (size_t)n, " noisy=1");
    if (n >= (int)sizeof text) return err_set(ERR_LIMIT, "the network's description is too long");
    err e = nn_desc_parse(text, &d);
    return e == ERR_OK ? nn_net_new(out, &d, p->seed) : e;
}

// --- checking a plan

static err players_exist(const char *list, const char *what, const game *g, bool copies)
{
    dqn_mix m;
    err e = dqn_mix_parse(list == NULL ? "" : list, what, &m);
    for (int i = 0; i < m.n && e == ERR_OK; i++) {
        agent *a = NULL;
        if (copies && (strcmp(m.name[i], "self") == 0 || strcmp(m.name[i], "past") == 0)) continue;
        if (g == NULL) return err_set(ERR_USAGE, "%s: agents cannot play here", what);
        e = err_prefix(agent_open(&a, g, m.name[i]), "%s", what);
        agent_close(a);
    }
    return e;
}

err dqn_plan_check(const dqn_plan *p, const dqn_env_type *type, const void *env_options)
{
    dqn_actors h;
    nn_net *net = NULL;
    err e = players_exist(p->opponents, "opponents", type->g, true);
    if (e == ERR_OK) e = players_exist(p->demonstrators, "demonstrators", type->g, false);
    if (e == ERR_OK) e = actors_new(&h, type, env_options, 1, p->seed, NULL);
    if (e != ERR_OK) return e;
    e = make_net(&net, p, &h.shape);
    if (e == ERR_OK) e = dqn_fits(&net->desc, &h.shape, &p->learner.dist);
    if (e == ERR_OK && p->noisy && net->desc.noisy == 0)
        e = err_set(ERR_USAGE, "noisy exploration needs a network with noisy layers: '… noisy=1'");
    char list[1024];
    snprintf(list, sizeof list, "%s", p->references);
    for (char *at = strtok(list, ";"); at != NULL && e == ERR_OK; at = strtok(NULL, ";")) {
        agent *a = NULL;
        e = type->g == NULL ? ERR_OK : err_prefix(agent_open(&a, type->g, at), "references");
        agent_close(a);
    }
    nn_net_free(net);
    actors_free(&h);
    return e;
}

// --- a tick

// Compares what the bare network and the look ahead say of a decision's legal actions, each less its mean.
static void compare_alone(training *t, int k, uint32_t mask)
{
    size_t row = (size_t)k * (size_t)t->actors.shape.actions;
    const float *ahead = t->actors.q + row, *alone = t->actors.q_alone + row;
    double a = 0, b = 0, n = __builtin_popcount(mask);
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        a += (double)ahead[__builtin_ctz(m)] / n;
        b += (double)alone[__builtin_ctz(m)] / n;
    }
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        double x = (double)ahead[__builtin_ctz(m)] - a, y = (double)alone[__builtin_ctz(m)] - b;
        t->w.spread += x * x;
        t->w.missed += (x - y) * (x - y);
    }
    t->w.asked++;
    t->w.agreed += dqn_best(ahead, mask) == dqn_best(alone, mask);
}

static void feed(training *t)
{
    dqn_actors *h = &t->actors;
    size_t words = dqn_words(&h->shape), scalars = (size_t)h->shape.scalars;
    for (int i = 0; i < h->lanes; i++) {
        dqn_lane *l = &t->lane[i];
        int s = h->view.seat[i];
        l->length++;
        if (!seats_learns(t, i, s)) continue;
        // What the look ahead gave to the actions that were not taken is learned as well.
        int k = s == l->seat && h->ahead.lanes > 0 ? h->ahead.of[i] : -1;
        if (k >= 0 && t->p->alone > 0) compare_alone(t, k, h->view.mask[i]);
        const float *rest = k < 0 ? NULL : h->q + (size_t)k * (size_t)h->shape.actions;
        dqn_decide(t->d, 2 * i + s, l->began[s] ? h->view.reward[i] : 0, h->view.bits + (size_t)i * words,
                   h->view.scalars + (size_t)i * scalars, h->view.mask[i], h->action[i], rest,
                   k < 0 ? 0 : h->view.mask[i] & ~(1u << h->action[i]));
        if (s == l->seat && l->began[s]) l->sum += (double)h->view.reward[i];
        l->began[s] = 1;
        t->c.steps++;
        t->w.steps++;
    }
}

static err ends(training *t)
{
    dqn_actors *h = &t->actors;
    for (int i = 0; i < h->lanes; i++) {
        if (h->view.end[i] == DQN_GOES_ON) continue;
        dqn_lane *l = &t->lane[i];
        int me = l->seat;
        for (int s = 0; s < 2; s++)
            if (l->began[s] && seats_learns(t, i, s)) dqn_end(t->d, 2 * i + s, h->view.last[i][s], h->view.end[i]);
        if (l->demonstrator == 0) {
            t->w.episodes++;
            t->w.reward += l->sum + (double)h->view.last[i][me];
            t->w.chain += (double)h->view.stat[i][me];
            t->w.length += l->length;
            t->w.score += (double)h->view.score[i][me];
            for (int k = 0; k < DQN_PARTS; k++) t->w.part[k] += (double)h->view.parts[(2 * i + me) * DQN_PARTS + k];
        }
        t->c.episodes++;
        l->matches++;
        err e = seats_begin(t, i);
        if (e != ERR_OK) return e;
    }
    return ERR_OK;
}

static err learn(training *t, uint64_t stored)
{
    if (per_added(dqn_memory(t->d)) < (uint64_t)t->p->learning_starts || per_count(dqn_memory(t->d)) == 0)
        return ERR_OK;
    t->c.credit += (double)stored * t->p->ratio;
    while (t->c.credit >= t->p->learner.batch) {
        err e = dqn_update(t->d, &t->last);
        if (e != ERR_OK) return e;
        t->c.credit -= t->p->learner.batch;
        t->w.updates++;
        t->w.loss += t->last.loss;
        t->w.td += t->last.td;
        t->w.q += t->last.q;
        t->w.grad += t->last.grad_norm;
    }
    return ERR_OK;
}

static err tick(training *t)
{
    double start = clock_seconds();
    uint64_t before = per_added(dqn_memory(t->d));
    seats_epsilon(t);
    err e = t->p->noisy ? dqn_explore(t->d, t->actors.tick, t->p->search) : ERR_OK;
    if (e == ERR_OK) e = actors_choose(&t->actors);
    if (e != ERR_OK) return e;
    feed(t);
    actors_step(&t->actors);
    e = ends(t);
    double middle = clock_seconds();
    if (e == ERR_OK) e = learn(t, per_added(dqn_memory(t->d)) - before);
    t->w.play += middle - start;
    t->w.learn += clock_seconds() - middle;
    return e;
}

// --- what people see

// Means over the matches since the last line; rewards as the environment pays them, in all and by component.
static err log_episodes(training *t)
{
    const dqn_window *w = &t->w;
    double n = (double)w->episodes, u = (double)w->updates;
    char name[DQN_PARTS][40];
    run_value all[16 + DQN_PARTS] = {
        RUN_N("reward", w->reward / n),           RUN_N("chain", w->chain / n),
        RUN_N("length", w->length / n),           RUN_N("win", w->score / n),
        RUN_N("epsilon", seats_now(t)),           RUN_N("beta", t->last.beta),
        RUN_N("td_error", u > 0 ? w->td / u : 0), RUN_N("stage", t->p->curriculum ? t->c.phase : 0),
        RUN_N("episodes", (double)t->c.episodes),
    };
    int count = 9;
    for (int k = 0; k < DQN_PARTS && t->type->part != NULL; k++) {
        const char *part = t->type->part(t->actors.env, k);
        if (part == NULL) continue;
        snprintf(name[k], sizeof name[k], "reward_%s", part);
        all[count++] = (run_value)RUN_N(name[k], w->part[k] / n);
    }
    if (w->asked > 0) {
        all[count++] = (run_value)RUN_N("alone_agrees", w->agreed / w->asked);
        all[count++] = (run_value)RUN_N("alone_explains", 1 - w->missed / w->spread);
    }
    return run_log(t->r, "episode", (int64_t)t->c.steps, all, count);
}

static err write_log(training *t)
{
    dqn_window *w = &t->w;
    double now = run_seconds(t->r), passed = now - t->logged, n = (double)w->episodes, u = (double)w->updates;
    int64_t step = (int64_t)t->c.steps;
    err e = w->episodes > 0 ? log_episodes(t) : ERR_OK;
    if (e == ERR_OK && w->updates > 0)
        e = RUN_LOG(t->r, "learn", step, RUN_N("loss", w->loss / u), RUN_N("lr", t->last.lr),
                    RUN_N("grad_norm", w->grad / u), RUN_N("q", w->q / u),
                    RUN_N("samples", (double)dqn_updates(t->d) * t->p->learner.batch),
                    RUN_N("samples_s", u * t->p->learner.batch / passed), RUN_N("reuse", t->p->ratio));
    if (e == ERR_OK)
        e = RUN_LOG(t->r, "selfplay", step, RUN_N("games", (double)t->c.episodes), RUN_N("positions", (double)step),
                    RUN_N("games_s", n / passed), RUN_N("positions_s", (double)w->steps / passed),
                    RUN_N("buffer", per_count(dqn_memory(t->d))));
    if (e == ERR_OK)
        e = RUN_LOG(t->r, "time", step, RUN_N("selfplay", w->play), RUN_N("learn", w->learn),
                    RUN_N("eval", w->evaluate));
    t->logged = now;
    t->w = (dqn_window){0};
    return e;
}

static run_pace pace_of(const training *t, run_value *loss)
{
    double passed = run_seconds(t->r) - t->logged;
    *loss = (run_value){"loss", t->last.loss, NULL};
    return (run_pace){.step = (int64_t)t->c.steps,
                      .steps = t->p->steps,
                      .games = (int64_t)t->c.episodes,
                      .games_most = t->p->episodes,
                      .seconds_most = t->p->seconds,
                      .games_s = passed > 0 ? (double)t->w.episodes / passed : 0,
                      .positions_s = passed > 0 ? (double)t->w.steps / passed : 0,
                      .losses = loss,
                      .n_losses = 1,
                      .buffer = per_count(dqn_memory(t->d)),
                      .lr = t->last.lr};
}

// --- evaluation and curriculum

static void next_phase(training *t, const dqn_score *s)
{
    if (!t->p->curriculum || t->c.phase + 1 >= DQN_PHASES || !dqn_gate_passed((dqn_phase)t->c.phase, s)) return;
    t->c.phase++;
    t->c.phase_began = t->c.episodes;
    log_info("curriculum: %s after %llu episodes", dqn_phases[t->c.phase].name, (unsigned long long)t->c.episodes);
}

static err values_now(void *ctx, int n, const uint64_t *bits, const float *scalars, float *q)
{
    return dqn_values(ctx, n, bits, scalars, q);
}

// One opponent's games, told and logged; `how` follows its name.
static err one_match(training *t, const dqn_eval *v, const char *opponent, const char *how, dqn_score *s)
{
    char name[256];
    snprintf(name, sizeof name, "%s%s", opponent, how);
    err e = dqn_evaluate(v, opponent, s);
    if (e != ERR_OK) return e;
    log_info("%llu decisions, %s: %.1f %% [%.1f, %.1f], largest chain %.2f (its %.2f), %.0f decisions a game",
             (unsigned long long)t->c.steps, name, 100 * s->score, 100 * s->range.low, 100 * s->range.high, s->chain,
             s->other_chain, s->length);
    return RUN_LOG(t->r, "match", (int64_t)t->c.steps, RUN_T("opponent", name), RUN_N("score", s->score),
                   RUN_N("low", s->range.low), RUN_N("high", s->range.high), RUN_N("games", s->games),
                   RUN_N("chain", s->chain), RUN_N("chain_error", s->chain_error),
                   RUN_N("chain_other", s->other_chain));
}

static err evaluate(training *t)
{
    double start = clock_seconds();
    char list[1024];
    err e = ERR_OK;
    bool first = true;
    snprintf(list, sizeof list, "%s", t->p->references);
    t->c.evaluated_at = t->c.episodes;
    if (t->type->g == NULL) return ERR_OK;
    dqn_eval v = {.type = t->type,
                  .options = t->eval_options,
                  .games = t->p->evaluate_games,
                  .seed = rng_mix(t->p->seed + 1),
                  .threads = t->p->learner.threads,
                  .values = values_now,
                  .ctx = t->d,
                  .reward_scale = t->p->search ? t->p->learner.reward_scale : 0,
                  .gamma = t->p->learner.gamma};
    for (char *at = list, *end; e == ERR_OK && *at != 0; at = end) {
        at += strspn(at, "; ");
        end = at + strcspn(at, ";");
        if (*end != 0) *end++ = 0;
        if (*at == 0) continue;
        dqn_score s;
        e = one_match(t, &v, at, "", &s);
        if (e == ERR_OK && first) next_phase(t, &s);
        first = false;
        if (e != ERR_OK || !t->p->search || !t->p->evaluate_alone) continue;
        dqn_eval bare = v;
        bare.reward_scale = 0;
        e = one_match(t, &bare, at, " (alone)", &s);
    }
    t->w.evaluate += clock_seconds() - start;
    return e;
}

// --- the loop

static uint64_t copy_interval(const training *t)
{
    return (uint64_t)(t->p->curriculum ? dqn_phases[t->c.phase].opponent_update_interval : t->p->opponent_update);
}

static bool due(uint64_t now, uint64_t last, int64_t every)
{
    return every > 0 && now - last >= (uint64_t)every;
}

static err between_ticks(training *t)
{
    err e = ERR_OK;
    double now = run_seconds(t->r);
    if (t->c.episodes - t->c.copied_at >= copy_interval(t)) e = seats_copy(t);
    if (e == ERR_OK && now - t->logged >= LOG_SECONDS) e = write_log(t);
    if (e == ERR_OK && due(t->c.episodes, t->c.evaluated_at, t->p->evaluate_every)) e = evaluate(t);
    bool by_clock = t->p->save_seconds > 0 && now - t->saved >= t->p->save_seconds;
    if (e == ERR_OK && (by_clock || due(t->c.episodes, t->c.saved_at, t->p->save_every))) e = store_save(t);
    return e;
}

static bool is_over(training *t, const run_pace *p)
{
    if (stop_requested())
        t->why = "stopped";
    else if (run_over(t->r, p))
        t->why = "limit";
    return t->why != NULL;
}

static err loop(training *t)
{
    run_value loss;
    err e = ERR_OK;
    run_pace pace = pace_of(t, &loss);
    while (e == ERR_OK && !is_over(t, &pace)) {
        e = tick(t);
        if (e == ERR_OK) e = between_ticks(t);
        pace = pace_of(t, &loss);
        run_show(t->r, &pace);
    }
    if (e != ERR_OK) return e;
    bool stopped = stop_requested();
    if (t->w.steps > 0) e = write_log(t);
    if (e == ERR_OK && !stopped && t->c.evaluated_at != t->c.episodes) e = evaluate(t);
    if (e == ERR_OK) e = store_save(t);
    if (e == ERR_OK) e = RUN_LOG(t->r, "done", (int64_t)t->c.steps, RUN_T("why", t->why));
    return e;
}

err dqn_train(run_home *r, const dqn_plan *p, const dqn_env_type *type, const void *env_options,
              const void *eval_options, uint64_t *updates)
{
    training t = {.p = p, .type = type, .eval_options = eval_options, .r = r};
    nn_net *net = NULL;
    dqn_plan plan = *p;
    err e = actors_new(&t.actors, type, env_options, p->lanes, p->seed, p->learner.threads);
    if (e != ERR_OK) return e;
    plan.learner.seed = p->seed;
    if (plan.learner.max_infer < MOST_INFER) plan.learner.max_infer = MOST_INFER;
    t.p = &plan;
    e = make_net(&net, &plan, &t.actors.shape);
    if (e == ERR_OK) e = dqn_new(&t.d, &plan.learner, net, type, t.actors.env, &t.actors.shape, 2 * p->lanes);
    if (e == ERR_OK) e = seats_open(&t);
    if (e == ERR_OK && run_resumed(r) != NULL) e = store_restore(&t, run_resumed(r));
    t.logged = t.saved = run_seconds(r);
    if (e == ERR_OK) e = loop(&t);
    if (e == ERR_OK && updates != NULL) *updates = dqn_updates(t.d);
    seats_close(&t);
    dqn_free(t.d);
    nn_net_free(net);
    actors_free(&t.actors);
    return e;
}
