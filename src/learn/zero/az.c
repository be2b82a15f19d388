// See az.h: the loop itself. az_save.c has checkpoints, az_rate.c the rating games, az_log.c what people see.
#include "agents/agent.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/stop.h"
#include "learn/zero/az_inner.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- learning

// Steps that the positions made so far allow: every one is to be drawn `samples` times on average.
static uint64_t steps_allowed(const az *z, uint64_t positions)
{
    if (positions <= (uint64_t)z->c->fill) return 0;
    double steps = z->c->samples * (double)(positions - (uint64_t)z->c->fill) / (double)z->c->batch;
    uint64_t n = (uint64_t)steps, most = (uint64_t)z->c->common.steps;
    return most > 0 && n > most ? most : n;
}

static replay_draw_options draw_options(const az *z)
{
    const az_config *c = z->c;
    return (replay_draw_options){.net = &z->trained->desc,
                                 .by_head = c->policy_loss[0] == 'h',
                                 .symmetries = c->symmetries,
                                 .value_scale = (float)c->value_weight,
                                 .margin_scale = (float)c->margin_weight,
                                 .owner_scale = (float)c->ownership,
                                 .reply_scale = (float)c->reply,
                                 .threads = z->threads};
}

// --buffer-on: where batches are made. `auto` takes the learner's own memory where that can be had.
static err make_copy(az *z)
{
    const char *where = z->c->buffer_on;
    replay_draw_options o = draw_options(z);
    bool offered = z->trains_on->window_new != NULL;
    if (where[0] == 'h' || (where[0] == 'a' && !offered) || (z->trial && offered)) return ERR_OK;
    err e = replay_copy_new(&z->copy, z->trains_on, z->learner, &z->shape, (uint64_t)z->c->buffer_max, 0, &o);
    if (e == ERR_OK) {
        log_info("the replay buffer lies in the GPU's memory, up to %" PRId64 " positions", z->c->buffer_max);
        return ERR_OK;
    }
    if (where[0] == 'g') return err_prefix(e, "--buffer-on gpu");
    log_warn("%s; the replay buffer stays in the host's memory", err_text());
    return ERR_OK;
}

// New positions on their way to the learner. A buffer that has outgrown its memory goes back to the host.
static err update_copy(az *z)
{
    if (z->copy == NULL) return ERR_OK;
    err e = replay_copy_follow(z->copy, z->buffer);
    if (e != ERR_MEMORY || z->c->buffer_on[0] == 'g') return e;
    log_warn("%s; the replay buffer stays in the host's memory from now on", err_text());
    replay_copy_free(z->copy);
    z->copy = NULL;
    return ERR_OK;
}

// What a step's losses said, for the log; also whether they are still numbers.
static err note_losses(az *z, const nn_step_report *r)
{
    if (!(r->loss < 1e6)) // also when it is not a number
        return err_set(ERR_LIMIT, "the loss is %g at step %" PRIu64 ": learning went astray; try a smaller --lr",
                       r->loss, z->s.step);
    z->s.loss = r->loss;
    memcpy(z->s.by_head, r->by_head, sizeof r->by_head);
    z->loss_sum += r->loss;
    z->grad_sum += r->grad_norm;
    for (int h = 0; h < NN_MAX_HEADS; h++) z->head_sum[h] += r->by_head[h];
    z->steps_logged++;
    return ERR_OK;
}

// `ask` for the losses: that means to wait for them, while a GPU might begin the next step.
static err learn_step(az *z, bool ask)
{
    const az_config *c = z->c;
    nn_step_report r, *report = ask ? &r : NULL;
    float lr = nn_lr_at(&z->lr, z->s.step);
    err e;
    if (z->copy != NULL) {
        e = replay_copy_step(z->copy, z->buffer, z->seed, z->s.step, (int)c->batch, lr, &z->batch, report);
    } else {
        replay_draw_options o = draw_options(z);
        e = replay_draw(z->buffer, z->seed, z->s.step, (int)c->batch, &o, &z->batch);
        if (e == ERR_OK) e = z->trains_on->learner_step(z->learner, &z->batch.b, lr, report);
    }
    if (e == ERR_OK && ask) e = note_losses(z, &r);
    if (e != ERR_OK) return e;
    z->s.step++;
    z->s.updates++;
    z->drawn += (uint64_t)c->batch;
    z->staleness = z->batch.staleness;
    return ERR_OK;
}

