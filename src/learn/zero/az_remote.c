// Workers elsewhere: their games into the round, the round's weights to them. See train_remote in learn/train.h.
#include "base/clock.h"
#include "base/stop.h"
#include "learn/zero/az_inner.h"

#include <math.h>

enum { POSITIONS_LEAST = 1024, POSITIONS_MOST = 32768, ROUND_STEPS = 200 };
#define ROUND_WAIT 0.25 // seconds for the first game of a round, where nothing is played here
#define ROUND_MOST 1.0  // seconds of one round's taking in

bool az_plays(const az *z)
{
    return z->o.remote == NULL || z->o.remote->play;
}

err az_remote_begin(az *z)
{
    const train_remote *r = z->o.remote;
    text_buf config = {0};
    if (r == NULL) return ERR_OK;
    err e = opt_config_print(az_opts, az_n_opts, z->c, az_table.machine, &config);
    if (e == ERR_OK) e = text_check(&config);
    if (e == ERR_OK)
        e = r->begin(r->ctx, &z->shape, text_str(&config), z->remote.len > 0 ? z->remote.data : NULL, z->remote.len);
    text_free(&config);
    return e == ERR_OK ? az_remote_weights(z, true) : e;
}

static double entropy(const samples *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->moves; k++) {
        double p = s->prob[k] / 65535.0;
        if (p > 0) sum -= p * log(p);
    }
    return sum;
}

static void count(selfplay_stats *st, const finished_game *g)
{
    st->games++;
    st->positions += g->s.n;
    st->plies += g->plies;
    st->moves += g->plies;
    st->sims += g->sims;
    st->first_wins += g->halves == 2;
    st->draws += g->halves == 1;
    st->targets += g->s.n;
    st->entropy += entropy(&g->s);
    st->resigned += g->resigned;
}

// Positions of one round at most: few enough that learning from them takes seconds. What is not taken waits with the sender.
static size_t most_positions(const az *z)
{
    double n = ROUND_STEPS * (double)z->c->batch / z->c->samples;
    return n < POSITIONS_LEAST ? POSITIONS_LEAST : n > POSITIONS_MOST ? POSITIONS_MOST : (size_t)n;
}

err az_remote_take(az *z, samples *made, selfplay_stats *st, uint64_t *games)
{
    const train_remote *r = z->o.remote;
    double begun = clock_seconds(), wait = az_plays(z) ? 0 : ROUND_WAIT;
    size_t first = made->n, most = most_positions(z);
    bool got = true;
    err e = ERR_OK;
    *games = 0;
    while (r != NULL && e == ERR_OK && got && made->n - first < most && !stop_requested() &&
           clock_seconds() - begun < ROUND_MOST) {
        finished_game g = {0};
        e = r->take(r->ctx, wait, &g, &got);
        if (e != ERR_OK || !got) break;
        // A learner that went back to a checkpoint may be younger than the weights it gave away.
        for (size_t i = 0; i < g.s.n; i++)
            if (g.s.step[i] > z->s.step) g.s.step[i] = (uint32_t)z->s.step;
        count(st, &g);
        e = samples_append(made, &z->shape, &g.s);
        finished_game_free(&g);
        ++*games;
        wait = 0;
    }
    if (r != NULL && !az_plays(z)) z->s.seconds_play += clock_seconds() - begun;
    return e;
}

err az_remote_weights(az *z, bool now)
{
    const train_remote *r = z->o.remote;
    if (r == NULL) return ERR_OK;
    double at = clock_seconds();
    if (!now && (z->s.step == z->sent_step || at - z->sent_at < r->every)) return ERR_OK;
    z->sent_at = at;
    z->sent_step = z->s.step;
    return r->weights(r->ctx, z->net, z->s.step);
}
