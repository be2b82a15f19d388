// The hash table of the Othello search: bounds and best moves by position, shared by all threads without locks.
//
// A bucket is one cache line of four entries. An entry is two words, the position's 64-bit hash xor the data and the data,
// so that an entry torn by two writers fails its check and is not found. Scores are whole discs for the side to move.
// Positions are told apart by 64 bits of hash: at 10^9 look-ups of four entries the chance of one false hit is 2 * 10^-10.
#ifndef KEIKO_SEARCH_OTH_TT_H
#define KEIKO_SEARCH_OTH_TT_H

#include "base/err.h"
#include "games/othello/othello.h"

#include <stdatomic.h>

enum { OTH_TT_WAYS = 4, OTH_TT_NONE = 64 }; // NONE: no move known

typedef struct oth_tt_data {
    int8_t low, high;    // the score's bounds
    uint8_t move, move2; // the best and the one before; OTH_TT_NONE
    uint8_t depth;       // plies searched; the empties when to the end
    uint8_t sure;        // selectivity: larger is surer, OTH_SURE is exact
    uint8_t age;         // of the search that wrote it
    uint8_t pad;
} oth_tt_data;

typedef struct oth_tt_entry {
    _Atomic uint64_t check, data;
} oth_tt_entry;

typedef struct oth_tt {
    oth_tt_entry *entries; // [buckets][OTH_TT_WAYS]
    int shift;             // the bucket is hash >> shift
    uint8_t age;
} oth_tt;

err oth_tt_new(oth_tt *t, int log2_entries); // 16 bytes an entry; from 2^10 entries
void oth_tt_free(oth_tt *t);
void oth_tt_clear(oth_tt *t);

static inline oth_tt_entry *oth_tt_bucket(const oth_tt *t, uint64_t hash)
{
    return t->entries + (hash >> t->shift) * OTH_TT_WAYS;
}

static inline void oth_tt_prefetch(const oth_tt *t, uint64_t hash)
{
    __builtin_prefetch(oth_tt_bucket(t, hash));
}

static inline uint64_t oth_tt_pack(oth_tt_data d)
{
    uint64_t w;
    __builtin_memcpy(&w, &d, sizeof w);
    return w;
}

static inline oth_tt_data oth_tt_unpack(uint64_t w)
{
    oth_tt_data d;
    __builtin_memcpy(&d, &w, sizeof d);
    return d;
}

static inline bool oth_tt_find(const oth_tt *t, uint64_t hash, oth_tt_data *out)
{
    oth_tt_entry *b = oth_tt_bucket(t, hash);
    for (int i = 0; i < OTH_TT_WAYS; i++) {
        uint64_t w = atomic_load_explicit(&b[i].data, memory_order_relaxed);
        if ((atomic_load_explicit(&b[i].check, memory_order_relaxed) ^ w) != hash) continue;
        *out = oth_tt_unpack(w);
        return true;
    }
    return false;
}

// What a search from (alpha, beta) that returned `score` knows. Joins bounds of the same depth and sureness; otherwise
// the new ones replace the old. A stranger replaces the entry that is old, or else of the smallest depth.
static inline void oth_tt_store(oth_tt *t, uint64_t hash, int depth, int sure, int alpha, int beta, int score, int move)
{
    oth_tt_data d = {.low = score > alpha ? (int8_t)score : -64,
                     .high = score < beta ? (int8_t)score : 64,
                     .move = OTH_TT_NONE,
                     .move2 = OTH_TT_NONE,
                     .depth = (uint8_t)depth,
                     .sure = (uint8_t)sure,
                     .age = t->age};
    oth_tt_entry *b = oth_tt_bucket(t, hash), *victim = b;
    int worst = 1 << 20;
    for (int i = 0; i < OTH_TT_WAYS; i++) {
        uint64_t w = atomic_load_explicit(&b[i].data, memory_order_relaxed);
        oth_tt_data old = oth_tt_unpack(w);
        if ((atomic_load_explicit(&b[i].check, memory_order_relaxed) ^ w) == hash) {
            if (old.depth == depth && old.sure == sure) {
                if (d.low < old.low && old.low <= d.high) d.low = old.low;
                if (d.high > old.high && old.high >= d.low) d.high = old.high;
            }
            d.move = old.move;
            d.move2 = old.move2;
            victim = &b[i];
            break;
        }
        int worth = old.depth * 8 + old.sure + (old.age == t->age ? 1024 : 0);
        if (worth < worst) {
            worst = worth;
            victim = &b[i];
        }
    }
    if (move != OTH_TT_NONE && move != d.move && (score > alpha || d.move == OTH_TT_NONE)) {
        d.move2 = d.move;
        d.move = (uint8_t)move;
    }
    uint64_t w = oth_tt_pack(d);
    atomic_store_explicit(&victim->data, w, memory_order_relaxed);
    atomic_store_explicit(&victim->check, hash ^ w, memory_order_relaxed);
}

#endif
