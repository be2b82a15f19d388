// Alpha-beta above the endgame layer, for one instruction set per including file: the middlegame, and the upper part of
// exact solving.
//
// Principal-variation search with the hash table. depth == empties means "to the end": then scores are exact as far as
// `sure` says, and small endgames are handed to oth_end.h. Moves are ordered by the hash table, then by the evaluation of
// the children (in large subtrees of the middlegame after a short search), with the number of the opponent's answers mixed
// in: a child with few answers is cheap to search. With sure < OTH_SURE, a shallow search that lies far enough outside the
// window cuts the node (multi-ProbCut); the solver runs such passes first, for their moves and their guess of the score.
#ifndef KEIKO_SEARCH_OTH_DEEP_H
#define KEIKO_SEARCH_OTH_DEEP_H

#include "search/othello/oth_end.h"
#include "search/othello/oth_spread.h"

enum {
    DEEP_END = 13,      // empties up to which oth_end.h takes over
    DEEP_HASH = 3,      // depth from which the hash table is used
    DEEP_DEFER = 5,     // depth from which threads avoid each other
    DEEP_INFINITE = 65, // outside every score
    DEEP_ETC = 5,       // depth from which the table is asked about all children first
    DEEP_UNKNOWN = 1 << 20,
};

typedef struct deep_node {
    uint64_t own, opp;
    oth_shape shape;
    int value; // by the evaluation, in units; DEEP_UNKNOWN
} deep_node;

typedef struct deep_kids {
    _Alignas(64) uint64_t own[OTH_MAX_MOVES + 14];
    _Alignas(64) uint64_t opp[OTH_MAX_MOVES + 14];
    _Alignas(64) uint64_t moves[OTH_MAX_MOVES + 14];
    uint64_t flips[OTH_MAX_MOVES];
    oth_shape shape[OTH_MAX_MOVES];
    uint8_t sq[OTH_MAX_MOVES], order[OTH_MAX_MOVES];
    int32_t key[OTH_MAX_MOVES];   // the smallest first
    int32_t value[OTH_MAX_MOVES]; // as deep_node's
    int n;
} deep_kids;

static int deep(oth_worker *s, const deep_node *at, uint64_t moves, int alpha, int beta, int depth, int sure);

static inline int deep_empties(const deep_node *nd)
{
    return OTH_SQUARES - __builtin_popcountll(nd->own | nd->opp);
}

// In units; `mine` and `theirs`: where each side may play.
static inline int deep_value(const oth_worker *s, uint64_t own, uint64_t opp, const oth_shape *shape, uint64_t mine,
                             uint64_t theirs)
{
    if (s->weights == NULL) return oth_eval(NULL, (oth_board){own, opp});
    return oth_eval_shape(s->weights, shape, __builtin_popcountll(own | opp), mine, theirs);
}

static inline int deep_discs(int units) // whole discs, never a finished game's score
{
    int v = (units + OTH_EVAL_UNIT / 2) >> 7;
    return v < -62 ? -62 : v > 62 ? 62 : v;
}

static inline void deep_expand(deep_kids *k, const deep_node *nd, uint64_t moves)
{
    int n = 0;
    for (; moves != 0; moves &= moves - 1, n++) {
        int sq = __builtin_ctzll(moves);
        uint64_t f = oth_k_flips(nd->own, nd->opp, sq);
        k->sq[n] = (uint8_t)sq;
        k->flips[n] = f;
        k->own[n] = nd->opp ^ f;
        k->opp[n] = nd->own ^ f ^ END_BIT(sq);
    }
    k->n = n;
    for (int i = 0; i < n; i += OTH_LANES)
        oth_v_store(k->moves + i, oth_v_moves(oth_v_load(k->own + i), oth_v_load(k->opp + i)));
}

static inline void deep_shapes(const oth_worker *s, deep_kids *k, const deep_node *nd)
{
    if (s->weights == NULL) return;
    for (int i = 0; i < k->n; i++) k->shape[i] = oth_shape_play(&nd->shape, k->sq[i], k->flips[i]);
}

