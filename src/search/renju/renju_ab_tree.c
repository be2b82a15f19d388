// The tree of the renju engine: principal-variation search with threats. See renju_ab.h.
#include "base/clock.h"
#include "search/renju/renju_ab_inner.h"

#include <string.h>

enum { CHECK_EVERY = 1024 };  // positions between two looks at the clock
enum { HISTORY_MAX = 32768 }; // what a point's history tends to

static bool out_of_time(rj_ab *e)
{
    if (e->stop) return true;
    if (e->limit != 0 && e->nodes >= e->limit) e->stop = true;
    if (e->until > 0 && e->nodes % CHECK_EVERY == 0 && clock_seconds() >= e->until) e->stop = true;
    return e->stop;
}

// --- moves

static int order_of(const rj_ab *e, int p, int ply)
{
    const rj_board *b = &e->b;
    int me = b->side;
    int v = 8 * (e->order[me][rj_key_at(b, me, p)] + e->order[me ^ 1][rj_key_at(b, me ^ 1, p)] * 7 / 8);
    v += e->history[me][p] / 64;
    if (e->killer[ply][0] == p) v += 300;
    if (e->killer[ply][1] == p) v += 200;
    return v;
}

static void add(const rj_ab *e, int p, int first, int ply, rj_pick *out, int *n)
{
    if (e->b.side == RJ_BLACK && rj_class_at(&e->b, RJ_BLACK, p) == RJ_FORBIDDEN) return;
    out[(*n)++] = (rj_pick){p == first ? INT32_MAX : order_of(e, p, ply), (uint16_t)p};
}

// Answers to a threat of a straight or double four: whatever makes a four for either side. Nothing else can stop it, a
// foul that the answer prepares for black aside.
static int threat_moves(const rj_ab *e, int first, int ply, rj_pick *out)
{
    const rj_board *b = &e->b;
    uint16_t own[RJ_MAX_POINTS], other[RJ_MAX_POINTS];
    int n_own = rj_points(b, b->side, RJ_FOUR, RJ_DOUBTFUL, own), n = 0;
    int n_other = rj_points(b, b->side ^ 1, RJ_FOUR, RJ_DOUBTFUL, other);
    for (int i = 0; i < n_other; i++) add(e, other[i], first, ply, out, &n);
    for (int i = 0; i < n_own; i++) {
        rj_class k = rj_class_at(b, b->side ^ 1, own[i]);
        if (k < RJ_FOUR || k > RJ_DOUBTFUL) add(e, own[i], first, ply, out, &n);
    }
    return n;
}

int rj_ab_moves(rj_ab *e, int first, int ply, rj_pick *out)
{
    const rj_board *b = &e->b;
    int n = 0;
    if (b->count[b->side ^ 1][RJ_FIVE] > 0) {
        uint16_t five[RJ_MAX_POINTS];
        int fives = rj_points(b, b->side ^ 1, RJ_FIVE, RJ_FIVE, five);
        for (int i = 0; i < fives; i++) add(e, five[i], first, ply, out, &n);
        return n;
    }
    if (b->count[b->side ^ 1][RJ_WINNING] > 0) return threat_moves(e, first, ply, out);
    uint64_t near[RJ_MAX_WORDS];
    rj_candidates(e, e->o.near, near);
    for (int w = 0; w < (b->points + 63) / 64; w++)
        for (uint64_t m = near[w]; m; m &= m - 1) add(e, 64 * w + __builtin_ctzll(m), first, ply, out, &n);
    return n;
}

void rj_ab_next(rj_pick *move, int i, int n)
{
    int best = i;
    for (int k = i + 1; k < n; k++)
        if (move[k].score > move[best].score) best = k;
    rj_pick t = move[i];
    move[i] = move[best];
    move[best] = t;
}

// --- the table

static int to_table(int score, int ply) // wins are counted from the position, not from the root
{
    return score > RJ_AB_SURE ? score + ply : score < -RJ_AB_SURE ? score - ply : score;
}

static int from_table(int score, int ply)
{
    return score > RJ_AB_SURE ? score - ply : score < -RJ_AB_SURE ? score + ply : score;
}

static void store(rj_ab *e, int score, int move, int depth, int flags, int ply)
{
    rj_ab_entry *t = &e->table[e->b.hash & e->mask];
    if (t->hash == e->b.hash) {
        if (move == RJ_NO_POINT) move = t->move;
        flags |= t->flags & RJ_NO_VCF;
    }
    *t = (rj_ab_entry){.hash = e->b.hash,
                       .score = (int16_t)to_table(score, ply),
                       .move = (uint16_t)move,
                       .depth = (int8_t)(depth < 0 ? 0 : depth),
                       .flags = (uint8_t)flags};
}

