// The walk with masks (AVX-512VL). Eight edges a step: most nodes have fewer than nine tried moves, and on the
// processors measured a 512-bit step is two 256-bit ones. Compiled for x86-64-v4; called only where cpu_simd() allows
// it.
#include "search/mcts/mcts_node.h"

#include <immintrin.h>

typedef struct rule { // the constants of one node's choice
    __m256 cs, fpu, loss;
} rule;

static inline __m256 visits(__mmask8 k, const uint32_t *n)
{
    return _mm256_cvtepi32_ps(_mm256_maskz_loadu_epi32(k, n));
}

static inline __m256 bonus(__mmask8 k, const float *p, __m256 n, rule r)
{
    return _mm256_div_ps(_mm256_mul_ps(r.cs, _mm256_maskz_loadu_ps(k, p)), _mm256_add_ps(_mm256_set1_ps(1.0f), n));
}

static inline __m256 score_plain(edges x, const float *p, int i, __mmask8 k, rule r)
{
    __m256 n = visits(k, x.n + i);
    __mmask8 none = _mm256_cmp_ps_mask(n, _mm256_setzero_ps(), _CMP_EQ_OQ);
    __m256 q = _mm256_mask_blend_ps(none, _mm256_maskz_loadu_ps(k, x.q + i), r.fpu);
    return _mm256_add_ps(q, bonus(k, p + i, n, r));
}

static inline __m256 score_flying(edges x, const float *p, int i, __mmask8 k, rule r)
{
    __m128i f = _mm_and_si128(_mm_maskz_loadu_epi16(k, x.fly + i), _mm_set1_epi16(FLY_COUNT));
    __m256 n = visits(k, x.n + i), fly = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(f));
    __m256 lost = _mm256_mul_ps(r.loss, fly), seen = _mm256_add_ps(n, lost);
    __m256 q = _mm256_div_ps(_mm256_sub_ps(_mm256_mul_ps(n, _mm256_maskz_loadu_ps(k, x.q + i)), lost), seen);
    q = _mm256_mask_blend_ps(_mm256_cmp_ps_mask(seen, _mm256_setzero_ps(), _CMP_EQ_OQ), q, r.fpu);
    return _mm256_add_ps(q, bonus(k, p + i, _mm256_add_ps(n, fly), r));
}

static inline __m256 score_value(edges x, const float *p, int i, __mmask8 k, rule r)
{
    (void)x, (void)r;
    return _mm256_maskz_loadu_ps(k, p + i);
}

static inline __m256 largest(__m256 a)
{
    a = _mm256_max_ps(a, _mm256_permute2f128_ps(a, a, 1));
    a = _mm256_max_ps(a, _mm256_permute_ps(a, 0x4e));
    return _mm256_max_ps(a, _mm256_permute_ps(a, 0xb1));
}

// `score` is a constant at each call, so this becomes one loop without calls.
static inline __attribute__((always_inline)) int pick(__m256 (*score)(edges, const float *, int, __mmask8, rule),
                                                      edges x, const float *p, int count, rule r, float *out)
{
    const __m256 low = _mm256_set1_ps(-INFINITY);
    if (count <= 8) {
        __mmask8 k = (__mmask8)((1u << count) - 1);
        __m256 s = _mm256_mask_blend_ps(k, low, score(x, p, 0, k, r)), a = largest(s);
        *out = _mm256_cvtss_f32(a);
        return __builtin_ctz(_mm256_cmp_ps_mask(s, a, _CMP_EQ_OQ));
    }
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256 best = low;
    __m256i index = lane;
    for (int i = 0; i < count; i += 8) {
        __mmask8 k = (__mmask8)(count - i >= 8 ? 0xffu : (1u << (count - i)) - 1u);
        __m256 s = score(x, p, i, k, r);
        __mmask8 more = _mm256_mask_cmp_ps_mask(k, s, best, _CMP_GT_OQ);
        best = _mm256_mask_blend_ps(more, best, s);
        index = _mm256_mask_blend_epi32(more, index, _mm256_add_epi32(lane, _mm256_set1_epi32(i)));
    }
    __m256 a = largest(best);
    *out = _mm256_cvtss_f32(a);
    __mmask8 top = _mm256_cmp_ps_mask(best, a, _CMP_EQ_OQ);
    __m256i left = _mm256_mask_blend_epi32(top, _mm256_set1_epi32(-1), index); // the largest unsigned where not on top
    __m128i first = _mm_min_epu32(_mm256_castsi256_si128(left), _mm256_extracti128_si256(left, 1));
    first = _mm_min_epu32(first, _mm_shuffle_epi32(first, 0x4e));
    first = _mm_min_epu32(first, _mm_shuffle_epi32(first, 0xb1));
    return _mm_cvtsi128_si32(first);
}

#define WALK mcts_walk_avx512
#include "search/mcts/mcts_pick.h"
