// Games by the network's policy, labelled by its margin: the many cheap rows of the Othello tuner. See tune_othello.h.
#include "base/clock.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/stop.h"
#include "eval/eval.h"
#include "learn/tune/tune_othello_inner.h"
#include "search/othello/oth_tables.h"
#include "search/othello/oth_worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPENING_MANY = 21, // random plies at the start are fewer
    STRAY = 16,        // later, one move in this many is random
    HELD_OUT = 100,    // one game in this many is kept for measuring
    TABLE_LOG2 = 15,
    ROWS_PER_GAME = 2 * OTH_SQUARES, // the game's positions and one beside each
};

typedef struct net_game {
    oth_board b;
    rng r;
    int opening; // random plies to come
    bool over, held;
} net_game;

// What one thread plays a block with.
typedef struct net_lane {
    net_game *game; // [lanes]
    oth_state *state;
    const void **obs;
    move_t (*list)[OTH_MAX_MOVES];
    float (*prior)[OTH_MAX_MOVES];
    const move_t **moves;
    float **priors;
    int *n_moves, *of; // of: the game, or ~game for a position beside it
    float *values, *margins;
    tune_row *rows; // [lanes * ROWS_PER_GAME]
    int n_rows;
    oth_tt tt;
    bool ready;
} net_lane;

typedef struct net_job {
    const tune_options *o;
    evaluator *ev;
    double deadline;
    tune_data *d;
    int first; // block of task 0
    net_lane *lane;
    err *failed; // [workers]
} net_job;

static err lane_open(net_lane *l, int lanes)
{
    size_t n = (size_t)lanes, m = 2 * n;
    l->game = calloc(n, sizeof *l->game);
    l->state = calloc(m, sizeof *l->state);
    l->obs = calloc(m, sizeof *l->obs);
    l->list = calloc(m, sizeof *l->list);
    l->prior = calloc(m, sizeof *l->prior);
    l->moves = calloc(m, sizeof *l->moves);
    l->priors = calloc(m, sizeof *l->priors);
    l->n_moves = calloc(m, sizeof *l->n_moves);
    l->of = calloc(m, sizeof *l->of);
    l->values = calloc(m, sizeof *l->values);
    l->margins = calloc(m, sizeof *l->margins);
    l->rows = calloc(n * ROWS_PER_GAME, sizeof *l->rows);
    if (!l->game || !l->state || !l->obs || !l->list || !l->prior || !l->moves || !l->priors || !l->n_moves || !l->of ||
        !l->values || !l->margins || !l->rows)
        return err_set(ERR_MEMORY, "no memory for %d games at once", lanes);
    for (size_t i = 0; i < m; i++) {
        l->obs[i] = &l->state[i];
        l->moves[i] = l->list[i];
        l->priors[i] = l->prior[i];
    }
    return oth_tt_new(&l->tt, TABLE_LOG2);
}

static void lane_close(net_lane *l)
{
    FREE_ALL(l->game, l->state, l->obs, l->list, l->prior, l->moves, l->priors, l->n_moves, l->of, l->values,
             l->margins, l->rows);
    oth_tt_free(&l->tt);
}

static void add_row(net_lane *l, const net_game *g, oth_board b, double discs, bool exact)
{
    int n = OTH_SQUARES - oth_count(oth_empty(b));
    if (n < OTH_STAGE_FIRST) return;
    l->rows[l->n_rows++] = (tune_row){
        .b = b, .label = (int16_t)lrint(discs * OTH_EVAL_UNIT), .discs = (uint8_t)n, .held = g->held, .sure = exact};
}

// A position a random move or two away, with a move to play; false when there is none such.
static bool beside(net_game *g, oth_board b, oth_board *out)
{
    for (int plies = 1 + (int)rng_below(&g->r, 2); plies > 0; plies--) {
        uint64_t moves = oth_moves(b);
        if (moves == 0) return false;
        b = oth_play(b, tune_pick(moves, &g->r));
    }
    *out = b;
    return oth_moves(b) != 0;
}

// The rest of a game, solved: every position, and one beside each.
static void finish_game(net_lane *l, net_game *g, int guess)
{
    oth_worker s = {.tt = &l->tt, .small = &l->tt};
    oth_board other;
    for (;;) {
        int value, sq = tune_search(&s, g->b, 0, OTH_SQUARES, guess, &value);
        add_row(l, g, g->b, value, true);
        if (beside(g, g->b, &other)) {
            int v;
            tune_search(&s, other, 0, OTH_SQUARES, 0, &v);
            add_row(l, g, other, v, true);
        }
        g->b = oth_play(g->b, sq);
        guess = -value;
        if (oth_moves(g->b) == 0) {
            g->b = oth_pass(g->b);
            guess = -guess;
            if (oth_moves(g->b) == 0) break;
        }
    }
    g->over = true;
}

// Brings a game to a position that the network is to see, or to its end.
static void advance(const net_job *j, net_lane *l, net_game *g, int guess)
{
    while (!g->over) {
        uint64_t moves = oth_moves(g->b);
        if (moves == 0) {
            g->b = oth_pass(g->b);
            guess = -guess;
            moves = oth_moves(g->b);
        }
        if (moves == 0) {
            g->over = true;
        } else if (oth_count(oth_empty(g->b)) <= j->o->net_exact) {
            finish_game(l, g, guess);
        } else if (g->opening > 0) {
            g->opening--;
            g->b = oth_play(g->b, tune_pick(moves, &g->r));
        } else {
            return;
        }
    }
}

