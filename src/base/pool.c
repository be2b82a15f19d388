// The thread pool. See pool.h.
//
// A run is "open" while its tasks may be claimed. A worker that wakes up enters it (`inside`), claims tasks from an atomic
// counter and leaves. The caller does the same, then closes the run and waits only for those still inside.
#include "base/pool.h"

#include "base/clock.h"
#include "base/cpu.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { CACHE_LINE = 64, SPINS = 400 }; // SPINS: about 10 us of looking before sleeping

typedef struct worker {
    pool *p;
    pthread_t thread;
    int index;
} worker;

struct pool {
    int n;         // workers, the caller counted
    unsigned born; // `forks` then
    worker *workers;
    pthread_mutex_t running; // held through a whole run: one at a time
    pthread_mutex_t lock;    // guards what follows
    pthread_cond_t wake, left;
    bool open, quit;
    int inside; // workers in the open run
    double cpu; // seconds that they spent in it
    pool_fn *fn;
    void *ctx;
    int n_tasks;
    _Atomic unsigned round; // changes when a run opens; read without the lock while spinning
    alignas(CACHE_LINE) _Atomic int next;
    alignas(CACHE_LINE) _Atomic bool cancel;
};

// A process that was forked off has a copy of each pool but none of their threads, and whoever held a lock is not there to give
// it back: there the pool is the calling thread alone.
static _Atomic unsigned forks; // between the first process and this one

static void forked(void)
{
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forked);
}

static bool forsaken(const pool *p)
{
    return p->born != atomic_load_explicit(&forks, memory_order_relaxed);
}

// Which pool's task this thread is in, and as which worker: a nested run of the same pool stays on it.
static _Thread_local const pool *task_pool;
static _Thread_local int task_worker;

static void work(pool *p, pool_fn *fn, void *ctx, int n_tasks, int index)
{
    const pool *outer_pool = task_pool;
    int outer_worker = task_worker;
    task_pool = p;
    task_worker = index;
    while (!atomic_load_explicit(&p->cancel, memory_order_relaxed)) {
        int task = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (task >= n_tasks) break;
        fn(ctx, task, index);
    }
    task_pool = outer_pool;
    task_worker = outer_worker;
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    pool *p = w->p;
    unsigned seen = 0;
    for (;;) {
        for (int i = 0; i < SPINS && atomic_load_explicit(&p->round, memory_order_relaxed) == seen; i++) cpu_relax(0);
        pthread_mutex_lock(&p->lock);
        while (!p->quit && (!p->open || atomic_load(&p->round) == seen)) pthread_cond_wait(&p->wake, &p->lock);
        if (p->quit) break;
        seen = atomic_load(&p->round);
        p->inside++;
        pool_fn *fn = p->fn;
        void *ctx = p->ctx;
        int n_tasks = p->n_tasks;
        pthread_mutex_unlock(&p->lock);

        double begun = clock_thread_cpu_seconds();
        work(p, fn, ctx, n_tasks, w->index);
        double spent = clock_thread_cpu_seconds() - begun;

        pthread_mutex_lock(&p->lock);
        p->cpu += spent;
        if (--p->inside == 0 && !p->open) pthread_cond_signal(&p->left);
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

pool *pool_new(int n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (n <= 0) n = cpu_count();
    pool *p = aligned_alloc(CACHE_LINE, (sizeof *p + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    worker *workers = calloc((size_t)n, sizeof *workers);
    if (p == NULL || workers == NULL) {
        free(p);
        free(workers);
        return NULL;
    }
    *p = (pool){.n = 1, .workers = workers, .born = atomic_load(&forks)};
    pthread_mutex_init(&p->running, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->left, NULL);
    // Signals are the main thread's: a worker that took Ctrl-C could not interrupt a wait there.
    sigset_t all, was;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    for (int i = 1; i < n; i++) {
        workers[i] = (worker){.p = p, .index = i};
        if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0) break;
        p->n++;
    }
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return p;
}

void pool_free(pool *p)
{
    if (p == NULL) return;
    if (!forsaken(p)) {
        pthread_mutex_lock(&p->lock);
        p->quit = true;
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
        for (int i = 1; i < p->n; i++) pthread_join(p->workers[i].thread, NULL);
        pthread_cond_destroy(&p->wake);
        pthread_cond_destroy(&p->left);
        pthread_mutex_destroy(&p->lock);
        pthread_mutex_destroy(&p->running);
    }
    free(p->workers);
    free(p);
}

int pool_threads(const pool *p)
{
    return p == NULL ? 1 : p->n;
}

// In order, on the calling thread.
static bool run_here(pool *p, int n_tasks, pool_fn *fn, void *ctx, int index)
{
    int task = 0;
    for (; task < n_tasks && !(p != NULL && atomic_load_explicit(&p->cancel, memory_order_relaxed)); task++)
        fn(ctx, task, index);
    return task >= n_tasks;
}

bool pool_run(pool *p, int n_tasks, pool_fn *fn, void *ctx)
{
    if (p == NULL) return run_here(p, n_tasks, fn, ctx, 0);
    if (task_pool == p) return run_here(p, n_tasks, fn, ctx, task_worker);
    if (forsaken(p)) {
        atomic_store(&p->cancel, false);
        return run_here(p, n_tasks, fn, ctx, 0);
    }
    pthread_mutex_lock(&p->running);
    atomic_store(&p->cancel, false);
    atomic_store(&p->next, 0);
    bool shared = p->n > 1 && n_tasks > 1;
    if (shared) {
        pthread_mutex_lock(&p->lock);
        p->fn = fn;
        p->ctx = ctx;
        p->n_tasks = n_tasks;
        p->open = true;
        atomic_fetch_add(&p->round, 1);
        if (n_tasks >= p->n)
            pthread_cond_broadcast(&p->wake);
        else
            for (int i = 1; i < n_tasks; i++) pthread_cond_signal(&p->wake);
        pthread_mutex_unlock(&p->lock);
    }
    work(p, fn, ctx, n_tasks, 0);
    if (shared) {
        pthread_mutex_lock(&p->lock);
        p->open = false;
        while (p->inside > 0) pthread_cond_wait(&p->left, &p->lock);
        clock_thread_cpu_add(p->cpu); // they worked for the caller
        p->cpu = 0;
        pthread_mutex_unlock(&p->lock);
    }
    bool all = atomic_load(&p->next) >= n_tasks; // a claimed task is always done
    pthread_mutex_unlock(&p->running);
    return all;
}

void pool_cancel(pool *p)
{
    if (p != NULL) atomic_store(&p->cancel, true);
}

bool pool_cancelled(const pool *p)
{
    return p != NULL && atomic_load_explicit(&p->cancel, memory_order_relaxed);
}
