// The walk in plain C: the reference for the vector ones, and what runs where there are none.
#include "search/mcts/mcts_node.h"

static inline int pick_plain(edges x, const float *p, int count, float cs, float fpu, float *out)
{
    float best = -INFINITY;
    int at = 0;
    for (int i = 0; i < count; i++) {
        float n = (float)x.n[i], q = n == 0.0f ? fpu : x.q[i];
        float u = cs * p[i] / (1.0f + n), score = q + u;
        if (score > best) best = score, at = i;
    }
    *out = best;
    return at;
}

static inline int pick_flying(edges x, const float *p, int count, float cs, float fpu, float loss, float *out)
{
    float best = -INFINITY;
    int at = 0;
    for (int i = 0; i < count; i++) {
        float n = (float)x.n[i], fly = (float)(x.fly[i] & FLY_COUNT), lost = loss * fly, seen = n + lost;
        float won = n * x.q[i], q = seen == 0.0f ? fpu : (won - lost) / seen;
        float u = cs * p[i] / (1.0f + (n + fly)), score = q + u;
        if (score > best) best = score, at = i;
    }
    *out = best;
    return at;
}

static inline int pick_largest(const float *p, int count)
{
    int at = 0;
    for (int i = 1; i < count; i++)
        if (p[i] > p[at]) at = i;
    return at;
}

#define WALK         mcts_walk_scalar
#define PICK_PLAIN   pick_plain
#define PICK_FLYING  pick_flying
#define PICK_LARGEST pick_largest
#include "search/mcts/mcts_walk.h"
