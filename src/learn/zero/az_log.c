// What people see of a run: the line on the screen and the lines of log.jsonl. See az.h.
#include "base/clock.h"
#include "learn/zero/az_inner.h"

#include <stdio.h>
#include <string.h>

enum { LOG_SECONDS = 2 };

typedef char head_names[NN_MAX_HEADS][32];

// "loss_policy", "loss_policy2", "loss_value": as the log has them; people see what follows LOSS_PREFIX.
#define LOSS_PREFIX "loss_"
static void name_heads(const nn_desc *d, head_names name)
{
    int seen[NN_KINDS] = {0};
    for (int h = 0; h < d->n_heads; h++) {
        const char *kind = d->head[h].kind == NN_BOARD ? "ownership" : nn_kind_name(d->head[h].kind);
        if (seen[d->head[h].kind]++ > 0)
            snprintf(name[h], sizeof name[h], LOSS_PREFIX "%s%d", kind, seen[d->head[h].kind]);
        else
            snprintf(name[h], sizeof name[h], LOSS_PREFIX "%s", kind);
    }
}

static void pace_of(const az *z, run_pace *p, head_names name, run_value losses[NN_MAX_HEADS + 1], double seconds)
{
    const nn_desc *d = &z->trained->desc;
    int n = 0;
    losses[n++] = (run_value)RUN_N("loss", z->s.loss);
    for (int h = 0; h < d->n_heads && d->n_heads > 1; h++)
        if (z->s.by_head[h] != 0) losses[n++] = (run_value)RUN_N(name[h] + strlen(LOSS_PREFIX), z->s.by_head[h]);
    *p = (run_pace){.step = (int64_t)z->s.step,
                    .steps = z->c->common.steps,
                    .games = (int64_t)z->s.games,
                    .games_most = z->c->common.games,
                    .seconds_most = z->c->common.minutes * 60,
                    .games_s = seconds > 0 ? (double)z->st.games / seconds : 0,
                    .positions_s = seconds > 0 ? (double)z->st.positions / seconds : 0,
                    .sims_s = seconds > 0 ? (double)z->st.sims / seconds : 0,
                    .losses = losses,
                    .n_losses = z->s.step > 0 ? n : 0,
                    .has_elo = z->s.rated,
                    .elo = z->s.elo,
                    .elo_error = (z->s.elo_high - z->s.elo_low) / 2,
                    .buffer = (int64_t)replay_window(z->buffer),
                    .lr = nn_lr_at(&z->lr, z->s.step)};
}

static err log_learn(az *z, head_names name)
{
    const nn_desc *d = &z->trained->desc;
    double n = (double)z->steps_logged;
    run_value v[NN_MAX_HEADS + 8];
    int k = 0;
    v[k++] = (run_value)RUN_N("loss", z->loss_sum / n);
    for (int h = 0; h < d->n_heads; h++)
        if (z->head_sum[h] != 0) v[k++] = (run_value)RUN_N(name[h], z->head_sum[h] / n);
    v[k++] = (run_value)RUN_N("lr", nn_lr_at(&z->lr, z->s.step));
    v[k++] = (run_value)RUN_N("grad_norm", z->grad_sum / n);
    v[k++] = (run_value)RUN_N("samples", z->drawn);
    v[k++] = (run_value)RUN_N("reuse", z->s.positions > 0 ? (double)z->drawn / (double)z->s.positions : 0);
    z->loss_sum = z->grad_sum = 0;
    memset(z->head_sum, 0, sizeof z->head_sum);
    z->steps_logged = 0;
    return run_log(z->o.home, "learn", (int64_t)z->s.step, v, k);
}

