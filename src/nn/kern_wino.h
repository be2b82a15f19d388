// Winograd's one-dimensional transforms, for kern_impl.h: F(2,3), F(4,3), F(5,3).
//
// With interpolation points p_i (and infinity), y = A^T [(G g) * (B^T d)]: A^T holds powers of the points, G the powers
// over N_i = prod(p_i - p_k), B^T the coefficients of prod(x - p_k), k != i. Points: 0, 1, -1; then 2, -2; then 1/2.
// A pair of points +-p shares q(x) = the product without both, and its rows are x*q +- p*q: hence the sums and differences.
// Each function reads elements `s` apart and writes them `os` apart, so rows and columns use the same code.
#ifndef KEIKO_NN_KERN_WINO_H
#define KEIKO_NN_KERN_WINO_H

#include "nn/vec.h"

static const float wino_g4[4][3] = {{-1, 0, 0}, {0.5f, 0.5f, 0.5f}, {0.5f, -0.5f, 0.5f}, {0, 0, 1}};
static const float wino_g6[6][3] = {{0.25f, 0, 0},
                                    {-1 / 6.f, -1 / 6.f, -1 / 6.f},
                                    {-1 / 6.f, 1 / 6.f, -1 / 6.f},
                                    {1 / 24.f, 1 / 12.f, 1 / 6.f},
                                    {1 / 24.f, -1 / 12.f, 1 / 6.f},
                                    {0, 0, 1}};
static const float wino_g7[7][3] = {{-0.5f, 0, 0},
                                    {-1 / 3.f, -1 / 3.f, -1 / 3.f},
                                    {1 / 9.f, -1 / 9.f, 1 / 9.f},
                                    {1 / 36.f, 1 / 18.f, 1 / 9.f},
                                    {-1 / 60.f, 1 / 30.f, -1 / 15.f},
                                    {32 / 45.f, 16 / 45.f, 8 / 45.f},
                                    {0, 0, 1}};

// o[t] = B^T d[t]
INLINE void wino_bt(int t, const vf *d, int s, vf *o, int os)
{
    if (t == 4) {
        vf d1 = d[s], d2 = d[2 * s];
        o[0] = v_sub(d2, d[0]);
        o[os] = v_add(d2, d1);
        o[2 * os] = v_sub(d2, d1);
        o[3 * os] = v_sub(d[3 * s], d1);
    } else if (t == 6) {
        vf d0 = d[0], d1 = d[s], d2 = d[2 * s], d3 = d[3 * s], d4 = d[4 * s], d5 = d[5 * s];
        vf even = v_fma(d2, v_set(-4), d4), odd = v_fma(d1, v_set(-4), d3);
        vf even2 = v_sub(d4, d2), odd2 = v_mul(v_sub(d3, d1), v_set(2));
        o[0] = v_fma(d0, v_set(4), v_fma(d2, v_set(-5), d4));
        o[os] = v_add(even, odd);
        o[2 * os] = v_sub(even, odd);
        o[3 * os] = v_add(even2, odd2);
        o[4 * os] = v_sub(even2, odd2);
        o[5 * os] = v_fma(d1, v_set(4), v_fma(d3, v_set(-5), d5));
    } else {
        vf d0 = d[0], d1 = d[s], d2 = d[2 * s], d3 = d[3 * s], d4 = d[4 * s], d5 = d[5 * s], d6 = d[6 * s];
        vf h = v_set(-0.5f), e1 = v_fma(d3, h, d4), e2 = v_fma(d4, h, d5); // (x - 1/2) on two neighbours
        vf f1 = v_fma(d1, h, d2), f2 = v_fma(d2, h, d3);
        vf u1 = v_fma(f1, v_set(-4), e1), w1 = v_fma(f2, v_set(-4), e2); // q of +-1 at x^0 and x^1
        vf u2 = v_sub(e1, f1), w2 = v_sub(e2, f2);                       // q of +-2
        vf f0 = v_fma(d0, h, d1), g1 = v_fma(d5, h, d6);
        o[0] = v_fma(f0, v_set(4), v_fma(f2, v_set(-5), e2));
        o[os] = v_add(w1, u1);
        o[2 * os] = v_sub(w1, u1);
        o[3 * os] = v_fma(u2, v_set(2), w2);
        o[4 * os] = v_fma(u2, v_set(-2), w2);
        o[5 * os] = v_fma(d1, v_set(4), v_fma(d3, v_set(-5), d5));
        o[6 * os] = v_fma(f1, v_set(4), v_fma(e1, v_set(-5), g1));
    }
}

