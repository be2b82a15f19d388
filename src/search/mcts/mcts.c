// A tree from the outside: options, root, budget, the loop of collect and backup, statistics. mcts.h explains the
// ideas.
#include "search/mcts/mcts.h"

#include "base/cpu.h"
#include "base/memory.h"
#include "search/mcts/mcts_node.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

// --- options

static err check(const char *name, double value, double low, double high)
{
    if (value >= low && value <= high) return ERR_OK;
    return err_set(ERR_USAGE, "mcts: %s must be between %g and %g, but is %g", name, low, high, value);
}

static err check_options(const game *g, const mcts_options *o)
{
    const struct {
        const char *name;
        double value, low, high;
    } bounds[] = {
        {"c_puct", o->c_puct, 0, 1000},
        {"c_base", o->c_base, 0, 1e9},
        {"fpu_value", o->fpu_value, -10, 10},
        {"leaves", o->leaves, 0, MCTS_MAX_LEAVES},
        {"virtual_loss", o->virtual_loss, -1, 1000},
        {"noise_epsilon", o->noise_epsilon, 0, 1},
        {"noise_alpha", o->noise_alpha, 0, 1000},
        {"forced", o->forced, 0, 1000},
        {"temperature", o->temperature, 0, 1000},
        {"temperature_plies", o->temperature_plies, 0, 1e9},
        {"temperature_end", o->temperature_end, 0, 1000},
        {"gumbel", o->gumbel, 0, 65535},
        {"gumbel_visit", o->gumbel_visit, 0, 1e6},
        {"gumbel_scale", o->gumbel_scale, 0, 1e6},
        {"margin", o->margin, 0, 1},
        {"points", o->points, 0, 1e9},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        err e = check(bounds[i].name, bounds[i].value, bounds[i].low, bounds[i].high);
        if (e != ERR_OK) return e;
    }
    if ((int)o->fpu < 0 || o->fpu > MCTS_FPU_FIXED)
        return err_set(ERR_USAGE, "mcts: unknown first-play rule %d", (int)o->fpu);
    if (g->flags & G_HIDDEN && o->transpositions == MCTS_ON)
        return err_set(ERR_USAGE, "mcts: %s hides part of its state, so positions cannot be shared by hash", g->name);
    if (g->max_legal > 65535) return err_set(ERR_LIMIT, "mcts: %s has too many moves a position", g->name);
    return ERR_OK;
}

static mcts_options with_defaults(const mcts_options *from)
{
    mcts_options o = *from;
    if (o.c_puct == 0) o.c_puct = 1.5f;
    if (o.leaves == 0) o.leaves = 1;
    if (o.virtual_loss == 0) o.virtual_loss = 1.0f;
    if (o.virtual_loss < 0) o.virtual_loss = 0.0f;
    if (o.noise_alpha == 0) o.noise_alpha = 0.3f;
    if (o.gumbel_visit == 0) o.gumbel_visit = 50.0f;
    if (o.gumbel_scale == 0) o.gumbel_scale = 1.0f;
    if (o.points == 0) o.points = 1.0f;
    if (o.memory == 0) o.memory = (size_t)256 << 20;
    return o;
}

static bool make_buffers(mcts *m)
{
    const game *g = m->g;
    size_t k = (size_t)m->o.leaves, legal = (size_t)g->max_legal;
    m->steps_cap = 2 * MCTS_MAX_DEPTH;
    m->slots = calloc(k, sizeof *m->slots);
    m->lost = calloc(k, sizeof *m->lost);
    m->steps = malloc(m->steps_cap * sizeof *m->steps);
    m->states = malloc(k * g->state_size);
    m->obs = m->hidden ? malloc(k * g->obs_size) : NULL;
    m->root_state = calloc(1, g->obs_size > g->state_size ? g->obs_size : g->state_size);
    m->legal = malloc(legal * sizeof *m->legal);
    m->where = m->hidden ? calloc((size_t)g->n_moves, sizeof *m->where) : NULL;
    m->scratch = malloc(legal * sizeof *m->scratch);
    mcts_batch *b = &m->batch;
    b->obs = calloc(k, sizeof *b->obs);
    b->moves = calloc(k, sizeof *b->moves);
    b->n_moves = calloc(k, sizeof *b->n_moves);
    b->priors = calloc(k, sizeof *b->priors);
    b->values = calloc(k, sizeof *b->values);
    b->margins = calloc(k, sizeof *b->margins);
    if (!b->obs || !b->moves || !b->n_moves || !b->priors || !b->values || !b->margins) return false;
    if (m->o.margin > 0) {
        m->plain = calloc(1 + legal, sizeof *m->plain);
        if (m->plain == NULL) return false;
    }
    if (m->o.gumbel > 0) {
        m->gum.noise = malloc(legal * sizeof *m->gum.noise);
        m->gum.logit = malloc(legal * sizeof *m->gum.logit);
        m->gum.start = malloc(legal * sizeof *m->gum.start);
        if (m->gum.noise == NULL || m->gum.logit == NULL || m->gum.start == NULL) return false;
    }
    return m->slots && m->lost && m->steps && m->states && m->root_state && m->legal && m->scratch &&
           (!m->hidden || (m->obs && m->where));
}

