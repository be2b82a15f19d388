// See selfplay.h. selfplay_save.c has the games in flight as bytes.
#include "base/memory.h"
#include "base/stop.h"
#include "learn/zero/selfplay_inner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CPU_PER_CALL = 16,
    RESIGN_RUN = 3,         // searches in a row below the mark
    TREE_MEMORY = 64 << 20, // bytes per tree at most; it grows as needed
};

rng slot_draw(const selfplay *sp, slot_purpose purpose, const slot *p)
{
    return rng_at(rng_mix(sp->seed ^ (uint64_t)purpose << 56), p->game, (uint32_t)p->ply);
}

// --- one game

static bool remember_move(slot *p, move_t m)
{
    if (!GROW(p->move, p->ply, p->move_room)) return false;
    p->move[p->ply++] = m;
    return true;
}

// A slot that has failed does not go on: selfplay_round says why.
void slot_play(selfplay *sp, slot *p, move_t m)
{
    if (!remember_move(p, m)) p->failed = ERR_MEMORY;
    if (p->failed == ERR_OK) sp->g->play(p->state, m, NULL);
}

static void play_even_line(selfplay *sp, slot *p, rng *r)
{
    const opening *line = openings_at(&sp->even, rng_below(r, sp->even.n));
    for (int k = 0; k < line->plies && p->failed == ERR_OK; k++) slot_play(sp, p, line->moves[k]);
}

static void play_random_moves(selfplay *sp, int i, slot *p, rng *r)
{
    int plies = 1 + (int)rng_below(r, (uint32_t)sp->c->openings);
    move_t *legal = sp->moves + (size_t)i * (size_t)sp->g->max_legal;
    for (int k = 0; k < plies && p->failed == ERR_OK; k++) {
        int n = sp->g->legal(p->state, legal);
        if (n == 0) break;
        slot_play(sp, p, legal[rng_below(r, (uint32_t)n)]);
    }
}

err slot_start(selfplay *sp, int i, slot *p)
{
    const game *g = sp->g;
    p->game = p->begun++ * (uint64_t)sp->n + (uint64_t)i;
    p->ply = p->opening = 0;
    p->low[0] = p->low[1] = 0;
    p->gives_up = -1;
    p->sims = 0;
    p->settled = 0;
    samples_clear(&p->pending);
    rng r = slot_draw(sp, DRAW_RESIGN, p);
    p->checks = rng_unit(&r) < sp->c->resign_check;
    err e = g->init(p->state, "", (game_key){sp->seed, p->game});
    if (e != ERR_OK) return e;
    r = slot_draw(sp, DRAW_EVEN, p);
    if (sp->even.n > 0 && rng_unit(&r) < sp->c->even) play_even_line(sp, p, &r);
    r = slot_draw(sp, DRAW_OPENING, p);
    if (p->ply == 0 && sp->c->openings > 0 && rng_unit(&r) < sp->c->openings_share) play_random_moves(sp, i, p, &r);
    p->opening = p->ply;
    if (!g->result(p->state).over) return ERR_OK;
    p->ply = p->opening = 0; // over before it began: from the start instead
    return g->init(p->state, "", (game_key){sp->seed, p->game});
}

// The game goes with its samples; those of the next one begin anew.
static void keep_game(const selfplay *sp, slot *p, const float score[2], bool real)
{
    if (!GROW(p->done, p->n_done, p->done_room)) {
        p->failed = ERR_MEMORY;
        return;
    }
    p->done[p->n_done++] = (finished_game){.id = p->game,
                                           .weights = sp->step,
                                           .plies = (uint32_t)p->ply,
                                           .halves = (uint8_t)(2 * score[0]),
                                           .resigned = !real,
                                           .sims = p->sims,
                                           .s = p->pending};
    p->pending = (samples){0};
}

