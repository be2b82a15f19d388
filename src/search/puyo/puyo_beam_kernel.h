// The beam's inner loop, for the instruction set of the file that includes it. See puyo_beam.h for the search.
#ifndef KEIKO_SEARCH_PUYO_PUYO_BEAM_KERNEL_H
#define KEIKO_SEARCH_PUYO_PUYO_BEAM_KERNEL_H

#include "search/puyo/puyo_beam_inner.h"
#include "search/puyo/puyo_eval_kernel.h"

// --- the best `width` nodes of a depth: a heap with the worst on top

PY_INLINE void heap_sink(beam_slot *heap, int n, int at, beam_slot x)
{
    for (;;) {
        int child = 2 * at + 1;
        if (child >= n) break;
        if (child + 1 < n && heap[child + 1].score < heap[child].score) child++;
        if (x.score <= heap[child].score) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = x;
}

typedef struct beam_layer {
    beam_node *nodes;
    int n, width;
} beam_layer;

PY_INLINE void layer_add(beam_memory *m, beam_layer *l, const beam_node *x)
{
    if (l->n < l->width) {
        m->heap[l->n] = (beam_slot){x->score, (uint32_t)l->n};
        l->nodes[l->n++] = *x;
        if (l->n == l->width)
            for (int i = l->n / 2 - 1; i >= 0; i--) heap_sink(m->heap, l->n, i, m->heap[i]);
        return;
    }
    if (x->score <= m->heap[0].score) return;
    uint32_t slot = m->heap[0].node;
    l->nodes[slot] = *x;
    heap_sink(m->heap, l->n, 0, (beam_slot){x->score, slot});
}

// --- fields seen at this depth

PY_INLINE uint64_t field_hash(const py_field *f)
{
    uint64_t a = 0x9e3779b97f4a7c15u, b = 0xc2b2ae3d27d4eb4fu;
    for (int i = 0; i < 3; i++) {
        a = (a ^ f->plane[i][0]) * 0xff51afd7ed558ccdu;
        b = (b ^ f->plane[i][1]) * 0xc4ceb9fe1a85ec53u;
        a ^= a >> 32;
        b ^= b >> 29;
    }
    a = (a ^ b) * 0x9e3779b97f4a7c15u;
    return a ^ a >> 32;
}

// The entry of this field, or the free one where it belongs.
PY_INLINE beam_seen *seen_find(beam_memory *m, uint64_t hash, bool *found)
{
    uint32_t check = (uint32_t)(hash >> 32), at = (uint32_t)hash & m->mask;
    for (;; at = (at + 1) & m->mask) {
        beam_seen *e = &m->seen[at];
        *found = e->layer == m->layer && e->check == check;
        if (*found || e->layer != m->layer) return e;
    }
}

// --- placing

PY_INLINE void place_cell(py_field *f, int col, int row0, int code)
{
    if (row0 >= PY_GHOST) return;
    uint64_t bit = 1ull << ((col & 3) * 16 + row0);
    for (int p = 0; p < 3; p++) f->plane[p][col >> 2] |= code >> p & 1 ? bit : 0;
}

// Returns the rows that one half falls alone.
PY_INLINE int place_pair(py_field *f, const int h[PY_COLS], int move, uint8_t pair)
{
    int col = move >> 2, turn = move & 3, main = py_main(pair), sub = py_sub(pair);
    if ((turn & 1) == 0) {
        place_cell(f, col, h[col], turn == 0 ? main : sub);
        place_cell(f, col, h[col] + 1, turn == 0 ? sub : main);
        return 0;
    }
    int child = col + 2 - turn;
    place_cell(f, col, h[col], main);
    place_cell(f, child, h[child], sub);
    return pe_abs(h[col] - h[child]);
}

// --- the search

// Places a pair on a node in every way; at the root each way is a line of its own.
PY_INLINE void expand(beam_memory *m, beam_task *t, const beam_node *from, uint8_t pair, beam_layer *into, int d)
{
    const puyo_beam_settings *s = t->s;
    bool root = d == 0;
    int h[PY_COLS];
    py_heights(&from->field, h);
    uint32_t mask = py_legal_mask(&from->field, pair, s->reach, s->lose);
    for (; mask != 0; mask &= mask - 1) {
        int move = __builtin_ctz(mask);
        beam_node x = *from;
        int split = place_pair(&x.field, h, move, pair), points = 0, links = 0;
        py_vec v = pk_load(&x.field);
        py_joins j = pk_joins(v);
        if (!pb_none(j.core)) {
            py_chain_result r = pk_chain_any(&x.field, v, j, true);
            points = r.score;
            links = r.links;
        }
        if (py_buried(&x.field, s->lose)) continue;
        if (root) x.root = (uint8_t)move;
        if (root) t->fires[move] = points;
        if (points > t->best[x.root]) t->best[x.root] = points;
        if (d < t->known && points > t->sure[x.root]) t->sure[x.root] = points;
        if (points >= s->prune) continue;
        x.cost += split * s->weights.split + links * s->weights.waste;
        bool found;
        uint64_t hash = field_hash(&x.field);
        beam_seen *e = seen_find(m, hash, &found);
        if (found && x.cost <= e->cost) continue;
        if (!found) {
            puyo_value value = pe_evaluate(&x.field, &s->weights, s->colours);
            *e = (beam_seen){(uint32_t)(hash >> 32), m->layer, x.cost, value.score};
            x.links = (uint8_t)value.links;
            t->nodes++;
        }
        e->cost = x.cost;
        x.score = e->value + x.cost;
        if (root) t->score[move] = x.score;
        layer_add(m, into, &x);
    }
}

// One call of expand, for it is inlined: the first depth is one node, and every first placement stays.
PY_INLINE void run_task(beam_memory *m, beam_task *t)
{
    int first = t->s->width < PY_MAX_LEGAL ? PY_MAX_LEGAL : t->s->width;
    beam_layer from = {m->nodes[0], 1, 0}, into = {m->nodes[1], 0, first};
    from.nodes[0] = (beam_node){.field = *t->field};
    for (int i = 0; i < PY_MOVES; i++) t->best[i] = -1, t->sure[i] = t->fires[i] = t->score[i] = 0;
    t->nodes = 0;
    for (int d = 0; d < t->depth && from.n > 0; d++) {
        m->layer++;
        for (int i = 0; i < from.n; i++) {
            if (d > 0 && (i & 127) == 0 && beam_halted(t)) return; // the first placements are there: an answer
            expand(m, t, &from.nodes[i], t->pairs[d], &into, d);
        }
        beam_node *free = from.nodes;
        from = into;
        into = (beam_layer){free, 0, t->s->width};
    }
}

#define PUYO_BEAM_DEFINE(RUN, EVAL)                                                                                    \
    void RUN(beam_memory *m, beam_task *t)                                                                             \
    {                                                                                                                  \
        run_task(m, t);                                                                                                \
    }                                                                                                                  \
    puyo_value EVAL(const py_field *f, const puyo_weights *w, int colours)                                             \
    {                                                                                                                  \
        return pe_evaluate(f, w, colours);                                                                             \
    }

#endif
