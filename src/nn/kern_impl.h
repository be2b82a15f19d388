// The kernels' source, compiled once an instruction set: kern_scalar.c, kern_avx2.c and kern_avx512.c include it, and
// kern_back.h for training.
//
// NN_SMALL 1: inference only, for a build that is downloaded. It has no kern_back.h and none of its tile sizes, and its
// outputs ask once per number what others know before the loop.
//
// Functions with constant arguments are always inlined, so each tile size becomes straight code. Winograd works on a chunk of
// boards: V[places][tiles][cin] = transformed input, M[places][tiles][64] = products of 64 output channels, with 64 bytes
// between places so that they do not share cache sets. A tile's rows and columns count tr and tc going in, two less coming out.
#include "nn/kern.h"
#include "nn/kern_gemm.h"
#include "nn/kern_norm.h"
#include "nn/kern_wino.h"

#if !defined(NN_SMALL)
#define NN_SMALL 0
#endif

enum { PAD = NN_LANES };

// --- Winograd

// x: the tile's corner in a block with a border of zeros, `row` floats per row
INLINE void input_tile(int tr, int tc, const float *x, size_t row, float *v, size_t stride)
{
    vf d[10], e[60], o[7];
    UNROLL(7)
    for (int j = 0; j < tc; j++) {
        UNROLL(10)
        for (int i = 0; i < tr; i++) d[i] = v_load(x + (size_t)i * row + (size_t)(j * NN_LANES));
        wino_bt(tr, d, 1, e + j, tc);
    }
    UNROLL(10)
    for (int i = 0; i < tr; i++) {
        wino_bt(tc, e + i * tc, 1, o, 1);
        UNROLL(7)
        for (int j = 0; j < tc; j++) {
            v_store(v + (size_t)(i * tc + j) * stride, o[j]);
            __builtin_prefetch(v + (size_t)(i * tc + j) * stride + NN_LANES, 1);
        }
    }
}

INLINE void output_tile(int tr, int tc, const float *mp, size_t stride, const int32_t *to, vf bias, const float *res,
                        bool relu, float *y)
{
    vf a[10], e[40], o[32];
    int mr = tr - 2, mc = tc - 2;
    UNROLL(10)
    for (int i = 0; i < tr; i++) {
        UNROLL(7)
        for (int j = 0; j < tc; j++) a[j] = v_load(mp + (size_t)(i * tc + j) * stride);
        wino_at(tc, a, 1, e + i * mc, 1);
    }
    UNROLL(5)
    for (int j = 0; j < mc; j++) wino_at(tr, e + j, mc, o + j, mc);
    UNROLL(32)
    for (int k = 0; k < mr * mc; k++) {
        if (to[k] < 0) continue;
        vf r = v_add(o[k], bias);
        if (res != NULL) r = v_add(r, v_load(res + to[k]));
        if (relu) r = v_max(r, v_zero());
        v_store(y + to[k], r);
    }
}

// Places of V or of transformed gradients lie this far apart.
static size_t place_stride(const conv3 *c, int n, int channels)
{
    return (size_t)n * (size_t)c->tiles * (size_t)channels + PAD;
}

// One row of a block into its copy with a border of zeros.
static void take_row(float *to, const float *x, size_t line, const nn_norm *in, size_t channel)
{
    if (in == NULL) { // a loop: rows are too short for a call of memcpy
        for (size_t p = 0; p < line; p += VW) v_store(to + p, v_load(x + p));
        return;
    }
    for (size_t s = 0; s < NN_LANES; s += VW) {
        vf g = v_load(in->scale + channel + s), h = v_load(in->shift + channel + s);
        for (size_t p = s; p < line; p += NN_LANES) v_store(to + p, v_max(v_fma(v_load(x + p), g, h), v_zero()));
    }
}

