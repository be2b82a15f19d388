// What all walks share: making a node for a new position, ending at a known one, and the root's own node.
#include "search/mcts/mcts_node.h"

#include <assert.h>

// The state behind a path, by replaying it from the root.
static void replay(const mcts *m, const step *path, int depth, char *state)
{
    memcpy(state, m->root_state, m->g->state_size);
    for (int i = 0; i < depth; i++) m->g->play(state, node_moves(m, node_at(m, path[i].node))[path[i].edge], NULL);
}

uint64_t mcts_position_key(const mcts *m, const void *state, int depth)
{
    // With the ply in the key no position can come back below itself.
    return rng_mix(m->g->hash(state) + (uint64_t)(m->ply + depth) * 0x9e3779b97f4a7c15u);
}

walk_end mcts_walk_stop(mcts *m, slot *s, uint32_t at)
{
    const node *nd = node_at(m, at);
    s->leaf = at;
    s->fresh = false;
    s->seat = nd->seat;
    s->proof = nd->flags & NODE_STOP && !m->solver ? (uint8_t)mcts_proof_of(nd->value) : nd->proof;
    s->value = nd->flags & NODE_STOP ? nd->value : node_mean(m, nd);
    return WALK_VALUE;
}

// What is known of a position before anything was tried in it: that the seat to move wins at once, or what options.prove
// says. What a network thinks of it, and whether a walk would ever have come upon the moves, does not matter then.
static mcts_proof known_result(const mcts *m, const void *state, const move_t *moves, int n)
{
    if (!m->solver || n == 0) return MCTS_UNPROVEN;
    if (m->g->win != NULL && m->g->win(state, moves, n) != MOVE_NONE) return MCTS_WIN;
    return m->o.prove != NULL ? (mcts_proof)m->o.prove(m->o.prove_ctx, state) : MCTS_UNPROVEN;
}

// No memory for another node: its value alone, kept in the edge. A position evaluated once is not evaluated again.
static walk_end at_frontier(mcts *m, slot *s, const step *path, int depth)
{
    const node *parent = node_at(m, path[depth - 1].node);
    edges x = node_edges(m, parent);
    uint32_t e = path[depth - 1].edge;
    s->leaf = 0;
    s->fresh = false;
    s->seat = parent->seat;
    if (x.n[e] > 0) {
        s->value = edge_value(m, parent, x, (int)e);
        return WALK_VALUE;
    }
    if (x.fly[e] & FLY_COUNT) return WALK_LOST;
    char *state = slot_state(m, s);
    replay(m, path, depth, state);
    int n = m->g->legal(state, m->legal);
    if (n == 0) {
        s->value = mcts_result_value(m, state, parent->seat);
        s->proof = (uint8_t)mcts_proof_of(s->value);
        return WALK_VALUE;
    }
    s->seat = (uint8_t)m->g->seat(state);
    mcts_proof proof = known_result(m, state, m->legal, n);
    if (proof == MCTS_UNPROVEN) return WALK_LEAF;
    s->value = proof_value(m, proof, s->seat);
    s->proof = (uint8_t)proof;
    return WALK_VALUE;
}

// A node for `state`, whose n moves already stand in it; the caller has reserved the place.
static uint32_t commit(mcts *m, node *nd, const void *state, int n, int room, int seat, uint64_t key)
{
    uint32_t at = (uint32_t)(m->used / UNIT);
    *nd = (node){.key = key, .n_edges = (uint16_t)n, .room = (uint16_t)room, .seat = (uint8_t)seat};
    if (n > 0) {
        nd->flags = NODE_PENDING;
        memset(node_priors(m, nd), 0, (size_t)n * sizeof(float));
    } else if (!m->hidden) {
        nd->value = mcts_result_value(m, state, seat);
        nd->flags = NODE_STOP;
        if (m->solver) nd->proof = (uint8_t)mcts_proof_of(nd->value);
        if (nd->proof == MCTS_DRAW) nd->value = draw_value(m, seat);
    }
    m->used += node_bytes(m, room);
    m->nodes++;
    return at;
}