// One ply: the best evaluation after a move. Children are made and their moves found a vector at a time.
static int deep_last(oth_worker *s, const deep_node *nd, uint64_t moves, int beta)
{
    int best = -DEEP_INFINITE;
    while (moves != 0) {
        _Alignas(64) uint64_t own[OTH_LANES], opp[OTH_LANES], mine[OTH_LANES], theirs[OTH_LANES];
        uint64_t flips[OTH_LANES];
        int sq[OTH_LANES], n = 0;
        for (; moves != 0 && n < OTH_LANES; moves &= moves - 1, n++) {
            sq[n] = __builtin_ctzll(moves);
            flips[n] = oth_k_flips(nd->own, nd->opp, sq[n]);
            own[n] = nd->opp ^ flips[n];
            opp[n] = nd->own ^ flips[n] ^ END_BIT(sq[n]);
        }
        for (int i = n; i < OTH_LANES; i++) own[i] = opp[i] = 0;
        oth_v_store(mine, oth_v_moves(oth_v_load(own), oth_v_load(opp)));
        oth_v_store(theirs, oth_v_moves(oth_v_load(opp), oth_v_load(own)));
        for (int i = 0; i < n; i++) {
            int v;
            s->nodes++;
            if ((mine[i] | theirs[i]) == 0) {
                v = -end_over(own[i], opp[i]);
            } else {
                oth_shape shape;
                if (s->weights != NULL) shape = oth_shape_play(&nd->shape, sq[i], flips[i]);
                v = -deep_discs(deep_value(s, own[i], opp[i], &shape, mine[i], theirs[i]));
            }
            if (v > best) best = v;
            if (best >= beta) return best;
        }
    }
    return best;
}

// A small endgame to the end, for any window, by null windows.
static int deep_end(oth_worker *s, uint64_t own, uint64_t opp, uint64_t moves, int alpha, int beta, int empties)
{
    if (empties == 0) return end_over(own, opp);
    unsigned parity = end_parity(~(own | opp));
    uint64_t hash = empties > END_SHALLOW ? oth_hash((oth_board){own, opp}) : 0;
    int v;
    do {
        if (empties > END_SHALLOW)
            v = end_search(s, own, opp, moves, hash, alpha, empties, parity);
        else
            v = end_small(s, own, opp, alpha, empties, parity);
        if (v <= alpha || s->stopped) return v;
        alpha = v;
    } while (alpha < beta);
    return v;
}

// --- ordering

static inline int deep_sort_depth(int depth) // deepening has left moves in the table: little else is needed
{
    int d = (depth - 10) / 3;
    return d < 0 ? 0 : d > 6 ? 6 : d;
}

// `quick`: by the evaluation alone.
static void deep_order(oth_worker *s, deep_kids *k, const deep_node *nd, int depth, bool full, bool quick,
                       const oth_tt_data *d)
{
    int sort = quick || full ? 0 : deep_sort_depth(depth);
    bool look = s->weights != NULL && depth >= DEEP_HASH;
    _Alignas(64) uint64_t theirs[OTH_MAX_MOVES + 14];
    for (int i = 0; look && sort == 0 && i < k->n; i += OTH_LANES)
        oth_v_store(theirs + i, oth_v_moves(oth_v_load(k->opp + i), oth_v_load(k->own + i)));
    unsigned parity = end_parity(~(nd->own | nd->opp));
    for (int i = 0; i < k->n; i++) {
        uint64_t m = k->moves[i];
        int key = __builtin_popcountll(m) + __builtin_popcountll(m & END_CORNERS);
        k->value[i] = DEEP_UNKNOWN;
        if (k->sq[i] == d->move) {
            key = -(1 << 24);
        } else if (!look) {
            key = 8 * key - ((parity & oth_line[k->sq[i]].quadrant) != 0 ? 4 : 0);
        } else {
            int v;
            deep_node child = {k->own[i], k->opp[i], k->shape[i], DEEP_UNKNOWN};
            if (sort == 0) {
                v = k->value[i] = deep_value(s, child.own, child.opp, &child.shape, m, theirs[i]);
                s->nodes++;
            } else {
                v = OTH_EVAL_UNIT * deep(s, &child, m, -DEEP_INFINITE, DEEP_INFINITE, sort, 0);
            }
            key = v + (full ? 288 : 32) * key;
        }
        k->key[i] = key;
    }
    for (int i = 0; i < k->n; i++) { // insertion: short lists
        int at = i;
        for (; at > 0 && k->key[k->order[at - 1]] > k->key[i]; at--) k->order[at] = k->order[at - 1];
        k->order[at] = (uint8_t)i;
    }
}

