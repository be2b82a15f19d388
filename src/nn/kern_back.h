// What the kernels need for training beyond kern_impl.h, which a file includes first: weight gradients in the Winograd domain,
// batch-norm's way back, and Adam.
#ifndef KEIKO_NN_KERN_BACK_H
#define KEIKO_NN_KERN_BACK_H

#include "nn/kern_impl.h"

#include <assert.h>

static const float zeros[NN_LANES] = {0};

// --- weight gradients

INLINE void grad_tile(int tr, int tc, const float *dy, const int32_t *to, float *v, size_t stride)
{
    vf d[8], e[40], o[7];
    int mr = tr - 2, mc = tc - 2;
    UNROLL(5)
    for (int j = 0; j < mc; j++) {
        UNROLL(8)
        for (int i = 0; i < mr; i++) d[i] = v_load(to[i * mc + j] < 0 ? zeros : dy + to[i * mc + j]);
        wino_a(tr, d, 1, e + j, mc);
    }
    UNROLL(10)
    for (int i = 0; i < tr; i++) {
        wino_a(tc, e + i * mc, 1, o, 1);
        UNROLL(7)
        for (int j = 0; j < tc; j++) {
            v_store(v + (size_t)(i * tc + j) * stride, o[j]);
            __builtin_prefetch(v + (size_t)(i * tc + j) * stride + NN_LANES, 1);
        }
    }
}

INLINE void grads_of(int tr, int tc, const conv3 *c, int n, const float *dy, float *D)
{
    size_t stride = place_stride(c, n, c->cout), cb = (size_t)c->cout / NN_LANES, block = (size_t)c->hw * NN_LANES;
    for (int i = 0; i < n; i++)
        for (size_t b = 0; b < cb; b++)
            for (int k = 0; k < c->tiles; k++)
                for (size_t s = 0; s < NN_LANES; s += VW)
                    grad_tile(tr, tc, dy + ((size_t)i * cb + b) * block + s, c->to + k * (tr - 2) * (tc - 2),
                              D + (size_t)(i * c->tiles + k) * (size_t)c->cout + b * NN_LANES + s, stride);
}

static __attribute__((noinline)) void grads(const conv3 *c, int n, const float *dy, float *D)
{
#define CALL(tr, tc) grads_of(tr, tc, c, n, dy, D)
    FOR_TILES(c, CALL);
#undef CALL
}

static void wgrad(const conv3 *c, int n, const float *x, const nn_norm *in, const float *dy, float *dpacked, bool add,
                  float *scratch)
{
    int tiles = n * c->tiles, places = c->places;
    size_t vs = place_stride(c, n, c->cin), ds = place_stride(c, n, c->cout), cin = (size_t)c->cin,
           cout = (size_t)c->cout;
    float *V = scratch + conv3_border(c), *D = V + (size_t)places * vs;
    assert(c->method != NN_DIRECT);
    inputs(c, n, x, in, V, scratch);
    grads(c, n, dy, D);
    for (int p = 0; p < places; p++)
        for (int o0 = 0; o0 < c->cout; o0 += NN_GROUP) {
            size_t width = (size_t)group_width(c, o0);
            const float *v = V + (size_t)p * vs, *d = D + (size_t)p * ds;
            ahead f = {{v + vs, d + ds}, {(size_t)tiles * cin / 16, (size_t)tiles * cout / 16}};
            gemm_ahead(c->cin, (int)width, tiles, v, 1, cin, d + o0, cout, dpacked + packed_at(c, o0, p), width, add,
                       p + 1 < places ? &f : NULL);
        }
}

// One (input channel, 16 output channels): taps = G^T U G.
// The next input channel's numbers lie `row` behind; they are asked for here, since places lie too far apart for the processor
// to foresee.
INLINE void taps_back(int tr, int tc, const float *u, size_t stride, size_t row, float *taps)
{
    for (size_t s = 0; s < NN_LANES; s += VW) {
        vf e[3][7];
        UNROLL(7)
        for (int b = 0; b < tc; b++) {
            vf sum[3] = {v_zero(), v_zero(), v_zero()};
            UNROLL(10)
            for (int a = 0; a < tr; a++) {
                const float *place = u + (size_t)(a * tc + b) * stride + s;
                vf q = v_load(place);
                __builtin_prefetch(place + row);
                UNROLL(3)
                for (int k = 0; k < 3; k++) sum[k] = v_fma(v_set(g_row(tr, a)[k]), q, sum[k]);
            }
            UNROLL(3)
            for (int k = 0; k < 3; k++) e[k][b] = sum[k];
        }
        UNROLL(9)
        for (int k = 0; k < 9; k++) {
            vf sum = v_zero();
            UNROLL(7)
            for (int b = 0; b < tc; b++) sum = v_fma(v_set(g_row(tc, b)[k % 3]), e[k / 3][b], sum);
            v_store(taps + (size_t)k * NN_LANES + s, sum);
        }
    }
}

static void grad_taps(const conv3 *c, const float *dpacked, float *taps)
{
    for (int i = 0; i < c->cin; i++)
        for (int o0 = 0; o0 < c->cout; o0 += NN_LANES, taps += 9 * NN_LANES) {
            int group = o0 / NN_GROUP * NN_GROUP;
            size_t width = (size_t)group_width(c, group);
            const float *u = dpacked + packed_at(c, group, 0) + (size_t)i * width + (size_t)(o0 - group);
#define CALL(tr, tc) taps_back(tr, tc, u, packed_stride(c, group), width, taps)
            FOR_TILES(c, CALL);
#undef CALL
        }
}

