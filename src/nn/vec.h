// One vector type `vf` of VW floats, chosen by the file that includes this: NN_VEC 512, 256, or portable.
//
// The portable one is the compilers' own vector extension with 4 lanes, without fused multiply-add, so it runs anywhere.
#ifndef KEIKO_NN_VEC_H
#define KEIKO_NN_VEC_H

#if NN_VEC == 512 || NN_VEC == 256
#include <immintrin.h>
#endif
#include "nn/unroll.h"

#include <string.h>

#if NN_VEC == 512
enum { VW = 16, MICRO_NV = 4 };
typedef __m512 vf;
#define v_load(p)      _mm512_loadu_ps(p)
#define v_store(p, a)  _mm512_storeu_ps(p, a)
#define v_set(x)       _mm512_set1_ps(x)
#define v_zero()       _mm512_setzero_ps()
#define v_add(a, b)    _mm512_add_ps(a, b)
#define v_sub(a, b)    _mm512_sub_ps(a, b)
#define v_mul(a, b)    _mm512_mul_ps(a, b)
#define v_div(a, b)    _mm512_div_ps(a, b)
#define v_sqrt(a)      _mm512_sqrt_ps(a)
#define v_max(a, b)    _mm512_max_ps(a, b)
#define v_fma(a, b, c) _mm512_fmadd_ps(a, b, c) // a*b + c
// a where b > 0, else 0
#define v_where(a, b) _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(b, _mm512_setzero_ps(), _CMP_GT_OQ), a)
#elif NN_VEC == 256
enum { VW = 8, MICRO_NV = 2 };
typedef __m256 vf;
#define v_load(p)      _mm256_loadu_ps(p)
#define v_store(p, a)  _mm256_storeu_ps(p, a)
#define v_set(x)       _mm256_set1_ps(x)
#define v_zero()       _mm256_setzero_ps()
#define v_add(a, b)    _mm256_add_ps(a, b)
#define v_sub(a, b)    _mm256_sub_ps(a, b)
#define v_mul(a, b)    _mm256_mul_ps(a, b)
#define v_div(a, b)    _mm256_div_ps(a, b)
#define v_sqrt(a)      _mm256_sqrt_ps(a)
#define v_max(a, b)    _mm256_max_ps(a, b)
#define v_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define v_where(a, b)  _mm256_and_ps(a, _mm256_cmp_ps(b, _mm256_setzero_ps(), _CMP_GT_OQ))
#else
enum { VW = 4, MICRO_NV = 2 };
typedef float vf __attribute__((vector_size(16)));
typedef int vi __attribute__((vector_size(16)));
static inline vf v_load(const float *p)
{
    vf a;
    memcpy(&a, p, sizeof a);
    return a;
}
static inline void v_store(float *p, vf a)
{
    memcpy(p, &a, sizeof a);
}
static inline vf v_set(float x)
{
    return (vf){x, x, x, x};
}
#define v_zero()       v_set(0)
#define v_add(a, b)    ((a) + (b))
#define v_sub(a, b)    ((a) - (b))
#define v_mul(a, b)    ((a) * (b))
#define v_div(a, b)    ((a) / (b))
#define v_fma(a, b, c) ((a) * (b) + (c))
static inline vf v_where(vf a, vf b)
{
    return (vf)((vi)a & (vi)(b > v_zero()));
}
static inline vf v_max(vf a, vf b)
{
    vi m = (vi)(a > b);
    return (vf)(((vi)a & m) | ((vi)b & ~m));
}
static inline vf v_sqrt(vf a)
{
    return (vf){__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]), __builtin_sqrtf(a[3])};
}
#endif

#endif