// --- cuts

// A child that the table already knows to be bad enough for the opponent ends the node.
static bool deep_etc(const oth_worker *s, const deep_kids *k, int beta, int depth, int sure, int *score)
{
    uint64_t hash[OTH_MAX_MOVES];
    for (int i = 0; i < k->n; i++) {
        hash[i] = oth_hash((oth_board){k->own[i], k->opp[i]});
        oth_tt_prefetch(s->tt, hash[i]);
    }
    for (int i = 0; i < k->n; i++) {
        oth_tt_data d;
        if (oth_tt_find(s->tt, hash[i], &d) && d.depth >= depth - 1 && d.sure >= sure && -d.high >= beta) {
            *score = -d.high;
            return true;
        }
    }
    return false;
}

// The spread (oth_spread.h) where the deeper search goes to the end, in discs; a fit to 100 self-play positions each at 12,
// 16 … 52 empties.
static inline double deep_end_spread(int empties, int depth, int probe)
{
    static const double wider[7] = {0, 0.73, 1, 1.2, 1.37, 1.51, 1.64}; // (plies between / 2) ^ 0.45; no growth after 6
    double now = 5.6 - 0.095 * empties, nearer = 1.125 - 0.0625 * probe;
    int between = depth - probe < 6 ? depth - probe : 6;
    return (now > 1 ? now : 1) * wider[between] * (nearer > 0.4 ? nearer : 0.4);
}

static inline int deep_probe(oth_worker *s, const deep_node *nd, uint64_t moves, int alpha, int probe, int sure,
                             int now)
{
    return probe == 0 ? now : deep(s, nd, moves, alpha, alpha + 1, probe, sure);
}

static const double deep_sigmas[OTH_SURE] = {1.1, 1.5, 2.0, 2.6, 3.3}; // by `sure`: the margins of cuts in spreads

// One ply from the leaves: the evaluation of the node itself, far enough outside a null window, answers for all children.
// Its margin is wider than those of searches: at 1.0 instead of 1.4, 4 plies are 40 Elo weaker.
static bool deep_foresee(const oth_worker *s, const deep_node *nd, uint64_t moves, int alpha, int sure, int *score)
{
    int value = nd->value, stage = oth_spread_stage(deep_empties(nd));
    if (value == DEEP_UNKNOWN)
        value = deep_value(s, nd->own, nd->opp, &nd->shape, moves, oth_k_moves(nd->opp, nd->own));
    double now = value * (1.0 / OTH_EVAL_UNIT) + oth_spread.tempo[stage] * (1.0 / OTH_SPREAD_UNIT);
    double margin = 1.4 * deep_sigmas[sure] * oth_spread.of[stage][1][0] * (1.0 / OTH_SPREAD_UNIT);
    *score = now > alpha ? alpha + 1 : alpha;
    return now - margin >= alpha + 1 || now + margin <= alpha;
}

static bool deep_probcut(oth_worker *s, deep_node *nd, uint64_t moves, int alpha, int depth, bool full, int sure,
                         int *score)
{
    int probe = depth == 2 ? 0 : 2 * (depth / 4) + (depth & 1), empties = deep_empties(nd);
    if (probe >= depth) return false;
    double spread =
        full ? deep_end_spread(empties, depth, probe) : oth_spread_of(empties, depth, probe) * (1.0 / OTH_SPREAD_UNIT);
    int margin = (int)(deep_sigmas[sure] * spread + 0.5), beta = alpha + 1;
    if (nd->value == DEEP_UNKNOWN)
        nd->value = deep_value(s, nd->own, nd->opp, &nd->shape, moves, oth_k_moves(nd->opp, nd->own));
    int now = deep_discs(nd->value), bound = beta + margin;
    if (bound <= 62 && now >= beta && deep_probe(s, nd, moves, bound - 1, probe, sure, now) >= bound) {
        *score = beta;
        return true;
    }
    bound = alpha - margin;
    if (bound >= -62 && now <= alpha && deep_probe(s, nd, moves, bound, probe, sure, now) <= bound) {
        *score = alpha;
        return true;
    }
    return false;
}