static err log_play(az *z, double seconds)
{
    const selfplay_stats *st = &z->st;
    double games = st->games > 0 ? (double)st->games : 1;
    double checked = st->resign_checked > 0 ? (double)st->resign_checked : 1;
    run_value v[16] = {RUN_N("games", z->s.games),
                       RUN_N("positions", z->s.positions),
                       RUN_N("games_s", (double)st->games / seconds),
                       RUN_N("positions_s", (double)st->positions / seconds),
                       RUN_N("moves_s", (double)st->moves / seconds),
                       RUN_N("length", (double)st->plies / games),
                       RUN_N("entropy", st->targets > 0 ? st->entropy / (double)st->targets : 0),
                       RUN_N("draws", st->draws / games),
                       RUN_N("first_wins", st->first_wins / games),
                       RUN_N("buffer", replay_window(z->buffer)),
                       RUN_N("staleness", z->staleness)};
    int n = 11;
    bool searched = st->sims > 0; // else an agent played
    if (searched) v[n++] = (run_value)RUN_N("sims_s", (double)st->sims / seconds);
    if (searched && az_plays(z)) { // workers keep their own evaluators
        v[n++] = (run_value)RUN_N("batch_fill", z->s.batch_fill);
        v[n++] = (run_value)RUN_N("cache_hits", z->s.cache_hits);
    }
    if (searched && st->resign_checked > 0)
        v[n++] = (run_value)RUN_N("resign_wrong", (double)st->resign_wrong / checked);
    return run_log(z->o.home, "selfplay", (int64_t)z->s.step, v, n);
}

// One of the games that ended, for people: how it plays now. All texts, so that no chart draws them.
static err log_game(az *z)
{
    text_buf moves = {0};
    float score;
    err e = ERR_OK;
    int which = (int)(z->shown++ % SELFPLAY_SHOWN);
    if (selfplay_show(z->play, which, &moves, &score))
        e = RUN_LOG(z->o.home, "game", (int64_t)z->s.step, RUN_T("moves", text_str(&moves)),
                    RUN_T("score", score == 1   ? "1"
                                   : score == 0 ? "0"
                                                : "0.5"));
    text_free(&moves);
    return e;
}

static err log_times(az *z)
{
    const train_state *s = &z->s;
    err e = RUN_LOG(z->o.home, "time", (int64_t)s->step, RUN_N("selfplay", s->seconds_play - z->logged_play),
                    RUN_N("learn", s->seconds_learn - z->logged_learn), RUN_N("eval", s->seconds_rate - z->logged_rate),
                    RUN_N("save", s->seconds_save - z->logged_save));
    z->logged_play = s->seconds_play;
    z->logged_learn = s->seconds_learn;
    z->logged_rate = s->seconds_rate;
    z->logged_save = s->seconds_save;
    return e;
}

void az_show(az *z)
{
    run_pace p;
    run_value losses[NN_MAX_HEADS + 1];
    head_names name;
    name_heads(&z->trained->desc, name);
    pace_of(z, &p, name, losses, 0);
    run_show(z->o.home, &p);
}

err az_tell(az *z, bool last)
{
    double now = clock_seconds(), seconds = now - z->log_at;
    eval_stats e = evaluator_statistics(az_player(z));
    uint64_t asked = e.positions - z->logged.positions, room = e.room - z->logged.room;
    if (asked > 0) z->s.cache_hits = (double)(e.hits - z->logged.hits) / (double)asked;
    if (room > 0) z->s.batch_fill = (double)(e.run - z->logged.run) / (double)room;
    run_pace p;
    run_value losses[NN_MAX_HEADS + 1];
    head_names name;
    name_heads(&z->trained->desc, name);
    double made = seconds - (z->s.seconds_rate - z->logged_rate);
    if (!z->c->async) made -= z->s.seconds_save - z->logged_save; // else play went on meanwhile
    pace_of(z, &p, name, losses, made); // rates are those of rounds: rating and saving have their own line
    if (z->o.home == NULL) return ERR_OK;
    if (!last) run_show(z->o.home, &p);
    if (seconds < LOG_SECONDS && !last) return ERR_OK;
    err r = z->steps_logged > 0 ? log_learn(z, name) : ERR_OK;
    if (r == ERR_OK && z->st.moves > 0) r = log_play(z, made);
    if (r == ERR_OK && z->st.sims > 0 && az_plays(z)) r = az_shares_log(z);
    if (r == ERR_OK && z->st.games > 0 && az_plays(z)) r = log_game(z);
    if (r == ERR_OK) r = log_times(z);
    z->st = (selfplay_stats){0};
    z->logged = e;
    z->log_at = now;
    return r;
}
