// Words for Hopper's instructions (sm_90a): mbarriers, bulk copies, named barriers, wgmma and its descriptors.
//
// Only thin wrappers, one instruction each. Two habits the callers must keep: shared memory written by ordinary stores and
// read by wgmma or a bulk copy needs fence_async() in every writing thread before the barrier, and accumulators need
// hold() after wgmma_wait before anything reads them, or the compiler may move the reads up.
#ifndef KEIKO_NN_CUDA_HOPPER_CUH
#define KEIKO_NN_CUDA_HOPPER_CUH

#include <atomic>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <utility>

#define DEV static __device__ __forceinline__

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define KEIKO_HOPPER 1 // this pass may use wgmma and setmaxnreg
#endif

DEV uint32_t smem_at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

// --- a launch that may begin while the one before it in the stream still runs (sm_90)
//
// Such a kernel calls wait_for_last() before it touches anything an earlier launch reads or writes; what it does before that
// is hidden. Any kernel may call next_may_start() early to let it: without that it begins when the last one ends. Most do both
// at once (in_turn): then the next one's blocks come in while this one works, and it never runs ahead further.

DEV void wait_for_last()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

DEV void next_may_start()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

DEV void in_turn()
{
    wait_for_last();
    next_may_start();
}

// Lets a kernel take all the shared memory a block may have. The limit belongs to the kernel, not to a launch: one that is
// set to what a network needs fails the launches of a larger one beside it.
template <auto KERNEL> static int allow_smem(void)
{
    static std::atomic<uint64_t> allowed{0}; // a bit a device
    int device = 0, most = 0;
    cudaFuncAttributes is = {};
    cudaError_t e = cudaGetDevice(&device);
    const uint64_t bit = 1ull << (device & 63);
    if (e == cudaSuccess && device < 64 && (allowed.load(std::memory_order_acquire) & bit) != 0) return 0;
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e == cudaSuccess) e = cudaFuncGetAttributes(&is, KERNEL);
    if (e == cudaSuccess)
        e = cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, most - (int)is.sharedSizeBytes);
    if (e == cudaSuccess) allowed.fetch_or(bit, std::memory_order_release);
    return (int)e;
}

// Whether this thread's device knows launches that begin early.
static bool early_starts(void)
{
    static std::atomic<int> major{0}; // of all devices: the backend uses one
    int known = major.load(std::memory_order_relaxed), device = 0;
    if (known == 0 && cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&known, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess)
        major.store(known, std::memory_order_relaxed);
    return known >= 9;
}

// Launches of two streams came together before this one: in a graph that is being made it must not begin early.
static bool joins(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    size_t n = 0;
#if CUDART_VERSION >= 13000
    const cudaError_t e = cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, &n);
#else
    const cudaError_t e = cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, nullptr, &n);
#endif
    return e != cudaSuccess || (status == cudaStreamCaptureStatusActive && n != 1);
}

// Begins early where it can; the kernel must wait_for_last().
template <typename... P, typename... A>
static int launch_early(void (*kernel)(P...), dim3 grid, int threads, int smem, void *stream, A &&...args)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t c = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    c.gridDim = grid, c.blockDim = dim3((unsigned)threads), c.dynamicSmemBytes = (size_t)smem;
    c.stream = (cudaStream_t)stream, c.attrs = &early, c.numAttrs = early_starts() && !joins(c.stream) ? 1 : 0;
    return (int)cudaLaunchKernelEx(&c, kernel, std::forward<A>(args)...);
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

// 16 bytes from global to shared memory by an ordinary asynchronous copy; zeros where nothing is there.
DEV void copy_cell(uint32_t to, const uint4 *from, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0) : "memory");
}

DEV void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int K> DEV void copies_wait() // all but the last K groups have arrived
{
    asm volatile("cp.async.wait_group %0;" ::"n"(K) : "memory");
}

DEV void copies_arrive(uint32_t bar) // when this thread's copies so far have arrived; the barrier counts its threads
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
}

template <int N> DEV void registers() // of each thread of this warpgroup from here on; a kernel of 512 threads begins with 128
{
    if constexpr (N > 128)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
    else
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
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

// Two cells of two channels as e4m3: low half cell 0, high half cell 1; in each the first channel first.
DEV uint32_t pack_e4m3_relu(float first0, float first1, float second0, float second1)
{
    uint32_t r;
    asm("{\n.reg .b16 lo, hi;\ncvt.rn.satfinite.relu.e4m3x2.f32 lo, %3, %1;\n"
        "cvt.rn.satfinite.relu.e4m3x2.f32 hi, %4, %2;\nmov.b32 %0, {lo, hi};\n}\n"
        : "=r"(r)
        : "f"(first0), "f"(first1), "f"(second0), "f"(second1));
    return r;
}

// Which of eight bf16 after ReLU are positive: bit e for the low half of word e, bit 4 + e for its high half.
DEV uint32_t positive_bits(const uint32_t *v)
{
    uint32_t m = 0;
#pragma unroll
    for (int e = 0; e < 4; e++)
        m |= (v[e] + 0x7fff7fffu) >> (15 - e) & 0x00010001u << e; // nothing carries over: no signs
    return (m | m >> 12) & 0xffu;
}

DEV uint32_t mask_word(uint32_t bits, int e) // word e's halves, all ones where positive
{
    return ((bits | bits << 12) >> e & 0x00010001u) * 0xffffu;
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