static void sum_taps(const conv3 *c, const float *const *parts, int n_parts, int n_out, int n_in, int i0, int i1,
                     float *dw)
{
    for (int i = i0; i < i1 && i < n_in; i++)
        for (int o0 = 0; o0 < n_out; o0 += NN_LANES) {
            size_t at = ((size_t)i * (size_t)c->cout + (size_t)o0) * 9;
            float taps[9 * NN_LANES];
            for (size_t k = 0; k < 9 * NN_LANES; k += VW) {
                vf sum = v_load(parts[0] + at + k);
                for (int p = 1; p < n_parts; p++) sum = v_add(sum, v_load(parts[p] + at + k));
                v_store(taps + k, sum);
            }
            for (int l = 0; l < NN_LANES && o0 + l < n_out; l++)
                for (int k = 0; k < 9; k++)
                    dw[((size_t)(o0 + l) * (size_t)n_in + (size_t)i) * 9 + (size_t)k] = taps[k * NN_LANES + l];
        }
}

// --- batch-norm

static void mask_sums(int n, int cb, int hw, float *d, const float *act, const nn_norm *norm, const float *z,
                      const float *mean, double *sum, double *dot)
{
    size_t block = (size_t)hw * NN_LANES;
    for (int i = 0; i < n; i++)
        for (int b = 0; b < cb; b++)
            for (size_t s = 0; s < NN_LANES; s += VW) {
                size_t ch = (size_t)b * NN_LANES + s, at = (size_t)(i * cb + b) * block + s;
                vf m = v_load(mean + ch), a = v_zero(), q = v_zero();
                vf g = norm == NULL ? v_zero() : v_load(norm->scale + ch);
                vf h = norm == NULL ? v_zero() : v_load(norm->shift + ch);
                for (size_t p = at; p < at + block; p += NN_LANES) {
                    vf v = v_load(d + p), u = v_load(z + p);
                    if (act != NULL || norm != NULL) {
                        v = v_where(v, act != NULL ? v_load(act + p) : v_fma(u, g, h));
                        v_store(d + p, v);
                    }
                    a = v_add(a, v);
                    q = v_fma(v, v_sub(u, m), q);
                }
                add_lanes(sum + (size_t)b * NN_LANES + s, a);
                add_lanes(dot + (size_t)b * NN_LANES + s, q);
            }
}

static void affine2(int n, int cb, int hw, const float *d, const float *z, const float *a, const float *b,
                    const float *c, float *dz)
{
    size_t block = (size_t)hw * NN_LANES;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < cb; k++)
            for (size_t s = 0; s < NN_LANES; s += VW) {
                size_t ch = (size_t)k * NN_LANES + s, at = (size_t)(i * cb + k) * block + s;
                vf va = v_load(a + ch), vb = v_load(b + ch), vc = v_load(c + ch);
                for (size_t p = at; p < at + block; p += NN_LANES)
                    v_store(dz + p, v_fma(va, v_load(d + p), v_fma(vb, v_load(z + p), vc)));
            }
}

// --- Adam

static void adam(size_t n, float *w, const float *g, float *m, float *v, const adam_step *s)
{
    vf scale = v_set(s->scale), l2 = v_set(s->l2), b1 = v_set(s->beta1), c1 = v_set(1 - s->beta1), b2 = v_set(s->beta2),
       c2 = v_set(1 - s->beta2), rate = v_set(-s->rate), root = v_set(s->root), eps = v_set(s->eps),
       keep = v_set(s->keep);
    float tail[4][VW]; // the last few weights go through a padded copy
    for (size_t i = 0; i < n; i += VW) {
        size_t left = n - i < VW ? n - i : VW;
        const float *gi = g + i;
        float *wi = w + i, *mi = m + i, *vi_ = v + i;
        if (left < VW) {
            memset(tail, 0, sizeof tail);
            memcpy(tail[0], w + i, left * sizeof *w), memcpy(tail[1], g + i, left * sizeof *w);
            memcpy(tail[2], m + i, left * sizeof *w), memcpy(tail[3], v + i, left * sizeof *w);
            wi = tail[0], gi = tail[1], mi = tail[2], vi_ = tail[3];
        }
        vf x = v_load(wi), grad = v_fma(l2, x, v_mul(v_load(gi), scale));
        vf mm = v_fma(b1, v_load(mi), v_mul(c1, grad)), vv = v_fma(b2, v_load(vi_), v_mul(c2, v_mul(grad, grad)));
        v_store(mi, mm);
        v_store(vi_, vv);
        v_store(wi, v_fma(rate, v_div(mm, v_add(v_mul(v_sqrt(vv), root), eps)), v_mul(x, keep)));
        if (left < VW)
            memcpy(w + i, tail[0], left * sizeof *w), memcpy(m + i, tail[2], left * sizeof *w),
                memcpy(v + i, tail[3], left * sizeof *w);
    }
}

#define KERN_TABLE(text)                                                                                               \
    {                                                                                                                  \
        KERN_INFER(text), .wgrad = wgrad, .grad_taps = grad_taps, .sum_taps = sum_taps, .mask_sums = mask_sums,        \
                          .affine2 = affine2, .adam = adam,                                                            \
    }

#endif
