// What one thread of the Othello search works with, and the table of its loops in one instruction set. Private to
// search/othello.
#ifndef KEIKO_SEARCH_OTH_WORKER_H
#define KEIKO_SEARCH_OTH_WORKER_H

#include "base/stop.h"
#include "search/othello/oth_eval.h"
#include "search/othello/oth_tt.h"

enum {
    OTH_SURE = 5,         // selectivity: how sure a cut by a shallow search must be; OTH_SURE never cuts so
    OTH_BUSY_SLOTS = 1024 // positions that threads are at work on
};

// What the threads of one search share.
typedef struct oth_shared {
    _Atomic bool stop;   // leave now
    _Atomic bool spent;  // because a limit is reached
    uint64_t node_limit; // 0 = none
    double deadline;     // clock_seconds(), 0 = none
    const stop_ask *ask; // asked by the main thread only
    int threads;
    _Alignas(64) _Atomic uint64_t nodes; // of the threads that have reported (oth_worker_limits); all write it, so it
                                         // lies apart from what all read
    _Alignas(64) _Atomic uint64_t busy[OTH_BUSY_SLOTS];
} oth_shared;

// A position whose moves a thread is at work on, while others may settle it: each knows those above it.
typedef struct oth_frame {
    struct oth_frame *above;
    uint64_t hash;
    int alpha, beta, depth, sure;
} oth_frame;

typedef struct oth_worker {
    oth_tt *tt;
    oth_tt *small;              // of this thread alone, fits its cache: for the many small endgames. May be tt itself
    const oth_weights *weights; // NULL: ordering by mobility, and a plain evaluation
    uint64_t nodes, reported;
    int id;             // 0 = the main one
    oth_shared *shared; // NULL: alone and without limits
    bool stopped;       // what a search returns after this is set is worthless
    oth_frame *above;   // in a search of several threads: the innermost; NULL
    oth_frame *settled; // why it is `stopped`: another thread knows enough about this one. NULL: a limit
} oth_worker;

typedef struct oth_root_move {
    int sq, score;
    uint64_t nodes;
} oth_root_move;

typedef struct oth_search_ops {
    // Score of a board within (alpha, beta); to the end when depth >= its empties. Fail-soft.
    int (*search)(oth_worker *s, oth_board b, int alpha, int beta, int depth, int sure);
    // The same over these moves only, which it reorders, the best first; moves[0].score is what it returns.
    int (*root)(oth_worker *s, oth_board b, oth_root_move *moves, int n, int alpha, int beta, int depth, int sure);
} oth_search_ops;

const oth_search_ops *oth_search_ops_for(simd level); // borrowed, static

bool oth_worker_limits(oth_worker *s); // looks at the clock and the nodes; true = stop. Slow: not for every node

// Is it time to stop? Asks now and then; `stopped` is set where it is.
static inline bool oth_worker_stop(oth_worker *s)
{
    if (s->shared == NULL) return false;
    if (s->stopped) return true;
    if (atomic_load_explicit(&s->shared->stop, memory_order_relaxed))
        s->stopped = true;
    else if (s->nodes - s->reported > 2000)
        s->stopped = oth_worker_limits(s);
    return s->stopped;
}

#endif