err mcts_new(const game *g, const mcts_options *o, mcts **out)
{
    err e = check_options(g, o);
    if (e != ERR_OK) return e;
    mcts *m = calloc(1, sizeof *m);
    if (m == NULL) return err_set(ERR_MEMORY, "mcts: no memory for a tree");
    m->g = g;
    m->o = with_defaults(o);
    m->seed = o->seed;
    m->game_number = o->game;
    m->hidden = (g->flags & G_HIDDEN) != 0;
    m->graph =
        !m->hidden && (o->transpositions == MCTS_ON || (o->transpositions == MCTS_AUTO && !(g->flags & G_CYCLES)));
    m->solver = !m->hidden && !o->no_solver && g->n_seats == 2;
    m->many = m->o.leaves > 1 || m->hidden;
    m->walk = mcts_walk_scalar;
#if defined(KEIKO_X86)
    if (cpu_simd() == SIMD_AVX512) m->walk = mcts_walk_avx512;
    if (cpu_simd() == SIMD_AVX2) m->walk = mcts_walk_avx2;
#endif
    if (m->hidden) m->walk = mcts_walk_hidden;
    if (!make_buffers(m) || !mcts_store_new(m)) {
        mcts_free(m);
        return err_set(ERR_MEMORY, "mcts: no memory for a tree of %s with %d leaves in flight", g->name, o->leaves);
    }
    *out = m;
    return ERR_OK;
}

void mcts_free(mcts *m)
{
    if (m == NULL) return;
    mcts_store_free(m);
    FREE_ALL(m->slots, m->lost, m->steps, m->states, m->obs, m->root_state, m->legal, m->where, m->scratch, m->plain,
             m->batch.obs, m->batch.moves, m->batch.n_moves, m->batch.priors, m->batch.values, m->batch.margins,
             m->gum.noise, m->gum.logit, m->gum.start, m);
}

// --- the root

void mcts_rekey(mcts *m, uint64_t seed, uint64_t game_number)
{
    m->seed = seed;
    m->game_number = game_number;
}

static void new_root(mcts *m)
{
    m->noisy = false;
    m->root_rule = false;
    m->samples = 0;
    m->budget = m->sims = m->walks = m->steps_walked = 0;
    if (m->plain != NULL) memset(m->plain, 0, m->plain_top * sizeof *m->plain);
    m->plain_top = 0;
}

void mcts_set_root(mcts *m, const void *obs, int ply)
{
    assert(m->n_slots == 0);
    memcpy(m->root_state, obs, m->hidden ? m->g->obs_size : m->g->state_size);
    m->ply = ply;
    m->evals = m->shared = m->collisions = 0;
    m->deepest = 0;
    m->centre = m->draw = 0;
    mcts_store_clear(m);
    new_root(m);
    mcts_root_create(m);
}

// The root's child by this move; 0 = none in the tree.
static uint32_t child_by(const mcts *m, move_t move)
{
    const node *nd = node_at(m, m->root);
    const move_t *mv = node_moves(m, nd);
    edges x = node_edges(m, nd);
    for (int i = 0; i < nd->n_active; i++)
        if (mv[i] == move) return x.child[i];
    return 0;
}

err mcts_advance(mcts *m, move_t move, const void *obs)
{
    assert(m->n_slots == 0 && m->root != 0);
    if (m->hidden) {
        if (obs == NULL)
            return err_set(ERR_USAGE, "mcts: %s hides something: the new observation is needed", m->g->name);
        mcts_set_root(m, obs, m->ply + 1);
        return ERR_OK;
    }
    const node *nd = node_at(m, m->root);
    const move_t *mv = node_moves(m, nd);
    bool legal = false;
    for (int i = 0; i < nd->n_edges; i++) legal = legal || mv[i] == move;
    if (!legal) return err_set(ERR_USAGE, "mcts: move %d is not legal at the root", move);
    uint32_t child = m->o.no_reuse ? 0 : child_by(m, move);
    m->g->play(m->root_state, move, NULL);
    bool same = obs == NULL || memcmp(obs, m->root_state, m->g->state_size) == 0;
    if (child != 0 && node_at(m, child)->n_edges == 0 && !m->g->result(m->root_state).over)
        child = 0; // a win at once was seen there, and its moves were not kept
    if (same && child != 0 && mcts_keep(m, child)) {
        m->ply++;
        new_root(m);
    } else {
        mcts_set_root(m, obs != NULL ? obs : m->root_state, m->ply + 1);
    }
    return ERR_OK;
}

// --- searching

void mcts_begin(mcts *m, uint64_t sims, bool fast)
{
    assert(m->n_slots == 0 && m->root != 0);
    m->budget = sims;
    m->sims = m->walks = m->steps_walked = 0;
    m->fast = fast;
    mcts_root_prepare(m);
}

