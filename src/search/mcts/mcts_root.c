// What happens at the root only: Dirichlet noise, forced playouts, Gumbel search with sequential halving, and the
// answers read from the finished tree: policy, choice, moves.
//
// Gumbel search (Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022): draw a Gumbel number g for
// each move; the m moves with the largest g + logit are searched in phases, each phase visiting the moves still
// considered equally often and keeping the better half by g + logit + σ(q). The move left over is played; the policy to
// learn is softmax(logit + σ(completed q)).
#include "search/mcts/mcts_node.h"

#include <assert.h>
#include <stdlib.h>

rng mcts_draw(const mcts *m, int purpose, uint64_t index)
{
    // One stream a purpose, game, ply and index.
    uint64_t seed = rng_mix(m->seed + (uint64_t)purpose * 0xd1342543de82ef95u);
    return rng_at(rng_mix(seed ^ rng_mix(m->game_number)), index, (uint32_t)m->ply);
}

// --- before the search

static void add_noise(mcts *m, node *nd)
{
    float *p = node_priors(m, nd), eps = m->o.noise_epsilon;
    const edges x = node_edges(m, nd);
    rng r = mcts_draw(m, DRAW_NOISE, 0);
    rng_dirichlet(&r, m->o.noise_alpha, nd->n_edges, m->scratch);
    nd->mass = 0;
    for (int i = 0; i < nd->n_edges; i++) {
        p[i] = (1.0f - eps) * p[i] + eps * m->scratch[i];
        if (x.n[i] > 0) nd->mass += p[i];
    }
    m->noisy = true;
}

static void gumbel_begin(mcts *m, const node *nd)
{
    gumbel *u = &m->gum;
    const float *p = node_priors(m, nd);
    const edges x = node_edges(m, nd);
    rng r = mcts_draw(m, DRAW_GUMBEL, 0);
    for (int i = 0; i < nd->n_edges; i++) {
        u->logit[i] = logf(p[i] > 1e-30f ? p[i] : 1e-30f);
        u->noise[i] = m->o.gumbel_quiet ? 0.0f : (float)-log(-log((1.0 - rng_unit(&r)) * (1.0 - 0x1p-53)));
        u->start[i] = x.n[i];
    }
    u->k = m->o.gumbel < nd->n_edges ? m->o.gumbel : nd->n_edges;
    u->log2m = 1;
    while ((1 << u->log2m) < u->k) u->log2m++;
    u->sims = m->budget;
    u->rounds = u->sims / ((uint64_t)u->log2m * (uint64_t)u->k);
    if (u->rounds == 0) u->rounds = 1;
    u->i = 0;
    u->v = 0;
    u->fresh = true;
}

void mcts_root_prepare(mcts *m)
{
    node *nd = node_at(m, m->root);
    m->root_rule = false;
    if (nd->flags & (NODE_PENDING | NODE_STOP)) return;
    bool noise = m->o.noise_epsilon > 0 && !m->fast && !m->noisy && m->o.gumbel == 0;
    bool forced = m->o.forced > 0 && !m->fast && m->o.gumbel == 0;
    if (!noise && !forced && m->o.gumbel == 0) return;
    if (!mcts_activate_all(m, m->root)) return; // no memory for a look at all moves: plain PUCT on
    nd = node_at(m, m->root);
    if (noise) add_noise(m, nd);
    if (m->o.gumbel > 0) gumbel_begin(m, nd);
    m->root_rule = forced || m->o.gumbel > 0;
}

// --- Gumbel

static float sigma(const mcts *m, uint32_t most, float q)
{
    return (m->o.gumbel_visit + (float)most) * m->o.gumbel_scale * (0.5f * q + 0.5f);
}

// The value to assume for a move without visits: the node's own evaluation, mixed with what its visited moves gave.
static float mixed_value(const mcts *m, const node *nd, edges x, const float *p, uint32_t *most)
{
    float mass = 0, sum = 0, visits = 0;
    *most = 0;
    for (int i = 0; i < nd->n_active; i++) {
        if (x.n[i] == 0) continue;
        if (x.n[i] > *most) *most = x.n[i];
        visits += (float)x.n[i];
        mass += p[i];
        sum += p[i] * edge_value(m, nd, x, i);
    }
    if (!(mass > 0)) return nd->value;
    return (nd->value + visits * (sum / mass)) / (1.0f + visits);
}