// --- a node

typedef struct node {
    int alpha, beta, depth, ply;
    bool pv;
    int eval;
    bool forced; // one move stops a five
    bool threat; // the other side threatens a straight or double four
} node;

// What needs no search: *score is set and true returned.
static bool decided(rj_ab *e, node *d, int *score)
{
    rj_board *b = &e->b;
    const uint16_t *own = b->count[b->side], *other = b->count[b->side ^ 1];
    *score = 0;
    if (own[RJ_FIVE] > 0) return *score = RJ_AB_WIN - d->ply - 1, true;
    if (b->placed == b->points || (e->cap > 0 && b->placed >= e->cap)) return true;
    if (other[RJ_FIVE] > 1) return *score = -(RJ_AB_WIN - d->ply - 2), true;
    d->forced = other[RJ_FIVE] == 1;
    d->threat = !d->forced && other[RJ_WINNING] > 0;
    if (!d->forced && own[RJ_WINNING] > 0) return *score = RJ_AB_WIN - d->ply - 3, true;
    if (d->ply >= RJ_AB_PLIES - 1 || b->n_frames > RJ_MAX_FRAMES - 8) return *score = rj_eval(e), true;
    return false;
}

static bool wins_by_fours(rj_ab *e, const node *d, int *score)
{
    const uint16_t *own = e->b.count[e->b.side];
    int fours = own[RJ_FOUR] + own[RJ_FOUR_PLUS] + own[RJ_DOUBTFUL] + 2 * own[RJ_FOUR_THREE];
    if (fours < 2 || e->o.leaf_vcf == 0) return false;
    rj_line l;
    rj_vcf_verdict v =
        rj_vcf_solve(e->vcf, &e->b, &(rj_vcf_limits){.any = true, .moves = 24, .nodes = (uint64_t)e->o.leaf_vcf}, &l);
    e->nodes += l.nodes;
    if (v != RJ_VCF_WIN) return false;
    *score = RJ_AB_WIN - d->ply - 2 * l.length - 1;
    e->pv[d->ply][0] = l.move[0];
    e->pv_n[d->ply] = 1;
    store(e, *score, l.move[0], 100, RJ_EXACT, d->ply);
    return true;
}

// If even a pass keeps the score above beta, a move will.
static bool pass_suffices(rj_ab *e, const node *d, int *score)
{
    if (!e->o.null_move || d->depth < 2 || d->eval < d->beta || d->beta > RJ_AB_SURE || d->beta < -RJ_AB_SURE)
        return false;
    rj_pass(&e->b);
    int v = -rj_ab_tree(e, -d->beta, -d->beta + 1, d->depth - 3 - d->depth / 4, d->ply + 1, false);
    rj_undo(&e->b);
    if (e->stop || v < d->beta) return false;
    *score = v > RJ_AB_SURE ? d->beta : v;
    return true;
}

static void reward(rj_ab *e, const node *d, int p, const rj_pick *tried, int n)
{
    int me = e->b.side, bonus = d->depth * d->depth + 1;
    if (e->killer[d->ply][0] != p) {
        e->killer[d->ply][1] = e->killer[d->ply][0];
        e->killer[d->ply][0] = (uint16_t)p;
    }
    bonus = 16 * (bonus > 100 ? 100 : bonus);
    int32_t *h = e->history[me];
    h[p] += bonus - h[p] * bonus / HISTORY_MAX;
    for (int i = 0; i < n; i++) h[tried[i].point] -= bonus / 2 + h[tried[i].point] * bonus / 2 / HISTORY_MAX;
}

// Does a stone here make or stop nothing? Such moves may be searched less deep or left out.
static bool is_quiet(const rj_board *b, int p)
{
    rj_class own = rj_class_at(b, b->side, p), other = rj_class_at(b, b->side ^ 1, p);
    return own < RJ_THREE && other < RJ_THREE;
}

