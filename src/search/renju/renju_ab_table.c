// The table of the renju engine: what earlier searches found out about a position.
//
// Four entries share a cache line. A new one replaces the same position, else what is old or shallow. Threads read and write
// without locks: an entry whose halves do not belong together has the wrong check and is not found.
#include "search/renju/renju_ab_inner.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKET = 4, AGES = 16 };

// data: score 16, move 16, depth 8, flags 8, age 8
static uint64_t pack(const rj_ab_entry *e, unsigned age)
{
    return (uint64_t)(uint16_t)e->score | (uint64_t)(uint16_t)e->move << 16 | (uint64_t)(uint8_t)e->depth << 32 |
           (uint64_t)(uint8_t)e->flags << 40 | (uint64_t)age << 48;
}

static rj_ab_entry unpack(uint64_t data)
{
    return (rj_ab_entry){.score = (int16_t)data,
                         .move = (uint16_t)(data >> 16),
                         .depth = (int8_t)(data >> 32),
                         .flags = (uint8_t)(data >> 40)};
}

static unsigned age_of(uint64_t data)
{
    return (unsigned)(data >> 48) & (AGES - 1);
}

err rj_ab_table_new(rj_ab_table *t, int hash)
{
    size_t n = (size_t)1 << hash;
    t->slot = calloc(n, sizeof *t->slot);
    if (t->slot == NULL) return err_set(ERR_MEMORY, "no memory for a table of 2^%d positions", hash);
    t->mask = (n - 1) & ~(size_t)(BUCKET - 1);
    t->age = 0;
    return ERR_OK;
}

void rj_ab_table_free(rj_ab_table *t)
{
    free(t->slot);
    t->slot = NULL;
}

void rj_ab_table_clear(rj_ab_table *t)
{
    memset(t->slot, 0, (t->mask + BUCKET) * sizeof *t->slot);
    t->age = 0;
}

rj_ab_entry rj_ab_find(const rj_ab_table *t, uint64_t hash)
{
    rj_ab_slot *s = &t->slot[hash & t->mask];
    for (int i = 0; i < BUCKET; i++) {
        uint64_t data = atomic_load_explicit(&s[i].data, memory_order_relaxed);
        if ((atomic_load_explicit(&s[i].check, memory_order_relaxed) ^ data) == hash && data != 0) return unpack(data);
    }
    return (rj_ab_entry){.move = RJ_NO_POINT};
}

void rj_ab_store(rj_ab_table *t, uint64_t hash, const rj_ab_entry *e)
{
    rj_ab_slot *s = &t->slot[hash & t->mask], *at = s;
    rj_ab_entry fresh = *e;
    int worst = 1000;
    for (int i = 0; i < BUCKET; i++) {
        uint64_t data = atomic_load_explicit(&s[i].data, memory_order_relaxed);
        rj_ab_entry old = unpack(data);
        if ((atomic_load_explicit(&s[i].check, memory_order_relaxed) ^ data) == hash && data != 0) {
            if (fresh.move == RJ_NO_POINT) fresh.move = old.move;
            fresh.flags |= old.flags & RJ_NO_VCF;
            at = &s[i];
            break;
        }
        int worth = data == 0 ? -1000 : old.depth - 4 * (int)((t->age - age_of(data)) & (AGES - 1));
        if (worth < worst) {
            worst = worth;
            at = &s[i];
        }
    }
    uint64_t data = pack(&fresh, t->age);
    atomic_store_explicit(&at->data, data, memory_order_relaxed);
    atomic_store_explicit(&at->check, hash ^ data, memory_order_relaxed);
}
