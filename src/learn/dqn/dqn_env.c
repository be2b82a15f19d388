// Memory of a view. See dqn_env.h.
#include "learn/dqn/dqn_env.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

size_t dqn_words(const dqn_shape *s)
{
    return (size_t)s->planes * (size_t)((s->rows * s->cols + 63) / 64);
}

err dqn_view_new(dqn_view *v, const dqn_shape *s, int lanes)
{
    size_t n = (size_t)lanes;
    *v = (dqn_view){
        .bits = calloc(n * dqn_words(s) + 1, sizeof *v->bits),
        .scalars = calloc(n * (size_t)s->scalars + 1, sizeof *v->scalars),
        .mask = calloc(n, sizeof *v->mask),
        .seat = calloc(n, sizeof *v->seat),
        .reward = calloc(n, sizeof *v->reward),
        .end = calloc(n, sizeof *v->end),
        .last = calloc(n, sizeof *v->last),
        .score = calloc(n, sizeof *v->score),
        .stat = calloc(n, sizeof *v->stat),
        .parts = calloc(n * 2 * DQN_PARTS, sizeof *v->parts),
    };
    if (v->bits && v->scalars && v->mask && v->seat && v->reward && v->end && v->last && v->score && v->stat &&
        v->parts)
        return ERR_OK;
    dqn_view_free(v);
    return err_set(ERR_MEMORY, "no memory for %d matches", lanes);
}

void dqn_view_free(dqn_view *v)
{
    FREE_ALL(v->bits, v->scalars, v->mask, v->seat, v->reward, v->end, v->last, v->score, v->stat, v->parts);
    memset(v, 0, sizeof *v);
}
