// Passes over activations and weights, for kern_impl.h: batch-norm and Adam.
//
// Sums are float over one board's squares, then added up in double.
#ifndef KEIKO_NN_KERN_NORM_H
#define KEIKO_NN_KERN_NORM_H

#include "nn/kern.h"
#include "nn/vec.h"

static void add_lanes(double *sum, vf v)
{
    float lane[VW];
    v_store(lane, v);
    for (int i = 0; i < VW; i++) sum[i] += (double)lane[i];
}

static void sums(int n, int cb, int hw, const float *z, double *sum, double *sum_sq)
{
    for (int i = 0; i < n; i++)
        for (int b = 0; b < cb; b++, z += (size_t)hw * NN_LANES)
            for (size_t s = 0; s < NN_LANES; s += VW) {
                vf a = v_zero(), q = v_zero(), a2 = v_zero(), q2 = v_zero();
                int p = 0;
                for (; p + 1 < hw; p += 2) {
                    vf u = v_load(z + (size_t)p * NN_LANES + s), v = v_load(z + (size_t)(p + 1) * NN_LANES + s);
                    a = v_add(a, u), q = v_fma(u, u, q);
                    a2 = v_add(a2, v), q2 = v_fma(v, v, q2);
                }
                if (p < hw) {
                    vf u = v_load(z + (size_t)p * NN_LANES + s);
                    a = v_add(a, u), q = v_fma(u, u, q);
                }
                add_lanes(sum + (size_t)b * NN_LANES + s, v_add(a, a2));
                add_lanes(sum_sq + (size_t)b * NN_LANES + s, v_add(q, q2));
            }
}

static void affine(int n, int cb, int hw, const float *z, const float *scale, const float *shift, const float *res,
                   bool relu, float *y)
{
    size_t block = (size_t)hw * NN_LANES;
    for (int i = 0; i < n; i++)
        for (int b = 0; b < cb; b++)
            for (size_t s = 0; s < NN_LANES; s += VW) {
                vf g = v_load(scale + (size_t)b * NN_LANES + s), h = v_load(shift + (size_t)b * NN_LANES + s);
                size_t at = (size_t)(i * cb + b) * block + s;
                for (size_t p = at; p < at + block; p += NN_LANES) {
                    vf v = v_fma(v_load(z + p), g, h);
                    if (res != NULL) v = v_add(v, v_load(res + p));
                    v_store(y + p, relu ? v_max(v, v_zero()) : v);
                }
            }
}

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

#endif