// `pad` holds one block with a border of zeros, so that no load asks whether its square exists: conv3_border floats.
INLINE void inputs_of(int tr, int tc, const conv3 *c, int n, const float *x, const nn_norm *in, float *V, float *pad)
{
    size_t stride = place_stride(c, n, c->cin), cb = (size_t)c->cin / NN_LANES, mr = (size_t)tr - 2,
           mc = (size_t)tc - 2;
    size_t line = (size_t)c->cols * NN_LANES, row = ((size_t)c->across * mc + 2) * NN_LANES;
    memset(pad, 0, conv3_border(c) * sizeof *pad);
    for (int i = 0; i < n; i++)
        for (size_t b = 0; b < cb; b++) {
            for (size_t r = 0; r < (size_t)c->rows; r++, x += line)
                take_row(pad + (r + 1) * row + NN_LANES, x, line, in, b * NN_LANES);
            for (int k = 0; k < c->tiles; k++) {
                // the next block is a page further, where the processor's own foresight ends
                for (int q = k * c->hw / c->tiles; q < (k + 1) * c->hw / c->tiles; q++)
                    __builtin_prefetch(x + (size_t)q * NN_LANES);
                for (size_t s = 0; s < NN_LANES; s += VW)
                    input_tile(tr, tc,
                               pad + (size_t)(k / c->across) * mr * row + (size_t)(k % c->across) * mc * NN_LANES + s,
                               row, V + (size_t)(i * c->tiles + k) * (size_t)c->cin + b * NN_LANES + s, stride);
            }
        }
}

typedef struct epilogue {
    const float *bias, *res;
    bool relu;
    float *y;
} epilogue;

// Channels o0 … o0+width-1 of n boards, from M.
INLINE void outputs_of(int tr, int tc, const conv3 *c, int n, const float *M, int o0, int width, const epilogue *e,
                       bool relu, bool has_res)
{
    size_t stride = (size_t)n * (size_t)c->tiles * (size_t)width + PAD, block = (size_t)c->hw * NN_LANES;
    for (int i = 0; i < n; i++)
        for (int b = 0; b < width / NN_LANES; b++) {
            size_t at = ((size_t)i * (size_t)(c->cout / NN_LANES) + (size_t)(o0 / NN_LANES + b)) * block;
            for (int k = 0; k < c->tiles; k++)
                for (size_t s = 0; s < NN_LANES; s += VW) {
                    vf bias = e->bias == NULL ? v_zero() : v_load(e->bias + (size_t)(o0 + b * NN_LANES) + s);
                    output_tile(tr, tc, M + (size_t)(i * c->tiles + k) * (size_t)width + (size_t)(b * NN_LANES) + s,
                                stride, c->to + k * (tr - 2) * (tc - 2), bias, has_res ? e->res + at + s : NULL, relu,
                                e->y + at + s);
                }
        }
}

#define FOR_TILES(c, call)                                                                                             \
    do {                                                                                                               \
        if ((c)->method == NN_F2)                                                                                      \
            call(4, 4);                                                                                                \
        else if ((c)->method == NN_F4)                                                                                 \
            call(6, 6);                                                                                                \
        else if ((c)->method == NN_F5)                                                                                 \
            call(7, 7);                                                                                                \
        else if (!NN_SMALL)                                                                                            \
            call(10, 6);                                                                                               \
    } while (0)

static __attribute__((noinline)) void inputs(const conv3 *c, int n, const float *x, const nn_norm *in, float *V,
                                             float *pad)
{
#define CALL(tr, tc) inputs_of(tr, tc, c, n, x, in, V, pad)
    FOR_TILES(c, CALL);
#undef CALL
}

static __attribute__((noinline)) void outputs(const conv3 *c, int n, const float *M, int o0, int width,
                                              const epilogue *e)
{
#define CALL(tr, tc)                                                                                                   \
    do {                                                                                                               \
        if (NN_SMALL)                                                                                                  \
            outputs_of(tr, tc, c, n, M, o0, width, e, e->relu, e->res != NULL);                                        \
        else if (e->res != NULL && e->relu)                                                                            \
            outputs_of(tr, tc, c, n, M, o0, width, e, true, true);                                                     \
        else if (e->res != NULL)                                                                                       \
            outputs_of(tr, tc, c, n, M, o0, width, e, false, true);                                                    \
        else if (e->relu)                                                                                              \
            outputs_of(tr, tc, c, n, M, o0, width, e, true, false);                                                    \
        else                                                                                                           \
            outputs_of(tr, tc, c, n, M, o0, width, e, false, false);                                                   \
    } while (0)
    FOR_TILES(c, CALL);
#undef CALL
}