// --- threads keep off each other's positions where they can

static bool deep_busy(oth_shared *h, uint64_t key)
{
    return atomic_load_explicit(&h->busy[key % OTH_BUSY_SLOTS], memory_order_relaxed) == key;
}

static void deep_set_busy(oth_shared *h, uint64_t key, uint64_t value)
{
    atomic_store_explicit(&h->busy[key % OTH_BUSY_SLOTS], value, memory_order_relaxed);
}

// A child as its parent's threads know it, and the parent itself.
static uint64_t deep_kid_key(const deep_kids *k, int i, int depth)
{
    return oth_hash((oth_board){k->own[i], k->opp[i]}) + (uint64_t)depth;
}

static uint64_t deep_own_key(const deep_node *nd, int depth)
{
    return oth_hash((oth_board){nd->own, nd->opp}) + (uint64_t)(OTH_SQUARES + depth);
}

static oth_shared *deep_others(const oth_worker *s, int depth) // NULL: this thread is alone here
{
    return s->shared != NULL && s->shared->threads > 1 && depth >= DEEP_DEFER ? s->shared : NULL;
}

static bool deep_known_bound(const oth_worker *s, const oth_frame *f, int *score)
{
    oth_tt_data d;
    if (!oth_tt_find(s->tt, f->hash, &d) || d.depth < f->depth || d.sure < f->sure) return false;
    *score = d.low >= f->beta ? d.low : d.high;
    return d.low >= f->beta || d.high <= f->alpha;
}

// Has another thread meanwhile settled this position or one above it? Then what is being searched is of no use any more:
// the search is stopped up to the outermost of them.
static bool deep_settled(oth_worker *s)
{
    int score;
    for (oth_frame *f = s->above; f != NULL; f = f->above)
        if (deep_known_bound(s, f, &score)) s->settled = f;
    s->stopped = s->stopped || s->settled != NULL;
    return s->stopped;
}

// --- the search

static inline int deep_child(oth_worker *s, const deep_kids *k, int i, int alpha, int beta, int best, int depth,
                             int sure)
{
    deep_node child = {k->own[i], k->opp[i], k->shape[i], k->value[i]};
    int floor = best > alpha ? best : alpha, v;
    if (best == -DEEP_INFINITE || beta == floor + 1)
        return -deep(s, &child, k->moves[i], -beta, -floor, depth - 1, sure);
    v = -deep(s, &child, k->moves[i], -floor - 1, -floor, depth - 1, sure);
    if (v > floor && v < beta) v = -deep(s, &child, k->moves[i], -beta, -floor, depth - 1, sure);
    return v;
}

// All children in order; in a search of several threads, those that another one is at work on come last. `best` is what
// the move tried before them is worth.
static int deep_loop(oth_worker *s, deep_kids *k, int alpha, int beta, int depth, int sure, int best, int *move)
{
    oth_shared *h = deep_others(s, depth);
    int n = k->n, later = 0;
    bool first = best == -DEEP_INFINITE;
    uint8_t deferred[OTH_MAX_MOVES];
    for (int t = 0; t < n + later; t++) {
        int i = t < n ? k->order[t] : deferred[t - n];
        uint64_t key = 0;
        if (h != NULL) {
            if (deep_settled(s)) return 0;
            key = deep_kid_key(k, i, depth);
            if (t < n && !(first && t == 0) && deep_busy(h, key)) {
                deferred[later++] = (uint8_t)i;
                continue;
            }
            deep_set_busy(h, key, key);
        }
        int v = deep_child(s, k, i, alpha, beta, best, depth, sure);
        if (h != NULL) deep_set_busy(h, key, 0);
        if (s->stopped) return 0;
        if (v > best) {
            best = v;
            *move = k->sq[i];
            if (v >= beta) break;
        }
    }
    return best;
}

