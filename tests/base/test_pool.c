// The thread pool: every task once, worker numbers in range, nesting, cancelling, and many small runs.
// labels: threads
#include "base/clock.h"
#include "base/cpu.h"
#include "base/pool.h"
#include "base/rng.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5000 };

typedef struct job {
    pool *p;
    _Atomic int runs[MOST];
    _Atomic int busy[64]; // a worker runs one task at a time
    int plain[64];        // touched only by its worker: a race here is TSan's to find
    int result[MOST];
    int cancel_at;
    pthread_t caller;
    bool ordered;
    int last;
} job;

static void one_task(void *ctx, int task, int worker)
{
    job *j = ctx;
    assert_true(worker >= 0 && worker < pool_threads(j->p));
    assert_int_equal(atomic_fetch_add(&j->busy[worker], 1), 0);
    atomic_fetch_add(&j->runs[task], 1);
    j->plain[worker]++;
    j->result[task] = task * 3 + 1;
    if (worker == 0) assert_true(pthread_equal(pthread_self(), j->caller));
    if (j->ordered) assert_int_equal(task, ++j->last);
    atomic_fetch_sub(&j->busy[worker], 1);
}

static job *fresh(pool *p)
{
    static job j;
    memset(&j, 0, sizeof j);
    j.p = p;
    j.caller = pthread_self();
    return &j;
}

static void every_task_once(void **state)
{
    (void)state;
    for (int n = 1; n <= 7; n++) {
        pool *p = pool_new(n);
        assert_non_null(p);
        assert_int_equal(pool_threads(p), n);
        static const int counts[] = {0, 1, 2, 3, 7, 64, MOST};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            job *j = fresh(p);
            assert_true(pool_run(p, counts[k], one_task, j));
            int by_workers = 0;
            for (int i = 0; i < MOST; i++) assert_int_equal(atomic_load(&j->runs[i]), i < counts[k]);
            for (int i = 0; i < counts[k]; i++) assert_int_equal(j->result[i], i * 3 + 1);
            for (int i = 0; i < 64; i++) by_workers += j->plain[i];
            assert_int_equal(by_workers, counts[k]);
        }
        pool_free(p);
    }
}

static void without_threads(void **state)
{
    (void)state;
    pool *p = pool_new(1);
    job *j = fresh(p);
    j->ordered = true;
    j->last = -1;
    assert_true(pool_run(p, 100, one_task, j));
    assert_int_equal(j->last, 99);
    pool_free(p);
    j = fresh(NULL); // no pool at all is a pool of one
    j->ordered = true;
    j->last = -1;
    assert_int_equal(pool_threads(NULL), 1);
    assert_true(pool_run(NULL, 100, one_task, j));
    assert_int_equal(j->last, 99);
    pool_cancel(NULL);
    assert_false(pool_cancelled(NULL));
    pool_free(NULL);
    p = pool_new(0);
    assert_int_equal(pool_threads(p), cpu_count());
    pool_free(p);
}

static void many_small_runs(void **state)
{
    (void)state;
    pool *p = pool_new(4);
    job *j = fresh(p);
    double start = clock_seconds();
    enum { RUNS = 5000 };
    for (int i = 0; i < RUNS; i++) assert_true(pool_run(p, 8, one_task, j));
    double each = (clock_seconds() - start) / RUNS;
    for (int i = 0; i < 8; i++) assert_int_equal(atomic_load(&j->runs[i]), RUNS);
    printf("a run of 8 empty tasks on 4 threads: %.1f us\n", each * 1e6);
    pool_free(p);
}

// --- inside each other

typedef struct nest {
    pool *p, *other;
    _Atomic int count, other_count;
} nest;

static void inner(void *ctx, int task, int worker)
{
    nest *n = ctx;
    (void)task;
    assert_true(worker >= 0 && worker < pool_threads(n->p));
    atomic_fetch_add(&n->count, 1);
}

static void inner_other(void *ctx, int task, int worker)
{
    nest *n = ctx;
    (void)task, (void)worker;
    atomic_fetch_add(&n->other_count, 1);
}

static void outer(void *ctx, int task, int worker)
{
    nest *n = ctx;
    (void)task, (void)worker;
    assert_true(pool_run(n->p, 5, inner, n));
    assert_true(pool_run(n->other, 3, inner_other, n));
}