enum { ASK_EVERY = 8 }; // steps, where the learner has its own copy of the buffer

static err learn_until(az *z, uint64_t step)
{
    double start = clock_seconds();
    err e = z->s.step < step ? update_copy(z) : ERR_OK;
    while (e == ERR_OK && z->s.step < step)
        e = learn_step(z, z->copy == NULL || z->s.step % ASK_EVERY == 0 || z->s.step + 1 == step);
    z->s.seconds_learn += clock_seconds() - start;
    return e;
}

// The learner's weights without the heads that only training uses.
static err newest_weights(az *z, nn_net *to)
{
    err e = z->trains_on->learner_weights(z->learner, z->c->ema > 0, z->trained);
    if (e == ERR_OK) nn_net_take(to, z->trained);
    return e;
}

// New weights for self-play.
static err take_weights(az *z)
{
    err e;
    if (!z->c->gate) {
        e = newest_weights(z, z->net);
        return e == ERR_OK ? evaluator_update(z->evaluator, z->net) : e;
    }
    if (z->c->eval_every == 0 || z->s.step < z->rated_step + (uint64_t)z->c->eval_every) return ERR_OK;
    nn_net *candidate = NULL;
    bool in = false;
    e = nn_net_copy(&candidate, z->net);
    if (e == ERR_OK) e = newest_weights(z, candidate);
    if (e == ERR_OK) e = az_gate(z, candidate, &in);
    if (e == ERR_OK && in) {
        memcpy(z->net->w, candidate->w, z->net->at.n_all * sizeof *z->net->w);
        e = evaluator_update(z->evaluator, z->net);
    }
    nn_net_free(candidate);
    z->half_done = e == ERR_STOPPED;
    return e;
}

// --- one round

typedef struct async { // the learner on a thread of its own
    az *z;
    uint64_t until;
    atomic_bool busy;
    err e;
    char why[256];
} async;

// Whatever need not wait for self-play, nor self-play for it: a checkpoint of what the last round left, the training steps,
// and the new weights made ready.
static void *learn_async(void *ctx)
{
    async *b = ctx;
    az *z = b->z;
    b->e = z->save_due ? az_save(z) : ERR_OK;
    z->save_due = false;
    if (b->e == ERR_OK) b->e = learn_until(z, b->until);
    if (b->e == ERR_OK && !z->c->gate) b->e = newest_weights(z, z->net);
    if (b->e == ERR_OK && !z->c->gate) b->e = evaluator_stage(z->evaluator, z->net);
    atomic_store(&b->busy, false);
    if (b->e != ERR_OK) snprintf(b->why, sizeof b->why, "%s", err_text()); // sentences belong to their thread
    return NULL;
}

// Where the games in flight stand: to go back to, and for a checkpoint.
err az_keep_flight(az *z)
{
    text_clear(&z->flight);
    return selfplay_save(z->play, &z->flight);
}

// What the source has: the positions of finished games go into the buffer.
static err take_in(az *z, const selfplay_stats *st)
{
    samples made = {0};
    uint64_t games = 0;
    game_source from = game_queue_source(z->finished);
    selfplay_stats far = {0};
    uint64_t come = 0;
    err e = game_source_drain(&from, &z->shape, &made, &games);
    if (e == ERR_OK) e = az_remote_take(z, &made, &far, &come);
    z->s.round++;
    z->s.games += games + come;
    z->s.positions += made.n;
    z->s.sims += st->sims + far.sims;
    selfplay_stats_add(&z->st, st);
    selfplay_stats_add(&z->st, &far);
    if (e == ERR_OK) e = replay_add(z->buffer, &made);
    samples_free(&made);
    if (e != ERR_OK) return e;
    return z->c->async ? ERR_OK : az_keep_flight(z);
}

// Self-play's part of a round, with its time.
static err play_round(az *z, uint64_t step, const atomic_bool *busy, selfplay_stats *st)
{
    double start = clock_seconds();
    game_sink to = game_queue_sink(z->finished);
    *st = (selfplay_stats){0};
    if (!az_plays(z)) return ERR_OK;
    err e = selfplay_round(z->play, az_player(z), step, busy, &to, st);
    z->s.seconds_play += clock_seconds() - start;
    if (e == ERR_OK) az_shares_played(z);
    return e;
}

