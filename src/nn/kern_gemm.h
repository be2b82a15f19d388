// The matrix product, for kern_impl.h.
//
// The inner tile is R rows x NV vectors of accumulators in registers: 6 x 4 of 16 floats (AVX-512), 6 x 2 of 8 (AVX2), 6 x 2
// of 4 (portable). It runs at the core's peak as long as no load waits for a far cache, hence all the asking ahead.
#ifndef KEIKO_NN_KERN_GEMM_H
#define KEIKO_NN_KERN_GEMM_H

#include "nn/kern.h"
#include "nn/vec.h"

#include <assert.h>

INLINE void micro(int R, int NV, int K, const float *A, size_t ars, size_t aks, const float *B, size_t ldb, float *C,
                  size_t ldc, bool add, const float *next)
{
    vf c[6][4];
    int lines = (NV * VW + 15) / 16; // a row of C
    UNROLL(6)
    for (int r = 0; r < R; r++) {
        UNROLL(4)
        for (int j = 0; j < NV; j++) c[r][j] = v_zero();
    }
    for (int k = 0; k < K; k++) {
        vf b[4];
        __builtin_prefetch(next + (size_t)k * 16, 0, 2);
        // what the next panel adds to may lie far away
        if (add && k < R * lines) __builtin_prefetch(C + (size_t)(R + k / lines) * ldc + (size_t)(k % lines * 16), 1);
        UNROLL(4)
        for (int j = 0; j < NV; j++) b[j] = v_load(B + (size_t)k * ldb + (size_t)(j * VW));
        UNROLL(6)
        for (int r = 0; r < R; r++) {
            vf a = v_set(A[(size_t)r * ars + (size_t)k * aks]);
            UNROLL(4)
            for (int j = 0; j < NV; j++) c[r][j] = v_fma(a, b[j], c[r][j]);
        }
    }
    UNROLL(6)
    for (int r = 0; r < R; r++) {
        UNROLL(4)
        for (int j = 0; j < NV; j++) {
            float *to = C + (size_t)r * ldc + (size_t)(j * VW);
            v_store(to, add ? v_add(v_load(to), c[r][j]) : c[r][j]);
        }
    }
}

typedef void micro_fn(int K, const float *A, size_t ars, size_t aks, const float *B, size_t ldb, float *C, size_t ldc,
                      bool add, const float *next);

#define MICRO(R, NV)                                                                                                   \
    static                                                                                                             \
        __attribute__((noinline)) void micro_##R##_##NV(int K, const float *A, size_t ars, size_t aks, const float *B, \
                                                        size_t ldb, float *C, size_t ldc, bool add, const float *next) \
    {                                                                                                                  \
        if (add)                                                                                                       \
            micro(R, NV, K, A, ars, aks, B, ldb, C, ldc, true, next);                                                  \
        else                                                                                                           \
            micro(R, NV, K, A, ars, aks, B, ldb, C, ldc, false, next);                                                 \
    }
#define MICRO_ROWS(NV) MICRO(1, NV) MICRO(2, NV) MICRO(3, NV) MICRO(4, NV) MICRO(5, NV) MICRO(6, NV)
#define MICRO_LIST(NV)                                                                                                 \
    {                                                                                                                  \
        micro_1_##NV, micro_2_##NV, micro_3_##NV, micro_4_##NV, micro_5_##NV, micro_6_##NV                             \
    }
MICRO_ROWS(2)
#if NN_VEC == 512
MICRO_ROWS(1)
MICRO_ROWS(3)
MICRO_ROWS(4) static micro_fn *const micros[4][6] = {MICRO_LIST(1), MICRO_LIST(2), MICRO_LIST(3), MICRO_LIST(4)};
#else
static micro_fn *const micros[2][6] = {MICRO_LIST(2), MICRO_LIST(2)}; // 16 columns are two or four vectors: never one
#endif

// What is needed after a product, asked for while it runs: a line each step, since a burst would hold up the loads that are
// needed now.
typedef struct ahead {
    const float *at[2];
    size_t lines[2];
} ahead;

// The lines of panel q, K of them; `near`, which is in the cache, when all have been asked for.
INLINE const float *ahead_at(const ahead *f, size_t q, size_t K, const float *near)
{
    for (int i = 0; f != NULL && i < 2; i++) {
        size_t panels = (f->lines[i] + K - 1) / K;
        if (q < panels) return f->at[i] + q * K * 16;
        q -= panels;
    }
    return near;
}

// M rows in panels of 6, with a rest of 7 or 8 split in two so that no panel is thin.
static void gemm_ahead(int M, int N, int K, const float *A, size_t ars, size_t aks, const float *B, size_t ldb,
                       float *C, size_t ldc, bool add, const ahead *f)
{
    size_t q = 0;
    assert(N % NN_LANES == 0);
    for (int n = 0; n < N; n += MICRO_NV * VW) {
        int nv = (N - n) / VW < MICRO_NV ? (N - n) / VW : MICRO_NV;
        for (int m = 0; m < M;) {
            int left = M - m, rows = left >= 6 && left != 7 && left != 8 ? 6 : left == 7 || left == 8 ? 4 : left;
            micros[nv - 1][rows - 1](K, A + (size_t)m * ars, ars, aks, B + n, ldb, C + (size_t)m * ldc + n, ldc, add,
                                     ahead_at(f, q++, (size_t)K, B));
            m += rows;
        }
    }
}

static void gemm(int M, int N, int K, const float *A, size_t ars, size_t aks, const float *B, size_t ldb, float *C,
                 size_t ldc, bool add)
{
    gemm_ahead(M, N, K, A, ars, aks, B, ldb, C, ldc, add, NULL);
}

#endif