static int group_width(const conv3 *c, int o0)
{
    return c->cout - o0 < NN_GROUP ? c->cout - o0 : NN_GROUP;
}

// Packed weights: [cout/64][places][cin][64], a line between places for the cache sets' sake, see conv3_init.
static size_t packed_stride(const conv3 *c, int o0)
{
    return (size_t)c->cin * (size_t)group_width(c, o0) + PAD;
}

static size_t packed_at(const conv3 *c, int o0, int place)
{
    return (size_t)c->places * ((size_t)c->cin * (size_t)o0 + (size_t)(o0 / NN_GROUP) * PAD) +
           (size_t)place * packed_stride(c, o0);
}

static void conv_wino(const conv3 *c, int n, const float *x, const nn_norm *in, const float *packed, const epilogue *e,
                      float *scratch)
{
    int tiles = n * c->tiles, places = c->places;
    size_t stride = place_stride(c, n, c->cin), cin = (size_t)c->cin;
    float *V = scratch + conv3_border(c), *M = V + (size_t)places * stride;
    inputs(c, n, x, in, V, scratch);
    for (int o0 = 0; o0 < c->cout; o0 += NN_GROUP) {
        int width = group_width(c, o0);
        size_t ms = (size_t)tiles * (size_t)width + PAD;
        for (int p = 0; p < places; p++) {
            const float *v = V + (size_t)p * stride, *u = packed + packed_at(c, o0, p);
            bool last = p + 1 == places; // then the next group is next, or the next chunk of boards
            ahead f = {{last && o0 + width == c->cout ? packed : u + packed_stride(c, o0), last ? V : v + stride},
                       {cin * (size_t)width / 16, (size_t)tiles * cin / 16}};
            gemm_ahead(tiles, width, c->cin, v, cin, 1, u, (size_t)width, M + (size_t)p * ms, (size_t)width, false,
                       tiles < 24 ? NULL : &f); // with few panels it does not pay
        }
        outputs(c, n, M, o0, width, e);
    }
}

// --- weights: 16 output channels at a time through a small transposed copy

static const float *g_row(int t, int i)
{
    return t == 4 ? wino_g4[i] : t == 6 ? wino_g6[i] : t == 7 ? wino_g7[i] : wino_g10[i];
}

// taps[9][16] of input channel i and output channels o0 …, zero beyond the real channels.
static void take_taps(const float *w, int n_out, int n_in, const float *scale, bool turned, int i, int o0,
                      float taps[9][NN_LANES])
{
    int real_in = turned ? n_out : n_in, real_out = turned ? n_in : n_out;
    memset(taps, 0, 9 * sizeof taps[0]);
    if (i >= real_in) return;
    for (int l = 0; l < NN_LANES && o0 + l < real_out; l++) {
        size_t row = turned ? (size_t)i * (size_t)n_in + (size_t)(o0 + l) : (size_t)(o0 + l) * (size_t)n_in + (size_t)i;
        const float *src = w + row * 9;
        float s = scale == NULL ? 1 : scale[turned ? i : o0 + l];
        for (int k = 0; k < 9; k++) taps[k][l] = s * src[turned ? 8 - k : k];
    }
}

// Direct: [cout/32][cin][9][32], the last group 16 wide where cout is an odd number of blocks.
static size_t direct_at(const conv3 *c, int i, int o0)
{
    int group = o0 / 32 * 32, width = c->cout - group < 32 ? 16 : 32;
    return (size_t)group * (size_t)c->cin * 9 + (size_t)i * 9 * (size_t)width + (size_t)(o0 - group);
}