walk_end mcts_spawn(mcts *m, slot *s, const step *path, int depth, bool room, uint32_t *child)
{
    if (!room) return at_frontier(m, s, path, depth);
    const game *g = m->g;
    node *parent = node_at(m, path[depth - 1].node), *nd = node_at(m, (uint32_t)(m->used / UNIT));
    uint32_t e = path[depth - 1].edge;
    void *state;
    if (m->state_room > 0) {
        state = node_state(nd);
        memcpy(state, node_state(parent), g->state_size);
    } else {
        state = slot_state(m, s);
        replay(m, path, depth - 1, state);
    }
    g->play(state, node_moves(m, parent)[e], NULL);

    uint64_t key = 0;
    if (m->graph) {
        key = mcts_position_key(m, state, depth);
        __builtin_prefetch(&m->table[(uint32_t)key & (m->table_size - 1)]); // with many trees it is seldom near
    }
    int n = g->legal(state, node_moves(m, nd));
    uint32_t known = m->graph ? mcts_find(m, key) : 0;
    if (known != 0) {
        m->shared++;
        *child = node_edges(m, parent).child[e] = known;
        return WALK_ON;
    }
    int seat = n > 0 ? g->seat(state) : parent->seat;
    mcts_proof proof = known_result(m, state, node_moves(m, nd), n);
    if (proof != MCTS_UNPROVEN) n = 0; // its moves are of no interest
    uint32_t at = commit(m, nd, state, n, n, seat, key);
    if (proof != MCTS_UNPROVEN) nd->value = proof_value(m, proof, seat), nd->proof = (uint8_t)proof;
    node_edges(m, parent).child[e] = at;
    if (m->graph) mcts_insert(m, key, at);
    if (n == 0) return mcts_walk_stop(m, s, at);
    s->leaf = at;
    s->fresh = true;
    s->seat = nd->seat;
    return WALK_LEAF;
}

void mcts_root_create(mcts *m)
{
    bool room = mcts_reserve(m);
    assert(room); // mcts_store_new sees to it that a root always fits
    (void)room;
    const game *g = m->g;
    node *nd = node_at(m, (uint32_t)(m->used / UNIT));
    char *state = m->state_room > 0 ? node_state(nd) : m->states;
    if (m->hidden) {
        rng r = mcts_draw(m, DRAW_SAMPLE, m->samples++);
        game_sample(g, m->root_state, &r, state);
    } else {
        memcpy(state, m->root_state, g->state_size);
    }
    int n = g->legal(state, node_moves(m, nd));
    uint64_t key = m->graph ? mcts_position_key(m, state, 0) : 0;
    m->root = commit(m, nd, state, n, m->hidden ? g->max_legal : n, n > 0 ? g->seat(state) : 0, key);
    if (m->hidden && n == 0) { // what the root sees is the truth: it is over
        nd->value = mcts_result_value(m, state, nd->seat);
        nd->flags = NODE_STOP;
    }
    if (m->graph) mcts_insert(m, key, m->root);
}

// --- games that hide something: the tree is walked by moves, the state is a new sample each time

// The edges whose moves are legal in `state`, as indices in m->legal; edges are added for moves not seen here before.
// Their number; 0: the sample's game is over here; -1: no memory for the edges.
static int legal_edges(mcts *m, uint32_t at, const char *state, bool room)
{
    int n = m->g->legal(state, m->legal);
    if (n == 0) return 0;
    if (node_at(m, at)->n_active < node_at(m, at)->n_edges && (!room || !mcts_activate_all(m, at))) return -1;
    node *nd = node_at(m, at);
    move_t *mv = node_moves(m, nd);
    float *p = node_priors(m, nd);
    for (int i = 0; i < nd->n_edges; i++) m->where[mv[i]] = (uint16_t)(i + 1);
    int out = 0;
    for (int i = 0; i < n; i++) {
        int e = m->where[m->legal[i]] - 1;
        if (e < 0) { // (the root's moves are those its observation shows)
            if (at == m->root || nd->n_edges >= nd->room || !mcts_activate(m, nd, room)) continue;
            e = nd->n_edges++;
            nd->n_sorted = nd->n_edges;
            mv[e] = m->legal[i];
            p[e] = 1.0f / (float)n; // unknown to the evaluation made here: an even share
        }
        m->legal[out++] = (move_t)e;
    }
    for (int i = 0; i < nd->n_edges; i++) m->where[mv[i]] = 0;
    return out > 0 ? out : -1;
}

