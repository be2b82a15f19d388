// See cache.h. An index slot holds the place of an entry as a count of all bytes ever written to the ring; an entry is
// alive while the ring has not gone round past it. So overwriting needs no bookkeeping at all.
#include "eval/cache.h"

#include "base/rng.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS = 64, MIN_RING = 1 << 14, INDEX_PER_BYTES = 128 };

typedef struct entry {
    eval_key key;
    uint32_t n;
    eval_numbers numbers;
    float logits[]; // [n]
} entry;

typedef struct shard {
    pthread_mutex_t lock;
    char *ring;
    uint64_t *index; // 1 + bytes written before the entry; 0 = none
    uint64_t head;   // bytes written so far, padding counted
} shard;

struct eval_cache {
    size_t ring;   // bytes a shard, a power of two
    uint64_t mask; // of the index
    shard s[SHARDS];
};

err eval_cache_new(eval_cache **out, size_t bytes)
{
    eval_cache *c = calloc(1, sizeof *c);
    if (c == NULL) return err_set(ERR_MEMORY, "no memory for a position cache");
    c->ring = MIN_RING;
    while (c->ring * 2 * SHARDS <= bytes) c->ring *= 2;
    c->mask = c->ring / INDEX_PER_BYTES - 1;
    bool ok = true;
    for (int i = 0; i < SHARDS; i++) {
        shard *s = &c->s[i];
        pthread_mutex_init(&s->lock, NULL);
        s->ring = malloc(c->ring);
        s->index = calloc((size_t)c->mask + 1, sizeof *s->index);
        ok = ok && s->ring != NULL && s->index != NULL;
    }
    if (!ok) {
        eval_cache_free(c);
        return err_set(ERR_MEMORY, "no memory for a position cache of %zu bytes", bytes);
    }
    *out = c;
    return ERR_OK;
}

void eval_cache_free(eval_cache *c)
{
    if (c == NULL) return;
    for (int i = 0; i < SHARDS; i++) {
        free(c->s[i].ring);
        free(c->s[i].index);
        pthread_mutex_destroy(&c->s[i].lock);
    }
    free(c);
}

void eval_cache_clear(eval_cache *c)
{
    for (int i = 0; i < SHARDS; i++) {
        shard *s = &c->s[i];
        pthread_mutex_lock(&s->lock);
        memset(s->index, 0, ((size_t)c->mask + 1) * sizeof *s->index);
        pthread_mutex_unlock(&s->lock);
    }
}

static shard *shard_of(eval_cache *c, eval_key k)
{
    return &c->s[k.a >> 58]; // SHARDS = 2^6
}

bool eval_cache_get(eval_cache *c, eval_key k, int n, float *logits, eval_numbers *numbers)
{
    shard *s = shard_of(c, k);
    bool found = false;
    pthread_mutex_lock(&s->lock);
    uint64_t at = s->index[k.a & c->mask];
    if (at > 0 && s->head - (at - 1) <= c->ring) {
        const entry *e = (const entry *)(void *)(s->ring + ((at - 1) & (c->ring - 1)));
        if (e->key.a == k.a && e->key.b == k.b && e->n == (uint32_t)n) {
            memcpy(logits, e->logits, (size_t)n * sizeof *logits);
            *numbers = e->numbers;
            found = true;
        }
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

void eval_cache_put(eval_cache *c, eval_key k, int n, const float *logits, eval_numbers numbers)
{
    size_t size = (sizeof(entry) + (size_t)n * sizeof *logits + 7) & ~(size_t)7;
    if (size > c->ring / 4) return; // a position with thousands of moves: not worth the others it would push out
    shard *s = shard_of(c, k);
    pthread_mutex_lock(&s->lock);
    size_t left = c->ring - (s->head & (c->ring - 1));
    if (left < size) s->head += left; // entries do not wrap
    entry *e = (entry *)(void *)(s->ring + (s->head & (c->ring - 1)));
    e->key = k;
    e->n = (uint32_t)n;
    e->numbers = numbers;
    memcpy(e->logits, logits, (size_t)n * sizeof *logits);
    s->index[k.a & c->mask] = s->head + 1;
    s->head += size;
    pthread_mutex_unlock(&s->lock);
}

// --- keys: two different multiplicative hashes side by side

eval_key eval_key_begin(void)
{
    return (eval_key){0x243f6a8885a308d3u, 0x13198a2e03707344u};
}

static eval_key add_word(eval_key k, uint64_t w)
{
    k.a = (k.a ^ w) * 0x9fb21c651e98df25u;
    k.a ^= k.a >> 32;
    k.b = (k.b + w) * 0xd6e8feb86659fd93u;
    k.b ^= k.b >> 29;
    return k;
}

eval_key eval_key_add(eval_key k, const void *data, size_t size)
{
    const char *p = data;
    uint64_t w;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        memcpy(&w, p + i, 8);
        k = add_word(k, w);
    }
    w = 0;
    if (i < size) memcpy(&w, p + i, size - i);
    k = add_word(k, w ^ (uint64_t)size << 48); // the length, so that pieces do not run into each other
    return (eval_key){rng_mix(k.a), rng_mix(k.b)};
}