static void ask(net_lane *l, int *n, oth_board b, int of)
{
    l->state[*n] = (oth_state){.b = b};
    l->n_moves[*n] = 0;
    l->of[*n] = of;
    if (of >= 0)
        for (uint64_t m = oth_moves(b); m != 0; m &= m - 1) l->list[*n][l->n_moves[*n]++] = (move_t)__builtin_ctzll(m);
    l->values[*n] = l->margins[*n] = 0;
    memset(l->prior[*n], 0, sizeof l->prior[*n]);
    ++*n;
}

// A move by the network's probabilities, which are logits where the evaluator says so.
static int choose(net_game *g, const float *prior, const move_t *list, int n, bool logits)
{
    if (rng_below(&g->r, STRAY) == 0) return list[rng_below(&g->r, (uint32_t)n)];
    double p[OTH_MAX_MOVES], sum = 0, top = prior[0];
    for (int i = 1; i < n; i++) top = prior[i] > top ? prior[i] : top;
    for (int i = 0; i < n; i++) sum += p[i] = logits ? exp(prior[i] - top) : prior[i];
    double at = rng_unit(&g->r) * sum;
    int i = 0;
    while (i < n - 1 && at >= p[i]) at -= p[i++];
    return list[i];
}

static err play_block(const net_job *j, net_lane *l, int number)
{
    int lanes = j->o->lanes, n;
    bool logits = evaluator_logits(j->ev);
    l->n_rows = 0;
    oth_tt_clear(&l->tt);
    for (int i = 0; i < lanes; i++) {
        uint64_t which = (uint64_t)number * (uint64_t)lanes + (uint64_t)i;
        net_game *g = &l->game[i];
        *g = (net_game){.b = oth_start(), .r = rng_at(j->o->seed, which, 0), .held = which % HELD_OUT == 0};
        g->opening = (int)rng_below(&g->r, OPENING_MANY);
        advance(j, l, g, 0);
    }
    do {
        n = 0;
        for (int i = 0; i < lanes; i++) {
            net_game *g = &l->game[i];
            oth_board other;
            if (g->over) continue;
            ask(l, &n, g->b, i);
            if (beside(g, g->b, &other)) ask(l, &n, other, ~i);
        }
        mcts_batch b = {.n = n,
                        .obs = l->obs,
                        .moves = l->moves,
                        .n_moves = l->n_moves,
                        .priors = l->priors,
                        .values = l->values,
                        .margins = l->margins};
        err e = n > 0 ? evaluator_raw(j->ev, &b) : ERR_OK;
        if (e != ERR_OK) return e;
        for (int k = 0; k < n; k++) {
            int i = l->of[k] < 0 ? ~l->of[k] : l->of[k];
            net_game *g = &l->game[i];
            add_row(l, g, l->state[k].b, OTH_SQUARES * (double)l->margins[k], false);
            if (l->of[k] < 0) continue;
            g->b = oth_play(g->b, choose(g, l->prior[k], l->list[k], l->n_moves[k], logits));
            advance(j, l, g, -(int)lrint(OTH_SQUARES * (double)l->margins[k]));
        }
    } while (n > 0 && !stop_requested());
    return ERR_OK;
}

static void net_task(void *ctx, int task, int worker)
{
    net_job *j = ctx;
    if (stop_requested() || j->failed[worker] != ERR_OK) return;
    if (j->deadline > 0 && clock_seconds() >= j->deadline) return;
    net_lane *l = &j->lane[worker];
    err e = ERR_OK;
    if (!l->ready) {
        e = lane_open(l, j->o->lanes);
        l->ready = e == ERR_OK;
    }
    int number = j->first + task;
    if (e == ERR_OK) e = play_block(j, l, number);
    if (e == ERR_OK && !stop_requested()) e = tune_block_fill(&j->d->block[number], l->rows, l->n_rows);
    j->failed[worker] = e;
}

static err label_blocks(const tune_options *o, pool *p, double deadline, tune_data *d)
{
    int workers = pool_threads(p), blocks = (int)((o->net_games * o->scale + o->lanes - 1) / o->lanes);
    net_job j = {.o = o, .deadline = deadline, .d = d, .first = d->n};
    const game *g = NULL;
    j.lane = calloc((size_t)workers, sizeof *j.lane);
    j.failed = calloc((size_t)workers, sizeof *j.failed);
    err e = j.lane != NULL && j.failed != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for %d threads", workers);
    if (e == ERR_OK) e = game_find("othello", &g);
    if (e == ERR_OK)
        e = evaluator_open(&j.ev, g, o->model != NULL ? o->model : "othello",
                           &(eval_options){.backend = o->backend, .lanes = workers});
    if (e == ERR_OK && !evaluator_margins(j.ev))
        e = err_set(ERR_USAGE, "the network has no margin to label positions with: it needs a scalar head");
    if (e == ERR_OK) e = tune_data_room(d, blocks);
    if (e == ERR_OK) {
        pool_run(p, blocks, net_task, &j);
        e = stop_check();
        for (int i = 0; e == ERR_OK && i < workers; i++)
            if (j.failed[i] != ERR_OK) e = err_set(j.failed[i], "the network failed while it labelled positions");
    }
    tune_data_trim(d);
    for (int i = 0; j.lane != NULL && i < workers; i++) lane_close(&j.lane[i]);
    evaluator_release(j.ev);
    free(j.lane);
    free(j.failed);
    return e;
}

err tune_net(const tune_options *o, pool *p, double deadline, tune_data *d)
{
    const nn_backend *b;
    oth_tables_init();
    err e = nn_backend_find(o->backend != NULL ? o->backend : "auto", &b);
    if (e != ERR_OK || !b->async) return e != ERR_OK ? e : label_blocks(o, p, deadline, d);
    pool *more = pool_new(2 * pool_threads(p)); // half of them wait for the GPU while the others solve endgames
    e = label_blocks(o, more, deadline, d);
    pool_free(more);
    return e;
}