static void nested_runs(void **state)
{
    (void)state;
    nest n = {.p = pool_new(3), .other = pool_new(2)};
    for (int i = 0; i < 20; i++) assert_true(pool_run(n.p, 10, outer, &n));
    assert_int_equal(atomic_load(&n.count), 20 * 10 * 5);
    assert_int_equal(atomic_load(&n.other_count), 20 * 10 * 3);
    pool_free(n.p);
    pool_free(n.other);
}

static void *run_often(void *arg)
{
    nest *n = arg;
    for (int i = 0; i < 200; i++) assert_true(pool_run(n->p, 6, inner, n));
    return NULL;
}

static void several_callers(void **state)
{
    (void)state;
    nest n = {.p = pool_new(3)};
    pthread_t t[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&t[i], NULL, run_often, &n), 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    assert_int_equal(atomic_load(&n.count), 3 * 200 * 6);
    pool_free(n.p);
}

// --- cancelling

static void cancelling_task(void *ctx, int task, int worker)
{
    job *j = ctx;
    (void)worker;
    atomic_fetch_add(&j->runs[task], 1);
    if (task == j->cancel_at) {
        pool_cancel(j->p);
        assert_true(pool_cancelled(j->p));
    }
}

static void cancelling(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n++) {
        pool *p = pool_new(n);
        job *j = fresh(p);
        j->cancel_at = 20;
        assert_false(pool_run(p, MOST, cancelling_task, j));
        int ran = 0;
        for (int i = 0; i < MOST; i++) {
            assert_true(atomic_load(&j->runs[i]) <= 1);
            ran += atomic_load(&j->runs[i]);
            if (i <= 20) assert_int_equal(atomic_load(&j->runs[i]), 1);
        }
        assert_true(ran < MOST);
        if (n == 1) assert_int_equal(ran, 21);
        j = fresh(p); // the next run starts afresh
        assert_true(pool_run(p, 100, one_task, j));
        assert_false(pool_cancelled(p));
        pool_free(p);
    }
}

// --- the same draws whatever the threads

typedef struct draws {
    uint64_t hash[200];
    double normal[200];
} draws;

static void draw_task(void *ctx, int task, int worker)
{
    draws *d = ctx;
    (void)worker;
    rng r = rng_at(99, (uint64_t)task, 7);
    for (int i = 0; i < 200; i++) d->hash[task] = rng_mix(d->hash[task] ^ rng_u32(&r));
    d->normal[task] = rng_normal(&r) + rng_gamma(&r, 0.3);
}

static void the_same_draws(void **state)
{
    (void)state;
    static draws one, some;
    pool_run(NULL, 200, draw_task, &one);
    for (int n = 2; n <= 5; n++) {
        pool *p = pool_new(n);
        memset(&some, 0, sizeof some);
        pool_run(p, 200, draw_task, &some);
        assert_memory_equal(&one, &some, sizeof one);
        pool_free(p);
    }
}

static _Atomic int entered, go_on;

static void wait_task(void *ctx, int task, int worker)
{
    (void)ctx, (void)task, (void)worker;
    atomic_fetch_add(&entered, 1);
    while (!atomic_load(&go_on)) clock_sleep(0.001);
}

static void *run_waiting(void *arg)
{
    pool_run(arg, 3, wait_task, NULL);
    return NULL;
}

static void count_task(void *ctx, int task, int worker)
{
    (void)task;
    if (worker == 0) ++*(int *)ctx;
}

// A fork in the middle of a run: the threads, and whoever holds the locks, are not in the new process.
static void after_a_fork(void **state)
{
    (void)state;
    pthread_t other;
    pool *p = pool_new(4);
    int status;
    assert_int_equal(pthread_create(&other, NULL, run_waiting, p), 0);
    while (atomic_load(&entered) == 0) clock_sleep(0.001);
    pid_t child = fork();
    if (child == 0) {
        int done = 0;
        alarm(20);
        bool all = pool_run(p, 100, count_task, &done);
        pool_free(p);
        _exit(all && done == 100 ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    atomic_store(&go_on, 1);
    pthread_join(other, NULL);
    int done = 0;
    assert_true(pool_run(p, 100, count_task, &done)); // ours goes on as before
    pool_free(p);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_once), cmocka_unit_test(without_threads), cmocka_unit_test(many_small_runs),
        cmocka_unit_test(nested_runs),     cmocka_unit_test(several_callers), cmocka_unit_test(cancelling),
        cmocka_unit_test(the_same_draws),  cmocka_unit_test(after_a_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
