// From the leaves to the root: evaluations become priors and values, values add up, proofs propagate.
#include "search/mcts/mcts_node.h"

#include <assert.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF // the same tree from every compiler
#endif

float mcts_result_value(const mcts *m, const void *state, int seat)
{
    outcome o = m->g->result(state);
    return m->g->n_seats == 1 ? o.score[0] / m->o.points : o.score[seat] - o.score[!seat];
}

mcts_proof mcts_proof_of(float value)
{
    return value > 0 ? MCTS_WIN : value < 0 ? MCTS_LOSS : MCTS_DRAW;
}

// --- priors

// e^x for x <= 0 to about 2e-7, in operations that every compiler and instruction set rounds alike.
static inline float exp_neg(float x)
{
    if (x < -80.0f) return 0.0f;
    float t = x * 1.44269504f, whole = floorf(t), f = (t - whole) * 0.693147181f; // e^f, 0 <= f < ln 2
    float y = 1.0f / 5040.0f;
    y = y * f + 1.0f / 720.0f;
    y = y * f + 1.0f / 120.0f;
    y = y * f + 1.0f / 24.0f;
    y = y * f + 1.0f / 6.0f;
    y = y * f + 0.5f;
    y = y * f + 1.0f;
    y = y * f + 1.0f;
    uint32_t bits = (uint32_t)((int32_t)whole + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return y * scale;
}

void mcts_softmax(float *x, int n)
{
    float top = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > top && x[i] < INFINITY) top = x[i];
    for (int i = 0; i < n; i++) {
        x[i] = x[i] > -INFINITY && x[i] < INFINITY ? exp_neg(x[i] - top) : 0.0f;
        sum += x[i];
    }
    for (int i = 0; i < n; i++) x[i] = sum > 0 ? x[i] / sum : 1.0f / (float)n;
}

void mcts_normalise(const mcts *m, float *p, int n)
{
    if (m->o.logits) {
        mcts_softmax(p, n);
        return;
    }
    float sum = 0, least = 0;
    for (int i = 0; i < n; i++) {
        sum += p[i];
        least = p[i] < least ? p[i] : least;
    }
    if (!(least >= 0) || !(sum < INFINITY)) { // something that is no probability: leave it out
        sum = 0;
        for (int i = 0; i < n; i++) {
            if (!(p[i] > 0 && p[i] <= 1e30f)) p[i] = 0;
            sum += p[i];
        }
    }
    if (sum > 1e-30f) {
        float scale = 1.0f / sum;
        for (int i = 0; i < n; i++) p[i] *= scale;
    } else {
        for (int i = 0; i < n; i++) p[i] = 1.0f / (float)n;
    }
}

// --- values

// The child of edge e is proven and this node does not know it yet. Returns what the edge is worth from now on.
static float count_proof(const mcts *m, node *p, edges x, uint32_t e)
{
    x.fly[e] |= FLY_PROVEN;
    x.q[e] = -INFINITY;
    p->n_proven++;
    mcts_proof proof = edge_proof(m, p, x, (int)e);
    if (proof == MCTS_DRAW) p->flags |= NODE_DRAWS;
    if (proof == MCTS_WIN)
        p->proof = MCTS_WIN;
    else if (p->proof == MCTS_UNPROVEN && p->n_proven == p->n_edges)
        p->proof = p->flags & NODE_DRAWS ? MCTS_DRAW : MCTS_LOSS;
    if (p->proof != MCTS_UNPROVEN) {
        p->flags |= NODE_STOP;
        p->value = proof_value(m, (mcts_proof)p->proof, p->seat);
    }
    return proof_value(m, proof, p->seat);
}

