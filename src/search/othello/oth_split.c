// Split points. See oth_split.h.
#include "search/othello/oth_split.h"

#include "base/cpu.h"
#include "search/othello/oth_worker.h"

static void lock(oth_split *p)
{
    for (int turn = 0; atomic_exchange_explicit(&p->locked, true, memory_order_acquire); turn++) cpu_relax(turn);
}

static void unlock(oth_split *p)
{
    atomic_store_explicit(&p->locked, false, memory_order_release);
}

void oth_split_open(oth_split *p, oth_worker *by, const oth_node *node, int next, int best, int move)
{
    lock(p);
    p->by = by;
    p->node = *node;
    p->next = next;
    p->move = move;
    atomic_store_explicit(&p->over, false, memory_order_relaxed);
    atomic_store_explicit(&p->best, best, memory_order_relaxed);
    atomic_store_explicit(&p->above, by->at, memory_order_relaxed);
    unlock(p);
    atomic_fetch_or_explicit(&by->open, (uint64_t)1 << node->depth, memory_order_relaxed);
}

static void shut(oth_split *p)
{
    p->next = p->node.n;
    atomic_fetch_and_explicit(&p->by->open, ~((uint64_t)1 << p->node.depth), memory_order_relaxed);
}

static int take(oth_split *p)
{
    if (p->next == p->node.n) return -1;
    int at = p->next++;
    if (p->next == p->node.n) shut(p);
    return at;
}

int oth_split_take(oth_split *p)
{
    lock(p);
    int at = take(p);
    unlock(p);
    return at;
}

static void root_move(oth_root_move *m, int sq, int score, bool best)
{
    int at = 0;
    while (m[at].sq != sq) at++;
    for (; best && at > 0; at--) m[at] = m[at - 1];
    m[at] = (oth_root_move){.sq = sq, .score = score};
}

void oth_split_give(oth_split *p, int sq, int score)
{
    lock(p);
    bool best = score > atomic_load_explicit(&p->best, memory_order_relaxed);
    if (p->node.root != NULL) root_move(p->node.root, sq, score, best);
    if (best) {
        atomic_store_explicit(&p->best, score, memory_order_relaxed);
        p->move = sq;
    }
    if (best && score >= p->node.beta) {
        shut(p);
        atomic_store_explicit(&p->over, true, memory_order_relaxed);
        if (p->by->shared != NULL) atomic_fetch_add_explicit(&p->by->shared->news, 1, memory_order_release);
    }
    unlock(p);
}

void oth_split_end(oth_split *p)
{
    lock(p);
    shut(p);
    unlock(p);
}

static bool is_below(const oth_split *p, const oth_split *under)
{
    while (p != NULL && p != under) p = atomic_load_explicit(&p->above, memory_order_relaxed);
    return p != NULL;
}

oth_split *oth_split_find(oth_worker *s, const oth_split *under, int *at)
{
    const oth_shared *h = s->shared;
    oth_split *found = NULL;
    int depth = 0;
    for (int i = 0; i < h->threads; i++) {
        oth_worker *w = &h->workers[i];
        uint64_t open = atomic_load_explicit(&w->open, memory_order_relaxed);
        if (under != NULL) open &= ((uint64_t)1 << under->node.depth) - 1;
        for (int d; open >> depth > 1; open ^= (uint64_t)1 << d) {
            d = 63 - __builtin_clzll(open);
            if (under != NULL && !is_below(&w->splits[d], under)) continue;
            found = &w->splits[d];
            depth = d;
        }
    }
    if (found == NULL) return NULL;
    lock(found);
    // It may have become another one meanwhile.
    *at = under == NULL || is_below(found, under) ? take(found) : -1;
    if (*at >= 0) atomic_fetch_add_explicit(&found->inside, 1, memory_order_relaxed);
    unlock(found);
    return *at >= 0 ? found : NULL;
}

void oth_split_leave(oth_split *p, oth_worker *s)
{
    oth_worker_report(s); // before the owner may go on
    atomic_fetch_sub_explicit(&p->inside, 1, memory_order_release);
}