// The move that the table knows goes first, before the others are looked at: mostly it is all that is needed. It is
// taken off the list. -DEEP_INFINITE where there is none.
static int deep_known(oth_worker *s, deep_kids *k, const deep_node *nd, int alpha, int beta, int depth, int sure,
                      int known)
{
    int i = 0;
    while (i < k->n && k->sq[i] != known) i++;
    if (i == k->n) return -DEEP_INFINITE;
    k->value[i] = DEEP_UNKNOWN;
    if (s->weights != NULL) k->shape[i] = oth_shape_play(&nd->shape, k->sq[i], k->flips[i]);
    oth_shared *h = deep_others(s, depth);
    uint64_t key = h != NULL ? deep_kid_key(k, i, depth) : 0;
    if (h != NULL) deep_set_busy(h, key, key);
    int v = deep_child(s, k, i, alpha, beta, -DEEP_INFINITE, depth, sure), last = --k->n;
    if (h != NULL) deep_set_busy(h, key, 0);
    k->own[i] = k->own[last];
    k->opp[i] = k->opp[last];
    k->moves[i] = k->moves[last];
    k->flips[i] = k->flips[last];
    k->sq[i] = k->sq[last];
    return v;
}

// A move that another thread is at work on; OTH_TT_NONE.
static int deep_follow(oth_shared *h, const deep_kids *k, int depth)
{
    for (int i = 0; i < k->n; i++)
        if (deep_busy(h, deep_kid_key(k, i, depth))) return k->sq[i];
    return OTH_TT_NONE;
}

// The best value of all moves, and the move; worthless where the search was stopped. A thread that comes to a position where
// another one is already at work helps it with its move first, and spares itself the searches that order the others.
static int deep_moves(oth_worker *s, deep_kids *k, const deep_node *nd, int alpha, int beta, int depth, bool full,
                      int sure, const oth_tt_data *d, int *move)
{
    int best = -DEEP_INFINITE, known = d->move;
    oth_shared *h = deep_others(s, depth);
    uint64_t key = h != NULL ? deep_own_key(nd, depth) : 0;
    bool joins = h != NULL && deep_busy(h, key);
    if (joins) {
        int busy = deep_follow(h, k, depth);
        if (busy != OTH_TT_NONE) known = busy;
    } else if (h != NULL) {
        deep_set_busy(h, key, key);
    }
    if (known != OTH_TT_NONE) {
        best = deep_known(s, k, nd, alpha, beta, depth, sure, known);
        if (best != -DEEP_INFINITE) *move = known;
    }
    if (!s->stopped && best < beta && k->n > 0) {
        deep_shapes(s, k, nd);
        deep_order(s, k, nd, depth, full, joins, d);
        best = deep_loop(s, k, alpha, beta, depth, sure, best, move);
    }
    if (h != NULL && !joins) deep_set_busy(h, key, 0);
    return best;
}

static int deep_pass(oth_worker *s, const deep_node *nd, int alpha, int beta, int depth, int sure)
{
    uint64_t moves = oth_k_moves(nd->opp, nd->own);
    if (moves == 0) return end_over(nd->own, nd->opp);
    deep_node child = {.own = nd->opp, .opp = nd->own, .value = DEEP_UNKNOWN};
    if (s->weights != NULL) child.shape = oth_shape_pass(&nd->shape);
    return -deep(s, &child, moves, -beta, -alpha, depth, sure);
}

