// The tree of the renju engine: principal-variation search with threats. See renju_ab.h.
#include "base/clock.h"
#include "search/renju/renju_ab_inner.h"

#include <string.h>

enum { CHECK_EVERY = 1024 }; // positions between two looks at the clock

// Depths up to (or from) which something is done, and margins per ply in units of the evaluation. Chosen by matches; see
// docs/lab/renju-engine.md.
enum {
    RAZOR_DEPTH = 3, // hopeless: the evaluation is taken
    RAZOR_STEP = 100,
    RAZOR_BASE = 50,
    STAND_DEPTH = 9, // far above beta: likewise (reverse futility)
    STAND_STEP = 40,
    HOPELESS_DEPTH = 7, // quiet moves that cannot reach alpha are left out
    HOPELESS_STEP = 60,
    UNKNOWN_DEPTH = 3,  // without a move from the table a ply less is searched (internal iterative reduction)
    SINGULAR_DEPTH = 8, // a move far better than all others is searched a ply deeper
    SINGULAR_STEP = 2,
};

static bool out_of_time(rj_ab *e)
{
    if (e->stop) return true;
    if (e->limit != 0 && e->nodes >= e->limit) e->stop = true;
    if (e->nodes >= e->look) {
        e->look = e->nodes + CHECK_EVERY;
        if (e->until > 0 && clock_seconds() >= e->until) e->stop = true;
        if (stop_asked(e->limits->stop)) e->stop = true;
        if (e->halt != NULL && atomic_load_explicit(e->halt, memory_order_relaxed)) e->stop = true;
    }
    return e->stop;
}

static bool is_sure(int score)
{
    return score > RJ_AB_SURE || score < -RJ_AB_SURE;
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
    rj_ab_store(
        e->table, e->b.hash,
        &(rj_ab_entry){.score = to_table(score, ply), .move = move, .depth = depth < 0 ? 0 : depth, .flags = flags});
}

// --- a node

typedef struct node {
    int alpha, beta, depth, ply;
    bool pv, cut;
    bool forced;    // one move stops a five
    bool threat;    // the other side threatens a straight or double four
    bool improving; // better than two plies ago
    int eval, skip;
    rj_ab_entry known;
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
    rj_vcf_limits limits = {.any = true, .lean = true, .moves = 24, .nodes = (uint64_t)e->o.leaf_vcf};
    rj_vcf_verdict v = rj_vcf_solve(e->vcf, &e->b, &limits, &l);
    e->nodes += l.nodes;
    if (v != RJ_VCF_WIN) return false;
    *score = RJ_AB_WIN - d->ply - 2 * l.length - 1;
    e->pv[d->ply][0] = l.move[0];
    e->pv_n[d->ply] = 1;
    store(e, *score, l.move[0], 100, RJ_EXACT, d->ply);
    return true;
}

// The table's answer, if it is good enough.
static bool answered(rj_ab *e, node *d, int *score)
{
    d->known = rj_ab_find(e->table, e->b.hash);
    if (d->known.flags == 0) return false;
    int s = from_table(d->known.score, d->ply), bound = d->known.flags & 3;
    bool enough = d->known.depth >= d->depth || (bound == RJ_EXACT && is_sure(s));
    if (!enough || d->pv) return false;
    *score = s;
    return bound == RJ_EXACT || (bound == RJ_LOWER && s >= d->beta) || (bound == RJ_UPPER && s <= d->alpha);
}

// What the table knows of the score is better than the evaluation, even from a search that was not deep enough to answer.
static void use_bound(node *d)
{
    int s = d->known.score, bound = d->known.flags & RJ_EXACT;
    if (bound == 0 || is_sure(s)) return;
    if (bound == RJ_EXACT || (bound == RJ_LOWER && s > d->eval) || (bound == RJ_UPPER && s < d->eval)) d->eval = s;
}

