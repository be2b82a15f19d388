// Engines that serve one thread each, lent to whoever asks and kept for the next one.
#ifndef KEIKO_SEARCH_ENGINE_POOL_H
#define KEIKO_SEARCH_ENGINE_POOL_H

#include "base/err.h"

typedef struct engine_pool engine_pool;

typedef struct engine_maker {
    err (*make)(void **out, int setting); // engines are made when they are first needed
    void (*unmake)(void *engine);
} engine_maker;

engine_pool *engine_pool_new(engine_maker how, int setting); // NULL: no memory. Free with engine_pool_free
void engine_pool_free(engine_pool *p);                       // NULL is fine; nothing may be lent
void *engine_borrow(engine_pool *p);                         // NULL: no memory
void engine_return(engine_pool *p, void *engine);

#endif
