// Which moves the renju engine tries, and in which order.
//
// A five must be stopped at its point. A straight or double four that is threatened can be stopped only on its own lines, or
// put off by fours. Otherwise every point near a stone is tried. The order comes from the patterns that a stone makes and
// takes away (learned, see renju_weights.h) and from what was good before: in this line, elsewhere in the tree, and after
// the same stones.
#include "search/renju/renju_ab_inner.h"

#include <string.h>

enum { HISTORY_MAX = 16384 }; // what a number of the history tends to

// --- history

static int previous(const rj_ab *e, int ply, int back)
{
    return e->ply[ply - back].move;
}

int rj_ab_history(const rj_ab *e, int ply, int p)
{
    int me = e->b.side, last = previous(e, ply, 1), own = previous(e, ply, 2);
    int h = e->history[me][p];
    if (last != RJ_NO_POINT) h += e->reply[0][me][last][p];
    if (own != RJ_NO_POINT) h += e->reply[1][me][own][p];
    return h;
}

static void change(int16_t *h, int bonus)
{
    *h = (int16_t)(*h + bonus - *h * (bonus < 0 ? -bonus : bonus) / HISTORY_MAX);
}

void rj_ab_reward(rj_ab *e, int ply, int depth, int p, const rj_pick *tried, int n)
{
    rj_ply *at = &e->ply[ply];
    int me = e->b.side, bonus = 32 * depth * depth + 32 * depth, last = previous(e, ply, 1), own = previous(e, ply, 2);
    if (bonus > 2400) bonus = 2400;
    if (at->killer[0] != p) {
        at->killer[1] = at->killer[0];
        at->killer[0] = (uint16_t)p;
    }
    if (last != RJ_NO_POINT) e->counter[me][last] = (uint16_t)p;
    for (int i = -1; i < n; i++) {
        int q = i < 0 ? p : tried[i].point, by = i < 0 ? bonus : -bonus / 2;
        change(&e->history[me][q], by);
        if (last != RJ_NO_POINT) change(&e->reply[0][me][last][q], by);
        if (own != RJ_NO_POINT) change(&e->reply[1][me][own][q], by);
    }
}

// --- moves

static int order_of(const rj_ab *e, int p, int ply)
{
    const rj_board *b = &e->b;
    int me = b->side, last = previous(e, ply, 1);
    int v = e->eval->order[me][0][rj_key_at(b, me, p)] + e->eval->order[me][1][rj_key_at(b, me ^ 1, p)];
    v += e->eval->near[rj_near_last(rj_size(b), p, last)];
    v += rj_ab_history(e, ply, p) / 16;
    if (e->ply[ply].killer[0] == p) v += 300;
    if (e->ply[ply].killer[1] == p) v += 200;
    if (last != RJ_NO_POINT && e->counter[me][last] == p) v += 200;
    return v;
}

static void add(const rj_ab *e, int p, int first, int ply, rj_pick *out, int *n)
{
    if (e->b.side == RJ_BLACK && rj_class_at(&e->b, RJ_BLACK, p) == RJ_FORBIDDEN) return;
    out[(*n)++] = (rj_pick){p == first ? INT32_MAX : order_of(e, p, ply), (uint16_t)p};
}

// The points that stop the threat of a straight or double four at `w`: itself, and what completes or breaks its fours.
static void stops_of(const rj_board *b, int attacker, int w, uint64_t out[RJ_MAX_WORDS])
{
    const int size = rj_size(b), steps[RJ_DIRS] = {1, size, size + 1, 1 - size};
    memset(out, 0, RJ_MAX_WORDS * sizeof *out);
    out[w / 64] |= 1ull << w % 64;
    for (int d = 0; d < RJ_DIRS; d++) {
        rj_pattern at = rj_pattern_at(b, attacker, d, w);
        if (at < RJ_P_FOUR || at == RJ_P_FIVE) continue;
        for (int sign = -1; sign <= 1; sign += 2)
            for (int k = 1, p = w; k <= 5; k++) {
                int x = p % size, next = p + sign * steps[d];
                if (next < 0 || next >= b->points || next % size - x > 1 || x - next % size > 1) break;
                p = next;
                if (b->stone[p] == (attacker ^ 1)) break;
                if (b->stone[p] == RJ_EMPTY && rj_pattern_at(b, attacker, d, p) >= RJ_P_FOUR)
                    out[p / 64] |= 1ull << p % 64;
            }
    }
}

// Answers to a threat of a straight or double four: what stops all of them, and fours. Nothing else can, a foul that the
// answer prepares for black aside.
static int threat_moves(const rj_ab *e, int first, int ply, rj_pick *out)
{
    const rj_board *b = &e->b;
    uint16_t at[RJ_MAX_POINTS];
    uint64_t all[RJ_MAX_WORDS], one[RJ_MAX_WORDS];
    int words = (b->points + 63) / 64, n = 0, wins = rj_points(b, b->side ^ 1, RJ_WINNING, RJ_WINNING, at);
    memset(all, 0xff, sizeof all);
    for (int i = 0; i < wins; i++) {
        stops_of(b, b->side ^ 1, at[i], one);
        for (int w = 0; w < words; w++) all[w] &= one[w];
    }
    int fours = rj_points(b, b->side, RJ_FOUR, RJ_DOUBTFUL, at);
    for (int i = 0; i < fours; i++) all[at[i] / 64] |= 1ull << at[i] % 64;
    for (int w = 0; w < words; w++)
        for (uint64_t m = all[w]; m; m &= m - 1) add(e, 64 * w + __builtin_ctzll(m), first, ply, out, &n);
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
