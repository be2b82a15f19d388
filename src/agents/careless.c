// See careless.h.
#include "agents/careless.h"

enum { MOST = 32 }; // moves among which a level draws

err agent_careless(agent *a, const void *obs, double random, double within, agent_choice *out, bool *drew)
{
    agent_choice list[MOST];
    int n = 0, near = 1;
    rng r = agent_rng(a);
    *drew = random > 0 && rng_unit(&r) < random;
    if (!*drew) return ERR_OK;
    err e = a->type->analyse(a, obs, MOST, list, &n);
    if (e != ERR_OK) return e;
    while (near < n && (double)list[near].value >= (double)list[0].value - within) near++;
    *out = list[rng_below(&r, (uint32_t)near)];
    return ERR_OK;
}