static int deep(oth_worker *s, const deep_node *at, uint64_t moves, int alpha, int beta, int depth, int sure)
{
    s->nodes++;
    int empties = deep_empties(at), score;
    if (depth <= 0 && empties > 0)
        return deep_discs(deep_value(s, at->own, at->opp, &at->shape, moves, oth_k_moves(at->opp, at->own)));
    bool full = depth >= empties, narrow = beta == alpha + 1;
    if (full) depth = empties;
    if (full && empties <= DEEP_END) return deep_end(s, at->own, at->opp, moves, alpha, beta, empties);
    if (moves == 0) return deep_pass(s, at, alpha, beta, depth, sure);
    bool cuts = sure < OTH_SURE && narrow && s->weights != NULL;
    if (depth == 1) {
        if (cuts && deep_foresee(s, at, moves, alpha, sure, &score)) return score;
        return deep_last(s, at, moves, beta);
    }
    if (oth_worker_stop(s)) return 0;
    if (full && end_stable_cut(at->own, at->opp, alpha, empties, &score)) return score;
    uint64_t hash = 0;
    oth_tt_data d = {.move = OTH_TT_NONE, .move2 = OTH_TT_NONE};
    if (depth >= DEEP_HASH) {
        hash = oth_hash((oth_board){at->own, at->opp});
        if (oth_tt_find(s->tt, hash, &d) && d.depth >= depth && d.sure >= sure) {
            if (d.low >= beta || d.low == d.high) return d.low;
            if (d.high <= alpha) return d.high;
        }
    }
    deep_node nd = *at;
    if (cuts) {
        if (deep_probcut(s, &nd, moves, alpha, depth, full, sure, &score)) return score;
        if (s->stopped) return 0;
    }
    deep_kids k;
    deep_expand(&k, &nd, moves);
    if (depth >= DEEP_ETC && deep_etc(s, &k, beta, depth, sure, &score)) {
        oth_tt_store(s->tt, hash, depth, sure, alpha, beta, score, OTH_TT_NONE);
        return score;
    }
    oth_frame here = {s->above, hash, alpha, beta, depth, sure};
    bool others = deep_others(s, depth) != NULL;
    if (others) s->above = &here;
    int move = OTH_TT_NONE, best = deep_moves(s, &k, &nd, alpha, beta, depth, full, sure, &d, &move);
    if (others) s->above = here.above;
    if (s->settled == &here) {
        s->settled = NULL;
        s->stopped = false;
        if (deep_known_bound(s, &here, &score)) return score;
        return deep(s, at, moves, alpha, beta, depth, sure); // the table has lost it again
    }
    if (depth >= DEEP_HASH && !s->stopped) oth_tt_store(s->tt, hash, depth, sure, alpha, beta, best, move);
    return best;
}

// --- the ways in

static deep_node deep_node_of(const oth_worker *s, oth_board b)
{
    deep_node nd = {.own = b.own, .opp = b.opp, .value = DEEP_UNKNOWN};
    if (s->weights != NULL) nd.shape = oth_shape_of(b);
    return nd;
}

static int ops_search(oth_worker *s, oth_board b, int alpha, int beta, int depth, int sure)
{
    deep_node nd = deep_node_of(s, b);
    return deep(s, &nd, oth_k_moves(b.own, b.opp), alpha, beta, depth, sure);
}

static int ops_root(oth_worker *s, oth_board b, oth_root_move *moves, int n, int alpha, int beta, int depth, int sure)
{
    deep_node nd = deep_node_of(s, b);
    int best = -DEEP_INFINITE;
    for (int i = 0; i < n && best < beta; i++) {
        uint64_t f = oth_k_flips(b.own, b.opp, moves[i].sq), before = s->nodes;
        deep_node child = {.own = b.opp ^ f, .opp = b.own ^ f ^ END_BIT(moves[i].sq), .value = DEEP_UNKNOWN};
        if (s->weights != NULL) child.shape = oth_shape_play(&nd.shape, moves[i].sq, f);
        uint64_t next = oth_k_moves(child.own, child.opp);
        int floor = best > alpha ? best : alpha, v = beta;
        if (i > 0) v = -deep(s, &child, next, -floor - 1, -floor, depth - 1, sure);
        if (i == 0 || (v > floor && v < beta && !s->stopped))
            v = -deep(s, &child, next, -beta, -floor, depth - 1, sure);
        if (s->stopped) break;
        oth_root_move m = moves[i];
        m.nodes += s->nodes - before;
        m.score = v;
        moves[i] = m;
        if (v <= best) continue;
        best = v;
        for (int j = i; j > 0; j--) moves[j] = moves[j - 1];
        moves[0] = m;
    }
    return best;
}

const oth_search_ops OTH_SEARCH_OPS = {.search = ops_search, .root = ops_root};

#endif