// Among the moves with `v` visits since the search began the one with the largest g + logit + σ(q); -1 = there is none.
static int gumbel_best(const mcts *m, const node *nd, uint32_t v)
{
    const gumbel *u = &m->gum;
    const edges x = node_edges(m, nd);
    uint32_t most;
    float mixed = mixed_value(m, nd, x, node_priors(m, nd), &most), best = -INFINITY;
    int at = -1;
    for (int i = 0; i < nd->n_edges; i++) {
        if (x.n[i] - u->start[i] + (x.fly[i] & FLY_COUNT) != v) continue;
        float q = x.n[i] > 0 ? edge_value(m, nd, x, i) : mixed;
        float score = u->noise[i] + u->logit[i] + sigma(m, most, q);
        if (at < 0 || score > best) best = score, at = i;
    }
    return at;
}

static int gumbel_pick(mcts *m, const node *nd)
{
    gumbel *u = &m->gum;
    int e = gumbel_best(m, nd, u->v);
    for (uint32_t v = u->v; e < 0 && v > 0; v--) e = gumbel_best(m, nd, v - 1); // a sample had to leave the schedule
    if (e < 0) e = 0;
    u->fresh = false;
    if (++u->i < u->k) return e;
    u->i = 0;
    u->v++;
    if (--u->rounds > 0) return e;
    u->k = u->k / 2 > 2 ? u->k / 2 : u->k < 2 ? u->k : 2;
    u->rounds = u->sims / ((uint64_t)u->log2m * (uint64_t)u->k);
    if (u->rounds == 0) u->rounds = 1;
    u->fresh = true;
    return e;
}

void mcts_gumbel_undo(mcts *m, const gumbel *before)
{
    m->gum = *before;
}

// --- forced playouts (Wu, "Accelerating self-play learning in Go", 2019)

static float forced_visits(const mcts *m, float p, float total)
{
    return sqrtf(m->o.forced * p * total);
}

static int forced_pick(const mcts *m, const node *nd)
{
    const edges x = node_edges(m, nd);
    const float *p = node_priors(m, nd);
    float visits = (float)(nd->n + nd->fly), cs = explore(m, visits), fpu = first_play(m, nd), best = -INFINITY;
    float loss = m->o.virtual_loss;
    int at = 0;
    for (int i = 0; i < nd->n_edges; i++) {
        float n = (float)x.n[i], fly = (float)(x.fly[i] & FLY_COUNT), seen = n + loss * fly;
        if (n > 0 && !(x.fly[i] & FLY_PROVEN) && n + fly < forced_visits(m, p[i], visits - 1.0f)) return i;
        float q = seen > 0 ? (n * x.q[i] - loss * fly) / seen : fpu;
        float score = q + cs * p[i] / (1.0f + n + fly);
        if (score > best) best = score, at = i;
    }
    return at;
}

int mcts_root_pick(mcts *m, const node *nd)
{
    return m->o.gumbel > 0 ? gumbel_pick(m, nd) : forced_pick(m, nd);
}

// --- after the search

static const node *searched_root(const mcts *m)
{
    if (m->root == 0) return NULL;
    const node *nd = node_at(m, m->root);
    return nd->n_edges == 0 || nd->flags & NODE_PENDING ? NULL : nd;
}

static mcts_proof proof_at(const mcts *m, const node *nd, edges x, int i)
{
    return i < nd->n_active ? edge_proof(m, nd, x, i) : MCTS_UNPROVEN;
}

// Visits without the forced ones: as many are taken from a move as leave it no better than the best by PUCT.
static void prune_forced(const mcts *m, const node *nd, float *w)
{
    const edges x = node_edges(m, nd);
    const float *p = node_priors(m, nd);
    int top = -1;
    for (int i = 0; i < nd->n_active; i++)
        if (!(x.fly[i] & FLY_PROVEN) && (top < 0 || w[i] > w[top])) top = i;
    if (top < 0) return;
    float total = (float)(nd->n - 1), cs = explore(m, (float)nd->n);
    float limit = edge_value(m, nd, x, top) + cs * p[top] / (1.0f + w[top]);
    for (int i = 0; i < nd->n_active; i++) {
        if (i == top || w[i] == 0 || x.fly[i] & FLY_PROVEN) continue; // proofs are heeded below
        float gap = limit - edge_value(m, nd, x, i), need = gap > 0 ? ceilf(cs * p[i] / gap - 1.0f) : w[i];
        float least = floorf(w[i] - forced_visits(m, p[i], total));
        float keep = need > least ? need : least;
        if (keep < w[i]) w[i] = keep;
        if (w[i] <= 1.0f) w[i] = 0;
    }
}

// A move proven to draw is not visited again, so its visits say little: give it those that PUCT would have given it
// beside the moves that still look no worse. Moves that look worse than a sure draw lose their weight.
static void weigh_draws(const mcts *m, const node *nd, edges x, float *w)
{
    const float *p = node_priors(m, nd);
    float cs = explore(m, (float)nd->n), level = 0, draw = draw_value(m, nd->seat);
    for (int i = 0; i < nd->n_active; i++) {
        if (edge_proof(m, nd, x, i) != MCTS_UNPROVEN) continue;
        if (x.q[i] < draw) w[i] = 0;
        if (w[i] > 0) level = fmaxf(level, x.q[i] - draw + cs * p[i] / (1.0f + (float)x.n[i]));
    }
    for (int i = 0; i < nd->n_active && level > 0; i++)
        if (edge_proof(m, nd, x, i) == MCTS_DRAW) w[i] = fmaxf(w[i], cs * p[i] / level - 1.0f);
}

