// What the browser build has instead of base/cpu.c, base/log.c, base/pool.c and base/stop.c: one thread, no log, no signals.
//
// A Web Worker runs the engine. It is ended from outside when the page no longer wants an answer, so a stop is only ever
// requested from within, by a time limit.
#include "base/cpu.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/stop.h"

#include <stdlib.h>
#include <string.h>

// --- base/cpu.h

simd cpu_simd(void)
{
    return SIMD_SCALAR;
}

simd cpu_simd_best(void)
{
    return SIMD_SCALAR;
}

err cpu_limit(const char *name)
{
    if (strcmp(name, "auto") == 0 || strcmp(name, "scalar") == 0) return ERR_OK;
    return err_set(ERR_USAGE, "the browser has no %s", name);
}

const char *cpu_simd_name(simd s)
{
    (void)s;
    return "wasm";
}

const char *cpu_model(void)
{
    return "WebAssembly";
}

int cpu_count(void)
{
    return 1;
}

void cpu_relax(int turn) // nobody to wait for
{
    (void)turn;
}

// --- base/pool.h: the caller does everything, in order

struct pool {
    bool cancelled;
};

pool *pool_new(int n)
{
    (void)n;
    return calloc(1, sizeof(pool));
}

void pool_free(pool *p)
{
    free(p);
}

int pool_threads(const pool *p)
{
    (void)p;
    return 1;
}

bool pool_run(pool *p, int n_tasks, pool_fn *fn, void *ctx)
{
    if (p != NULL) p->cancelled = false;
    for (int i = 0; i < n_tasks; i++) {
        if (pool_cancelled(p)) return false;
        fn(ctx, i, 0);
    }
    return true;
}

void pool_cancel(pool *p)
{
    if (p != NULL) p->cancelled = true;
}

bool pool_cancelled(const pool *p)
{
    return p != NULL && p->cancelled;
}

// --- base/stop.h

static bool stopping;

void stop_install(const char *notice)
{
    (void)notice;
}

bool stop_requested(void)
{
    return stopping;
}

void stop_request(void)
{
    stopping = true;
}

int stop_signal(void)
{
    return 0;
}

void stop_before_exit(void (*fn)(void))
{
    (void)fn;
}

void stop_reset(void)
{
    stopping = false;
}

err stop_check(void)
{
    return stopping ? err_set(ERR_STOPPED, "stopped") : ERR_OK;
}

// --- base/log.h

void log_warn(const char *fmt, ...)
{
    (void)fmt;
}

// --- the C library: cos() and sin() of huge angles need tables of 7 kB. Ours stay below one turn (rng_normal).

int __rem_pio2_large(double *x, double *y, int e0, int nx, int prec);
int __rem_pio2_large(double *x, double *y, int e0, int nx, int prec)
{
    (void)x;
    (void)e0;
    (void)nx;
    (void)prec;
    y[0] = y[1] = 0;
    return 0;
}
