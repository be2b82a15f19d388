// Searches: a bounded number of threads, and a bounded queue before them.
//
// A job is made with a place in the queue already reserved, so that its maker can put a connection to sleep before the job
// starts: it then cannot be finished too early.
#ifndef KEIKO_SERVE_WORKERS_H
#define KEIKO_SERVE_WORKERS_H

#include "serve/request.h"

#include <stdatomic.h>

typedef struct workers workers;

enum { WORKERS_QUEUE = 512 };

typedef struct job {
    struct job *next;
    workers *w;
    void (*run)(struct job *j);  // fills `answer`; on a worker
    void (*free)(struct job *j); // what `ctx` holds; when nobody needs the job any more
    void *ctx;
    reply answer;            // once it is done
    void (*wake)(void *ctx); // called when it is done; may be NULL
    void *wake_ctx;
    bool started, done;
    _Atomic bool unwanted; // nobody waits for the answer any more
} job;

err workers_new(workers **out, int threads); // caller frees with workers_free
void workers_free(workers *w);               // waits for what runs; nothing may be queued any more
int workers_busy(workers *w);                // searches that run or wait
int workers_threads(const workers *w);

err job_new(job **out, workers *w,
            size_t ctx_size); // ERR_STOPPED: the queue is full. `ctx` is zeroed, freed with the job
void job_start(job *j);
bool job_done(job *j);
void job_wait(job *j); // for tests: until it is done
void job_free(job *j); // done, or never started

#endif