// Self-play, then learning; or both at once, the learner with the positions of the rounds before. After Ctrl-C self-play's
// half-done round is thrown away, and the games in flight go back to where the last one ended. (With the learner async,
// the round is finished instead, since the learner has moved on.)
static err one_round(az *z)
{
    selfplay_stats st;
    pthread_t thread;
    async b = {.z = z, .until = steps_allowed(z, z->s.positions), .busy = true};
    uint64_t step = z->s.step; // of self-play's weights: a learner async moves on meanwhile
    double learned = z->s.seconds_learn;
    az_shares_begin(z);
    if (z->c->async && pthread_create(&thread, NULL, learn_async, &b) != 0)
        return err_set(ERR_MEMORY, "cannot start a thread for the learner");
    err e = play_round(z, step, z->c->async ? &b.busy : NULL, &st);
    if (z->c->async) {
        pthread_join(thread, NULL);
        if (e == ERR_OK && b.e != ERR_OK) e = err_set(b.e, "%s", b.why);
    }
    if (e == ERR_OK) e = take_in(z, &st);
    if (e == ERR_STOPPED) {
        err back = selfplay_load(z->play, z->flight.data, z->flight.len);
        return back != ERR_OK ? back : err_set(ERR_STOPPED, "stopped");
    }
    if (e == ERR_OK && !z->c->async) e = learn_until(z, steps_allowed(z, z->s.positions));
    if (e == ERR_OK && !z->c->gate) e = z->c->async ? evaluator_swap(z->evaluator) : take_weights(z);
    az_shares_end(z, st.seconds, z->c->async ? 0 : z->s.seconds_learn - learned); // a gate's games are their own
    if (e == ERR_OK && z->c->gate) e = take_weights(z);
    return e == ERR_OK ? az_remote_weights(z, false) : e;
}

// --- the run

enum { SAVE_SECONDS = 5 };

void az_note(const az *z, char *buf, size_t n)
{
    int len = snprintf(buf, n,
                       "game = %s\nencoding = %s\nstep = %" PRIu64 "\ngames = %" PRIu64 "\npositions = %" PRIu64
                       "\nseed = %" PRIu64 "\nmade-by = keiko train %s (AlphaZero)\n",
                       z->g->name, z->enc->name, z->s.step, z->s.games, z->s.positions, z->seed, z->g->name);
    const char *teacher = z->c->teacher, *slash = agent_check(z->g, teacher) == ERR_OK ? NULL : strrchr(teacher, '/');
    if (*teacher != 0 && len > 0 && (size_t)len < n)
        snprintf(buf + len, n - (size_t)len, "teacher = %.200s\n", slash != NULL ? slash + 1 : teacher);
}

err az_set_note(az *z)
{
    char note[512];
    az_note(z, note, sizeof note);
    return nn_net_set_note(z->net, note);
}

static void az_free(az *z)
{
    selfplay_free(z->play);
    game_queue_free(z->finished);
    evaluator_free(z->evaluator);
    evaluator_free(z->teacher);
    replay_copy_free(z->copy);
    if (z->learner != NULL) z->trains_on->learner_free(z->learner);
    nn_net_free(z->net);
    nn_net_free(z->trained);
    replay_free(z->buffer);
    replay_batch_free(&z->batch);
    samples_shape_free(&z->shape);
    az_ratings_free(&z->r);
    openings_free(&z->set);
    text_free(&z->flight);
    text_free(&z->remote);
    pool_free(z->threads);
}

// The weights of --init. What a run has stored takes their place, so that a resumed one does not need the file.
static err begin_with(az *z, const char *file)
{
    nn_net *net;
    const encoding *enc;
    if (file == NULL || *file == 0 || z->resumes) return ERR_OK;
    err e = az_named_net(z->g, "init", file, &net, &enc);
    if (e != ERR_OK) return e;
    if (enc != z->enc || !nn_net_grow(z->net, net)) {
        char text[NN_TEXT];
        nn_desc_print(&net->desc, text, sizeof text);
        e = err_set(ERR_USAGE,
                    "--init %s: the network is another one: --net '%s' --encoding %s; only its blocks (b=) may become "
                    "more",
                    file, text, enc->name);
    }
    nn_net_free(net);
    return e;
}