// The first slots remember their last game.
static void remember_game(const selfplay *sp, slot *p, float score)
{
    if (p - sp->at >= SELFPLAY_SHOWN) return;
    move_t *copy = realloc(p->last, (size_t)(p->ply > 0 ? p->ply : 1) * sizeof *copy);
    if (copy == NULL) return; // nobody needs it
    memcpy(copy, p->move, (size_t)p->ply * sizeof *copy);
    p->last = copy;
    p->n_last = p->ply;
    p->last_game = p->game;
    p->last_score = score;
}

void slot_drop_games(slot *p)
{
    for (int i = 0; i < p->n_done; i++) finished_game_free(&p->done[i]);
    p->n_done = 0;
}

// Who owns the squares in the end, which the positions from `from` on learn, and what was answered: known now.
static void add_later(const selfplay *sp, slot *p, size_t from, bool real)
{
    samples *s = &p->pending;
    size_t words = sp->sh->owners / 2, bytes = words * sizeof(uint64_t);
    uint64_t owner[2][GAME_MAX_WORDS];
    bool known = words > 0 && real && sp->g->result(p->state).over;
    if (known) sp->g->owners(p->state, owner[0], owner[1]);
    for (size_t i = 0; i < s->n; i++) {
        for (int k = 0; k < 2 && known && i >= from; k++)
            memcpy(s->owner + (2 * i + (size_t)k) * words, owner[k ^ s->seat[i]], bytes);
        if (!sp->sh->reply) continue;
        int answer = s->reply[i] + 1; // it held the ply, or MOVE_NONE, which is behind every ply
        s->reply[i] = answer < p->ply ? p->move[answer] : MOVE_NONE;
    }
}

// The target of a position whose search said `own`: `later` (for seat 0) is what came after it, and becomes what the position
// before it looks ahead to.
static float look_ahead(const selfplay *sp, float *later, float sign, float own)
{
    float mix = (float)sp->c->mix, lambda = (float)sp->c->lambda, target = (1 - mix) * sign * *later + mix * own;
    *later = lambda * *later + (1 - lambda) * sign * own;
    return target;
}

// What searches said of the positions from p->settled on becomes targets; `later` and `margin` are what came after them.
static void settle(selfplay *sp, slot *p, float later, float margin)
{
    samples *s = &p->pending;
    for (size_t i = s->n; i-- > p->settled;) {
        float sign = s->seat[i] == 0 ? 1.0f : -1.0f;
        s->value[i] = look_ahead(sp, &later, sign, s->value[i]);
        s->margin[i] = look_ahead(sp, &margin, sign, sp->margins ? s->margin[i] : sign * margin);
    }
    p->settled = s->n;
}

void slot_detour(selfplay *sp, slot *p)
{
    samples *s = &p->pending;
    if (s->n == 0) return;
    float sign = s->seat[s->n - 1] == 0 ? 1.0f : -1.0f;
    settle(sp, p, sign * s->value[s->n - 1], sign * s->margin[s->n - 1]);
    for (size_t i = s->n; sp->sh->reply && i-- > 0 && i + 2 >= s->n;) s->reply[i] = MOVE_NONE;
}

void slot_finish(selfplay *sp, slot *p, const float score[2], bool real)
{
    samples *s = &p->pending;
    float result = 2 * score[0] - 1;
    size_t from = p->settled;
    settle(sp, p, result, !real ? result : sp->g->margin != NULL ? sp->g->margin(p->state, 0) : 0);
    add_later(sp, p, from, real);
    selfplay_stats *st = &p->st;
    st->games++;
    st->plies += (uint64_t)p->ply;
    st->positions += s->n;
    keep_game(sp, p, score, real);
    remember_game(sp, p, score[0]);
    st->first_wins += score[0] == 1;
    st->draws += score[0] == 0.5f;
    if (real && p->gives_up >= 0) {
        st->resign_checked++;
        st->resign_wrong += score[p->gives_up] > 0;
    }
}