// Proven wins leave no weight to other moves; proven losses have none while there is something else, tried or not.
static void heed_proofs(const mcts *m, const node *nd, edges x, float *w)
{
    bool wins = false, others = false, tried = false;
    for (int i = 0; i < nd->n_edges; i++) {
        mcts_proof proof = proof_at(m, nd, x, i);
        wins = wins || proof == MCTS_WIN;
        others = others || proof != MCTS_LOSS;
        tried = tried || (proof != MCTS_LOSS && w[i] > 0);
    }
    for (int i = 0; i < nd->n_edges; i++) {
        mcts_proof proof = proof_at(m, nd, x, i);
        if (wins ? proof != MCTS_WIN : others && proof == MCTS_LOSS)
            w[i] = 0;
        else if (others && !tried)
            w[i] = node_priors(m, nd)[i];
        if (proof == MCTS_WIN && !(w[i] > 0)) w[i] = 1;
    }
}

// Unnormalised policy by edge: see mcts_policy in mcts.h.
static void weights(const mcts *m, const node *nd, float *w)
{
    const edges x = node_edges(m, nd);
    const float *p = node_priors(m, nd);
    if (m->o.gumbel > 0 && m->root_rule) {
        uint32_t most;
        float mixed = mixed_value(m, nd, x, p, &most);
        for (int i = 0; i < nd->n_edges; i++)
            w[i] = m->gum.logit[i] + sigma(m, most, x.n[i] > 0 ? edge_value(m, nd, x, i) : mixed);
        mcts_softmax(w, nd->n_edges);
    } else {
        float sum = 0;
        for (int i = 0; i < nd->n_edges; i++) sum += w[i] = i < nd->n_active ? (float)x.n[i] : 0.0f;
        if (m->root_rule && sum > 0) prune_forced(m, nd, w);
        if (nd->flags & NODE_DRAWS) weigh_draws(m, nd, x, w);
        if (!(sum > 0))
            for (int i = 0; i < nd->n_edges; i++) w[i] = p[i];
    }
    heed_proofs(m, nd, x, w);
    float sum = 0;
    for (int i = 0; i < nd->n_edges; i++) sum += w[i];
    for (int i = 0; i < nd->n_edges; i++) w[i] = sum > 0 ? w[i] / sum : 1.0f / (float)nd->n_edges;
}

static int by_move(const void *a, const void *b)
{
    return (int)((const mcts_move *)a)->move - (int)((const mcts_move *)b)->move;
}

// Of a move that was tried: who wins behind it, without the margin.
static float plain_value(const mcts *m, int edge, mcts_proof proof, float q)
{
    if (proof != MCTS_UNPROVEN) return plain_proof(proof);
    const plain_sum *p = m->plain == NULL ? NULL : &m->plain[1 + edge];
    return p == NULL || p->n == 0 ? q : (float)(p->sum / (double)p->n);
}

int mcts_moves(const mcts *m, mcts_move *out)
{
    const node *nd = searched_root(m);
    if (nd == NULL) return 0;
    const edges x = node_edges(m, nd);
    const float *p = node_priors(m, nd);
    const move_t *mv = node_moves(m, nd);
    weights(m, nd, m->scratch);
    for (int i = 0; i < nd->n_edges; i++) {
        bool on = i < nd->n_active;
        out[i] = (mcts_move){.move = mv[i],
                             .proof = (uint16_t)proof_at(m, nd, x, i),
                             .visits = on ? x.n[i] : 0,
                             .q = on && x.n[i] > 0 ? edge_value(m, nd, x, i) : 0,
                             .prior = p[i],
                             .policy = m->scratch[i]};
        out[i].value = on ? plain_value(m, i, (mcts_proof)out[i].proof, out[i].q) : 0;
    }
    qsort(out, nd->n_edges, sizeof *out, by_move);
    return nd->n_edges;
}

int mcts_policy(const mcts *m, move_t *moves, float *p)
{
    const node *nd = searched_root(m);
    if (nd == NULL) return 0;
    const move_t *mv = node_moves(m, nd);
    weights(m, nd, p);
    memcpy(moves, mv, nd->n_edges * sizeof *mv);
    // Ascending by insertion: edges are nearly so unless many were tried.
    for (int i = 1; i < nd->n_edges; i++) {
        move_t key = moves[i];
        float value = p[i];
        int j = i;
        for (; j > 0 && moves[j - 1] > key; j--) moves[j] = moves[j - 1], p[j] = p[j - 1];
        moves[j] = key;
        p[j] = value;
    }
    return nd->n_edges;
}