// What the learner begins with: the network's weights, and random ones for the heads that only training uses.
static err make_trained(az *z)
{
    nn_desc d;
    err e = az_trained_desc(z->c, z->g, &z->net->desc, &d);
    if (e == ERR_OK) e = nn_net_new(&z->trained, &d, z->seed);
    if (e == ERR_OK) nn_net_take(z->trained, z->net);
    return e;
}

static err make_parts(az *z)
{
    const az_config *c = z->c;
    nn_desc d;
    nn_train_options to;
    replay_options ro = {(uint64_t)c->buffer_min, (uint64_t)c->buffer_max, c->buffer_share, z->o.home != NULL};
    if (ro.most < ro.least) return err_set(ERR_USAGE, "--buffer-max is smaller than --buffer-min");
    err e = game_encoding(z->g, c->encoding, &z->enc);
    if (e == ERR_OK) e = nn_backend_find(c->common.backend, &z->backend);
    if (e == ERR_OK) e = az_net_desc(c, z->g, z->enc, &d);
    if (e == ERR_OK) e = az_check_margin(c, z->g, &d);
    if (e == ERR_OK) e = nn_net_new(&z->net, &d, z->seed);
    if (e == ERR_OK) e = az_set_note(z);
    if (e == ERR_OK) e = eval_fit(z->g, z->net, z->enc->name, &z->enc);
    if (e == ERR_OK) e = begin_with(z, c->init);
    if (e == ERR_OK && (z->threads = pool_new(z->n_threads)) == NULL) e = err_set(ERR_MEMORY, "no memory for threads");
    if (e == ERR_OK) e = make_trained(z);
    if (e == ERR_OK) e = samples_shape_make(&z->shape, z->g, z->enc);
    if (e == ERR_OK) e = samples_shape_more(&z->shape, c->ownership > 0, c->reply > 0);
    if (e == ERR_OK) e = replay_new(&z->buffer, &z->shape, &ro);
    if (e == ERR_OK) e = az_train_options(c, z->threads, &to, &z->lr);
    if (e != ERR_OK) return e;
    z->trains_on = z->backend;
    e = z->trains_on->learner_new(&z->learner, z->trained, &to);
    if (e == ERR_MISSING) { // it runs networks but cannot train them
        if (!z->trial) log_warn("%s; learning on the CPU", err_text());
        z->trains_on = &nn_backend_cpu;
        e = z->trains_on->learner_new(&z->learner, z->trained, &to);
    }
    if (e != ERR_OK) return e;
    bool gpu = z->backend != &nn_backend_cpu;
    int64_t per = c->per_call > 0 ? c->per_call : gpu ? (c->in_flight + z->n_threads - 1) / z->n_threads : 16;
    eval_options eo = {.backend = z->backend->name,
                       .encoding = z->enc->name,
                       .precision = c->precision,
                       .max_batch = (int)(per * c->tree.leaves < 8192 ? per * c->tree.leaves : 8192),
                       .cache = (size_t)c->cache << 20};
    e = selfplay_new(&z->play, &z->shape, c, z->seed, z->n_threads, gpu);
    if (e == ERR_OK) e = game_queue_new(&z->finished);
    if (e == ERR_OK) e = evaluator_new(&z->evaluator, z->g, z->net, &eo);
    if (e == ERR_OK) e = az_teacher_make(z, &eo);
    if (e == ERR_OK) e = selfplay_save(z->play, &z->flight);
    return e == ERR_OK ? make_copy(z) : e; // last: it takes what memory the others leave
}

static bool rates(const az *z)
{
    return z->o.home != NULL && z->c->eval_every > 0;
}

// Seconds that the last rating and the last checkpoint will take: they count for a limit in minutes.
static double time_to_end(const az *z)
{
    if (z->o.home == NULL) return 0;
    return z->save_cost + (rates(z) && z->s.step > z->rated_step ? z->rate_cost : 0);
}

static bool limit_reached(const az *z)
{
    const az_config *c = z->c;
    if (c->common.steps > 0 && z->s.step >= (uint64_t)c->common.steps) return true;
    if (c->common.games > 0 && z->s.games >= (uint64_t)c->common.games) return true;
    if (c->evaluations > 0 && z->s.sims >= (uint64_t)c->evaluations) return true;
    double seconds = z->o.home != NULL ? run_seconds(z->o.home) : z->s.seconds_play + z->s.seconds_learn;
    double most = c->common.minutes * 60;
    return most > 0 && seconds + fmin(time_to_end(z), most / 2) >= most;
}