void slot_record(selfplay *sp, slot *p, const move_t *moves, const float *probs, int n, float value, float margin)
{
    double h = 0;
    for (int k = 0; k < n; k++)
        if (probs[k] > 0) h -= probs[k] * log(probs[k]);
    p->st.entropy += h;
    p->st.targets++;
    err e =
        samples_add(&p->pending, sp->sh, p->state, sp->g->seat(p->state), moves, probs, n, value, (uint32_t)sp->step);
    if (e != ERR_OK) p->failed = e;
    if (e == ERR_OK && sp->margins) p->pending.margin[p->pending.n - 1] = fmaxf(-1, fminf(1, margin));
    if (e == ERR_OK && sp->sh->reply) p->pending.reply[p->pending.n - 1] = (uint16_t)p->ply;
}

bool slot_play_out(selfplay *sp, int i, slot *p)
{
    move_t *best = sp->moves + (size_t)i * (size_t)sp->g->max_legal, all[256];
    float *probs = sp->probs + (size_t)i * (size_t)sp->g->max_legal;
    size_t from = p->pending.n;
    assert(sp->g->max_legal <= 256);
    while (!sp->g->result(p->state).over && p->failed == ERR_OK) {
        int n = endgame_best(sp->end, p->state, true, best, NULL), legal = sp->g->legal(p->state, all);
        if (n == 0) return false; // no memory for a solver: the search goes on instead
        for (int k = 0; k < legal; k++) {
            probs[k] = 0;
            for (int j = 0; j < n; j++)
                if (best[j] == all[k]) probs[k] = 1.0f / (float)n;
        }
        slot_record(sp, p, all, probs, legal, 0, 0);
        rng r = slot_draw(sp, DRAW_ENDGAME, p);
        slot_play(sp, p, best[rng_below(&r, (uint32_t)n)]);
    }
    // Exact from here on: where values are mixed, the search's opinion has no part in these.
    outcome o = sp->g->result(p->state);
    for (size_t k = from; k < p->pending.n; k++) {
        int seat = p->pending.seat[k];
        p->pending.value[k] = 2 * o.score[seat] - 1;
        p->pending.margin[k] = sp->g->margin != NULL ? sp->g->margin(p->state, seat) : 0;
    }
    return true;
}

// The seat to move has a win by threats: one more sample, and the game is decided.
static bool decided(selfplay *sp, int i, slot *p, float score[2])
{
    move_t win = threats_win(sp->at_root, p->state), *all = sp->moves + (size_t)i * (size_t)sp->g->max_legal;
    if (win == MOVE_NONE) return false;
    float *probs = sp->probs + (size_t)i * (size_t)sp->g->max_legal;
    int n = sp->g->legal(p->state, all), seat = sp->g->seat(p->state);
    for (int k = 0; k < n; k++) probs[k] = all[k] == win;
    slot_record(sp, p, all, probs, n, 1, 1);
    score[seat] = 1;
    score[!seat] = 0;
    return true;
}

// --- searches

static uint64_t sims_now(const selfplay *sp, bool full)
{
    const az_config *c = sp->c;
    double sims = (double)c->tree.sims;
    if (c->sims_start > 0 && sp->step < (uint64_t)c->sims_grow)
        sims = (double)c->sims_start + (sims - (double)c->sims_start) * (double)sp->step / (double)c->sims_grow;
    if (!full && (double)c->fast_sims < sims) sims = (double)c->fast_sims;
    return (uint64_t)(sims + 0.5);
}

static void begin_search(selfplay *sp, slot *p)
{
    rng r = slot_draw(sp, DRAW_FULL, p);
    p->full = sp->c->full >= 1 || rng_unit(&r) < sp->c->full;
    mcts_begin(p->tree, sims_now(sp, p->full), !p->full);
}

// Does the seat to move resign? True: the game ends here.
static bool gives_up(selfplay *sp, slot *p, float value)
{
    int seat = sp->g->seat(p->state);
    if (sp->c->resign <= 0 || p->gives_up >= 0) return false;
    p->low[seat] = value < -(float)sp->c->resign ? p->low[seat] + 1 : 0;
    if (p->low[seat] < RESIGN_RUN) return false;
    p->gives_up = seat;
    return !p->checks;
}

