// The walk from the root to a leaf, once for each instruction set. The including file defines
//   WALK           the name of the walk
//   PICK_PLAIN     best of `count` edges:  q (first play where n = 0) + cs·p / (1 + n); the first of equals
//   PICK_FLYING    the same with walks in flight counted as `loss` lost visits each
//   PICK_LARGEST   index of the largest of `count` floats; the first of equals
// All instances round alike (no fused multiply-add, true division), so they build the same tree to the last bit.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

// Bring the untried move with the largest prior to the front of the untried ones.
static inline void bring_forward(const mcts *m, node *nd)
{
    float *p = node_priors(m, nd);
    int first = nd->n_active, best = first + PICK_LARGEST(p + first, nd->n_edges - first);
    if (best != first) {
        move_t *mv = node_moves(m, nd);
        float fp = p[first];
        p[first] = p[best];
        p[best] = fp;
        move_t fm = mv[first];
        mv[first] = mv[best];
        mv[best] = fm;
    }
    nd->n_sorted = (uint16_t)(first + 1);
}

// The edge to take from a node; -1 where memory ends before its first edge.
static inline int choose_edge(mcts *m, node *nd, bool room)
{
    float *p = node_priors(m, nd);
    float cs = explore(m, (float)(nd->n + nd->fly)), fpu = first_play(m, nd), best = -INFINITY;
    int at = -1;
    if (nd->n_active > 0) {
        edges x = node_edges(m, nd);
        at = nd->fly == 0 ? PICK_PLAIN(x, p, nd->n_active, cs, fpu, &best)
                          : PICK_FLYING(x, p, nd->n_active, cs, fpu, m->o.virtual_loss, &best);
    }
    if (nd->n_active < nd->n_edges) {
        if (nd->n_sorted == nd->n_active) bring_forward(m, nd);
        int next = nd->n_active;
        if ((at < 0 || fpu + cs * p[next] > best) && mcts_activate(m, nd, room)) at = next;
    }
    return at;
}

walk_end WALK(mcts *m, slot *s)
{
    bool room = mcts_reserve(m);
    step *path = m->steps + m->n_steps;
    uint32_t at = m->root;
    for (int depth = 0;;) {
        node *nd = node_at(m, at);
        int e = depth == 0 && m->root_rule ? mcts_root_pick(m, nd) : choose_edge(m, nd, room);
        if (e < 0) return mcts_walk_stop(m, s, at);
        path[depth++] = (step){at, (uint32_t)e};
        s->depth = (uint32_t)depth;
        edges x = node_edges(m, nd);
        if (m->o.fpu == MCTS_FPU_PARENT && x.n[e] == 0 && x.fly[e] == 0) nd->mass += node_priors(m, nd)[e];
        at = x.child[e];
        if (at == 0) {
            walk_end end = mcts_spawn(m, s, path, depth, room, &at);
            if (end != WALK_ON) {
                if (m->many) nd->fly++, x.fly[e]++;
                return end;
            }
        }
        if (m->many) nd->fly++, x.fly[e]++;
        const node *child = node_at(m, at);
        if (child->flags & NODE_PENDING) return WALK_LOST;
        if (child->flags & NODE_STOP || depth == MCTS_MAX_DEPTH) return mcts_walk_stop(m, s, at);
    }
}
