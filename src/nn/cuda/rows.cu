// See rows.h.
#include "nn/cuda/mma.cuh"
#include "nn/cuda/rows.h"

#include <cuda_runtime.h>

enum { POLICY, VALUE, SCALAR, BOARD, DUEL }; // nn_kind's order, which a C++ file cannot include
enum { WARPS = 8, THREADS = 32 * WARPS };

// x[16*R][k32*32] * w^T: this warp's tiles of 8 outputs, two at a time.
template <int R>
DEV void run_layer(const rows_args &a, const rows_layer &l, __nv_bfloat16 *x, float *y, int warp, int lane)
{
    const uint4 *w = (const uint4 *)a.w + l.w + lane;
    for (int t0 = warp * 2; t0 < l.n8; t0 += WARPS * 2) {
        float acc[2][R][4] = {};
        const int two = t0 + 1 < l.n8 ? 1 : 0;
        const uint4 *w0 = w + (size_t)t0 * l.k32 * 32, *w1 = w0 + (size_t)(two * l.k32 * 32);
        const uint32_t at = smem_at(x + l.src) + (uint32_t)(((lane & 15) * a.x_ld + (lane >> 4) * 8) * 2);
#pragma unroll 4
        for (int k = 0; k < l.k32; k++) {
            uint4 b0 = __ldg(w0 + (size_t)k * 32), b1 = __ldg(w1 + (size_t)k * 32);
#pragma unroll
            for (int r = 0; r < R; r++) {
                uint32_t f[4];
                const uint32_t from = at + (uint32_t)((r * 16 * a.x_ld + k * 32) * 2);
                load_matrix4(f, from);
                mma16816(acc[0][r], f, b0.x, b0.y), mma16816(acc[1][r], f, b1.x, b1.y);
                load_matrix4(f, from + 32);
                mma16816(acc[0][r], f, b0.z, b0.w), mma16816(acc[1][r], f, b1.z, b1.w);
            }
        }
#pragma unroll
        for (int t = 0; t < 2; t++)
#pragma unroll
            for (int r = 0; r < R; r++)
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    int col = (t0 + t) * 8 + (lane & 3) * 2 + (e & 1), row = r * 16 + (lane >> 2) + (e >> 1) * 8;
                    if (t > two || col >= l.out) continue;
                    float v = acc[t][r][e] + __ldg(a.b + l.b + col);
                    if (l.relu)
                        x[row * a.x_ld + l.dst + col] = __float2bfloat16(fmaxf(v, 0.f));
                    else
                        y[row * a.y_ld + l.dst + col] = v;
                }
    }
}

DEV void load_rows(const rows_args &a, __nv_bfloat16 *x, int first, int rows)
{
    for (int i = threadIdx.x; i < rows * a.x_ld / 8; i += THREADS) ((uint4 *)x)[i] = make_uint4(0, 0, 0, 0);
    wait_for_last();
    __syncthreads();
    if (a.flat != nullptr) {
        const __nv_bfloat16 *flat = (const __nv_bfloat16 *)a.flat;
        for (int p = 0; p < a.n_pieces; p++) {
            const int size = a.piece[p].size;
            for (int i = threadIdx.x; i < rows * size; i += THREADS) {
                int r = i / size, k = i % size;
                if (first + r < a.n)
                    x[r * a.x_ld + a.piece[p].to + k] = flat[(size_t)(first + r) * a.flat_ld + a.piece[p].from + k];
            }
        }
        return;
    }
    const int bits = a.planes * a.hw;
    for (int i = threadIdx.x; i < rows * (bits + a.n_scalars); i += THREADS) {
        int r = i / (bits + a.n_scalars), k = i % (bits + a.n_scalars), row = first + r;
        if (row >= a.n) continue;
        float v;
        if (k < bits) {
            int plane = k / a.hw, sq = k % a.hw;
            v = (float)(a.bits[((size_t)row * a.planes + plane) * a.words + sq / 64] >> (sq & 63) & 1);
        } else {
            v = a.scalars[(size_t)row * a.n_scalars + k - bits];
        }
        x[r * a.x_ld + k] = __float2bfloat16(v);
    }
}