static void set_root(selfplay *sp, slot *p)
{
    mcts_rekey(p->tree, rng_mix(sp->seed), p->game);
    mcts_set_root(p->tree, p->state, p->ply);
}

// The move is played; afterwards the slot has a root to search. False: it cannot go on.
static bool next_position(selfplay *sp, int i, slot *p, bool over)
{
    outcome o = sp->g->result(p->state);
    if (!over && !o.over && endgame_reached(sp->end, p->state) && slot_play_out(sp, i, p)) o = sp->g->result(p->state);
    if (!over && !o.over) o.over = decided(sp, i, p, o.score);
    if (!over && !o.over) return mcts_advance(p->tree, p->move[p->ply - 1], NULL) == ERR_OK;
    if (!over) slot_finish(sp, p, o.score, true);
    err e = slot_start(sp, i, p);
    if (e != ERR_OK) p->failed = e;
    set_root(sp, p);
    return p->failed == ERR_OK;
}

// A search is done: mcts_group calls this from any thread, for one tree at a time.
static bool search_done(void *ctx, int i, mcts *m)
{
    selfplay *sp = ctx;
    slot *p = &sp->at[i];
    if (sp->stopped || p->rests || p->failed != ERR_OK) return false;
    move_t *moves = sp->moves + (size_t)i * (size_t)sp->g->max_legal;
    float *probs = sp->probs + (size_t)i * (size_t)sp->g->max_legal, margin, value = mcts_policy_value(m, &margin);
    int n = mcts_policy(m, moves, probs);
    if (p->full) slot_record(sp, p, moves, probs, n, value, margin);
    uint64_t sims = mcts_statistics(m).sims;
    p->st.sims += sims;
    p->sims += sims;
    p->st.moves++;
    if (!sp->flows) p->used += (int64_t)sims + 1; // the root's own visit; also, every search costs something
    bool over = gives_up(sp, p, value);
    if (over) {
        int seat = sp->g->seat(p->state);
        slot_finish(sp, p, (const float[2]){seat == 1, seat == 0}, false);
        p->st.resigned++;
    } else {
        slot_play(sp, p, mcts_choose(m));
    }
    if (p->failed != ERR_OK) return false;
    if (!next_position(sp, i, p, over)) {
        if (p->failed == ERR_OK) p->failed = ERR_MEMORY;
        return false;
    }
    if (sp->flows)
        atomic_fetch_sub(&sp->left, (int_fast64_t)sims + 1);
    else if (p->used >= 0)
        return false; // this round's share is spent
    begin_search(sp, p);
    return true;
}

// After Ctrl-C nothing that is computed counts any more: answers come at once and the round runs empty.
static void eval_unless_stopped(void *ctx, const mcts_batch *b)
{
    selfplay *sp = ctx;
    if (!sp->c->async && stop_requested()) sp->stopped = true;
    if (!sp->stopped) sp->inner.eval(sp->inner.ctx, b);
}

// Flowing: the round's simulations are done. The learner may take a quarter more, so that the GPU has work meanwhile; it
// must not fall behind, so it is waited for after that.
static bool enough(void *ctx)
{
    const selfplay *sp = ctx;
    int64_t left = atomic_load(&sp->left), all = sp->c->round * sp->n;
    return left <= 0 && (sp->busy == NULL || !atomic_load(sp->busy) || left < -all / 4);
}

static bool known(void *ctx, const mcts_batch *b, int at, int n)
{
    selfplay *sp = ctx;
    return !sp->stopped && evaluator_known(sp->evaluator, b, at, n);
}

