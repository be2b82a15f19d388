// The loop of DQN training. See dqn_train.h; seats are in dqn_seats.c, checkpoints in dqn_store.c.
#include "base/clock.h"
#include "base/stop.h"
#include "learn/dqn/dqn_train_inner.h"
#include "search/puyo/puyo_reward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SECONDS 5.0
enum { MOST_INFER = 4096 };

// --- the network

static err make_net(nn_net **out, const dqn_config *p, const dqn_shape *s, const run_home *home)
{
    char text[NN_TEXT];
    nn_desc d;
    if (p->init != NULL && p->init[0] != 0) return train_first_net(out, home, p->init);
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
    if (!head && strcmp(p->distribution, "none") != 0 && n < (int)sizeof text)
        n += snprintf(text + n, sizeof text - (size_t)n, ":%d", (int)p->atoms);
    if (dqn_is_noisy(p) && !noisy && n < (int)sizeof text) n += snprintf(text + n, sizeof text - (size_t)n, " noisy=1");
    if (n >= (int)sizeof text) return err_set(ERR_LIMIT, "the network's description is too long");
    err e = nn_desc_parse(text, &d);
    return e == ERR_OK ? nn_net_new(out, &d, (uint64_t)p->common.seed) : e;
}

// --- checking a configuration

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

static err references_exist(const char *names, const game *g)
{
    char list[1024];
    err e = ERR_OK;
    snprintf(list, sizeof list, "%s", names);
    for (char *rest, *at = strtok_r(list, ";", &rest); at != NULL && e == ERR_OK; at = strtok_r(NULL, ";", &rest)) {
        agent *a = NULL;
        e = g == NULL ? ERR_OK : err_prefix(agent_open(&a, g, at), "references");
        agent_close(a);
    }
    return e;
}

// The parts of a training but for the seats, with `lanes` matches.
static err make_parts(training *t, nn_net **net, int lanes)
{
    const dqn_config *c = t->set;
    dqn_puyo_options env = dqn_env_options(c, false);
    t->type = dqn_env_of(t->o->g);
    if (t->type == NULL)
        return err_set(ERR_USAGE, "%s cannot be learned by dqn: it trains %s", t->o->g->name, dqn_env_puyo.name);
    t->m.max_infer = MOST_INFER;
    err e = nn_backend_find(c->common.backend, &t->m.backend);
    if (e == ERR_OK) e = dqn_dist_of(c, &t->dist);
    if (e != ERR_OK) return e;
    if ((t->m.threads = pool_new((int)c->common.threads)) == NULL) return err_set(ERR_MEMORY, "no memory for threads");
    e = actors_new(&t->actors, t->type, &env, lanes, t->seed, t->m.threads);
    if (e == ERR_OK) e = make_net(net, c, &t->actors.shape, t->o->home);
    if (e == ERR_OK) e = dqn_fits(&(*net)->desc, &t->actors.shape, &t->dist);
    if (e == ERR_OK && dqn_is_noisy(c) && (*net)->desc.noisy == 0)
        e = err_set(ERR_USAGE, "noisy exploration needs a network with noisy layers: '… noisy=1'");
    if (e == ERR_OK) e = dqn_new(&t->d, c, &t->m, *net, t->type, t->actors.env, &t->actors.shape, 2 * lanes);
    return e;
}

static void free_parts(training *t, nn_net *net)
{
    dqn_free(t->d);
    nn_net_free(net);
    actors_free(&t->actors);
    pool_free(t->m.threads);
}