// If even a pass keeps the score above beta, a move will.
static bool pass_suffices(rj_ab *e, const node *d, int *score)
{
    if (!e->o.null_move || d->depth <= STAND_DEPTH || d->eval < d->beta || is_sure(d->beta)) return false;
    if (d->ply > 0 && e->ply[d->ply - 1].move == RJ_NO_POINT) return false;
    e->ply[d->ply].move = RJ_NO_POINT;
    rj_pass(&e->b);
    int v = -rj_ab_tree(e, -d->beta, -d->beta + 1, d->depth - 3 - d->depth / 4, d->ply + 1, !d->cut);
    rj_undo(&e->b);
    if (e->stop || v < d->beta) return false;
    *score = v > RJ_AB_SURE ? d->beta : v;
    return true;
}

// Scores so far from the window that a shallow look at this position is enough.
static bool pruned(rj_ab *e, const node *d, int *score)
{
    if (d->pv || d->forced || d->threat || d->skip != RJ_NO_POINT || is_sure(d->alpha) || is_sure(d->beta))
        return false;
    if (e->o.futility && d->depth <= RAZOR_DEPTH && d->eval + RAZOR_STEP * d->depth + RAZOR_BASE <= d->alpha)
        return *score = d->eval, true;
    if (e->o.futility && d->depth <= STAND_DEPTH && d->eval - STAND_STEP * (d->depth - d->improving) >= d->beta)
        return *score = d->eval, true;
    return pass_suffices(e, d, score);
}

// Does a stone here make or stop nothing? Such moves may be searched less deep or left out.
static bool is_quiet(const rj_board *b, int p)
{
    rj_class own = rj_class_at(b, b->side, p), other = rj_class_at(b, b->side ^ 1, p);
    return own < RJ_THREE && other < RJ_THREE;
}

// Is the known move so much better than the others that it deserves a deeper look? 1: yes, 0: no; *score is set where two
// moves are too good, and 2 returned.
static int singular(rj_ab *e, const node *d, int *score)
{
    const rj_ab_entry *k = &d->known;
    if (d->ply == 0 || d->depth < SINGULAR_DEPTH || d->skip != RJ_NO_POINT || k->move == RJ_NO_POINT || d->forced)
        return 0;
    if (k->depth < d->depth - 3 || (k->flags & RJ_LOWER) == 0 || k->depth > 90) return 0;
    int s = from_table(k->score, d->ply);
    if (is_sure(s)) return 0;
    int below = s - SINGULAR_STEP * d->depth;
    e->ply[d->ply].skip = (uint16_t)k->move;
    int v = rj_ab_tree(e, below - 1, below, (d->depth - 1) / 2, d->ply, d->cut);
    e->ply[d->ply].skip = RJ_NO_POINT;
    if (e->stop || v < below) return 1;
    if (!d->pv && below >= d->beta) return *score = below, 2;
    return 0;
}

// Drops the quiet ones of moves i … n-1; returns how many moves there are then.
static int keep_forcing(const rj_board *b, rj_pick *move, int i, int n)
{
    int kept = i;
    for (; i < n; i++)
        if (!is_quiet(b, move[i].point)) move[kept++] = move[i];
    return kept;
}

