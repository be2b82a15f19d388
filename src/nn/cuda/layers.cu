// See layers.h.
#include "nn/cuda/layers.h"
#include "nn/cuda/mma.cuh"

#include <cuda_runtime.h>

// --- input

__global__ void unpack_kernel(board_shape s, const uint64_t *bits, const float *scalars, int planes, int n_scalars,
                              int cin, uint16_t *x)
{
    in_turn();
    const int hw = s.rows * s.cols, words = (hw + 63) / 64;
    const size_t cells = (size_t)s.n * hw, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells * (cin / 8)) return;
    const size_t cell = i % cells;
    const int p = (int)(i / cells), board = (int)(cell / hw), sq = (int)(cell % hw);
    uint32_t word[4] = {0, 0, 0, 0};
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const int c = p * 8 + e;
        uint32_t v = 0;
        if (c < planes)
            v = (bits[((size_t)board * planes + c) * words + sq / 64] >> (sq & 63) & 1) ? 0x3f80u : 0;
        else if (c < planes + n_scalars)
            v = pack_bf16(scalars[(size_t)board * n_scalars + c - planes], 0) & 0xffffu;
        word[e / 2] |= v << 16 * (e & 1);
    }
    ((uint4 *)x)[i] = make_uint4(word[0], word[1], word[2], word[3]);
}

extern "C" int layers_unpack(board_shape s, const uint64_t *bits, const float *scalars, int planes, int n_scalars,
                             int cin, uint16_t *x, void *stream)
{
    size_t cells = (size_t)s.n * s.rows * s.cols * (cin / 8);
    const dim3 grid((unsigned)((cells + 255) / 256));
    return launch_early(unpack_kernel, grid, 256, 0, stream, s, bits, scalars, planes,
                                                                                     n_scalars, cin, x);
}

// --- convolution: a block makes 64*MW channels of 128 positions. K runs over chunks of 32 input channels, whose cells (with the
// rows above and below) are loaded once for all nine taps; weights come from the cache in fragment order.

enum { CONV_POS = 128, CONV_THREADS = 256 };

template <int MW> struct conv_smem {
    static constexpr int LD = 64 * MW + 8; // of the output's staging, in halves
};

