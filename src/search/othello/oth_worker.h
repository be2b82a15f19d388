// What one thread of the Othello search works with, and the table of its loops in one instruction set. Private to
// search/othello.
#ifndef KEIKO_SEARCH_OTH_WORKER_H
#define KEIKO_SEARCH_OTH_WORKER_H

#include "base/stop.h"
#include "search/othello/oth_eval.h"
#include "search/othello/oth_split.h"
#include "search/othello/oth_tt.h"

enum { OTH_SURE = 5 }; // selectivity: how sure a cut by a shallow search must be; OTH_SURE never cuts so

// What the threads of one search share.
typedef struct oth_shared {
    _Atomic bool stop;          // a limit is reached: leave now
    _Atomic unsigned news;      // changes with `stop` and with every split point that is over
    uint64_t node_limit;        // 0 = none
    double deadline;            // clock_seconds(), 0 = none
    const stop_ask *ask;        // asked by the main thread only
    struct oth_worker *workers; // [threads]
    int threads;
    _Alignas(64) _Atomic uint64_t nodes; // of the threads that have reported (oth_worker_limits); all write it, so it
                                         // lies apart from what all read
} oth_shared;

typedef struct oth_worker {
    oth_tt *tt;
    oth_tt *small;              // of this thread alone, fits its cache: for the many small endgames. May be tt itself
    const oth_weights *weights; // NULL: ordering by mobility, and a plain evaluation
    uint64_t nodes, reported;
    int id;                             // 0 = the main one
    oth_shared *shared;                 // NULL: alone and without limits
    bool stopped;                       // what a search returns after this is set is worthless
    unsigned news;                      // of `shared`, as last looked at
    oth_split *splits;                  // [OTH_SPLITS], this thread's own, by depth; NULL: it searches alone
    oth_split *at;                      // the innermost split point that it works for; NULL
    _Alignas(64) _Atomic uint64_t open; // bit d: splits[d] has moves that nobody has taken
} oth_worker;

typedef struct oth_search_ops {
    // Score of a board within (alpha, beta); to the end when depth >= its empties. Fail-soft.
    int (*search)(oth_worker *s, oth_board b, int alpha, int beta, int depth, int sure);
    // The same over these moves only, which it reorders, the best first; moves[0].score is what it returns.
    int (*root)(oth_worker *s, oth_board b, oth_root_move *moves, int n, int alpha, int beta, int depth, int sure);
    // Takes moves of other threads' nodes while one is found; false: none was.
    bool (*help)(oth_worker *s);
} oth_search_ops;

const oth_search_ops *oth_search_ops_for(simd level); // borrowed, static

uint64_t oth_worker_report(oth_worker *s); // adds its nodes to the others'; the nodes of all
bool oth_worker_limits(oth_worker *s);     // looks at the clock and the nodes; true = stop. Slow: not for every node
bool oth_worker_over(const oth_worker *s); // is what it is at of no use any more?

// Is it time to stop? Asks now and then; `stopped` is set where it is.
static inline bool oth_worker_stop(oth_worker *s)
{
    if (s->shared == NULL) return false;
    if (s->stopped) return true;
    unsigned news = atomic_load_explicit(&s->shared->news, memory_order_acquire);
    if (news != s->news) {
        s->news = news;
        s->stopped = oth_worker_over(s);
    } else if (s->nodes - s->reported > 2000) {
        s->stopped = oth_worker_limits(s);
    }
    return s->stopped;
}

#endif