// u[tr*tc] = G taps G^T, places `stride` floats apart
INLINE void pack_taps(int tr, int tc, float taps[9][NN_LANES], float *u, size_t stride)
{
    for (size_t s = 0; s < NN_LANES; s += VW) {
        vf e[10][3];
        UNROLL(10)
        for (int a = 0; a < tr; a++) {
            const float *g = g_row(tr, a);
            UNROLL(3)
            for (int k = 0; k < 3; k++)
                e[a][k] =
                    v_fma(v_set(g[0]), v_load(taps[k] + s),
                          v_fma(v_set(g[1]), v_load(taps[3 + k] + s), v_mul(v_set(g[2]), v_load(taps[6 + k] + s))));
        }
        UNROLL(7)
        for (int b = 0; b < tc; b++) {
            const float *g = g_row(tc, b);
            UNROLL(10)
            for (int a = 0; a < tr; a++)
                v_store(u + (size_t)(a * tc + b) * stride + s,
                        v_fma(v_set(g[0]), e[a][0], v_fma(v_set(g[1]), e[a][1], v_mul(v_set(g[2]), e[a][2]))));
        }
    }
}

static void pack(const conv3 *c, const float *w, int n_out, int n_in, const float *scale, bool turned, int i0, int i1,
                 float *packed)
{
    float taps[9][NN_LANES];
    for (int group = 0; group < c->cout; group += NN_GROUP)
        for (int i = i0; i < i1 && i < c->cin; i++)
            for (int o0 = group; o0 < group + group_width(c, group); o0 += NN_LANES) {
                take_taps(w, n_out, n_in, scale, turned, i, o0, taps);
                if (c->method == NN_DIRECT) {
                    size_t width = c->cout - o0 / 32 * 32 < 32 ? 16 : 32;
                    for (size_t k = 0; k < 9; k++)
                        memcpy(packed + direct_at(c, i, o0) + k * width, taps[k], sizeof taps[k]);
                    continue;
                }
                size_t width = (size_t)group_width(c, group);
                float *u = packed + packed_at(c, group, 0) + (size_t)i * width + (size_t)(o0 - group);
                if (NN_SMALL) { // once per network: loops are fast enough
                    pack_taps(c->mr + 2, c->mc + 2, taps, u, packed_stride(c, group));
                    continue;
                }
#define CALL(tr, tc) pack_taps(tr, tc, taps, u, packed_stride(c, group))
                FOR_TILES(c, CALL);
#undef CALL
            }
}

// --- direct convolution: rows of up to 6 squares x 2 vectors, from a copy of the block with a border of zeros

INLINE void direct_row(int P, int NV, const float *xp, size_t row, const float *w, size_t width, float *y, size_t block)
{
    vf a[6][2];
    UNROLL(6)
    for (int i = 0; i < P; i++) {
        UNROLL(2)
        for (int j = 0; j < NV; j++)
            a[i][j] =
                v_load(y + (size_t)i * NN_LANES + (size_t)(j * VW / NN_LANES) * block + (size_t)(j * VW % NN_LANES));
    }
    for (size_t ci = 0; ci < NN_LANES; ci++)
        for (size_t k = 0; k < 9; k++) {
            vf b[2];
            UNROLL(2)
            for (int j = 0; j < NV; j++) b[j] = v_load(w + (ci * 9 + k) * width + (size_t)(j * VW));
            UNROLL(6)
            for (int i = 0; i < P; i++) {
                vf x = v_set(xp[k / 3 * row + (k % 3 + (size_t)i) * NN_LANES + ci]);
                UNROLL(2)
                for (int j = 0; j < NV; j++) a[i][j] = v_fma(x, b[j], a[i][j]);
            }
        }
    UNROLL(6)
    for (int i = 0; i < P; i++) {
        UNROLL(2)
        for (int j = 0; j < NV; j++)
            v_store(y + (size_t)i * NN_LANES + (size_t)(j * VW / NN_LANES) * block + (size_t)(j * VW % NN_LANES),
                    a[i][j]);
    }
}