bool mcts_done(const mcts *m)
{
    if (m->n_slots > 0) return false;
    const node *nd = node_at(m, m->root);
    if (nd->flags & NODE_STOP) return true;
    return m->budget == 0 && !(nd->flags & NODE_PENDING);
}

static bool steps_fit(mcts *m)
{
    if (m->n_steps + MCTS_MAX_DEPTH <= m->steps_cap) return true;
    step *more = realloc(m->steps, m->steps_cap * 2 * sizeof *more);
    if (more == NULL) return false; // this round ends with what it has
    m->steps = more;
    m->steps_cap *= 2;
    return true;
}

// One walk. False when this round should collect no more.
static bool walk_once(mcts *m)
{
    slot *s = &m->slots[m->n_slots];
    *s = (slot){.first = (uint32_t)m->n_steps};
    gumbel before = m->gum;
    walk_end end = m->walk(m, s);
    if (end == WALK_LOST) {
        m->collisions++;
        if (m->o.gumbel > 0) { // the schedule's visit is still owed
            mcts_unfly(m, s);
            mcts_gumbel_undo(m, &before);
            return false;
        }
        m->lost[m->n_lost++] = *s; // stays in the air, so the next walk goes elsewhere
        m->n_steps += s->depth;
        return m->n_lost < m->o.leaves;
    }
    m->budget--;
    m->sims++;
    m->walks++;
    m->steps_walked += s->depth;
    if ((int)s->depth > m->deepest) m->deepest = (int)s->depth;
    if (end == WALK_VALUE) {
        if (m->plain != NULL && s->proof != MCTS_UNPROVEN)
            mcts_count_plain(m, s, plain_proof((mcts_proof)s->proof), NAN);
        mcts_back(m, s, s->value);
        return true;
    }
    m->n_steps += s->depth;
    m->n_slots++;
    m->evals++;
    return true;
}

enum { WALKS_MOST = 256 }; // without a leaf to evaluate, before the caller may look at its clock

int mcts_collect(mcts *m)
{
    assert(m->n_slots == 0 && m->root != 0);
    node *nd = node_at(m, m->root);
    if (nd->flags & NODE_STOP) return 0;
    if (nd->flags & NODE_PENDING) { // a new root: its own evaluation first
        m->slots[0] = (slot){.leaf = m->root, .seat = nd->seat, .fresh = true};
        m->n_slots = 1;
        m->evals++;
        return 1;
    }
    for (int walks = 0; m->budget > 0 && m->n_slots < m->o.leaves; walks++) {
        if (m->o.gumbel > 0 && m->gum.fresh && m->n_slots > 0) break; // a halving waits for the values in flight
        if (walks >= WALKS_MOST && m->n_slots == 0) break;            // nothing is in flight: a later call goes on here
        if (!steps_fit(m) || !walk_once(m)) break;
        if (node_at(m, m->root)->flags & NODE_STOP) break;
    }
    if (m->n_slots == 0) { // nothing to wait for, so no backup will take them down
        for (int i = 0; i < m->n_lost; i++) mcts_unfly(m, &m->lost[i]);
        m->n_lost = 0;
        m->n_steps = 0;
    }
    return m->n_slots;
}

void mcts_prefetch(const mcts *m)
{
    // The root's header and what follows it; its edge block was allocated soon after it, or stands behind it since a
    // move.
    const char *root = m->base + (size_t)m->root * UNIT;
    for (int line = 0; line < 4; line++) __builtin_prefetch(root + 64 * line);
    __builtin_prefetch(m->steps);
}

int mcts_waiting(const mcts *m)
{
    return m->n_slots;
}

void mcts_leaves(mcts *m, const mcts_batch *b, int at)
{
    for (int i = 0; i < m->n_slots; i++) {
        slot *s = &m->slots[i];
        int k = at + i;
        b->n_moves[k] = 0;
        b->moves[k] = NULL;
        b->priors[k] = NULL;
        b->values[k] = 0;
        if (b->margins != NULL) b->margins[k] = NAN;
        if (m->hidden)
            b->obs[k] = s->depth == 0 ? m->root_state : m->obs + (size_t)i * m->g->obs_size;
        else
            b->obs[k] = s->depth == 0 ? m->root_state : slot_state(m, s);
        if (!s->fresh) continue;
        node *leaf = node_at(m, s->leaf);
        b->n_moves[k] = leaf->n_edges;
        b->moves[k] = node_moves(m, leaf);
        b->priors[k] = node_priors(m, leaf);
        if (m->state_room > 0) b->obs[k] = node_state(leaf);
    }
}

void mcts_run(mcts *m, const mcts_evaluator *e, uint64_t sims)
{
    mcts_begin(m, sims, false);
    while (!mcts_done(m)) {
        m->batch.n = mcts_collect(m);
        if (m->batch.n == 0) continue;
        mcts_leaves(m, &m->batch, 0);
        e->eval(e->ctx, &m->batch);
        mcts_backup(m, &m->batch, 0);
    }
}