float mcts_policy_value(const mcts *m, float *margin)
{
    const node *nd = searched_root(m);
    *margin = m->plain == NULL || nd == NULL ? NAN : nd->seat == m->centre_seat ? m->centre : -m->centre;
    if (nd == NULL || nd->proof != MCTS_UNPROVEN) return mcts_value(m);
    const edges x = node_edges(m, nd);
    float *w = m->scratch;
    double sum = 0, weight = 0, margins = 0, known = 0;
    weights(m, nd, w);
    for (int i = 0; i < nd->n_active; i++) {
        if (x.n[i] == 0) continue;
        weight += w[i];
        sum += (double)w[i] * plain_value(m, i, edge_proof(m, nd, x, i), edge_value(m, nd, x, i));
        if (m->plain == NULL || m->plain[1 + i].n_margins == 0) continue;
        known += w[i];
        margins += w[i] * m->plain[1 + i].margins / (double)m->plain[1 + i].n_margins;
    }
    if (known > 0) *margin = (float)(margins / known);
    return weight > 0 ? (float)(sum / weight) : mcts_value(m);
}

static int gumbel_choice(const mcts *m, const node *nd, const float *w)
{
    const edges x = node_edges(m, nd);
    const gumbel *u = &m->gum;
    uint32_t most, top = 0;
    float mixed = mixed_value(m, nd, x, node_priors(m, nd), &most), best = -INFINITY;
    for (int i = 0; i < nd->n_edges; i++)
        if (w[i] > 0 && x.n[i] - u->start[i] > top) top = x.n[i] - u->start[i];
    int at = 0;
    for (int i = 0; i < nd->n_edges; i++) {
        if (!(w[i] > 0) || x.n[i] - u->start[i] != top) continue;
        float score = u->noise[i] + u->logit[i] + sigma(m, most, x.n[i] > 0 ? edge_value(m, nd, x, i) : mixed);
        if (score > best) best = score, at = i;
    }
    return at;
}

// The heaviest move; among equals the one with the larger value, then the larger prior, then the smaller number.
static int heaviest(const mcts *m, const node *nd, const float *w)
{
    const edges x = node_edges(m, nd);
    const float *p = node_priors(m, nd);
    const move_t *mv = node_moves(m, nd);
    int at = 0;
    for (int i = 1; i < nd->n_edges; i++) {
        if (w[i] != w[at]) {
            if (w[i] > w[at]) at = i;
            continue;
        }
        float qi = i < nd->n_active && x.n[i] ? x.q[i] : -INFINITY,
              qa = at < nd->n_active && x.n[at] ? x.q[at] : -INFINITY;
        bool more = qi != qa ? qi > qa : p[i] != p[at] ? p[i] > p[at] : mv[i] < mv[at];
        if (more) at = i;
    }
    return at;
}

bool mcts_settled(const mcts *m)
{
    const node *nd = searched_root(m);
    if (nd == NULL || nd->flags & NODE_DRAWS || m->o.gumbel > 0) return false; // not by visits alone
    const edges x = node_edges(m, nd);
    uint32_t top = 0, second = 0;
    for (int i = 0; i < nd->n_active; i++) {
        if (x.fly[i] & FLY_PROVEN) continue;
        if (x.n[i] > top)
            second = top, top = x.n[i];
        else if (x.n[i] > second)
            second = x.n[i];
    }
    return top - second > m->budget;
}

move_t mcts_choose(const mcts *m)
{
    const node *nd = searched_root(m);
    if (nd == NULL) return MOVE_NONE;
    float *w = m->scratch, t = m->o.temperature;
    const move_t *mv = node_moves(m, nd);
    weights(m, nd, w);
    if (m->o.gumbel > 0 && m->root_rule) return mv[gumbel_choice(m, nd, w)];
    int top = heaviest(m, nd, w);
    if (m->o.temperature_plies > 0 && m->ply >= m->o.temperature_plies) t = m->o.temperature_end;
    if (!(t > 0)) return mv[top];
    double sum = 0, scale = 1.0 / w[top];
    for (int i = 0; i < nd->n_edges; i++) {
        w[i] = w[i] > 0 ? (float)pow(w[i] * scale, 1.0 / t) : 0.0f;
        sum += w[i];
    }
    rng r = mcts_draw(m, DRAW_CHOICE, 0);
    double left = rng_unit(&r) * sum;
    for (int i = 0; i < nd->n_edges; i++) {
        left -= w[i];
        if (left < 0) return mv[i];
    }
    return mv[top];
}
