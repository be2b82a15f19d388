// What people and tests read from a tree: value, principal variation, counts, and a check of invariants.
#include "search/mcts/mcts_node.h"

#include <stdio.h>
#include <stdlib.h>

float mcts_value(const mcts *m)
{
    if (m->root == 0) return 0;
    const node *nd = node_at(m, m->root);
    if (nd->proof != MCTS_UNPROVEN) return plain_proof((mcts_proof)nd->proof);
    if (nd->flags & NODE_STOP) return nd->value;
    if (m->plain == NULL || m->plain->n == 0) return nd->n > 0 ? node_mean(m, nd) : 0;
    float mean = (float)(m->plain->sum / (double)m->plain->n);
    return nd->flags & NODE_DRAWS && mean < 0 ? 0.0f : mean;
}

// Of two tried moves the one people would call better: not lost, more visits; then value, prior, number, as
// mcts_choose.
static bool better(const mcts *m, const node *nd, edges x, int a, int b)
{
    bool lost[2];
    float q[2];
    for (int k = 0; k < 2; k++) {
        int e = k ? b : a;
        mcts_proof proof = edge_proof(m, nd, x, e);
        q[k] = edge_value(m, nd, x, e);
        lost[k] =
            proof == MCTS_LOSS || (proof == MCTS_UNPROVEN && nd->flags & NODE_DRAWS && q[k] < draw_value(m, nd->seat));
    }
    const float *p = node_priors(m, nd);
    const move_t *mv = node_moves(m, nd);
    if (lost[0] != lost[1]) return lost[1];
    if (x.n[a] != x.n[b]) return x.n[a] > x.n[b];
    if (q[0] != q[1]) return q[0] > q[1];
    return p[a] != p[b] ? p[a] > p[b] : mv[a] < mv[b];
}

// A proven win, else the best of the tried moves; -1 without one.
static int main_edge(const mcts *m, const node *nd)
{
    edges x = node_edges(m, nd);
    int at = -1;
    for (int i = 0; i < nd->n_active; i++) {
        if (x.n[i] == 0) continue;
        if (edge_proof(m, nd, x, i) == MCTS_WIN) return i;
        if (at < 0 || better(m, nd, x, i, at)) at = i;
    }
    return at;
}

static int main_line(const mcts *m, uint32_t at, move_t *out, int max)
{
    int n = 0;
    while (n < max && at != 0) {
        const node *nd = node_at(m, at);
        int e = main_edge(m, nd);
        if (e < 0) break;
        out[n++] = node_moves(m, nd)[e];
        at = node_edges(m, nd).child[e];
    }
    return n;
}

int mcts_pv(const mcts *m, move_t *out, int max)
{
    return main_line(m, m->root, out, max);
}

int mcts_line(const mcts *m, move_t first, move_t *out, int max)
{
    if (max < 1) return 0;
    out[0] = first;
    const node *nd = m->root != 0 ? node_at(m, m->root) : NULL;
    for (int i = 0; nd != NULL && i < nd->n_active; i++)
        if (node_moves(m, nd)[i] == first) return 1 + main_line(m, node_edges(m, nd).child[i], out + 1, max - 1);
    return 1;
}

mcts_stats mcts_statistics(const mcts *m)
{
    mcts_stats s = {.sims = m->sims,
                    .evals = m->evals,
                    .shared = m->shared,
                    .collisions = m->collisions,
                    .nodes = m->nodes,
                    .bytes = m->used,
                    .limit = m->max,
                    .depth = m->deepest,
                    .full = m->full};
    if (m->walks > 0) s.mean_depth = (double)m->steps_walked / (double)m->walks;
    if (m->nodes > 0) s.bytes_per_node = (double)m->used / m->nodes;
    if (m->root != 0) {
        s.visits = node_at(m, m->root)->n;
        s.proof = (mcts_proof)node_at(m, m->root)->proof;
    }
    return s;
}

// --- invariants

static const char *node_fault(const mcts *m, const node *nd)
{
    if (nd->fly != 0) return "a walk is in flight through a node";
    bool root = nd == node_at(m, m->root);
    if (nd->flags & NODE_PENDING) return root ? "" : "a node waits for its evaluation";
    if (nd->n_active > nd->n_edges || nd->n_edges > nd->room) return "more edges than a node has place for";
    if (nd->block != 0 && nd->n_active > 1 << nd->cap_log) return "more edges than the edge block has place for";
    if (nd->n == 0) return root && nd->flags & NODE_STOP ? "" : "a node without a visit"; // a game over needs no search
    if (fabs(nd->w) > nd->n * (1.0 + 1e-4) && m->g->n_seats == 2) return "a mean value beyond 1";
    edges x = node_edges(m, nd);
    const float *p = node_priors(m, nd);
    uint64_t visits = 0, proven = 0;
    double mass = 0;
    for (int i = 0; i < nd->n_edges; i++) {
        if (!(p[i] >= 0 && p[i] <= 1.0001f)) return "a prior outside 0 … 1";
        mass += p[i];
        if (i >= nd->n_active) continue;
        if (x.fly[i] & FLY_COUNT) return "a walk is in flight through an edge";
        if (!(fabsf(edge_value(m, nd, x, i)) <= 1.0001f) && m->g->n_seats == 2) return "an edge value beyond 1";
        visits += x.n[i];
        proven += (x.fly[i] & FLY_PROVEN) != 0;
    }
    if (nd->n_edges > 0 && !m->hidden && fabs(mass - 1.0) > 1e-3) return "priors that do not sum to 1";
    if (proven != nd->n_proven) return "a wrong count of proven moves";
    // Each visit but the first went on through an edge, unless it ended here: proven, over, out of memory, a sample's
    // end.
    if (visits + 1 > nd->n) return "an edge was visited more often than its node";
    if (visits + 1 != nd->n && !m->hidden && !m->was_full && !(nd->flags & NODE_STOP))
        return "visits that do not add up";
    return "";
}

const char *mcts_fault(const mcts *m)
{
    if (m->root == 0) return "";
    if (m->n_slots != 0) return "leaves are waiting";
    uint32_t *stack = malloc(((size_t)m->nodes + 1) * sizeof *stack);
    unsigned char *seen = calloc(m->used / UNIT + 1, 1);
    const char *fault = stack == NULL || seen == NULL ? "no memory for the check" : "";
    size_t top = 0;
    if (fault[0] == 0) stack[top++] = m->root, seen[m->root] = 1;
    while (top > 0 && fault[0] == 0) {
        const node *nd = node_at(m, stack[--top]);
        fault = node_fault(m, nd);
        edges x = node_edges(m, nd);
        for (int i = 0; i < nd->n_active && fault[0] == 0; i++) {
            uint32_t c = x.child[i];
            if (c == 0 || seen[c]) continue;
            seen[c] = 1;
            stack[top++] = c;
        }
    }
    free(stack);
    free(seen);
    return fault;
}
