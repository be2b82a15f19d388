// See workers.h.
#include "serve/workers.h"

#include <pthread.h>
#include <stdlib.h>

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    job *first, **last;
    int places; // reserved, waiting or running
    int threads;
    bool end;
    pthread_t thread[];
};

static void *loop(void *ctx)
{
    workers *w = ctx;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->first == NULL && !w->end) pthread_cond_wait(&w->work, &w->lock);
        job *j = w->first;
        if (j == NULL) break;
        w->first = j->next;
        if (w->first == NULL) w->last = &w->first;
        pthread_mutex_unlock(&w->lock);
        j->run(j);
        pthread_mutex_lock(&w->lock);
        j->done = true;
        void (*wake)(void *) = j->wake;
        void *wake_ctx = j->wake_ctx;
        pthread_cond_broadcast(&w->done);
        pthread_mutex_unlock(&w->lock);
        if (wake != NULL) wake(wake_ctx); // the job may be gone from here on
        pthread_mutex_lock(&w->lock);
        w->places--; // only now: who waits for this to become 0 relies on everybody being awake
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

err workers_new(workers **out, int threads)
{
    workers *w = calloc(1, sizeof *w + (size_t)threads * sizeof w->thread[0]);
    if (w == NULL) return err_set(ERR_MEMORY, "no memory for workers");
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->work, NULL);
    pthread_cond_init(&w->done, NULL);
    w->last = &w->first;
    while (w->threads < threads && pthread_create(&w->thread[w->threads], NULL, loop, w) == 0) w->threads++;
    if (w->threads == 0) {
        workers_free(w);
        return err_set(ERR_LIMIT, "the system has no more threads");
    }
    *out = w;
    return ERR_OK;
}

void workers_free(workers *w)
{
    if (w == NULL) return;
    pthread_mutex_lock(&w->lock);
    w->end = true;
    pthread_cond_broadcast(&w->work);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < w->threads; i++) pthread_join(w->thread[i], NULL);
    pthread_cond_destroy(&w->work);
    pthread_cond_destroy(&w->done);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

int workers_busy(workers *w)
{
    pthread_mutex_lock(&w->lock);
    int n = w->places;
    pthread_mutex_unlock(&w->lock);
    return n;
}

int workers_threads(const workers *w)
{
    return w->threads;
}

err job_new(job **out, workers *w, size_t ctx_size)
{
    pthread_mutex_lock(&w->lock);
    bool full = w->places >= WORKERS_QUEUE + w->threads || w->end;
    w->places += !full;
    pthread_mutex_unlock(&w->lock);
    if (full) return err_set(ERR_STOPPED, "too many searches are waiting; try again later");
    job *j = calloc(1, sizeof *j);
    void *ctx = calloc(1, ctx_size);
    if (j == NULL || ctx == NULL) {
        free(j);
        free(ctx);
        pthread_mutex_lock(&w->lock);
        w->places--;
        pthread_mutex_unlock(&w->lock);
        return err_set(ERR_MEMORY, "no memory for a search");
    }
    j->w = w;
    j->ctx = ctx;
    *out = j;
    return ERR_OK;
}

void job_start(job *j)
{
    workers *w = j->w;
    pthread_mutex_lock(&w->lock);
    j->started = true;
    j->next = NULL;
    *w->last = j;
    w->last = &j->next;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->lock);
}

bool job_done(job *j)
{
    pthread_mutex_lock(&j->w->lock);
    bool done = j->done;
    pthread_mutex_unlock(&j->w->lock);
    return done;
}

void job_wait(job *j)
{
    pthread_mutex_lock(&j->w->lock);
    while (!j->done) pthread_cond_wait(&j->w->done, &j->w->lock);
    pthread_mutex_unlock(&j->w->lock);
}

void job_free(job *j)
{
    if (j == NULL) return;
    if (!j->started) {
        pthread_mutex_lock(&j->w->lock);
        j->w->places--;
        pthread_mutex_unlock(&j->w->lock);
    }
    if (j->free != NULL) j->free(j);
    reply_free(&j->answer);
    free(j->ctx);
    free(j);
}