static int choose_legal(const mcts *m, const node *nd, int n)
{
    edges x = node_edges(m, nd);
    const float *p = node_priors(m, nd);
    float cs = explore(m, (float)(nd->n + nd->fly)), fpu = first_play(m, nd), best = -INFINITY,
          loss = m->o.virtual_loss;
    int at = m->legal[0];
    for (int i = 0; i < n; i++) {
        int e = m->legal[i];
        float visits = (float)x.n[e], fly = (float)(x.fly[e] & FLY_COUNT), seen = visits + loss * fly;
        float q = seen > 0 ? (visits * x.q[e] - loss * fly) / seen : fpu;
        float score = q + cs * p[e] / (1.0f + visits + fly);
        if (score > best) best = score, at = e;
    }
    return at;
}

// The root's own rule, unless the move is not legal in this sample after all.
static int root_choice(mcts *m, const node *nd, int n)
{
    int e = mcts_root_pick(m, nd);
    for (int i = 0; i < n; i++)
        if (m->legal[i] == e) return e;
    return choose_legal(m, nd, n);
}

// The sample's game is over at this node.
static walk_end hidden_over(mcts *m, slot *s, uint32_t at, const char *state)
{
    s->leaf = at;
    s->fresh = false;
    s->seat = node_at(m, at)->seat;
    s->value = mcts_result_value(m, state, s->seat);
    return WALK_VALUE;
}

// Evaluate this sample at a node that has its priors already, or (fresh) is to receive them.
static walk_end hidden_leaf(mcts *m, slot *s, uint32_t at, const char *state, bool fresh)
{
    s->leaf = at;
    s->fresh = fresh;
    s->seat = (uint8_t)m->g->seat(state);
    game_observe(m->g, state, s->seat, m->obs + (size_t)(s - m->slots) * m->g->obs_size);
    return WALK_LEAF;
}

// The first sample to come this way, or the first in which the game is not over here.
static walk_end hidden_open(mcts *m, slot *s, uint32_t at, const char *state)
{
    node *nd = node_at(m, at);
    int n = m->g->legal(state, node_moves(m, nd));
    if (n == 0) return hidden_over(m, s, at, state);
    int seat = m->g->seat(state);
    if (nd->seat != seat) nd->w = -nd->w;
    nd->seat = (uint8_t)seat;
    nd->n_edges = (uint16_t)n;
    nd->flags = NODE_PENDING;
    memset(node_priors(m, nd), 0, (size_t)n * sizeof(float));
    return hidden_leaf(m, s, at, state, true);
}

walk_end mcts_walk_hidden(mcts *m, slot *s)
{
    bool room = mcts_reserve(m);
    const game *g = m->g;
    step *path = m->steps + m->n_steps;
    char *state = slot_state(m, s);
    rng r = mcts_draw(m, DRAW_SAMPLE, m->samples++);
    game_sample(g, m->root_state, &r, state);
    uint32_t at = m->root;
    for (int depth = 0;;) {
        int n = legal_edges(m, at, state, room);
        if (n == 0) return hidden_over(m, s, at, state);
        node *nd = node_at(m, at);
        // A seat that differs from the one first met here: the node's statistics are not about this decision.
        if (n < 0 || g->seat(state) != nd->seat || depth == MCTS_MAX_DEPTH) return hidden_leaf(m, s, at, state, false);
        int e = depth == 0 && m->root_rule ? root_choice(m, nd, n) : choose_legal(m, nd, n);
        path[depth++] = (step){at, (uint32_t)e};
        s->depth = (uint32_t)depth;
        edges x = node_edges(m, nd);
        if (x.n[e] == 0 && x.fly[e] == 0) nd->mass += node_priors(m, nd)[e];
        nd->fly++, x.fly[e]++;
        g->play(state, node_moves(m, nd)[e], NULL);
        at = x.child[e];
        if (at == 0) {
            if (!room) return hidden_leaf(m, s, 0, state, false);
            node *new = node_at(m, (uint32_t)(m->used / UNIT));
            at = x.child[e] = commit(m, new, state, 0, g->max_legal, nd->seat, 0);
        }
        const node *child = node_at(m, at);
        if (child->flags & NODE_PENDING) return WALK_LOST;
        if (child->n_edges == 0) return hidden_open(m, s, at, state);
    }
}