void mcts_back(mcts *m, const slot *s, float v)
{
    const step *path = m->steps + s->first;
    int seat = s->seat;
    const node *c = NULL;
    if (s->leaf != 0) {
        node *leaf = node_at(m, s->leaf);
        if (leaf->seat != seat) v = -v, seat = leaf->seat;
        leaf->n++;
        leaf->w += v;
        c = leaf;
    }
    for (int i = (int)s->depth - 1; i >= 0; i--) {
        node *p = node_at(m, path[i].node);
        edges x = node_edges(m, p);
        uint32_t e = path[i].edge, n = x.n[e]++;
        if (p->seat != seat) v = -v, seat = p->seat;
        if (m->many) p->fly--, x.fly[e]--;
        float before = x.q[e], now;
        if (x.fly[e] & FLY_PROVEN) {
            now = before = edge_value(m, p, x, (int)e);
        } else if (c == NULL) {
            now = x.q[e] = before + (v - before) / (float)(n + 1);
        } else if (c->proof != MCTS_UNPROVEN && m->solver) {
            now = count_proof(m, p, x, e);
        } else {
            float mean = node_mean(m, c);
            now = x.q[e] = c->seat == p->seat ? mean : -mean;
        }
        p->n++;
        if (m->graph)
            p->w += (double)(n + 1) * now - (double)n * before;
        else
            p->w += v;
        if (p->proof != MCTS_UNPROVEN)
            v = proof_value(m, (mcts_proof)p->proof, p->seat);
        else if (p->flags & NODE_DRAWS)
            v = fmaxf(v, draw_value(m, p->seat));
        c = p;
    }
}

// Take a walk that was given up out of the air again.
void mcts_unfly(mcts *m, const slot *s)
{
    if (!m->many) return;
    const step *path = m->steps + s->first;
    for (uint32_t i = 0; i < s->depth; i++) {
        node *nd = node_at(m, path[i].node);
        nd->fly--;
        node_edges(m, nd).fly[path[i].edge]--;
    }
}

// A root that wins at once: the first walk is to find it.
static void prefer_win(mcts *m, node *root)
{
    if (!m->solver || m->g->win == NULL) return;
    const move_t *moves = node_moves(m, root);
    move_t best = m->g->win(m->root_state, moves, root->n_edges);
    float *p = node_priors(m, root);
    for (int i = 0; i < root->n_edges && best != MOVE_NONE; i++) p[i] = moves[i] == best ? 1.0f : 0.0f;
}

static void add_plain(plain_sum *p, float v, float margin)
{
    p->sum += v, p->n++;
    if (fabsf(margin) < INFINITY) p->margins += margin, p->n_margins++;
}

void mcts_count_plain(mcts *m, const slot *s, float v, float margin)
{
    if (node_at(m, m->root)->seat != s->seat) v = -v, margin = -margin;
    uint32_t move = s->depth > 0 ? 1 + m->steps[s->first].edge : 0;
    add_plain(&m->plain[0], v, margin);
    if (move > 0) add_plain(&m->plain[move], v, margin);
    if (move >= m->plain_top) m->plain_top = move + 1;
}

// tanh, rounded alike everywhere.
static float tanh_same(float x)
{
    float t = exp_neg(-2.0f * fabsf(x)), y = (1.0f - t) / (1.0f + t);
    return x < 0 ? -y : y;
}

// A leaf's value where the margin counts: its margin, seen from the root's.
static float with_margin(mcts *m, const slot *s, float v, float margin)
{
    if (!(fabsf(margin) < INFINITY)) return v; // nothing known
    if (s->fresh && s->depth == 0) {
        m->centre = margin;
        m->centre_seat = s->seat;
        m->draw = m->o.margin * tanh_same(-margin / MCTS_MARGIN_SCALE);
    }
    float centre = s->seat == m->centre_seat ? m->centre : -m->centre;
    return v + m->o.margin * (tanh_same((margin - centre) / MCTS_MARGIN_SCALE) - v);
}

void mcts_backup(mcts *m, const mcts_batch *b, int at)
{
    for (int i = 0; i < m->n_slots; i++) {
        slot *s = &m->slots[i];
        float v = b->values[at + i];
        if (!(fabsf(v) < INFINITY)) v = 0.0f; // not a number: nothing known
        if (m->g->n_seats > 1) v = v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
        if (m->plain != NULL) mcts_count_plain(m, s, v, b->margins != NULL ? b->margins[at + i] : NAN);
        if (m->o.margin > 0 && b->margins != NULL) v = with_margin(m, s, v, b->margins[at + i]);
        if (s->fresh) {
            node *leaf = node_at(m, s->leaf);
            leaf->value = v;
            leaf->flags &= (uint8_t)~NODE_PENDING;
            mcts_normalise(m, node_priors(m, leaf), leaf->n_edges);
            if (s->depth == 0) prefer_win(m, leaf);
        }
        mcts_back(m, s, v);
        if (s->fresh && s->depth == 0) mcts_root_prepare(m);
    }
    for (int i = 0; i < m->n_lost; i++) mcts_unfly(m, &m->lost[i]);
    m->n_slots = m->n_lost = 0;
    m->n_steps = 0;
}
