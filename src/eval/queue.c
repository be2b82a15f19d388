// The queue of eval.h: calls of several threads put together into one batch, without a thread of its own.
//
// A call joins the list. If it completes the batch, or every user of the evaluator now waits, or its time is up, it takes
// the whole list and evaluates it for all; the others sleep until their part is done.
#include "base/clock.h"
#include "base/memory.h"
#include "eval/eval_inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

err eval_queue_init(evaluator *e)
{
    pthread_mutex_init(&e->q.lock, NULL);
    clock_cond_init(&e->q.moved);
    e->q.last = &e->q.first;
    return ERR_OK;
}

void eval_queue_end(evaluator *e)
{
    pthread_cond_destroy(&e->q.moved);
    pthread_mutex_destroy(&e->q.lock);
}

// One batch of all the jobs' positions; each by itself where there is no memory for that.
static void run_jobs(evaluator *e, job *jobs, int calls, int n)
{
    size_t k = (size_t)n;
    mcts_batch b = {.n = 0};
    if (calls > 1) {
        b.obs = malloc(k * sizeof *b.obs);
        b.moves = malloc(k * sizeof *b.moves);
        b.n_moves = malloc(k * sizeof *b.n_moves);
        b.priors = malloc(k * sizeof *b.priors);
        b.values = calloc(k, sizeof *b.values);
        b.margins = calloc(k, sizeof *b.margins);
    }
    if (b.obs && b.moves && b.n_moves && b.priors && b.values && b.margins) {
        for (const job *j = jobs; j != NULL; j = j->next) {
            size_t c = (size_t)j->b->n;
            memcpy(b.obs + b.n, j->b->obs, c * sizeof *b.obs);
            memcpy(b.moves + b.n, j->b->moves, c * sizeof *b.moves);
            memcpy(b.n_moves + b.n, j->b->n_moves, c * sizeof *b.n_moves);
            memcpy(b.priors + b.n, j->b->priors, c * sizeof *b.priors);
            b.n += j->b->n;
        }
        eval_now(e, &b, true);
        int at = 0;
        for (const job *j = jobs; j != NULL; at += j->b->n, j = j->next) {
            memcpy(j->b->values, b.values + at, (size_t)j->b->n * sizeof *b.values);
            if (j->b->margins != NULL) memcpy(j->b->margins, b.margins + at, (size_t)j->b->n * sizeof *b.margins);
        }
        e->gathered++;
    } else {
        for (const job *j = jobs; j != NULL; j = j->next) eval_now(e, j->b, true);
    }
    FREE_ALL(b.obs, b.moves, b.n_moves, b.priors, b.values, b.margins);
}

// Lock held on entry and exit.
static void lead(evaluator *e)
{
    queue *q = &e->q;
    job *jobs = q->first;
    int calls = q->calls, n = q->positions;
    for (job *j = jobs; j != NULL; j = j->next) j->taken = true;
    q->first = NULL;
    q->last = &q->first;
    q->calls = q->positions = 0;
    pthread_mutex_unlock(&q->lock);
    run_jobs(e, jobs, calls, n);
    pthread_mutex_lock(&q->lock);
    for (job *j = jobs, *next; j != NULL; j = next) {
        next = j->next; // a job that is done may be gone at once
        j->done = true;
    }
    pthread_cond_broadcast(&q->moved);
}

void eval_queued(evaluator *e, const mcts_batch *b)
{
    queue *q = &e->q;
    job me = {.b = b};
    struct timespec until = clock_after(e->o.queue_wait);
    pthread_mutex_lock(&q->lock);
    *q->last = &me;
    q->last = &me.next;
    q->calls++;
    q->positions += b->n;
    if (q->calls > e->deepest) e->deepest = q->calls;
    while (!me.done) {
        bool full = q->positions >= e->o.queue || (e->users > 0 && q->calls >= e->users);
        if (!me.taken && full)
            lead(e);
        else if (me.taken)
            pthread_cond_wait(&q->moved, &q->lock);
        else if (pthread_cond_timedwait(&q->moved, &q->lock, &until) == ETIMEDOUT && !me.taken)
            lead(e);
    }
    pthread_mutex_unlock(&q->lock);
}