DEV void copy16(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// 4 planes of cells [first, first + span) into smem; cells outside the batch stay as they are (their taps read the zero cell).
DEV void load_chunk(const conv_args &a, uint32_t to, int chunk, long first, int span, long cells)
{
    for (int i = threadIdx.x; i < 4 * span; i += CONV_THREADS) {
        int p = i / span, k = i % span;
        long cell = first + k;
        if (cell >= 0 && cell < cells)
            copy16(to + (uint32_t)i * 16, (const uint4 *)a.x + (chunk * 4 + p) * cells + cell);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int MW> __global__ void __launch_bounds__(CONV_THREADS) conv_kernel(const conv_args a)
{
    in_turn();
    // warps: MW along the channels (64 each), 8 / MW along the positions
    constexpr int NW = 8 / MW, WN = CONV_POS / NW, NT = WN / 8, LD = conv_smem<MW>::LD;
    extern __shared__ __align__(16) uint8_t sm[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp % MW, wn = warp / MW;
    const int hw = a.s.rows * a.s.cols, halo = a.s.cols + 1, span = CONV_POS + 2 * halo;
    const long cells = (long)a.s.n * hw, p0 = (long)blockIdx.x * CONV_POS;
    const uint32_t zero = smem_at(sm), buf = zero + 16, bytes = (uint32_t)(4 * span * 16);
    if (threadIdx.x == 0) *(uint4 *)sm = make_uint4(0, 0, 0, 0);

    // this lane's row of each ldmatrix.x4: 16 positions, two halves of 16 channels
    int board_ok[NT / 2]; // bits: which of the nine taps stay on the board
#pragma unroll
    for (int t = 0; t < NT / 2; t++) {
        long p = p0 + wn * WN + t * 16 + (lane & 7) + (lane >> 4) * 8;
        int sq = (int)(p % hw), y = sq / a.s.cols, x = sq % a.s.cols;
        board_ok[t] = 0;
        for (int i = 0; i < 9; i++) {
            int yy = y + i / 3 - 1, xx = x + i % 3 - 1;
            if (p < cells && yy >= 0 && yy < a.s.rows && xx >= 0 && xx < a.s.cols) board_ok[t] |= 1 << i;
        }
    }
    const uint32_t my_cell =
        (uint32_t)(halo + wn * WN + (lane & 7) + (lane >> 4) * 8) * 16 + (uint32_t)(((lane >> 3) & 1) * span * 16);
    float acc[4][NT][4] = {};
    const int chunks = a.cin / 32, m0 = blockIdx.y * MW + wm; // in 64 channels
    const uint4 *w = (const uint4 *)a.w + (size_t)m0 * 4 * 32 + lane;
    const size_t w_step = (size_t)conv_tiles(a.cout) * 4 * 32; // 16 bytes between steps of 16 inputs
    load_chunk(a, buf, 0, p0 - halo, span, cells);
    for (int c = 0; c < chunks; c++) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (c + 1 < chunks) load_chunk(a, buf + ((c + 1) & 1) * bytes, c + 1, p0 - halo, span, cells);
        const uint32_t at = buf + (c & 1) * bytes + my_cell;
        const uint4 *wc = w + (size_t)c * 18 * w_step;
#pragma unroll 1
        for (int i = 0; i < 9; i++) {
            const int shift = ((i / 3 - 1) * a.s.cols + i % 3 - 1) * 16;
#pragma unroll
            for (int k = 0; k < 2; k++) {
                uint4 f[4];
#pragma unroll
                for (int m = 0; m < 4; m++) f[m] = __ldg(wc + (size_t)(i * 2 + k) * w_step + m * 32);
#pragma unroll
                for (int t = 0; t < NT / 2; t++) {
                    uint32_t b[4];
                    uint32_t from = at + (uint32_t)(t * 256 + shift + k * 2 * span * 16);
                    load_matrix4(b, (board_ok[t] >> i & 1) ? from : zero);
#pragma unroll
                    for (int m = 0; m < 4; m++) {
                        const uint32_t aa[4] = {f[m].x, f[m].y, f[m].z, f[m].w};
                        mma16816(acc[m][2 * t], aa, b[0], b[1]);
                        mma16816(acc[m][2 * t + 1], aa, b[2], b[3]);
                    }
                }
            }
        }
    }
    __syncthreads();
    // through shared memory, so that whole cells are written
    __nv_bfloat16 *out = (__nv_bfloat16 *)sm;
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
        for (int t = 0; t < NT; t++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int ch = wm * 64 + m * 16 + (lane >> 2) + (e >> 1) * 8, p = wn * WN + t * 8 + (lane & 3) * 2 + (e & 1);
                float v = acc[m][t][e];
                if (a.bias != nullptr && m0 * 64 + m * 16 < a.cout) v += __ldg(a.bias + (m0 - wm) * 64 + ch);
                out[p * LD + ch] = __float2bfloat16(v);
            }
    __syncthreads();
    for (int i = threadIdx.x; i < CONV_POS * MW * 8; i += CONV_THREADS) {
        int p = i % CONV_POS, plane = i / CONV_POS, to = (int)blockIdx.y * MW * 8 + plane;
        if (p0 + p >= cells || to * 8 >= a.cout) continue;
        uint4 v = *(uint4 *)(out + p * LD + plane * 8);
        const size_t at = (size_t)to * cells + p0 + p;
        uint32_t *u = (uint32_t *)&v;
        uint4 res = a.res != nullptr ? ((const uint4 *)a.res)[at] : make_uint4(0, 0, 0, 0);
        const uint32_t *q = (const uint32_t *)&res;
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float lo = bf16_lo(u[e]) + bf16_lo(q[e]), hi = bf16_hi(u[e]) + bf16_hi(q[e]);
            u[e] = a.relu ? pack_relu(lo, hi) : pack_bf16(lo, hi);
        }
        ((uint4 *)a.y)[at] = v;
    }
}

template <int MW> static int conv_launch(const conv_args *a, void *stream)
{
    const int span = CONV_POS + 2 * (a->s.cols + 1);
    int in = 16 + 2 * 4 * span * 16, out = CONV_POS * conv_smem<MW>::LD * 2, smem = in > out ? in : out;
    int e = allow_smem<conv_kernel<MW>>();
    if (e != 0) return e;
    const long cells = (long)a->s.n * a->s.rows * a->s.cols;
    dim3 grid((unsigned)((cells + CONV_POS - 1) / CONV_POS), (unsigned)((a->cout + 64 * MW - 1) / (64 * MW)));
    return launch_early(conv_kernel<MW>, grid, CONV_THREADS, smem, stream, *a);
}

extern "C" int layers_conv(const conv_args *a, void *stream)
{
    return a->cout > 64 ? conv_launch<2>(a, stream) : conv_launch<1>(a, stream);
}

// --- the heads' filters: a warp a cell group, channels in registers

__global__ void filters_kernel(board_shape s, int channels, const uint16_t *x, const float *w, const float *bias,
                               int filters, int normed, uint16_t *flat)
{
    const int hw = s.rows * s.cols, padded = (channels + 31) / 32 * 32;
    const size_t cells = (size_t)s.n * hw, cell = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int f = blockIdx.y;
    if (cell >= cells) return;
    float sum = 0;
    for (int p = 0; p < padded / 8; p++) {
        uint4 v = ((const uint4 *)x)[p * cells + cell];
        const uint32_t *u = (const uint32_t *)&v;
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int c = p * 8 + 2 * e;
            if (c < channels) sum += bf16_lo(u[e]) * __ldg(w + (size_t)f * channels + c);
            if (c + 1 < channels) sum += bf16_hi(u[e]) * __ldg(w + (size_t)f * channels + c + 1);
        }
    }
    if (bias != nullptr) sum += bias[f];
    if (f < normed) sum = fmaxf(sum, 0.f);
    ((__nv_bfloat16 *)flat)[((cell / hw) * filters + f) * hw + cell % hw] = __float2bfloat16(sum);
}

extern "C" int layers_filters(board_shape s, int channels, const uint16_t *x, const float *w, const float *bias,
                              int filters, int normed, uint16_t *flat, void *stream)
{
    size_t cells = (size_t)s.n * s.rows * s.cols;
    dim3 grid((unsigned)((cells + 127) / 128), (unsigned)filters);
    filters_kernel<<<grid, 128, 0, (cudaStream_t)stream>>>(s, channels, x, w, bias, filters, normed, flat);
    return (int)cudaGetLastError();
}

// --- squeeze-excitation: a block a board

__global__ void __launch_bounds__(256) squeeze_kernel(const squeeze_args a)
{
    extern __shared__ float f[]; // mean[padded], hidden[hidden], gate[padded]
    float *mean = f, *hidden = mean + a.padded, *gate = hidden + a.hidden;
    const int hw = a.s.rows * a.s.cols, board = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t cells = (size_t)a.s.n * hw;
    const uint4 *z = (const uint4 *)a.z + (size_t)board * hw, *x = (const uint4 *)a.x + (size_t)board * hw;
    for (int p = warp; p < a.padded / 8; p += 8) {
        float sum[8] = {};
        for (int q = lane; q < hw; q += 32) {
            uint4 v = z[p * cells + q];
            const uint32_t *u = (const uint32_t *)&v;
            for (int e = 0; e < 4; e++) sum[2 * e] += bf16_lo(u[e]), sum[2 * e + 1] += bf16_hi(u[e]);
        }
        for (int e = 0; e < 8; e++) {
            float t = warp_sum(sum[e]);
            if (lane == 0) mean[p * 8 + e] = t / (float)hw;
        }
    }
    __syncthreads();
    for (int h = warp; h < a.hidden; h += 8) {
        float sum = 0;
        for (int c = lane; c < a.channels; c += 32) sum += a.w1[h * a.channels + c] * mean[c];
        sum = warp_sum(sum);
        if (lane == 0) hidden[h] = fmaxf(sum + a.b1[h], 0.f);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < a.padded; c += 256) {
        float sum = c < a.channels ? a.b2[c] : 0;
        for (int h = 0; h < a.hidden && c < a.channels; h++) sum += a.w2[c * a.hidden + h] * hidden[h];
        gate[c] = 1.f / (1.f + __expf(-sum));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < a.padded / 8 * hw; i += 256) {
        int p = i / hw, q = i % hw;
        uint4 v = z[p * cells + q], r = x[p * cells + q];
        uint32_t *u = (uint32_t *)&v;
        const uint32_t *t = (const uint32_t *)&r;
        for (int e = 0; e < 4; e++)
            u[e] = pack_relu(bf16_lo(u[e]) * gate[p * 8 + 2 * e] + bf16_lo(t[e]),
                             bf16_hi(u[e]) * gate[p * 8 + 2 * e + 1] + bf16_hi(t[e]));
        ((uint4 *)a.y)[(size_t)board * hw + p * cells + q] = v;
    }
}

extern "C" int layers_squeeze(const squeeze_args *a, void *stream)
{
    size_t smem = (size_t)(2 * a->padded + a->hidden) * sizeof(float);
    squeeze_kernel<<<(unsigned)a->s.n, 256, smem, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}