void selfplay_stats_add(selfplay_stats *to, const selfplay_stats *s)
{
    to->games += s->games;
    to->positions += s->positions;
    to->plies += s->plies;
    to->moves += s->moves;
    to->sims += s->sims;
    to->first_wins += s->first_wins;
    to->draws += s->draws;
    to->entropy += s->entropy;
    to->targets += s->targets;
    to->resigned += s->resigned;
    to->resign_checked += s->resign_checked;
    to->resign_wrong += s->resign_wrong;
    to->seconds += s->seconds;
}

// In words: a sentence set by another thread stays there.
static err failure(const selfplay *sp, err e)
{
    if (e == ERR_MEMORY) return err_set(e, "no memory for %d games in flight; choose a smaller --in-flight", sp->n);
    return err_set(e, "self-play cannot start a game of %s", sp->g->name);
}

// A round's games go out in the slots' order, whoever finished first.
static err send_games(slot *p, const game_sink *to)
{
    err e = ERR_OK;
    for (int i = 0; i < p->n_done && e == ERR_OK; i++) e = to->put(to->ctx, &p->done[i]);
    slot_drop_games(p);
    return e;
}

// What the slots do at a round's start.
static void begin_round(selfplay *sp)
{
    atomic_store(&sp->left, sp->c->round * sp->n);
    for (int i = 0; i < sp->n; i++) {
        slot *p = &sp->at[i];
        p->st = (selfplay_stats){0};
        slot_drop_games(p);
        if (!sp->flows) p->used -= sp->c->round;
        p->rests = !sp->flows && p->used >= 0;
        if (p->rests || p->searching) continue;
        set_root(sp, p);
        begin_search(sp, p);
        p->searching = sp->flows;
    }
}

err selfplay_round(selfplay *sp, evaluator *e, uint64_t step, const atomic_bool *busy, const game_sink *to,
                   selfplay_stats *st)
{
    sp->evaluator = e;
    sp->inner = evaluator_mcts(e);
    sp->step = step;
    sp->stopped = false;
    sp->busy = busy;
    *st = (selfplay_stats){0};
    err r = ERR_OK;
    if (sp->teacher != NULL) {
        r = agent_games_play(sp->teacher, sp, &st->seconds);
    } else {
        begin_round(sp);
        mcts_group_run(sp->group, &(mcts_evaluator){eval_unless_stopped, sp}, 0);
        if (!sp->stopped) r = evaluator_check(e);
        st->seconds = mcts_group_seconds(sp->group);
    }
    if (sp->stopped) return err_set(ERR_STOPPED, "stopped");
    for (int i = 0; i < sp->n; i++)
        if (sp->at[i].failed != ERR_OK) return failure(sp, sp->at[i].failed);
    for (int i = 0; i < sp->n && r == ERR_OK; i++) {
        r = send_games(&sp->at[i], to);
        selfplay_stats_add(st, &sp->at[i].st);
    }
    return r;
}

// --- making and unmaking

static mcts_options tree_options(const az_config *c, bool logits)
{
    mcts_options o = mcts_config_options(&c->tree);
    o.logits = logits;
    o.forced = (float)c->forced;
    o.margin = (float)c->margin;
    o.memory = TREE_MEMORY;
    return o;
}

static err make_slots(selfplay *sp, bool logits)
{
    const game *g = sp->g;
    mcts_options o = tree_options(sp->c, logits);
    if (sp->leaves != NULL) o.prove = threats_prove, o.prove_ctx = sp->leaves;
    sp->at = calloc((size_t)sp->n, sizeof *sp->at);
    sp->trees = calloc((size_t)sp->n, sizeof *sp->trees);
    sp->moves = malloc((size_t)sp->n * (size_t)g->max_legal * sizeof *sp->moves);
    sp->probs = malloc((size_t)sp->n * (size_t)g->max_legal * sizeof *sp->probs);
    if (!sp->at || !sp->trees || !sp->moves || !sp->probs) return failure(sp, ERR_MEMORY);
    for (int i = 0; i < sp->n; i++) {
        slot *p = &sp->at[i];
        err e = mcts_new(g, &o, &p->tree);
        if (e != ERR_OK) return e == ERR_MEMORY ? failure(sp, e) : e;
        sp->trees[i] = p->tree;
        p->state = calloc(1, g->state_size);
        if (p->state == NULL) return failure(sp, ERR_MEMORY);
        e = slot_start(sp, i, p);
        if (e != ERR_OK) return e;
        set_root(sp, p); // a group wants trees with roots
        mcts_begin(p->tree, 1, true);
    }
    return ERR_OK;
}

