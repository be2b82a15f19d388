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

#include "base/cpu.h"
#include "search/othello/oth_end.h"
#include "search/othello/oth_spread.h"

enum {
    DEEP_END = 13,      // empties up to which oth_end.h takes over
    DEEP_HASH = 3,      // depth from which the hash table is used
    DEEP_SPLIT = 5,     // depth from which a node's moves are shared among threads
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

static void deep_order(oth_worker *s, deep_kids *k, const deep_node *nd, int depth, bool full, const oth_tt_data *d)
{
    int sort = full ? 0 : deep_sort_depth(depth);
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

// --- several threads at one node

static int split_floor(const oth_split *p)
{
    int best = atomic_load_explicit(&p->best, memory_order_relaxed);
    return best > p->node.alpha ? best : p->node.alpha;
}

// As deep_child, but for the floor, which may rise meanwhile.
static int split_child(oth_worker *s, const oth_split *p, int i)
{
    const oth_node *n = &p->node;
    const deep_kids *k = n->kids;
    deep_node child = {k->own[i], k->opp[i], k->shape[i], k->value[i]};
    bool first = atomic_load_explicit(&p->best, memory_order_relaxed) == -DEEP_INFINITE;
    int floor = split_floor(p), v = n->beta;
    for (bool scout = !first; scout; scout = !s->stopped && v > floor && v < n->beta && split_floor(p) > floor) {
        floor = split_floor(p);
        v = -deep(s, &child, k->moves[i], -floor - 1, -floor, n->depth - 1, n->sure);
    }
    if (first || (v > floor && v < n->beta && !s->stopped))
        v = -deep(s, &child, k->moves[i], -n->beta, -floor, n->depth - 1, n->sure);
    return v;
}

// The move of this number, and others while there are any.
static void split_work(oth_worker *s, oth_split *p, int at)
{
    oth_split *was = s->at;
    s->at = p;
    if (s->shared != NULL) s->stopped = oth_worker_over(s);
    for (; at >= 0 && !s->stopped; at = oth_split_take(p)) {
        int i = p->node.kids->order[at], v = split_child(s, p, i);
        if (s->stopped) break;
        oth_split_give(p, p->node.kids->sq[i], v);
    }
    s->at = was;
    if (s->shared != NULL) s->stopped = oth_worker_over(s);
}

static bool split_help(oth_worker *s, const oth_split *under)
{
    int at;
    oth_split *p = oth_split_find(s, under, &at);
    if (p == NULL) return false;
    split_work(s, p, at);
    oth_split_leave(p, s);
    return true;
}

// Searches an open split point with all who come. When it returns nobody is at work on it.
static int split_search(oth_worker *s, oth_split *p, int *move)
{
    split_work(s, p, oth_split_take(p));
    oth_split_end(p);
    s->at = p;
    for (int turn = 0; atomic_load_explicit(&p->inside, memory_order_acquire) > 0; turn++) {
        if (split_help(s, p)) turn = 0;
        if (turn % 256 == 255) oth_worker_limits(s);
        cpu_relax(turn);
    }
    s->at = atomic_load_explicit(&p->above, memory_order_relaxed);
    if (s->shared != NULL) s->stopped = oth_worker_over(s);
    *move = p->move;
    return atomic_load_explicit(&p->best, memory_order_relaxed);
}

// All children in order. `best` is what the move tried before them is worth.
static int deep_loop(oth_worker *s, deep_kids *k, int alpha, int beta, int depth, int sure, int best, int *move)
{
    for (int t = 0; t < k->n; t++) {
        if (s->splits != NULL && depth >= DEEP_SPLIT && best != -DEEP_INFINITE && t + 1 < k->n) {
            oth_split *p = &s->splits[depth];
            oth_split_open(p, s, &(oth_node){k, k->n, alpha, beta, depth, sure, NULL}, t, best, *move);
            return split_search(s, p, move);
        }
        int i = k->order[t], v = deep_child(s, k, i, alpha, beta, best, depth, sure);
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
    int v = deep_child(s, k, i, alpha, beta, -DEEP_INFINITE, depth, sure), last = --k->n;
    k->own[i] = k->own[last];
    k->opp[i] = k->opp[last];
    k->moves[i] = k->moves[last];
    k->flips[i] = k->flips[last];
    k->sq[i] = k->sq[last];
    return v;
}

// The best value of all moves, and the move; worthless where the search was stopped.
static int deep_moves(oth_worker *s, deep_kids *k, const deep_node *nd, int alpha, int beta, int depth, bool full,
                      int sure, const oth_tt_data *d, int *move)
{
    int best = -DEEP_INFINITE;
    if (d->move != OTH_TT_NONE) {
        best = deep_known(s, k, nd, alpha, beta, depth, sure, d->move);
        if (best != -DEEP_INFINITE) *move = d->move;
    }
    if (s->stopped || best >= beta || k->n == 0) return best;
    deep_shapes(s, k, nd);
    deep_order(s, k, nd, depth, full, d);
    return deep_loop(s, k, alpha, beta, depth, sure, best, move);
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
    int move = OTH_TT_NONE, best = deep_moves(s, &k, &nd, alpha, beta, depth, full, sure, &d, &move);
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
    deep_kids k = {.n = n};
    for (int i = 0; i < n; i++) {
        uint64_t f = oth_k_flips(b.own, b.opp, moves[i].sq);
        k.sq[i] = (uint8_t)moves[i].sq;
        k.order[i] = (uint8_t)i;
        k.flips[i] = f;
        k.own[i] = b.opp ^ f;
        k.opp[i] = b.own ^ f ^ END_BIT(moves[i].sq);
        k.moves[i] = oth_k_moves(k.own[i], k.opp[i]);
        k.value[i] = DEEP_UNKNOWN;
    }
    deep_shapes(s, &k, &nd);
    if (depth > deep_empties(&nd)) depth = deep_empties(&nd);
    oth_split alone = {0}, *p = s->splits != NULL ? &s->splits[depth] : &alone;
    oth_node node = {&k, n < 1 ? n : 1, alpha, beta, depth, sure, moves}; // the first by itself, then all
    int move = OTH_TT_NONE;
    oth_split_open(p, s, &node, 0, -DEEP_INFINITE, move);
    int best = split_search(s, p, &move);
    if (n > 1 && best < beta && !s->stopped) {
        node.n = n;
        oth_split_open(p, s, &node, 1, best, move);
        best = split_search(s, p, &move);
    }
    return best;
}

static bool ops_help(oth_worker *s)
{
    return split_help(s, NULL);
}

const oth_search_ops OTH_SEARCH_OPS = {.search = ops_search, .root = ops_root, .help = ops_help};

#endif