err dqn_check(const train_options *o, const dqn_config *c)
{
    training t = {.set = c, .o = o, .seed = (uint64_t)c->common.seed};
    nn_net *net = NULL;
    err e = make_parts(&t, &net, 1);
    if (e == ERR_OK) e = players_exist(c->opponents, "opponents", t.type->g, true);
    if (e == ERR_OK) e = players_exist(c->demonstrators, "demonstrators", t.type->g, false);
    if (e == ERR_OK) e = references_exist(c->references, t.type->g);
    free_parts(&t, net);
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
        if (k >= 0 && t->set->alone > 0) compare_alone(t, k, h->view.mask[i]);
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
    if (per_added(dqn_buffer(t->d)) < (uint64_t)t->set->learning_starts || per_count(dqn_buffer(t->d)) == 0)
        return ERR_OK;
    t->c.credit += (double)stored * t->set->ratio;
    double batch = (double)t->set->batch;
    while (t->c.credit >= batch) {
        err e = dqn_update(t->d, &t->last);
        if (e != ERR_OK) return e;
        t->c.credit -= batch;
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
    uint64_t before = per_added(dqn_buffer(t->d));
    seats_epsilon(t);
    err e = dqn_is_noisy(t->set) ? dqn_explore(t->d, t->actors.tick, t->set->search) : ERR_OK;
    if (e == ERR_OK) e = actors_choose(&t->actors);
    if (e != ERR_OK) return e;
    feed(t);
    actors_step(&t->actors);
    e = ends(t);
    double middle = clock_seconds();
    if (e == ERR_OK) e = learn(t, per_added(dqn_buffer(t->d)) - before);
    double end = clock_seconds();
    t->w.play += middle - start;
    t->w.learn += end - middle;
    t->spent[0] += middle - start;
    t->spent[1] += end - middle;
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
        RUN_N("td_error", u > 0 ? w->td / u : 0), RUN_N("stage", t->set->curriculum ? t->c.phase : 0),
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

static err log_times(training *t)
{
    dqn_window *w = &t->w;
    err e = RUN_LOG(t->r, "time", (int64_t)t->c.steps, RUN_N("selfplay", w->play), RUN_N("learn", w->learn),
                    RUN_N("eval", w->evaluate));
    w->play = w->learn = w->evaluate = 0;
    return e;
}

static err write_log(training *t)
{
    dqn_window *w = &t->w;
    double now = training_seconds(t), passed = now - t->logged, n = (double)w->episodes, u = (double)w->updates;
    double batch = (double)t->set->batch;
    int64_t step = (int64_t)t->c.steps;
    err e = w->episodes > 0 ? log_episodes(t) : ERR_OK;
    if (e == ERR_OK && w->updates > 0)
        e = RUN_LOG(t->r, "learn", step, RUN_N("loss", w->loss / u), RUN_N("lr", t->last.lr),
                    RUN_N("grad_norm", w->grad / u), RUN_N("q", w->q / u),
                    RUN_N("samples", (double)dqn_updates(t->d) * batch), RUN_N("samples_s", u * batch / passed),
                    RUN_N("reuse", t->set->ratio));
    if (e == ERR_OK)
        e = RUN_LOG(t->r, "selfplay", step, RUN_N("games", (double)t->c.episodes), RUN_N("positions", (double)step),
                    RUN_N("games_s", n / passed), RUN_N("positions_s", (double)w->steps / passed),
                    RUN_N("buffer", per_count(dqn_buffer(t->d))));
    if (e == ERR_OK) e = log_times(t);
    t->logged = now;
    t->w = (dqn_window){0};
    return e;
}

static run_pace pace_of(const training *t, run_value *loss)
{
    double passed = training_seconds(t) - t->logged;
    *loss = (run_value){"loss", t->last.loss, NULL};
    return (run_pace){.step = (int64_t)t->c.steps,
                      .steps = t->set->common.steps,
                      .games = (int64_t)t->c.episodes,
                      .games_most = t->set->common.games,
                      .seconds_most = 60 * t->set->common.minutes,
                      .games_s = passed > 0 ? (double)t->w.episodes / passed : 0,
                      .positions_s = passed > 0 ? (double)t->w.steps / passed : 0,
                      .losses = loss,
                      .n_losses = 1,
                      .buffer = per_count(dqn_buffer(t->d)),
                      .lr = t->last.lr};
}

// --- evaluation and curriculum

static void next_phase(training *t, const dqn_score *s)
{
    if (!t->set->curriculum || t->c.phase + 1 >= DQN_PHASES || !dqn_gate_passed((dqn_phase)t->c.phase, s)) return;
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
    snprintf(list, sizeof list, "%s", t->set->references);
    t->c.evaluated_at = t->c.episodes;
    if (t->type->g == NULL) return ERR_OK;
    dqn_puyo_options env = dqn_env_options(t->set, true);
    dqn_eval v = {.type = t->type,
                  .options = &env,
                  .games = (int)t->set->evaluate_games,
                  .seed = rng_mix(t->seed + 1),
                  .threads = t->m.threads,
                  .values = values_now,
                  .ctx = t->d,
                  .reward_scale = t->set->search ? t->set->reward_scale : 0,
                  .gamma = t->set->gamma};
    for (char *at = list, *end; e == ERR_OK && *at != 0; at = end) {
        at += strspn(at, "; ");
        end = at + strcspn(at, ";");
        if (*end != 0) *end++ = 0;
        if (*at == 0) continue;
        dqn_score s;
        e = one_match(t, &v, at, "", &s);
        if (e == ERR_OK && first) next_phase(t, &s);
        first = false;
        if (e != ERR_OK || !t->set->search || !t->set->evaluate_alone) continue;
        dqn_eval bare = v;
        bare.reward_scale = 0;
        e = one_match(t, &bare, at, " (alone)", &s);
    }
    t->w.evaluate += clock_seconds() - start;
    t->spent[2] += clock_seconds() - start;
    return e;
}

// --- the loop

static uint64_t copy_interval(const training *t)
{
    return (uint64_t)(t->set->curriculum ? dqn_phases[t->c.phase].opponent_update_interval : t->set->opponent_update);
}

static bool due(uint64_t now, uint64_t last, int64_t every)
{
    return every > 0 && now - last >= (uint64_t)every;
}

static err between_ticks(training *t)
{
    err e = ERR_OK;
    double now = training_seconds(t);
    if (t->c.episodes - t->c.copied_at >= copy_interval(t)) e = seats_copy(t);
    if (e == ERR_OK && now - t->logged >= LOG_SECONDS) e = write_log(t);
    if (e == ERR_OK && due(t->c.episodes, t->c.evaluated_at, t->set->evaluate_every)) e = evaluate(t);
    bool by_clock = 60 * t->set->save_minutes > 0 && now - t->saved >= 60 * t->set->save_minutes;
    if (e == ERR_OK && (by_clock || due(t->c.episodes, t->c.saved_at, t->set->save_every))) e = store_save(t);
    return e;
}

static bool is_over(training *t, const run_pace *p)
{
    if (stop_requested())
        t->why = "stopped";
    else if (run_over(p, training_seconds(t)))
        t->why = "limit";
    return t->why != NULL;
}

static void note_state(const training *t, train_state *s)
{
    *s = (train_state){.round = t->actors.tick,
                       .step = t->c.steps,
                       .updates = dqn_updates(t->d),
                       .games = t->c.episodes,
                       .positions = t->c.steps,
                       .loss = t->last.loss,
                       .seconds_play = t->spent[0],
                       .seconds_learn = t->spent[1],
                       .seconds_rate = t->spent[2]};
}

static bool goes_on(training *t)
{
    train_state s;
    if (t->o->each == NULL) return true;
    note_state(t, &s);
    return t->o->each(t->o->ctx, &s);
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
        if (e == ERR_OK && !goes_on(t)) t->why = "stopped";
        if (t->why != NULL) break;
    }
    if (e != ERR_OK) return e;
    bool stopped = strcmp(t->why, "stopped") == 0;
    if (t->w.steps > 0) e = write_log(t);
    if (e == ERR_OK && !stopped && t->c.evaluated_at != t->c.episodes) {
        e = evaluate(t);
        if (e == ERR_OK) e = log_times(t);
    }
    if (e == ERR_OK) e = store_save(t);
    return e;
}

double training_seconds(const training *t)
{
    return t->r != NULL ? run_seconds(t->r) : clock_seconds() - t->began;
}

// What the weights file says of itself: agents read the rewards for their lookahead.
static err write_note(const dqn_config *c, text_buf *note)
{
    char rewards[2048];
    puyo_reward_weights w;
    err e = puyo_rewards_parse(c->rewards, &w);
    if (e != ERR_OK) return e;
    puyo_rewards_print(&w, rewards, sizeof rewards);
    text_printf(note,
                "game = puyo\nalgo = dqn\nencoding = %s\noptions = %s\nrewards = %s\ngamma = %.17g\n"
                "reward_scale = %.17g\nseed = %lld\n",
                c->encoding, c->settings, rewards, c->gamma, c->reward_scale, (long long)c->common.seed);
    if (strcmp(c->distribution, "none") != 0)
        text_printf(note, "distribution = %s\nsupport = %.17g\n", c->distribution, c->support);
    return text_check(note);
}

err dqn_train(const train_options *o, const dqn_config *c, train_state *out, nn_net **net, train_end *how)
{
    training t = {.set = c, .o = o, .seed = (uint64_t)c->common.seed, .r = o->home, .began = clock_seconds()};
    nn_net *first = NULL, *last = NULL;
    if (!train_config_limited(&dqn_table, c) && o->each == NULL)
        return err_set(ERR_USAGE, "say how long to train: --minutes, --steps or --episodes");
    err e = write_note(c, &t.note);
    if (e == ERR_OK) e = make_parts(&t, &first, (int)c->lanes);
    if (e == ERR_OK) e = seats_open(&t);
    if (e == ERR_OK && t.r != NULL && run_resumed(t.r) != NULL) e = store_restore(&t, run_resumed(t.r));
    t.logged = t.saved = training_seconds(&t);
    if (e == ERR_OK) e = loop(&t);
    if (e == ERR_OK && net != NULL) e = dqn_net_like(t.d, &last);
    if (e == ERR_OK && net != NULL) e = dqn_weights(t.d, last);
    if (e == ERR_OK && net != NULL) e = nn_net_set_note(last, text_str(&t.note));
    if (e == ERR_OK && out != NULL) note_state(&t, out);
    if (e == ERR_OK && how != NULL) *how = strcmp(t.why, "stopped") == 0 ? TRAIN_STOPPED : TRAIN_LIMIT;
    if (e == ERR_OK && net != NULL) *net = last, last = NULL;
    nn_net_free(last);
    seats_close(&t);
    free_parts(&t, first);
    text_free(&t.note);
    return e;
}
