// See mcts_speed.h. The trees take turns in one thread: each collects its leaves, all are "evaluated", each backs up.
#include "search/mcts/mcts_speed.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench {
    const game *g;
    mcts_speed_plan plan;
    mcts **trees;
    int n;
    uint64_t next_game;
    char *states, *obs; // [n] the games; what a seat sees of one
    mcts_batch batch;
    uint64_t *bits; // encoded positions
    float *scalars;
    mcts_speed_report sum;
    uint64_t searches;
} bench;

static double now(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void constant(void *ctx, const mcts_batch *b)
{
    const bench *x = ctx;
    for (int i = 0; i < b->n; i++) {
        for (int k = 0; k < b->n_moves[i]; k++) b->priors[i][k] = 1.0f;
        b->values[i] = 0.0f;
    }
    if (x->plan.encode) x->g->encodings[0].encode(b->obs, b->n, x->bits, x->scalars);
}

static char *state_of(const bench *x, int i)
{
    return x->states + (size_t)i * x->g->state_size;
}

static const void *seen(const bench *x, int i)
{
    const char *s = state_of(x, i);
    game_observe(x->g, s, x->g->seat(s), x->obs);
    return x->obs;
}

static err first_move(bench *x, int i)
{
    uint64_t number = x->next_game++;
    err e = x->g->init(state_of(x, i), "", (game_key){1, number});
    if (e != ERR_OK) return e;
    mcts_rekey(x->trees[i], 1, number);
    mcts_set_root(x->trees[i], seen(x, i), 0);
    mcts_begin(x->trees[i], x->plan.sims, false);
    return ERR_OK;
}

static err next_move(bench *x, int i)
{
    mcts *m = x->trees[i];
    mcts_stats s = mcts_statistics(m);
    x->sum.sims += s.sims;
    x->sum.nodes += s.nodes;
    x->sum.bytes_per_node += s.bytes_per_node;
    x->sum.bytes_per_tree += (double)s.bytes;
    x->sum.mean_depth += s.mean_depth;
    x->searches++;
    move_t move = mcts_choose(m);
    if (move == MOVE_NONE) {
        x->sum.games++;
        return first_move(x, i);
    }
    x->sum.moves++;
    x->g->play(state_of(x, i), move, NULL);
    err e = mcts_advance(m, move, seen(x, i));
    mcts_begin(m, x->plan.sims, false);
    return e;
}

// Simulations of the searches under way.
static uint64_t sims_under_way(const bench *x)
{
    uint64_t n = 0;
    for (int i = 0; i < x->n; i++) n += mcts_statistics(x->trees[i]).sims;
    return n;
}

// All trees one round on. Finished searches are followed by the next move's or the next game's.
static err round_of_all(bench *x)
{
    x->batch.n = 0;
    for (int i = 0; i < x->n; i++) {
        if (i + 1 < x->n) mcts_prefetch(x->trees[i + 1]);
        while (mcts_done(x->trees[i])) {
            err e = next_move(x, i);
            if (e != ERR_OK) return e;
        }
        int k = mcts_collect(x->trees[i]);
        mcts_leaves(x->trees[i], &x->batch, x->batch.n);
        x->batch.n += k;
    }
    if (x->batch.n > 0) constant(x, &x->batch);
    x->sum.evals += (uint64_t)x->batch.n;
    int at = 0;
    for (int i = 0; i < x->n; i++) {
        int k = mcts_waiting(x->trees[i]);
        mcts_backup(x->trees[i], &x->batch, at);
        at += k;
    }
    return ERR_OK;
}

static err run_for(bench *x, double seconds)
{
    double until = now(CLOCK_MONOTONIC) + seconds;
    do {
        for (int i = 0; i < 256; i++) {
            err e = round_of_all(x);
            if (e != ERR_OK) return e;
        }
    } while (now(CLOCK_MONOTONIC) < until);
    return ERR_OK;
}

static err make(bench *x, const mcts_options *o)
{
    mcts_options with = *o;
    with.temperature = 1.0f;
    with.temperature_plies = 0;
    size_t n = (size_t)x->n, k = n * (size_t)(o->leaves > 0 ? o->leaves : 1);
    const encoding *e = &x->g->encodings[0];
    x->trees = calloc(n, sizeof *x->trees);
    x->states = calloc(n, x->g->state_size);
    x->obs = calloc(1, x->g->obs_size > x->g->state_size ? x->g->obs_size : x->g->state_size);
    x->batch.obs = calloc(k, sizeof *x->batch.obs);
    x->batch.moves = calloc(k, sizeof *x->batch.moves);
    x->batch.n_moves = calloc(k, sizeof *x->batch.n_moves);
    x->batch.priors = calloc(k, sizeof *x->batch.priors);
    x->batch.values = calloc(k, sizeof *x->batch.values);
    x->bits = calloc(k * (size_t)(e->planes * game_plane_words(x->g)), sizeof *x->bits);
    x->scalars = calloc(k * (size_t)e->scalars + 1, sizeof *x->scalars);
    if (!x->trees || !x->states || !x->obs || !x->batch.obs || !x->batch.moves || !x->batch.n_moves ||
        !x->batch.priors || !x->batch.values || !x->bits || !x->scalars)
        return err_set(ERR_MEMORY, "no memory for %d trees", x->n);
    for (int i = 0; i < x->n; i++) {
        err r = mcts_new(x->g, &with, &x->trees[i]);
        if (r == ERR_OK) r = first_move(x, i);
        if (r != ERR_OK) return r;
    }
    return ERR_OK;
}

err mcts_speed(const game *g, const mcts_options *o, const mcts_speed_plan *plan, mcts_speed_report *out)
{
    bench x = {.g = g, .plan = *plan, .n = plan->trees > 0 ? plan->trees : 1};
    if (x.plan.sims == 0) x.plan.sims = 800;
    if (!(x.plan.seconds > 0)) x.plan.seconds = 1;
    err e = make(&x, o);
    if (e == ERR_OK) e = run_for(&x, x.plan.seconds / 10);
    if (e == ERR_OK) {
        x.sum = (mcts_speed_report){0};
        x.searches = 0;
        uint64_t before = sims_under_way(&x);
        double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
        e = run_for(&x, x.plan.seconds);
        x.sum.seconds = now(CLOCK_MONOTONIC) - wall;
        x.sum.cpu_seconds = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
        x.sum.sims += sims_under_way(&x) - before;
    }
    if (e == ERR_OK) {
        double searches = x.searches > 0 ? (double)x.searches : 1;
        x.sum.sims_per_second = (double)x.sum.sims / x.sum.cpu_seconds;
        x.sum.nodes /= searches;
        x.sum.bytes_per_node /= searches;
        x.sum.bytes_per_tree /= searches;
        x.sum.mean_depth /= searches;
        *out = x.sum;
    }
    for (int i = 0; x.trees != NULL && i < x.n; i++) mcts_free(x.trees[i]);
    FREE_ALL(x.trees, x.states, x.obs, x.batch.obs, x.batch.moves, x.batch.n_moves, x.batch.priors, x.batch.values,
             x.bits, x.scalars);
    return e;
}