err selfplay_new(selfplay **out, const samples_shape *sh, const az_config *c, uint64_t seed, int threads, bool gpu)
{
    const game *g = sh->g;
    if (g->flags & (G_HIDDEN | G_CHANCE) || g->n_seats != 2)
        return err_set(ERR_USAGE, "%s cannot be learned this way: AlphaZero needs two players who see everything",
                       g->name);
    selfplay *sp = calloc(1, sizeof *sp);
    if (sp == NULL) return err_set(ERR_MEMORY, "no memory for self-play");
    sp->sh = sh;
    sp->g = g;
    sp->c = c;
    sp->seed = seed;
    sp->n = (int)c->in_flight;
    sp->flows = gpu && c->async;
    sp->margins = c->margin > 0;
    err e = endgame_new(&sp->end, g, (int)c->endgame);
    if (e == ERR_OK) e = threats_new(&sp->leaves, g, c->threats, 0);
    if (e == ERR_OK) e = threats_new(&sp->at_root, g, c->threats, c->vct);
    if (e == ERR_OK && c->even > 0 && g->openings != NULL && g->openings->even != NULL)
        e = openings_read(&sp->even, g, "", g->openings->even, "even openings");
    if (e == ERR_OK) e = make_slots(sp, !gpu);
    if (e == ERR_OK) {
        int each = (int)c->per_call;
        if (each == 0) each = gpu ? (sp->n + threads - 1) / threads : CPU_PER_CALL;
        e = mcts_group_new(sp->trees, sp->n,
                           &(mcts_group_options){.threads = threads,
                                                 .trees_per_call = each,
                                                 .apart = gpu,
                                                 .done = search_done,
                                                 .known = gpu ? NULL : known,
                                                 .enough = sp->flows ? enough : NULL,
                                                 .ctx = sp},
                           &sp->group);
    }
    return HAND_OVER(e, out, sp, selfplay_free);
}

void selfplay_free(selfplay *sp)
{
    if (sp == NULL) return;
    mcts_group_free(sp->group);
    for (int i = 0; sp->at != NULL && i < sp->n; i++) {
        slot *p = &sp->at[i];
        mcts_free(p->tree);
        free(p->state);
        free(p->move);
        samples_free(&p->pending);
        slot_drop_games(p);
        free(p->done);
        free(p->last);
    }
    agent_games_free(sp->teacher);
    endgame_free(sp->end);
    threats_free(sp->leaves);
    threats_free(sp->at_root);
    openings_free(&sp->even);
    FREE_ALL(sp->at, sp->trees, sp->moves, sp->probs, sp);
}

err selfplay_taught_by(selfplay *sp, const char *spec, int threads, bool margins)
{
    sp->margins = margins;
    sp->flows = false; // games are whole at a round's end
    return agent_games_new(&sp->teacher, sp, spec, threads);
}

bool selfplay_show(const selfplay *sp, int which, text_buf *moves, float *score)
{
    const game *g = sp->g;
    const slot *p = &sp->at[which];
    char text[256];
    if (which >= sp->n || p->n_last == 0) return false;
    void *state = calloc(1, g->state_size);
    bool ok = state != NULL && g->init(state, "", (game_key){sp->seed, p->last_game}) == ERR_OK;
    for (int i = 0; ok && i < p->n_last; i++) {
        g->move_print(state, p->last[i], text, sizeof text);
        if (i > 0) text_append(moves, ";");
        text_append(moves, text);
        g->play(state, p->last[i], NULL);
    }
    free(state);
    *score = p->last_score;
    return ok;
}
