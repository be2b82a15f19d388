// Passes over activations, for kern_impl.h: the statistics of batch-norm, and what it does.
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

#endif
