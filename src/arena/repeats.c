// One table for both: the first game from each opening, and the pairings with chance in them. See repeats.h.
#include "arena/repeats.h"

#include <stdlib.h>

static uint64_t not_zero(uint64_t h)
{
    return h != 0 ? h : 1;
}

repeat_print repeat_print_of(const game *g, const match_record *r)
{
    repeat_print p = {0};
    uint64_t a = r->what.player[0], b = r->what.player[1];
    if (r->moves == NULL || r->plies == 0 || (g->flags & G_CHANCE)) return p;
    p.pairing = not_zero(rng_mix(a < b ? a << 32 | b : b << 32 | a));
    uint64_t h = rng_mix(p.pairing ^ (a < b ? 1 : 2));
    for (int i = 0; i <= r->plies; i++) {
        if (i == r->opening_plies) p.from = not_zero(h ^ 0x6f70656eu);
        if (i < r->plies) h = rng_mix(h ^ r->moves[i]) + 1;
    }
    if (p.from == 0) p.from = not_zero(h ^ 0x6f70656eu); // a record whose opening is longer than its game
    p.whole = rng_mix(h ^ (uint64_t)r->halves << 8 ^ r->reason);
    return p;
}

// Where the key is, or the free place for it.
static size_t place(const repeats *k, uint64_t key)
{
    size_t i = (size_t)rng_mix(key) & (k->room - 1);
    while (k->at[i].key != 0 && k->at[i].key != key) i = (i + 1) & (k->room - 1);
    return i;
}

static err make_room(repeats *k)
{
    if (2 * (k->n + 2) <= k->room) return ERR_OK;
    repeats more = {.room = k->room > 0 ? 2 * k->room : 64};
    more.at = calloc(more.room, sizeof *more.at);
    if (more.at == NULL) return err_set(ERR_MEMORY, "no memory to tell which games repeat");
    for (size_t i = 0; i < k->room; i++)
        if (k->at[i].key != 0) more.at[place(&more, k->at[i].key)] = k->at[i];
    more.n = k->n;
    free(k->at);
    *k = more;
    return ERR_OK;
}

static void put(repeats *k, uint64_t key, uint64_t value)
{
    size_t i = place(k, key);
    k->n += k->at[i].key == 0;
    k->at[i].key = key;
    k->at[i].value = value;
}

err repeats_add(repeats *k, const repeat_print *p, bool *same)
{
    *same = false;
    if (p->from == 0) return ERR_OK;
    err e = make_room(k);
    if (e != ERR_OK) return e;
    size_t i = place(k, p->from);
    if (k->at[i].key == 0)
        put(k, p->from, p->whole);
    else if (k->at[i].value == p->whole)
        *same = true;
    else
        put(k, p->pairing, 1);
    return ERR_OK;
}

bool repeats_vary(const repeats *k, uint64_t pairing)
{
    return k->room > 0 && k->at[place(k, pairing)].key != 0;
}

void repeats_free(repeats *k)
{
    free(k->at);
    *k = (repeats){0};
}