static int child(rj_ab *e, const node *d, int i, bool quiet, int alpha)
{
    int depth = d->forced ? d->depth : d->depth - 1, ply = d->ply + 1;
    if (i == 0) return -rj_ab_tree(e, -d->beta, -alpha, depth, ply, true);
    int r = 0;
    if (e->o.lmr && i + 1 >= e->o.lmr_from && d->depth >= 3 && !d->threat && !d->forced) {
        r = e->reduce[d->depth < 63 ? d->depth : 63][i < 63 ? i : 63];
        if (!quiet || d->pv) r--;
        if (r < 0) r = 0;
    }
    int v = -rj_ab_tree(e, -alpha - 1, -alpha, depth - r, ply, true);
    if (v > alpha && r > 0) v = -rj_ab_tree(e, -alpha - 1, -alpha, depth, ply, true);
    if (v > alpha && v < d->beta) v = -rj_ab_tree(e, -d->beta, -alpha, depth, ply, true);
    return v;
}

static void take_pv(rj_ab *e, int ply, int p)
{
    e->pv[ply][0] = (uint16_t)p;
    int n = e->pv_n[ply + 1];
    if (n > RJ_AB_PLIES) n = RJ_AB_PLIES;
    memcpy(e->pv[ply] + 1, e->pv[ply + 1], (size_t)n * sizeof **e->pv);
    e->pv_n[ply] = n + 1;
}

static int search_moves(rj_ab *e, const node *d, int first)
{
    rj_board *b = &e->b;
    rj_pick move[RJ_MAX_POINTS];
    int n = rj_ab_moves(e, first, d->ply, move), best = -RJ_AB_INF, alpha = d->alpha, best_move = RJ_NO_POINT,
        tried = 0;
    bool calm = !d->pv && !d->forced && !d->threat;
    for (int i = 0; i < n; i++) {
        rj_ab_next(move, i, n);
        int p = move[i].point;
        bool quiet = is_quiet(b, p);
        if (calm && quiet && best > -RJ_AB_SURE && e->o.futility) {
            if (d->depth <= 2 && d->eval + 150 * d->depth + 50 <= alpha) continue;
            if (d->depth <= 4 && tried >= 6 + 3 * d->depth) continue;
        }
        if (b->side == RJ_BLACK && rj_foul_at(b, p) != RJ_FINE) continue;
        rj_play(b, p);
        int v = child(e, d, tried, quiet, alpha);
        rj_undo(b);
        if (e->stop) return 0;
        move[tried++] = move[i];
        if (v <= best) continue;
        best = v;
        if (v <= alpha) continue;
        best_move = p;
        alpha = v;
        take_pv(e, d->ply, p);
        if (v >= d->beta) {
            reward(e, d, p, move, tried - 1);
            break;
        }
    }
    if (tried == 0) { // every answer is a foul, or nothing is near
        if (d->forced || d->threat) return -(RJ_AB_WIN - d->ply - 2);
        return d->eval;
    }
    store(e, best, best_move, d->depth,
          best >= d->beta            ? RJ_LOWER
          : best_move != RJ_NO_POINT ? RJ_EXACT
                                     : RJ_UPPER,
          d->ply);
    return best;
}

int rj_ab_tree(rj_ab *e, int alpha, int beta, int depth, int ply, bool may_pass)
{
    node d = {.alpha = alpha, .beta = beta, .depth = depth, .ply = ply, .pv = beta - alpha > 1};
    int score;
    e->pv_n[ply] = 0;
    e->nodes++;
    if (out_of_time(e)) return 0;
    if (decided(e, &d, &score)) return score;

    const rj_ab_entry *t = &e->table[e->b.hash & e->mask];
    int first = RJ_NO_POINT;
    bool no_vcf = false;
    if (t->hash == e->b.hash && t->flags != 0) {
        first = t->move;
        no_vcf = t->flags & RJ_NO_VCF;
        score = from_table(t->score, ply);
        int bound = t->flags & 3;
        bool enough = t->depth >= depth || (bound == RJ_EXACT && (score > RJ_AB_SURE || score < -RJ_AB_SURE));
        if (enough && !d.pv &&
            (bound == RJ_EXACT || (bound == RJ_LOWER && score >= beta) || (bound == RJ_UPPER && score <= alpha)))
            return score;
    }
    if (!no_vcf && !d.forced) {
        if (wins_by_fours(e, &d, &score)) return score;
        no_vcf = true;
    }
    d.eval = rj_eval(e);
    if (depth <= 0 && !d.forced) return d.eval;
    if (!d.pv && !d.forced && !d.threat && may_pass && pass_suffices(e, &d, &score)) return score;
    if (e->stop) return 0;
    score = search_moves(e, &d, first);
    rj_ab_entry *after = &e->table[e->b.hash & e->mask];
    if (no_vcf && after->hash == e->b.hash) after->flags |= RJ_NO_VCF;
    return score;
}