static int child(rj_ab *e, const node *d, int i, bool quiet, int extend, int alpha)
{
    int depth = (d->forced ? d->depth : d->depth - 1) + extend, ply = d->ply + 1;
    if (i == 0) return -rj_ab_tree(e, -d->beta, -alpha, depth, ply, d->pv ? false : !d->cut);
    int r = 0;
    if (e->o.lmr && i + 1 >= e->o.lmr_from && d->depth >= 2 && !d->forced) {
        r = e->reduce[d->depth < 63 ? d->depth : 63][i < 63 ? i : 63];
        r += d->cut;
        if (!quiet) r--;
        if (d->pv) r--;
        if (d->threat) r--;
        if (r < 0) r = 0;
        if (r > depth - 1) r = depth > 1 ? depth - 1 : 0;
    }
    int v = -rj_ab_tree(e, -alpha - 1, -alpha, depth - r, ply, r > 0 ? true : !d->cut);
    if (v > alpha && r > 0) v = -rj_ab_tree(e, -alpha - 1, -alpha, depth, ply, !d->cut);
    if (v > alpha && v < d->beta) v = -rj_ab_tree(e, -d->beta, -alpha, depth, ply, false);
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

static int search_moves(rj_ab *e, const node *d, int extend)
{
    rj_board *b = &e->b;
    rj_pick move[RJ_MAX_POINTS];
    int n = rj_ab_moves(e, d->known.move, d->ply, move);
    int best = -RJ_AB_INF, alpha = d->alpha, best_move = RJ_NO_POINT, tried = 0;
    bool calm = !d->pv && !d->forced && !d->threat && e->o.futility;
    int most = (2 + d->depth * d->depth + 2 * d->depth) / (d->improving ? 2 : 4) + 1;
    for (int i = 0; i < n; i++) {
        rj_ab_next(move, i, n);
        int p = move[i].point;
        if (p == d->skip) continue;
        bool quiet = is_quiet(b, p);
        if (calm && quiet && best > -RJ_AB_SURE && tried > 0) {
            bool hopeless = d->depth <= HOPELESS_DEPTH && d->eval + HOPELESS_STEP * d->depth + 50 <= alpha;
            if (hopeless || tried >= most) { // so are all that come later, unless they do something
                n = keep_forcing(b, move, i, n);
                calm = false;
                i--;
                continue;
            }
        }
        if (b->side == RJ_BLACK && rj_foul_at(b, p) != RJ_FINE) continue;
        e->ply[d->ply].move = (uint16_t)p;
        rj_ab_expect(e->table, rj_hash_after(b, p));
        rj_play(b, p);
        int v = child(e, d, tried, quiet, p == d->known.move ? extend : 0, alpha);
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
            rj_ab_reward(e, d->ply, d->depth, p, move, tried - 1);
            break;
        }
    }
    if (tried == 0) { // every answer is a foul, or nothing is near
        if (d->skip != RJ_NO_POINT) return d->alpha;
        if (d->forced || d->threat) return -(RJ_AB_WIN - d->ply - 2);
        return d->eval;
    }
    if (d->skip == RJ_NO_POINT)
        store(e, best, best_move, d->depth,
              RJ_NO_VCF | (best >= d->beta            ? RJ_LOWER
                           : best_move != RJ_NO_POINT ? RJ_EXACT
                                                      : RJ_UPPER),
              d->ply);
    return best;
}

int rj_ab_tree(rj_ab *e, int alpha, int beta, int depth, int ply, bool cut)
{
    node d = {.alpha = alpha, .beta = beta, .depth = depth, .ply = ply, .pv = beta - alpha > 1, .cut = cut};
    int score = 0;
    e->pv_n[ply] = 0;
    e->nodes++;
    if (out_of_time(e)) return 0;
    if (decided(e, &d, &score)) return score;
    d.skip = e->ply[ply].skip;
    if (d.skip == RJ_NO_POINT) {
        if (answered(e, &d, &score)) return score;
        if ((d.known.flags & RJ_NO_VCF) == 0 && !d.forced && wins_by_fours(e, &d, &score)) return score;
    } else {
        d.known = (rj_ab_entry){.move = RJ_NO_POINT};
    }
    d.eval = e->ply[ply].eval = rj_eval(e);
    d.improving = d.eval > e->ply[ply - 2].eval;
    use_bound(&d);
    if (depth <= 0 && !d.forced) return d.eval;
    e->ply[ply + 1].skip = RJ_NO_POINT;
    e->ply[ply + 2].killer[0] = e->ply[ply + 2].killer[1] = RJ_NO_POINT;
    if (pruned(e, &d, &score)) return score;
    if (e->stop) return 0;
    if (d.known.move == RJ_NO_POINT && d.skip == RJ_NO_POINT && depth >= UNKNOWN_DEPTH && !d.forced) d.depth--;
    int extend = singular(e, &d, &score);
    if (e->stop) return 0;
    if (extend == 2) return score;
    return search_moves(e, &d, extend);
}
