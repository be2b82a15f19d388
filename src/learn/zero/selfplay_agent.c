// Games by an agent, for a network to learn from: what moves it chooses, and what it expects in each position. See selfplay.h.
//
// Each thread has one agent, which plays both seats. A game is a function of the seed and its number (as long as the agent has
// no limit in seconds), so there is nothing to keep of a game under way: a round is one whole game in every slot, and what is
// stopped in its middle is played again. Of the moves a share of `noise` is random, so that positions beside good play are met
// as well; what comes after such a move says nothing of the position before it (slot_detour).
#include "agents/agent.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "learn/zero/selfplay_inner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct player { // what one thread plays with
    agent *a;
    move_t *moves; // [max_legal]
    float *probs;
    void *obs;
    double seconds;
    err failed;
    char why[256];
} player;

struct agent_games {
    pool *threads; // of its own: the learner may be at work with the run's
    player *at;
    int n;
    selfplay *sp; // during a round
};

// Its move in this position, and what it expects.
static err ask(const selfplay *sp, const void *state, player *w, agent_choice *c)
{
    game_observe(sp->g, state, sp->g->seat(state), w->obs);
    err e = agent_choose(w->a, w->obs, c);
    if (e != ERR_OK) return e;
    if (c->value < 0) return err_set(ERR_USAGE, "it does not say what it expects of a position: use another agent");
    if (!sp->margins || c->has_margin) return ERR_OK;
    return err_set(ERR_USAGE, "it does not say by how much it expects to win: use another agent, or a --net without a "
                              "scalar head");
}

// One position is enough to refuse an agent that cannot teach, before there are games.
static err try_agent(const selfplay *sp, player *w)
{
    agent_choice c;
    agent_begin(w->a, (game_key){sp->seed, 0}, 0);
    return ask(sp, sp->at[0].state, w, &c);
}

err agent_games_new(agent_games **out, selfplay *sp, const char *spec, int threads)
{
    const game *g = sp->g;
    agent_games *t = calloc(1, sizeof *t);
    if (t == NULL) return err_set(ERR_MEMORY, "no memory for a teacher");
    t->threads = pool_new(threads);
    t->n = pool_threads(t->threads);
    t->at = calloc((size_t)t->n, sizeof *t->at);
    err e = t->at != NULL ? ERR_OK : err_set(ERR_MEMORY, "no memory for %d players", t->n);
    for (int i = 0; i < t->n && e == ERR_OK; i++) {
        player *p = &t->at[i];
        e = agent_open(&p->a, g, spec);
        p->moves = malloc((size_t)g->max_legal * sizeof *p->moves);
        p->probs = malloc((size_t)g->max_legal * sizeof *p->probs);
        p->obs = malloc(g->obs_size);
        if (e == ERR_OK && (!p->moves || !p->probs || !p->obs)) e = err_set(ERR_MEMORY, "no memory for players");
    }
    if (e == ERR_OK) e = try_agent(sp, &t->at[0]);
    return HAND_OVER(e, out, t, agent_games_free);
}

void agent_games_free(agent_games *t)
{
    if (t == NULL) return;
    for (int i = 0; t->at != NULL && i < t->n; i++) {
        player *p = &t->at[i];
        agent_close(p->a);
        FREE_ALL(p->moves, p->probs, p->obs);
    }
    pool_free(t->threads);
    free(t->at);
    free(t);
}

static err play_move(selfplay *sp, slot *p, player *w, move_t m)
{
    game_observe(sp->g, p->state, sp->g->seat(p->state), w->obs);
    agent_saw(w->a, w->obs, m);
    slot_play(sp, p, m);
    return p->failed;
}

// The agent is shown the game from its beginning, its opening included.
static err begin(selfplay *sp, slot *p, player *w)
{
    int plies = p->ply;
    agent_begin(w->a, (game_key){sp->seed, p->game}, 0);
    if (w->a->type->saw == NULL) return ERR_OK;
    p->ply = 0;
    err e = sp->g->init(p->state, "", (game_key){sp->seed, p->game});
    while (e == ERR_OK && p->ply < plies) e = play_move(sp, p, w, p->move[p->ply]);
    return e;
}

// The agent's move and opinion are recorded, and that move or a random one is played.
static err one_move(selfplay *sp, slot *p, player *w)
{
    const game *g = sp->g;
    const int n = g->legal(p->state, w->moves);
    agent_choice c;
    rng r = slot_draw(sp, DRAW_DETOUR, p);
    err e = ask(sp, p->state, w, &c);
    if (e != ERR_OK) return e;
    for (int k = 0; k < n; k++) w->probs[k] = w->moves[k] == c.move;
    slot_record(sp, p, w->moves, w->probs, n, 2 * c.value - 1, c.margin / (float)(g->rows * g->cols));
    p->st.moves++;
    if (n > 1 && rng_unit(&r) < sp->c->tree.noise) {
        slot_detour(sp, p);
        c.move = w->moves[rng_below(&r, (uint32_t)n)];
    }
    return p->failed == ERR_OK ? play_move(sp, p, w, c.move) : p->failed;
}

static err play_game(selfplay *sp, int i, slot *p, player *w)
{
    const game *g = sp->g;
    err e = begin(sp, p, w);
    while (e == ERR_OK && !g->result(p->state).over) {
        if (!sp->c->async && stop_requested()) sp->stopped = true;
        if (sp->stopped) return ERR_OK;
        if (endgame_reached(sp->end, p->state) && slot_play_out(sp, i, p)) break;
        e = one_move(sp, p, w);
    }
    if (e == ERR_OK) e = p->failed;
    if (e != ERR_OK) return e;
    slot_finish(sp, p, g->result(p->state).score, true);
    return p->failed == ERR_OK ? slot_start(sp, i, p) : p->failed;
}

static void game_task(void *ctx, int i, int worker)
{
    agent_games *t = ctx;
    player *w = &t->at[worker];
    slot *p = &t->sp->at[i];
    p->st = (selfplay_stats){0};
    slot_drop_games(p);
    if (t->sp->stopped || w->failed != ERR_OK) return;
    if (t->sp->c->async && stop_requested()) return; // this round goes on to its end, but begins no more games
    double start = clock_seconds();
    w->failed = play_game(t->sp, i, p, w);
    if (w->failed != ERR_OK) snprintf(w->why, sizeof w->why, "%s", err_text()); // sentences belong to their thread
    w->seconds += clock_seconds() - start;
}

err agent_games_play(agent_games *t, selfplay *sp, double *seconds)
{
    t->sp = sp;
    pool_run(t->threads, sp->n, game_task, t);
    err e = ERR_OK;
    *seconds = 0;
    for (int i = 0; i < t->n; i++) {
        player *w = &t->at[i];
        *seconds += w->seconds;
        w->seconds = 0;
        if (w->failed != ERR_OK && e == ERR_OK) e = err_set(w->failed, "--teacher %s: %s", w->a->spec, w->why);
        w->failed = ERR_OK;
    }
    return e;
}
