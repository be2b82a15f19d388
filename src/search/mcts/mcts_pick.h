// The three ways to pick a child with vectors, for files that define pick() and the scores; then the walk itself.
//
// Included at the end of mcts_walk_avx2.c and mcts_walk_avx512.c, with WALK defined. Both work on eight children at a time
// and differ in how lanes beyond the last child are left out.

static inline int pick_plain(edges x, const float *p, int count, float cs, float fpu, float *out)
{
    return pick(score_plain, x, p, count, (rule){.cs = _mm256_set1_ps(cs), .fpu = _mm256_set1_ps(fpu)}, out);
}

static inline int pick_flying(edges x, const float *p, int count, float cs, float fpu, float loss, float *out)
{
    rule r = {_mm256_set1_ps(cs), _mm256_set1_ps(fpu), _mm256_set1_ps(loss)};
    return pick(score_flying, x, p, count, r, out);
}

static inline int pick_largest(const float *p, int count)
{
    float out;
    return pick(score_value, (edges){0}, p, count, (rule){.cs = _mm256_setzero_ps()}, &out);
}

#define PICK_PLAIN   pick_plain
#define PICK_FLYING  pick_flying
#define PICK_LARGEST pick_largest
#include "search/mcts/mcts_walk.h"