INLINE void direct_rows(int NV, const conv3 *c, const float *xp, const float *w, size_t width, float *y)
{
    size_t row = (size_t)(c->cols + 2) * NN_LANES, block = (size_t)c->hw * NN_LANES;
    for (int r = 0; r < c->rows; r++)
        for (int q = 0; q < c->cols;) {
            const float *x = xp + (size_t)r * row + (size_t)q * NN_LANES;
            float *o = y + (size_t)(r * c->cols + q) * NN_LANES;
            int left = c->cols - q, step = left >= 6 ? (left == 8 ? 4 : 6) : left;
            if (step == 6)
                direct_row(6, NV, x, row, w, width, o, block);
            else if (step == 5)
                direct_row(5, NV, x, row, w, width, o, block);
            else if (step == 4)
                direct_row(4, NV, x, row, w, width, o, block);
            else if (step == 3)
                direct_row(3, NV, x, row, w, width, o, block);
            else if (step == 2)
                direct_row(2, NV, x, row, w, width, o, block);
            else
                direct_row(1, NV, x, row, w, width, o, block);
            q += step;
        }
}

static void direct_block(const conv3 *c, int i0, const float *xp, const float *packed, float *y)
{
    size_t block = (size_t)c->hw * NN_LANES;
    for (int o0 = 0; o0 < c->cout;) {
        size_t width = c->cout - o0 < 32 ? 16 : 32;
        const float *w = packed + direct_at(c, i0, o0);
        for (size_t s = 0; s < width;) {
            float *o = y + ((size_t)o0 + s) / NN_LANES * block + ((size_t)o0 + s) % NN_LANES;
            if (width - s >= 2 * VW)
                direct_rows(2, c, xp, w + s, width, o), s += 2 * VW;
            else
                direct_rows(1, c, xp, w + s, width, o), s += VW;
        }
        o0 += (int)width;
    }
}

static void conv_direct(const conv3 *c, int n, const float *x, const nn_norm *in, const float *packed,
                        const epilogue *e, float *xp)
{
    size_t block = (size_t)c->hw * NN_LANES, row = (size_t)(c->cols + 2) * NN_LANES;
    int cb = c->cin / NN_LANES, ob = c->cout / NN_LANES;
    memset(xp, 0, (size_t)(c->rows + 2) * row * sizeof *xp);
    for (int i = 0; i < n; i++) {
        float *y = e->y + (size_t)(i * ob) * block;
        for (int b = 0; b < ob; b++)
            for (size_t p = 0; p < block; p += VW) {
                size_t at = (size_t)b * block + p;
                vf v = e->bias == NULL ? v_zero() : v_load(e->bias + (size_t)b * NN_LANES + p % NN_LANES);
                if (e->res != NULL) v = v_add(v, v_load(e->res + (size_t)(i * ob) * block + at));
                v_store(y + at, v);
            }
        for (int b = 0; b < cb; b++) {
            const float *src = x + (size_t)(i * cb + b) * block;
            for (int r = 0; r < c->rows; r++)
                take_row(xp + (size_t)(r + 1) * row + NN_LANES, src + (size_t)(r * c->cols) * NN_LANES,
                         (size_t)c->cols * NN_LANES, in, (size_t)b * NN_LANES);
            direct_block(c, b * NN_LANES, xp, packed, y);
        }
        if (!e->relu) continue;
        for (size_t p = 0; p < (size_t)ob * block; p += VW) v_store(y + p, v_max(v_load(y + p), v_zero()));
    }
}

static void conv(const conv3 *c, int n, const float *x, const nn_norm *in, const float *packed, const float *bias,
                 const float *res, bool relu, float *y, float *scratch)
{
    epilogue e = {bias, res, relu, y};
    if (c->method == NN_DIRECT)
        conv_direct(c, n, x, in, packed, &e, scratch);
    else
        conv_wino(c, n, x, in, packed, &e, scratch);
}

// The columns that inference uses; kern_back.h adds those of training.
#define KERN_INFER(text) .name = text, .gemm = gemm, .pack = pack, .conv = conv, .sums = sums, .affine = affine