// o[m] = A^T a[t]
INLINE void wino_at(int t, const vf *a, int s, vf *o, int os)
{
    if (t == 4) {
        vf p = v_add(a[s], a[2 * s]), q = v_sub(a[s], a[2 * s]);
        o[0] = v_add(a[0], p);
        o[os] = v_add(q, a[3 * s]);
        return;
    }
    vf p = v_add(a[s], a[2 * s]), q = v_sub(a[s], a[2 * s]), p2 = v_add(a[3 * s], a[4 * s]),
       q2 = v_sub(a[3 * s], a[4 * s]);
    if (t == 6) {
        o[0] = v_add(v_add(a[0], p), p2);
        o[os] = v_fma(q2, v_set(2), q);
        o[2 * os] = v_fma(p2, v_set(4), p);
        o[3 * os] = v_add(v_fma(q2, v_set(8), q), a[5 * s]);
    } else {
        vf r = a[5 * s];
        o[0] = v_add(v_add(a[0], p), v_add(p2, r));
        o[os] = v_fma(r, v_set(0.5f), v_fma(q2, v_set(2), q));
        o[2 * os] = v_fma(r, v_set(0.25f), v_fma(p2, v_set(4), p));
        o[3 * os] = v_fma(r, v_set(0.125f), v_fma(q2, v_set(8), q));
        o[4 * os] = v_add(v_fma(r, v_set(0.0625f), v_fma(p2, v_set(16), p)), a[6 * s]);
    }
}

// o[t] = A y[m]: the transpose of wino_at, for weight gradients
INLINE void wino_a(int t, const vf *y, int s, vf *o, int os)
{
    vf y0 = y[0], y1 = y[s];
    if (t == 4) {
        o[0] = y0;
        o[os] = v_add(y0, y1);
        o[2 * os] = v_sub(y0, y1);
        o[3 * os] = y1;
        return;
    }
    vf y2 = y[2 * s], y3 = y[3 * s];
    if (t == 6) {
        vf e = v_add(y0, y2), f = v_add(y1, y3), g = v_fma(y2, v_set(4), y0),
           h = v_fma(y3, v_set(8), v_mul(y1, v_set(2)));
        o[0] = y0;
        o[os] = v_add(e, f);
        o[2 * os] = v_sub(e, f);
        o[3 * os] = v_add(g, h);
        o[4 * os] = v_sub(g, h);
        o[5 * os] = y3;
    } else {
        vf y4 = y[4 * s], e = v_add(v_add(y0, y2), y4), f = v_add(y1, y3);
        vf g = v_fma(y4, v_set(16), v_fma(y2, v_set(4), y0)), h = v_fma(y3, v_set(8), v_mul(y1, v_set(2)));
        vf k = v_fma(y4, v_set(0.0625f), v_fma(y2, v_set(0.25f), y0));
        o[0] = y0;
        o[os] = v_add(e, f);
        o[2 * os] = v_sub(e, f);
        o[3 * os] = v_add(g, h);
        o[4 * os] = v_sub(g, h);
        o[5 * os] = v_fma(y3, v_set(0.125f), v_fma(y1, v_set(0.5f), k));
        o[6 * os] = y4;
    }
}

#endif