// What a head's numbers become: tanh, or Q = V + A - mean(A). One warp a row.
DEV void end_head(const rows_head &h, const __nv_bfloat16 *x, float *y, int lane)
{
    y += h.y_at;
    if (h.kind == VALUE)
        for (int k = lane; k < h.size; k += 32) y[k] = tanhf(y[k]);
    if (h.kind == BOARD)
        for (int k = lane; k < h.size; k += 32) y[k] = tanhf(__bfloat162float(x[h.flat + k]));
    if (h.kind == DUEL) {
        const int actions = h.size / h.atoms;
        for (int k = 0; k < h.atoms; k++) {
            float sum = 0;
            for (int j = lane; j < actions; j += 32) sum += y[j * h.atoms + k];
            sum = warp_sum(sum);
            const float base = y[h.size + k] - sum / (float)actions;
            for (int j = lane; j < actions; j += 32) y[j * h.atoms + k] += base;
        }
    }
    __syncwarp();
}

DEV float move_logit(const rows_args &a, const float *y, uint32_t m)
{
    float l = 0;
    for (int h = 0, k = 0; h < a.n_heads; h++)
        if (a.head[h].kind == POLICY) l += y[a.head[h].y_at + a.index[(size_t)m * a.n_policy + k++]];
    return l;
}

DEV void priors(const rows_args &a, const float *y, int row, int lane)
{
    const uint32_t first = a.start[row], end = a.start[row + 1];
    float high = -INFINITY, sum = 0;
    for (uint32_t m = first + lane; m < end; m += 32) high = fmaxf(high, move_logit(a, y, m));
    high = warp_max(high);
    for (uint32_t m = first + lane; m < end; m += 32) sum += __expf(move_logit(a, y, m) - high);
    sum = 1.f / warp_sum(sum);
    for (uint32_t m = first + lane; m < end; m += 32) a.prior[m] = __expf(move_logit(a, y, m) - high) * sum;
    int at = 0;
    for (int h = 0; h < a.n_heads; h++) {
        const rows_head &q = a.head[h];
        if (q.kind == POLICY) continue;
        for (int k = lane; k < q.size; k += 32) a.rest[(size_t)row * a.rest_size + at + k] = y[q.y_at + k];
        at += q.size;
    }
}

template <int R> __global__ void __launch_bounds__(THREADS) rows_kernel(const __grid_constant__ rows_args a)
{
    extern __shared__ __align__(16) uint8_t sm[];
    __nv_bfloat16 *x = (__nv_bfloat16 *)sm;
    float *y = (float *)(sm + (size_t)16 * R * a.x_ld * 2);
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, first = blockIdx.x * 16 * R;
    load_rows(a, x, first, 16 * R);
    __syncthreads();
    for (int l = 0; l < a.n_layers; l++) {
        run_layer<R>(a, a.layer[l], x, y, warp, lane);
        // heads' last layers write y only, so the next layer may start at once
        if (a.layer[l].relu || l + 1 == a.n_layers) __syncthreads();
    }
    for (int r = warp; r < 16 * R && first + r < a.n; r += WARPS) {
        float *row = y + r * a.y_ld;
        for (int h = 0; h < a.n_heads; h++) {
            const rows_head &q = a.head[h];
            end_head(q, x + r * a.x_ld, row, lane);
            if (a.out != nullptr)
                for (int k = lane; k < q.size; k += 32)
                    a.out[(size_t)(first + r) * a.out_size + q.out + k] = row[q.y_at + k];
        }
        if (a.start != nullptr) priors(a, row, first + r, lane);
    }
    if (a.flag == nullptr) return;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *(volatile uint32_t *)a.flag = a.flag_value;
}

extern "C" int rows_smem(const rows_args *a, int rows)
{
    return rows * (a->x_ld * 2 + a->y_ld * 4);
}

template <int R> static int launch(const rows_args *a, void *stream)
{
    int smem = rows_smem(a, 16 * R);
    int e = allow_smem<rows_kernel<R>>();
    if (e != 0) return e;
    const dim3 grid((unsigned)(a->n + 16 * R - 1) / (16 * R));
    if (a->early) return launch_early(rows_kernel<R>, grid, THREADS, smem, stream, *a);
    rows_kernel<R><<<grid, THREADS, (size_t)smem, (cudaStream_t)stream>>>(*a);
    return (int)cudaGetLastError();
}

extern "C" int rows_run(const rows_args *a, int rows, void *stream)
{
    return rows == 64 ? launch<4>(a, stream) : rows == 32 ? launch<2>(a, stream) : launch<1>(a, stream);
}
