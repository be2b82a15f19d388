// Words for the matrix instructions every GPU from sm_80 on has, and for sums over a warp.
#ifndef KEIKO_NN_CUDA_MMA_CUH
#define KEIKO_NN_CUDA_MMA_CUH

#include "nn/cuda/hopper.cuh"

DEV void load_matrix4(uint32_t (&f)[4], uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                 : "r"(at)
                 : "memory");
}

DEV void load_matrix4_turned(uint32_t (&f)[4], uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                 : "r"(at)
                 : "memory");
}

// d[16][8] += a[16][16] * b[16][8]; a by rows, b by columns, bf16.
DEV void mma16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

DEV float warp_sum(float v)
{
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

DEV float warp_max(float v)
{
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}

// Over the block's threads, in an order of its own; every thread has it.
template <int THREADS>
DEV double block_sum(double (&all)[THREADS], double t)
{
    all[threadIdx.x] = t;
    __syncthreads();
    for (int k = THREADS / 2; k > 0; k /= 2) {
        if ((int)threadIdx.x < k) all[threadIdx.x] += all[threadIdx.x + k];
        __syncthreads();
    }
    return all[0];
}

#endif
