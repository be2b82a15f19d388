// Words for Hopper's instructions (sm_90a): mbarriers, bulk copies, named barriers, wgmma and its descriptors.
//
// Only thin wrappers, one instruction each. Two habits the callers must keep: shared memory written by ordinary stores and
// read by wgmma or a bulk copy needs fence_async() in every writing thread before the barrier, and accumulators need
// hold() after wgmma_wait before anything reads them, or the compiler may move the reads up.
#ifndef KEIKO_NN_CUDA_HOPPER_CUH
#define KEIKO_NN_CUDA_HOPPER_CUH

#include <cuda_bf16.h>
#include <stdint.h>

#define DEV static __device__ __forceinline__

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define KEIKO_HOPPER 1 // this pass may use wgmma and setmaxnreg
#endif

DEV uint32_t smem_at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

#if defined(KEIKO_HOPPER)

#include "nn/cuda/wgmma.inc"

DEV void mbar_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count));
}

DEV void mbar_expect(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}

DEV void mbar_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

DEV void mbar_wait(uint32_t bar, uint32_t phase)
{
    uint32_t ok;
    do {
        asm volatile(
            "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}\n"
            : "=r"(ok)
            : "r"(bar), "r"(phase)
            : "memory");
    } while (!ok);
}

// n bytes (a multiple of 16) from global to shared memory; `bar` counts them.
DEV void bulk_load(uint32_t to, const void *from, uint32_t n, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(n), "r"(bar)
                 : "memory");
}

DEV void group_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

DEV void group_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

DEV void fence_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

DEV void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

DEV void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int K> DEV void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(K) : "memory");
}

template <int T> DEV void hold(float (&d)[T])
{
#pragma unroll
    for (int i = 0; i < T; i++) asm volatile("" : "+f"(d[i])::"memory");
}

// Without swizzle. K contiguous: lbo = the next 8 of K, sbo = the next 8 rows (columns of B). K strided: lbo = the next 8 of
// K, sbo = the next 8 rows; a core matrix is then 8 of K by 8 contiguous channels. All in bytes, multiples of 16.
DEV uint64_t wgmma_desc(uint32_t at, uint32_t lbo, uint32_t sbo)
{
    return (uint64_t)((at & 0x3FFFF) >> 4) | (uint64_t)(lbo >> 4) << 16 | (uint64_t)(sbo >> 4) << 32;
}

// Four 8x8 matrices of bf16, transposed on the way: each lane gives the address of one row of 16 bytes.
DEV void store_matrix4(uint32_t at, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(a), "r"(b),
                 "r"(c), "r"(d)
                 : "memory");
}

#endif // KEIKO_HOPPER

DEV uint32_t pack_relu(float lo, float hi)
{
    uint32_t r;
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
    return r;
}

DEV uint32_t pack_bf16(float lo, float hi)
{
    uint32_t r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
    return r;
}

DEV float bf16_lo(uint32_t u)
{
    return __uint_as_float(u << 16);
}

DEV float bf16_hi(uint32_t u)
{
    return __uint_as_float(u & 0xffff0000u);
}

#endif
