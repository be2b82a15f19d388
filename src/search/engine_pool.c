// See engine_pool.h.
#include "search/engine_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MAX_ENGINES = 64 };

struct engine_pool {
    engine_maker how;
    int setting;
    pthread_mutex_t lock;
    void *idle[MAX_ENGINES];
    int n;
};

engine_pool *engine_pool_new(engine_maker how, int setting)
{
    engine_pool *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    p->how = how;
    p->setting = setting;
    return p;
}

void engine_pool_free(engine_pool *p)
{
    if (p == NULL) return;
    for (int i = 0; i < p->n; i++) p->how.unmake(p->idle[i]);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void *engine_borrow(engine_pool *p)
{
    void *engine = NULL;
    pthread_mutex_lock(&p->lock);
    if (p->n > 0) engine = p->idle[--p->n];
    pthread_mutex_unlock(&p->lock);
    if (engine == NULL && p->how.make(&engine, p->setting) != ERR_OK) return NULL;
    return engine;
}

void engine_return(engine_pool *p, void *engine)
{
    pthread_mutex_lock(&p->lock);
    bool keep = p->n < MAX_ENGINES;
    if (keep) p->idle[p->n++] = engine;
    pthread_mutex_unlock(&p->lock);
    if (!keep) p->how.unmake(engine);
}