static bool rating_due(const az *z)
{
    bool first = z->s.step == 0 && z->r.n_past == 0; // the network that the run begins with
    return rates(z) && (first || z->s.step >= z->rated_step + (uint64_t)z->c->eval_every);
}

// Between two rounds. One that was due has become needless.
static err save_now(az *z)
{
    err e = z->c->async ? az_keep_flight(z) : ERR_OK;
    z->save_due = false;
    return e == ERR_OK ? az_save(z) : e;
}

// Rating may take minutes: what was learned before it must not be lost to a crash meanwhile.
static err rate_safely(az *z)
{
    err e = clock_seconds() - z->save_at > SAVE_SECONDS ? save_now(z) : ERR_OK;
    az_show(z);
    return e == ERR_OK ? az_rate(z, false) : e;
}

static bool save_due(const az *z)
{
    const train_remote *r = z->o.remote;
    return clock_seconds() - z->save_at >= z->c->checkpoint || (r != NULL && r->due(r->ctx));
}

static err loop(az *z, train_end *how)
{
    err e = ERR_OK;
    bool going = true;
    *how = TRAIN_LIMIT;
    while (e == ERR_OK && going && !limit_reached(z)) {
        // Before a round, not after it: a run stopped while rating begins with that when it is resumed.
        if (rating_due(z)) e = rate_safely(z);
        if (e == ERR_OK) e = one_round(z);
        if (e == ERR_OK) e = az_tell(z, false);
        z->s.net = z->net;
        if (e == ERR_OK && z->o.each != NULL) going = z->o.each(z->o.ctx, &z->s);
        bool stop = e == ERR_STOPPED || (e == ERR_OK && stop_requested());
        if (e == ERR_OK && !stop && save_due(z)) {
            // The learner's thread does it while the next round is played, unless a checkpoint also counts games from afar.
            z->save_due = z->c->async && z->o.remote == NULL;
            e = z->save_due ? az_keep_flight(z) : save_now(z);
        }
        if (stop) {
            *how = TRAIN_STOPPED;
            return z->half_done ? az_save_final(z) : save_now(z);
        }
    }
    if (e == ERR_OK && rates(z) && z->s.step > z->rated_step) {
        e = az_rate(z, true);
        if (e == ERR_STOPPED) e = ERR_OK, *how = TRAIN_STOPPED;
    }
    return e == ERR_OK ? save_now(z) : e;
}

static az az_of(const train_options *o, const az_config *c)
{
    return (az){.o = *o,
                .c = c,
                .g = o->g,
                .resumes = o->home != NULL && run_resumed(o->home) != NULL,
                .seed = (uint64_t)c->common.seed,
                .n_threads = c->common.threads > 0 ? (int)c->common.threads : cpu_count()};
}

err az_check(const train_options *o, const az_config *c)
{
    az z = az_of(o, c);
    z.trial = true;
    z.o.home = NULL;
    err e = make_parts(&z);
    if (e == ERR_OK) e = az_rate_check(&z);
    az_free(&z);
    return e;
}

err az_train(const train_options *o, const az_config *c, train_state *out, nn_net **net, train_end *how)
{
    if (!train_config_limited(&az_table, c) && o->each == NULL)
        return err_set(ERR_USAGE, "say how long to train: --minutes, --steps or --games");
    az z = az_of(o, c);
    train_end end = TRAIN_LIMIT;
    err e = make_parts(&z);
    if (e == ERR_OK && rates(&z)) e = az_ratings_open(&z.r, o->home);
    if (e == ERR_OK) e = az_resume(&z);
    if (e == ERR_OK) e = az_remote_begin(&z);
    if (e == ERR_OK) {
        z.log_at = z.save_at = clock_seconds();
        z.logged = evaluator_statistics(az_player(&z));
        e = loop(&z, &end);
    }
    if (e == ERR_OK) e = az_tell(&z, true);
    if (e == ERR_OK) e = az_keep_last(&z);
    if (e == ERR_OK && out != NULL) *out = z.s, out->net = NULL;
    if (e == ERR_OK && how != NULL) *how = end;
    if (e == ERR_OK && net != NULL) {
        *net = z.net;
        z.net = NULL;
    }
    az_free(&z);
    return e;
}
