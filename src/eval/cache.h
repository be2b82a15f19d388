// A bounded memory of positions a network has already judged.
//
// An entry is found by a 128-bit key made of everything the network sees and of the moves asked about, and holds exactly
// the numbers that were computed, so an answer from here equals a fresh one to the last bit: the cache changes how fast a
// search is, never what it finds. Any number of threads may use it; it is cut into shards, each with a lock of its own, a
// ring of bytes that new entries overwrite oldest first, and an index into that ring.
#ifndef KEIKO_EVAL_CACHE_H
#define KEIKO_EVAL_CACHE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct eval_key {
    uint64_t a, b;
} eval_key;

typedef struct eval_numbers { // what is known of a position beside its moves
    float value, margin;
} eval_numbers;

typedef struct eval_cache eval_cache;

err eval_cache_new(eval_cache **out, size_t bytes); // caller frees with eval_cache_free
void eval_cache_free(eval_cache *c);

// Fills logits[n] and *numbers when the position is there with `n` moves.
bool eval_cache_get(eval_cache *c, eval_key k, int n, float *logits, eval_numbers *numbers);
void eval_cache_put(eval_cache *c, eval_key k, int n, const float *logits, eval_numbers numbers);
void eval_cache_clear(eval_cache *c); // the network changed

// Keys are built from pieces of memory, in order; `size` in bytes.
eval_key eval_key_begin(void);
eval_key eval_key_add(eval_key k, const void *data, size_t size);

#endif
