// A pool of threads for loops whose iterations are independent.
//
// pool_run() hands out tasks 0…n-1 one by one to whoever is free, and returns when all are done. The caller works too, so
// a pool of one has no threads and runs in order. Which worker gets which task is a matter of luck: results must depend
// on the task's number only, and per-worker memory (buffers, never random streams) is found by the worker's number.
// Sleeping threads are never waited for: when the caller and those awake have done everything, the run is over. That
// keeps small runs cheap on a busy machine. In a process that was forked off a pool has no threads, and still works.
#ifndef KEIKO_BASE_POOL_H
#define KEIKO_BASE_POOL_H

#include <stdbool.h>

typedef struct pool pool;
typedef void pool_fn(void *ctx, int task, int worker); // worker: 0 … pool_threads()-1, 0 the caller of pool_run

pool *pool_new(
    int n); // n threads, the caller counted; 0 = one per core. NULL without memory. Fewer when the system has no more
void pool_free(pool *p);
int pool_threads(const pool *p); // NULL counts as a pool of one, here and in pool_run

// False when pool_cancel() was called before all tasks had begun. May be called from several threads (one waits for the
// other) and from inside a task of the same pool (the tasks then run on that worker, in order).
bool pool_run(pool *p, int n_tasks, pool_fn *fn, void *ctx);

void pool_cancel(pool *p);          // no further task of the current run begins; each run starts without it
bool pool_cancelled(const pool *p); // for long tasks to look at

#endif
