// The walk with eight edges a step (AVX2). Compiled for x86-64-v3; called only where cpu_simd() allows it.
//
// Loads may run past a node's last edge: the tree's memory keeps some bytes free behind its last block, and lanes without an
// edge are taken out before they are compared.
#include "search/mcts/mcts_node.h"

#include <immintrin.h>

typedef struct rule { // the constants of one node's choice
    __m256 cs, fpu, loss;
} rule;

static inline __m256 visits(const uint32_t *n)
{
    return _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)(const void *)n));
}

static inline __m256 bonus(const float *p, __m256 n, rule r)
{
    return _mm256_div_ps(_mm256_mul_ps(r.cs, _mm256_loadu_ps(p)), _mm256_add_ps(_mm256_set1_ps(1.0f), n));
}

static inline __m256 score_plain(edges x, const float *p, int i, rule r)
{
    __m256 n = visits(x.n + i), none = _mm256_cmp_ps(n, _mm256_setzero_ps(), _CMP_EQ_OQ);
    return _mm256_add_ps(_mm256_blendv_ps(_mm256_loadu_ps(x.q + i), r.fpu, none), bonus(p + i, n, r));
}

static inline __m256 score_flying(edges x, const float *p, int i, rule r)
{
    __m128i f = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)(x.fly + i)), _mm_set1_epi16(FLY_COUNT));
    __m256 n = visits(x.n + i), fly = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(f));
    __m256 lost = _mm256_mul_ps(r.loss, fly), seen = _mm256_add_ps(n, lost);
    __m256 q = _mm256_div_ps(_mm256_sub_ps(_mm256_mul_ps(n, _mm256_loadu_ps(x.q + i)), lost), seen);
    q = _mm256_blendv_ps(q, r.fpu, _mm256_cmp_ps(seen, _mm256_setzero_ps(), _CMP_EQ_OQ));
    return _mm256_add_ps(q, bonus(p + i, _mm256_add_ps(n, fly), r));
}

static inline __m256 score_value(edges x, const float *p, int i, rule r)
{
    (void)x, (void)r;
    return _mm256_loadu_ps(p + i);
}

static inline __m256 largest(__m256 a)
{
    a = _mm256_max_ps(a, _mm256_permute2f128_ps(a, a, 1));
    a = _mm256_max_ps(a, _mm256_permute_ps(a, 0x4e));
    return _mm256_max_ps(a, _mm256_permute_ps(a, 0xb1));
}

// The smallest of the indices in the lanes where best is largest.
static inline int first_index(__m256 best, __m256 top, __m256i index)
{
    __m256i off = _mm256_castps_si256(_mm256_cmp_ps(best, top, _CMP_NEQ_UQ));
    __m256i k = _mm256_or_si256(index, off); // lanes that are not the largest become -1, the largest unsigned
    __m128i low = _mm_min_epu32(_mm256_castsi256_si128(k), _mm256_extracti128_si256(k, 1));
    low = _mm_min_epu32(low, _mm_shuffle_epi32(low, 0x4e));
    low = _mm_min_epu32(low, _mm_shuffle_epi32(low, 0xb1));
    return _mm_cvtsi128_si32(low);
}

// `score` is a constant at each call, so this becomes one loop without calls.
static inline __attribute__((always_inline)) int pick(__m256 (*score)(edges, const float *, int, rule), edges x,
                                                      const float *p, int count, rule r, float *out)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256 low = _mm256_set1_ps(-INFINITY);
    __m256 valid = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane));
    __m256 best = _mm256_blendv_ps(low, score(x, p, 0, r), valid), top;
    __m256i index = lane;
    if (count <= 8) { // the usual case
        top = largest(best);
        *out = _mm256_cvtss_f32(top);
        return __builtin_ctz((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(best, top, _CMP_EQ_OQ)));
    }
    for (int i = 8; i < count; i += 8) {
        valid = _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(count - i), lane));
        __m256 s = _mm256_blendv_ps(low, score(x, p, i, r), valid);
        __m256 more = _mm256_cmp_ps(s, best, _CMP_GT_OQ);
        best = _mm256_blendv_ps(best, s, more);
        index = _mm256_blendv_epi8(index, _mm256_add_epi32(lane, _mm256_set1_epi32(i)), _mm256_castps_si256(more));
    }
    top = largest(best);
    *out = _mm256_cvtss_f32(top);
    return first_index(best, top, index);
}

#define WALK mcts_walk_avx2
#include "search/mcts/mcts_pick.h"
